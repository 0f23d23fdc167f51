#include "classic_oracle.h"
#include "classic_run.h"

/* ---- shorthands ---- */

#define INVOKE(p, f, v) "{:type :invoke, :process " #p ", :f :" #f ", :value " v "}\n"
#define OK(p, f, v)     "{:type :ok, :process " #p ", :f :" #f ", :value " v "}\n"
#define FAIL(p, f, v)   "{:type :fail, :process " #p ", :f :" #f ", :value " v "}\n"
#define INFO(p, f, v)   "{:type :info, :process " #p ", :f :" #f ", :value " v "}\n"
#define ADD(v)          INVOKE(0, add, v) OK(0, add, v)
#define READ(v)         INVOKE(1, read, "nil") OK(1, read, v)
#define WRITE(v)        INVOKE(0, write, v) OK(0, write, v)

static void judges_with(const char *checker, const struct esse_classic_options *options,
                        const char *text, enum esse_outcome expected)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_findings found = check_text(arena, checker, text, options);
    if (found.outcome != expected)
        print_error("%s", as_text(arena, &found));
    CHECK_EQ(found.outcome, expected);
    CHECK((found.outcome == ESSE_UNKNOWN) == (found.reason != NULL));
    CHECK(found.outcome != ESSE_VIOLATED || found.first || found.parts); /* it can be shown */
    as_json(arena, &found);
    as_text(arena, &found);
    esse_arena_free(arena);
}

static void valid(const char *checker, const char *text)
{
    judges_with(checker, NULL, text, ESSE_HOLDS);
}

static void invalid(const char *checker, const char *text)
{
    judges_with(checker, NULL, text, ESSE_VIOLATED);
}

static void unknown(const char *checker, const char *text)
{
    judges_with(checker, NULL, text, ESSE_UNKNOWN);
}

/* The facts, as JSON, contain this. */
static void tells(const char *checker, const char *text, const char *part)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_findings found = check_text(arena, checker, text, NULL);
    const char *json = as_json(arena, &found);
    if (!strstr(json, part))
        fail_msg("%s is not in %s", part, json);
    esse_arena_free(arena);
}

static void refuses_with(const char *checker, const struct esse_classic_options *options,
                         const char *text, const char *expected)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    struct esse_findings found;
    char message[600];
    struct esse_oplog *log = read_log(arena, text, &err);
    if (log)
        CHECK(!esse_classic_check(arena, esse_classic_find(checker), log, options, &found, &err));
    CHECK_EQ(err.code, ESSE_EINPUT);
    snprintf(message, sizeof message, "%d:%d: %s", (int)err.line, (int)err.column, err.text);
    CHECK_TEXT(message, expected);
    esse_arena_free(arena);
}

static void refuses(const char *checker, const char *text, const char *expected)
{
    static const struct esse_classic_options defaults;
    refuses_with(checker, &defaults, text, expected);
}

/* ---- the log ---- */

static struct esse_oplog *log_of(struct esse_arena *arena, const char *text)
{
    struct esse_error err;
    struct esse_oplog *log = read_log(arena, text, &err);
    if (!log)
        fail_msg("%d:%d: %s", (int)err.line, (int)err.column, err.text);
    return log;
}

TEST(test_oplog__completions_are_paired_by_process)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_oplog *log = log_of(arena, INVOKE(0, add, "1") INVOKE(1, add, "2") OK(1, add, "2")
                                               INFO(0, add, "1") INVOKE(2, read, "nil"));
    CHECK_EQ(log->count, 5);
    CHECK_EQ(log->pair[0], 3);
    CHECK_EQ(log->pair[3], 0);
    CHECK_EQ(log->pair[1], 2);
    CHECK_EQ(log->pair[4], ESSE_NO_PAIR);
    CHECK_EQ(esse_oplog_outcome(log, 0), ESSE_DONE_INFO);
    CHECK_EQ(esse_oplog_outcome(log, 4), ESSE_DONE_INFO);
    CHECK_EQ(log->line[3], 4);
    esse_arena_free(arena);
}

TEST(test_oplog__without_processes_pairs_are_made_only_where_there_is_no_doubt)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_oplog *log = log_of(arena, "{:type :invoke :f :read} {:type :ok :f :read :value 1}"
                                           "{:type :invoke :f :read} {:type :invoke :f :add}"
                                           "{:type :ok :f :read :value 1}");
    CHECK_EQ(log->pair[1], 0);
    CHECK_EQ(log->pair[4], ESSE_NO_PAIR);
    CHECK_EQ(log->doubts[ESSE_DOUBT_NO_INVOCATION], 1);
    esse_arena_free(arena);
}

TEST(test_oplog__other_processes_are_dropped_and_counted)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_oplog *log = log_of(
        arena, "[{:type :info :process :nemesis :f :start :value {:a [1.5]}}\n"
               " #jepsen.history.Op{:type :ok, :process 3, :f :add, :value #tag 7, :x #{1}}]");
    CHECK_EQ(log->count, 1);
    CHECK_EQ(log->doubts[ESSE_DOUBT_NOT_A_CLIENT], 1);
    CHECK_EQ(log->doubt_lines[ESSE_DOUBT_NOT_A_CLIENT], 1);
    CHECK(esse_value_eq(log->value[0], esse_value_small(7)));
    CHECK_EQ(log->index[0], 1);
    esse_arena_free(arena);
}

TEST(test_oplog__json_and_edn_give_the_same_log)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_oplog *log =
        log_of(arena, "[{\"type\":\"invoke\",\"f\":\"add\",\"process\":0,\"value\":1,\"time\":5},\n"
                      " {\"type\":\"ok\",\"f\":\"add\",\"process\":0,\"x\":1.5}]");
    CHECK_EQ(log->count, 2);
    CHECK_EQ(log->verb[0], ESSE_VERB_ADD);
    CHECK_EQ(log->pair[0], 1);
    CHECK_EQ(log->time[0], 5);
    CHECK_EQ(log->time[1], ESSE_NO_TIME);
    CHECK(esse_value_eq(log->value[1], ESSE_NIL));
    CHECK_TEXT(log->format, "elle-json");
    esse_arena_free(arena);
}

TEST(test_oplog__malformed_input_is_refused_with_its_place)
{
    refuses("set", "{:type :ok :f :add\n",
            "2:1: found end of file, expected a member of the "
            "operation or '}'; the map began at 1:1");
    refuses("set", "{:f :add}",
            "1:1: the operation has no :type, expected :invoke, :ok, :fail or "
            ":info");
    refuses("set", "{:type :okay}", "1:8: found :type :okay, expected invoke, ok, fail or info");
    refuses("set", "{:type :ok :type :ok}", "1:12: the operation has member :type twice");
    refuses("set", "{:type :ok :index 3}\n{:type :ok :index 2}",
            "2:1: found :index 2 after :index 3, expected them to ascend");
    refuses("set", "[{\"type\":\"ok\",\"time\":\"x\"}]",
            "1:22: found \"time\" \"x\", expected an integer of 64 bits");
    refuses("set", "[{\"type\":\"ok\"} 5", "1:16: found '5', expected ',' or ']'");
}

/* ---- bank ---- */

TEST(test_bank__is_valid_while_the_total_stays)
{
    valid("bank", "");
    valid("bank", READ("{0 10, 1 0}") READ("{0 3, 1 7}"));
    valid("bank", INVOKE(0, transfer, "{:from 0 :to 1 :amount 3}"));
    valid("bank", READ("{0 10}") FAIL(2, read, "{0 1}") INFO(3, read, "nil"));
    valid("bank", READ("{0 9223372036854775807, 1 -0}"));
}

TEST(test_bank__each_kind_of_error_is_told_once_a_read)
{
    invalid("bank", READ("{0 10, 1 0}") READ("{0 3, 1 8}"));
    tells("bank", READ("{0 10, 1 0}") READ("{0 3, 1 8}"), "\"wrong-total\":{\"count\":1");
    tells("bank", READ("{0 10}") READ("{0 3, 1 8}"),
          "{\"type\":\"unexpected-key\",\"unexpected\":[1]");
    tells("bank", READ("{0 10}") READ("{0 nil}"), "{\"type\":\"nil-balance\",\"nils\":[0]");
    tells("bank", READ("{0 5, 1 5}") READ("{0 -1, 1 11}"),
          "{\"type\":\"negative-value\",\"negative\":[-1]");
    tells("bank", READ("{0 10}") READ("{0 12}") READ("{0 5}") READ("{0 11}"),
          "\"worst\":{\"type\":\"wrong-total\",\"total\":5");
    tells("bank", READ("{0 10}") READ("nil"), "{\"type\":\"wrong-total\",\"total\":0");
}

TEST(test_bank__options_override_what_is_inferred)
{
    const char *text = READ("{0 5, 1 6}") READ("{0 -1, 1 12}");
    static const char *const accounts[] = { "0", "1", NULL }, *const fewer[] = { "0", NULL };
    struct esse_classic_options options = { .negative_balances = true };
    invalid("bank", text);
    judges_with("bank", &options, text, ESSE_HOLDS);
    options.accounts = accounts;
    judges_with("bank", &options, text, ESSE_HOLDS);
    options.accounts = fewer;
    judges_with("bank", &options, text, ESSE_VIOLATED);
    options = (struct esse_classic_options){ .negative_balances = true, .has_total = true };
    options.total = 11;
    judges_with("bank", &options, text, ESSE_HOLDS);
    options.total = 10;
    judges_with("bank", &options, text, ESSE_VIOLATED);
}

TEST(test_bank__refuses_what_has_no_sum)
{
    refuses("bank", READ("{0 1.5}"), "2:1: found balance 1.5, expected an integer");
    refuses("bank", READ("{0 9223372036854775807, 1 1}"),
            "2:1: the balances add up to more than 64 bits");
}

static void bank_invoke(struct sim *sim, struct esse_out *out)
{
    esse_out_text(out, pick(sim, 2) ? ":f :read, :value nil" : ":f :transfer, :value {:from 0}");
}

static void bank_result(struct sim *sim, struct esse_out *out)
{
    static const char *const results[] = { "{0 5, 1 5}",     "{0 3, 1 7}",   "{0 10, 1 0}",
                                           "{0 5, 1 6}",     "{0 11, 1 -1}", "{0 10, 1 nil}",
                                           "{0 5, 1 5, 2 0}" };
    esse_out_text(out, results[pick(sim, 12) % (pick(sim, 3) ? 3 : 7)]);
}

TEST(test_bank__agrees_with_its_definition)
{
    static const struct sim_workload workload = { bank_invoke, bank_result };
    static const char *const accounts[] = { "0", "1", NULL };
    struct esse_classic_options options = { .accounts = accounts, .has_total = true, .total = 10 };
    for (unsigned seed = test_first(300), after = seed + test_rounds(300); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_oplog *log = log_of(arena, simulate(arena, &workload, seed, 20));
        struct esse_findings found = check_log(arena, "bank", log, &options);
        int64_t reads = 0, errors = 0;
        for (uint32_t op = 0; op < log->count; op++) {
            uint32_t count;
            int64_t sum = 0, balance = 0;
            if (!is_op(log, op, ESSE_DONE_OK, ESSE_VERB_READ))
                continue;
            const esse_value *parts = esse_value_parts(log->values, log->value[op], &count);
            bool wrong = count != 4;
            for (uint32_t i = 1; i < count; i += 2) {
                wrong = wrong || !esse_value_as_int(log->values, parts[i], &balance) || balance < 0;
                sum += balance;
            }
            reads++;
            errors += wrong || sum != 10;
        }
        CHECK_EQ(fact(&found, "read-count"), reads);
        CHECK_EQ(fact(&found, "error-count"), errors);
        CHECK_EQ(found.outcome, errors ? ESSE_VIOLATED : ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

/* ---- set ---- */

TEST(test_set__tells_lost_unexpected_and_recovered)
{
    valid("set", ADD("0") ADD("1") READ("[1 0]"));
    valid("set", ADD("0") INVOKE(2, add, "1") READ("#{0 1}"));
    valid("set", ADD("0") READ("[]") READ("[0]")); /* the last read counts */
    invalid("set", ADD("0") READ("[0]") READ("[]"));
    invalid("set", ADD("0") READ("[0 5]"));
    tells("set", ADD("0") ADD("1") ADD("2") ADD("5") READ("[0 1 2 5]"), "\"ok\":\"#{0..2 5}\"");
    tells("set", ADD("0") ADD("1") READ("[0]"), "\"lost\":\"#{1}\"");
    tells("set", ADD("0") READ("[0 \"a\"]"), "\"unexpected\":\"#{\\\"a\\\"}\"");
    tells("set", INVOKE(0, add, "3") INFO(0, add, "3") READ("[3]"), "\"recovered\":\"#{3}\"");
    tells("set", INVOKE(0, add, "3") FAIL(0, add, "3") READ("[3]"), "\"failed\":\"#{3}\"");
}

TEST(test_set__is_unknown_if_it_was_never_read)
{
    unknown("set", "");
    unknown("set", ADD("0"));
    unknown("set", ADD("0") INVOKE(1, read, "nil") INFO(1, read, "nil"));
    unknown("set", ADD("0") READ("nil"));
}

TEST(test_set__takes_completions_without_invocations)
{
    valid("set", OK(0, add, "1") OK(0, read, "[1]"));
    invalid("set", OK(0, add, "1") OK(0, read, "[]"));
}

static void set_invoke(struct sim *sim, struct esse_out *out)
{
    if (pick(sim, 3))
        esse_out_f(out, ":f :add, :value %d", sim->next++);
    else
        esse_out_text(out, ":f :read, :value nil");
}

static void set_result(struct sim *sim, struct esse_out *out)
{
    esse_out_char(out, '[');
    put_some(sim, out, sim->next + !pick(sim, 6), 5);
    esse_out_char(out, ']');
}

static const struct sim_workload set_workload = { set_invoke, set_result };

TEST(test_set__agrees_with_its_definition)
{
    for (unsigned seed = test_first(500), after = seed + test_rounds(500); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_oplog *log = log_of(arena, simulate(arena, &set_workload, seed, 4 + seed % 16));
        if (!is_added(log, ESSE_INVOKE, esse_value_small(0))) {
            esse_arena_free(arena);
            continue;
        }
        struct esse_findings found = check_log(arena, "set", log, NULL);
        struct oracle_set set = oracle_set(log);
        CHECK_EQ(found.outcome, !set.is_read                 ? ESSE_UNKNOWN
                                : set.lost || set.unexpected ? ESSE_VIOLATED
                                                             : ESSE_HOLDS);
        if (set.is_read) {
            CHECK_EQ(fact(&found, "attempt-count"), set.attempts);
            CHECK_EQ(fact(&found, "acknowledged-count"), set.acknowledged);
            CHECK_EQ(fact(&found, "ok-count"), set.ok);
            CHECK_EQ(fact(&found, "lost-count"), set.lost);
            CHECK_EQ(fact(&found, "unexpected-count"), set.unexpected);
            CHECK_EQ(fact(&found, "recovered-count"), set.recovered);
        }
        esse_arena_free(arena);
    }
}

/* ---- set-full ---- */

TEST(test_set_full__an_element_is_stable_lost_or_never_read)
{
    valid("set-full", ADD("0") READ("[0]"));
    invalid("set-full", ADD("0") READ("[]"));
    invalid("set-full", ADD("0") READ("[0]") READ("[]"));
    unknown("set-full", "");
    unknown("set-full", ADD("0"));
    /* The read that misses it began before the add was acknowledged. */
    unknown("set-full", INVOKE(1, read, "nil") ADD("0") OK(1, read, "[]"));
    /* It is not known whether it was added. */
    unknown("set-full", INVOKE(0, add, "0") INFO(0, add, "0") READ("[]"));
    /* A read proves it. */
    invalid("set-full", INVOKE(0, add, "0") INFO(0, add, "0") READ("[0]") READ("[]"));
}

TEST(test_set_full__stale_elements_count_only_if_asked)
{
    const char *text = ADD("0") READ("[]") READ("[0]");
    struct esse_classic_options options = { .linearizable = true };
    valid("set-full", text);
    tells("set-full", text, "\"stale-count\":1,\"stale\":[0]");
    judges_with("set-full", &options, text, ESSE_VIOLATED);
}

TEST(test_set_full__duplicates_are_found)
{
    invalid("set-full", ADD("7") READ("[7 7]"));
    tells("set-full", ADD("7") READ("[7 7]") READ("[7 7 7]") READ("[7]"),
          "\"duplicated-count\":1,\"duplicated\":{\"7\":3}");
}

TEST(test_set_full__latencies_are_whole_milliseconds)
{
    tells("set-full",
          "{:type :invoke :process 0 :f :add :value 0 :time 0}"
          "{:type :ok :process 0 :f :add :value 0 :time 1000000}"
          "{:type :invoke :process 1 :f :read :time 6000000}"
          "{:type :ok :process 1 :f :read :value [] :time 7000000}"
          "{:type :invoke :process 1 :f :read :time 8000000}"
          "{:type :ok :process 1 :f :read :value [0] :time 9000000}",
          "\"stable-latencies\":{\"0\":5,\"0.5\":5,\"0.95\":5,\"0.99\":5,\"1\":5}");
}

TEST(test_set_full__an_unpaired_read_proves_no_absence)
{
    unknown("set-full", ADD("0") OK(5, read, "[]"));
    valid("set-full", ADD("0") OK(5, read, "[0]"));
}

TEST(test_set_full__agrees_with_its_definition)
{
    for (unsigned seed = test_first(1000), after = seed + test_rounds(1000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_oplog *log = log_of(arena, simulate(arena, &set_workload, seed, 4 + seed % 30));
        int64_t counts[3] = { 0 }, stale = 0;
        for (uint32_t op = 0; op < log->count; op++) {
            bool is_stale;
            if (!is_op(log, op, ESSE_INVOKE, ESSE_VERB_ADD))
                continue;
            counts[oracle_element(log, op, &is_stale)]++;
            stale += is_stale;
        }
        if (counts[0] + counts[1] + counts[2] > 0) {
            struct esse_findings found = check_log(arena, "set-full", log, NULL);
            CHECK_EQ(fact(&found, "stable-count"), counts[ORACLE_STABLE]);
            CHECK_EQ(fact(&found, "lost-count"), counts[ORACLE_LOST]);
            CHECK_EQ(fact(&found, "never-read-count"), counts[ORACLE_NEVER_READ]);
            CHECK_EQ(fact(&found, "stale-count"), stale);
            CHECK_EQ(found.outcome, counts[ORACLE_LOST]     ? ESSE_VIOLATED
                                    : counts[ORACLE_STABLE] ? ESSE_HOLDS
                                                            : ESSE_UNKNOWN);
        }
        esse_arena_free(arena);
    }
}

/* ---- counter ---- */

TEST(test_counter__reads_are_within_bounds)
{
    valid("counter", "");
    valid("counter", ADD("1") ADD("2") READ("3"));
    valid("counter", READ("0"));
    valid("counter", ADD("1"));
    invalid("counter", ADD("1") READ("0"));
    invalid("counter", ADD("1") READ("2"));
    valid("counter", INVOKE(0, add, "1") READ("0") READ("1") OK(0, add, "1") READ("1"));
    invalid("counter", INVOKE(0, add, "1") FAIL(0, add, "1") READ("1"));
    valid("counter", INVOKE(0, add, "1") INFO(0, add, "1") READ("0") READ("1"));
    tells("counter", ADD("1") READ("5"), "\"reads\":[[1,5,1]],\"errors\":[[1,5,1]]");
}

TEST(test_counter__decrements_widen_the_lower_bound)
{
    valid("counter", ADD("5") INVOKE(2, add, "-2") READ("3") READ("5"));
    invalid("counter", ADD("5") INVOKE(2, add, "-2") READ("2"));
    valid("counter", ADD("5") ADD("-2") READ("3"));
    invalid("counter", ADD("5") ADD("-2") READ("5"));
}

TEST(test_counter__an_unpaired_half_widens_bounds)
{
    valid("counter", OK(5, read, "3") OK(0, add, "3"));
    valid("counter", ADD("3") OK(5, read, "0"));
    invalid("counter", ADD("3") OK(5, read, "4"));
}

TEST(test_counter__refuses_what_is_not_a_number)
{
    refuses("counter", ADD("\"x\""),
            "1:1: the :add has value \"x\", expected an integer; this "
            "looks like set or counter (esse classic set, esse classic "
            "counter)");
    refuses("counter", ADD("9223372036854775807") ADD("1") READ("0"),
            "3:1: the adds sum up to more than 64 bits");
}

static void counter_invoke(struct sim *sim, struct esse_out *out)
{
    if (pick(sim, 2))
        esse_out_f(out, ":f :add, :value %d", (int)pick(sim, 7) - 2);
    else
        esse_out_text(out, ":f :read, :value nil");
}

static void counter_result(struct sim *sim, struct esse_out *out)
{
    esse_out_i64(out, (int64_t)pick(sim, 20) - 4);
}

TEST(test_counter__agrees_with_its_definition)
{
    static const struct sim_workload workload = { counter_invoke, counter_result };
    for (unsigned seed = test_first(1000), after = seed + test_rounds(1000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_oplog *log = log_of(arena, simulate(arena, &workload, seed, 4 + seed % 30));
        struct esse_findings found = check_log(arena, "counter", log, NULL);
        int64_t errors = 0, least, most, value;
        for (uint32_t op = 0; op < log->count; op++) {
            if (!is_op(log, op, ESSE_DONE_OK, ESSE_VERB_READ))
                continue;
            oracle_bounds(log, op, &least, &most);
            esse_value_as_int(log->values, log->value[op], &value);
            errors += value < least || value > most;
        }
        CHECK_EQ(fact(&found, "error-count"), errors);
        CHECK_EQ(found.outcome, errors ? ESSE_VIOLATED : ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

/* ---- long-fork ---- */

TEST(test_long_fork__finds_incomparable_reads)
{
    valid("long-fork", "");
    valid("long-fork", READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 1 1] [:r 0 1]]"));
    invalid("long-fork", READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 1 1] [:r 0 nil]]"));
    /* Two groups have nothing to do with each other. */
    valid("long-fork", READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 1 1] [:r 2 nil]]"));
    tells("long-fork",
          READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 1 1] [:r 0 nil]]")
              READ("[[:r 0 nil] [:r 1]]") READ("[[:r 0 1] [:r 1 1]]"),
          "\"fork-count\":2,\"reads-count\":5,\"early-read-count\":1,\"late-read-count\":1");
}

TEST(test_long_fork__is_unknown_if_a_key_has_two_values)
{
    unknown("long-fork", INVOKE(0, write, "[[:w 0 1]]") INVOKE(1, write, "[[:w 0 2]]"));
    unknown("long-fork", READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 0 2] [:r 1 nil]]"));
    valid("long-fork", INVOKE(0, write, "[[:w 0 1]]") OK(0, write, "[[:w 0 1]]"));
}

TEST(test_long_fork__reads_must_have_the_size_of_the_group)
{
    struct esse_classic_options options = { .group_size = 3 };
    refuses("long-fork", READ("[[:r 0 1] [:r 1 nil]]") READ("[[:r 0 1]]"),
            "4:1: the read has 1 keys, expected every read to have 2; this looks like rw-register "
            "(esse check)");
    refuses_with("long-fork", &options, READ("[[:r 0 1] [:r 1 nil]]"),
                 "2:1: the read has 2 keys, expected every read to have 3 (--group-size)");
    refuses("long-fork", OK(0, txn, "[[:append 0 1]]"),
            "1:1: found no transactions like [[:r 0 nil] [:r 1 nil]] or [[:w 0 1]], which "
            "long-fork checks; this looks like list-append (esse check)");
}

static void fork_invoke(struct sim *sim, struct esse_out *out)
{
    (void)sim;
    esse_out_text(out, ":f :read, :value [[:r 0 nil] [:r 1 nil] [:r 2 nil]]");
}

static void fork_result(struct sim *sim, struct esse_out *out)
{
    static const char *const values[] = { "nil", "1" };
    esse_out_f(out, "[[:r 0 %s] [:r 1 %s] [:r 2 %s]]", values[pick(sim, 4) > 0],
               values[pick(sim, 3) > 0], values[pick(sim, 4) == 0]);
}

/* Which of the keys 0, 1, 2 the read saw, as bits. */
static unsigned seen_keys(const struct esse_oplog *log, uint32_t read)
{
    uint32_t count;
    unsigned seen = 0;
    const esse_value *mops = esse_value_parts(log->values, log->value[read], &count);
    for (uint32_t i = 0; i < count; i++)
        seen |=
            (unsigned)!esse_value_eq(esse_value_parts(log->values, mops[i], &count)[2], ESSE_NIL)
            << i;
    return seen;
}

TEST(test_long_fork__agrees_with_its_definition)
{
    static const struct sim_workload workload = { fork_invoke, fork_result };
    for (unsigned seed = test_first(500), after = seed + test_rounds(500); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_oplog *log = log_of(arena, simulate(arena, &workload, seed, 1 + seed % 16));
        struct esse_findings found = check_log(arena, "long-fork", log, NULL);
        int64_t forks = 0;
        for (uint32_t a = 0; a < log->count; a++) {
            for (uint32_t b = a + 1; b < log->count; b++) {
                if (log->type[a] != ESSE_DONE_OK || log->type[b] != ESSE_DONE_OK)
                    continue;
                unsigned x = seen_keys(log, a), y = seen_keys(log, b);
                forks += (x & ~y) && (y & ~x);
            }
        }
        CHECK_EQ(fact(&found, "fork-count"), forks);
        CHECK_EQ(found.outcome, forks ? ESSE_VIOLATED : ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

/* ---- comments ---- */

TEST(test_comments__a_read_shows_what_completed_before_what_it_shows)
{
    valid("comments", "");
    valid("comments", WRITE("1") WRITE("2") READ("[1 2]"));
    valid("comments", WRITE("1") WRITE("2") READ("[1]"));
    valid("comments", WRITE("1") WRITE("2") READ("nil"));
    invalid("comments", WRITE("1") WRITE("2") READ("[2]"));
    invalid("comments", WRITE("1") WRITE("2") READ("#{2}"));
    valid("comments", INVOKE(0, write, "1") INVOKE(2, write, "2") OK(0, write, "1")
                          OK(2, write, "2") READ("[2]"));
    valid("comments", INVOKE(0, write, "1") INFO(0, write, "1") INVOKE(2, write, "2")
                          OK(2, write, "2") READ("[2]"));
    valid("comments", WRITE("1") READ("[1 1 1]"));
    tells("comments", WRITE("1") WRITE("2") WRITE("3") READ("[3 3]"),
          "\"missing\":[1,2],\"expected-count\":2,\"seen\":3");
}

TEST(test_comments__a_failed_attempt_does_not_make_a_write_earlier)
{
    invalid("comments",
            INVOKE(0, write, "2") FAIL(0, write, "2") WRITE("1") WRITE("2") READ("[2]"));
}

static void comments_invoke(struct sim *sim, struct esse_out *out)
{
    if (pick(sim, 3))
        esse_out_f(out, ":f :write, :value %d", sim->next++);
    else
        esse_out_text(out, ":f :read, :value nil");
}

TEST(test_comments__agrees_with_its_definition)
{
    static const struct sim_workload workload = { comments_invoke, set_result };
    for (unsigned seed = test_first(1000), after = seed + test_rounds(1000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_oplog *log = log_of(arena, simulate(arena, &workload, seed, 4 + seed % 30));
        bool writes = false;
        int64_t errors = 0;
        for (uint32_t op = 0; op < log->count; op++) {
            writes = writes || log->verb[op] == ESSE_VERB_WRITE;
            errors += is_op(log, op, ESSE_DONE_OK, ESSE_VERB_READ) && oracle_missing(log, op) > 0;
        }
        if (writes) {
            struct esse_findings found = check_log(arena, "comments", log, NULL);
            CHECK_EQ(fact(&found, "error-count"), errors);
            CHECK_EQ(found.outcome, errors ? ESSE_VIOLATED : ESSE_HOLDS);
        }
        esse_arena_free(arena);
    }
}

/* ---- sequential ---- */

TEST(test_sequential__a_nil_after_an_element_is_bad)
{
    valid("sequential", "");
    valid("sequential", READ("[0 [\"0_2\" \"0_1\" \"0_0\"]]"));
    valid("sequential", READ("[0 [nil \"0_1\" \"0_0\"]]") READ("[1 [nil nil]]") READ("[1 nil]"));
    invalid("sequential", READ("[0 [\"0_2\" nil \"0_0\"]]"));
    tells("sequential",
          READ("[7 [\"7_1\" \"7_0\"]]") READ("[7 [nil \"7_0\"]]") READ("[7 [nil nil]]")
              READ("[7 [\"7_1\" nil]]"),
          "\"all-count\":1,\"some-count\":3,\"none-count\":1,\"bad-count\":1,\"bad\":[[7,[\"7_1\","
          "null]]]");
    refuses("sequential", READ("[0 5]"),
            "2:1: the :read returned [0 5], expected [key [element "
            "...]]");
}

TEST(test_sequential__all_means_the_given_number_of_keys)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_classic_options options = { .key_count = 3 };
    const char *text = READ("[7 [\"7_1\" \"7_0\"]]") READ("[7 [\"7_2\" \"7_1\" \"7_0\"]]");
    struct esse_findings found = check_text(arena, "sequential", text, &options);
    CHECK_EQ(fact(&found, "all-count"), 1);
    esse_arena_free(arena);
}

/* ---- the wrong checker, and independent keys ---- */

TEST(test_classic__the_wrong_checker_is_refused_with_a_hint)
{
    refuses("set", READ("{0 10}"),
            "1:1: found no :add operations, which set checks; this looks "
            "like bank (esse classic bank)");
    refuses("bank", ADD("0") READ("[0]"),
            "4:1: the :read returned [0], expected a map of accounts; this looks like set (esse "
            "classic set, or set-full if it is read all the time)");
    refuses("set", ADD("0") READ("3"),
            "4:1: the :read returned 3, expected a collection of "
            "elements; this looks like counter (esse classic counter)");
    refuses("set", WRITE("0") READ("[0]"),
            "1:1: found no :add operations, which set checks; this "
            "looks like comments (esse classic comments)");
    refuses("set", INVOKE(0, add, "[0 1]") INVOKE(1, read, "[0 nil]") OK(1, read, "[0 [1]]"),
            "1:1: found only values like [key value]; this looks like sequential (esse classic "
            "sequential), or like one of independent keys (--independent)");
    refuses("comments", INVOKE(0, acquire, "nil"),
            "1:1: found no :write operations, which comments checks; this looks like mutex, a "
            "question of linearizability that this command does not answer");
}

TEST(test_classic__independent_keys_are_checked_on_their_own)
{
    struct esse_classic_options options = { .independent = true };
    const char *good = ADD("[0 1]") ADD("[1 5]") INVOKE(1, read, "[0 nil]") OK(1, read, "[0 1]")
        INVOKE(2, read, "[1 nil]") OK(2, read, "[1 5]");
    judges_with("counter", &options, good, ESSE_HOLDS);
    judges_with("counter", &options, ADD("[0 1]") INVOKE(1, read, "[1 nil]") OK(1, read, "[1 1]"),
                ESSE_VIOLATED);
    judges_with("set", &options,
                ADD("[0 1]") ADD("[1 5]") INVOKE(1, read, "[0 nil]") OK(1, read, "[0 [1]]"),
                ESSE_UNKNOWN);
    judges_with("set", &options,
                ADD("[0 1]") ADD("[1 5]") INVOKE(1, read, "[0 nil]") OK(1, read, "[0 []]"),
                ESSE_VIOLATED);
    judges_with("counter", &options, INVOKE(0, add, "[0 1]") "{:type :info :process 0 :f :add}",
                ESSE_HOLDS);
    refuses_with("counter", &options, ADD("[0 1]") READ("1"),
                 "3:1: the value is not a pair, expected [key value] (--independent)");
    refuses_with("counter", &options, INVOKE(0, add, "[0 1]") OK(0, add, "[1 1]"),
                 "2:1: the key is not that of the invocation on line 1");
}

TEST(test_classic__every_checker_has_a_name_and_an_empty_history)
{
    for (size_t i = 0; esse_classics[i]; i++) {
        struct esse_arena *arena = esse_arena_new();
        CHECK(esse_classic_find(esse_classics[i]->name) == esse_classics[i]);
        struct esse_findings found = check_text(arena, esse_classics[i]->name, "", NULL);
        CHECK(found.outcome != ESSE_VIOLATED);
        esse_arena_free(arena);
    }
    CHECK(!esse_classic_find("sets"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oplog__completions_are_paired_by_process),
        cmocka_unit_test(test_oplog__without_processes_pairs_are_made_only_where_there_is_no_doubt),
        cmocka_unit_test(test_oplog__other_processes_are_dropped_and_counted),
        cmocka_unit_test(test_oplog__json_and_edn_give_the_same_log),
        cmocka_unit_test(test_oplog__malformed_input_is_refused_with_its_place),
        cmocka_unit_test(test_bank__is_valid_while_the_total_stays),
        cmocka_unit_test(test_bank__each_kind_of_error_is_told_once_a_read),
        cmocka_unit_test(test_bank__options_override_what_is_inferred),
        cmocka_unit_test(test_bank__refuses_what_has_no_sum),
        cmocka_unit_test(test_bank__agrees_with_its_definition),
        cmocka_unit_test(test_set__tells_lost_unexpected_and_recovered),
        cmocka_unit_test(test_set__is_unknown_if_it_was_never_read),
        cmocka_unit_test(test_set__takes_completions_without_invocations),
        cmocka_unit_test(test_set__agrees_with_its_definition),
        cmocka_unit_test(test_set_full__an_element_is_stable_lost_or_never_read),
        cmocka_unit_test(test_set_full__stale_elements_count_only_if_asked),
        cmocka_unit_test(test_set_full__duplicates_are_found),
        cmocka_unit_test(test_set_full__latencies_are_whole_milliseconds),
        cmocka_unit_test(test_set_full__an_unpaired_read_proves_no_absence),
        cmocka_unit_test(test_set_full__agrees_with_its_definition),
        cmocka_unit_test(test_counter__reads_are_within_bounds),
        cmocka_unit_test(test_counter__decrements_widen_the_lower_bound),
        cmocka_unit_test(test_counter__an_unpaired_half_widens_bounds),
        cmocka_unit_test(test_counter__refuses_what_is_not_a_number),
        cmocka_unit_test(test_counter__agrees_with_its_definition),
        cmocka_unit_test(test_long_fork__finds_incomparable_reads),
        cmocka_unit_test(test_long_fork__is_unknown_if_a_key_has_two_values),
        cmocka_unit_test(test_long_fork__reads_must_have_the_size_of_the_group),
        cmocka_unit_test(test_long_fork__agrees_with_its_definition),
        cmocka_unit_test(test_comments__a_read_shows_what_completed_before_what_it_shows),
        cmocka_unit_test(test_comments__a_failed_attempt_does_not_make_a_write_earlier),
        cmocka_unit_test(test_comments__agrees_with_its_definition),
        cmocka_unit_test(test_sequential__a_nil_after_an_element_is_bad),
        cmocka_unit_test(test_sequential__all_means_the_given_number_of_keys),
        cmocka_unit_test(test_classic__the_wrong_checker_is_refused_with_a_hint),
        cmocka_unit_test(test_classic__independent_keys_are_checked_on_their_own),
        cmocka_unit_test(test_classic__every_checker_has_a_name_and_an_empty_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
