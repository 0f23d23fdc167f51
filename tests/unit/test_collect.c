#include "base/clock.h"
#include "collect/driver/live_rows.h"
#include "collect/live.h"
#include "collect/record/crash_handler.h"
#include "collect/recover/learnt.h"
#include "formats/native.h"
#include "load_text.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The loop, the recorder and the workloads against a driver that does what a script says: at the
 * n-th request of a kind it misbehaves, and otherwise all goes well at once.
 */
enum trick {
    NOTHING,
    REFUSES,  /* FAILED, the transaction is over */
    OPEN,     /* FAILED, the transaction is still there */
    LOSES,    /* FAILED, and the connection is gone */
    IN_DOUBT, /* FAILED, the connection is gone, the outcome unknown */
    AGAIN,    /* AGAIN once, then DONE */
    LATE,     /* WAIT on a pipe in which there is something */
    NEVER,    /* WAIT on a pipe in which there is nothing */
    WOKEN,    /* LATE, and for an hour at most */
    TIMED,    /* WAIT on a pipe in which there is nothing, for a moment at most; then DONE */
    FATAL,
};

struct script {
    enum esse_ask ask;
    unsigned nth; /* from 1 */
    enum trick trick;
};

enum { ROOM = 4096, ASKS = ESSE_ASK_ROLLBACK + 1 };

static struct {
    const struct script *script;
    unsigned asked[ASKS];
    char log[ROOM];                   /* a letter for each request that was started */
    struct esse_interval truth[ROOM]; /* when it was, and when it was answered: with one session */
    size_t logged;
    unsigned drops, steps;
    int ready[2], silent[2]; /* pipes */
    unsigned hosts_asked[8];
} fake;

struct fake_conn {
    struct esse_conn head;
    enum trick trick;
    bool is_commit;
};

static const struct esse_claim fake_claims[] = { { "serializable", "serializable", "a test" },
                                                 { 0 } };

static bool fake_open(struct esse_arena *arena, const struct esse_driver *driver,
                      const struct esse_url *url, const struct esse_claim *isolation,
                      struct esse_target **target, struct esse_error *err)
{
    (void)arena, (void)driver, (void)url, (void)isolation, (void)err;
    *target = NULL;
    return true;
}

static bool fake_prepare(struct esse_target *target, const struct esse_schema *schema,
                         struct esse_error *err)
{
    (void)target, (void)schema, (void)err;
    return true;
}

static bool fake_describe(struct esse_target *target, struct esse_description *description,
                          struct esse_error *err)
{
    (void)target, (void)err;
    *description = (struct esse_description){ .product = "fake 1" };
    return true;
}

static void fake_close(struct esse_target *target)
{
    (void)target;
}

static struct esse_conn *fake_conn(struct esse_target *target, struct esse_arena *arena,
                                   uint32_t session)
{
    struct fake_conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    (void)target, (void)session;
    conn->head.fd = -1;
    return &conn->head;
}

static void fake_drop(struct esse_conn *head)
{
    (void)head;
    fake.drops++;
}

static enum esse_progress fail_as(struct fake_conn *conn, struct esse_reply *reply)
{
    esse_failed(reply,
                conn->trick == OPEN       ? ESSE_FATE_OPEN
                : conn->trick == IN_DOUBT ? ESSE_FATE_UNKNOWN
                                          : ESSE_FATE_ABORTED,
                "40001", "as the script says");
    reply->failure.is_lost = conn->trick == LOSES || conn->trick == IN_DOUBT;
    reply->failure.is_fatal = conn->trick == FATAL;
    return ESSE_PROGRESS_FAILED;
}

static enum esse_progress fake_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct fake_conn *conn = (struct fake_conn *)head;
    fake.steps++;
    if (conn->trick == NEVER)
        return ESSE_PROGRESS_WAIT;
    reply->value = ESSE_ABSENT;
    if (fake.logged < ROOM - 1)
        fake.truth[fake.logged - 1].end = esse_clock_ns();
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress fake_answer(struct esse_conn *head, const struct esse_request *request,
                                      struct esse_reply *reply)
{
    struct fake_conn *conn = (struct fake_conn *)head;
    const unsigned nth = ++fake.asked[request->ask];
    conn->trick = NOTHING;
    for (const struct script *at = fake.script; at && at->trick; at++)
        if (at->ask == request->ask && at->nth == nth)
            conn->trick = at->trick;
    if (request->ask == ESSE_ASK_CONNECT)
        fake.hosts_asked[request->host]++;
    head->retry_seconds = 0;
    switch (conn->trick) {
    case NOTHING:
        return ESSE_PROGRESS_DONE;
    case AGAIN:
        head->retry_seconds = 1e-4;
        return ESSE_PROGRESS_AGAIN;
    case LATE:
    case NEVER:
    case WOKEN:
    case TIMED:
        head->fd = conn->trick == LATE || conn->trick == WOKEN ? fake.ready[0] : fake.silent[0];
        head->retry_seconds = conn->trick == WOKEN ? 3600 : conn->trick == TIMED ? 1e-4 : 0;
        head->events = POLLIN;
        return ESSE_PROGRESS_WAIT;
    default:
        return fail_as(conn, reply);
    }
}

static enum esse_progress fake_start(struct esse_conn *head, const struct esse_request *request,
                                     struct esse_reply *reply)
{
    if (fake.logged == ROOM - 1)
        return fake_answer(head, request, reply);
    struct esse_interval *truth = &fake.truth[fake.logged];
    fake.log[fake.logged++] = "cbrwiadmuqoCR"[request->ask];
    truth->begin = esse_clock_ns();
    const enum esse_progress progress = fake_answer(head, request, reply);
    truth->end = esse_clock_ns();
    return progress;
}

static const struct esse_driver fake_driver = {
    .name = "fake",
    .schemes = "fake",
    .can = ~0u,
    .claims = fake_claims,
    .open = fake_open,
    .prepare = fake_prepare,
    .describe = fake_describe,
    .clean = fake_close,
    .close = fake_close,
    .conn = fake_conn,
    .start = fake_start,
    .step = fake_step,
    .drop = fake_drop,
};

static void fake_begin(const struct script *script)
{
    memset(&fake, 0, sizeof fake);
    fake.script = script;
    CHECK_EQ(pipe(fake.ready), 0);
    CHECK_EQ(pipe(fake.silent), 0);
    CHECK_EQ(write(fake.ready[1], "x", 1), 1);
}

static void fake_end(void)
{
    for (unsigned i = 0; i < 2; i++) {
        close(fake.ready[i]);
        close(fake.silent[i]);
    }
}

/* ---- running ---- */

struct ran {
    struct esse_arena *arena;
    bool ok;
    struct esse_error err;
    struct esse_live_summary summary;
    char *text; /* the history */
};

static struct esse_live_options options_of(const struct esse_driver *driver,
                                           const struct esse_url *url, const char *workload)
{
    struct esse_live_options options = { .driver = driver,
                                         .url = url,
                                         .isolation = driver->claims,
                                         .workload = esse_workload_find(workload),
                                         .txns = 3,
                                         .timeout = 0.05,
                                         .patience = 1,
                                         .threads = 1,
                                         .no_certificate = true };
    options.work = options.workload->defaults;
    options.work.sessions = 1;
    options.work.seed = 1;
    return options;
}

static struct ran run(const struct esse_live_options *options)
{
    struct ran ran = { .arena = esse_arena_new() };
    struct esse_live live;
    char path[] = "/tmp/esse-test-collect-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    unlink(path);
    ran.ok = esse_live_open(ran.arena, options, &live, &ran.err);
    if (ran.ok) {
        ran.ok = esse_live_collect(&live, fd, -1, "/dev/null", &ran.summary, &ran.err);
        esse_live_close(&live);
    }
    off_t size = lseek(fd, 0, SEEK_END);
    ran.text = esse_arena_alloc(ran.arena, (size_t)size + 1, 1);
    CHECK_EQ(pread(fd, ran.text, (size_t)size, 0), size);
    close(fd);
    return ran;
}

static struct ran play(const struct script *script, const char *workload, uint64_t txns)
{
    static const struct esse_host hosts[] = { { "a", 0 }, { "b", 0 } };
    static const struct esse_url url = { .text = "", .hosts = hosts, .host_count = 2 };
    struct esse_live_options options = options_of(&fake_driver, &url, workload);
    options.txns = txns;
    options.work.abort_share = 0;
    fake_begin(script);
    struct ran ran = run(&options);
    fake_end();
    return ran;
}

static struct esse_history *load(struct ran *ran)
{
    return load_text(ran->arena, "native", ran->text);
}

/* ---- outcomes ---- */

TEST(test_loop__all_goes_well)
{
    struct ran ran = play(NULL, "write-skew", 2);
    CHECK(ran.ok);
    CHECK_TEXT(fake.log, "cbrrwCbrrwC");
    CHECK_EQ(ran.summary.tally.committed, 2);
    struct esse_history *history = load(&ran);
    CHECK_EQ(history->txns, 2);
    CHECK_EQ(history->sessions, 1);
    CHECK(history->txn_time[0].end <= history->txn_time[1].begin);
    CHECK(history->txn_time[0].begin <= history->op_time[0].begin);
    CHECK(history->op_time[2].end <= history->txn_time[0].end);
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_connection_lost_in_commit_is_unknown)
{
    static const struct script script[] = { { ESSE_ASK_COMMIT, 2, IN_DOUBT }, { 0 } };
    struct ran ran = play(script, "write-skew", 3);
    CHECK_TEXT(fake.log, "cbrrwCbrrwCcbrrwC");
    CHECK_EQ(ran.summary.tally.unknown, 1);
    CHECK_EQ(ran.summary.tally.committed, 2);
    CHECK_EQ(ran.summary.reconnects, 1);
    CHECK_EQ(fake.hosts_asked[1], 1); /* another host is tried first */
    struct esse_history *history = load(&ran);
    CHECK_EQ(history->sessions, 2); /* it is not known whether the next one comes later */
    CHECK_EQ(history->txn_status[1], ESSE_UNKNOWN_OUTCOME);
    CHECK_EQ(history->txn_time[1].end, ESSE_NO_TIME);
    CHECK(history->txn_session[2] != history->txn_session[1]);
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_connection_lost_before_commit_is_aborted)
{
    static const struct script script[] = { { ESSE_ASK_WRITE, 1, LOSES }, { 0 } };
    struct ran ran = play(script, "write-skew", 2);
    CHECK_TEXT(fake.log, "cbrrwcbrrwC");
    CHECK_EQ(ran.summary.tally.aborted, 1);
    CHECK_EQ(ran.summary.tally.unknown, 0);
    struct esse_history *history = load(&ran);
    CHECK_EQ(history->sessions, 1);
    CHECK_EQ(history->txn_status[0], ESSE_ABORTED);
    /* The write that failed is there: another transaction may have seen it. */
    CHECK_EQ(history->txn_op[1], 3);
    CHECK_EQ(history->op_kind[2], ESSE_OP_WRITE);
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_refusal_is_aborted_and_an_open_transaction_rolled_back)
{
    static const struct script script[] = { { ESSE_ASK_COMMIT, 1, REFUSES },
                                            { ESSE_ASK_READ, 3, OPEN },
                                            { 0 } };
    struct ran ran = play(script, "write-skew", 3);
    CHECK_TEXT(fake.log, "cbrrwCbrRbrrwC");
    CHECK_EQ(ran.summary.tally.aborted, 2);
    CHECK_EQ(ran.summary.tally.committed, 1);
    CHECK_TEXT(ran.summary.refusals[0].code, "40001");
    CHECK_EQ(ran.summary.refusals[0].count, 2);
    struct esse_history *history = load(&ran);
    CHECK_EQ(history->txn_status[1], ESSE_ABORTED);
    CHECK(esse_value_eq(history->op_value[3], ESSE_NONE)); /* a read that failed has no value */
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_rollback_that_fails_is_still_aborted)
{
    static const struct script script[] = { { ESSE_ASK_READ, 1, OPEN },
                                            { ESSE_ASK_ROLLBACK, 1, LOSES },
                                            { 0 } };
    struct ran ran = play(script, "write-skew", 2);
    CHECK_TEXT(fake.log, "cbrRcbrrwC");
    CHECK_EQ(ran.summary.tally.aborted, 1);
    CHECK_EQ(ran.summary.tally.committed, 1);
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_wait_with_a_limit_ends_by_its_socket_or_by_the_limit)
{
    static const struct script script[] = { { ESSE_ASK_READ, 1, WOKEN },
                                            { ESSE_ASK_READ, 2, TIMED },
                                            { ESSE_ASK_BEGIN, 3, WOKEN },
                                            { 0 } };
    struct ran ran = play(script, "write-skew", 3);
    CHECK(ran.ok);
    CHECK_EQ(ran.summary.tally.committed, 3);
    CHECK_EQ(ran.summary.reconnects, 0);
    esse_arena_free(ran.arena);
}

TEST(test_loop__waits_and_retries)
{
    static const struct script script[] = { { ESSE_ASK_BEGIN, 1, AGAIN },
                                            { ESSE_ASK_READ, 2, LATE },
                                            { ESSE_ASK_COMMIT, 1, AGAIN },
                                            { 0 } };
    struct ran ran = play(script, "write-skew", 1);
    CHECK_TEXT(fake.log, "cbrrwC");
    CHECK_EQ(fake.steps, 3);
    CHECK_EQ(ran.summary.tally.committed, 1);
    esse_arena_free(ran.arena);
}

TEST(test_loop__hangs_up_on_who_does_not_answer)
{
    static const struct script script[] = { { ESSE_ASK_READ, 1, NEVER },
                                            { ESSE_ASK_COMMIT, 1, NEVER },
                                            { 0 } };
    struct ran ran = play(script, "write-skew", 3);
    CHECK_TEXT(fake.log, "cbrcbrrwCcbrrwC");
    CHECK_EQ(ran.summary.tally.aborted, 1); /* no COMMIT was sent */
    CHECK_EQ(ran.summary.tally.unknown, 1);
    CHECK_EQ(ran.summary.tally.committed, 1);
    CHECK_EQ(fake.drops, 3); /* twice in anger, once at the end */
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_fatal_answer_ends_the_run)
{
    static const struct script script[] = { { ESSE_ASK_READ, 3, FATAL }, { 0 } };
    struct ran ran = play(script, "write-skew", 100);
    CHECK(!ran.ok);
    CHECK_EQ(ran.err.code, ESSE_EUNAVAILABLE);
    CHECK(strstr(ran.err.text, "as the script says"));
    CHECK_EQ(load(&ran)->txns, 2); /* what was recorded stays */
    esse_arena_free(ran.arena);
}

TEST(test_loop__a_server_that_is_away_is_waited_for)
{
    static const struct script script[] = { { ESSE_ASK_READ, 2, LOSES },
                                            { ESSE_ASK_CONNECT, 2, REFUSES },
                                            { ESSE_ASK_CONNECT, 3, REFUSES },
                                            { 0 } };
    struct ran ran = play(script, "write-skew", 2);
    CHECK(ran.ok);
    CHECK_TEXT(fake.log, "cbrrcccbrrwC");
    esse_arena_free(ran.arena);
}

/* The clock of a history began at a time that is not recorded; but there must be one by which every
 * recorded interval holds the true one. */
struct zero {
    int64_t earliest, latest;
};

static void holds(struct zero *zero, struct esse_interval recorded, struct esse_interval truth)
{
    const int64_t earliest = truth.end - recorded.end, latest = truth.begin - recorded.begin;
    zero->earliest = earliest > zero->earliest ? earliest : zero->earliest;
    zero->latest = latest < zero->latest ? latest : zero->latest;
}

TEST(test_loop__recorded_intervals_hold_the_true_ones)
{
    static const struct script script[] = {
        { ESSE_ASK_BEGIN, 3, AGAIN }, { ESSE_ASK_READ, 2, LATE },    { ESSE_ASK_READ, 9, TIMED },
        { ESSE_ASK_WRITE, 5, AGAIN }, { ESSE_ASK_COMMIT, 7, TIMED }, { 0 }
    };
    struct ran ran = play(script, "write-skew", 500);
    struct esse_history *history = load(&ran);
    struct zero zero = { INT64_MIN, INT64_MAX };
    size_t op = 0, txn = 0;
    struct esse_interval whole = { 0 };
    for (size_t i = 0; i < fake.logged; i++)
        switch (fake.log[i]) {
        case 'b':
            whole.begin = fake.truth[i].begin;
            break;
        case 'C':
            whole.end = fake.truth[i].end;
            holds(&zero, history->txn_time[txn++], whole);
            break;
        case 'r':
        case 'w':
            holds(&zero, history->op_time[op++], fake.truth[i]);
            break;
        default:
            break;
        }
    CHECK_EQ(txn, 500);
    CHECK(zero.earliest <= zero.latest);
    esse_arena_free(ran.arena);
}

/* ---- the recorder ---- */

static const struct esse_table two_tables[] = { { .name = "one" }, { .name = "two" } };
static const struct esse_table list_table[] = { { .name = "l", .is_list = true } };

/* Everything that the log writer writes of one log buffer, once. */
static char *printed(struct esse_arena *arena, struct esse_log_buffer **log_buffers, size_t count)
{
    struct esse_error err = { 0 };
    char path[] = "/tmp/esse-test-press-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    CHECK(esse_log_writer_run(esse_log_writer_new(arena, log_buffers, count, fd), &err));
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = esse_arena_alloc(arena, (size_t)size + 1, 1);
    CHECK_EQ(pread(fd, text, (size_t)size, 0), size);
    close(fd);
    return text;
}

static void add(struct esse_session_buffer *session_buffer, struct esse_request request,
                struct esse_reply reply, bool is_done)
{
    reply.xid = reply.start_ts = reply.commit_ts = reply.snapshot_at = ESSE_NO_ID;
    esse_session_buffer_add(session_buffer, &request, &reply, esse_clock_ns(), is_done);
}

TEST(test_recorder__what_is_shown_of_operations)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 2, 1 };
    struct esse_log_buffer *log_buffer = esse_log_buffer_new(arena, &schema, esse_clock_ns());
    struct esse_session_buffer *session_buffer = esse_session_buffer_new(log_buffer, 5);
    const struct esse_live_row row = { 3, 7, 8 };
    esse_session_buffer_begin(session_buffer);
    add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_READ, .table = 1, .row = 4 },
        (struct esse_reply){ .value = ESSE_ABSENT }, true);
    add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_DELETE, .row = 4 },
        (struct esse_reply){ .is_absent = true }, true);
    add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_DELETE, .row = 5 },
        (struct esse_reply){ 0 }, true);
    add(session_buffer,
        (struct esse_request){ .ask = ESSE_ASK_CHANGE, .where = "v = 7", .value = 8 },
        (struct esse_reply){ .rows = &row, .row_count = 1 }, true);
    add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_MATCH, .where = "v = 7" },
        (struct esse_reply){ 0 }, false); /* failed: not shown */
    add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_WRITE, .value = 9 },
        (struct esse_reply){ 0 }, false); /* failed: shown */
    esse_session_buffer_end(session_buffer, ESSE_ABORTED);
    char *text = printed(arena, &log_buffer, 1);
    CHECK(strstr(text, json(arena, "{'session':5,'status':'aborted',")));
    CHECK(strstr(text, json(arena, "{'r':'two/4','v':null,")));
    CHECK(strstr(text, json(arena, "{'r':'one/4','v':null,")));
    CHECK(strstr(text, json(arena, "{'d':'one/5',")));
    CHECK(strstr(text, json(arena, "{'u':'v = 7','rows':{'one/3':[7,8]},")));
    CHECK(!strstr(text, "\"p\""));
    CHECK(strstr(text, json(arena, "{'w':'one/0','v':9,")));
    load_text(arena, "native", text);
    esse_log_buffer_release(log_buffer);
    esse_arena_free(arena);
}

TEST(test_recorder__a_row_that_was_returned_twice_is_a_read_of_its_own)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 2, 1 };
    struct esse_log_buffer *log_buffer = esse_log_buffer_new(arena, &schema, esse_clock_ns());
    struct esse_session_buffer *session_buffer = esse_session_buffer_new(log_buffer, 5);
    const struct esse_live_row rows[] = { { 3, 7, 0 }, { 4, 1, 0 }, { 2, 1, 0 }, { 3, 8, 0 } };
    esse_session_buffer_begin(session_buffer);
    add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_MATCH, .where = "v >= 0" },
        (struct esse_reply){ .rows = rows, .row_count = 4 }, true);
    esse_session_buffer_end(session_buffer, ESSE_COMMITTED);
    char *text = printed(arena, &log_buffer, 1);
    CHECK(strstr(text, json(arena, "'rows':{'one/3':7,'one/4':1,'one/2':1}")));
    CHECK(strstr(text, json(arena, "{'r':'one/3','v':8,")));
    load_text(arena, "native", text);
    esse_log_buffer_release(log_buffer);
    esse_arena_free(arena);
}

TEST(test_recorder__snapshots_and_ids)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 1, 1 };
    struct esse_log_buffer *log_buffer = esse_log_buffer_new(arena, &schema, esse_clock_ns());
    struct esse_session_buffer *session_buffer = esse_session_buffer_new(log_buffer, 0);
    struct esse_request request = { .ask = ESSE_ASK_READ };
    struct esse_reply reply;
    esse_session_buffer_begin(session_buffer);
    esse_reply_clear(&reply);
    reply.value = 1;
    reply.snapshot = "3:5:4";
    esse_session_buffer_add(session_buffer, &request, &reply, esse_clock_ns(), true);
    reply.snapshot = NULL;
    reply.snapshot_at = 17;
    esse_session_buffer_add(session_buffer, &request, &reply, esse_clock_ns(), true);
    request.ask = ESSE_ASK_COMMIT;
    reply.xid = 42;
    esse_session_buffer_add(session_buffer, &request, &reply, esse_clock_ns(), true);
    esse_session_buffer_end(session_buffer, ESSE_COMMITTED);
    char *text = printed(arena, &log_buffer, 1);
    CHECK(strstr(text, json(arena, "'snapshot':'3:5:4'")));
    CHECK(strstr(text, json(arena, "'snapshot':17")));
    CHECK(strstr(text, json(arena, "'xid':42")));
    size_t count;
    const struct esse_named *named = esse_log_buffer_named(log_buffer, &count);
    CHECK_EQ(count, 1);
    CHECK_EQ(named[0].xid, 42);
    esse_log_buffer_release(log_buffer);
    esse_arena_free(arena);
}

/* Lines of several log buffers come out in the order of their ends, whatever was taken when. */
TEST(test_recorder__lines_are_in_the_order_of_ends)
{
    enum { LOG_BUFFERS = 3, SESSION_BUFFERS = 4, TXNS = 2000 };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { list_table, 1, SESSION_BUFFERS };
    struct esse_log_buffer *log_buffers[LOG_BUFFERS];
    struct esse_session_buffer *session_buffers[LOG_BUFFERS][SESSION_BUFFERS];
    struct esse_error err = { 0 };
    struct esse_rng rng = { 7 };
    char path[] = "/tmp/esse-test-press-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    for (unsigned b = 0; b < LOG_BUFFERS; b++) {
        log_buffers[b] = esse_log_buffer_new(arena, &schema, 0);
        for (unsigned p = 0; p < SESSION_BUFFERS; p++)
            session_buffers[b][p] =
                esse_session_buffer_new(log_buffers[b], b * SESSION_BUFFERS + p);
    }
    struct esse_log_writer *log_writer = esse_log_writer_new(arena, log_buffers, LOG_BUFFERS, fd);
    for (unsigned i = 0; i < TXNS; i++) {
        struct esse_session_buffer *session_buffer =
            session_buffers[esse_rng_below(&rng, LOG_BUFFERS)]
                           [esse_rng_below(&rng, SESSION_BUFFERS)];
        const int64_t items[] = { 1, 2, 3 };
        esse_session_buffer_begin(session_buffer);
        add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_READ, .row = i },
            (struct esse_reply){ .items = items, .item_count = esse_rng_below(&rng, 4) }, true);
        esse_session_buffer_end(session_buffer, ESSE_COMMITTED);
        if (esse_rng_below(&rng, 50) == 0)
            CHECK(esse_log_writer_run(log_writer, &err));
    }
    CHECK(esse_log_writer_run(log_writer, &err));
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = esse_arena_alloc(arena, (size_t)size + 1, 1);
    CHECK_EQ(pread(fd, text, (size_t)size, 0), size);
    close(fd);
    struct esse_history *history = load_text(arena, "native", text);
    CHECK_EQ(history->txns, TXNS);
    for (unsigned i = 1; i < TXNS; i++)
        CHECK(history->txn_time[i - 1].end <= history->txn_time[i].end);
    for (unsigned b = 0; b < LOG_BUFFERS; b++)
        esse_log_buffer_release(log_buffers[b]);
    esse_arena_free(arena);
}

/* What is left when the threads have died in the middle of what they did. */
TEST(test_recorder__the_crash_handler_writes_what_was_open)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { list_table, 1, 4 };
    struct esse_log_buffer *log_buffer = esse_log_buffer_new(arena, &schema, esse_clock_ns());
    struct esse_session_buffer *session_buffers[4];
    char path[] = "/tmp/esse-test-press-XXXXXX", text[4096] = "";
    const int fd = mkstemp(path);
    struct esse_log_writer *log_writer = esse_log_writer_new(arena, &log_buffer, 1, fd);
    struct esse_error err = { 0 };
    unlink(path);
    for (unsigned i = 0; i < 4; i++) {
        session_buffers[i] = esse_session_buffer_new(log_buffer, i);
        esse_session_buffer_begin(session_buffers[i]);
        add(session_buffers[i],
            (struct esse_request){ .ask = ESSE_ASK_APPEND, .row = 1, .value = i },
            (struct esse_reply){ 0 }, true);
        if (i == 0) {
            esse_session_buffer_end(session_buffers[i], ESSE_COMMITTED);
            CHECK(esse_log_writer_run(log_writer, &err));
        }
    }
    esse_session_buffer_end(session_buffers[1], ESSE_ABORTED);
    esse_session_buffer_begin(session_buffers[0]); /* nothing yet */
    esse_log_writer_last(log_writer);
    CHECK(pread(fd, text, sizeof text - 1, 0) > 0);
    close(fd);
    const struct esse_history *history = load_text(arena, "native", text);
    const struct esse_counts counts = esse_history_counts(history);
    CHECK_EQ(counts.committed, 1);
    CHECK_EQ(counts.aborted, 1);
    CHECK_EQ(counts.unknown, 3);
    CHECK_EQ(counts.operations, 4);
    CHECK_EQ(esse_log_writer_bytes(log_writer) < strlen(text), true);
    esse_log_buffer_release(log_buffer);
    esse_arena_free(arena);
}

static void leave_a_mark(void *context)
{
    *(_Atomic int *)context = 2;
}

/* It acts when this process is gone, whatever took it, and not before. */
TEST(test_crash_handler__acts_when_all_is_over)
{
    _Atomic int *mark =
        mmap(NULL, sizeof *mark, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int dismissed = 0; dismissed < 2; dismissed++) {
        int status;
        *mark = 0;
        const pid_t pid = fork();
        if (!pid) {
            struct esse_crash_handler *crash_handler =
                esse_crash_handler_start(esse_arena_new(), leave_a_mark, mark);
            usleep(20000);
            if (crash_handler && *mark == 0)
                *mark = 1;
            if (dismissed)
                esse_crash_handler_dismiss(crash_handler);
            kill(getpid(), SIGKILL);
        }
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        for (int i = 0; i < 500 && *mark != 2; i++)
            usleep(dismissed ? 200 : 10000);
        CHECK_EQ(*mark, dismissed ? 1 : 2);
    }
    munmap(mark, sizeof *mark);
}

/* For measuring: what began while the log buffer rested is counted and not written, all else is
 * whole. */
TEST(test_recorder__a_log_buffer_that_rests_writes_nothing)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { list_table, 1, 1 };
    struct esse_log_buffer *log_buffer = esse_log_buffer_new(arena, &schema, esse_clock_ns());
    struct esse_session_buffer *session_buffer = esse_session_buffer_new(log_buffer, 0);
    const bool rests[] = { false, true, true, false };
    for (unsigned i = 0; i < 4; i++) {
        esse_log_buffer_rest(log_buffer, rests[i]);
        esse_session_buffer_begin(session_buffer);
        esse_log_buffer_rest(log_buffer, i % 2 == 0);
        add(session_buffer, (struct esse_request){ .ask = ESSE_ASK_APPEND, .row = 1, .value = i },
            (struct esse_reply){ 0 }, true);
        esse_session_buffer_end(session_buffer, ESSE_COMMITTED);
    }
    CHECK_EQ(esse_log_buffer_tally(log_buffer).committed, 4);
    const struct esse_history *history = load_text(arena, "native", printed(arena, &log_buffer, 1));
    CHECK_EQ(history->txns, 2);
    CHECK_EQ(history->ops, 2);
    esse_log_buffer_release(log_buffer);
    esse_arena_free(arena);
}

/* ---- what drivers learn ---- */

TEST(test_learnt__orders_by_row_and_names_deletes)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 1, 1 };
    struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
    const struct esse_named named[] = {
        { 12, 1, 8, 10, true, true },
        { 12, 3, 4, 30, false, true },
        { 12, 5, 8, 20, true, true },
        { 11, 0, 9, 5, true, true },
    };
    struct esse_error err = { 0 };
    struct esse_out out;
    esse_learnt_version(learnt, 0, 7, 100, 11);
    esse_learnt_version(learnt, 0, 5, 101, 11);
    esse_learnt_version(learnt, 0, 7, ESSE_ABSENT, 12);
    esse_learnt_version(learnt, 0, 7, 90, 13);
    esse_learnt_version(learnt, 0, 9, ESSE_ABSENT, 14); /* whose xid no transaction has */
    esse_learnt_commit(learnt, 11);
    esse_learnt_commit(learnt, 12);
    esse_learnt_names(learnt, named, 4); /* 12 was given again after a crash */
    esse_out_init_memory(&out, arena);
    struct esse_sink *sink = esse_native_writer(arena, esse_values_new(arena), &out, false);
    CHECK(esse_learnt_emit(learnt, "commit-order", sink, &err));
    CHECK_JSON(arena, esse_out_memory(&out),
               "{'version_order':{'5':[101]}}\n"
               "{'version_order':{'7':[100,{'txn':'3/4'},90]}}\n"
               "{'version_order':{'9':[null]}}\n"
               "{'order':['0/9','3/4']}\n"
               "{'certificate':'commit-order'}\n");
    esse_arena_free(arena);
}

/* A number that two have, one that the log does not have, one that nothing was written by, and one
 * whose outcome is unknown. */
TEST(test_learnt__commits_that_the_log_lacks_are_lost)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 1, 1 };
    const struct esse_named named[] = {
        { 12, 1, 8, 10, false, true },  { 12, 3, 4, 30, false, true },
        { 12, 2, 4, 20, true, true },   { 13, 5, 8, 20, false, true },
        { 14, 0, 9, 21, false, false }, { 15, 0, 10, 22, true, true },
    };
    static const char *const kinds[] = { "postgresql-snapshots", NULL };
    static const char *const lost[] = { "{'lost':['1/8','5/8']}\n", "" };
    for (unsigned i = 0; i < 2; i++) {
        struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
        struct esse_error err = { 0 };
        struct esse_out out;
        esse_learnt_version(learnt, 0, 7, 100, 12);
        esse_learnt_commit(learnt, 12);
        esse_learnt_names(learnt, named, 6);
        esse_out_init_memory(&out, arena);
        struct esse_sink *sink = esse_native_writer(arena, esse_values_new(arena), &out, false);
        CHECK(esse_learnt_emit(learnt, kinds[i], sink, &err));
        CHECK_JSON(arena, esse_out_memory(&out),
                   esse_arena_format(arena,
                                     "{'version_order':{'7':[100]}}\n"
                                     "{'order':['3/4']}\n"
                                     "%s",
                                     lost[i]));
        CHECK_EQ(esse_learnt_lost(learnt), i ? 0 : 2);
    }
    esse_arena_free(arena);
}

TEST(test_learnt__nobody_wrote_is_an_order_too)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 1, 1 };
    struct esse_error err = { 0 };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    struct esse_sink *sink = esse_native_writer(arena, esse_values_new(arena), &out, false);
    CHECK(esse_learnt_emit(esse_learnt_new(arena, &schema), "commit-order", sink, &err));
    CHECK(esse_learnt_emit(esse_learnt_new(arena, &schema), "timestamps", sink, &err));
    CHECK_JSON(arena, esse_out_memory(&out),
               "{'order':[]}\n"
               "{'certificate':'commit-order','complete':true}\n"
               "{'certificate':'timestamps','complete':true}\n");
    esse_arena_free(arena);
}

/* Lines with the sessions 0, 1, 2..., by turns in two log buffers. */
static void fill_by_turns(struct esse_log_buffer *const *log_buffers, unsigned lines)
{
    struct esse_session_buffer *session_buffers[2] = { esse_session_buffer_new(log_buffers[0], 0),
                                                       esse_session_buffer_new(log_buffers[1], 0) };
    for (unsigned i = 0; i < lines; i++) {
        esse_session_buffer_rename(session_buffers[i % 2], i);
        esse_session_buffer_begin(session_buffers[i % 2]);
        esse_session_buffer_end(session_buffers[i % 2], ESSE_COMMITTED);
    }
}

static void on_alarm(int signal)
{
    (void)signal;
}

/* Reads the numbers of sessions, little by little; how many there were in their order. */
static void *read_slowly(void *context)
{
    static const char begin[] = "{\"session\":";
    FILE *file = fdopen(*(int *)context, "r");
    char line[200];
    uintptr_t count = 0;
    setvbuf(file, NULL, _IOFBF, 512);
    while (fgets(line, sizeof line, file) && !strncmp(line, begin, sizeof begin - 1) &&
           strtoull(line + sizeof begin - 1, NULL, 10) == count && strchr(line, '\n'))
        count++;
    fclose(file);
    return (void *)count;
}

/* More runs of lines than a system takes at once, and signals that break off every write. */
TEST(test_log_writer__writes_that_are_broken_off_go_on)
{
    enum { LINES = 30000 };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 1, 1 };
    const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
    const struct sigaction act = { .sa_handler = on_alarm }, ignore = { .sa_handler = SIG_IGN };
    sigset_t alarms;
    struct esse_log_buffer *log_buffers[] = { esse_log_buffer_new(arena, &schema, esse_clock_ns()),
                                              esse_log_buffer_new(arena, &schema,
                                                                  esse_clock_ns()) };
    struct esse_error err = { 0 };
    int ends[2];
    void *count;
    pthread_t reader;
    CHECK_EQ(pipe(ends), 0);
    fill_by_turns(log_buffers, LINES);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL); /* for the reader */
    CHECK_EQ(pthread_create(&reader, NULL, read_slowly, &ends[0]), 0);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    CHECK(esse_log_writer_run(esse_log_writer_new(arena, log_buffers, 2, ends[1]), &err));
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &ignore, NULL);
    close(ends[1]);
    pthread_join(reader, &count);
    CHECK_EQ((uintptr_t)count, LINES);
    esse_log_buffer_release(log_buffers[0]);
    esse_log_buffer_release(log_buffers[1]);
    esse_arena_free(arena);
}

TEST(test_log_writer__after_a_failed_write_comes_no_other)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_schema schema = { two_tables, 1, 1 };
    struct esse_log_buffer *log_buffers[] = { esse_log_buffer_new(arena, &schema, esse_clock_ns()),
                                              esse_log_buffer_new(arena, &schema,
                                                                  esse_clock_ns()) };
    struct esse_error err = { 0 }, again = { 0 };
    int fd = open("/dev/full", O_WRONLY);
    struct esse_log_writer *log_writer = esse_log_writer_new(arena, log_buffers, 2, fd);
    fill_by_turns(log_buffers, 10);
    CHECK(!esse_log_writer_run(log_writer, &err));
    CHECK_EQ(err.code, ESSE_EIO);
    CHECK(!esse_log_writer_run(log_writer, &again)); /* there was nothing left to write */
    CHECK_TEXT(again.text, err.text);
    close(fd);
    esse_log_buffer_release(log_buffers[0]);
    esse_log_buffer_release(log_buffers[1]);
    esse_arena_free(arena);
}

/* ---- lists ---- */

/* A list of the database as it often is, or now and then with anything in it. */
static void draw_list(struct esse_rng *rng, struct esse_out *text)
{
    text->count = 0;
    const unsigned count = esse_rng_below(rng, 12);
    for (unsigned i = 0; i < count; i++)
        esse_out_f(text, "%s%llu", i ? "," : "",
                   (unsigned long long)(esse_rng_next(rng) >> esse_rng_below(rng, 64)));
    esse_out_memory(text);
    const bool is_odd = text->count && esse_rng_below(rng, 2);
    for (unsigned i = 0; is_odd && i <= esse_rng_below(rng, 3); i++)
        text->buffer[esse_rng_below(rng, (uint32_t)text->count)] =
            "0123456789,,--  x/:"[esse_rng_below(rng, 19)];
}

/* Whether its text is copied or not. */
TEST(test_lists__are_shown_as_the_integers_in_them)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 5 };
    struct esse_live_list list;
    struct esse_live_items items = { 0 };
    struct esse_out text, shown, expected;
    unsigned copied = 0;
    esse_live_list_init(&list, arena);
    esse_out_init_memory(&text, arena);
    esse_out_init_memory(&shown, arena);
    esse_out_init_memory(&expected, arena);
    for (unsigned round = 0; round < test_rounds(20000); round++) {
        struct esse_reply reply = { 0 };
        draw_list(&rng, &text);
        esse_live_show_list(&list, text.buffer, text.count, &reply);
        shown.count = expected.count = items.count = 0;
        if (reply.list)
            esse_out_bytes(&shown, reply.list, reply.list_length);
        else
            esse_out_i64s(&shown, reply.items, reply.item_count);
        copied += reply.list != NULL;
        esse_live_parse_list(&items, arena, text.buffer);
        esse_out_i64s(&expected, items.at, items.count);
        CHECK_TEXT(esse_out_memory(&shown), esse_out_memory(&expected));
    }
    CHECK(copied > 1000);
    esse_arena_free(arena);
}

/* ---- workloads ---- */

static int compare_words(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Every value that is written to a row is written once: the promise that makes reads name their
 * writers.  Counted in what the store recorded, aborted transactions included. */
static void check_unique(const struct esse_history *history)
{
    uint64_t *writes = malloc((history->ops + 1) * sizeof *writes);
    size_t count = 0;
    for (uint32_t op = 0; op < history->ops; op++) {
        int64_t value = 0;
        if ((history->op_kind[op] == ESSE_OP_WRITE || history->op_kind[op] == ESSE_OP_APPEND) &&
            esse_value_as_int(history->values, history->op_value[op], &value))
            writes[count++] = (uint64_t)history->op_key[op] << 44 ^ (uint64_t)value;
    }
    qsort(writes, count, sizeof *writes, compare_words);
    for (size_t i = 1; i < count; i++)
        CHECK(writes[i] != writes[i - 1]);
    CHECK(count > 0);
    free(writes);
}

TEST(test_workloads__values_are_unique_and_the_store_keeps_its_level)
{
    static const char *const level = "strict-serializable";
    const struct esse_driver *memory = esse_driver_find("memory");
    struct esse_url url;
    struct esse_error err = { 0 };
    struct esse_arena *arena = esse_arena_new();
    CHECK(esse_url_parse(arena, "memory:", &url, &err));
    for (unsigned round = 0; round < test_rounds(1); round++)
        for (size_t i = 0; esse_workloads[i]; i++) {
            if (esse_workloads[i]->needs & ~memory->can)
                continue;
            struct esse_live_options options = options_of(memory, &url, esse_workloads[i]->name);
            options.txns = 300;
            options.work.sessions = 5;
            options.work.seed = 100 + round;
            options.work.abort_share = 0.1;
            options.work.keys = options.work.keys > 50 ? 50 : options.work.keys;
            struct ran ran = run(&options);
            if (!ran.ok)
                fail_msg("%s: %s", esse_workloads[i]->name, ran.err.text);
            struct esse_history *history = load(&ran);
            check_unique(history);
            CHECK_EQ(history->txns, 300);
            const struct esse_check_options check = { .levels = &level, .level_count = 1 };
            const struct esse_result *result;
            if (!esse_check(ran.arena, history, &check, &result, &err))
                fail_msg("%s: %s", esse_workloads[i]->name, err.text);
            CHECK(result->verdicts[0].outcome != ESSE_VIOLATED);
            esse_arena_free(ran.arena);
        }
    esse_arena_free(arena);
}

TEST(test_workloads__write_skew_shows_in_a_weak_store)
{
    static const char *const level = "serializable";
    const struct esse_driver *memory = esse_driver_find("memory");
    struct esse_url url;
    struct esse_error err = { 0 };
    struct esse_arena *arena = esse_arena_new();
    CHECK(esse_url_parse(arena, "memory:", &url, &err));
    static const char *const workloads[] = { "write-skew", "list-append" };
    for (size_t i = 0; i < 2; i++) {
        struct esse_live_options options = options_of(memory, &url, workloads[i]);
        options.isolation = esse_claim_find(memory, "Snapshot Isolation");
        options.txns = 3000;
        options.work.keys = 5;
        options.work.sessions = 6;
        struct ran ran = run(&options);
        CHECK(ran.ok);
        const struct esse_check_options check = { .levels = &level, .level_count = 1 };
        const struct esse_result *result;
        CHECK(esse_check(ran.arena, load(&ran), &check, &result, &err));
        CHECK_EQ(result->verdicts[0].outcome, ESSE_VIOLATED);
        esse_arena_free(ran.arena);
    }
    esse_arena_free(arena);
}

/* ---- URLs ---- */

TEST(test_url__parts)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_url url;
    CHECK(esse_url_parse(arena,
                         "pg://me:s%40crt@one:5432,[::1]:77,three/db%20x?a=b&sslpassword=zz%26z",
                         &url, &err));
    CHECK_TEXT(url.user, "me");
    CHECK_TEXT(url.password, "s@crt");
    CHECK_EQ(url.host_count, 3);
    CHECK_TEXT(url.hosts[1].name, "::1");
    CHECK_EQ(url.hosts[1].port, 77);
    CHECK_EQ(url.hosts[2].port, 0);
    CHECK_TEXT(url.path, "db x");
    CHECK_TEXT(esse_url_parameter(&url, "sslpassword"), "zz&z");
    CHECK_TEXT(url.shown, "pg://one:5432,[::1]:77,three/db x?a=b&sslpassword=***");
    char text[ESSE_SAID];
    esse_url_tell(&url, "no password s@crt\nfor me; zz&z\n", text);
    CHECK_TEXT(text, "no password ***** for me; ****");
    esse_arena_free(arena);
}

/* Wherever secrets stand, across the end of the room too, and inside of each other. */
TEST(test_url__what_others_say_is_told_without_secrets)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_url url;
    CHECK(esse_url_parse(arena, "pg://abc:ABCabcABC@h/db?token=cABCd", &url, &err));
    for (size_t at = 0; at < 2 * ESSE_SAID; at++) {
        char said[2 * ESSE_SAID + 20], text[ESSE_SAID];
        memset(said, '.', sizeof said);
        memcpy(said + at, at % 2 ? "ABCabcABCd" : "abcABCabcABC", at % 2 ? 10 : 12);
        said[sizeof said - 1] = 0;
        esse_url_tell(&url, said, text);
        CHECK_EQ(strlen(text), ESSE_SAID - 1);
        CHECK_EQ(strcspn(text, "ABCabcd"), ESSE_SAID - 1);
        CHECK_EQ(strcspn(text, "*"), at < ESSE_SAID ? at : ESSE_SAID - 1);
    }
    esse_arena_free(arena);
}

TEST(test_url__bad_ones_are_refused_without_repeating_them)
{
    static const char *const bad[] = { "",          "nothing",      "pg://u:secret@h:0",
                                       "pg://[::1", "pg://[::1]5",  "pg://u:secret@h:70000",
                                       "pg:%0",     "pg:x?=secret", "pg:x?secret",
                                       "pg:%00x" };
    struct esse_arena *arena = esse_arena_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct esse_error err = { 0 };
        struct esse_url url;
        CHECK(!esse_url_parse(arena, bad[i], &url, &err));
        CHECK_EQ(err.code, ESSE_EUSAGE);
        CHECK(!strstr(err.text, "secret"));
    }
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop__all_goes_well),
        cmocka_unit_test(test_loop__a_wait_with_a_limit_ends_by_its_socket_or_by_the_limit),
        cmocka_unit_test(test_loop__a_connection_lost_in_commit_is_unknown),
        cmocka_unit_test(test_loop__a_connection_lost_before_commit_is_aborted),
        cmocka_unit_test(test_loop__a_refusal_is_aborted_and_an_open_transaction_rolled_back),
        cmocka_unit_test(test_loop__a_rollback_that_fails_is_still_aborted),
        cmocka_unit_test(test_loop__waits_and_retries),
        cmocka_unit_test(test_loop__hangs_up_on_who_does_not_answer),
        cmocka_unit_test(test_loop__a_fatal_answer_ends_the_run),
        cmocka_unit_test(test_loop__a_server_that_is_away_is_waited_for),
        cmocka_unit_test(test_loop__recorded_intervals_hold_the_true_ones),
        cmocka_unit_test(test_lists__are_shown_as_the_integers_in_them),
        cmocka_unit_test(test_recorder__what_is_shown_of_operations),
        cmocka_unit_test(test_recorder__a_row_that_was_returned_twice_is_a_read_of_its_own),
        cmocka_unit_test(test_recorder__snapshots_and_ids),
        cmocka_unit_test(test_recorder__lines_are_in_the_order_of_ends),
        cmocka_unit_test(test_recorder__a_log_buffer_that_rests_writes_nothing),
        cmocka_unit_test(test_recorder__the_crash_handler_writes_what_was_open),
        cmocka_unit_test(test_crash_handler__acts_when_all_is_over),
        cmocka_unit_test(test_log_writer__writes_that_are_broken_off_go_on),
        cmocka_unit_test(test_log_writer__after_a_failed_write_comes_no_other),
        cmocka_unit_test(test_learnt__orders_by_row_and_names_deletes),
        cmocka_unit_test(test_learnt__commits_that_the_log_lacks_are_lost),
        cmocka_unit_test(test_learnt__nobody_wrote_is_an_order_too),
        cmocka_unit_test(test_workloads__values_are_unique_and_the_store_keeps_its_level),
        cmocka_unit_test(test_workloads__write_skew_shows_in_a_weak_store),
        cmocka_unit_test(test_url__parts),
        cmocka_unit_test(test_url__what_others_say_is_told_without_secrets),
        cmocka_unit_test(test_url__bad_ones_are_refused_without_repeating_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
