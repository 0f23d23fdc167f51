#include "formats/save.h"
#include "load_text.h"

#include <unistd.h>

/*
 * What is converted says the same afterwards: a random history, written in any format and read
 * again, has the same verdict at every level, or is refused.  Then the same from that format to
 * every other one.
 */

static char folder[] = "/tmp/esse-test-convert-XXXXXX";

static const char *const formats[] = { "native", "jepsen-edn", "plume", "dbcop", "cobra" };
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- random histories ---- */

/* What a history may have, so that every format gets some that it can hold. */
struct shape {
    struct esse_rng rng;
    bool lists, mixed; /* keys with lists; and in one history with registers */
    bool zeros, duplicates, deletes, predicates, init;
    bool aborted, unknown;
    enum { NO_TIMES, ALL_TIMES, SOME_TIMES } times;
    enum { NO_NAMES, NUMBERS, TEXTS } names;
    bool named_sessions, header, error, in_version_order;
    int64_t now[3]; /* of each session */
    uint32_t fresh;
};

static bool chance(struct shape *s, uint32_t one_in)
{
    return !esse_rng_below(&s->rng, one_in);
}

static struct shape random_shape(uint64_t seed)
{
    struct shape s = { .rng = { seed } };
    s.lists = chance(&s, 3);
    s.mixed = chance(&s, 10);
    s.zeros = chance(&s, 3);
    s.duplicates = chance(&s, 3);
    s.deletes = chance(&s, 6);
    s.predicates = chance(&s, 8);
    s.init = chance(&s, 4);
    s.aborted = chance(&s, 2);
    s.unknown = chance(&s, 3);
    s.times = esse_rng_below(&s.rng, 3);
    s.names = esse_rng_below(&s.rng, 3);
    s.named_sessions = chance(&s, 10);
    s.header = chance(&s, 3);
    s.error = chance(&s, 4);
    s.in_version_order = !s.lists && chance(&s, 8);
    if (chance(&s, 2)) { /* registers alone, which every format holds */
        s.lists = s.mixed = s.deletes = s.predicates = s.unknown = s.named_sessions = false;
        s.times = NO_TIMES;
        s.names = s.names == TEXTS ? NO_NAMES : s.names;
    }
    return s;
}

static int64_t random_value(struct shape *s)
{
    return (s->zeros ? 0 : 1) + esse_rng_below(&s->rng, 4);
}

static int64_t written_value(struct shape *s)
{
    return s->duplicates ? random_value(s) : (s->zeros ? 0 : 1) + s->fresh++ % 6;
}

static void put_read(struct shape *s, struct esse_out *out, bool list, bool may_fail)
{
    if (may_fail && chance(s, 3))
        return;
    esse_out_text(out, ",\"v\":");
    if (chance(s, 3)) {
        esse_out_text(out, list ? "[]" : "null");
    } else if (list) {
        esse_out_f(out, "[%d", (int)random_value(s));
        if (chance(s, 2))
            esse_out_f(out, ",%d", (int)random_value(s));
        esse_out_char(out, ']');
    } else {
        esse_out_i64(out, random_value(s));
    }
}

static void put_op(struct shape *s, struct esse_out *out, bool may_fail)
{
    const uint32_t key =
        esse_rng_below(&s->rng, 2) + (s->lists && !(s->mixed && chance(s, 2)) ? 10u : 0);
    const bool list = key >= 10;
    if (s->predicates && !s->lists && chance(s, 3)) {
        esse_out_f(out, "{\"p\":\"v = %d\",\"rows\":{", (int)random_value(s));
        if (chance(s, 2))
            esse_out_f(out, "\"%u\":%d", key, (int)random_value(s));
        esse_out_text(out, "}}");
    } else if (s->deletes && !list && chance(s, 4)) {
        esse_out_f(out, "{\"d\":\"%u\"}", key);
    } else if (chance(s, 2)) {
        esse_out_f(out, "{\"%c\":\"%u\",\"v\":%d}", list ? 'a' : 'w', key, (int)written_value(s));
    } else {
        esse_out_f(out, "{\"r\":\"%u\"", key);
        put_read(s, out, list, may_fail);
        esse_out_char(out, '}');
    }
}

static void put_times(struct shape *s, struct esse_out *out, uint32_t session)
{
    if (s->times == NO_TIMES || (s->times == SOME_TIMES && chance(s, 3)))
        return;
    int64_t *now = &s->now[session];
    *now = chance(s, 6) ? *now / 2 : *now; /* not all clients behave */
    const int64_t start = *now + esse_rng_below(&s->rng, 4),
                  end = start + esse_rng_below(&s->rng, 6);
    *now = end;
    if (s->times == ALL_TIMES || !chance(s, 4))
        esse_out_f(out, "\"start\":%d,", (int)start);
    if (s->times == ALL_TIMES || !chance(s, 4))
        esse_out_f(out, "\"end\":%d,", (int)end);
}

static void put_txn(struct shape *s, struct esse_out *out, uint32_t number)
{
    static const char *const session_names[] = { "0", "1", "\"two\"" };
    const uint32_t session = esse_rng_below(&s->rng, s->named_sessions ? 3 : 2);
    const bool aborted = s->aborted && chance(s, 4),
               unknown = !aborted && s->unknown && chance(s, 3);
    esse_out_f(out, "{\"session\":%s,", session_names[session]);
    if (s->names != NO_NAMES)
        esse_out_f(out, s->names == NUMBERS ? "\"txn\":\"%u\"," : "\"txn\":\"t%u\",", number + 3);
    if (aborted || unknown)
        esse_out_f(out, "\"status\":\"%s\",", aborted ? "aborted" : "unknown");
    put_times(s, out, session);
    if (s->error && chance(s, 2))
        esse_out_text(out, "\"time\":[null,7],\"edn\":{\":error\":\"[:timeout \\\"x\\\"]\"},");
    esse_out_text(out, "\"ops\":[");
    for (uint32_t i = esse_rng_below(&s->rng, 4), first = 1; i > 0; i--, first = 0) {
        if (!first)
            esse_out_char(out, ',');
        put_op(s, out, aborted || unknown);
    }
    esse_out_text(out, "]}\n");
}

static const char *random_text(struct esse_arena *arena, uint64_t seed)
{
    struct shape s = random_shape(seed);
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    if (s.header || s.in_version_order)
        esse_out_f(out, "{\"esse\":\"history\",\"version\":1,\"db\":\"some db\"%s}\n",
                   s.in_version_order ? ",\"in_version_order\":true" : "");
    if (s.init && !s.lists)
        esse_out_f(out, "{\"init\":{\"%u\":%d}}\n", (unsigned)esse_rng_below(&s.rng, 2),
                   (int)random_value(&s));
    for (uint32_t i = 0, count = 1 + esse_rng_below(&s.rng, 5); i < count; i++)
        put_txn(&s, out, i);
    return esse_out_memory(out);
}

/* ---- verdicts ---- */

static const char *shown(struct esse_arena *arena, const struct esse_history *history)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_error err;
    esse_out_init_memory(out, arena);
    esse_history_emit(history,
                      esse_format_find("native")->writer(arena, history->values, out, true), &err);
    return esse_out_memory(out);
}

/* Levels that are decided exactly.  Of the others some are decided only where the order of the file
 * happens to help, and *unknown* is no other verdict. */
static bool is_exact(const char *level)
{
    static const char *const exact[] = { "strict-serializable",
                                         "serializable",
                                         "snapshot-isolation",
                                         "repeatable-read",
                                         "read-atomic",
                                         "causal-cerone",
                                         "prefix",
                                         "read-committed",
                                         "read-uncommitted",
                                         "axiomatic-read-committed" };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(level, exact[i]) == 0)
            return true;
    return false;
}

/* A letter a level: holds, violated, unknown; capitals for the exact ones. */
static const char *verdicts(struct esse_arena *arena, const struct esse_history *history)
{
    static const char *const all[] = { "all" };
    const struct esse_check_options options = { .levels = all, .level_count = 1, .threads = 1 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s\n%s", err.text, shown(arena, history));
    char *letters = esse_arena_alloc(arena, result->verdict_count + 1, 1);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        letters[i] = (is_exact(esse_level_name(result->verdicts[i].level))
                          ? "HVU"
                          : "hvu")[result->verdicts[i].outcome];
    return letters;
}

static bool are_the_same(const char *was, const char *is)
{
    for (; *was && *is; was++, is++)
        if (*was != *is && *was != 'u' && *is != 'u')
            return false;
    return *was == *is;
}

static void remove_all(struct esse_arena *arena, const char *path)
{
    for (int i = 0; i < 3; i++)
        unlink(esse_arena_format(arena, "%s/T%d.log", path, i));
    if (rmdir(path) != 0)
        CHECK_EQ(unlink(path), 0);
}

/* The history in another format, or NULL if that refuses it. */
static struct esse_history *through(struct esse_arena *arena, const struct esse_history *history,
                                    const char *format, struct esse_error *err)
{
    const char *path = esse_arena_format(arena, "%s/h", folder);
    struct esse_save save;
    struct esse_history *again = NULL;
    *err = (struct esse_error){ 0 };
    if (!esse_save_open(&save, arena, esse_format_find(format), history->values, path, false, err))
        fail_msg("%s", err->text);
    if (!esse_history_emit(history, save.sink, err)) {
        esse_save_discard(&save);
        return NULL;
    }
    CHECK(esse_save_commit(&save, err));
    const struct esse_load_options options = { .format = format, .threads = 1 };
    if (!esse_history_load(arena, path, &options, &again, err))
        fail_msg("%s was written and cannot be read: %s", format, err->text);
    remove_all(arena, path);
    return again;
}

struct tally {
    unsigned held[FORMATS];
};

static void compare(struct esse_arena *arena, const char *text, const struct esse_history *before,
                    const struct esse_history *after, const char *way)
{
    const char *was = verdicts(arena, before), *is = verdicts(arena, after);
    if (!are_the_same(was, is))
        fail_msg("%s\nby way of %s, %s became %s:\n%s", text, way, was, is, shown(arena, after));
}

static void convert_all(const char *text, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    const struct esse_history *history = load_text(arena, "native", text);
    for (unsigned f = 0; f < FORMATS; f++) {
        const struct esse_history *first = through(arena, history, formats[f], &err);
        if (!first)
            continue;
        tally->held[f]++;
        compare(arena, text, history, first, formats[f]);
        for (unsigned g = 0; g < FORMATS; g++) {
            const struct esse_history *second = through(arena, first, formats[g], &err);
            if (second)
                compare(arena, text, first, second,
                        esse_arena_format(arena, "%s and %s", formats[f], formats[g]));
        }
    }
    esse_arena_free(arena);
}

TEST(test_convert__every_verdict_stays_or_the_history_is_refused)
{
    struct tally tally = { 0 };
    const unsigned rounds = test_rounds(300);
    for (unsigned seed = 0; seed < rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        convert_all(random_text(arena, seed), &tally);
        esse_arena_free(arena);
    }
    for (unsigned f = 0; f < FORMATS; f++)
        CHECK(tally.held[f] > rounds / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convert__every_verdict_stays_or_the_history_is_refused),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
