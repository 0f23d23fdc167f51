#include "evidence/replay_rules.h"
#include "load_text.h"

/*
 * The walk along a commit order against matrices: sessions, wr and ww as relations of units, closed
 * by Warshall's algorithm, and the axiom as it is written.  The histories have more sessions than a
 * sweep has lanes, and the versions that reads passed over are looked at one by one, in small
 * portions, and all at once.
 */
enum { UNITS = 24, KEYS = 4, SESSIONS = 20, OPS = UNITS * KEYS };

typedef bool relation[UNITS][UNITS];

struct order_trial {
    uint32_t count, sessions;
    uint32_t session[UNITS]; /* of the unit at a place of the order */
    bool writes[UNITS][KEYS], reads[UNITS][KEYS];
    int source[UNITS][KEYS]; /* the place that wrote what was read; -1: the initial version */
};

/* ---- random orders ---- */

static int random_source(struct esse_rng *rng, const struct order_trial *t, uint32_t place,
                         uint32_t key, uint32_t age)
{
    int source = -1;
    for (uint32_t p = place; p-- > 0;)
        if (t->writes[p][key]) {
            source = (int)p;
            if (esse_rng_below(rng, age))
                return source;
        }
    return source;
}

/* With 'single', a unit is one operation. */
static void draw_trial(struct esse_rng *rng, struct order_trial *t, bool single)
{
    *t = (struct order_trial){ .count = 2 + esse_rng_below(rng, UNITS - 1),
                               .sessions = 1 + esse_rng_below(rng, SESSIONS) };
    const uint32_t age = 2 + esse_rng_below(rng, 12);
    for (uint32_t p = 0; p < t->count; p++) {
        t->session[p] = esse_rng_below(rng, t->sessions);
        const uint32_t only = esse_rng_below(rng, 2);
        for (uint32_t key = 0; key < KEYS; key++) {
            if (single && key != only)
                continue;
            t->reads[p][key] = esse_rng_below(rng, 2);
            t->writes[p][key] = single ? !t->reads[p][key] : esse_rng_below(rng, 3) == 0;
            if (t->reads[p][key])
                t->source[p][key] = random_source(rng, t, p, key, age);
        }
    }
}

/* ---- the definition ---- */

static void close_relation(relation r, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                r[i][j] |= r[i][k] && r[k][j];
}

static bool reads_from(const struct order_trial *t, uint32_t writer, uint32_t reader)
{
    for (uint32_t key = 0; key < KEYS; key++)
        if (t->reads[reader][key] && t->source[reader][key] == (int)writer)
            return true;
    return false;
}

static bool both_write(const struct order_trial *t, uint32_t a, uint32_t b)
{
    for (uint32_t key = 0; key < KEYS; key++)
        if (t->writes[a][key] && t->writes[b][key])
            return true;
    return false;
}

/* so, and (so* ; wr ; so*) */
static bool is_piped(const struct order_trial *t, uint32_t from, uint32_t to)
{
    if (t->session[from] == t->session[to])
        return true;
    for (uint32_t a = from; a < to; a++)
        for (uint32_t b = a + 1; b <= to; b++)
            if (t->session[a] == t->session[from] && t->session[b] == t->session[to] &&
                reads_from(t, a, b))
                return true;
    return false;
}

static void find_visible(const struct order_trial *t, const struct esse_level *level,
                         relation visible)
{
    const bool parallel = level->phi == ESSE_PHI_PARALLEL || level->phi == ESSE_PHI_NONE;
    memset(visible, 0, sizeof(relation));
    for (uint32_t to = 0; to < t->count; to++)
        for (uint32_t from = 0; from < to; from++)
            visible[from][to] =
                level->phi == ESSE_PHI_PIPED
                    ? is_piped(t, from, to)
                    : (level->needs_session_order && t->session[from] == t->session[to]) ||
                          reads_from(t, from, to) || (parallel && both_write(t, from, to));
    if (level->phi != ESSE_PHI_PIPED)
        close_relation(visible, t->count);
}

static bool is_axiom_kept(const struct order_trial *t, const struct esse_level *level)
{
    relation visible;
    find_visible(t, level, visible);
    for (uint32_t reader = 0; reader < t->count; reader++)
        for (uint32_t key = 0; key < KEYS; key++)
            for (uint32_t other = 0; other < reader; other++)
                if (t->reads[reader][key] && t->writes[other][key] && visible[other][reader] &&
                    (int)other > t->source[reader][key])
                    return false;
    return true;
}

/* ---- the kernel ---- */

static void write_unit(struct esse_out *out, const struct order_trial *t, uint32_t place)
{
    const char *before = "";
    esse_out_f(out, "{'session':%u,'ops':[", t->session[place]);
    for (uint32_t key = 0; key < KEYS; key++)
        if (t->reads[place][key]) {
            esse_out_f(out, "%s{'r':'k%u','v':", before, key);
            if (t->source[place][key] < 0)
                esse_out_text(out, "null}");
            else
                esse_out_f(out, "%d}", t->source[place][key] * KEYS + (int)key);
            before = ",";
        }
    for (uint32_t key = 0; key < KEYS; key++)
        if (t->writes[place][key]) {
            esse_out_f(out, "%s{'w':'k%u','v':%u}", before, key, place * KEYS + key);
            before = ",";
        }
    esse_out_text(out, "]}\n");
}

/* The sessions are recorded one after the other, so that units have other numbers than places. */
static struct esse_history *record_trial(struct esse_arena *arena, const struct order_trial *t,
                                         uint32_t *unit)
{
    struct esse_out out;
    uint32_t recorded = 0;
    esse_out_init_memory(&out, arena);
    for (uint32_t s = 0; s < t->sessions; s++)
        for (uint32_t p = 0; p < t->count; p++)
            if (t->session[p] == s) {
                write_unit(&out, t, p);
                unit[p] = recorded++;
            }
    return load_text(arena, "native", esse_out_memory(&out));
}

static bool walk_agrees(struct esse_arena *arena, const struct esse_history *history,
                        const struct esse_level *level, const struct esse_order *order,
                        size_t at_once)
{
    struct esse_error err;
    struct replay_access accesses[UNITS];
    struct replay replay = { .arena = arena,
                             .history = history,
                             .level = level,
                             .order = order,
                             .units = history->txns,
                             .accesses = order->of_accesses ? accesses : NULL };
    replay.in = esse_arena_zeros(arena, history->txns + 1u, uint8_t);
    replay.position = esse_arena_zeros(arena, history->txns + 1u, uint32_t);
    for (uint32_t p = 0; p < order->count; p++) {
        const uint32_t unit = order->events[p];
        accesses[unit] = (struct replay_access){ unit, history->txn_op[unit], 0 };
        replay.in[unit] = 1;
        replay.position[unit] = p;
    }
    replay_state_init(&replay.state, arena, history, replay.in, true);
    return replay_commit_order(&replay, at_once, &err);
}

static void compare_with_matrix(const char *name, uint32_t *kept, uint32_t *broken)
{
    const struct esse_level *level = esse_level_find(name);
    static const size_t at_once[] = { 1, 2, 5, 17, REPLAY_AT_ONCE };
    const bool single = esse_level_is_of_operations(level);
    const unsigned first = test_first(3000);
    for (unsigned round = 0; round < test_rounds(3000); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { first + round };
        struct order_trial trial;
        uint32_t events[UNITS];
        draw_trial(&rng, &trial, single);
        const struct esse_history *history = record_trial(arena, &trial, events);
        const struct esse_order order = { .events = events,
                                          .count = trial.count,
                                          .of_accesses = single };
        const bool expected = is_axiom_kept(&trial, level);
        ++*(expected ? kept : broken);
        for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++)
            if (walk_agrees(arena, history, level, &order, at_once[i]) != expected)
                fail_msg("%s, seed %u, %zu at once: the matrix says %s", name, first + round,
                         at_once[i], expected ? "kept" : "broken");
        esse_arena_free(arena);
    }
}

TEST(test_commit_order__transitive_axioms_agree_with_matrices)
{
    static const char *const names[] = { "causal-consistency", "parallel-snapshot-isolation",
                                         "consistent-view", "causal", "PRAM" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t kept = 0, broken = 0;
        compare_with_matrix(names[i], &kept, &broken);
        if (kept < test_least(300) || broken < test_least(300))
            fail_msg("%s: %u kept, %u broken", names[i], kept, broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commit_order__transitive_axioms_agree_with_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
