#include "base/names.h"

#include <assert.h>

const char *const esse_dep_names[] = {
    [ESSE_DEP_WW] = "ww",           [ESSE_DEP_WR] = "wr",
    [ESSE_DEP_RW] = "rw",           [ESSE_DEP_WWP] = "wwp",
    [ESSE_DEP_WRP] = "wrp",         [ESSE_DEP_RWP] = "rwp",
    [ESSE_DEP_PROCESS] = "process", [ESSE_DEP_REALTIME] = "realtime",
    [ESSE_DEP_START] = "start",     [ESSE_DEP_OVERLAP] = "overlap",
    [ESSE_DEP_CO] = "co",           [ESSE_DEP_END] = NULL,
};

const char *esse_dep_name(enum esse_dep dep)
{
    assert(dep < ESSE_DEP_END);
    return esse_dep_names[dep];
}
