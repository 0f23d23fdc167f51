#include "base/guard.h"
#include "engine/polygraph/poly_state.h"

/* Which versions the reads are of, and which may be of several. */

static bool counts(const struct versions *versions, key_access_id at)
{
    const struct esse_key_access *key_access = versions_key_access(versions, at);
    return key_access->kind == ESSE_OP_READ && versions->in[key_access->txn] &&
           !esse_value_eq(key_access->value, ESSE_NONE);
}

/* ---- readers ---- */

/* Its version has another writer, and no access of the same transaction before it read it. */
static bool is_reader(const struct versions *versions, uint32_t key, key_access_id at)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const version_id version = versions->of[at.ix];
    const uint32_t txn = by_key->at[at.ix].txn;
    if (!counts(versions, at) || version.ix == NO_VERSION || version_txn(versions, version) == txn)
        return false;
    for (key_access_id b = at; b.ix-- > by_key->first[key] && by_key->at[b.ix].txn == txn;)
        if (by_key->at[b.ix].kind == ESSE_OP_READ && versions->of[b.ix].ix == version.ix)
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
            for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1];
                 at.ix++) {
                if (!is_reader(versions, key, at))
                    continue;
                if (pass == 0)
                    first[versions->of[at.ix].ix + 2]++;
                else
                    reads->reader[first[versions->of[at.ix].ix + 1]++] = at;
            }
        if (pass == 0) {
            for (uint32_t v = 0; v < versions->count; v++)
                first[v + 2] += first[v + 1];
            reads->reader =
                esse_arena_array(arena, first[versions->count + 1] + (size_t)1, *reads->reader);
        }
    }
    reads->reader_first = first;
}

static void find_version_keys(struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    reads->version_key = esse_arena_array(versions->arena, versions->count + (size_t)1, uint32_t);
    for (uint32_t key = 0; key < versions->history->keys; key++)
        for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++)
            reads->version_key[v.ix] = key;
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
static void add_source(struct poly_reads *reads, struct poly_open *open, key_access_id at)
{
    const struct versions *versions = reads->versions;
    const uint32_t writer = versions_key_access(versions, at)->txn;
    if (writer == open->txn)
        return;
    if (versions->in[writer] && versions->of[at.ix].ix != NO_VERSION)
        esse_u32_vec_push(&reads->sources, versions->arena, versions->of[at.ix].ix);
    open->optional |=
        !versions->in[writer] && versions->history->txn_status[writer] == ESSE_UNKNOWN_OUTCOME;
}

/* The accesses that delete the key. */
static void find_deletes(const struct poly_reads *reads, uint32_t key, struct esse_u32_vec *deletes)
{
    const struct esse_by_key *by_key = &reads->versions->sources->by_key;
    deletes->count = 0;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++)
        if (by_key->at[at].kind == ESSE_OP_WRITE && esse_value_eq(by_key->at[at].value, ESSE_NIL))
            esse_u32_vec_push(deletes, reads->versions->arena, at);
}

/* Lists tell their version, or something is wrong with them that the scan has reported. */
static void open_read(struct poly_reads *reads, uint32_t key, key_access_id at,
                      const struct esse_u32_vec *deletes)
{
    const struct versions *versions = reads->versions;
    const struct sources *sources = versions->sources;
    const struct esse_key_access *key_access = versions_key_access(versions, at);
    const esse_value value = esse_value_state(key_access->value);
    struct poly_open open = { .txn = key_access->txn,
                              .key = key,
                              .op = versions_op(versions, at),
                              .first = (uint32_t)reads->sources.count };
    if (esse_value_is_list(value)) {
        reads->stuck = true;
        return;
    }
    if (esse_value_eq(value, sources->initial[key]))
        esse_u32_vec_push(&reads->sources, versions->arena, versions->first[key].ix);
    esse_guard_poll();
    if (esse_value_eq(value, ESSE_NIL))
        for (size_t i = 0; i < deletes->count; i++)
            add_source(reads, &open, (key_access_id){ deletes->at[i] });
    else
        for (key_access_id w = sources->link[at.ix]; w.ix != ESSE_NO_KEY_ACCESS;
             w = sources->link[w.ix])
            add_source(reads, &open, w);
    open.count = (uint32_t)reads->sources.count - open.first;
    poly_reads_add(reads, &open);
}

/* Its version is not known, or only its own transaction writes the value, later: then it can be of
 * no version.  (A list that shows the future is reported by the scan.) */
static bool is_open(const struct versions *versions, key_access_id at)
{
    const struct esse_key_access *key_access = versions_key_access(versions, at);
    return versions->of[at.ix].ix == NO_VERSION ||
           (!esse_value_is_list(key_access->value) &&
            version_txn(versions, versions->of[at.ix]) == key_access->txn);
}

static void find_open(struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    struct esse_u32_vec deletes = { 0 };
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        find_deletes(reads, key, &deletes);
        for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1]; at.ix++)
            if (counts(versions, at) && is_open(versions, at) &&
                !esse_is_after_own_write(by_key, key, at.ix))
                open_read(reads, key, at, &deletes);
    }
    esse_u32_vec_drop(&deletes, versions->arena);
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
