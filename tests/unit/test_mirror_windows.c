#include "base/rng.h"
#include "load_text.h"
#include "mirror_run.h"

/*
 * Windows are parts of the trace; if the whole satisfies a level, so does every part.  So what a
 * window violates, the whole trace, read as a history, must violate too, at the plain level and,
 * since these traces have no BEGIN and at=F, at its strong form.
 */

enum { TXNS = 24, SESSIONS = 3, KEYS = 3 };

/* ---- a store that makes mistakes ---- */

struct version {
    int value; /* 0: absent */
    long commit;
    bool aborted;
};

struct store {
    struct esse_rng rng;
    struct version versions[KEYS][TXNS * 4 + 1];
    unsigned counts[KEYS];
    unsigned wrong; /* one read in so many is of any version; 0: none */
    int values;     /* values are below this: repeated, if it is small */
    int next;
    char *text;
    size_t length;
};

static int draw_value(struct store *s)
{
    return s->values ? (int)esse_rng_below(&s->rng, (uint32_t)s->values) + 1 : ++s->next;
}

static int seen(struct store *s, int key, long snapshot)
{
    int value = 0;
    if (s->wrong && esse_rng_below(&s->rng, s->wrong) == 0)
        return s->versions[key][esse_rng_below(&s->rng, s->counts[key])].value;
    for (unsigned i = 0; i < s->counts[key]; i++)
        if (!s->versions[key][i].aborted && s->versions[key][i].commit < snapshot)
            value = s->versions[key][i].value;
    return value;
}

static void put(struct store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct store *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    s->length += (size_t)vsprintf(s->text + s->length, format, args);
    va_end(args);
}

/* A transaction from 'now' on; when it ends.  Its versions are there from its COMMIT on, so they
 * are only seen by what comes later: transactions are made in the order of their snapshots. */
static long make_txn(struct store *s, int txn, int session, long now)
{
    const char *ops = s->values ? "rrrwwd" : "rrrwww";
    const bool aborts = esse_rng_below(&s->rng, 8) == 0;
    const unsigned count = 1 + esse_rng_below(&s->rng, 4);
    const long snapshot = now;
    struct {
        int key, value;
    } written[4];
    unsigned writes = 0;
    for (unsigned i = 0; i < count; i++) {
        const char op = ops[esse_rng_below(&s->rng, 6)];
        const int key = (int)esse_rng_below(&s->rng, KEYS);
        const long before = now, after = now + esse_rng_below(&s->rng, 3);
        bool own = false;
        for (unsigned k = 0; k < writes; k++)
            own |= written[k].key == key;
        now = after + 1;
        if (own)
            continue;
        put(s, "{\"session\":%d,\"txn\":\"t%d\",\"%c\":\"k%d\"", session, txn, op, key);
        const int value = op == 'r' ? seen(s, key, snapshot) : op == 'w' ? draw_value(s) : 0;
        if (op == 'r' && !value)
            put(s, ",\"v\":null");
        else if (op != 'd')
            put(s, ",\"v\":%d", value);
        put(s, ",\"t\":[%ld,%ld]}\n", before, after);
        if (op != 'r') {
            written[writes].key = key;
            written[writes++].value = value;
        }
    }
    put(s, "{\"session\":%d,\"txn\":\"t%d\",\"%s\":true,\"t\":[%ld,%ld]}\n", session, txn,
        aborts ? "abort" : "commit", now, now + 2);
    for (unsigned k = 0; k < writes; k++)
        s->versions[written[k].key][s->counts[written[k].key]++] =
            (struct version){ written[k].value, now + 1, aborts };
    return now + 3;
}

static const char *make_trace(struct store *s, struct esse_arena *arena, unsigned seed)
{
    long now[SESSIONS] = { 10, 11, 12 };
    *s = (struct store){ .rng = { seed * 2654435761u + 17 } };
    s->text = esse_arena_alloc(arena, 1 << 16, 1);
    s->wrong = esse_rng_below(&s->rng, 3) * 6;
    s->values = esse_rng_below(&s->rng, 2) ? 4 : 0;
    for (int key = 0; key < KEYS; key++)
        s->versions[key][s->counts[key]++] = (struct version){ 0, -1, false };
    put(s, "{\"esse\":\"trace\",\"version\":1,\"resolution\":1,\"init\":{},\"exclusive\":true}\n");
    for (int t = 0; t < TXNS; t++) {
        int first = 0;
        for (int i = 1; i < SESSIONS; i++)
            first = now[i] < now[first] ? i : first;
        now[first] = make_txn(s, t, first, now[first]) + esse_rng_below(&s->rng, 4);
    }
    return s->text;
}

/* ---- both ways ---- */

static enum esse_outcome whole(struct esse_arena *arena, const char *text, enum esse_level_id level)
{
    const char *name = esse_level_name(level);
    const struct esse_check_options options = { .levels = &name, .level_count = 1, .threads = 1 };
    const struct esse_result *result;
    struct esse_error err;
    CHECK(esse_check(arena, load_text(arena, "trace", text), &options, &result, &err));
    return result->verdicts[0].outcome;
}

static const struct esse_profile *row_of(const char *text, struct esse_profile *own)
{
    const struct esse_profile *row;
    struct esse_error err;
    CHECK(esse_profile_named(text, own, &row, &err));
    return row;
}

TEST(test_windows__what_a_window_violates_the_whole_trace_violates)
{
    enum { ROUNDS = 400 };
    static const enum esse_level_id levels[] = { ESSE_LEVEL_SERIALIZABLE,
                                                 ESSE_LEVEL_SNAPSHOT_ISOLATION,
                                                 ESSE_LEVEL_READ_COMMITTED };
    static const uint32_t sizes[] = { 1, 3, 8, 1000 };
    struct esse_profile own;
    unsigned violated = 0, held = 0, found = 0, small = 0;
    for (unsigned i = 0; i < test_rounds(ROUNDS); i++) {
        struct esse_arena *arena = esse_arena_new();
        struct store *s = esse_arena_alloc(arena, 1, sizeof *s);
        const char *text = make_trace(s, arena, test_first(ROUNDS) + i);
        const enum esse_level_id level = levels[i % 3];
        /* A value that is written again later explains nothing; but the whole does not know that.
         */
        const uint32_t size = s->values ? 1000 : sizes[i / 3 % 4];
        struct mirror_result result = { 0 };
        const struct esse_mirror_options options = {
            .profile = row_of("cr=T,at=F,me=-,fuw=-,time=x", &own),
            .resolution = ESSE_NO_TIME,
            .skew = ESSE_NO_TIME,
            .lateness = ESSE_NO_TIME,
            .level = level,
            .window_txns = size,
            .pace = s->values ? 10000 : 1 + i % 5,
        };
        run_mirror(text, s->length, &options, &result);
        CHECK(result.ok);
        for (unsigned w = 0; w < result.window_count; w++) {
            const struct mirror_window_result *window = &result.windows[w];
            CHECK(window->outcome != ESSE_UNKNOWN);
            if (window->outcome != ESSE_VIOLATED)
                continue;
            found++;
            small += size < 1000;
            if (whole(arena, text, window->level) != ESSE_VIOLATED)
                fprintf(stderr, "%s%s is violated by a window of %u only (seed %u)\n", text,
                        esse_level_name(window->level), size, i);
            CHECK_EQ(whole(arena, text, window->level), ESSE_VIOLATED);
        }
        const bool is_violated = whole(arena, text, level) == ESSE_VIOLATED;
        violated += is_violated;
        held += !is_violated;
        esse_arena_free(arena);
    }
    print_message("%u violated, %u held, %u windows violated, %u of them small\n", violated, held,
                  found, small);
    CHECK(violated >= test_least(50));
    CHECK(held >= test_least(50));
    CHECK(found >= test_least(50));
    CHECK(small >= test_least(20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows__what_a_window_violates_the_whole_trace_violates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
