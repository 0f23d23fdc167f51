#include "engine/known/serial.h"
#include "evidence/replay.h"
#include "load_text.h"
#include "random_history.h"

/* Longer histories than those of the brute-force tests: windows are small parts of something. */
static struct esse_history *long_history(struct esse_arena *arena, uint64_t seed, bool lists)
{
    struct esse_rng rng = { seed };
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    struct damaging d = { *esse_builder_sink(builder), esse_builder_sink(builder), { seed }, 0 };
    struct esse_gen_options options = esse_gen_defaults(lists ? "list-append" : "rw-register");
    options.txns = 20 + esse_rng_below(&rng, 200);
    options.work.ops = 1 + esse_rng_below(&rng, 6);
    options.work.keys = 2 + esse_rng_below(&rng, 30);
    options.work.sessions = 1 + esse_rng_below(&rng, 10);
    options.level = (enum esse_store_level)esse_rng_below(&rng, 5);
    options.work.seed = esse_rng_next(&rng);
    options.work.abort_share = esse_rng_below(&rng, 2) * 0.1;
    options.crash_share = esse_rng_below(&rng, 3) ? 0 : 0.05;
    options.has_times = esse_rng_below(&rng, 4) > 0;
    options.by_session = esse_rng_below(&rng, 3) == 0;
    options.has_header = false;
    d.one_in = esse_rng_below(&rng, 2) ? 50 + esse_rng_below(&rng, 400) : UINT32_MAX;
    d.sink.txn = damage_txn;
    if (!esse_gen_run(&options, &d.sink, NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    if (seed % 2)
        history->format = "native"; /* where a value may be written twice */
    return history;
}

static const struct esse_result *check(struct esse_arena *arena, const struct esse_history *history,
                                       const char *level)
{
    const struct esse_check_options options = { .levels = &level, .level_count = 1, .threads = 1 };
    const struct esse_result *result = NULL;
    struct esse_error err;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s: %s", level, err.text);
    return result;
}

static const char *const levels[] = { "strict-serializable",
                                      "strong-session-serializable",
                                      "serializable",
                                      "snapshot-isolation",
                                      "strong-session-snapshot-isolation",
                                      "read-committed",
                                      "axiomatic-read-committed",
                                      "read-atomic",
                                      "causal-consistency",
                                      "prefix-consistency",
                                      "causal",
                                      "PRAM",
                                      "monotonic-reads",
                                      "all" };
enum { LEVELS = sizeof levels / sizeof *levels };

/* That a level which was not asked for has no order is reported only by an engine that tried it. */
static uint32_t count_others(const struct esse_result *result)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->also_found_count; i++)
        count += esse_anomaly_shown_by(result->also_found[i].type) != ESSE_SHOWN_BY_REFUTATION;
    return count;
}

/* A history that says that version orders are given, if only of no key, is looked at as a whole.
 * What is found by windows must be the same, or more where the whole is undecided. */
static void compare(struct esse_arena *arena, const struct esse_history *history, uint64_t seed,
                    const char *level)
{
    struct esse_history whole = *history;
    whole.has |= ESSE_HAS_VERSION_ORDER;
    const struct esse_result *a = check(arena, history, level), *b = check(arena, &whole, level);
    for (uint32_t i = 0; i < a->verdict_count; i++)
        CHECK(a->verdicts[i].outcome == ESSE_UNKNOWN || !a->verdicts[i].reason.id);
    for (uint32_t i = 0; i < a->verdict_count; i++)
        if (a->verdicts[i].outcome != b->verdicts[i].outcome &&
            b->verdicts[i].outcome != ESSE_UNKNOWN)
            fail_msg("seed %llu: %s is %d by windows and %d as a whole", (unsigned long long)seed,
                     esse_level_name(a->verdicts[i].level), a->verdicts[i].outcome,
                     b->verdicts[i].outcome);
    if (a->anomaly_type_count != b->anomaly_type_count || count_others(a) != count_others(b))
        fail_msg("seed %llu: %s: %u types and %u others by windows, %u and %u as a whole",
                 (unsigned long long)seed, level, a->anomaly_type_count, count_others(a),
                 b->anomaly_type_count, count_others(b));
    for (uint32_t i = 0; i < a->anomaly_type_count; i++)
        CHECK_EQ(a->anomaly_types[i], b->anomaly_types[i]);
}

TEST(test_serial__windows_tell_what_the_whole_tells)
{
    uint32_t plain = 0, picked = 0, sorted = 0;
    for (uint64_t seed = 1 + test_first(400), after = seed + test_rounds(400); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = long_history(arena, seed, seed % 3 == 0);
        struct serial serial;
        struct serial_part part;
        if (serial_find(&serial, arena, history, true, NULL)) {
            plain += !serial.odd.count;
            sorted += serial.sorted != NULL;
            picked += serial.odd.count && serial_pick(&part, arena, history, &serial);
        }
        for (int i = 0; i < LEVELS; i++)
            compare(arena, history, seed, levels[i]);
        esse_arena_free(arena);
    }
    CHECK(plain > test_rounds(400) / 10); /* or else nothing was tested */
    CHECK(picked > test_rounds(400) / 20);
    CHECK(sorted > test_rounds(400) / 20);
}

/* ---- what is done to a window ---- */

static struct serial find(struct esse_arena *arena, const char *text, bool real_time)
{
    struct serial serial;
    CHECK(serial_find(&serial, arena, load_text(arena, "native", text), real_time, NULL));
    return serial;
}

static const char stale[] =
    "{'session':1,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
    "{'session':1,'start':3,'end':5,'ops':[{'w':'x','v':2}]}\n"
    "{'session':2,'start':3,'end':6,'ops':[{'w':'y','v':1}]}\n"
    "{'session':3,'start':4,'end':7,'ops':[{'r':'x','v':1},{'r':'y','v':1}]}\n";

/* The reader and the writer it read from come up to before the one that overwrote it. */
TEST(test_serial__a_stale_reader_is_pulled_up_with_what_it_needs)
{
    struct esse_arena *arena = esse_arena_new();
    struct serial serial = find(arena, stale, true);
    static const uint32_t expected[] = { 0, 2, 3, 1 };
    CHECK_EQ(serial.odd.count, 0);
    CHECK_EQ(serial.order.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        CHECK_EQ(serial.order.events[i], expected[i]);
    esse_arena_free(arena);
}

/* One session after the other: the order of ends takes the place of that of recording. */
TEST(test_serial__files_by_session_are_sorted_by_ends)
{
    struct esse_arena *arena = esse_arena_new();
    struct serial serial = find(arena,
                                "{'session':1,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
                                "{'session':1,'start':5,'end':6,'ops':[{'r':'x','v':2}]}\n"
                                "{'session':2,'start':3,'end':4,'ops':[{'w':'x','v':2}]}\n",
                                true);
    static const uint32_t expected[] = { 0, 2, 1 };
    CHECK(serial.sorted != NULL);
    CHECK_EQ(serial.odd.count, 0);
    CHECK_EQ(serial.order.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_EQ(serial.order.events[i], expected[i]);
    esse_arena_free(arena);
}

TEST(test_serial__a_read_from_the_future_waits_for_its_writer)
{
    struct esse_arena *arena = esse_arena_new();
    struct serial serial = find(arena,
                                "{'session':1,'ops':[{'r':'x','v':1}]}\n"
                                "{'session':2,'ops':[{'w':'y','v':1}]}\n"
                                "{'session':3,'ops':[{'w':'x','v':1}]}\n",
                                false);
    static const uint32_t expected[] = { 2, 0, 1 };
    CHECK_EQ(serial.odd.count, 0);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_EQ(serial.order.events[i], expected[i]);
    esse_arena_free(arena);
}

/* Overwritten before it began: in order for levels without a clock. */
TEST(test_serial__real_time_makes_a_window_odd)
{
    static const char text[] = "{'session':1,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
                               "{'session':2,'start':3,'end':4,'ops':[{'w':'x','v':2}]}\n"
                               "{'session':3,'start':5,'end':6,'ops':[{'r':'x','v':1}]}\n";
    struct esse_arena *arena = esse_arena_new();
    CHECK_EQ(find(arena, text, false).odd.count, 0);
    struct serial serial = find(arena, text, true);
    CHECK_EQ(serial.odd.count, 1);
    CHECK_EQ(serial.odd.at[0].begin, 1);
    CHECK_EQ(serial.odd.at[0].end, 3);
    esse_arena_free(arena);
}

/* A read of what no transaction wrote, a cycle, transactions that miss their own write, a read of
 * what is overwritten at once. */
TEST(test_serial__what_has_no_order_is_odd_and_nothing_else)
{
    static const char *const texts[] = {
        "{'session':2,'ops':[{'r':'x','v':7}]}\n",
        "{'session':2,'ops':[{'r':'x','v':1},{'w':'y','v':1}]}\n"
        "{'session':3,'ops':[{'r':'y','v':1},{'w':'x','v':1}]}\n",
        "{'session':2,'ops':[{'w':'x','v':1},{'r':'x','v':null}]}\n",
        "{'session':2,'ops':[{'w':'x','v':1},{'r':'x','v':2}]}\n"
        "{'session':3,'ops':[{'w':'x','v':2}]}\n",
        "{'session':2,'ops':[{'r':'x','v':2}]}\n"
        "{'session':3,'ops':[{'w':'x','v':2},{'w':'x','v':3}]}\n",
    };
    static const uint32_t txns[] = { 1, 2, 1, 2, 2 }, end[] = { 2, 3, 2, 2, 2 };
    for (int i = 0; i < 5; i++) {
        struct esse_arena *arena = esse_arena_new();
        const char *text = esse_arena_format(arena,
                                             "{'session':1,'ops':[{'w':'z','v':1}]}\n"
                                             "%s{'session':1,'ops':[{'r':'z','v':1}]}\n",
                                             texts[i]);
        struct serial serial = find(arena, text, false);
        CHECK_EQ(serial.odd.count, 1);
        CHECK_EQ(serial.odd.at[0].begin, 1);
        CHECK_EQ(serial.odd.at[0].end, end[i]);
        CHECK_EQ(serial.order.count, 2 + txns[i]);
        esse_arena_free(arena);
    }
}

/* Of a list that was appended 1, 2, 3 the last two by one transaction: an older state, one from
 * before a later append, half of what one appended, and other elements than were. */
TEST(test_serial__lists_are_read_as_prefixes)
{
    static const struct {
        const char *list;
        uint32_t odd, place; /* and where the reader comes */
    } reads[] = { { "[1,2,3]", 0, 3 },   { "[1]", 0, 2 },    { "[]", 0, 0 },
                  { "[1,2,3,4]", 0, 4 }, { "[1,2]", 1, 3 },  { "[2,1]", 1, 3 },
                  { "[2,1,3]", 1, 3 },   { "[1,7,3]", 1, 3 } };
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        struct esse_arena *arena = esse_arena_new();
        const char *text =
            esse_arena_format(arena,
                              "{'session':1,'ops':[{'a':'x','v':1}]}\n"
                              "{'session':1,'ops':[{'r':'x','v':[1]}]}\n"
                              "{'session':2,'ops':[{'a':'x','v':2},{'a':'x','v':3}]}\n"
                              "{'session':3,'ops':[{'r':'x','v':%s}]}\n"
                              "{'session':4,'ops':[{'a':'x','v':4}]}\n",
                              reads[i].list);
        struct serial serial = find(arena, text, false);
        CHECK_EQ(serial.odd.count, reads[i].odd);
        CHECK_EQ(serial.order.count, 5);
        CHECK_EQ(serial.order.events[reads[i].place], 3);
        esse_arena_free(arena);
    }
}

/* A value written twice, by an aborted transaction too, shows no order. */
TEST(test_serial__what_must_be_written_once_is)
{
    static const char *const values[] = { "1", "296", "40", "39" };
    struct esse_arena *arena = esse_arena_new();
    struct serial serial;
    for (int i = 0; i < 4; i++) {
        const char *text =
            esse_arena_format(arena,
                              "{'session':1,'ops':[{'a':'x','v':40},{'a':'x','v':270}]}\n"
                              "{'session':2,'status':'aborted','ops':[{'a':'x','v':%s}]}\n",
                              values[i]);
        bool fresh = i == 1 || i == 3;
        CHECK_EQ(serial_find(&serial, arena, load_text(arena, "native", text), false, NULL), fresh);
    }
    esse_arena_free(arena);
}

/* ---- what is picked ---- */

/* The first transaction reads its own future; what the second did is in order. */
TEST(test_serial__an_update_of_what_was_seen_is_looked_at_too)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'ops':[{'r':'x','v':1},{'w':'x','v':1}]}\n"
                  "{'session':2,'ops':[{'r':'x','v':1},{'w':'x','v':2}]}\n");
    const struct esse_result *result = check(arena, history, "strict-serializable");
    CHECK_EQ(result->anomaly_type_count, 2);
    CHECK_EQ(result->anomaly_types[0], ESSE_ANOMALY_FUTURE_READ);
    CHECK_EQ(result->anomaly_types[1], ESSE_ANOMALY_LOST_UPDATE);
    esse_arena_free(arena);
}

/* What an unknown transaction read may be part of it, wherever that was recorded. */
TEST(test_serial__nothing_is_picked_where_unknown_outcomes_count)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'ops':[{'r':'x','v':1}]}\n"
                  "{'session':2,'status':'unknown','ops':[{'w':'x','v':1}]}\n");
    struct serial serial;
    struct serial_part part;
    CHECK(serial_find(&serial, arena, history, false, NULL));
    CHECK_EQ(serial.odd.count, 1);
    CHECK(!serial_pick(&part, arena, history, &serial));
    esse_arena_free(arena);
}

/* ---- the walk along a commit order ---- */

/* The recorded order, or the one near it, with some neighbours exchanged. */
static struct esse_order some_order(struct esse_arena *arena, const struct esse_history *history,
                                    struct esse_rng *rng)
{
    struct serial serial;
    uint32_t *events = esse_arena_alloc(arena, history->txns + 1u, sizeof *events), count = 0;
    if (esse_rng_below(rng, 2) && serial_find(&serial, arena, history, false, NULL)) {
        count = serial.order.count;
        memcpy(events, serial.order.events, count * sizeof *events);
    } else {
        for (uint32_t txn = 0; txn < history->txns; txn++)
            if (history->txn_status[txn] == ESSE_COMMITTED)
                events[count++] = txn;
    }
    for (uint32_t swaps = esse_rng_below(rng, 3); count > 1 && swaps > 0; swaps--) {
        uint32_t at = esse_rng_below(rng, count - 1), txn = events[at];
        events[at] = events[at + 1];
        events[at + 1] = txn;
    }
    return (struct esse_order){ .events = events, .count = count };
}

/* The committed operations as recorded, with some neighbours exchanged. */
static struct esse_order single_order(struct esse_arena *arena, const struct esse_history *history,
                                      struct esse_rng *rng)
{
    uint32_t *events = esse_arena_alloc(arena, history->ops + 1u, sizeof *events), count = 0;
    for (uint32_t op = 0; op < history->ops; op++)
        if (history->txn_status[esse_op_txn(history, op).ix] == ESSE_COMMITTED)
            events[count++] = op;
    for (uint32_t swaps = esse_rng_below(rng, 3); count > 1 && swaps > 0; swaps--) {
        const uint32_t at = esse_rng_below(rng, count - 1), op = events[at];
        events[at] = events[at + 1];
        events[at + 1] = op;
    }
    return (struct esse_order){ .events = events, .count = count, .of_accesses = true };
}

/* Axioms, literally: who sees whom is a matrix over the places of the order. */
enum { PLACES = 256, VERSIONS = 2048 };

static const struct axiom {
    enum esse_level_id level;
    enum {
        SEES_NONE,
        SEES_EARLIER,
        SEES_ATOMIC,
        SEES_CAUSAL,
        SEES_PREFIX,
        SEES_UPDATES,
        SEES_PARALLEL,
        SEES_OWN,
        SEES_SEEN,
        SEES_WRITTEN,
        SEES_ANSWERED,
        SEES_PIPED
    } phi;
    bool sessions, own, repeats;
    bool single; /* operations are the units */
} axioms[] = {
    { ESSE_LEVEL_READ_COMMITTED, SEES_NONE, false, false, false },
    { ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW, SEES_EARLIER, false, false, false },
    { ESSE_LEVEL_AXIOMATIC_READ_COMMITTED, SEES_EARLIER, true, true, false },
    { ESSE_LEVEL_READ_ATOMIC, SEES_ATOMIC, true, true, true },
    { ESSE_LEVEL_CAUSAL_CERONE, SEES_CAUSAL, true, true, true },
    { ESSE_LEVEL_PREFIX, SEES_PREFIX, true, true, true },
    { ESSE_LEVEL_UPDATE_ATOMIC, SEES_UPDATES, true, true, true },
    { ESSE_LEVEL_CONSISTENT_VIEW, SEES_PARALLEL, false, false, false },
    { ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION, SEES_PARALLEL, true, true, true },
    { ESSE_LEVEL_CAUSAL, SEES_CAUSAL, true, .single = true },
    { ESSE_LEVEL_PRAM, SEES_PIPED, true, .single = true },
    { ESSE_LEVEL_READ_YOUR_WRITES, SEES_OWN, true, .single = true },
    { ESSE_LEVEL_MONOTONIC_READS, SEES_SEEN, true, .single = true },
    { ESSE_LEVEL_MONOTONIC_WRITES, SEES_WRITTEN, true, .single = true },
    { ESSE_LEVEL_WRITES_FOLLOW_READS, SEES_ANSWERED, true, .single = true },
};

struct literal {
    const struct esse_history *history;
    const struct esse_order *order;
    const struct axiom *axiom;
    struct {
        uint32_t key, place;
        esse_value value;
        bool append;
    } written[VERSIONS];
    uint32_t count;
    uint32_t *newest, *older;  /* by key, and by write: the one before it of its key, plus 1 */
    bool *wrote;               /* by key and place */
    bool sees[PLACES][PLACES]; /* φ, but for the reads that must be earlier */
    bool writes_same[PLACES][PLACES];
    int reads[PLACES];
    struct {
        uint32_t key;
        int source;
    } read[PLACES][64]; /* -1: the initial version */
};

static uint32_t session_of(const struct literal *l, uint32_t place)
{
    const uint32_t unit = l->order->events[place];
    return l->history->txn_session[l->axiom->single ? esse_op_txn(l->history, unit).ix : unit];
}

/* Does the key, with the writes of the places up to 'last', read as the value? */
static bool reads_as(const struct literal *l, uint32_t key, int last, esse_value value)
{
    uint32_t length = 0, appends = 0, at = l->newest[key];
    const esse_value *items =
        esse_value_is_list(value) ? esse_history_list(l->history, value, &length) : NULL;
    while (at && (int)l->written[at - 1].place > last)
        at = l->older[at - 1];
    const esse_value newest = at ? l->written[at - 1].value : ESSE_NIL;
    for (uint32_t i = at; i; i = l->older[i - 1])
        appends += l->written[i - 1].append;
    if (appends != length || (!appends && !esse_value_is_list(value)))
        return !appends && !length && esse_value_eq(value, newest);
    for (; at && length; at = l->older[at - 1])
        if (!esse_value_eq(items[--length], l->written[at - 1].value))
            return false;
    return true;
}

/* Does what was appended to the key so far begin with the list? */
static bool is_in_order(const struct literal *l, uint32_t key, esse_value list)
{
    uint32_t length, appends = 0;
    const esse_value *items = esse_history_list(l->history, list, &length);
    for (uint32_t i = l->newest[key]; i; i = l->older[i - 1])
        appends++;
    bool ok = length <= appends;
    for (uint32_t i = l->newest[key]; ok && i; i = l->older[i - 1])
        ok = --appends >= length || esse_value_eq(items[appends], l->written[i - 1].value);
    return ok;
}

static bool is_written(const struct literal *l, uint32_t key, uint32_t place)
{
    return l->wrote[(size_t)key * PLACES + place];
}

/* Own appends are at the end, and what is before them is what was read before. */
static bool repeats(const struct literal *l, uint32_t place, uint32_t op, uint32_t base)
{
    for (uint32_t o = l->history->txn_op[l->order->events[place]]; o < op; o++)
        if (l->history->op_kind[o] == ESSE_OP_READ &&
            l->history->op_key[o] == l->history->op_key[op] &&
            l->history->op_value[o].word >> 32 < base)
            return false;
    return true;
}

static bool take_literally(struct literal *l, uint32_t place)
{
    const struct esse_history *history = l->history;
    const uint32_t unit = l->order->events[place];
    const uint32_t begin = l->axiom->single ? unit : history->txn_op[unit];
    const uint32_t end = l->axiom->single ? unit + 1 : history->txn_op[unit + 1];
    for (uint32_t op = begin; op < end; op++) {
        const uint32_t key = history->op_key[op];
        const esse_value value = history->op_value[op];
        if (history->op_kind[op] != ESSE_OP_READ) {
            for (uint32_t q = 0; q < place; q++)
                l->writes_same[place][q] |= is_written(l, key, q);
            l->written[l->count].key = key;
            l->written[l->count].place = place;
            l->written[l->count].append = history->op_kind[op] == ESSE_OP_APPEND;
            l->written[l->count].value = value;
            l->older[l->count] = l->newest[key];
            l->newest[key] = ++l->count;
            l->wrote[(size_t)key * PLACES + place] = true;
            continue;
        }
        int source = (int)place;
        const bool own = is_written(l, key, place);
        while (source >= -1 && !((source < 0 || own || is_written(l, key, (uint32_t)source)) &&
                                 reads_as(l, key, source, value)))
            source--;
        if (own && (l->axiom->own ? source != (int)place
                                  : esse_value_is_list(value) && !is_in_order(l, key, value)))
            return false;
        uint32_t appended = 0;
        for (uint32_t i = l->newest[key]; i; i = l->older[i - 1])
            appended += l->written[i - 1].place == place;
        if (own && l->axiom->repeats && esse_value_is_list(value) &&
            !repeats(l, place, op, (uint32_t)(value.word >> 32) - appended))
            return false;
        if (own)
            continue;
        if (source < -1)
            return false;
        const int at = l->reads[place]++;
        l->read[place][at].key = key;
        l->read[place][at].source = source;
    }
    return true;
}

static void see(struct literal *l, uint32_t place, uint32_t other)
{
    const bool all = l->axiom->phi == SEES_CAUSAL || l->axiom->phi == SEES_PARALLEL;
    l->sees[place][other] = true;
    for (uint32_t q = 0; q < other; q++)
        l->sees[place][q] |= l->axiom->phi == SEES_PREFIX || (all && l->sees[other][q]);
}

/* Where operations are the units each reads from one at most. */
static int source_of(const struct literal *l, uint32_t place)
{
    return l->reads[place] ? l->read[place][0].source : -1;
}

static bool is_earlier(const struct literal *l, uint32_t a, uint32_t b)
{
    return a < b && session_of(l, a) == session_of(l, b);
}

/* Did the session of 'place' read from 'other', or with 'so' from a later one of its session, there
 * or earlier? */
static bool has_read(const struct literal *l, uint32_t place, uint32_t other, bool so)
{
    for (uint32_t q = 0; q <= place; q++) {
        const int source = session_of(l, q) == session_of(l, place) ? source_of(l, q) : -1;
        if (source == (int)other || (so && source >= 0 && is_earlier(l, other, (uint32_t)source)))
            return true;
    }
    return false;
}

static bool sees_single(const struct literal *l, uint32_t place, uint32_t other)
{
    const int source = source_of(l, place);
    bool before = false;
    switch (l->axiom->phi) {
    case SEES_OWN:
        return is_earlier(l, other, place);
    case SEES_SEEN:
        for (uint32_t q = 0; q < place; q++)
            before |= session_of(l, q) == session_of(l, place) && source_of(l, q) == (int)other;
        return before;
    case SEES_WRITTEN:
        return source >= 0 && is_earlier(l, other, (uint32_t)source);
    case SEES_ANSWERED:
        return source >= 0 && has_read(l, (uint32_t)source, other, false);
    case SEES_PIPED:
        return is_earlier(l, other, place) || has_read(l, place, other, true);
    default:
        return l->sees[place][other];
    }
}

static bool keeps_literally(struct literal *l, uint32_t place)
{
    const bool ww = l->axiom->phi == SEES_PARALLEL || l->axiom->phi == SEES_UPDATES;
    for (uint32_t q = 0; q < place; q++)
        if ((l->axiom->sessions && session_of(l, q) == session_of(l, place)) ||
            (ww && l->writes_same[place][q]))
            see(l, place, q);
    for (int r = 0; r < l->reads[place]; r++)
        if (l->read[place][r].source >= 0)
            see(l, place, (uint32_t)l->read[place][r].source);
    for (int r = 0; r < l->reads[place]; r++)
        for (uint32_t q = (uint32_t)(l->read[place][r].source + 1); q < place; q++) {
            bool seen = l->axiom->single ? sees_single(l, place, q) : l->sees[place][q];
            if (l->axiom->phi == SEES_NONE || l->axiom->phi == SEES_EARLIER)
                seen = false;
            for (int e = 0; l->axiom->phi == SEES_EARLIER && e < r; e++)
                seen |= l->read[place][e].source == (int)q;
            if (seen && is_written(l, l->read[place][r].key, q))
                return false;
        }
    return true;
}

static bool holds_literally(struct literal *l)
{
    bool ok = true;
    for (uint32_t place = 0; ok && place < l->order->count; place++) {
        for (uint32_t q = 0; l->axiom->sessions && q < place; q++)
            ok &= session_of(l, q) != session_of(l, place) ||
                  l->order->events[q] < l->order->events[place];
        ok = ok && take_literally(l, place) && keeps_literally(l, place);
    }
    return ok;
}

TEST(test_serial__an_order_is_held_against_its_axiom)
{
    uint32_t proved = 0, refused = 0;
    for (uint64_t seed = 1 + test_first(200), after = seed + test_rounds(200); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = long_history(arena, seed, seed % 3 == 0);
        const struct esse_order txns = some_order(arena, history, &rng);
        for (size_t i = 0; i < sizeof axioms / sizeof *axioms; i++) {
            const struct esse_order order =
                axioms[i].single ? single_order(arena, history, &rng) : txns;
            if (order.count > PLACES)
                continue;
            struct literal *l = esse_arena_alloc(arena, 1, sizeof *l);
            const struct esse_level *level = esse_level_get(axioms[i].level);
            struct esse_error err;
            *l = (struct literal){ .history = history, .order = &order, .axiom = &axioms[i] };
            l->newest = esse_arena_alloc(arena, history->keys + 1u, sizeof *l->newest);
            l->older = esse_arena_alloc(arena, VERSIONS, sizeof *l->older);
            l->wrote = esse_arena_alloc(arena, history->keys + 1u, PLACES);
            const bool good = holds_literally(l);
            if (esse_replay(history, level, &order, NULL, &err) != good)
                fail_msg("seed %llu, %s: by its definition %d, and %s", (unsigned long long)seed,
                         level->friendly, good, good ? err.text : "accepted");
            proved += good;
            refused += !good;
        }
        esse_arena_free(arena);
    }
    CHECK(proved > test_rounds(180));
    CHECK(refused > test_rounds(180));
}

/* What says that keys may be both written and appended to is replayed read by read. */
TEST(test_serial__to_run_transactions_is_to_replay_them)
{
    uint32_t proved = 0, refused = 0;
    for (uint64_t seed = 1 + test_first(2000), after = seed + test_rounds(2000); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = long_history(arena, seed, seed % 2), whole = *history;
        struct esse_order order = some_order(arena, history, &rng);
        const struct esse_level *level = esse_level_get(ESSE_LEVEL_SERIALIZABLE);
        struct esse_error err;
        whole.has |= ESSE_HAS_APPENDS | ESSE_HAS_WRITES;
        bool good = esse_replay(&whole, level, &order, NULL, &err);
        if (esse_replay(history, level, &order, NULL, &err) != good)
            fail_msg("seed %llu: read by read it is %d", (unsigned long long)seed, good);
        proved += good;
        refused += !good;
        esse_arena_free(arena);
    }
    CHECK(proved > test_rounds(200));
    CHECK(refused > test_rounds(200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serial__windows_tell_what_the_whole_tells),
        cmocka_unit_test(test_serial__a_stale_reader_is_pulled_up_with_what_it_needs),
        cmocka_unit_test(test_serial__files_by_session_are_sorted_by_ends),
        cmocka_unit_test(test_serial__a_read_from_the_future_waits_for_its_writer),
        cmocka_unit_test(test_serial__real_time_makes_a_window_odd),
        cmocka_unit_test(test_serial__what_has_no_order_is_odd_and_nothing_else),
        cmocka_unit_test(test_serial__lists_are_read_as_prefixes),
        cmocka_unit_test(test_serial__what_must_be_written_once_is),
        cmocka_unit_test(test_serial__an_update_of_what_was_seen_is_looked_at_too),
        cmocka_unit_test(test_serial__nothing_is_picked_where_unknown_outcomes_count),
        cmocka_unit_test(test_serial__an_order_is_held_against_its_axiom),
        cmocka_unit_test(test_serial__to_run_transactions_is_to_replay_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
