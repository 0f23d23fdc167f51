#include "engine/known/versions.h"

#include "base/checked.h"
#include "base/gallop.h"
#include "base/word_map.h"

#include <string.h>

/* A worker that orders one key after the other. */
struct ordering {
    struct versions *versions;
    struct esse_arena *arena; /* its own */
    const struct esse_by_key *by_key;
    const struct esse_version_order **given; /* by key, or NULL */
    struct esse_word_map values;             /* the writes of a key with a certificate */
    uint32_t key;                            /* at hand */
    key_access_id begin, end;                /* its accesses */
    bool whole;                              /* every element of its longest list is a version */
    version_id next;                         /* the number of its next version */
    version_id nothing;       /* the version that reads of nothing returned, or NO_VERSION */
    bool is_asked, is_placed; /* whether its versions are in the order of the commits */
    version_id seen;          /* the version of the last snapshot */
    key_access_id found;      /* the access of the last in an order */
    uint32_t undetermined, unresolved, own_missed, not_repeated; /* see struct versions */
};

static bool is_write(const struct ordering *o, key_access_id at)
{
    return o->by_key->at[at.ix].kind != ESSE_OP_READ;
}

static bool counts(const struct ordering *o, key_access_id at)
{
    return o->versions->in[o->by_key->at[at.ix].txn];
}

static void add_version(struct ordering *o, key_access_id at)
{
    o->versions->write[o->next.ix] = at;
    o->versions->of[at.ix].ix = o->next.ix++;
}

/* A value of an order that no transaction installed, or that was there before, is passed over: the
 * scan reports what is wrong about it. */
static void order_write(struct ordering *o, key_access_id chain)
{
    key_access_id at = sources_only(o->versions->sources, chain);
    if (at.ix != ESSE_NO_KEY_ACCESS && counts(o, at) && o->versions->of[at.ix].ix == NO_VERSION)
        add_version(o, at);
}

/* ---- the order that lists show ---- */

static key_access_id longest_read(const struct ordering *o)
{
    key_access_id best = { ESSE_NO_KEY_ACCESS };
    for (key_access_id at = o->begin; at.ix < o->end.ix; at.ix++) {
        esse_value value = o->by_key->at[at.ix].value;
        if (esse_value_is_list(value) && list_length(value) && counts(o, at) &&
            (best.ix == ESSE_NO_KEY_ACCESS ||
             list_length(value) > list_length(o->by_key->at[best.ix].value)))
            best = at;
    }
    return best;
}

static void order_list(struct ordering *o, key_access_id reader)
{
    const struct sources *sources = o->versions->sources;
    esse_value list = o->by_key->at[reader.ix].value;
    const key_access_id *item = sources->item + sources->spine_first[spine_of(list)];
    for (uint32_t i = 0; i < list_length(list); i++)
        order_write(o, item[i]);
    o->whole = o->next.ix - o->versions->first[o->key].ix - 1 == list_length(list);
}

/* ---- the order that a certificate gives ---- */

struct installing {
    const struct esse_key_access *at;
    uint32_t txn;
};

static bool is_earlier(const void *context, uint32_t at)
{
    const struct installing *installing = context;
    return installing->at[at].txn < installing->txn;
}

/* The last write of a transaction to the key, for orders by transaction. */
static key_access_id installed_by(struct ordering *o, uint32_t txn)
{
    const struct installing installing = { o->by_key->at, txn };
    key_access_id at = { esse_gallop(o->begin.ix, o->end.ix, o->found.ix, is_earlier,
                                     &installing) };
    key_access_id found = { ESSE_NO_KEY_ACCESS };
    o->found = at;
    for (; at.ix < o->end.ix && o->by_key->at[at.ix].txn == txn; at.ix++)
        if (is_write(o, at))
            found = at;
    return found;
}

static void map_values(struct ordering *o)
{
    esse_word_map_clear(&o->values, o->arena, o->end.ix - o->begin.ix);
    for (key_access_id at = o->end; at.ix-- > o->begin.ix;) {
        bool fresh;
        if (is_write(o, at) && !esse_value_eq(o->by_key->at[at.ix].value, ESSE_NIL))
            *esse_word_map_put(&o->values, o->by_key->at[at.ix].value.word, &fresh) = at.ix;
    }
}

static void order_certificate(struct ordering *o, const struct esse_version_order *order)
{
    bool has_values = false;
    for (uint32_t i = 0; i < order->count; i++) {
        const struct esse_version *version = &order->versions[i];
        if (version->txn.ix == ESSE_NO_TXN) {
            if (!has_values)
                map_values(o);
            has_values = true;
            order_write(o, (key_access_id){ esse_word_map_get(&o->values, version->value.word,
                                                              ESSE_NO_KEY_ACCESS) });
            continue;
        }
        key_access_id at = installed_by(o, version->txn.ix);
        if (at.ix != ESSE_NO_KEY_ACCESS && counts(o, at) && o->versions->of[at.ix].ix == NO_VERSION)
            add_version(o, at);
    }
}

/* ---- the rest ---- */

/* What no order names is unordered; a register's version is the transaction's last write, and what
 * it overwrites itself is none.  A single unordered version has its place: the end. */
static void place_unordered(struct ordering *o)
{
    struct versions *versions = o->versions;
    version_id unordered = versions->unordered[o->key] = o->next;
    for (key_access_id at = o->begin; at.ix < o->end.ix; at.ix++)
        if (is_write(o, at) && counts(o, at) && versions->of[at.ix].ix == NO_VERSION &&
            (o->by_key->at[at.ix].kind == ESSE_OP_APPEND ||
             esse_is_last_write(o->by_key, o->key, at.ix)))
            add_version(o, at);
    uint32_t count = o->next.ix - unordered.ix;
    if (esse_is_recorded_in_version_order(versions->history) && !versions->gaps[o->key])
        count = 1;
    if (count == 1 && !versions->gaps[o->key])
        versions->unordered[o->key] = o->next;
    o->undetermined += count > (versions->gaps[o->key] ? 0 : 1);
}

/* ---- snapshots ---- */

bool versions_placed(const struct versions *versions, version_id first, version_id end)
{
    esse_place next = { 0 }; /* the first place that is free */
    assert(versions->snapshots);
    for (version_id v = { first.ix + 1 }; v.ix < end.ix; v.ix++) {
        const esse_place place = versions->snapshots->place[version_txn(versions, v)];
        if (place.ix == ESSE_NO_PLACE || place.ix < next.ix)
            return false;
        next.ix = place.ix + 1;
    }
    return true;
}

struct looking {
    const struct versions *versions;
    const struct esse_snapshot *snapshot;
};

static bool was_before(const void *context, uint32_t version)
{
    const struct looking *looking = context;
    const uint32_t txn = version_txn(looking->versions, (version_id){ version });
    return looking->versions->snapshots->place[txn].ix < looking->snapshot->before.ix;
}

version_id versions_at(const struct versions *versions, const struct esse_snapshot *snapshot,
                       version_id first, version_id end, version_id near)
{
    const struct looking looking = { versions, snapshot };
    assert(versions->snapshots);
    assert(first.ix < end.ix);
    version_id at = { esse_gallop(first.ix + 1, end.ix, near.ix, was_before, &looking) - 1 };
    while (at.ix > first.ix && !snapshot->is_prefix &&
           !esse_snapshot_sees(versions->snapshots, snapshot, version_txn(versions, at)))
        at.ix--;
    return at;
}

/* What a read returned that may be of several versions. */
static version_id version_at_snapshot(struct ordering *o, key_access_id read)
{
    const struct versions *versions = o->versions;
    const struct esse_key_access *key_access = &o->by_key->at[read.ix];
    const version_id first = versions->first[o->key];
    struct esse_snapshot snapshot;
    if (!versions->snapshots || esse_value_is_list(key_access->value) ||
        !esse_snapshot_of(versions->snapshots, key_access->txn,
                          esse_by_key_op(o->by_key, key_access->access), &snapshot))
        return (version_id){ NO_VERSION };
    if (!o->is_asked)
        o->is_placed = versions->unordered[o->key].ix == o->next.ix &&
                       versions_placed(versions, first, o->next);
    o->is_asked = true;
    if (!o->is_placed)
        return (version_id){ NO_VERSION };
    const version_id seen = versions_at(versions, &snapshot, first, o->next, o->seen);
    o->seen = seen;
    const esse_value value = seen.ix == first.ix ? versions->sources->initial[o->key]
                                                 : o->by_key->at[versions->write[seen.ix].ix].value;
    return esse_value_eq(value, key_access->value) ? seen : (version_id){ NO_VERSION };
}

/* ---- which version each read returned ---- */

/* A list that does not follow the order of its key, holds an element twice, or ends in one that is
 * no version (aborted, never appended, or appended by several) is reported by the scan; no
 * dependency follows from it. */
static version_id version_of_list(const struct ordering *o, esse_value list)
{
    const struct sources *sources = o->versions->sources;
    const key_access_id *item = sources->item + sources->spine_first[spine_of(list)];
    uint32_t count = list_length(list);
    version_id newest = o->versions->first[o->key];
    for (uint32_t i = 0; i < count; i++) {
        key_access_id at = sources_only(sources, item[i]);
        if (at.ix == ESSE_NO_KEY_ACCESS || !counts(o, at)) {
            if (i + 1 == count)
                return (version_id){ NO_VERSION };
            continue;
        }
        if (o->versions->of[at.ix].ix <= newest.ix)
            return (version_id){ NO_VERSION };
        newest = o->versions->of[at.ix];
    }
    return newest;
}

/* The fast way for healthy keys: a prefix of the longest list is as many versions in. */
static version_id version_of_prefix(const struct ordering *o, esse_value list)
{
    key_access_id reader = o->versions->key_reader[o->key];
    if (!o->whole || spine_of(o->by_key->at[reader.ix].value) != spine_of(list))
        return (version_id){ NO_VERSION };
    return (version_id){ o->versions->first[o->key].ix + list_length(list) };
}

static version_id version_of_register(const struct ordering *o, key_access_id read,
                                      esse_value value)
{
    const struct sources *sources = o->versions->sources;
    key_access_id chain = sources->link[read.ix], at = sources_only(sources, chain);
    if (esse_value_eq(value, sources->initial[o->key]))
        return chain.ix == ESSE_NO_KEY_ACCESS ? o->versions->first[o->key]
                                              : (version_id){ NO_VERSION };
    /* A list's element read as if it were all of it is no version. */
    return at.ix == ESSE_NO_KEY_ACCESS || !counts(o, at) ||
                   o->by_key->at[at.ix].kind == ESSE_OP_APPEND
               ? (version_id){ NO_VERSION }
               : o->versions->of[at.ix];
}

/* Nothing was there: the initial version, or one that a delete left, an aborted one included; the
 * only one there is. */
static version_id version_of_nothing(const struct ordering *o)
{
    const struct sources *sources = o->versions->sources;
    const bool initially = esse_value_eq(sources->initial[o->key], ESSE_NIL);
    version_id found = initially ? o->versions->first[o->key] : (version_id){ NO_VERSION };
    uint32_t count = initially;
    for (key_access_id at = o->begin; sources->deleted[o->key] && at.ix < o->end.ix && count < 2;
         at.ix++) {
        const struct esse_key_access *key_access = &o->by_key->at[at.ix];
        if (key_access->kind == ESSE_OP_READ || !esse_value_eq(key_access->value, ESSE_NIL))
            continue;
        found = o->versions->of[at.ix];
        count++;
    }
    return count == 1 ? found : (version_id){ NO_VERSION };
}

static version_id version_of_read(const struct ordering *o, key_access_id read)
{
    esse_value value = o->by_key->at[read.ix].value;
    if (esse_value_eq(esse_value_state(value), ESSE_NIL))
        return o->nothing;
    if (!esse_value_is_list(value))
        return version_of_register(o, read, value);
    version_id version = version_of_prefix(o, value);
    return version.ix == NO_VERSION ? version_of_list(o, value) : version;
}

/* Does a read after an own write show nothing but that write, on top of the versions before it? */
static bool agrees_with_own(const struct ordering *o, key_access_id read, key_access_id write)
{
    esse_value value = o->by_key->at[read.ix].value;
    if (o->by_key->at[write.ix].kind != ESSE_OP_APPEND)
        return esse_value_eq(value, o->by_key->at[write.ix].value);
    return esse_value_is_list(value) && list_length(value) &&
           version_of_read(o, read).ix == o->versions->of[write.ix].ix;
}

/* A list that ends in the middle of another transaction's appends, or what the reader itself writes
 * only later. */
static bool is_unfinished(const struct ordering *o, key_access_id read)
{
    key_access_id write = o->versions->write[o->versions->of[read.ix].ix];
    return write.ix != ESSE_NO_KEY_ACCESS &&
           (o->by_key->at[write.ix].txn == o->by_key->at[read.ix].txn ||
            (o->by_key->at[write.ix].kind == ESSE_OP_APPEND &&
             !esse_is_last_write(o->by_key, o->key, write.ix)));
}

/* After an own write a read depends on no transaction. */
static void find_reads(struct ordering *o)
{
    struct versions *versions = o->versions;
    key_access_id own = { ESSE_NO_KEY_ACCESS },
                  last = { ESSE_NO_KEY_ACCESS }; /* the last write, and the last read */
    for (key_access_id at = o->begin; at.ix < o->end.ix; at.ix++) {
        const struct esse_key_access *key_access = &o->by_key->at[at.ix];
        if (!counts(o, at) ||
            (key_access->kind == ESSE_OP_READ && esse_value_eq(key_access->value, ESSE_NONE)))
            continue;
        if (key_access->kind != ESSE_OP_READ) {
            /* A list may show what one transaction appended in another order than it did. */
            o->unresolved += own.ix != ESSE_NO_KEY_ACCESS &&
                             o->by_key->at[own.ix].txn == key_access->txn &&
                             versions->of[at.ix].ix < versions->of[own.ix].ix &&
                             versions->of[own.ix].ix != NO_VERSION;
            own = at;
            continue;
        }
        if (own.ix != ESSE_NO_KEY_ACCESS && o->by_key->at[own.ix].txn == key_access->txn) {
            o->own_missed += !agrees_with_own(o, at, own);
            continue;
        }
        versions->of[at.ix] = version_of_read(o, at);
        if (versions->of[at.ix].ix == NO_VERSION)
            versions->of[at.ix] = version_at_snapshot(o, at);
        o->unresolved += versions->of[at.ix].ix == NO_VERSION || is_unfinished(o, at);
        o->not_repeated += last.ix != ESSE_NO_KEY_ACCESS &&
                           o->by_key->at[last.ix].txn == key_access->txn &&
                           versions->of[last.ix].ix != versions->of[at.ix].ix;
        last = at;
    }
}

static void order_key(struct ordering *o)
{
    struct versions *versions = o->versions;
    const struct esse_version_order *given = o->given ? o->given[o->key] : NULL;
    key_access_id reader = longest_read(o);
    o->whole = o->is_asked = false;
    o->seen = versions->first[o->key];
    o->found = o->begin;
    o->next = versions->first[o->key];
    versions->write[o->next.ix++].ix = ESSE_NO_KEY_ACCESS;
    versions->gaps[o->key] = given != NULL;
    versions->key_reader[o->key] = reader;
    if (given)
        order_certificate(o, given);
    else if (reader.ix != ESSE_NO_KEY_ACCESS)
        order_list(o, reader);
    place_unordered(o);
    o->nothing = version_of_nothing(o);
    find_reads(o);
}

/* ---- all keys ---- */

static const struct esse_version_order **find_given(struct versions *versions)
{
    const struct esse_history *history = versions->history;
    if (!history->version_order_count)
        return NULL;
    const struct esse_version_order **given =
        esse_arena_alloc(versions->arena, history->keys + 1u, sizeof *given);
    for (uint32_t i = 0; i < history->version_order_count; i++)
        given[history->version_orders[i].key.ix] = &history->version_orders[i];
    return given;
}

/* For each key as many numbers as it can need: which of them it does is only known when it is
 * ordered. */
static uint32_t number_keys(struct versions *versions)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    uint32_t next = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        versions->first[key].ix = next++;
        for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++)
            next += by_key->at[at].kind != ESSE_OP_READ;
    }
    return next;
}

static void make_room(struct versions *versions)
{
    struct esse_arena *arena = versions->arena;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    size_t keys = (size_t)versions->history->keys + 1;
    versions->first = esse_arena_alloc(arena, keys, sizeof *versions->first);
    versions->unordered = esse_arena_alloc(arena, keys, sizeof *versions->unordered);
    versions->gaps = esse_arena_alloc(arena, keys, 1);
    versions->key_reader = esse_arena_alloc(arena, keys, sizeof *versions->key_reader);
    versions->write = esse_arena_array(arena, number_keys(versions) + (size_t)1, key_access_id);
    versions->of = esse_arena_none(arena, by_key->count + (size_t)1, version_id);
}

struct ordering_all {
    struct esse_worker *workers; /* each with a struct ordering */
    version_id *end;             /* by key: of the numbers that it used */
};

static bool order_keys(void *context, const struct esse_piece *piece)
{
    const struct ordering_all *all = context;
    struct ordering *o = all->workers[piece->worker].state;
    for (o->key = piece->begin; o->key < piece->end; o->key++) {
        o->begin.ix = o->by_key->first[o->key];
        o->end.ix = o->by_key->first[o->key + 1];
        order_key(o);
        all->end[o->key] = o->next;
    }
    return true;
}

static bool order_all(struct versions *versions, struct known *known, version_id *end)
{
    const uint32_t keys = versions->history->keys;
    struct ordering_all all = { .end = end };
    const struct esse_loop loop = { .count = keys,
                                    .piece = esse_loop_piece(keys),
                                    .threads = esse_threads_for(known->threads,
                                                                known->sources.by_key.count),
                                    .body = order_keys,
                                    .context = &all,
                                    .budget = known->budget };
    const struct esse_version_order **given = find_given(versions);
    all.workers = esse_workers_new(versions->arena, loop.threads, sizeof(struct ordering));
    for (unsigned i = 0; i < loop.threads; i++)
        *(struct ordering *)all.workers[i].state =
            (struct ordering){ .versions = versions,
                               .arena = all.workers[i].arena,
                               .by_key = &known->sources.by_key,
                               .given = given };
    bool ok = esse_loop_run(&loop);
    for (unsigned i = 0; i < loop.threads; i++) {
        const struct ordering *o = all.workers[i].state;
        versions->undetermined += o->undetermined;
        versions->unresolved += o->unresolved;
        versions->own_missed += o->own_missed;
        versions->not_repeated += o->not_repeated;
    }
    esse_workers_free(all.workers, loop.threads);
    return ok;
}

/* Takes the numbers that were not used out: what did not commit, or was overwritten. */
static void renumber(struct versions *versions, const version_id *end)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const version_id first = versions->first[key];
        const uint32_t less = first.ix - versions->count;
        assert(end[key].ix > first.ix);
        memmove(versions->write + versions->count, versions->write + first.ix,
                (end[key].ix - first.ix) * sizeof *versions->write);
        for (key_access_id at = { by_key->first[key] }; less && at.ix < by_key->first[key + 1];
             at.ix++)
            versions->of[at.ix].ix -= versions->of[at.ix].ix == NO_VERSION ? 0 : less;
        versions->unordered[key].ix -= less;
        versions->first[key].ix = versions->count;
        versions->count += end[key].ix - first.ix;
    }
    versions->first[versions->history->keys].ix = versions->count;
}

/* Keys that may have a version more than is known. */
static void find_unsure(struct versions *versions)
{
    const struct esse_history *history = versions->history;
    for (uint32_t txn = 0; !history->certificate.complete && txn < history->txns; txn++) {
        if (history->txn_status[txn] != ESSE_UNKNOWN_OUTCOME || versions->in[txn])
            continue;
        struct esse_access_walk walk = esse_accesses_of(history, txn);
        while (esse_access_next(&walk)) {
            if (walk.access.kind == ESSE_OP_READ)
                continue;
            if (!versions->unsure)
                versions->unsure = esse_arena_alloc(versions->arena, history->keys, 1);
            versions->unsure[walk.access.key.ix] = 1;
        }
    }
}

bool versions_find(struct versions *versions, struct known *known, bool by_snapshots)
{
    const struct esse_history *history = known->history;
    *versions = (struct versions){ .arena = known->scratch,
                                   .history = history,
                                   .sources = &known->sources };
    versions->in = known->in;
    find_unsure(versions);
    if (by_snapshots && history->certificate.kind != ESSE_CERTIFICATE_NONE) {
        struct esse_snapshots *snapshots = esse_arena_alloc(known->scratch, 1, sizeof *snapshots);
        esse_snapshots_find(snapshots, known->scratch, history);
        versions->snapshots = snapshots;
    }
    make_room(versions);
    version_id *end = esse_arena_alloc(known->scratch, history->keys + (size_t)1, sizeof *end);
    esse_budget_phase(known->budget, "ordering versions", history->keys);
    if (!order_all(versions, known, end))
        return false;
    renumber(versions, end);
    ESSE_SEAM(versions_valid(versions));
    return true;
}

struct versions versions_guess(const struct versions *versions)
{
    struct versions guess = *versions;
    if (versions->undetermined)
        guess.unordered = versions->first + 1; /* where the next key begins */
    guess.after_first = NULL;                  /* the order follows all edges */
    ESSE_SEAM(versions_valid(&guess));
    return guess;
}
