#include "truth_oracle.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "esse/esse.h"
#include "load_text.h"

/*
 * Every row of the table of levels against definitions that are not read from it.  Engines and
 * kernel both read the row, so that a wrong field makes them agree on a wrong verdict.  Random
 * histories are decided by brute force, from the tables of truth_oracle.h, which are written from
 * the definitions alone; what a history with given points or a given order must come to is written
 * down below.  Each field is also set wrong, to see that it is noticed.
 */

enum { CASES = 500 };

struct level_case {
    struct t_verdicts truth;
    struct esse_history *history;
};

static struct level_case cases[CASES];
static struct esse_arena *all;

/* A version of the key that another transaction installs, or the initial one; what the transaction
 * wrote or read before, if it did. */
static int any_version(const struct t_history *h, int reader, int op, struct esse_rng *rng)
{
    int found = T_ABSENT, seen = 1;
    const int key = h->txns[reader].ops[op].key;
    for (int i = op; i-- > 0;)
        if (h->txns[reader].ops[i].key == key)
            return h->txns[reader].ops[i].value;
    for (int t = 0; t < h->count; t++)
        for (int i = 0; t != reader && i < h->txns[t].count; i++)
            if (t_is_last_write(&h->txns[t], i, key) && esse_rng_below(rng, (uint32_t)++seen) == 0)
                found = h->txns[t].ops[i].value;
    return found;
}

/* Registers whose reads return any version: what weak levels allow and forbid, all mixed. */
static void scatter(struct t_history *h, struct esse_rng *rng)
{
    int fresh = 0;
    memset(h, 0, sizeof *h);
    for (int key = 0; key < T_KEYS; key++)
        h->init[key] = T_ABSENT;
    h->count = 3 + (int)esse_rng_below(rng, T_TXNS - 2);
    for (int t = 0; t < h->count; t++) {
        struct t_txn *txn = &h->txns[t];
        txn->session = (int)esse_rng_below(rng, 3);
        txn->count = 1 + (int)esse_rng_below(rng, 3);
        for (int i = 0; i < txn->count; i++) {
            txn->ops[i].key = (int)esse_rng_below(rng, 2);
            txn->ops[i].kind = esse_rng_below(rng, 2) ? T_READ : T_WRITE;
            txn->ops[i].value = ++fresh;
        }
    }
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++)
            if (h->txns[t].ops[i].kind == T_READ)
                h->txns[t].ops[i].value = any_version(h, t, i, rng);
    h->has_times = esse_rng_below(rng, 2);
    t_random_times(h, rng);
}

static void make_cases(void)
{
    if (all)
        return;
    all = esse_arena_new();
    for (uint64_t seed = 0, made = 0; made < CASES; seed++) {
        struct t_history h;
        struct esse_rng rng = { seed };
        struct esse_error err;
        if (seed % 2)
            t_random_history(&h, &rng);
        else
            scatter(&h, &rng);
        const char *text = t_text(all, &h);
        cases[made].history = load_bytes(all, "native", text, strlen(text), &err);
        if (!cases[made].history)
            continue;
        cases[made++].truth = t_truth_of(&h);
    }
}

/* ---- random histories ---- */

static const struct esse_verdict *decide(struct esse_arena *arena, struct esse_history *history,
                                         const char *name, const char *engine, const char *order_by)
{
    const struct esse_check_options options = {
        .levels = &name, .level_count = 1, .engine = engine, .order_by = order_by, .threads = 1
    };
    const struct esse_result *result;
    struct esse_error err;
    return esse_check(arena, history, &options, &result, &err) ? &result->verdicts[0] : NULL;
}

/* What names a level at its beginning names the one that was refuted. */
static bool is_named_after(const char *type, const char *ending, const char *name)
{
    const size_t length = strlen(type), cut = strlen(ending);
    if (length <= cut || strcmp(type + length - cut, ending) != 0 || type[0] == 'G')
        return true;
    return strlen(name) == length - cut && strncmp(type, name, length - cut) == 0;
}

struct score {
    unsigned known, decided, holds, violated;
};

static bool is_right(const struct level_case *at, enum esse_level_id id, const char *name,
                     const char *engine, struct score *score)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_verdict *verdict = decide(arena, at->history, name, engine, NULL);
    const enum t_truth truth = at->truth.of[id];
    bool right = verdict != NULL;
    if (verdict && verdict->outcome != ESSE_UNKNOWN && truth != T_NOT_KNOWN)
        right = (verdict->outcome == ESSE_HOLDS) == (truth == T_HOLDS);
    if (verdict && verdict->outcome == ESSE_VIOLATED)
        right &= is_named_after(esse_anomaly_name(verdict->anomalies[0].type), "-no-order", name) &&
                 is_named_after(esse_anomaly_name(verdict->anomalies[0].type), "-cycle", name);
    if (verdict && truth != T_NOT_KNOWN) {
        score->known++;
        score->decided += verdict->outcome != ESSE_UNKNOWN;
        score->holds += verdict->outcome == ESSE_HOLDS;
        score->violated += verdict->outcome == ESSE_VIOLATED;
    }
    esse_arena_free(arena);
    return right;
}

/* By the planner's choice, and by each engine alone. */
static const char *const engines[] = { NULL, "saturate", "dsg", "polygraph" };
enum { ENGINES = sizeof engines / sizeof *engines };

static enum esse_level_id level_at(int i)
{
    return i < T_LEVELS ? t_levels[i].id : t_axioms[i - T_LEVELS].id;
}

/* Is every verdict about the level true?  And are there enough: the planner leaves few open where
 * a solver follows, and of the others those with repeated values and predicates. */
static bool agrees_with_truth(int i)
{
    const char *name = esse_level_get(level_at(i))->friendly;
    struct score scores[ENGINES] = { { 0 } };
    for (int c = 0; c < CASES; c++)
        for (int e = 0; e < ENGINES; e++)
            if (!is_right(&cases[c], level_at(i), name, engines[e], &scores[e]))
                return false;
    const unsigned least = scores[0].known * (i < T_LEVELS ? 95u : 55u) / 100u;
    return scores[0].holds && scores[0].violated && scores[0].decided >= least;
}

/* ---- orders and points that were given ---- */

/* By level: the mismatch of the order that was given, or NULL if it replays. */
struct given {
    const char *why, *history, *order_by;
    struct {
        enum esse_level_id level;
        const char *type;
    } expected[6];
};

#define TIMES(start, end) "\"start\":" #start ",\"end\":" #end ","
#define TXN(session, client, start, commit, op)                                                    \
    "{\"session\":" #session "," client "\"start_ts\":" #start ",\"commit_ts\":" #commit           \
    ",\"ops\":[" op "]}\n"
#define WRITE(key) "{\"w\":\"" key "\",\"v\":1}"

static const struct given given[] = {
    { "a read of what was overwritten",
      TXN(0, "", 5, 10, WRITE("x")) TXN(1, "", 15, 20, "{\"r\":\"x\",\"v\":null}"),
      "commit_ts",
      { { ESSE_LEVEL_SERIALIZABLE, "order-mismatch" },
        { ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, "order-mismatch" },
        { ESSE_LEVEL_STRICT_SERIALIZABLE, "order-mismatch" },
        { ESSE_LEVEL_SNAPSHOT_ISOLATION, "snapshot-mismatch" },
        { ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, "snapshot-mismatch" },
        { ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, "snapshot-mismatch" } } },
    { "against a session",
      TXN(0, "", 15, 20, WRITE("x")) TXN(0, "", 5, 10, WRITE("y")),
      "commit_ts",
      { { ESSE_LEVEL_SERIALIZABLE, NULL },
        { ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, "order-mismatch-process" },
        { ESSE_LEVEL_STRICT_SERIALIZABLE, "order-mismatch-process" },
        { ESSE_LEVEL_SNAPSHOT_ISOLATION, NULL },
        { ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, "snapshot-mismatch-process" },
        { ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, "snapshot-mismatch-process" } } },
    { "against time",
      TXN(0, TIMES(1, 2), 15, 20, WRITE("x")) TXN(1, TIMES(3, 4), 5, 10, WRITE("y")),
      "commit_ts",
      { { ESSE_LEVEL_SERIALIZABLE, NULL },
        { ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, NULL },
        { ESSE_LEVEL_STRICT_SERIALIZABLE, "order-mismatch-realtime" },
        { ESSE_LEVEL_SNAPSHOT_ISOLATION, NULL },
        { ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, NULL },
        { ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, "snapshot-mismatch-realtime" } } },
};
enum { GIVEN = sizeof given / sizeof *given };

static bool replays_as_expected(const struct given *at, enum esse_level_id id)
{
    struct esse_arena *arena = esse_arena_new();
    bool right = true;
    for (int i = 0; i < 6; i++) {
        if (at->expected[i].level != id)
            continue;
        const struct esse_verdict *verdict =
            decide(arena, load_text(arena, "native", at->history), esse_level_get(id)->friendly,
                   "replay", at->order_by);
        const char *type = at->expected[i].type;
        right =
            verdict && (type ? verdict->outcome == ESSE_VIOLATED &&
                                   strcmp(esse_anomaly_name(verdict->anomalies[0].type), type) == 0
                             : verdict->outcome == ESSE_HOLDS);
    }
    esse_arena_free(arena);
    return right;
}

/* The second transaction reads an old state, which only its start point forbids. */
static bool points_count_as_expected(int i)
{
    static const char history[] = "{\"certificate\":\"timestamps\"}\n" TXN(0, "", 5, 10, WRITE("x"))
        TXN(1, "", 15, 20, "{\"r\":\"x\",\"v\":null}");
    struct esse_arena *arena = esse_arena_new();
    const struct esse_verdict *verdict = decide(arena, load_text(arena, "native", history),
                                                esse_level_get(level_at(i))->friendly, NULL, NULL);
    const bool counts = i < T_LEVELS && t_levels[i].shape == T_SI;
    const bool right = verdict && verdict->outcome == (counts ? ESSE_VIOLATED : ESSE_HOLDS);
    esse_arena_free(arena);
    return right;
}

static bool row_is_right(int i)
{
    for (int g = 0; g < GIVEN; g++)
        if (!replays_as_expected(&given[g], level_at(i)))
            return false;
    return points_count_as_expected(i) && agrees_with_truth(i);
}

/* ---- a wrong field is noticed ---- */

/* What a field may be set to: each number below 'end', or one of the anomalies in 'others'. */
#define FIELD(name) #name, offsetof(struct esse_level, name), sizeof(((struct esse_level *)0)->name)
static const struct field {
    const char *name;
    size_t at, size;
    unsigned end;
    bool in_all; /* it is noticed in every row that has it, and not only in some */
} fields[] = {
    { FIELD(family), ESSE_FAMILY_OTHER + 1 },
    { FIELD(phi), ESSE_PHI_UPDATES + 1, true },
    { FIELD(cycle), ESSE_CYCLE_ANY + 1, true },
    { FIELD(needs_session_order), 2 },
    { FIELD(needs_real_time), 2 },
    { FIELD(has_points), 2, true },
    { FIELD(no_order), 0, true },
    { FIELD(no_commit_order), 0, true },
    { FIELD(mismatch), 0, true },
    { FIELD(forbids[0]), 0 },
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const unsigned others[] = { ESSE_ANOMALY_NONE, ESSE_ANOMALY_NO_ORDER_SERIALIZABLE,
                                   ESSE_ANOMALY_CO_PREFIX, ESSE_ANOMALY_ORDER_MISMATCH_PROCESS,
                                   ESSE_ANOMALY_INTERNAL };

static unsigned value_of(const struct esse_level *row, const struct field *field)
{
    unsigned value = 0;
    memcpy(&value, (const char *)row + field->at, field->size);
    return value;
}

/* In a child of its own, because the table is constant and what follows from it is kept. */
static bool is_noticed(int i, const struct field *field, unsigned value)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const uintptr_t row = (uintptr_t)&esse_level_table[level_at(i)];
        const uintptr_t page = row & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
        if (mprotect((void *)page, row + sizeof(struct esse_level) - page,
                     PROT_READ | PROT_WRITE) != 0 ||
            !freopen("/dev/null", "w", stderr))
            _exit(0);
        for (int signal_number = 1; signal_number < 32; signal_number++)
            signal(signal_number, SIG_DFL); /* cmocka would go on with the next test */
        alarm(60);
        memcpy((char *)row + field->at, &value, field->size);
        _exit(row_is_right(i) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status != 0;
}

struct tally {
    unsigned wrong, noticed;
};

static void set_wrong(int i, const struct field *field, struct tally *tally)
{
    const unsigned now = value_of(&esse_level_table[level_at(i)], field);
    const unsigned count = field->end ? field->end : sizeof others / sizeof *others;
    for (unsigned v = 0; v < count; v++) {
        const unsigned value = field->end ? v : others[v];
        if (value == now)
            continue;
        tally->wrong++;
        tally->noticed += is_noticed(i, field, value);
    }
}

/* Must a wrong value of the field change what is said of the level?  Not where the row leaves the
 * field out. */
static bool is_used(int i, const struct field *field)
{
    const struct esse_level *row = &esse_level_table[level_at(i)];
    return value_of(row, field) != 0 ||
           (field->at == offsetof(struct esse_level, needs_session_order)) ||
           (field->at == offsetof(struct esse_level, needs_real_time) && i < T_LEVELS);
}

/* This one comes first: a child must find nothing that was computed from the table as it is. */
TEST(test_level_rows__a_wrong_field_is_noticed)
{
    /* Under a sanitizer, where a fork takes long, only that it works: one level of sixteen. */
    const int share = test_setting("ESSE_SHARE") > 1 ? 16 : 1;
    make_cases();
    for (int f = 0; f < FIELDS; f++) {
        struct tally all_levels = { 0 };
        for (int i = 0; i < T_LEVELS + T_AXIOMS; i++) {
            struct tally tally = { 0 };
            if (i % share || !is_used(i, &fields[f]))
                continue;
            set_wrong(i, &fields[f], &tally);
            all_levels.wrong += tally.wrong;
            all_levels.noticed += tally.noticed;
            if (fields[f].in_all && !tally.noticed)
                fail_msg("%s of %s", fields[f].name, esse_level_table[level_at(i)].friendly);
            if (getenv("ESSE_SHOW"))
                print_message("  %s of %s: %u of %u\n", fields[f].name,
                              esse_level_table[level_at(i)].friendly, tally.noticed, tally.wrong);
        }
        print_message("%s: %u of %u wrong values noticed\n", fields[f].name, all_levels.noticed,
                      all_levels.wrong);
        CHECK(all_levels.noticed > 0 || share > 1);
    }
}

TEST(test_level_rows__every_row_is_its_definition)
{
    make_cases();
    for (int i = 0; i < T_LEVELS + T_AXIOMS; i++)
        if (!row_is_right(i))
            fail_msg("%s", esse_level_get(level_at(i))->friendly);
}

/* A row with a definition of its own that the oracle does not know would not be tested. */
TEST(test_level_rows__every_definition_is_tested)
{
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *level = esse_level_at(i);
        bool tested = false;
        for (int t = 0; t < T_LEVELS + T_AXIOMS; t++)
            tested |= level_at(t) == level->id;
        assert_int_equal(tested, level->phi != ESSE_PHI_NONE || level->cycle != ESSE_CYCLE_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_rows__a_wrong_field_is_noticed),
        cmocka_unit_test(test_level_rows__every_row_is_its_definition),
        cmocka_unit_test(test_level_rows__every_definition_is_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
