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
    uint32_t key, begin, end;                /* the key at hand and its accesses */
    bool whole;                              /* every element of its longest list is a version */
    uint32_t next;                           /* the number of its next version */
    uint32_t nothing;         /* the version that reads of nothing returned, or NO_VERSION */
    bool is_asked, is_placed; /* whether its versions are in the order of the commits */
    uint32_t seen, found; /* the version of the last snapshot, the access of the last in an order */
    uint32_t undetermined, unresolved, own_missed, not_repeated; /* see struct versions */
};

static bool is_write(const struct ordering *o, uint32_t at)
{
    return o->by_key->at[at].kind != ESSE_OP_READ;
}

static bool counts(const struct ordering *o, uint32_t at)
{
    return o->versions->in[o->by_key->at[at].txn];
}

static void add_version(struct ordering *o, uint32_t at)
{
    o->versions->write[o->next] = at;
    o->versions->of[at] = o->next++;
}

/* A value of an order that no transaction installed, or that was there before, is passed over: the
 * scan reports what is wrong about it. */
static void order_write(struct ordering *o, uint32_t chain)
{
    uint32_t at = sources_only(o->versions->sources, chain);
    if (at != ESSE_NO_TOUCH && counts(o, at) && o->versions->of[at] == NO_VERSION)
        add_version(o, at);
}

/* ---- the order that lists show ---- */

static uint32_t longest_read(const struct ordering *o)
{
    uint32_t best = ESSE_NO_TOUCH;
    for (uint32_t at = o->begin; at < o->end; at++) {
        esse_value value = o->by_key->at[at].value;
        if (esse_value_is_list(value) && list_length(value) && counts(o, at) &&
            (best == ESSE_NO_TOUCH || list_length(value) > list_length(o->by_key->at[best].value)))
            best = at;
    }
    return best;
}

static void order_list(struct ordering *o, uint32_t reader)
{
    const struct sources *sources = o->versions->sources;
    esse_value list = o->by_key->at[reader].value;
    const uint32_t *item = sources->item + sources->spine_first[spine_of(list)];
    for (uint32_t i = 0; i < list_length(list); i++)
        order_write(o, item[i]);
    o->whole = o->next - o->versions->first[o->key] - 1 == list_length(list);
}

/* ---- the order that a certificate gives ---- */

struct installing {
    const struct esse_touch *at;
    uint32_t txn;
};

static bool is_earlier(const void *context, uint32_t at)
{
    const struct installing *installing = context;
    return installing->at[at].txn < installing->txn;
}

/* The last write of a transaction to the key, for orders by transaction. */
static uint32_t installed_by(struct ordering *o, uint32_t txn)
{
    const struct installing installing = { o->by_key->at, txn };
    uint32_t at = esse_gallop(o->begin, o->end, o->found, is_earlier, &installing);
    uint32_t found = ESSE_NO_TOUCH;
    o->found = at;
    for (; at < o->end && o->by_key->at[at].txn == txn; at++)
        if (is_write(o, at))
            found = at;
    return found;
}

static void map_values(struct ordering *o)
{
    esse_word_map_clear(&o->values, o->arena, o->end - o->begin);
    for (uint32_t at = o->end; at-- > o->begin;) {
        bool fresh;
        if (is_write(o, at) && !esse_value_eq(o->by_key->at[at].value, ESSE_NIL))
            *esse_word_map_put(&o->values, o->by_key->at[at].value.word, &fresh) = at;
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
            order_write(o, esse_word_map_get(&o->values, version->value.word, ESSE_NO_TOUCH));
            continue;
        }
        uint32_t at = installed_by(o, version->txn.ix);
        if (at != ESSE_NO_TOUCH && counts(o, at) && o->versions->of[at] == NO_VERSION)
            add_version(o, at);
    }
}

/* ---- the rest ---- */

/* What no order names is loose; a register's version is the transaction's last write, and what it
 * overwrites itself is none.  A single loose version has its place: the end. */
static void place_loose(struct ordering *o)
{
    struct versions *versions = o->versions;
    uint32_t loose = versions->loose[o->key] = o->next;
    for (uint32_t at = o->begin; at < o->end; at++)
        if (is_write(o, at) && counts(o, at) && versions->of[at] == NO_VERSION &&
            (o->by_key->at[at].kind == ESSE_OP_APPEND || esse_is_last_write(o->by_key, o->key, at)))
            add_version(o, at);
    uint32_t count = o->next - loose;
    if (esse_is_recorded_in_version_order(versions->history) && !versions->gaps[o->key])
        count = 1;
    if (count == 1 && !versions->gaps[o->key])
        versions->loose[o->key] = o->next;
    o->undetermined += count > (versions->gaps[o->key] ? 0 : 1);
}

/* ---- snapshots ---- */

bool versions_placed(const struct versions *versions, uint32_t first, uint32_t end)
{
    uint32_t next = 0; /* the first place that is free */
    assert(versions->snapshots);
    for (uint32_t v = first + 1; v < end; v++) {
        const uint32_t place = versions->snapshots->place[version_txn(versions, v)];
        if (place == ESSE_NO_PLACE || place < next)
            return false;
        next = place + 1;
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
    const uint32_t txn = version_txn(looking->versions, version);
    return looking->versions->snapshots->place[txn] < looking->snapshot->before;
}

uint32_t versions_at(const struct versions *versions, const struct esse_snapshot *snapshot,
                     uint32_t first, uint32_t end, uint32_t near)
{
    const struct looking looking = { versions, snapshot };
    assert(versions->snapshots);
    assert(first < end);
    uint32_t at = esse_gallop(first + 1, end, near, was_before, &looking) - 1;
    while (at > first && !snapshot->is_prefix &&
           !esse_snapshot_sees(versions->snapshots, snapshot, version_txn(versions, at)))
        at--;
    return at;
}

/* What a read returned that may be of several versions. */
static uint32_t version_at_snapshot(struct ordering *o, uint32_t read)
{
    const struct versions *versions = o->versions;
    const struct esse_touch *touch = &o->by_key->at[read];
    const uint32_t first = versions->first[o->key];
    struct esse_snapshot snapshot;
    if (!versions->snapshots || esse_value_is_list(touch->value) ||
        !esse_snapshot_of(versions->snapshots, touch->txn, esse_by_key_op(o->by_key, touch->access),
                          &snapshot))
        return NO_VERSION;
    if (!o->is_asked)
        o->is_placed =
            versions->loose[o->key] == o->next && versions_placed(versions, first, o->next);
    o->is_asked = true;
    if (!o->is_placed)
        return NO_VERSION;
    const uint32_t seen = versions_at(versions, &snapshot, first, o->next, o->seen);
    o->seen = seen;
    const esse_value value = seen == first ? versions->sources->initial[o->key]
                                           : o->by_key->at[versions->write[seen]].value;
    return esse_value_eq(value, touch->value) ? seen : NO_VERSION;
}

/* ---- which version each read returned ---- */

/* A list that does not follow the order of its key, holds an element twice, or ends in one that is
 * no version (aborted, never appended, or appended by several) is reported by the scan; no
 * dependency follows from it. */
static uint32_t version_of_list(const struct ordering *o, esse_value list)
{
    const struct sources *sources = o->versions->sources;
    const uint32_t *item = sources->item + sources->spine_first[spine_of(list)];
    uint32_t count = list_length(list), newest = o->versions->first[o->key];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = sources_only(sources, item[i]);
        if (at == ESSE_NO_TOUCH || !counts(o, at)) {
            if (i + 1 == count)
                return NO_VERSION;
            continue;
        }
        if (o->versions->of[at] <= newest)
            return NO_VERSION;
        newest = o->versions->of[at];
    }
    return newest;
}

/* The fast way for healthy keys: a prefix of the longest list is as many versions in. */
static uint32_t version_of_prefix(const struct ordering *o, esse_value list)
{
    uint32_t reader = o->versions->key_reader[o->key];
    if (!o->whole || spine_of(o->by_key->at[reader].value) != spine_of(list))
        return NO_VERSION;
    return o->versions->first[o->key] + list_length(list);
}

static uint32_t version_of_register(const struct ordering *o, uint32_t read, esse_value value)
{
    const struct sources *sources = o->versions->sources;
    uint32_t chain = sources->link[read], at = sources_only(sources, chain);
    if (esse_value_eq(value, sources->initial[o->key]))
        return chain == ESSE_NO_TOUCH ? o->versions->first[o->key] : NO_VERSION;
    /* A list's element read as if it were all of it is no version. */
    return at == ESSE_NO_TOUCH || !counts(o, at) || o->by_key->at[at].kind == ESSE_OP_APPEND
               ? NO_VERSION
               : o->versions->of[at];
}

/* Nothing was there: the initial version, or one that a delete left, an aborted one included; the
 * only one there is. */
static uint32_t version_of_nothing(const struct ordering *o)
{
    const struct sources *sources = o->versions->sources;
    const bool initially = esse_value_eq(sources->initial[o->key], ESSE_NIL);
    uint32_t found = initially ? o->versions->first[o->key] : NO_VERSION, count = initially;
    for (uint32_t at = o->begin; sources->deleted[o->key] && at < o->end && count < 2; at++) {
        const struct esse_touch *touch = &o->by_key->at[at];
        if (touch->kind == ESSE_OP_READ || !esse_value_eq(touch->value, ESSE_NIL))
            continue;
        found = o->versions->of[at];
        count++;
    }
    return count == 1 ? found : NO_VERSION;
}

static uint32_t version_of_read(const struct ordering *o, uint32_t read)
{
    esse_value value = o->by_key->at[read].value;
    if (esse_value_eq(esse_value_state(value), ESSE_NIL))
        return o->nothing;
    if (!esse_value_is_list(value))
        return version_of_register(o, read, value);
    uint32_t version = version_of_prefix(o, value);
    return version == NO_VERSION ? version_of_list(o, value) : version;
}

/* Does a read after an own write show nothing but that write, on top of the versions before it? */
static bool agrees_with_own(const struct ordering *o, uint32_t read, uint32_t write)
{
    esse_value value = o->by_key->at[read].value;
    if (o->by_key->at[write].kind != ESSE_OP_APPEND)
        return esse_value_eq(value, o->by_key->at[write].value);
    return esse_value_is_list(value) && list_length(value) &&
           version_of_read(o, read) == o->versions->of[write];
}

/* A list that ends in the middle of another transaction's appends, or what the reader itself writes
 * only later. */
static bool is_unfinished(const struct ordering *o, uint32_t read)
{
    uint32_t write = o->versions->write[o->versions->of[read]];
    return write != ESSE_NO_TOUCH && (o->by_key->at[write].txn == o->by_key->at[read].txn ||
                                      (o->by_key->at[write].kind == ESSE_OP_APPEND &&
                                       !esse_is_last_write(o->by_key, o->key, write)));
}

/* After an own write a read depends on no transaction. */
static void find_reads(struct ordering *o)
{
    struct versions *versions = o->versions;
    uint32_t own = ESSE_NO_TOUCH, last = ESSE_NO_TOUCH; /* the last write, and the last read */
    for (uint32_t at = o->begin; at < o->end; at++) {
        const struct esse_touch *touch = &o->by_key->at[at];
        if (!counts(o, at) ||
            (touch->kind == ESSE_OP_READ && esse_value_eq(touch->value, ESSE_NONE)))
            continue;
        if (touch->kind != ESSE_OP_READ) {
            /* A list may show what one transaction appended in another order than it did. */
            o->unresolved += own != ESSE_NO_TOUCH && o->by_key->at[own].txn == touch->txn &&
                             versions->of[at] < versions->of[own] &&
                             versions->of[own] != NO_VERSION;
            own = at;
            continue;
        }
        if (own != ESSE_NO_TOUCH && o->by_key->at[own].txn == touch->txn) {
            o->own_missed += !agrees_with_own(o, at, own);
            continue;
        }
        versions->of[at] = version_of_read(o, at);
        if (versions->of[at] == NO_VERSION)
            versions->of[at] = version_at_snapshot(o, at);
        o->unresolved += versions->of[at] == NO_VERSION || is_unfinished(o, at);
        o->not_repeated += last != ESSE_NO_TOUCH && o->by_key->at[last].txn == touch->txn &&
                           versions->of[last] != versions->of[at];
        last = at;
    }
}

static void order_key(struct ordering *o)
{
    struct versions *versions = o->versions;
    const struct esse_version_order *given = o->given ? o->given[o->key] : NULL;
    uint32_t reader = longest_read(o);
    o->whole = o->is_asked = false;
    o->seen = versions->first[o->key];
    o->found = o->begin;
    o->next = versions->first[o->key];
    versions->write[o->next++] = ESSE_NO_TOUCH;
    versions->gaps[o->key] = given != NULL;
    versions->key_reader[o->key] = reader;
    if (given)
        order_certificate(o, given);
    else if (reader != ESSE_NO_TOUCH)
        order_list(o, reader);
    place_loose(o);
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
        versions->first[key] = next++;
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
    versions->loose = esse_arena_alloc(arena, keys, sizeof *versions->loose);
    versions->gaps = esse_arena_alloc(arena, keys, 1);
    versions->key_reader = esse_arena_alloc(arena, keys, sizeof *versions->key_reader);
    versions->write =
        esse_arena_grow(arena, NULL, (number_keys(versions) + (size_t)1) * sizeof(uint32_t));
    versions->of = esse_arena_grow(arena, NULL, (by_key->count + (size_t)1) * sizeof(uint32_t));
    memset(versions->of, 0xff, (by_key->count + (size_t)1) * sizeof(uint32_t));
}

struct ordering_all {
    struct esse_worker *workers; /* each with a struct ordering */
    uint32_t *end;               /* by key: of the numbers that it used */
};

static bool order_keys(void *context, const struct esse_piece *piece)
{
    const struct ordering_all *all = context;
    struct ordering *o = all->workers[piece->worker].state;
    for (o->key = piece->begin; o->key < piece->end; o->key++) {
        o->begin = o->by_key->first[o->key];
        o->end = o->by_key->first[o->key + 1];
        order_key(o);
        all->end[o->key] = o->next;
    }
    return true;
}

static bool order_all(struct versions *versions, struct known *known, uint32_t *end)
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
static void renumber(struct versions *versions, const uint32_t *end)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const uint32_t first = versions->first[key], less = first - versions->count;
        assert(end[key] > first);
        memmove(versions->write + versions->count, versions->write + first,
                (end[key] - first) * sizeof *versions->write);
        for (uint32_t at = by_key->first[key]; less && at < by_key->first[key + 1]; at++)
            versions->of[at] -= versions->of[at] == NO_VERSION ? 0 : less;
        versions->loose[key] -= less;
        versions->first[key] = versions->count;
        versions->count += end[key] - first;
    }
    versions->first[versions->history->keys] = versions->count;
}

/* Keys that may have a version more than is known. */
static void find_unsure(struct versions *versions)
{
    const struct esse_history *history = versions->history;
    for (uint32_t txn = 0; !history->certificate.complete && txn < history->txns; txn++) {
        if (history->txn_status[txn] != ESSE_UNKNOWN_OUTCOME || versions->in[txn])
            continue;
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
                const struct esse_access access = esse_access_at(history, op, i);
                if (access.kind == ESSE_OP_READ)
                    continue;
                if (!versions->unsure)
                    versions->unsure = esse_arena_alloc(versions->arena, history->keys, 1);
                versions->unsure[access.key.ix] = 1;
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
    uint32_t *end = esse_arena_alloc(known->scratch, history->keys + (size_t)1, sizeof *end);
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
        guess.loose = versions->first + 1; /* where the next key begins */
    guess.after_first = NULL;              /* the order follows all edges */
    ESSE_SEAM(versions_valid(&guess));
    return guess;
}
