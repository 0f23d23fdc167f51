#include "evidence/recheck.h"
#include "load_text.h"

/*
 * Statements with version sets, rows and results, some of them wrong, against the definitions over
 * plain arrays: which keys are returned wrongly, and is the whole wrong?
 */
enum { KEYS = 4, ABSENT = -100, UNNAMED = -101 };
enum kind { COUNT, SUM, LEAST, MOST, SORTED, LIMITED, JOINED, KINDS };

struct statement {
    enum kind kind;
    int low;           /* WHERE v >= low */
    bool descends;     /* SORTED */
    int limit, offset; /* SORTED, LIMITED; an offset of 0 is left out */
    int own[KEYS];     /* what the transaction wrote before; UNNAMED: nothing */
    bool has_vset;     /* ... */
    int vset[KEYS];    /* a value, ABSENT or UNNAMED */
    bool has_rows;     /* ... */
    int rows[KEYS];    /* a value, or UNNAMED */
    bool has_result;   /* COUNT to MOST */
    int result;        /* ABSENT: null */
};

static bool is_aggregate(const struct statement *s)
{
    return s->kind <= MOST;
}

/* ---- the definitions ---- */

/* What the statement looked at: UNNAMED where nothing is known. */
static void find_state(const struct statement *s, int state[KEYS])
{
    for (int key = 0; key < KEYS; key++)
        state[key] = !s->has_vset             ? s->has_rows ? s->rows[key] : UNNAMED
                     : s->own[key] != UNNAMED ? s->own[key]
                                              : s->vset[key];
}

static bool is_there(const struct statement *s, int value)
{
    return value != UNNAMED && value != ABSENT && value >= s->low;
}

static int result_of(const struct statement *s, const int state[KEYS])
{
    int count = 0, sum = 0, least = ABSENT, most = ABSENT;
    for (int key = 0; key < KEYS; key++) {
        if (!is_there(s, state[key]))
            continue;
        sum += state[key];
        least = !count || state[key] < least ? state[key] : least;
        most = !count || state[key] > most ? state[key] : most;
        count++;
    }
    return s->kind == COUNT   ? count
           : !count           ? ABSENT
           : s->kind == SUM   ? sum
           : s->kind == LEAST ? least
                              : most;
}

/* Can some order of the rows, one that ORDER BY allows, return this set? */
static bool is_limited_to(const struct statement *s, const int state[KEYS], const int *order,
                          int count, unsigned set)
{
    unsigned returned = 0;
    for (int i = 0; s->kind == SORTED && i + 1 < count; i++)
        if (s->descends ? state[order[i]] < state[order[i + 1]]
                        : state[order[i]] > state[order[i + 1]])
            return false;
    for (int i = s->offset; i < count && i < s->offset + s->limit; i++)
        returned |= 1u << order[i];
    return returned == set;
}

static bool some_order(const struct statement *s, const int state[KEYS], int *order, int from,
                       int count, unsigned set)
{
    if (from == count)
        return is_limited_to(s, state, order, count, set);
    for (int i = from; i < count; i++) {
        const int first = order[i];
        order[i] = order[from];
        order[from] = first;
        const bool yes = some_order(s, state, order, from + 1, count, set);
        order[from] = order[i];
        order[i] = first;
        if (yes)
            return true;
    }
    return false;
}

static unsigned joined_rows(const struct statement *s, const int state[KEYS])
{
    unsigned set = 0;
    for (int a = 0; a < KEYS; a++)
        for (int b = a + 1; b < KEYS; b++)
            if (is_there(s, state[a]) && state[a] == state[b])
                set |= 1u << a | 1u << b;
    return set;
}

static bool is_possible(const struct statement *s, const int state[KEYS])
{
    int order[KEYS], count = 0;
    unsigned set = 0;
    for (int key = 0; key < KEYS; key++) {
        set |= s->rows[key] != UNNAMED ? 1u << key : 0;
        if (is_there(s, state[key]))
            order[count++] = key;
    }
    if (s->kind == JOINED)
        return set == joined_rows(s, state);
    return (!s->has_vset && s->offset) || some_order(s, state, order, 0, count, set);
}

/* Does the statement range over such a row?  Of the second table of the join nothing is said but
 * what it has in common with the first. */
static bool is_selected(const struct statement *s, int value)
{
    return s->kind == JOINED ? value != UNNAMED && value != ABSENT : is_there(s, value);
}

/* Is what it returned of this key wrong? */
static bool is_wrong_key(const struct statement *s, int key)
{
    int state[KEYS];
    if (!s->has_rows)
        return false;
    find_state(s, state);
    const bool returned = s->rows[key] != UNNAMED;
    if (!s->has_vset || !is_aggregate(s))
        return returned && (s->rows[key] != state[key] || !is_selected(s, state[key]));
    return s->rows[key] != (is_there(s, state[key]) ? state[key] : UNNAMED);
}

static bool is_wrong_whole(const struct statement *s)
{
    int state[KEYS];
    find_state(s, state);
    if (!s->has_vset && !s->has_rows)
        return false;
    return (s->has_result && s->result != result_of(s, state)) ||
           (s->has_rows && !is_aggregate(s) && !is_possible(s, state));
}

/* What the scan tells: of the set of rows only if each of them is right. */
static unsigned wrongs(const struct statement *s)
{
    unsigned count = 0;
    for (int key = 0; key < KEYS; key++)
        count += is_wrong_key(s, key);
    return count + (is_wrong_whole(s) && (is_aggregate(s) || !count));
}

/* ---- random statements ---- */

static int any_value(struct esse_rng *rng)
{
    return (int)esse_rng_below(rng, 4);
}

/* Rows that are right: the first order that ORDER BY allows. */
static void return_rows(struct statement *s)
{
    int state[KEYS], order[KEYS], count = 0;
    find_state(s, state);
    const unsigned joined = joined_rows(s, state);
    for (int key = 0; key < KEYS; key++) {
        s->rows[key] = UNNAMED;
        if (is_there(s, state[key]))
            order[count++] = key;
    }
    for (int i = 0; s->kind == SORTED && i < count; i++)
        for (int j = i; j > 0 && (s->descends ? state[order[j]] > state[order[j - 1]]
                                              : state[order[j]] < state[order[j - 1]]);
             j--) {
            const int swapped = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swapped;
        }
    for (int i = 0; i < count; i++) {
        const bool in = s->kind == JOINED ? joined >> order[i] & 1
                        : is_aggregate(s) ? true
                                          : i >= s->offset && i < s->offset + s->limit;
        if (in)
            s->rows[order[i]] = state[order[i]];
    }
}

static void random_statement(struct statement *s, struct esse_rng *rng)
{
    *s = (struct statement){ .kind = (enum kind)esse_rng_below(rng, KINDS),
                             .low = any_value(rng) - 1,
                             .descends = esse_rng_below(rng, 2),
                             .limit = (int)esse_rng_below(rng, 4),
                             .has_vset = true };
    s->offset = esse_rng_below(rng, 2) ? (int)esse_rng_below(rng, 3) : 0;
    for (int key = 0; key < KEYS; key++) {
        const uint32_t own = esse_rng_below(rng, 8), kind = esse_rng_below(rng, 6);
        s->own[key] = own > 1 ? UNNAMED : own ? any_value(rng) : ABSENT;
        s->vset[key] = kind == 0 ? ABSENT : kind == 1 ? UNNAMED : any_value(rng);
    }
    int state[KEYS];
    find_state(s, state);
    return_rows(s);
    s->has_result = is_aggregate(s) && esse_rng_below(rng, 4);
    s->result = result_of(s, state);
    s->has_rows = !s->has_result || esse_rng_below(rng, 2);
    s->has_vset = esse_rng_below(rng, 3);
    for (uint32_t times = esse_rng_below(rng, 3); times > 0; times--) {
        const uint32_t key = esse_rng_below(rng, KEYS);
        switch (esse_rng_below(rng, 4)) {
        case 0:
            s->rows[key] = UNNAMED;
            break;
        case 1:
            s->rows[key] = any_value(rng);
            break;
        case 2:
            s->vset[key] = any_value(rng);
            break;
        default:
            s->result = esse_rng_below(rng, 5) ? any_value(rng) : ABSENT;
        }
    }
}

/* ---- as a file ---- */

static void put_rows(struct esse_out *out, const char *name, const int *rows)
{
    const char *comma = "";
    esse_out_f(out, ",'%s':{", name);
    for (int key = 0; key < KEYS; key++) {
        if (rows[key] == UNNAMED)
            continue;
        esse_out_f(out, "%s'%c':", comma, 'w' + key);
        if (rows[key] == ABSENT)
            esse_out_text(out, "null");
        else
            esse_out_f(out, "%d", rows[key]);
        comma = ",";
    }
    esse_out_char(out, '}');
}

static void put_text(struct esse_out *out, const struct statement *s)
{
    static const char *const selected[] = { "count(*)", "sum(v)", "min(v)", "max(v)", "*", "k" };
    if (s->kind == JOINED) {
        esse_out_f(out, "SELECT * FROM t a JOIN t b ON a.v = b.v WHERE a.k < b.k AND a.v >= %d",
                   s->low);
        return;
    }
    esse_out_f(out, "SELECT %s FROM t WHERE v >= %d", selected[s->kind], s->low);
    if (s->kind == SORTED)
        esse_out_f(out, " ORDER BY v%s", s->descends ? " DESC" : "");
    if (!is_aggregate(s))
        esse_out_f(out, " LIMIT %d", s->limit);
    if (!is_aggregate(s) && s->offset)
        esse_out_f(out, " OFFSET %d", s->offset);
}

/* A transaction of its own that names every key comes first. */
static const char *write_statement(struct esse_arena *arena, const struct statement *s)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    esse_out_text(out, "{'session':0,'ops':[{'r':'w','v':null},{'r':'x','v':null},{'r':'y',"
                       "'v':null},{'r':'z','v':null}]}\n"
                       "{'session':1,'ops':[");
    for (int key = 0; key < KEYS; key++) {
        if (s->own[key] == ABSENT)
            esse_out_f(out, "{'d':'%c'},", 'w' + key);
        else if (s->own[key] != UNNAMED)
            esse_out_f(out, "{'w':'%c','v':%d},", 'w' + key, s->own[key]);
    }
    esse_out_text(out, "{'p':'");
    put_text(out, s);
    esse_out_char(out, '\'');
    if (s->has_rows)
        put_rows(out, "rows", s->rows);
    if (s->has_result && s->result == ABSENT)
        esse_out_text(out, ",'result':[null]");
    else if (s->has_result)
        esse_out_f(out, ",'result':[%d]", s->result);
    if (s->has_vset)
        put_rows(out, "vset", s->vset);
    esse_out_text(out, "}]}\n");
    return esse_out_memory(out);
}

/* ---- the scan ---- */

static const char mismatch[] = "result-set-mismatch";

static unsigned count_reported(struct esse_arena *arena, const char *text, const char *type,
                               const char *engine)
{
    static const char *const levels[] = { "serializable" };
    struct esse_check_options options = { .levels = levels, .level_count = 1, .engine = engine };
    const struct esse_result *result;
    struct esse_error err;
    unsigned count = 0;
    if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
        fail_msg("%s%s", text, err.text);
    for (uint32_t i = 0; i < result->verdicts[0].anomaly_count; i++)
        count += strcmp(esse_anomaly_name(result->verdicts[0].anomalies[i].type), type) == 0;
    return count;
}

TEST(test_scan__statements_agree_with_the_definitions)
{
    struct esse_rng rng = { 8 };
    unsigned wrong[KINDS] = { 0 }, right[KINDS] = { 0 };
    for (unsigned round = 0; round < test_rounds(4000); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct statement s;
        random_statement(&s, &rng);
        const char *text = write_statement(arena, &s);
        const unsigned reported = count_reported(arena, text, mismatch, "scan");
        const unsigned expected = wrongs(&s) > 4 ? 4 : wrongs(&s);
        if (reported != expected)
            fail_msg("%s%u reported, %u expected", text, reported, expected);
        (expected ? wrong : right)[s.kind]++;
        esse_arena_free(arena);
    }
    for (int kind = 0; kind < KINDS; kind++)
        CHECK(wrong[kind] > test_least(20) && right[kind] > test_least(20));
}

/* No engine takes what a LIMIT or a join left out for what does not match. */
TEST(test_check__what_statements_leave_out_is_no_anomaly)
{
    struct esse_rng rng = { 9 };
    for (unsigned round = 0; round < test_rounds(600); round++) {
        static const char *const engines[] = { "dsg", "polygraph" };
        static const char *const levels[] = { "serializable" };
        struct esse_arena *arena = esse_arena_new();
        struct esse_out text;
        struct esse_error err;
        struct statement s;
        random_statement(&s, &rng);
        /* The state as it is after one transaction that wrote it: what a serial run returns. */
        for (int key = 0; key < KEYS; key++) {
            s.own[key] = UNNAMED;
            s.vset[key] = any_value(&rng);
        }
        s.has_vset = s.has_rows = true;
        return_rows(&s);
        int state[KEYS];
        find_state(&s, state);
        s.has_result = is_aggregate(&s);
        s.result = result_of(&s, state);
        s.has_rows = !s.has_result || esse_rng_below(&rng, 2);
        s.has_vset = false;
        esse_out_init_memory(&text, arena);
        esse_out_text(&text, "{'session':0,'ops':[");
        for (int key = 0; key < KEYS; key++)
            esse_out_f(&text, "%s{'w':'%c','v':%d}", key ? "," : "", 'w' + key, s.vset[key]);
        esse_out_text(&text, "]}\n");
        esse_out_text(&text, strchr(write_statement(arena, &s), '\n') + 1);
        for (size_t i = 0; i < 2; i++) {
            const struct esse_check_options options = { .levels = levels,
                                                        .level_count = 1,
                                                        .engine = engines[i] };
            const struct esse_result *result;
            if (!esse_check(arena, load_text(arena, "native", esse_out_memory(&text)), &options,
                            &result, &err))
                fail_msg("%s: %s", esse_out_memory(&text), err.text);
            if (result->verdicts[0].outcome == ESSE_VIOLATED)
                fail_msg("%s: %s: %s", esse_out_memory(&text), engines[i],
                         esse_anomaly_name(result->verdicts[0].anomalies[0].type));
        }
        esse_arena_free(arena);
    }
}

/* ---- evidence ---- */

static unsigned check_claim(const struct esse_history *history, const char *text, int key,
                            bool is_true)
{
    const struct esse_step step = { { 1 }, { history->ops - 1 }, "" };
    struct esse_anomaly claim = { ESSE_ANOMALY_RESULT_SET_MISMATCH, "", key >= 0, { 0 }, &step, 1 };
    struct esse_error err;
    const char name = (char)('w' + key);
    if (key >= 0)
        CHECK(esse_history_key(history, esse_value_string(history->values, &name, 1), &claim.key));
    if (esse_recheck_anomaly(history, &claim, NULL, &err) != is_true)
        fail_msg("%skey %d: %s", text, key, is_true ? "refused" : "accepted");
    return !is_true;
}

TEST(test_recheck__statements_accept_the_true_and_nothing_else)
{
    struct esse_rng rng = { 10 };
    unsigned refused = 0;
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct statement s;
        random_statement(&s, &rng);
        const char *text = write_statement(arena, &s);
        const struct esse_history *history = load_text(arena, "native", text);
        for (int key = 0; key < KEYS; key++)
            refused += check_claim(history, text, key, is_wrong_key(&s, key));
        refused += check_claim(history, text, -1, is_wrong_whole(&s));
        esse_arena_free(arena);
    }
    CHECK(refused > test_least(4000));
}

/* ---- words ---- */

TEST(test_scan__a_wrong_result_is_told_with_the_right_one)
{
    struct esse_arena *arena = esse_arena_new();
    static const char *const levels[] = { "serializable" };
    struct esse_check_options options = { .levels = levels, .level_count = 1, .engine = "scan" };
    const struct esse_result *result;
    struct esse_error err;
    struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'txn':'t','ops':[{'p':'SELECT sum(v), count(*) FROM a',"
                  "'result':[7,2],'vset':{'a/1':3,'a/2':5,'b/1':100}}]}\n");
    CHECK(esse_check(arena, history, &options, &result, &err));
    CHECK_EQ(result->verdicts[0].anomaly_count, 1);
    const struct esse_anomaly *anomaly = &result->verdicts[0].anomalies[0];
    CHECK(!anomaly->has_key);
    CHECK_TEXT(anomaly->steps[0].why, "t did SELECT sum(v), count(*) FROM a: 7, 2; of its version "
                                      "set it is 8, 2");
    esse_arena_free(arena);
}

TEST(test_scan__only_aggregates_have_results)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options options = { .engine = "scan" };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    CHECK(!esse_check(arena,
                      load_text(arena, "native",
                                "\n"
                                "{'session':0,'ops':[{'p':'SELECT v FROM t','result':[7]}]}\n"),
                      &options, &result, &err));
    CHECK_EQ(err.code, ESSE_EINPUT);
    CHECK_EQ(err.line, 2);
    CHECK(strstr(err.text, "only a SELECT of aggregates has a result"));
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan__statements_agree_with_the_definitions),
        cmocka_unit_test(test_check__what_statements_leave_out_is_no_anomaly),
        cmocka_unit_test(test_recheck__statements_accept_the_true_and_nothing_else),
        cmocka_unit_test(test_scan__a_wrong_result_is_told_with_the_right_one),
        cmocka_unit_test(test_scan__only_aggregates_have_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
