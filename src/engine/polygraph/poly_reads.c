#include "base/guard.h"
#include "engine/polygraph/poly_state.h"

/* Which versions the reads are of, and which may be of several. */

static bool counts(const struct versions *versions, uint32_t at)
{
    const struct esse_touch *touch = versions_touch(versions, at);
    return touch->kind == ESSE_OP_READ && versions->in[touch->txn] &&
           !esse_value_eq(touch->value, ESSE_NONE);
}

/* ---- readers ---- */

/* Its version has another writer, and no access of the same transaction before it read it. */
static bool is_reader(const struct versions *versions, uint32_t key, uint32_t at)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const uint32_t version = versions->of[at], txn = by_key->at[at].txn;
    if (!counts(versions, at) || version == NO_VERSION || version_txn(versions, version) == txn)
        return false;
    for (uint32_t b = at; b-- > by_key->first[key] && by_key->at[b].txn == txn;)
        if (by_key->at[b].kind == ESSE_OP_READ && versions->of[b] == version)
            return false;
    return true;
}

static void find_readers(struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    struct esse_arena *arena = versions->arena;
    uint32_t *first = esse_arena_alloc(arena, versions->count + 2u, sizeof *first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t key = 0; key < versions->history->keys; key++)
            for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
                if (!is_reader(versions, key, at))
                    continue;
                if (pass == 0)
                    first[versions->of[at] + 2]++;
                else
                    reads->reader[first[versions->of[at] + 1]++] = at;
            }
        if (pass == 0) {
            for (uint32_t v = 0; v < versions->count; v++)
                first[v + 2] += first[v + 1];
            reads->reader = esse_arena_grow(
                arena, NULL, (first[versions->count + 1] + (size_t)1) * sizeof *reads->reader);
        }
    }
    reads->reader_first = first;
}

static void find_version_keys(struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    reads->version_key =
        esse_arena_grow(versions->arena, NULL, (versions->count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t key = 0; key < versions->history->keys; key++)
        for (uint32_t v = versions->first[key]; v < versions->first[key + 1]; v++)
            reads->version_key[v] = key;
}

/* ---- reads of several ---- */

void poly_reads_add(struct poly_reads *reads, const struct poly_open *open)
{
    assert(open->first + (size_t)open->count <= reads->sources.count);
    assert(reads->versions->in[open->txn]);
    poly_open_vec_push(&reads->open, reads->versions->arena, *open);
    reads->optional |= open->optional;
}

struct poly_reads poly_reads_sure(const struct poly_reads *reads)
{
    struct poly_reads sure = *reads;
    sure.open = (struct poly_open_vec){ 0 };
    sure.optional = false;
    for (size_t i = 0; i < reads->open.count; i++)
        if (!reads->open.at[i].optional)
            poly_reads_add(&sure, &reads->open.at[i]);
    ESSE_SEAM(poly_reads_valid(&sure));
    return sure;
}

/* The write at 'at' as a source of a read. */
static void add_source(struct poly_reads *reads, struct poly_open *open, uint32_t at)
{
    const struct versions *versions = reads->versions;
    const uint32_t writer = versions_touch(versions, at)->txn;
    if (writer == open->txn)
        return;
    if (versions->in[writer] && versions->of[at] != NO_VERSION)
        poly_u32_vec_push(&reads->sources, versions->arena, versions->of[at]);
    open->optional |=
        !versions->in[writer] && versions->history->txn_status[writer] == ESSE_UNKNOWN_OUTCOME;
}

/* The accesses that delete the key. */
static void find_deletes(const struct poly_reads *reads, uint32_t key, struct poly_u32_vec *deletes)
{
    const struct esse_by_key *by_key = &reads->versions->sources->by_key;
    deletes->count = 0;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++)
        if (by_key->at[at].kind == ESSE_OP_WRITE && esse_value_eq(by_key->at[at].value, ESSE_NIL))
            poly_u32_vec_push(deletes, reads->versions->arena, at);
}

/* Lists tell their version, or something is wrong with them that the scan has reported. */
static void open_read(struct poly_reads *reads, uint32_t key, uint32_t at,
                      const struct poly_u32_vec *deletes)
{
    const struct versions *versions = reads->versions;
    const struct sources *sources = versions->sources;
    const struct esse_touch *touch = versions_touch(versions, at);
    const esse_value value = esse_value_state(touch->value);
    struct poly_open open = { .txn = touch->txn,
                              .key = key,
                              .op = versions_op(versions, at),
                              .first = (uint32_t)reads->sources.count };
    if (esse_value_is_list(value)) {
        reads->stuck = true;
        return;
    }
    if (esse_value_eq(value, sources->initial[key]))
        poly_u32_vec_push(&reads->sources, versions->arena, versions->first[key]);
    esse_guard_poll();
    if (esse_value_eq(value, ESSE_NIL))
        for (size_t i = 0; i < deletes->count; i++)
            add_source(reads, &open, deletes->at[i]);
    else
        for (uint32_t w = sources->link[at]; w != ESSE_NO_TOUCH; w = sources->link[w])
            add_source(reads, &open, w);
    open.count = (uint32_t)reads->sources.count - open.first;
    poly_reads_add(reads, &open);
}

/* Its version is not known, or only its own transaction writes the value, later: then it can be of
 * no version.  (A list that shows the future is reported by the scan.) */
static bool is_open(const struct versions *versions, uint32_t at)
{
    const struct esse_touch *touch = versions_touch(versions, at);
    return versions->of[at] == NO_VERSION ||
           (!esse_value_is_list(touch->value) &&
            version_txn(versions, versions->of[at]) == touch->txn);
}

static void find_open(struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    struct poly_u32_vec deletes = { 0 };
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        find_deletes(reads, key, &deletes);
        for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++)
            if (counts(versions, at) && is_open(versions, at) &&
                !esse_is_after_own_write(by_key, key, at))
                open_read(reads, key, at, &deletes);
    }
    poly_u32_vec_drop(&deletes, versions->arena);
}

bool poly_reads_find(struct poly_reads *reads, const struct versions *versions, bool predicates,
                     struct esse_budget *budget, struct esse_error *err)
{
    *reads = (struct poly_reads){ .versions = versions };
    find_version_keys(reads);
    find_readers(reads);
    if (versions->unresolved)
        find_open(reads);
    const bool ok = !predicates || poly_predicates_find(reads, budget, err);
    ESSE_SEAM(!ok || poly_reads_valid(reads));
    return ok;
}
