#include "mirror/counters.h"

uint64_t esse_mirror_broken(const struct esse_mirror_counters *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ESSE_MECHANISMS; i++)
        sum += c->broken[i];
    return sum;
}

uint64_t esse_mirror_dependencies(const struct esse_mirror_counters *c)
{
    return c->by_time + c->by_value + c->by_me + c->by_fuw + c->uncertain;
}

uint64_t esse_mirror_undecided(const struct esse_mirror_counters *c)
{
    return c->late + c->gaps + c->opaque + c->reads_foreign + c->reads_not_checked + c->given_up +
           c->cut_off + c->windows_unknown;
}
