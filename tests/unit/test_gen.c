#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"
#include "gen_oracle_checks.h"
#include "gen_oracle_shapes.h"
#include "generate/execute.h"
#include "generate/gen.h"

enum { SEEDS = 300 };

/* A contended little history: many sessions on few keys. */
static struct esse_gen_options small_options(enum esse_gen_workload workload,
                                             enum esse_store_level level, uint64_t seed)
{
    struct esse_gen_options options = esse_gen_defaults(esse_gen_workload_names[workload]);
    options.level = level;
    options.txns = 8;
    options.work.ops = 4;
    options.work.ops_spread = 2;
    options.work.keys = workload == ESSE_GEN_PREDICATE ? 4 : 3;
    options.work.sessions = 4;
    options.work.seed = seed;
    options.work.rmw_share = 0.3;
    options.work.aggregate_share = seed % 2 ? 0.3 : 0;
    options.work.max_writes = workload == ESSE_GEN_LIST_APPEND ? 8 : 0;
    options.has_certificate = options.has_server_times = true;
    return options;
}

static struct oracle *generate(struct esse_arena *arena, const struct esse_gen_options *options)
{
    struct oracle *o = oracle_new(arena);
    struct esse_error err = { 0 };
    if (!esse_gen_run(options, &o->sink, NULL, &err))
        fail_msg("%s", err.text);
    oracle_build(o);
    oracle_find_orderless(o);
    return o;
}

static const char *const aborted_or_garbage[] = { "G1a", "G1b", "garbage-read", NULL };

static bool has_any(const struct oracle *o, const char *const *names)
{
    for (; *names; names++)
        if (oracle_has(o, *names))
            return true;
    return false;
}

/* semantics.md, section 3. */
static bool satisfies(const struct oracle *o, enum esse_store_level level)
{
    const int items = WW | WR | WRP, all = items | RW | RWP;
    switch (level) {
    case ESSE_STORE_READ_UNCOMMITTED:
        return oracle_acyclic(o, WW);
    case ESSE_STORE_READ_COMMITTED:
        return !has_any(o, aborted_or_garbage) && oracle_acyclic(o, items);
    case ESSE_STORE_SNAPSHOT_ISOLATION:
        return !has_any(o, aborted_or_garbage) && !oracle_has(o, "internal") &&
               oracle_si_acyclic(o, items);
    case ESSE_STORE_SERIALIZABLE:
        return !has_any(o, aborted_or_garbage) && !oracle_has(o, "internal") &&
               oracle_acyclic(o, all);
    default:
        return !has_any(o, aborted_or_garbage) && !oracle_has(o, "internal") &&
               oracle_acyclic(o, all | SO | RT);
    }
}

/* Stronger than satisfies(): the store's own account of itself must explain the history. */
static void check_account(const struct oracle *o, enum esse_store_level level)
{
    assert_int_equal(o->has_order, level >= ESSE_STORE_SERIALIZABLE);
    if (level == ESSE_STORE_SNAPSHOT_ISOLATION)
        assert_true(oracle_snapshots(o));
    if (o->has_order)
        assert_true(oracle_replay(o));
    if (level == ESSE_STORE_STRICT_SERIALIZABLE)
        assert_true(oracle_order_keeps(o, SO | RT));
}

static void check_sound(enum esse_store_level level, double aborts, double crashes, double reads)
{
    for (unsigned w = 0; w < ESSE_GEN_WORKLOADS; w++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct esse_arena *arena = esse_arena_new();
            struct esse_gen_options options = small_options((enum esse_gen_workload)w, level, seed);
            options.work.abort_share = aborts;
            options.crash_share = crashes;
            options.work.read_share = reads;
            struct oracle *o = generate(arena, &options);
            if (!satisfies(o, level))
                fail_msg("%s, %s, seed %d", esse_gen_workload_names[w],
                         esse_store_traits[level].name, (int)seed);
            check_account(o, level);
            esse_arena_free(arena);
        }
}

static void test_gen__every_level_is_what_it_says(void **state)
{
    (void)state;
    for (unsigned level = 0; level < ESSE_STORE_LEVELS; level++)
        check_sound((enum esse_store_level)level, 0, 0, 0.5);
}

static void test_gen__every_level_stands_aborts_and_crashes(void **state)
{
    (void)state;
    for (unsigned level = 0; level < ESSE_STORE_LEVELS; level++) {
        check_sound((enum esse_store_level)level, 0.2, 0.2, 0.4);
        check_sound((enum esse_store_level)level, 0, 0.6, 0.7);
    }
}

/* How many of the seeds give a history that shows 'what'. */
static int count_showing(enum esse_gen_workload workload, enum esse_store_level level,
                         double aborts, bool (*shows)(struct oracle *))
{
    int count = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_gen_options options = small_options(workload, level, seed);
        options.work.abort_share = aborts;
        count += shows(generate(arena, &options));
        esse_arena_free(arena);
    }
    return count;
}

static bool shows_dirty_read(struct oracle *o)
{
    return oracle_has(o, "G1a");
}

static bool shows_lost_update(struct oracle *o)
{
    return oracle_has(o, "lost-update");
}

static bool shows_unrepeatable_read(struct oracle *o)
{
    return oracle_has(o, "internal");
}

static bool shows_write_skew(struct oracle *o)
{
    return !oracle_acyclic(o, WW | WR | WRP | RW | RWP) && oracle_si_acyclic(o, WW | WR | WRP);
}

static bool shows_staleness(struct oracle *o)
{
    return !oracle_acyclic(o, WW | WR | RW | RT);
}

static bool shows_broken_session(struct oracle *o)
{
    return !oracle_acyclic(o, WW | WR | RW | SO);
}

static void test_gen__weak_levels_show_their_anomalies(void **state)
{
    (void)state;
    for (unsigned w = 0; w < ESSE_GEN_WORKLOADS; w++) {
        enum esse_gen_workload workload = (enum esse_gen_workload)w;
        assert_true(count_showing(workload, ESSE_STORE_READ_UNCOMMITTED, 0.3, shows_dirty_read));
        assert_true(count_showing(workload, ESSE_STORE_READ_COMMITTED, 0, shows_lost_update));
        assert_true(count_showing(workload, ESSE_STORE_READ_COMMITTED, 0, shows_unrepeatable_read));
        assert_true(count_showing(workload, ESSE_STORE_SNAPSHOT_ISOLATION, 0, shows_write_skew));
        assert_true(count_showing(workload, ESSE_STORE_SERIALIZABLE, 0, shows_staleness));
        assert_true(count_showing(workload, ESSE_STORE_SERIALIZABLE, 0, shows_broken_session));
    }
}

/* A predicate operation returns exactly those rows of its version set that match, or an aggregate
 * over them. */
static void check_vset(const struct oracle *o, const struct esse_txn_record *txn,
                       const struct esse_op_record *op)
{
    esse_value values[ORACLE_KEYS];
    size_t matching = 0;
    assert_true(op->has_vset);
    for (size_t i = 0; i < op->vset_count; i++)
        values[i] = txn->rows[op->vset_first + i].value;
    if (op->no_rows) {
        assert_true(oracle_aggregate_agrees(o, txn, op, values, op->vset_count));
        return;
    }
    for (size_t i = 0; i < op->vset_count; i++) {
        const struct esse_row *row = &txn->rows[op->vset_first + i];
        if (!oracle_range(o, op, row->value))
            continue;
        assert_true(matching < op->count);
        assert_true(esse_value_eq(row->key, txn->rows[op->first + matching].key));
        assert_true(esse_value_eq(row->value, txn->rows[op->first + matching].value));
        matching++;
    }
    assert_int_equal(matching, op->count);
}

static void test_gen__version_sets_explain_the_rows(void **state)
{
    (void)state;
    int checked = 0, aggregates = 0;
    for (unsigned level = 0; level < ESSE_STORE_LEVELS; level++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            struct esse_arena *arena = esse_arena_new();
            struct esse_gen_options options =
                small_options(ESSE_GEN_PREDICATE, (enum esse_store_level)level, seed);
            options.has_vsets = true;
            struct oracle *o = generate(arena, &options);
            for (int t = 0; t < o->txn_count; t++)
                for (size_t i = 0; i < o->txns[t].record.op_count; i++)
                    if (o->txns[t].record.ops[i].kind >= ESSE_OP_PREDICATE_READ) {
                        check_vset(o, &o->txns[t].record, &o->txns[t].record.ops[i]);
                        checked++;
                        aggregates += o->txns[t].record.ops[i].no_rows;
                    }
            esse_arena_free(arena);
        }
    assert_true(checked > 500);
    assert_true(aggregates > 50);
}

static void test_gen__oracle_rejects_a_wrong_certificate(void **state)
{
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    int refused = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct esse_gen_options options =
            small_options(ESSE_GEN_RW_REGISTER, ESSE_STORE_STRICT_SERIALIZABLE, seed);
        struct oracle *o = generate(arena, &options);
        for (int i = 0; i < o->order_count / 2; i++) {
            int other = o->order[o->order_count - 1 - i];
            o->order[o->order_count - 1 - i] = o->order[i];
            o->order[i] = other;
        }
        refused += !oracle_replay(o);
    }
    assert_true(refused > 25);
    esse_arena_free(arena);
}

/* ---- planted anomalies ---- */

/* What a plant shows besides, or instead of, the name it is asked for by. */
static const struct {
    const char *name;
    unsigned workloads;
    const char *shows[3];
} shown[] = {
    { "G1b", 1 << ESSE_GEN_LIST_APPEND, { "G1b", "G-single-item" } },
    { "G-single", 3, { "G-single-item" } },
    { "G-nonadjacent", 3, { "G-nonadjacent-item" } },
    { "G-single-process", 3, { "G-single-item-process" } },
    { "G-single-realtime", 3, { "G-single-item-realtime" } },
    { "G-nonadjacent-process", 3, { "G-nonadjacent-item-process" } },
    { "G-nonadjacent-realtime", 3, { "G-nonadjacent-item-realtime" } },
    { "write-skew", 7, { "G2-item" } },
    { "lost-update", 7, { "lost-update", "G-single-item" } },
    { "dirty-update", 1 << ESSE_GEN_LIST_APPEND, { "dirty-update", "G1a" } },
    { "cyclic-versions", 7, { "cyclic-versions", "G1c" } },
    { "fractured-read", 7, { "G-single-item" } },
    { "causality", 7, { "G-single-item" } },
    { "long-fork", 7, { "G-nonadjacent-item" } },
    { "phantom", 7, { "G-single" } },
    { "own-write-missed", 7, { "internal" } },
    { "axiomatic-read-committed-cycle", 7, { "G-single-item" } },
    { "monotonic-atomic-view-cycle", 7, { "G-single-item" } },
    { "read-atomic-cycle", 7, { "G-single-item" } },
    { "update-atomic-cycle", 7, { "G-single-item" } },
    { "causal-cerone-cycle", 7, { "G-single-item" } },
    { "causal-cycle", 7, { "G-single-item" } },
    { "prefix-cycle", 7, { "G-single-item" } },
    { "parallel-snapshot-isolation-cycle", 7, { "G-single-item" } },
    { "PRAM-cycle", 7, { "G-single-item-process" } },
    { "read-your-writes-cycle", 7, { "G-single-item-process" } },
    { "monotonic-reads-cycle", 7, { "G-single-item-process" } },
    { "monotonic-writes-cycle", 7, { "G0-process" } },
    { "writes-follow-reads-cycle", 7, { "G1c" } },
    /* The order of versions that the certificate has is one of those that do not do. */
    { "serializable-no-order", 7, { "G-single-item" } },
    { "repeatable-read-no-order", 7, { "G-single-item" } },
    { "snapshot-isolation-no-order", 7, { "G-single-item" } },
    { "consistent-view-no-order", 7, { "G-single-item" } },
    { "prefix-no-order", 7, { "G-nonadjacent-item" } },
    { "parallel-snapshot-isolation-no-order", 7, { "G-single-item", "G-nonadjacent-item" } },
    { "causal-cerone-no-order", 7, { "G-single" } },
    { "read-atomic-no-order", 7, { "G-single" } },
    { "strong-session-serializable-no-order", 7, { "G-single-item-process" } },
    { "strong-session-snapshot-isolation-no-order", 7, { "G-single-item-process" } },
    { "strict-serializable-no-order", 7, { "G-single-item-realtime" } },
    { "strong-snapshot-isolation-no-order", 7, { "G-single-item-realtime" } },
    /* Timestamps contradict these; dependencies do not. */
    { "order-mismatch", 7, { NULL } },
    { "order-mismatch-process", 7, { NULL } },
    { "order-mismatch-realtime", 7, { NULL } },
    { "snapshot-mismatch", 7, { NULL } },
    { "snapshot-mismatch-process", 7, { NULL } },
    { "snapshot-mismatch-realtime", 7, { NULL } },
    { "GSIa", 7, { NULL } },
    { "GSIb", 7, { NULL } },
    { "GSI", 7, { NULL } },
    { "G1", 7, { "G1a" } },
    { "G1-process", 7, { "G1c-process" } },
    { "G1-realtime", 7, { "G1c-realtime" } },
    { "G-cursor", 7, { "lost-update", "G-single-item" } },
    { "G-monotonic", 7, { "G-single-item" } },
    { "G-MSR", 7, { "G-single-item" } },
    { "G-update", 7, { "G2-item" } },
    { "G-SI", 7, { "G-single-item" } },
    { "G-SIb", 7, { "G-single-item" } },
};

static int expect_shown(const struct oracle *o, const char *name, enum esse_gen_workload workload)
{
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        if (strcmp(shown[i].name, name) != 0 || !(shown[i].workloads & 1u << workload))
            continue;
        int count = 0;
        for (; count < 3 && shown[i].shows[count]; count++)
            if (!oracle_has(o, shown[i].shows[count]))
                fail_msg("%s does not show %s", name, shown[i].shows[count]);
        return count;
    }
    if (!oracle_has(o, name))
        fail_msg("%s in %s is not there", name, esse_gen_workload_names[workload]);
    return 1;
}

/* Some snapshot is older than the commit of a transaction that precedes it. */
static bool snapshots_keep(const struct oracle *o, int types)
{
    for (int a = 0; a < o->txn_count; a++)
        for (int b = 0; b < o->txn_count; b++)
            if (o->edges[a][b] & types && o->txns[a].record.status == ESSE_COMMITTED &&
                o->txns[b].record.status == ESSE_COMMITTED &&
                o->txns[a].record.commit_ts > o->txns[b].record.start_ts)
                return false;
    return true;
}

/* What the store says of its commits: it explains the history, except for what is named. */
static void check_stamps(const struct oracle *o, const struct esse_gen_anomaly *anomaly)
{
    const bool is_process = strstr(anomaly->name, "-process");
    const bool is_ordered = is_process || strstr(anomaly->name, "-realtime");
    if (anomaly->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP) {
        assert_int_equal(oracle_replay(o), is_ordered);
        assert_int_equal(oracle_order_keeps(o, is_process ? SO : RT), !is_ordered);
    } else if (anomaly->needs & ESSE_GEN_NEEDS_TIMESTAMPS) {
        assert_int_equal(oracle_snapshots(o), is_ordered);
        assert_int_equal(snapshots_keep(o, is_process ? SO : RT), !is_ordered);
    }
}

static void check_plant(const struct esse_gen_anomaly *anomaly, enum esse_gen_workload workload)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen_options options = small_options(workload, ESSE_STORE_STRICT_SERIALIZABLE, 7);
    options.work.sessions = 2;
    struct esse_gen_plant plant = { anomaly, 4 };
    if (anomaly->needs & ESSE_GEN_NEEDS_TIMESTAMPS)
        options.certifies = ESSE_CERTIFICATE_TIMESTAMPS;
    options.has_one_timestamp = anomaly->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP;
    if (anomaly->store) {
        options.work.sessions = 1; /* two would show what the level permits */
        assert_true(esse_store_level_find(anomaly->store, &options.level));
    }
    options.plants = &plant;
    options.plant_count = 1;
    struct oracle *o = generate(arena, &options);
    check_stamps(o, anomaly); /* the cycles that are found are taken out */
    oracle_find_cycles(o);
    int expected = expect_shown(o, anomaly->name, workload);
    if (o->found_count != expected)
        for (int i = 0; i < o->found_count; i++)
            print_error("%s in %s shows %s\n", anomaly->name, esse_gen_workload_names[workload],
                        o->found[i]);
    assert_int_equal(o->found_count, expected);
    esse_arena_free(arena);
}

static void test_gen__a_plant_shows_its_anomaly_and_no_other(void **state)
{
    (void)state;
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
        for (unsigned w = 0; w < ESSE_GEN_WORKLOADS; w++)
            if (row->workloads & 1u << w)
                check_plant(row, (enum esse_gen_workload)w);
}

static void test_gen__plants_are_parsed_with_their_positions(void **state)
{
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_gen_options options = esse_gen_defaults("list-append");
    options.txns = 200;
    assert_true(esse_gen_plants_parse(arena, "G1a@25%,G0@7,internal@0.75,G1c", &options, &err));
    assert_int_equal(options.plant_count, 4);
    const uint64_t at[] = { 7, 50, 100, 150 };
    const char *const names[] = { "G0", "G1a", "G1c", "internal" };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(options.plants[i].at, at[i]);
        assert_string_equal(options.plants[i].anomaly->name, names[i]);
    }
    static const char *const wrong[] = { "G9",       "G1a@x", "G1a@201", "G1a@-1",
                                         "G1a@101%", "",      "G2",      "cyclic-versions" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(esse_gen_plants_parse(arena, wrong[i], &options, &err));
        assert_int_equal(err.code, ESSE_EUSAGE);
    }
    assert_non_null(strstr(err.text, "rw-register"));
    esse_arena_free(arena);
}

/* ---- determinism, options, budget ---- */

struct digest {
    struct esse_sink sink;
    uint64_t hash, txns, ops, aborted, unknown, lost_reads, named, max_key, longest;
    uint64_t stop_after;
};

static void mix(struct digest *digest, uint64_t word)
{
    digest->hash = (digest->hash ^ word) * 0x100000001b3u;
    digest->hash ^= digest->hash >> 29;
}

static bool digest_header(struct esse_sink *sink, const struct esse_header_record *header,
                          struct esse_error *err)
{
    (void)header, (void)err;
    mix((struct digest *)sink, 1);
    return true;
}

static bool digest_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                        struct esse_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        mix((struct digest *)sink, rows[i].key.word * 31 + rows[i].value.word);
    return true;
}

static bool digest_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    struct digest *digest = (struct digest *)sink;
    (void)err;
    digest->txns++;
    digest->ops += txn->op_count;
    digest->aborted += txn->status == ESSE_ABORTED;
    digest->unknown += txn->status == ESSE_UNKNOWN_OUTCOME;
    digest->named += !esse_value_eq(txn->name, ESSE_NONE);
    mix(digest, txn->session.word ^ (uint64_t)txn->start ^ (uint64_t)txn->end << 20);
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        mix(digest, (uint64_t)op->kind << 60 ^ op->key.word ^ op->value.word << 8 ^ op->count);
        digest->lost_reads +=
            op->kind == ESSE_OP_READ && !op->is_list && esse_value_eq(op->value, ESSE_NONE);
        if (op->kind < ESSE_OP_PREDICATE_READ && op->key.word >> 3 > digest->max_key)
            digest->max_key = op->key.word >> 3;
        if (op->is_list && op->count > digest->longest)
            digest->longest = op->count;
        for (size_t r = 0; op->is_list && r < op->count; r++)
            mix(digest, txn->items[op->first + r].word);
    }
    if (digest->stop_after && digest->txns >= digest->stop_after) {
        snprintf(err->text, sizeof err->text, "the disk is full");
        err->code = ESSE_EIO;
        return false;
    }
    return true;
}

static bool digest_versions(struct esse_sink *sink, esse_value key,
                            const struct esse_version_ref *versions, size_t count,
                            struct esse_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        mix((struct digest *)sink, key.word ^ versions[i].value.word << 16 ^ versions[i].txn.word);
    return true;
}

static bool digest_order(struct esse_sink *sink, const esse_value *names, size_t count,
                         struct esse_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        mix((struct digest *)sink, names[i].word);
    return true;
}

static bool digest_finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)err;
    mix((struct digest *)sink, 2);
    return true;
}

static struct digest digest_sink(struct esse_arena *arena)
{
    return (struct digest){ .sink = { .values = esse_values_new(arena),
                                      .header = digest_header,
                                      .init = digest_init,
                                      .txn = digest_txn,
                                      .version_order = digest_versions,
                                      .order = digest_order,
                                      .finish = digest_finish } };
}

static struct digest digest_of(const struct esse_gen_options *options)
{
    struct esse_arena *arena = esse_arena_new();
    struct digest digest = digest_sink(arena);
    struct esse_error err = { 0 };
    if (!esse_gen_run(options, &digest.sink, NULL, &err))
        fail_msg("%s", err.text);
    esse_arena_free(arena);
    digest.sink = (struct esse_sink){ 0 };
    return digest;
}

static void test_gen__same_seed_gives_same_records(void **state)
{
    (void)state;
    for (unsigned w = 0; w < ESSE_GEN_WORKLOADS; w++)
        for (unsigned level = 0; level < ESSE_STORE_LEVELS; level++) {
            struct esse_gen_options options = esse_gen_defaults(esse_gen_workload_names[w]);
            options.level = (enum esse_store_level)level;
            options.work.zipf_theta = w == 1 ? 0.99 : 0;
            options.has_certificate = level & 1;
            options.work.abort_share = options.crash_share = 0.1;
            struct digest first = digest_of(&options), again = digest_of(&options);
            assert_memory_equal(&first, &again, sizeof first);
            options.work.seed = 2;
            struct digest other = digest_of(&options);
            assert_true(first.hash != other.hash);
        }
}

static void test_gen__counts_are_what_was_asked_for(void **state)
{
    (void)state;
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.work.keys = 10;
    options.work.abort_share = 0.2;
    options.crash_share = 0.2;
    struct digest with = digest_of(&options);
    assert_int_equal(with.txns, 1000);
    assert_int_equal(with.ops, 4000);
    assert_true(with.aborted > 150);
    assert_true(with.unknown > 100);
    assert_true(with.lost_reads > 50);
    assert_int_equal(with.named, 0);
    assert_true(with.max_key < 10);
    options.drop_aborted = true;
    struct digest without = digest_of(&options);
    assert_int_equal(without.txns, 1000);
    assert_int_equal(without.aborted, 0);
}

static void test_gen__retired_keys_keep_lists_short(void **state)
{
    (void)state;
    struct esse_gen_options options = esse_gen_defaults("list-append");
    options.work.keys = 2;
    options.level = ESSE_STORE_READ_COMMITTED;
    options.work.max_writes = 10;
    options.txns = 4000;
    options.drop_aborted = true;
    struct digest digest = digest_of(&options);
    assert_true(digest.max_key > 500);
    assert_true(digest.longest >= 10);
    /* A transaction may begin below the limit and append its five. */
    assert_true(digest.longest < 10 + 5);
}

static void test_gen__senseless_options_are_refused(void **state)
{
    (void)state;
    struct esse_gen_options bad[14];
    for (size_t i = 0; i < 12; i++)
        bad[i] = esse_gen_defaults("rw-register");
    for (size_t i = 12; i < 14; i++)
        bad[i] = esse_gen_defaults("tpcc");
    const struct esse_gen_plant overwrite = { &esse_gen_anomalies[1], 10 };
    bad[0].txns = 0;
    bad[1].work.ops = 0;
    bad[2].work.keys = 0;
    bad[3].work.sessions = 0;
    bad[4].work.ops_spread = bad[4].work.ops;
    bad[5].work.read_share = 1.5;
    bad[6].work.abort_share = -0.1;
    bad[7].drop_aborted = true;
    bad[7].work.abort_share = 1;
    bad[8].has_times = false;
    bad[8].has_op_times = true;
    bad[9].has_vsets = true;
    bad[10].work.zipf_theta = -1;
    bad[11].plants = &overwrite; /* needs a certificate */
    bad[11].plant_count = 1;
    bad[12].work.ops--; /* a mix has its own shapes */
    bad[13].work.read_share = 0.5;
    struct esse_arena *arena = esse_arena_new();
    for (size_t i = 0; i < 14; i++) {
        struct digest digest = digest_sink(arena);
        struct esse_error err = { 0 };
        assert_false(esse_gen_run(&bad[i], &digest.sink, NULL, &err));
        assert_int_equal(err.code, ESSE_EUSAGE);
        assert_true(strlen(err.text) > 10);
        assert_int_equal(digest.hash, 0);
    }
    esse_arena_free(arena);
}

static void test_gen__stops_when_told_to(void **state)
{
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.txns = 1000000;
    struct esse_budget budget = { .cancel = 1 };
    struct esse_error err = { 0 };
    struct digest digest = digest_sink(arena);
    assert_false(esse_gen_run(&options, &digest.sink, &budget, &err));
    assert_int_equal(err.code, ESSE_ESTOPPED);
    digest.stop_after = digest.txns + 100;
    assert_false(esse_gen_run(&options, &digest.sink, NULL, &err));
    assert_int_equal(err.code, ESSE_EIO);
    assert_int_equal(digest.txns, digest.stop_after);
    esse_arena_free(arena);
}

/* Those that ask for ever more rows, too. */
static void test_gen__memory_does_not_grow_with_the_history(void **state)
{
    (void)state;
    static const char *const names[] = { "rw-register", "list-append", "predicate",
                                         "long-fork",   "write-skew",  "twitter" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_gen_options options = esse_gen_defaults(names[i]);
        options.txns = 200000;
        options.work.keys = 100;
        /* The memory is the budget: the run would be stopped if it needed more. */
        struct esse_budget budget = { .memory_bytes = esse_arena_in_use() + (2u << 20) };
        struct esse_error err = { 0 };
        struct digest digest = digest_sink(arena);
        if (!esse_gen_run(&options, &digest.sink, &budget, &err))
            fail_msg("%s: %s", names[i], err.text);
        assert_int_equal(digest.txns, options.txns);
        esse_arena_free(arena);
    }
}

/* ---- the workloads of papers, and histories session by session ---- */

static struct shapes *shapes_of(struct esse_arena *arena, const struct esse_gen_options *options)
{
    struct shapes *shapes = shapes_new(arena);
    struct esse_error err = { 0 };
    if (!esse_gen_run(options, &shapes->sink, NULL, &err))
        fail_msg("%s", err.text);
    assert_true(shapes->is_finished);
    return shapes;
}

static struct shapes *workload_shapes(struct esse_arena *arena, const char *name)
{
    struct esse_gen_options options = esse_gen_defaults(name);
    options.txns = 2000;
    options.drop_aborted = true;
    return shapes_of(arena, &options);
}

/* So few keys that tables share them, and that logs come round again and again. */
static void check_workload_sound(const struct esse_live_workload *workload,
                                 enum esse_store_level level, uint64_t seed)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen_options options = esse_gen_defaults(workload->name);
    options.level = level;
    options.txns = 12;
    options.work.keys = (strstr(workload->name, "bank") ? 2 : 1) + seed % 9; /* two accounts */
    options.work.sessions = 4;
    options.work.seed = seed;
    if (seed % 4 == 0)
        options.work.max_writes = 3;
    options.work.abort_share = options.crash_share = seed % 3 ? 0.2 : 0;
    options.by_session = seed % 2;
    options.has_certificate = options.has_server_times = true;
    struct oracle *o = generate(arena, &options);
    if (!satisfies(o, level))
        fail_msg("%s, %s, seed %d", workload->name, esse_store_traits[level].name, (int)seed);
    check_account(o, level);
    esse_arena_free(arena);
}

static void test_gen__workloads_keep_every_level(void **state)
{
    (void)state;
    for (size_t i = 0; esse_workloads[i]; i++)
        for (unsigned level = 0;
             esse_store_can(esse_workloads[i]->needs) && level < ESSE_STORE_LEVELS; level++)
            for (uint64_t seed = 1; seed <= SEEDS / 5; seed++)
                check_workload_sound(esse_workloads[i], (enum esse_store_level)level, seed);
}

static void assert_about(uint64_t got, uint64_t expected)
{
    assert_in_range(got, expected - expected / 4, expected + expected / 4);
}

static void test_gen__blindw_transactions_only_read_or_only_write(void **state)
{
    (void)state;
    static const char *const names[] = { "blindw-rh", "blindw-rw", "blindw-wh" };
    static const uint64_t reads[] = { 1600, 1000, 400 };
    struct esse_arena *arena = esse_arena_new();
    for (size_t i = 0; i < 3; i++) {
        struct shapes *shapes = workload_shapes(arena, names[i]);
        assert_about(shapes->only_read, reads[i]);
        assert_int_equal(shapes->only_read + shapes->only_write, 2000);
        assert_int_equal(shapes->by_writes[8], shapes->only_write);
    }
    esse_arena_free(arena);
}

static void test_gen__rmw_never_writes_blindly(void **state)
{
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    struct shapes *shapes = workload_shapes(arena, "rmw");
    assert_int_equal(shapes->blind, 0);
    assert_true(shapes->by_writes[4] + shapes->by_writes[3] > 1500);
    esse_arena_free(arena);
}

static void test_gen__shapes_come_in_their_shares(void **state)
{
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    struct shapes *twitter = workload_shapes(arena, "twitter");
    assert_about(twitter->by_writes[0], 1600); /* timelines */
    assert_about(twitter->by_writes[2], 200);  /* follows */
    assert_about(twitter->by_writes[3], 200);  /* tweets */
    assert_int_equal(twitter->blind, twitter->by_writes[3]);
    assert_int_equal(twitter->not_fresh, 0);

    struct shapes *tpcc = workload_shapes(arena, "tpcc");
    uint64_t large = 0;
    for (size_t writes = 7; writes <= 20; writes++)
        large += tpcc->by_writes[writes];
    assert_about(tpcc->blind, 900);        /* new orders */
    assert_about(tpcc->by_writes[3], 860); /* payments */
    assert_about(large - tpcc->blind, 80); /* deliveries, of the orders that are there */
    assert_about(tpcc->by_writes[0], 160); /* order-status and stock-level */
    assert_int_equal(tpcc->not_fresh, 0);
    esse_arena_free(arena);
}

/* Not of so few slots that a row goes between its read and its write. */
static void test_gen__a_log_that_comes_round_takes_fresh_keys(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum esse_store_level level;
        uint64_t inserts;
    } cases[] = { { "twitter", ESSE_STORE_STRICT_SERIALIZABLE, 200 },
                  { "tpcc", ESSE_STORE_READ_COMMITTED, 900 } };
    for (size_t i = 0; i < 2; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_gen_options options = esse_gen_defaults(cases[i].name);
        options.level = cases[i].level;
        options.txns = 2000;
        options.work.keys = 100;
        options.work.zipf_theta = 0;
        options.drop_aborted = true;
        struct shapes *shapes = shapes_of(arena, &options);
        assert_about(shapes->blind, cases[i].inserts);
        assert_int_equal(shapes->not_fresh, 0);
        esse_arena_free(arena);
    }
}

/* The same transactions, sorted by session and otherwise as they came. */
static void check_by_session(const struct esse_gen_options *options)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen_options sorted = *options;
    sorted.by_session = true;
    const struct shapes *a = shapes_of(arena, options), *b = shapes_of(arena, &sorted);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->is_certified, b->is_certified);
    size_t at = 0;
    for (uint64_t session = 0; at < b->count; session = b->session[at]) {
        for (size_t i = 0; i < a->count; i++)
            if (a->session[i] == session) {
                assert_int_equal(b->session[at], session);
                assert_int_equal(b->digest[at++], a->digest[i]);
            }
        assert_true(at == b->count || b->session[at] > session);
    }
    esse_arena_free(arena);
}

static void test_gen__by_session_changes_the_order_and_nothing_else(void **state)
{
    (void)state;
    const struct esse_gen_plant plant = { &esse_gen_anomalies[2], 100 };
    for (unsigned w = 0; w < ESSE_GEN_WORKLOADS; w++) {
        struct esse_gen_options options = esse_gen_defaults(esse_gen_workload_names[w]);
        options.has_vsets = w == ESSE_GEN_PREDICATE;
        options.work.aggregate_share = 0.3;
        options.work.abort_share = options.crash_share = 0.1;
        options.plants = &plant;
        options.plant_count = 1;
        check_by_session(&options);
        options.has_certificate = true;
        check_by_session(&options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gen__every_level_is_what_it_says),
        cmocka_unit_test(test_gen__every_level_stands_aborts_and_crashes),
        cmocka_unit_test(test_gen__weak_levels_show_their_anomalies),
        cmocka_unit_test(test_gen__version_sets_explain_the_rows),
        cmocka_unit_test(test_gen__oracle_rejects_a_wrong_certificate),
        cmocka_unit_test(test_gen__a_plant_shows_its_anomaly_and_no_other),
        cmocka_unit_test(test_gen__plants_are_parsed_with_their_positions),
        cmocka_unit_test(test_gen__same_seed_gives_same_records),
        cmocka_unit_test(test_gen__counts_are_what_was_asked_for),
        cmocka_unit_test(test_gen__retired_keys_keep_lists_short),
        cmocka_unit_test(test_gen__senseless_options_are_refused),
        cmocka_unit_test(test_gen__stops_when_told_to),
        cmocka_unit_test(test_gen__memory_does_not_grow_with_the_history),
        cmocka_unit_test(test_gen__workloads_keep_every_level),
        cmocka_unit_test(test_gen__blindw_transactions_only_read_or_only_write),
        cmocka_unit_test(test_gen__rmw_never_writes_blindly),
        cmocka_unit_test(test_gen__shapes_come_in_their_shares),
        cmocka_unit_test(test_gen__a_log_that_comes_round_takes_fresh_keys),
        cmocka_unit_test(test_gen__by_session_changes_the_order_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
