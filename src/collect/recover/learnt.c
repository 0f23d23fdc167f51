#include "collect/recover/learnt.h"

#include "base/vec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct version {
    uint32_t table;
    int64_t row, value, xid;
    size_t seen; /* its place among all, so that sorting keeps the order */
};

ESSE_VEC(version_vec, struct version)
ESSE_VEC(named_vec, struct esse_named)
ESSE_VEC(ref_vec, struct esse_version_ref)
ESSE_VEC(commit_vec, int64_t)
ESSE_VEC(name_vec, esse_value)

struct esse_learnt {
    struct esse_arena *arena;
    const struct esse_schema *schema;
    struct version_vec versions;
    struct named_vec named;
    struct commit_vec commits;
    bool has_twins;        /* two transactions with one xid */
    struct named_vec lost; /* acknowledged, and not among the commits */
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

void esse_learnt_commit(struct esse_learnt *learnt, int64_t xid)
{
    commit_vec_push(&learnt->commits, learnt->arena, xid);
}

uint64_t esse_learnt_count(const struct esse_learnt *learnt, uint64_t *commits)
{
    *commits = learnt->commits.count;
    return learnt->versions.count;
}

uint64_t esse_learnt_lost(const struct esse_learnt *learnt)
{
    return learnt->lost.count;
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

static int compare_begun(const void *left, const void *right)
{
    const struct esse_named *a = left, *b = right;
    return a->xid != b->xid ? compare_named(a, b) : (a->start > b->start) - (a->start < b->start);
}

static void note_lost(struct esse_learnt *learnt, const struct esse_named *named)
{
    if (!named->is_unknown && named->has_written)
        named_vec_push(&learnt->lost, learnt->arena, *named);
}

/* By xid, and of each the one that began last: a number is given a second time only after a crash
 * that undid whatever the first had done with it. */
static void sort_named(struct esse_learnt *learnt)
{
    struct named_vec *named = &learnt->named;
    size_t kept = 0;
    qsort(named->at, named->count, sizeof *named->at, compare_begun);
    for (size_t i = 0; i < named->count; i++) {
        struct esse_named *last = kept ? &named->at[kept - 1] : NULL;
        if (last && last->xid == named->at[i].xid) {
            note_lost(learnt, last);
            *last = named->at[i];
        } else {
            named->at[kept++] = named->at[i];
        }
    }
    learnt->has_twins = kept < named->count;
    named->count = kept;
}

static int compare_numbers(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Those that no commit of the log belongs to. */
static void find_lost(struct esse_learnt *learnt)
{
    const size_t count = learnt->commits.count;
    int64_t *commits = esse_arena_grow(learnt->arena, NULL, (count + 1) * sizeof *commits);
    memcpy(commits, learnt->commits.at, count * sizeof *commits);
    qsort(commits, count, sizeof *commits, compare_numbers);
    for (size_t i = 0; i < learnt->named.count; i++)
        if (!bsearch(&learnt->named.at[i].xid, commits, count, sizeof *commits, compare_numbers))
            note_lost(learnt, &learnt->named.at[i]);
    esse_arena_drop(learnt->arena, commits);
}

static const struct esse_named *find_named(const struct esse_learnt *learnt, int64_t xid)
{
    const struct esse_named wanted = { .xid = xid };
    return learnt->named.count ? bsearch(&wanted, learnt->named.at, learnt->named.count,
                                         sizeof wanted, compare_named)
                               : NULL;
}

/* Its name in the history. */
static esse_value show_named(struct esse_sink *sink, const struct esse_named *named)
{
    char name[64];
    int length = snprintf(name, sizeof name, "%lld/%llu", (long long)named->session,
                          (unsigned long long)named->index);
    return esse_value_string(sink->values, name, (size_t)length);
}

/* The same by xid, ESSE_NONE if no transaction is known by it. */
static esse_value name_of(struct esse_learnt *learnt, struct esse_sink *sink, int64_t xid)
{
    const struct esse_named *found = find_named(learnt, xid);
    return found ? show_named(sink, found) : ESSE_NONE;
}

/* By value; a delete by its transaction or, if that has no name in the history, by nil: then the
 * reader of the history finds out whether one transaction alone can have made it. */
static struct esse_version_ref refer(struct esse_learnt *learnt, struct esse_sink *sink,
                                     const struct version *version)
{
    struct esse_version_ref ref = { ESSE_NONE, ESSE_NONE };
    if (version->value != ESSE_ABSENT)
        ref.value = esse_value_int(sink->values, version->value);
    else
        ref.txn = name_of(learnt, sink, version->xid);
    if (version->value == ESSE_ABSENT && esse_value_eq(ref.txn, ESSE_NONE))
        ref.value = ESSE_NIL;
    return ref;
}

/* The key of a row as the history shows it. */
static esse_value key_of(const struct esse_learnt *learnt, struct esse_values *values,
                         const struct version *version)
{
    const struct esse_schema *schema = learnt->schema;
    if (schema->count == 1)
        return esse_value_int(values, version->row);
    char text[200];
    const int length = snprintf(text, sizeof text, "%s/%lld", schema->tables[version->table].name,
                                (long long)version->row);
    return esse_value_string(values, text, (size_t)length);
}

/* The versions [at, end) of one row. */
static bool emit_row(struct esse_learnt *learnt, struct esse_sink *sink, const struct version *at,
                     const struct version *end, struct ref_vec *refs, struct esse_error *err)
{
    refs->count = 0;
    for (const struct version *version = at; version < end; version++)
        ref_vec_push(refs, learnt->arena, refer(learnt, sink, version));
    return sink->version_order(sink, key_of(learnt, sink->values, at), refs->at, refs->count, err);
}

static bool emit_versions(struct esse_learnt *learnt, struct esse_sink *sink,
                          struct esse_error *err)
{
    struct version *at = learnt->versions.at;
    const struct version *end = at + learnt->versions.count;
    struct ref_vec refs = { 0 };
    qsort(at, learnt->versions.count, sizeof *at, compare_versions);
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

static bool emit_commits(struct esse_learnt *learnt, struct esse_sink *sink, struct esse_error *err)
{
    struct name_vec names = { 0 };
    for (size_t i = 0; i < learnt->commits.count; i++) {
        const esse_value name = name_of(learnt, sink, learnt->commits.at[i]);
        if (!esse_value_eq(name, ESSE_NONE))
            name_vec_push(&names, learnt->arena, name);
    }
    return sink->order(sink, names.at, names.count, err);
}

static bool emit_lost(struct esse_learnt *learnt, struct esse_sink *sink, struct esse_error *err)
{
    struct name_vec names = { 0 };
    for (size_t i = 0; i < learnt->lost.count; i++)
        name_vec_push(&names, learnt->arena, show_named(sink, &learnt->lost.at[i]));
    return !names.count || sink->lost(sink, names.at, names.count, err);
}

/* Is every delete that of a transaction which has a name?  Other versions are named by value. */
static bool names_all_deletes(const struct esse_learnt *learnt)
{
    for (size_t i = 0; i < learnt->versions.count; i++)
        if (learnt->versions.at[i].value == ESSE_ABSENT &&
            !find_named(learnt, learnt->versions.at[i].xid))
            return false;
    return true;
}

static bool emit_kind(const struct esse_learnt *learnt, const char *kind, struct esse_sink *sink,
                      struct esse_error *err)
{
    struct esse_certificate_record record = { .complete = names_all_deletes(learnt) };
    for (unsigned i = ESSE_CERTIFICATE_TIMESTAMPS; i < ESSE_CERTIFICATE_END; i++)
        if (strcmp(esse_certificate_name((enum esse_certificate_kind)i), kind) == 0)
            record.kind = (enum esse_certificate_kind)i;
    assert(record.kind);
    return sink->certificate(sink, &record, err);
}

/* The history has the commit_ts of every transaction whose commit was acknowledged. */
static bool has_times_of_all(const struct esse_learnt *learnt)
{
    for (size_t i = 0; i < learnt->commits.count; i++) {
        const struct esse_named *named = find_named(learnt, learnt->commits.at[i]);
        if (!named || named->is_unknown)
            return false;
    }
    return !learnt->has_twins;
}

static bool is_of_order(const char *kind)
{
    return strcmp(kind, esse_certificate_name(ESSE_CERTIFICATE_TIMESTAMPS)) != 0;
}

/* What a kind says is about the order of commits: nothing, if only versions were reported. */
static bool has_kind(const struct esse_learnt *learnt, const char *kind)
{
    if (!kind || learnt->lost.count || (learnt->versions.count && !learnt->commits.count))
        return false;
    return is_of_order(kind) || has_times_of_all(learnt);
}

/* A kind that speaks of an order needs one, also if there were no writes. */
static bool has_order(const struct esse_learnt *learnt, const char *kind)
{
    return learnt->commits.count || (has_kind(learnt, kind) && is_of_order(kind));
}

bool esse_learnt_emit(struct esse_learnt *learnt, const char *kind, struct esse_sink *sink,
                      struct esse_error *err)
{
    if (learnt->named.count)
        sort_named(learnt);
    if (kind && learnt->commits.count)
        find_lost(learnt);
    else
        learnt->lost.count = 0; /* the log does not show which transactions committed */
    return (!learnt->versions.count || emit_versions(learnt, sink, err)) &&
           (!has_order(learnt, kind) || emit_commits(learnt, sink, err)) &&
           emit_lost(learnt, sink, err) &&
           (!has_kind(learnt, kind) || emit_kind(learnt, kind, sink, err));
}
