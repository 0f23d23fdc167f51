#include "collect/learnt.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

struct version {
    uint32_t table;
    int64_t row, value, xid;
    size_t seen; /* its place among all, so that sorting keeps the order */
};

ESSE_VEC(version_vec, struct version)
ESSE_VEC(named_vec, struct esse_named)
ESSE_VEC(ref_vec, struct esse_version_ref)

struct esse_learnt {
    struct esse_arena *arena;
    const struct esse_schema *schema;
    struct version_vec versions;
    struct named_vec named;
};

struct esse_learnt *esse_learnt_new(struct esse_arena *arena, const struct esse_schema *schema)
{
    struct esse_learnt *learnt = esse_arena_alloc(arena, 1, sizeof *learnt);
    learnt->arena = arena;
    learnt->schema = schema;
    return learnt;
}

void esse_learnt_version(struct esse_learnt *learnt, uint32_t table, int64_t row, int64_t value,
                         int64_t xid)
{
    version_vec_push(&learnt->versions, learnt->arena,
                     (struct version){ table, row, value, xid, learnt->versions.count });
}

uint64_t esse_learnt_count(const struct esse_learnt *learnt)
{
    return learnt->versions.count;
}

void esse_learnt_names(struct esse_learnt *learnt, const struct esse_named *named, size_t count)
{
    for (size_t i = 0; i < count; i++)
        named_vec_push(&learnt->named, learnt->arena, named[i]);
}

static int compare_versions(const void *left, const void *right)
{
    const struct version *a = left, *b = right;
    if (a->table != b->table)
        return a->table < b->table ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->seen > b->seen) - (a->seen < b->seen);
}

static int compare_named(const void *left, const void *right)
{
    const struct esse_named *a = left, *b = right;
    return (a->xid > b->xid) - (a->xid < b->xid);
}

/* By value; a delete by its transaction.  False if nobody of the history is known by its xid. */
static bool refer(struct esse_learnt *learnt, struct esse_sink *sink, const struct version *version,
                  struct esse_version_ref *ref)
{
    *ref = (struct esse_version_ref){ ESSE_NONE, ESSE_NONE };
    if (version->value != ESSE_ABSENT) {
        ref->value = esse_value_int(sink->values, version->value);
        return true;
    }
    const struct esse_named wanted = { .xid = version->xid };
    const struct esse_named *found =
        learnt->named.count
            ? bsearch(&wanted, learnt->named.at, learnt->named.count, sizeof wanted, compare_named)
            : NULL;
    if (!found)
        return false;
    char name[64];
    int length = snprintf(name, sizeof name, "%lld/%llu", (long long)found->session,
                          (unsigned long long)found->index);
    ref->txn = esse_value_string(sink->values, name, (size_t)length);
    return true;
}

/* The versions [at, end) of one row.  An order with a gap would claim too much, so there is none
 * for a row of which some version cannot be named. */
static bool emit_row(struct esse_learnt *learnt, struct esse_sink *sink, const struct version *at,
                     const struct version *end, struct ref_vec *refs, struct esse_error *err)
{
    refs->count = 0;
    const struct version *first = at;
    for (; at < end; at++) {
        struct esse_version_ref ref;
        if (!refer(learnt, sink, at, &ref))
            return true;
        ref_vec_push(refs, learnt->arena, ref);
    }
    return sink->version_order(sink,
                               esse_key_of(sink->values, learnt->schema, first->table, first->row),
                               refs->at, refs->count, err);
}

bool esse_learnt_emit(struct esse_learnt *learnt, struct esse_sink *sink, struct esse_error *err)
{
    struct version *at = learnt->versions.at;
    const struct version *end = at + learnt->versions.count;
    struct ref_vec refs = { 0 };
    if (!learnt->versions.count)
        return true;
    qsort(at, learnt->versions.count, sizeof *at, compare_versions);
    if (learnt->named.count)
        qsort(learnt->named.at, learnt->named.count, sizeof *learnt->named.at, compare_named);
    while (at < end) {
        struct version *next = at + 1;
        while (next < end && next->table == at->table && next->row == at->row)
            next++;
        if (!emit_row(learnt, sink, at, next, &refs, err))
            return false;
        at = next;
    }
    return true;
}
