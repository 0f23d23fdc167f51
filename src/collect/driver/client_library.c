#include "collect/driver/client_library.h"

#include "collect/driver/client_hiredis.h"
#include "collect/driver/client_libmariadb.h"
#include "collect/driver/client_libpq.h"

#include <dlfcn.h>
#include <string.h>

struct esse_libpq esse_libpq;
struct esse_libmariadb esse_libmariadb;
struct esse_hiredis esse_hiredis;

#define X(name) #name,
static const char *const libpq_names[] = { ESSE_LIBPQ(X) };
static const char *const libmariadb_names[] = { ESSE_LIBMARIADB(X) };
static const char *const hiredis_names[] = { ESSE_HIREDIS(X) };
#undef X

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define COUNT(of)  (sizeof(of) / sizeof *(of))

const struct esse_client_library esse_client_libpq = {
    "libpq.so.5", "libpq5", libpq_names, COUNT(libpq_names), &esse_libpq,
};
const struct esse_client_library esse_client_libmariadb = {
    "libmariadb.so.3", "libmariadb3", libmariadb_names, COUNT(libmariadb_names), &esse_libmariadb,
};
/* Its soname changes with its interface; the right one is that of the header. */
const struct esse_client_library esse_client_hiredis = {
    "libhiredis.so." TEXT(HIREDIS_SONAME),
    "libhiredis" TEXT(HIREDIS_SONAME),
    hiredis_names,
    COUNT(hiredis_names),
    &esse_hiredis,
};

bool esse_client_load(const struct esse_client_library *library, struct esse_error *err)
{
    /* Global, because plug-ins that a client library loads look for its functions. */
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "the database's client library is not installed (%s, Debian's package "
                         "%s): %.120s",
                         library->file, library->package, dlerror());
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->names[i]);
        if (!function)
            return esse_fail(err, ESSE_EUNAVAILABLE, "%s is too old: it has no %s", library->file,
                             library->names[i]);
        memcpy((char *)library->table + i * sizeof function, &function, sizeof function);
    }
    return true;
}
