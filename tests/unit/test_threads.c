#include "base/threads.h"
#include "engine/saturate/saturate_axiom.h"
#include "engine/scan/scan.h"
#include "formats/ahead.h"
#include "formats/native.h"
#include "test.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { STEPS = 10000 };

struct counting {
    _Atomic unsigned done[STEPS]; /* how often each step was */
    uint32_t owner[STEPS];        /* by piece: the step it begins with, and 1 */
    struct esse_worker *workers;
    uint32_t fails; /* at this step, and at every tenth after it */
    _Atomic unsigned begun;
};

static bool count_steps(void *context, const struct esse_piece *piece)
{
    struct counting *c = context;
    uint64_t *own = c->workers[piece->worker].state;
    atomic_fetch_add(&c->begun, 1);
    c->owner[piece->number] = piece->begin + 1;
    for (uint32_t i = piece->begin; i < piece->end; i++) {
        atomic_fetch_add(&c->done[i], 1);
        own[0] += i;
    }
    return true;
}

/* Every step once, whatever the threads, the count and the size of the pieces. */
TEST(test_loop__does_every_step_once)
{
    static const unsigned threads[] = { 1, 2, 3, 7 };
    static const uint32_t counts[] = { 0, 1, 2, 63, 64, 65, STEPS }, sizes[] = { 1, 7, 64, 20000 };
    struct esse_arena *arena = esse_arena_new();
    struct counting *c = esse_arena_alloc(arena, 1, sizeof *c);
    for (size_t i = 0; i < 4 * 7 * 4; i++) {
        struct esse_loop loop = { .count = counts[i / 4 % 7],
                                  .piece = sizes[i / 28],
                                  .threads = threads[i % 4],
                                  .body = count_steps,
                                  .context = c };
        memset(c, 0, sizeof *c);
        c->workers = esse_workers_new(arena, loop.threads, sizeof(uint64_t));
        CHECK(esse_loop_run(&loop));
        uint64_t sum = 0;
        for (unsigned w = 0; w < loop.threads; w++)
            sum += *(uint64_t *)c->workers[w].state;
        esse_workers_free(c->workers, loop.threads);
        CHECK_EQ(sum, (uint64_t)loop.count * (loop.count ? loop.count - 1 : 0) / 2);
        for (uint32_t step = 0; step < STEPS; step++)
            CHECK_EQ(c->done[step], step < loop.count);
        for (uint32_t p = 0; p < esse_loop_pieces(&loop); p++)
            CHECK_EQ(c->owner[p], p * loop.piece + 1);
    }
    esse_arena_free(arena);
}

/* ---- stopping ---- */

/* Fails at the first of the steps that must; each worker at most once. */
static bool fail_sometimes(void *context, const struct esse_piece *piece)
{
    struct counting *c = context;
    uint32_t *first = c->workers[piece->worker].state;
    for (uint32_t i = piece->begin; i < piece->end; i++)
        if (i >= c->fails && (i - c->fails) % 10 == 0) {
            assert(!*first); /* cmocka's checks are for the main thread */
            *first = i;
            return false;
        }
    return true;
}

/* The failure of the smallest number is that of a single thread. */
TEST(test_loop__the_first_failure_is_always_found)
{
    struct esse_arena *arena = esse_arena_new();
    struct counting *c = esse_arena_alloc(arena, 1, sizeof *c);
    struct esse_rng random = { 1 };
    for (unsigned round = 0; round < test_rounds(200); round++) {
        struct esse_loop loop = { .count = STEPS,
                                  .piece = 1 + esse_rng_below(&random, 9),
                                  .threads = 1 + round % 5,
                                  .body = fail_sometimes,
                                  .context = c };
        c->fails = 1 + esse_rng_below(&random, STEPS - 1);
        c->workers = esse_workers_new(arena, loop.threads, sizeof(uint32_t));
        CHECK(!esse_loop_run(&loop));
        uint32_t first = UINT32_MAX;
        for (unsigned w = 0; w < loop.threads; w++) {
            uint32_t own = *(uint32_t *)c->workers[w].state;
            first = own && own < first ? own : first;
        }
        esse_workers_free(c->workers, loop.threads);
        CHECK_EQ(first, c->fails);
    }
    esse_arena_free(arena);
}

static void cancel_after(void *context, const char *phase, uint64_t done, uint64_t total)
{
    struct esse_budget *budget = context;
    (void)phase;
    CHECK(done <= total);
    budget->cancel = done > STEPS / 2;
}

TEST(test_loop__a_spent_budget_stops_all)
{
    static const unsigned threads[] = { 1, 2, 5 };
    struct esse_arena *arena = esse_arena_new();
    struct counting *c = esse_arena_alloc(arena, 1, sizeof *c);
    for (size_t i = 0; i < 3; i++) {
        struct esse_budget budget = { .progress = cancel_after, .progress_context = &budget };
        struct esse_loop loop = { .count = STEPS,
                                  .piece = 10,
                                  .threads = threads[i],
                                  .body = count_steps,
                                  .context = c,
                                  .budget = &budget };
        memset(c, 0, sizeof *c);
        c->workers = esse_workers_new(arena, loop.threads, sizeof(uint64_t));
        esse_budget_phase(&budget, "counting", STEPS);
        CHECK(!esse_loop_run(&loop));
        CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_INTERRUPTED);
        CHECK(c->begun > STEPS / 2 / 10);
        CHECK(c->begun == STEPS / 2 / 10 + 1 || loop.threads > 1);
        c->begun = 0;
        CHECK(!esse_loop_run(&loop)); /* what is spent stays spent */
        CHECK(c->begun == 0 || loop.threads > 1);
        esse_workers_free(c->workers, loop.threads);
    }
    esse_arena_free(arena);
}

/* ---- how many ---- */

TEST(test_threads__the_default_is_where_we_may_run)
{
    cpu_set_t before, one;
    CPU_ZERO(&one);
    CHECK_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    CHECK_EQ(esse_thread_count(0), CPU_COUNT(&before) < 128 ? CPU_COUNT(&before) : 128);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_EQ(esse_thread_count(0), 1);
    CHECK_EQ(sched_setaffinity(0, sizeof before, &before), 0);
    CHECK_EQ(esse_thread_count(1), 1);
    CHECK_EQ(esse_thread_count(5), 5);
    CHECK_EQ(esse_thread_count(1000000), 128);
}

TEST(test_threads__little_work_is_done_alone)
{
    CHECK_EQ(esse_threads_for(8, 0), 1);
    CHECK_EQ(esse_threads_for(8, 20000), 1);
    CHECK_EQ(esse_threads_for(8, 50000), 3);
    CHECK_EQ(esse_threads_for(8, 1000000000000), 8);
    CHECK_EQ(esse_loop_piece(0), 1);
    CHECK_EQ(esse_loop_piece(100), 1);
    CHECK_EQ(esse_loop_piece(1024), 4);
    CHECK_EQ(esse_loop_piece(1000000), 64);
}

static void *tell_mask(void *context)
{
    pthread_sigmask(SIG_SETMASK, NULL, context);
    return NULL;
}

TEST(test_threads__signals_are_for_others)
{
    sigset_t theirs, ours;
    pthread_t thread;
    CHECK(esse_thread_start(&thread, tell_mask, &theirs));
    pthread_join(thread, NULL);
    CHECK(sigismember(&theirs, SIGINT) && sigismember(&theirs, SIGTERM));
    CHECK(!sigismember(&theirs, SIGSEGV));
    pthread_sigmask(SIG_SETMASK, NULL, &ours);
    CHECK(!sigismember(&ours, SIGINT));
}

/* ---- reading ahead ---- */

/* Gives 'length' bytes in uneven parts, then fails or ends. */
struct giver {
    size_t length, given;
    bool fails;
    struct esse_rng rng;
};

static char byte_at(size_t at)
{
    return (char)(at * 2654435761u >> 13);
}

static bool give(void *context, char *to, size_t room, size_t *got, struct esse_error *err)
{
    struct giver *giver = context;
    size_t most = giver->length - giver->given, part = 1 + esse_rng_below(&giver->rng, 700000);
    *got = part < most ? part : most;
    *got = *got < room ? *got : room;
    for (size_t i = 0; i < *got; i++)
        to[i] = byte_at(giver->given++);
    return !giver->fails || giver->given < giver->length ||
           esse_fail(err, ESSE_EIO, "no more after %zu", giver->given);
}

/* Takes all there is in uneven parts; says how much that was. */
static size_t take(struct esse_ahead *ahead, uint64_t seed, bool *ok, struct esse_error *err)
{
    struct esse_rng rng = { seed };
    size_t taken = 0, got = 1;
    char *to = malloc(3000000);
    for (*ok = true; *ok && got; taken += got) {
        *ok = esse_ahead_read(ahead, to, 1 + esse_rng_below(&rng, 3000000), &got, err);
        bool same = true;
        for (size_t i = 0; i < got; i++)
            same &= to[i] == byte_at(taken + i);
        CHECK(same);
    }
    free(to);
    return taken;
}

TEST(test_ahead__gives_what_the_reader_gave)
{
    static const size_t lengths[] = { 0, 1, 1 << 20, (1 << 20) + 1, 3 << 20, 5000000 };
    for (uint64_t i = 0; i < 12; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct giver giver = { .length = lengths[i / 2], .fails = i % 2, .rng = { i } };
        struct esse_ahead *ahead = esse_ahead_start(arena, give, &giver);
        struct esse_error err = { 0 };
        char text[64];
        size_t got;
        bool ok;
        CHECK(ahead);
        CHECK_EQ(take(ahead, i, &ok, &err), giver.length);
        CHECK_EQ(ok, !giver.fails);
        snprintf(text, sizeof text, "no more after %zu", giver.length);
        CHECK_TEXT(err.text, giver.fails ? text : "");
        CHECK_EQ(esse_ahead_read(ahead, text, 1, &got, &err), !giver.fails); /* and again */
        CHECK_EQ(got, 0);
        esse_ahead_close(ahead);
        esse_arena_free(arena);
    }
}

TEST(test_ahead__may_be_closed_at_any_time)
{
    for (unsigned reads = 0; reads < 6; reads++) {
        struct esse_arena *arena = esse_arena_new();
        struct giver giver = { .length = SIZE_MAX };
        struct esse_ahead *ahead = esse_ahead_start(arena, give, &giver);
        struct esse_error err = { 0 };
        char *to = esse_arena_grow(arena, NULL, 600000);
        size_t got;
        for (unsigned i = 0; i < reads; i++)
            CHECK(esse_ahead_read(ahead, to, 600000, &got, &err));
        esse_ahead_close(ahead);
        esse_arena_free(arena);
    }
}

/* ---- portions (tests/unit/test_portions.c has more) ---- */

/* A native history whose transaction 'twice' has the id of the one before, and which ends in the
 * middle of a line. */
static const char *native_text(struct esse_arena *arena, int txns, int twice, size_t *length)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    for (int txn = 0; txn < txns; txn++)
        esse_out_f(out,
                   "{'session':'session %d','txn':%d,'ops':[{'a':'list %d','v':%d},"
                   "{'r':'a long name %d','v':[%d,'a long value %d']}]}\n",
                   txn % 7, txn == twice ? txn - 1 : txn, txn % 50, txn, txn, txn, txn % 3);
    esse_out_text(out, "{'session':");
    *length = out->count;
    return json(arena, esse_out_memory(out));
}

static void read_in_portions(const char *text, size_t length, size_t bytes,
                             struct esse_budget *budget, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new(), *scratch = esse_arena_new();
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_source source;
    struct esse_reading reading = { .source = &source,
                                    .builder = builder,
                                    .sink = esse_builder_sink(builder),
                                    .threads = 3,
                                    .portion = bytes };
    *err = (struct esse_error){ 0 };
    esse_source_memory(&source, scratch, text, length);
    source.budget = budget;
    CHECK(!esse_native_read(&reading, err));
    CHECK(source.budget == budget);
    esse_source_close(&source);
    esse_arena_free(scratch);
    esse_arena_free(arena);
}

/* Of what is wrong in several portions, and what only the whole shows, the first line counts. */
TEST(test_portions__tells_the_first_error)
{
    enum { LINES = 5000 };
    static const int twice[] = { LINES, 1, 30, 2000, LINES - 1 };
    static const size_t bytes[] = { 1, 5000, 256 << 10 };
    for (size_t i = 0; i < 15; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_error err;
        const int line = twice[i / 3] + 1;
        size_t length;
        const char *text = native_text(arena, LINES, twice[i / 3], &length);
        char expected[100] = "found end of file, expected a session: an integer or a string";
        if (line <= LINES)
            snprintf(expected, sizeof expected,
                     "the transaction id '%d' was used before, on line %d; ids must be unique",
                     line - 2, line - 1);
        read_in_portions(text, length, bytes[i % 3], NULL, &err);
        CHECK_TEXT(err.text, expected);
        CHECK_EQ(err.line, line);
        esse_arena_free(arena);
    }
}

TEST(test_portions__a_spent_budget_stops_it)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_budget budget = { .cancel = true };
    struct esse_error err;
    size_t length;
    const char *text = native_text(arena, 5000, -1, &length);
    read_in_portions(text, length, 1000, &budget, &err);
    CHECK_EQ(err.code, ESSE_ESTOPPED);
    CHECK_TEXT(err.text, "stopped while reading (interrupted)");
    esse_arena_free(arena);
}

/* ---- what is found ---- */

enum { TXNS = 20000, KEYS = 500 };

/* A transaction that reads all keys, and so numbers them; then many that read what was last written
 * to a key, or what was before that, and write it.  In every so many reads of the second half of
 * the keys they read what no transaction wrote. */
static struct esse_history *make_history(struct esse_arena *arena, bool stale, unsigned wrong)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err = { 0 };
    struct esse_rng rng = { 1 };
    int64_t last[KEYS][2] = { { 0 } };
    esse_builder_begin(builder, esse_int(0), NULL);
    for (unsigned key = 0; key < KEYS; key++)
        esse_builder_read(builder, esse_int(key), esse_nil());
    for (unsigned op = 0; op < 4 * TXNS; op++) {
        const unsigned key = esse_rng_below(&rng, KEYS);
        int64_t value = last[key][stale && esse_rng_below(&rng, 4) == 0];
        if (op % 4 == 0) {
            CHECK(esse_builder_end(builder, op % 52 ? ESSE_COMMITTED : ESSE_UNKNOWN_OUTCOME, &err));
            esse_builder_begin(builder, esse_int(op / 4 % 8), NULL);
        }
        if (key >= KEYS / 2 && (op + 1) % wrong == 0)
            value = -1;
        esse_builder_read(builder, esse_int(key), value ? esse_int(value) : esse_nil());
        esse_builder_write(builder, esse_int(key), esse_int(op + 1));
        last[key][1] = last[key][0];
        last[key][0] = op + 1;
    }
    CHECK(esse_builder_end(builder, ESSE_COMMITTED, &err));
    CHECK(esse_builder_freeze(builder, &history, &err));
    return history;
}

/* What the engines found out key by key, and then some. */
struct found {
    struct esse_job job;
    struct known known;
    struct versions versions;
    struct saturate_units units;
    struct saturate_forced_vec forced;
};

static void find(struct found *f, struct esse_arena *arena, const struct esse_history *history,
                 unsigned threads, bool single)
{
    *f = (struct found){ .job = { .arena = arena, .history = history, .threads = threads } };
    CHECK(scan_open(&f->known, &f->job, NULL));
    CHECK(versions_find(&f->versions, &f->known, false));
    CHECK(saturate_units_make(&f->units, f->known.scratch, &f->versions, single, threads, NULL));
    CHECK(saturate_force(single ? ESSE_PHI_SEEN : ESSE_PHI_ATOMIC, &f->units, NULL, &f->forced));
}

#define CHECK_SAME(a, b, count) CHECK(memcmp(a, b, (count) * sizeof *(a)) == 0)

static void check_same(const struct found *a, const struct found *b)
{
    const uint32_t accesses = a->known.sources.by_key.count;
    CHECK_SAME(a->known.sources.link, b->known.sources.link, accesses);
    CHECK_EQ(a->versions.count, b->versions.count);
    CHECK_SAME(a->versions.first, b->versions.first, KEYS + 1);
    CHECK_SAME(a->versions.unordered, b->versions.unordered, KEYS);
    CHECK_SAME(a->versions.write, b->versions.write, a->versions.count);
    CHECK_SAME(a->versions.of, b->versions.of, accesses);
    CHECK_EQ(a->versions.undetermined, b->versions.undetermined);
    CHECK_EQ(a->versions.unresolved, b->versions.unresolved);
    CHECK_EQ(a->units.unresolved, b->units.unresolved);
    CHECK_SAME(a->units.access, b->units.access, accesses);
    CHECK_EQ(a->forced.count, b->forced.count);
    CHECK_SAME(a->forced.at, b->forced.at, a->forced.count);
}

TEST(test_engines__threads_find_the_same)
{
    for (unsigned single = 0; single < 2; single++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = make_history(arena, true, 401);
        struct found alone, together;
        find(&alone, arena, history, 1, single);
        CHECK(alone.versions.undetermined && alone.units.unresolved && alone.forced.count > 1000);
        for (unsigned threads = 2; threads < 6; threads++) {
            find(&together, arena, history, threads, single);
            check_same(&alone, &together);
            known_close(&together.known);
        }
        known_close(&alone.known);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop__does_every_step_once),
        cmocka_unit_test(test_loop__the_first_failure_is_always_found),
        cmocka_unit_test(test_loop__a_spent_budget_stops_all),
        cmocka_unit_test(test_threads__the_default_is_where_we_may_run),
        cmocka_unit_test(test_threads__little_work_is_done_alone),
        cmocka_unit_test(test_threads__signals_are_for_others),
        cmocka_unit_test(test_ahead__gives_what_the_reader_gave),
        cmocka_unit_test(test_ahead__may_be_closed_at_any_time),
        cmocka_unit_test(test_portions__tells_the_first_error),
        cmocka_unit_test(test_portions__a_spent_budget_stops_it),
        cmocka_unit_test(test_engines__threads_find_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
