#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "level/level.h"
#include "level/plain.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct esse_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = esse_arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    esse_arena_free(arena);
    return 0;
}

static const struct esse_level *level(const char *name)
{
    const struct esse_level *found = esse_level_find(name);
    if (!found)
        fail_msg("no level '%s'", name);
    return found;
}

static const struct esse_anomaly_type *anomaly(const char *name)
{
    const struct esse_anomaly_type *found = esse_anomaly_find(name);
    if (!found)
        fail_msg("no anomaly '%s'", name);
    return found;
}

static bool implies(const char *a, const char *b)
{
    return esse_level_implies(level(a), level(b));
}

static bool implies_elle(const char *a, const char *b)
{
    return esse_level_implies_elle(level(a), level(b));
}

static bool forbids(const char *which, const char *what)
{
    return esse_level_forbids(level(which), anomaly(what));
}

/* The two lists of a boundary as one text: "a b | c d". */
static const char *boundary(const char *const *names, size_t count)
{
    const struct esse_anomaly_type *present[8];
    const char *const *not_levels, *const *also_not;
    uint32_t not_count, also_count;
    for (size_t i = 0; i < count; i++)
        present[i] = anomaly(names[i]);
    esse_level_boundary(arena, present, count, NULL, 0, &not_levels, &not_count, &also_not,
                        &also_count);
    const char *text = "";
    for (uint32_t i = 0; i < not_count; i++)
        text = esse_arena_format(arena, "%s%s ", text, not_levels[i]);
    text = esse_arena_format(arena, "%s|", text);
    for (uint32_t i = 0; i < also_count; i++)
        text = esse_arena_format(arena, "%s %s", text, also_not[i]);
    return text;
}

/* Only the weakest: the first list. */
static const char *weakest(const char *name)
{
    char *text = strdup(boundary(&name, 1));
    *strchr(text, '|') = 0;
    const char *kept = esse_arena_format(arena, "%s", text);
    free(text);
    return kept;
}

static void test_level__tables_are_sound(void **state)
{
    (void)state;
    assert_true(esse_level_valid());
    assert_int_equal(esse_level_count(), 37);
    assert_int_equal(esse_anomaly_count(), 83);
}

/* An oracle too simple to be wrong: follow the edges. */
static bool path(const struct esse_level *from, const struct esse_level *to, bool with_plain)
{
    if (from == to)
        return true;
    for (const struct esse_implication *edge = from->implies; edge->to; edge++)
        if ((with_plain || edge->kind == ESSE_IMPLIES_ALWAYS) &&
            path(esse_level_get(edge->to), to, with_plain))
            return true;
    return false;
}

static bool anomaly_path(const struct esse_anomaly_type *from, const struct esse_anomaly_type *to)
{
    if (from == to)
        return true;
    for (const enum esse_anomaly_id *id = from->implies; *id; id++)
        if (anomaly_path(esse_anomaly_get(*id), to))
            return true;
    return false;
}

static void test_level__closures_agree_with_walking_the_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        for (size_t j = 0; j < esse_level_count(); j++) {
            const struct esse_level *a = esse_level_at(i), *b = esse_level_at(j);
            assert_int_equal(esse_level_implies(a, b), path(a, b, false));
            assert_int_equal(esse_level_implies_elle(a, b), path(a, b, true));
        }
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        for (size_t j = 0; j < esse_anomaly_count(); j++)
            assert_int_equal(esse_anomaly_implies(esse_anomaly_at(i), esse_anomaly_at(j)),
                             anomaly_path(esse_anomaly_at(i), esse_anomaly_at(j)));
}

/* For a level that implies this one: what is about points only if that has them too. */
static bool names_directly(const struct esse_level *which, const struct esse_level *asked,
                           const struct esse_anomaly_type *type)
{
    enum esse_anomaly_id id;
    for (size_t at = 0; (id = esse_level_names(which, at)) != ESSE_ANOMALY_NONE; at++)
        if (anomaly_path(type, esse_anomaly_get(id)) &&
            (!esse_anomaly_get(id)->is_about_points || strstr(asked->name, "SI") ||
             strstr(asked->name, "snapshot-isolation")))
            return true;
    return false;
}

static void test_level__points_rule_out_levels_of_snapshots_only(void **state)
{
    (void)state;
    static const char *const points[] = { "GSIa", "GSIb", "snapshot-mismatch" };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        assert_true(forbids("snapshot-isolation", points[i]));
        assert_true(forbids("strong-session-snapshot-isolation", points[i]));
        assert_true(forbids("strong-snapshot-isolation", points[i]));
        assert_false(forbids("serializable", points[i]));
        assert_false(forbids("strict-serializable", points[i]));
        assert_false(forbids("parallel-snapshot-isolation", points[i]));
    }
    assert_true(forbids("serializable", "G-single"));
}

static void test_level__forbids_what_it_or_a_level_below_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        for (size_t j = 0; j < esse_anomaly_count(); j++) {
            bool expected = false;
            for (size_t k = 0; k < esse_level_count(); k++)
                expected |= path(esse_level_at(i), esse_level_at(k), false) &&
                            names_directly(esse_level_at(k), esse_level_at(i), esse_anomaly_at(j));
            assert_int_equal(esse_level_forbids(esse_level_at(i), esse_anomaly_at(j)), expected);
        }
}

static void test_level__strict_serializable_implies_everything_below(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++) {
        assert_true(esse_level_implies(level("strict-serializable"), esse_level_at(i)));
        if (i)
            assert_false(esse_level_implies_elle(esse_level_at(i), level("PL-SS")));
    }
}

static void test_level__read_uncommitted_implies_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_int_equal(esse_level_implies_elle(level("PL-1"), esse_level_at(i)),
                         esse_level_at(i) == level("PL-1"));
}

static void test_level__plain_snapshot_isolation_promises_nothing_about_sessions(void **state)
{
    (void)state;
    static const char *const with_sessions[] = {
        "prefix",      "parallel-snapshot-isolation", "causal-cerone", "update-atomic",
        "read-atomic", "axiomatic-read-committed",
    };
    static const char *const without[] = { "snapshot-isolation", "serializable" };
    for (size_t i = 0; i < sizeof with_sessions / sizeof *with_sessions; i++) {
        for (size_t j = 0; j < 2; j++) {
            assert_false(implies(without[j], with_sessions[i]));
            assert_true(implies_elle(without[j], with_sessions[i]));
        }
        assert_true(implies("strong-session-snapshot-isolation", with_sessions[i]));
        assert_true(implies("strong-session-serializable", with_sessions[i]));
        assert_true(implies("strong-snapshot-isolation", with_sessions[i]));
    }
    assert_true(implies("snapshot-isolation", "monotonic-atomic-view"));
    assert_true(implies("serializable", "snapshot-isolation"));
}

/* What needs session order or time cannot follow from what has neither. */
static void test_level__nothing_without_an_order_implies_one_with_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        for (size_t j = 0; j < esse_level_count(); j++) {
            const struct esse_level *a = esse_level_at(i), *b = esse_level_at(j);
            if (!esse_level_implies(a, b))
                continue;
            assert_true(a->needs_session_order || !b->needs_session_order);
            assert_true(a->needs_real_time || !b->needs_real_time);
        }
}

static void test_level__commit_order_levels_form_a_chain_down_to_read_committed(void **state)
{
    (void)state;
    static const char *const chain[] = { "prefix",      "causal-consistency",
                                         "read-atomic", "axiomatic-read-committed",
                                         "PL-2",        "PL-1" };
    for (size_t i = 0; i + 1 < sizeof chain / sizeof *chain; i++) {
        assert_true(implies(chain[i], chain[i + 1]));
        assert_false(implies_elle(chain[i + 1], chain[i]));
    }
    assert_true(implies("parallel-snapshot-isolation", "update-atomic"));
    assert_false(implies("prefix", "update-atomic"));
    assert_false(implies("prefix", "consistent-view"));
}

static void test_level__some_levels_are_not_comparable(void **state)
{
    (void)state;
    assert_false(implies_elle("repeatable-read", "snapshot-isolation"));
    assert_false(implies_elle("snapshot-isolation", "repeatable-read"));
    assert_false(implies_elle("serializable", "linearizable"));
    assert_false(implies_elle("linearizable", "read-uncommitted"));
    assert_false(implies_elle("cursor-stability", "monotonic-view"));
    assert_false(implies_elle("strong-read-committed", "strong-session-snapshot-isolation"));
    assert_false(implies_elle("causal", "causal-cerone"));
}

static void test_level__strong_levels_know_their_base(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *strong = esse_level_at(i);
        const bool is_named = strncmp(strong->friendly, "strong-", 7) == 0;
        const struct esse_level *base = esse_level_base(strong);
        if (!base) {
            assert_false(is_named);
            continue;
        }
        assert_true(is_named || strong == level("PL-SS"));
        assert_true(strong->needs_session_order);
        assert_false(base->needs_session_order);
        assert_true(esse_level_implies(strong, base));
        assert_string_equal(strong->friendly + strlen(strong->friendly) - strlen(base->friendly),
                            base->friendly);
    }
}

static void test_level__every_accepted_name_finds_its_level(void **state)
{
    (void)state;
    static const struct {
        const char *alias, *name;
    } names[] = {
        { "consistent-view", "PL-2+" },
        { "conflict-serializable", "PL-3" },
        { "cursor-stability", "PL-CS" },
        { "forward-consistent-view", "PL-FCV" },
        { "monotonic-snapshot-read", "PL-MSR" },
        { "monotonic-view", "PL-2L" },
        { "read-committed", "PL-2" },
        { "read-uncommitted", "PL-1" },
        { "repeatable-read", "PL-2.99" },
        { "serializable", "PL-3" },
        { "snapshot-isolation", "PL-SI" },
        { "strict-serializable", "PL-SS" },
        { "strong-serializable", "PL-SS" },
        { "update-serializable", "PL-3U" },
        { "strong-session-read-uncommitted", "strong-session-PL-1" },
        { "strong-session-read-committed", "strong-session-PL-2" },
        { "strong-read-uncommitted", "strong-PL-1" },
        { "strong-read-committed", "strong-PL-2" },
        { "causal-consistency", "causal-cerone" },
        { "prefix-consistency", "prefix" },
    };
    size_t accepted = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_ptr_equal(level(names[i].alias), level(names[i].name));
        assert_string_equal(level(names[i].alias)->name, names[i].name);
    }
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *which = esse_level_at(i);
        accepted += strcmp(which->name, which->friendly) != 0 ? 2 : 1;
        for (const char *const *alias = which->aliases; *alias; alias++)
            accepted++;
    }
    assert_int_equal(accepted, 54 + 3); /* Elle's, and Esse's three */
    assert_null(esse_level_find("PL-4"));
    assert_null(esse_level_find(""));
    assert_ptr_equal(esse_level_find("Serializable"), level("serializable"));
    assert_ptr_equal(esse_level_find("SNAPSHOT_ISOLATION"), level("snapshot-isolation"));
}

/* As peers write them; where they mean several levels by one, that is said. */
static void test_level__names_of_peers_find_their_level(void **state)
{
    (void)state;
    static const struct {
        const char *name, *level;
        bool means_several;
    } cases[] = {
        { "SI", "snapshot-isolation", true },
        { "si", "snapshot-isolation", true },
        { "SER", "serializable", true },
        { "SSER", "strict-serializable", false },
        { "RC", "read-committed", true },
        { "RR", "repeatable-read", true },
        { "RA", "read-atomic", false },
        { "READ_ATOMICITY", "read-atomic", false },
        { "TCC", "causal-cerone", false },
        { "CC", "causal-cerone", true },
        { "CAUSAL_CONSISTENCY", "causal-cerone", false },
        { "causal", "causal", true },
        { "Causal", "causal", true },
        { "pre", "prefix", false },
        { "SERIALIZATION", "serializable", false },
        { "read-committed", "read-committed", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_non_null(esse_level_find(cases[i].name));
        assert_string_equal(esse_level_find(cases[i].name)->friendly, cases[i].level);
        assert_int_equal(esse_level_also_means(cases[i].name) != NULL, cases[i].means_several);
    }
}

static void test_level__prints_strict_serializable_as_each_tool_does(void **state)
{
    (void)state;
    assert_string_equal(level("PL-SS")->friendly, "strict-serializable");
    assert_string_equal(esse_level_elle_name(level("PL-SS")), "strong-serializable");
    assert_string_equal(esse_level_elle_name(level("PL-3")), "serializable");
    assert_string_equal(esse_level_elle_name(level("prefix")), "prefix");
}

static void test_level__suggests_the_nearest_name(void **state)
{
    (void)state;
    assert_string_equal(esse_level_suggest("serialisable"), "serializable");
    assert_string_equal(esse_level_suggest("SERIALIZABLE"), "serializable");
    assert_string_equal(esse_level_suggest("read_committed"), "read-committed");
    assert_string_equal(esse_level_suggest("snapshot"), "snapshot-isolation");
    assert_string_equal(esse_level_suggest("pl-3"), "PL-3");
    assert_string_equal(esse_level_suggest("cuasal"), "causal");
    assert_null(esse_level_suggest("gibberish-entirely"));
    assert_null(esse_level_suggest(""));
    assert_string_equal(esse_level_suggest_any("g-singel"), "G-single");
    assert_string_equal(esse_level_suggest_any("lost-updates"), "lost-update");
    assert_string_equal(esse_level_suggest_any("linearisable"), "linearizable");
}

static void test_level__weakest_levels_ruled_out(void **state)
{
    (void)state;
    static const struct {
        const char *anomaly, *weakest;
    } facts[] = {
        { "G0", "read-uncommitted " },
        { "cyclic-versions", "read-uncommitted " },
        { "duplicate-elements", "read-uncommitted " },
        { "G1a", "read-committed " },
        { "G1b", "read-committed " },
        { "G1c", "read-committed " },
        { "garbage-read", "read-committed " },
        { "incompatible-order", "read-committed " },
        { "lost-commit", "read-committed " },
        { "dirty-update", "read-committed " },
        { "future-read", "read-committed " },
        { "internal", "read-atomic " },
        { "lost-update", "cursor-stability update-atomic " },
        { "G-single", "consistent-view " },
        { "G-single-item", "consistent-view repeatable-read " },
        { "G-nonadjacent", "snapshot-isolation " },
        { "G-nonadjacent-item", "repeatable-read snapshot-isolation " },
        { "G2-item", "repeatable-read " },
        { "G2", "serializable " },
        { "predicate-read-miss", "serializable " },
        { "result-set-mismatch", "read-uncommitted " },
        { "G0-process", "strong-session-read-uncommitted " },
        { "G1c-process", "strong-session-read-committed " },
        { "G-single-process", "strong-session-snapshot-isolation " },
        { "G-single-item-process", "strong-session-snapshot-isolation " },
        { "G-nonadjacent-process", "strong-session-snapshot-isolation " },
        { "G-nonadjacent-item-process", "strong-session-snapshot-isolation " },
        { "G2-process", "strong-session-serializable " },
        { "G2-item-process", "strong-session-serializable " },
        { "G0-realtime", "strong-read-uncommitted " },
        { "G1c-realtime", "strong-read-committed " },
        { "G-single-realtime", "strong-snapshot-isolation " },
        { "G-single-item-realtime", "strong-snapshot-isolation " },
        { "G-nonadjacent-realtime", "strong-snapshot-isolation " },
        { "G-nonadjacent-item-realtime", "strong-snapshot-isolation " },
        { "G2-realtime", "strict-serializable " },
        { "G2-item-realtime", "strict-serializable " },
        { "duplicate-write", "" },
        { "GSI", "snapshot-isolation " },
        { "GSIa", "snapshot-isolation " },
        { "snapshot-mismatch", "snapshot-isolation " },
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        assert_string_equal(weakest(facts[i].anomaly), facts[i].weakest);
}

static void test_level__boundary_lists_the_stronger_levels_sorted(void **state)
{
    (void)state;
    const char *names[] = { "G2-item" };
    assert_string_equal(boundary(names, 1), "repeatable-read | serializable strict-serializable "
                                            "strong-session-serializable");
}

static void test_level__boundary_of_several_anomalies_is_that_of_the_worst(void **state)
{
    (void)state;
    const char *names[] = { "G2-item", "G0", "internal" }, *worst[] = { "G0" };
    assert_string_equal(boundary(names, 3), boundary(worst, 1));
    const char *apart[] = { "lost-update", "internal" };
    char *text = strdup(boundary(apart, 2));
    *strchr(text, '|') = 0;
    assert_string_equal(text, "cursor-stability read-atomic ");
    free(text);
    assert_string_equal(boundary(NULL, 0), "|");
}

static void test_level__boundary_holds_levels_of_elle_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const char *name = esse_anomaly_at(i)->name;
        assert_null(strstr(boundary(&name, 1), "axiomatic-read-committed"));
    }
}

static void test_level__axiomatic_read_committed_is_ruled_out_by_wrong_reads(void **state)
{
    (void)state;
    static const char *const by[] = { "own-write-missed", "G1a",         "G1b",
                                      "garbage-read",     "G1c",         "G0",
                                      "future-read",      "dirty-update" };
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        assert_true(forbids("axiomatic-read-committed", by[i]));
    assert_false(forbids("axiomatic-read-committed", "G-single-item"));
    assert_false(forbids("axiomatic-read-committed", "lost-update"));
    assert_false(forbids("axiomatic-read-committed", "internal")); /* a read may change its mind */
    assert_false(forbids("monotonic-atomic-view", "internal"));
    assert_false(forbids("repeatable-read", "internal"));
}

static void test_level__levels_of_commit_orders_forbid_internal(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        if (esse_level_at(i)->family == ESSE_FAMILY_COMMIT_ORDER &&
            esse_level_at(i)->id != ESSE_LEVEL_AXIOMATIC_READ_COMMITTED)
            assert_true(esse_level_forbids(esse_level_at(i), anomaly("internal")));
}

static void test_level__garbage_counts_as_an_aborted_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_int_equal(esse_level_forbids(esse_level_at(i), anomaly("garbage-read")),
                         esse_level_forbids(esse_level_at(i), anomaly("G1a")));
}

static void test_level__result_set_mismatch_rules_out_all_that_speak_of_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_int_equal(
            esse_level_forbids(esse_level_at(i), anomaly("result-set-mismatch")),
            esse_level_implies(esse_level_at(i), esse_level_get(ESSE_LEVEL_READ_UNCOMMITTED)));
}

static void test_level__duplicate_write_rules_out_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_false(esse_level_forbids(esse_level_at(i), anomaly("duplicate-write")));
}

static void test_level__a_cycle_implies_the_same_with_more_orders(void **state)
{
    (void)state;
    static const char *const cycles[] = {
        "G0",      "G1c", "G-single", "G-single-item", "G-nonadjacent", "G-nonadjacent-item",
        "G2-item", "G2"
    };
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        const struct esse_anomaly_type *plain = anomaly(cycles[i]);
        const struct esse_anomaly_type *process =
            anomaly(esse_arena_format(arena, "%s-process", cycles[i]));
        const struct esse_anomaly_type *realtime =
            anomaly(esse_arena_format(arena, "%s-realtime", cycles[i]));
        assert_true(esse_anomaly_implies(plain, process));
        assert_true(esse_anomaly_implies(process, realtime));
        assert_false(esse_anomaly_implies(process, plain));
    }
}

static void test_level__older_anomaly_names_are_accepted(void **state)
{
    (void)state;
    assert_ptr_equal(anomaly("aborted-read"), anomaly("G1a"));
    assert_ptr_equal(anomaly("intermediate-read"), anomaly("G1b"));
    assert_ptr_equal(anomaly("dirty-write"), anomaly("G0"));
    assert_ptr_equal(anomaly("read-skew"), anomaly("G-single-item"));
    assert_ptr_equal(anomaly("long-fork"), anomaly("G-nonadjacent-item"));
    assert_null(esse_anomaly_find("PL-3-cycle-exists"));
    assert_null(esse_anomaly_find("G3"));
}

static void *ask_first(void *result)
{
    *(bool *)result = implies("strict-serializable", "read-uncommitted") &&
                      forbids("serializable", "G0") && !implies("PL-1", "PL-2");
    return NULL;
}

/* Stands first in the list of tests, so that these threads are the first to ask. */
static void test_level__any_thread_may_ask_first(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    bool right[THREADS] = { false };
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_first, &right[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_true(right[i]);
}

/* ---- plain words ---- */

static void test_plain__every_anomaly_that_is_reported_has_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const struct esse_anomaly_type *type = esse_anomaly_at(i);
        struct esse_plain plain;
        if (!esse_anomaly_plain(type, &plain) && type->shown_by != ESSE_SHOWN_BY_NOTHING)
            fail_msg("%s has none", type->name);
        if (type->shown_by != ESSE_SHOWN_BY_NOTHING &&
            (!plain.remedy || plain.happened[strlen(plain.happened) - 1] != '.'))
            fail_msg("%s: no remedy, or no sentence", type->name);
    }
}

/* All that implies the level named forbids it, and no common one that the level implies does. */
static void test_plain__the_weakest_common_level_prevents_it(void **state)
{
    (void)state;
    assert_string_equal(esse_anomaly_prevented_by(anomaly("G1a"))->friendly, "read-committed");
    assert_string_equal(esse_anomaly_prevented_by(anomaly("lost-update"))->friendly,
                        "snapshot-isolation");
    assert_string_equal(esse_anomaly_prevented_by(anomaly("G2-item"))->friendly, "serializable");
    assert_string_equal(esse_anomaly_prevented_by(anomaly("G-single-item-realtime"))->friendly,
                        "strong-snapshot-isolation");
    assert_null(esse_anomaly_prevented_by(anomaly("duplicate-write")));
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const struct esse_level *least = esse_anomaly_prevented_by(esse_anomaly_at(i));
        for (size_t j = 0; least && j < esse_level_count(); j++)
            if (esse_level_implies(esse_level_at(j), least) && !esse_anomaly_at(i)->is_about_points)
                assert_true(esse_level_forbids(esse_level_at(j), esse_anomaly_at(i)));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_level__any_thread_may_ask_first),
        TEST(test_plain__every_anomaly_that_is_reported_has_words),
        TEST(test_plain__the_weakest_common_level_prevents_it),
        TEST(test_level__tables_are_sound),
        TEST(test_level__closures_agree_with_walking_the_edges),
        TEST(test_level__forbids_what_it_or_a_level_below_names),
        TEST(test_level__points_rule_out_levels_of_snapshots_only),
        TEST(test_level__strict_serializable_implies_everything_below),
        TEST(test_level__read_uncommitted_implies_nothing_else),
        TEST(test_level__plain_snapshot_isolation_promises_nothing_about_sessions),
        TEST(test_level__nothing_without_an_order_implies_one_with_it),
        TEST(test_level__commit_order_levels_form_a_chain_down_to_read_committed),
        TEST(test_level__some_levels_are_not_comparable),
        TEST(test_level__strong_levels_know_their_base),
        TEST(test_level__every_accepted_name_finds_its_level),
        TEST(test_level__names_of_peers_find_their_level),
        TEST(test_level__prints_strict_serializable_as_each_tool_does),
        TEST(test_level__suggests_the_nearest_name),
        TEST(test_level__weakest_levels_ruled_out),
        TEST(test_level__boundary_lists_the_stronger_levels_sorted),
        TEST(test_level__boundary_of_several_anomalies_is_that_of_the_worst),
        TEST(test_level__boundary_holds_levels_of_elle_only),
        TEST(test_level__axiomatic_read_committed_is_ruled_out_by_wrong_reads),
        TEST(test_level__levels_of_commit_orders_forbid_internal),
        TEST(test_level__garbage_counts_as_an_aborted_read),
        TEST(test_level__result_set_mismatch_rules_out_all_that_speak_of_versions),
        TEST(test_level__duplicate_write_rules_out_nothing),
        TEST(test_level__a_cycle_implies_the_same_with_more_orders),
        TEST(test_level__older_anomaly_names_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
