#include "base/vec.h"
#include "engine/classic/classic.h"

#include <stdlib.h>

/*
 * A set that is read all the time: when did each element become visible for good, or vanish?
 *
 * Reads are walked from the latest invocation to the earliest, and numbered in that order.  Places
 * in the log are kept plus one, so that 0 is "none" and comes before all.
 */

struct read {
    uint32_t invoked; /* plus one; 0 if it is not known */
    uint32_t completed;
};

enum outcome { STABLE, LOST, NEVER_READ, OUTCOMES };

struct element {
    uint32_t added;             /* its first add, ESSE_NO_OP if it was added elsewhere */
    uint32_t known;             /* plus one: the first completion that shows that it exists */
    uint32_t present;           /* plus one: the latest invocation that shows it */
    bool has_present;           /* also if no invocation is known */
    uint32_t cursor;            /* the latest read that is not known to show it */
    uint32_t absent;            /* plus one: the latest invocation that does not show it */
    uint32_t stamp, times;      /* the read it was seen in last, plus one, and how often there */
    uint32_t most, most_op;     /* the most often in one read, and its completion */
    int64_t stable_ms, lost_ms; /* -1: not known */
    enum outcome outcome;
    bool is_stale;
};

ESSE_VEC(read_vec, struct read)
ESSE_VEC(element_vec, struct element)

struct set {
    struct esse_classic_run *run;
    const struct esse_oplog *log;
    struct esse_elements ids;
    struct element_vec elements;
    struct read_vec reads;
    uint32_t paired;           /* reads with a known invocation: they come first */
    uint32_t *latest_complete; /* of the reads from here on, the latest completion */
};

static struct element *element_of(struct set *set, esse_value value)
{
    uint32_t id = esse_elements_add(&set->ids, set->run->arena, value);
    if (id == set->elements.count)
        element_vec_push(&set->elements, set->run->arena, (struct element){ .added = ESSE_NO_OP });
    return &set->elements.at[id];
}

static void know(struct element *element, uint32_t op)
{
    if (!element->known || op + 1 < element->known)
        element->known = op + 1;
}

static void take_add(struct set *set, uint32_t op)
{
    const struct esse_oplog *log = set->log;
    esse_value value = log->value[op];
    if (esse_value_eq(value, ESSE_NIL) && log->pair[op] != ESSE_NO_PAIR)
        value = log->value[log->pair[op]];
    struct element *element = element_of(set, value);
    if (element->added == ESSE_NO_OP)
        element->added = op;
    if (log->type[op] == ESSE_DONE_OK)
        know(element, op);
}

static int by_invocation(const void *a, const void *b)
{
    const struct read *x = a, *y = b;
    if (x->invoked != y->invoked)
        return x->invoked < y->invoked ? 1 : -1;
    return (x->completed < y->completed) - (x->completed > y->completed);
}

static bool take_log(struct set *set, struct esse_error *err)
{
    const struct esse_oplog *log = set->log;
    const esse_value *items;
    uint32_t count;
    for (uint32_t op = 0; op < log->count; op++) {
        if (log->verb[op] == ESSE_VERB_ADD)
            take_add(set, op);
        if (!esse_oplog_is(log, op, ESSE_DONE_OK, ESSE_VERB_READ) ||
            esse_value_eq(log->value[op], ESSE_NIL))
            continue;
        if (!esse_oplog_items(log, log->value[op], &items, &count))
            return esse_classic_refuse(set->run, op, err,
                                       "the :read returned %s, expected a collection of elements",
                                       esse_classic_text(set->run, log->value[op]));
        struct read read = { log->pair[op] == ESSE_NO_PAIR ? 0 : log->pair[op] + 1, op };
        read_vec_push(&set->reads, set->run->arena, read);
        set->paired += read.invoked > 0;
    }
    if (set->reads.count)
        qsort(set->reads.at, set->reads.count, sizeof *set->reads.at, by_invocation);
    set->latest_complete =
        esse_arena_alloc(set->run->arena, set->paired + 1, sizeof *set->latest_complete);
    for (uint32_t i = set->paired; i-- > 0;) {
        uint32_t later = set->latest_complete[i + 1], own = set->reads.at[i].completed;
        set->latest_complete[i] = own > later ? own : later;
    }
    return true;
}

/* Moves the cursor past reads that completed before the element was added: they say nothing. */
static void advance(const struct set *set, struct element *element)
{
    while (element->cursor < set->paired &&
           set->reads.at[element->cursor].completed < element->added) {
        if (set->latest_complete[element->cursor] < element->added)
            element->cursor = set->paired;
        else
            element->cursor++;
    }
}

static void show(struct set *set, struct element *element, uint32_t number)
{
    const struct read *read = &set->reads.at[number];
    if (element->stamp == number + 1) {
        if (++element->times > element->most) {
            element->most = element->times;
            element->most_op = read->completed;
        }
        return;
    }
    element->stamp = number + 1;
    element->times = 1;
    if (!element->most)
        element->most = 1;
    if (element->added > read->completed)
        return; /* it was not even invoked: whatever this is, it is not that add */
    know(element, read->completed);
    if (!element->has_present)
        element->present = read->invoked;
    element->has_present = true;
    advance(set, element);
    if (element->cursor == number)
        element->cursor++;
}

static void walk_reads(struct set *set)
{
    for (uint32_t number = 0; number < set->reads.count; number++) {
        const esse_value *items;
        uint32_t count;
        esse_oplog_items(set->log, set->log->value[set->reads.at[number].completed], &items,
                         &count);
        for (uint32_t i = 0; i < count; i++)
            show(set, element_of(set, items[i]), number);
    }
}

/* ---- judging ---- */

/* Whole milliseconds from the time that the element was known to just after 'place' (plus one;
 * 0: no such place, and no delay). */
static int64_t latency(const struct set *set, const struct element *element, uint32_t place)
{
    if (!place)
        return 0;
    int64_t from = set->log->time[element->known - 1], to = set->log->time[place - 1];
    if (from == ESSE_NO_TIME || to == ESSE_NO_TIME)
        return -1;
    return to < from ? 0 : (int64_t)(((uint64_t)to - (uint64_t)from + 1) / 1000000);
}

static void judge(const struct set *set, struct element *element)
{
    element->stable_ms = element->lost_ms = -1;
    advance(set, element);
    if (element->cursor < set->paired)
        element->absent = set->reads.at[element->cursor].invoked;
    element->outcome = NEVER_READ;
    if (element->has_present && (!element->absent || element->absent < element->present)) {
        element->outcome = STABLE;
        element->is_stale = element->absent > element->known;
        element->stable_ms = latency(set, element, element->absent);
    } else if (element->known && element->absent > element->known) {
        element->outcome = LOST;
        element->lost_ms = latency(set, element, element->present);
    }
}

/* ---- telling ---- */

struct sums {
    uint32_t attempts, outcomes[OUTCOMES], stale, duplicated, unexpected;
};

static void put_elements(struct set *set, const char *name, enum outcome outcome, bool stale)
{
    size_t count = 0;
    esse_value *at = esse_arena_alloc(set->run->arena, set->elements.count, sizeof *at);
    for (size_t i = 0; i < set->elements.count; i++) {
        const struct element *element = &set->elements.at[i];
        if (element->added != ESSE_NO_OP && element->outcome == outcome &&
            (!stale || element->is_stale))
            at[count++] = set->ids.at[i];
    }
    esse_classic_sort(set->log->values, at, count);
    esse_fact_values(set->run->found->facts, name, at, count);
}

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The latencies at Jepsen's points; nothing if none is known. */
static void put_latencies(struct set *set, const char *name, bool lost)
{
    static const char *const points[] = { "0", "0.5", "0.95", "0.99", "1" };
    static const double parts[] = { 0, 0.5, 0.95, 0.99, 1 };
    size_t count = 0;
    int64_t *at = esse_arena_alloc(set->run->arena, set->elements.count, sizeof *at);
    for (size_t i = 0; i < set->elements.count; i++) {
        const struct element *element = &set->elements.at[i];
        int64_t ms = lost ? element->lost_ms : element->stable_ms;
        if (element->added != ESSE_NO_OP && ms >= 0)
            at[count++] = ms;
    }
    if (!count)
        return;
    qsort(at, count, sizeof *at, by_number);
    struct esse_fact *fact = esse_fact_object(set->run->found->facts, name);
    for (int i = 0; i < 5; i++) {
        size_t place = (size_t)((double)count * parts[i]);
        esse_fact_int(fact, points[i], at[place < count ? place : count - 1]);
    }
}

static int by_staleness(const void *a, const void *b, void *context)
{
    const struct set *set = context;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct element *x = &set->elements.at[i], *y = &set->elements.at[j];
    if (x->stable_ms != y->stable_ms)
        return x->stable_ms < y->stable_ms ? 1 : -1;
    return (i > j) - (i < j);
}

static const char *name_of(const struct set *set, const struct element *element)
{
    return esse_classic_text(set->run, set->ids.at[element - set->elements.at]);
}

/* Tells of an element that some reads after it was known did not show. */
static void tell_absent(struct set *set, const struct element *element, const char *what)
{
    struct esse_finding *finding =
        esse_finding_add(set->run->found, esse_arena_format(set->run->arena, "element %s is %s",
                                                            name_of(set, element), what));
    esse_finding_witness(finding, element->known - 1, "shows that it exists");
    esse_finding_witness(finding, set->log->pair[element->absent - 1], "does not show it");
    if (element->has_present && element->present)
        esse_finding_witness(finding, set->log->pair[element->present - 1],
                             "the last read that shows it");
}

static void put_stale(struct set *set)
{
    enum { WORST = 8 };
    uint32_t count = 0;
    uint32_t *order = esse_arena_alloc(set->run->arena, set->elements.count, sizeof *order);
    struct esse_fact *list = esse_fact_array(set->run->found->facts, "worst-stale");
    for (uint32_t i = 0; i < set->elements.count; i++)
        if (set->elements.at[i].is_stale)
            order[count++] = i;
    if (count)
        qsort_r(order, count, sizeof *order, by_staleness, set);
    for (uint32_t i = 0; i < count && i < WORST; i++) {
        const struct element *element = &set->elements.at[order[i]];
        struct esse_fact *fact = esse_fact_object(list, NULL);
        esse_fact_value(fact, "element", set->ids.at[order[i]]);
        if (element->stable_ms >= 0)
            esse_fact_int(fact, "stable-latency", element->stable_ms);
        esse_fact_op_brief(fact, "known", element->known - 1);
        esse_fact_op_brief(fact, "last-absent", element->absent - 1);
        if (set->run->options->linearizable && i < 3)
            tell_absent(set, element, "stale");
    }
}

static void tell_wrong(struct set *set)
{
    enum { SHOWN = 3 };
    struct esse_fact *duplicated = esse_fact_object(set->run->found->facts, "duplicated");
    unsigned lost = 0, twice = 0;
    for (size_t i = 0; i < set->elements.count; i++) {
        const struct element *element = &set->elements.at[i];
        if (element->added != ESSE_NO_OP && element->outcome == LOST && lost++ < SHOWN)
            tell_absent(set, element, "lost");
        if (element->most < 2)
            continue;
        esse_fact_int(duplicated, name_of(set, element), element->most);
        if (twice++ < SHOWN)
            esse_finding_witness(
                esse_finding_add(set->run->found,
                                 esse_arena_format(set->run->arena,
                                                   "element %s is %u times in one read",
                                                   name_of(set, element), element->most)),
                element->most_op, NULL);
    }
}

static struct sums sum_up(const struct set *set)
{
    struct sums sums = { 0 };
    for (size_t i = 0; i < set->elements.count; i++) {
        const struct element *element = &set->elements.at[i];
        sums.duplicated += element->most > 1;
        if (element->added == ESSE_NO_OP) {
            sums.unexpected++;
            continue;
        }
        sums.attempts++;
        sums.outcomes[element->outcome]++;
        sums.stale += element->is_stale;
    }
    return sums;
}

static void tell(struct set *set, const struct sums *sums)
{
    struct esse_findings *found = set->run->found;
    struct esse_fact *facts = found->facts;
    esse_fact_int(facts, "attempt-count", sums->attempts);
    esse_fact_int(facts, "stable-count", sums->outcomes[STABLE]);
    esse_fact_int(facts, "lost-count", sums->outcomes[LOST]);
    put_elements(set, "lost", LOST, false);
    esse_fact_int(facts, "never-read-count", sums->outcomes[NEVER_READ]);
    put_elements(set, "never-read", NEVER_READ, false);
    esse_fact_int(facts, "stale-count", sums->stale);
    put_elements(set, "stale", STABLE, true);
    put_stale(set);
    put_latencies(set, "stable-latencies", false);
    put_latencies(set, "lost-latencies", true);
    esse_fact_int(facts, "duplicated-count", sums->duplicated);
    tell_wrong(set);
    esse_fact_int(facts, "unexpected-count", sums->unexpected);
    found->summary = esse_arena_format(
        set->run->arena,
        "%u elements: %u stable (%u stale), %u lost, %u never read; %u duplicated, %u read but "
        "never added",
        sums->attempts, sums->outcomes[STABLE], sums->stale, sums->outcomes[LOST],
        sums->outcomes[NEVER_READ], sums->duplicated, sums->unexpected);
}

static bool check_set_full(struct esse_classic_run *run, struct esse_error *err)
{
    struct set set = { .run = run, .log = run->log };
    if (!take_log(&set, err))
        return false;
    walk_reads(&set);
    for (size_t i = 0; i < set.elements.count; i++)
        if (set.elements.at[i].added != ESSE_NO_OP)
            judge(&set, &set.elements.at[i]);
    const struct sums sums = sum_up(&set);
    struct esse_findings *found = run->found;
    found->outcome = ESSE_HOLDS;
    if (sums.duplicated || sums.outcomes[LOST]) {
        found->outcome = ESSE_VIOLATED;
    } else if (!sums.outcomes[STABLE]) {
        found->outcome = ESSE_UNKNOWN;
        found->reason = set.reads.count ? "no element was ever stable" : "the set was never read";
    } else if (sums.stale && run->options->linearizable) {
        found->outcome = ESSE_VIOLATED;
    }
    tell(&set, &sums);
    return true;
}

const struct esse_classic esse_classic_set_full = {
    .name = "set-full",
    .summary =
        "adds and reads at all times: which elements became visible for good, which are lost",
    .operations = ":add operations",
    .options = "linearizable independent ",
    .run = check_set_full,
    .verbs = 1u << ESSE_VERB_ADD,
    .reads_items = true,
};
