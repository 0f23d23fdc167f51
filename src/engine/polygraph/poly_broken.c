#include "engine/polygraph/poly_state.h"

/*
 * What the order at hand breaks: a read that passes over a version of its key, or, under snapshot
 * isolation, two writers of a key that overlap.  Whatever is ordered already, by knowledge or by a
 * literal, cannot be broken, because its edges are in the order; so every pair found is new.
 */

enum { BROKEN_MOST = 8 }; /* choices that one read may ask for in a round */

static uint32_t position(const struct poly *poly, esse_node node)
{
    return esse_acyclic_position(poly->acyclic, node.ix);
}

/* They keep their places from round to round, so little is moved. */
void poly_sort_versions(struct poly *poly, uint32_t key)
{
    const struct versions *versions = poly->versions;
    struct esse_pair *at = poly->places + versions->first[key].ix + 1;
    const uint32_t count = versions->first[key + 1].ix - versions->first[key].ix - 1;
    for (uint32_t i = 0; i < count; i++)
        at[i].key =
            position(poly, poly_commit(poly, version_txn(versions, (version_id){ at[i].id })));
    if (count > 64)
        esse_radix_sort(at, count, poly->arena);
    for (uint32_t i = 1; count <= 64 && i < count; i++) {
        struct esse_pair moving = at[i];
        uint32_t to = i;
        for (; to > 0 && at[to - 1].key > moving.key; to--)
            at[to] = at[to - 1];
        at[to] = moving;
    }
    for (uint32_t i = 0; i < count; i++)
        poly->place[at[i].id] = versions->first[key].ix + 1 + i;
}

/* Asks for the order of 'version' and of every other one that comes between it and the reader. */
static bool ask_reader(struct poly *poly, uint32_t key, version_id version, uint32_t reader)
{
    const struct versions *versions = poly->versions;
    const uint32_t place = position(poly, poly_leaves(poly, reader, ESSE_DEP_RW));
    uint32_t asked = 0;
    for (uint32_t i = poly->place[version.ix] + 1;
         i < versions->first[key + 1].ix && poly->places[i].key < place && asked < BROKEN_MOST;
         i++) {
        uint32_t writer = version_txn(versions, (version_id){ poly->places[i].id });
        if (writer == reader || writer == version_txn(versions, version))
            continue;
        poly_order(poly, version, (version_id){ poly->places[i].id });
        asked++;
    }
    return asked > 0;
}

static bool ask_overlaps(struct poly *poly, uint32_t key)
{
    const struct versions *versions = poly->versions;
    bool asked = false;
    for (uint32_t i = versions->first[key].ix + 2; i < versions->first[key + 1].ix; i++) {
        version_id a = { poly->places[i - 1].id }, b = { poly->places[i].id };
        uint32_t later = version_txn(versions, b);
        if (later == version_txn(versions, a) ||
            poly->places[i - 1].key < position(poly, poly_enters(poly, later, ESSE_DEP_WW)))
            continue;
        poly_order(poly, a, b);
        asked = true;
    }
    return asked;
}

static bool ask_key(struct poly *poly, uint32_t key)
{
    const struct versions *versions = poly->versions;
    const struct poly_reads *reads = poly->reads;
    bool asked = false;
    poly_sort_versions(poly, key);
    for (version_id v = { versions->first[key].ix + 1 }; v.ix < versions->first[key + 1].ix; v.ix++)
        for (uint32_t i = reads->reader_first[v.ix]; i < reads->reader_first[v.ix + 1]; i++)
            asked |= ask_reader(poly, key, v, versions_key_access(versions, reads->reader[i])->txn);
    if (poly->level->cycle == ESSE_CYCLE_NO_TWO_RW)
        asked |= ask_overlaps(poly, key);
    return asked;
}

/* ---- open reads ---- */

static bool ask_source(struct poly *poly, const struct poly_open *open, uint32_t i)
{
    const struct versions *versions = poly->versions;
    const version_id version = { poly->reads->sources.at[open->first + i] };
    const uint32_t place = position(poly, poly_leaves(poly, open->txn, ESSE_DEP_RW));
    uint32_t asked = 0;
    if (version.ix == versions->first[open->key].ix)
        return false;
    for (uint32_t at = poly->place[version.ix] + 1;
         at < versions->first[open->key + 1].ix && poly->places[at].key < place &&
         asked < BROKEN_MOST;
         at++) {
        uint32_t later = poly->places[at].id, writer = version_txn(versions, (version_id){ later });
        if (writer == open->txn || writer == version_txn(versions, version))
            continue;
        poly_both(poly, open, i, (version_id){ later });
        asked++;
    }
    return asked > 0;
}

/* One source that is true is enough. */
static bool ask_open(struct poly *poly, const struct poly_open *open)
{
    if (!poly_is_open_key(poly->versions, open->key) ||
        (open->predicate && poly->level->cycle == ESSE_CYCLE_ITEM_RW))
        return false;
    for (uint32_t i = 0; i < open->count; i++)
        if (esse_solver_value(poly->solver, esse_lit_of(open->choice + i, false)))
            return ask_source(poly, open, i);
    return false;
}

bool poly_find_broken(struct poly *poly)
{
    const struct versions *versions = poly->versions;
    bool asked = false;
    poly->rounds++;
    for (uint32_t key = 0; key < versions->history->keys; key++)
        if (poly_is_open_key(versions, key))
            asked |= ask_key(poly, key);
    for (size_t i = 0; i < poly->reads->open.count; i++)
        asked |= ask_open(poly, &poly->reads->open.at[i]);
    return asked;
}
