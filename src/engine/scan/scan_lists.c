#include "base/checked.h"
#include "engine/scan/scan_state.h"
#include "history/show.h"

#include <string.h>

/*
 * What is wrong inside lists, key by key.  Lists that are prefixes of one another share a spine, so
 * each spine is walked once: the first position of each kind of fault in it tells which of its
 * reads show the fault.
 */
#define NOWHERE UINT32_MAX

struct spine_facts {
    uint32_t longest;   /* of committed transactions; 0 if none read it */
    key_access_id read; /* that returned it */
    uint32_t perhaps;   /* of those that may have committed: so much was looked at */
    uint32_t aborted, garbage, repeated; /* first position of each, or NOWHERE */
};

struct list_scan {
    struct known *known;
    struct spine_facts *spines; /* by spine */
    struct esse_word_map met;   /* the elements of the spine at hand */
    uint32_t key;
};

/* Calls 'visit' for every list that a committed transaction read from the key. */
static void each_read(struct list_scan *lists, void (*visit)(struct list_scan *lists, uint32_t at))
{
    const struct known *known = lists->known;
    const uint32_t *first = &known->sources.by_key.first[lists->key];
    for (key_access_id at = { first[0] }; at.ix < first[1]; at.ix++) {
        const struct esse_key_access *key_access = known_key_access(known, at);
        if (esse_value_is_list(key_access->value) && list_length(key_access->value) &&
            known->in[key_access->txn])
            visit(lists, at.ix);
    }
}

static void note_longest(struct list_scan *lists, uint32_t at)
{
    esse_value list = known_key_access(lists->known, (key_access_id){ at })->value;
    struct spine_facts *spine = &lists->spines[spine_of(list)];
    if (list_length(list) > spine->longest) {
        spine->longest = list_length(list);
        spine->read.ix = at;
    }
}

/* The append of an element: the first of a committed transaction, else the last of one of unknown
 * outcome, else the last; ESSE_NO_KEY_ACCESS if no operation appended it. */
static key_access_id appender(const struct known *known, uint32_t spine, uint32_t position)
{
    const struct sources *sources = &known->sources;
    key_access_id at = sources->item[sources->spine_first[spine] + position], found = at;
    enum esse_status best = ESSE_ABORTED;
    for (; at.ix != ESSE_NO_KEY_ACCESS && best != ESSE_COMMITTED; at = sources->link[at.ix]) {
        const enum esse_status status = known_status(known, known_key_access(known, at)->txn);
        if (best == ESSE_ABORTED || status == ESSE_COMMITTED) {
            found = at;
            best = status;
        }
    }
    return found;
}

/* By how many operations it was appended, whatever became of them. */
static uint32_t times_appended(const struct known *known, uint32_t spine, uint32_t position)
{
    const struct sources *sources = &known->sources;
    key_access_id at = sources->item[sources->spine_first[spine] + position];
    uint32_t count = 0;
    for (; at.ix != ESSE_NO_KEY_ACCESS; at = sources->link[at.ix])
        count++;
    return count;
}

/* The element is in the list once more: has it been appended as often? */
static bool is_repeated(struct list_scan *lists, uint32_t s, uint32_t position)
{
    bool fresh;
    uint32_t *times = esse_word_map_put(
        &lists->met, lists->known->history->spines[s].items[position].word, &fresh);
    *times = fresh ? 1 : *times + 1;
    return !fresh && *times > times_appended(lists->known, s, position);
}

static void walk_spine(struct list_scan *lists, uint32_t s)
{
    struct known *known = lists->known;
    ESSE_HOT_ASSERT(s < known->history->spine_count);
    struct spine_facts *spine = &lists->spines[s];
    esse_word_map_clear(&lists->met, known->scratch, spine->longest);
    spine->aborted = spine->garbage = spine->repeated = NOWHERE;
    for (uint32_t i = 0; i < spine->longest; i++) {
        if (is_repeated(lists, s, i) && spine->repeated == NOWHERE)
            spine->repeated = i;
        key_access_id at = appender(known, s, i);
        if (at.ix == ESSE_NO_KEY_ACCESS && spine->garbage == NOWHERE)
            spine->garbage = i;
        else if (at.ix != ESSE_NO_KEY_ACCESS && spine->aborted == NOWHERE &&
                 known_status(known, known_key_access(known, at)->txn) == ESSE_ABORTED)
            spine->aborted = i;
    }
}

/* Are there elements that several operations appended in lists that may count? */
static void look_for_shared(struct list_scan *lists, uint32_t key)
{
    struct known *known = lists->known;
    const struct sources *sources = &known->sources;
    for (key_access_id at = { sources->by_key.first[key] }; at.ix < sources->by_key.first[key + 1];
         at.ix++) {
        const struct esse_key_access *key_access = known_key_access(known, at);
        if (!esse_value_is_list(key_access->value) || !list_length(key_access->value) ||
            known_status(known, key_access->txn) == ESSE_ABORTED)
            continue;
        const uint32_t s = spine_of(key_access->value);
        for (uint32_t *done = &lists->spines[s].perhaps; *done < list_length(key_access->value);
             ++*done)
            known->is_shared |= times_appended(known, s, *done) > 1;
    }
}

/* ---- faults that a read shows ---- */

static const char *say_item(struct known *known, const char *before, esse_value item,
                            const char *after)
{
    return esse_arena_format(known->arena, "%s%s%s", before,
                             esse_show_text(known->arena, known->history, item), after);
}

static void tell_read(struct list_scan *lists, enum esse_anomaly_id type, key_access_id at,
                      const char *rest, const char *description)
{
    struct esse_step steps[] = { known_step(lists->known, at, rest) };
    known_tell(lists->known, type, (esse_key){ lists->key }, description, steps, 1);
}

static void tell_aborted(struct list_scan *lists, key_access_id at, uint32_t position)
{
    struct known *known = lists->known;
    key_access_id write = appender(known, spine_of(known_key_access(known, at)->value), position);
    struct esse_step steps[] = { known_step(known, at, ""),
                                 known_step(known, write, ", and then aborted") };
    known_tell(known, ESSE_ANOMALY_G1A, (esse_key){ lists->key },
               "a committed transaction read what an aborted one appended", steps, 2);
}

/* G1b: the transaction that made the list's last element followed it with another. */
static void check_end(struct list_scan *lists, key_access_id at)
{
    struct known *known = lists->known;
    const struct sources *sources = &known->sources;
    const struct esse_key_access *read = known_key_access(known, at);
    uint32_t last = sources->spine_first[spine_of(read->value)] + list_length(read->value) - 1;
    if (esse_is_after_own_write(&sources->by_key, lists->key, at.ix))
        return;
    uint32_t all = 0, unfinished = 0;
    key_access_id write = { ESSE_NO_KEY_ACCESS };
    for (key_access_id w = sources->item[last]; w.ix != ESSE_NO_KEY_ACCESS;
         w = sources->link[w.ix], all++)
        if (known_key_access(known, w)->txn != read->txn &&
            !esse_is_last_write(&sources->by_key, lists->key, w.ix)) {
            unfinished++;
            write = w;
        }
    if (all && all == unfinished && known_count(known, ESSE_ANOMALY_G1B))
        scan_tell_intermediate(known, lists->key, at, write);
}

static void check_read(struct list_scan *lists, uint32_t at)
{
    struct known *known = lists->known;
    esse_value list = known_key_access(known, (key_access_id){ at })->value;
    const struct spine_facts *spine = &lists->spines[spine_of(list)];
    const esse_value *items = known->history->spines[spine_of(list)].items;
    ESSE_HOT_ASSERT(list_length(list) <= spine->longest);
    check_end(lists, (key_access_id){ at });
    if (list_length(list) > spine->garbage && known_count(known, ESSE_ANOMALY_GARBAGE_READ))
        tell_read(lists, ESSE_ANOMALY_GARBAGE_READ, (key_access_id){ at },
                  say_item(known, "; no transaction appended ", items[spine->garbage], ""),
                  "a committed transaction read an element that no transaction appended");
    if (list_length(list) > spine->aborted && known_count(known, ESSE_ANOMALY_G1A))
        tell_aborted(lists, (key_access_id){ at }, spine->aborted);
    if (list_length(list) > spine->repeated && known_count(known, ESSE_ANOMALY_DUPLICATE_ELEMENTS))
        tell_read(lists, ESSE_ANOMALY_DUPLICATE_ELEMENTS, (key_access_id){ at },
                  say_item(known, "; ", items[spine->repeated], " is in it twice"),
                  "a read returned a list with the same element twice");
}

/* ---- faults of a key ---- */

static bool is_prefix(const struct esse_history *history, esse_value a, esse_value b)
{
    uint32_t a_count, b_count;
    const esse_value *x = esse_history_list(history, a, &a_count);
    const esse_value *y = esse_history_list(history, b, &b_count);
    uint32_t common = a_count < b_count ? a_count : b_count;
    return !common || memcmp(x, y, common * sizeof *x) == 0;
}

static void check_orders(struct list_scan *lists, uint32_t longest)
{
    struct known *known = lists->known;
    key_access_id a = lists->spines[longest].read;
    for (uint32_t s = known->sources.key_spine[lists->key]; s != ESSE_NO_SPINE;
         s = known->sources.next_spine[s]) {
        key_access_id b = lists->spines[s].read;
        if (!lists->spines[s].longest ||
            is_prefix(known->history, known_key_access(known, a)->value,
                      known_key_access(known, b)->value) ||
            !known_count(known, ESSE_ANOMALY_INCOMPATIBLE_ORDER))
            continue;
        struct esse_step steps[] = { known_step(known, b, ""),
                                     known_step(known, a, "; neither continues the other") };
        known_tell(known, ESSE_ANOMALY_INCOMPATIBLE_ORDER, (esse_key){ lists->key },
                   "two reads of a key saw its elements in orders that contradict each other",
                   steps, 2);
    }
}

static void tell_dirty(struct list_scan *lists, key_access_id dirty, key_access_id write,
                       key_access_id read)
{
    struct known *known = lists->known;
    struct esse_step steps[] = { known_step(known, dirty, ", and then aborted"),
                                 known_step(known, write, ", on top of that"),
                                 known_step(known, read, ", which shows both") };
    known_tell(known, ESSE_ANOMALY_DIRTY_UPDATE, (esse_key){ lists->key },
               "a committed transaction appended to the state that an aborted one left", steps, 3);
}

/* Elle's walk along the order that the longest read shows: an aborted append that a committed one
 * was put upon, with nothing committed between. */
static void check_dirty_updates(struct list_scan *lists, uint32_t longest)
{
    struct known *known = lists->known;
    const struct spine_facts *spine = &lists->spines[longest];
    key_access_id dirty = { ESSE_NO_KEY_ACCESS };
    for (uint32_t i = spine->aborted; i < spine->longest; i++) {
        key_access_id write = appender(known, longest, i);
        if (write.ix == ESSE_NO_KEY_ACCESS)
            continue;
        enum esse_status status = known_status(known, known_key_access(known, write)->txn);
        if (status == ESSE_ABORTED && dirty.ix == ESSE_NO_KEY_ACCESS)
            dirty = write;
        if (status != ESSE_COMMITTED || dirty.ix == ESSE_NO_KEY_ACCESS)
            continue;
        if (times_appended(known, longest, i) == 1 && known_count(known, ESSE_ANOMALY_DIRTY_UPDATE))
            tell_dirty(lists, dirty, write, spine->read);
        dirty.ix = ESSE_NO_KEY_ACCESS;
    }
}

static void check_key(struct list_scan *lists)
{
    const struct sources *sources = &lists->known->sources;
    uint32_t longest = sources->key_spine[lists->key];
    if (longest == ESSE_NO_SPINE)
        return;
    each_read(lists, note_longest);
    if (sources->repeated[lists->key])
        look_for_shared(lists, lists->key);
    for (uint32_t s = longest; s != ESSE_NO_SPINE; s = sources->next_spine[s]) {
        walk_spine(lists, s);
        if (lists->spines[s].longest > lists->spines[longest].longest)
            longest = s;
    }
    each_read(lists, check_read);
    check_orders(lists, longest);
    check_dirty_updates(lists, longest);
}

bool scan_lists(struct known *known)
{
    const struct esse_history *history = known->history;
    if (!(history->has & ESSE_HAS_LIST_READS))
        return true;
    struct list_scan lists = { .known = known };
    lists.spines =
        esse_arena_alloc(known->scratch, history->spine_count + 1u, sizeof *lists.spines);
    esse_budget_phase(known->budget, "scanning lists", history->keys);
    for (lists.key = 0; lists.key < history->keys; lists.key++) {
        if (!esse_budget_poll(known->budget, lists.key))
            return false;
        check_key(&lists);
    }
    esse_word_map_drop(&lists.met, known->scratch);
    return true;
}
