#include "collect/loop.h"

#include "base/rng.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum state {
    AWAY,    /* not connected */
    IDLE,    /* between transactions */
    BUSY,    /* in one */
    REFUSED, /* in one that must be rolled back */
    GONE     /* nothing more to do */
};

static const int64_t second_ns = 1000000000;
static const int64_t first_pause_ns = 10 * 1000 * 1000;
static const int64_t longest_nap_ns = 50 * 1000 * 1000; /* to see that the run is over */

struct session {
    uint32_t number;
    enum state state;
    bool is_asking;            /* a request is under way */
    bool is_waiting;           /* ... for its socket */
    bool is_again;             /* the last transaction was refused */
    int64_t wake;              /* not to be touched before; 0: at once */
    int64_t began;             /* when the request was started */
    int64_t away_since, pause; /* of a connection that is being made */
    unsigned host;
    struct esse_conn *conn;
    struct esse_draw_state *draw_state;
    struct esse_session_buffer *session_buffer;
    struct esse_request request;
    struct esse_reply reply;
    int64_t read; /* by the last operation, for the workload */
};

struct loop {
    struct esse_loop_thread *thread;
    struct esse_shared_run *run;
    const struct esse_driver *driver;
    struct session *sessions;
    struct pollfd *polls;
    struct session **polled;
    struct esse_rng rng;
    uint32_t left; /* sessions that are not gone */
    int64_t now;
};

void esse_run_fail(struct esse_shared_run *run, const struct esse_error *err)
{
    bool expected = false;
    if (atomic_compare_exchange_strong(&run->has_error, &expected, true))
        run->error = *err;
    atomic_store(&run->stop, true);
}

/* ---- the end of a transaction ---- */

static void pause_session(struct session *session, int64_t until)
{
    session->wake = until;
}

static void leave(struct loop *loop, struct session *session)
{
    session->state = GONE;
    loop->left--;
    if (session->conn)
        loop->driver->drop(session->conn);
    session->conn = NULL;
}

static void think(struct loop *loop, struct session *session)
{
    if (loop->run->think <= 0)
        return;
    const double seconds = 2 * loop->run->think * esse_rng_unit(&loop->rng);
    pause_session(session, loop->now + (int64_t)(seconds * (double)second_ns));
}

static void end_transaction(struct loop *loop, struct session *session, enum esse_status status)
{
    struct esse_loop_thread *thread = loop->thread;
    esse_session_buffer_end(session->session_buffer, status);
    _Atomic uint64_t *counter = status == ESSE_COMMITTED ? &thread->committed
                                : status == ESSE_ABORTED ? &thread->aborted
                                                         : &thread->unknown;
    /* No other thread adds to it, so nothing need be locked: that would wait until all that was
     * recorded is in the cache. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (status == ESSE_UNKNOWN_OUTCOME)
        esse_session_buffer_rename(session->session_buffer,
                                   atomic_fetch_add(&loop->run->next_session, 1));
    session->state = IDLE;
    think(loop, session);
}

/* ---- what is asked next ---- */

static void ask_connect(struct session *session)
{
    session->request = (struct esse_request){ .ask = ESSE_ASK_CONNECT, .host = session->host };
}

/* False if there is no transaction left to make. */
static bool ask_begin(struct loop *loop, struct session *session)
{
    if (atomic_load(&loop->run->stop) || atomic_fetch_sub(&loop->run->txns_left, 1) <= 0)
        return false;
    esse_workload_begin(loop->run->workload, session->draw_state, session->is_again);
    session->request = (struct esse_request){ .ask = ESSE_ASK_BEGIN,
                                              .is_read_only = session->draw_state->is_read_only };
    session->read = ESSE_ABSENT;
    esse_session_buffer_begin(session->session_buffer);
    esse_session_buffer_name(session->session_buffer, session->draw_state->txn);
    return true;
}

static void ask_operation(struct loop *loop, struct session *session)
{
    session->request = (struct esse_request){ 0 };
    if (!loop->run->workload->next(session->draw_state, session->read, &session->request))
        session->request.ask = session->draw_state->gives_up ? ESSE_ASK_ROLLBACK : ESSE_ASK_COMMIT;
}

/* False if the session is gone. */
static bool ask(struct loop *loop, struct session *session)
{
    switch (session->state) {
    case AWAY:
        if (atomic_load(&loop->run->stop))
            return false;
        ask_connect(session);
        return true;
    case IDLE:
        return ask_begin(loop, session);
    case BUSY:
        ask_operation(loop, session);
        return true;
    case REFUSED:
        session->request = (struct esse_request){ .ask = ESSE_ASK_ROLLBACK };
        return true;
    case GONE:
        break;
    }
    return false;
}

/* ---- what comes back ---- */

static void on_done(struct loop *loop, struct session *session)
{
    esse_session_buffer_add(session->session_buffer, &session->request, &session->reply,
                            session->began, true);
    switch (session->request.ask) {
    case ESSE_ASK_CONNECT:
        session->state = IDLE;
        session->pause = 0;
        think(loop, session);
        break;
    case ESSE_ASK_BEGIN:
        session->state = BUSY;
        break;
    case ESSE_ASK_COMMIT:
        session->is_again = false;
        end_transaction(loop, session, ESSE_COMMITTED);
        break;
    case ESSE_ASK_ROLLBACK: /* the workload's wish, or what a refusal came to */
        session->is_again = session->state == REFUSED;
        end_transaction(loop, session, ESSE_ABORTED);
        break;
    default:
        session->read = session->reply.value;
        break;
    }
}

static void note_refusal(struct esse_loop_thread *thread, const struct esse_failure *failure)
{
    struct esse_refusal *row = thread->refusals;
    while (row < thread->refusals + ESSE_CODES - 1 && row->count &&
           strcmp(row->code, failure->code) != 0)
        row++;
    if (!row->count) {
        memcpy(row->code, failure->code, sizeof row->code);
        memcpy(row->text, failure->text, sizeof row->text);
    }
    row->count++;
}

/* A server that is away is asked again and again, other hosts first; not forever. */
static void on_no_connection(struct loop *loop, struct session *session)
{
    const struct esse_failure *failure = &session->reply.failure;
    if (!session->pause)
        session->away_since = loop->now;
    session->pause = session->pause ? session->pause * 2 : first_pause_ns;
    if (session->pause > second_ns)
        session->pause = second_ns;
    session->host = (session->host + 1) % loop->run->hosts;
    pause_session(session, loop->now + session->pause);
    if (loop->now - session->away_since < (int64_t)(loop->run->patience * (double)second_ns))
        return;
    struct esse_error err = { 0 };
    esse_fail(&err, ESSE_EUNAVAILABLE, "the database is gone since %.0f s: %s", loop->run->patience,
              failure->text);
    esse_run_fail(loop->run, &err);
}

static void on_fatal(struct loop *loop, const struct esse_failure *failure)
{
    struct esse_error err = { 0 };
    esse_fail(&err, ESSE_EUNAVAILABLE, "the run cannot go on: %s%s%s", failure->code,
              *failure->code ? ": " : "", failure->text);
    esse_run_fail(loop->run, &err);
}

/* The connection is gone, or must go: the next transaction needs another. */
static void reconnect(struct loop *loop, struct session *session)
{
    loop->thread->reconnects++;
    session->host = (session->host + 1) % loop->run->hosts;
    session->state = AWAY;
    session->pause = 0;
}

static void on_failed(struct loop *loop, struct session *session)
{
    const struct esse_failure *failure = &session->reply.failure;
    const enum esse_ask asked = session->request.ask;
    if (failure->is_fatal)
        on_fatal(loop, failure);
    if (asked == ESSE_ASK_CONNECT) {
        on_no_connection(loop, session);
        return;
    }
    esse_session_buffer_add(session->session_buffer, &session->request, &session->reply,
                            session->began, false);
    if (asked != ESSE_ASK_ROLLBACK)
        note_refusal(loop->thread, failure);
    session->is_again = true;
    if (asked == ESSE_ASK_ROLLBACK || failure->fate == ESSE_FATE_ABORTED || asked == ESSE_ASK_BEGIN)
        end_transaction(loop, session, ESSE_ABORTED);
    else if (failure->fate == ESSE_FATE_UNKNOWN)
        end_transaction(loop, session, ESSE_UNKNOWN_OUTCOME);
    else if (failure->is_lost) /* before COMMIT was sent */
        end_transaction(loop, session, ESSE_ABORTED);
    else
        session->state = REFUSED;
    if (failure->is_lost)
        reconnect(loop, session);
}

/* There was no answer in time: the connection is closed. */
static void on_timeout(struct loop *loop, struct session *session)
{
    const bool is_commit = session->request.ask == ESSE_ASK_COMMIT;
    loop->driver->drop(session->conn);
    session->conn = loop->driver->conn(loop->run->target, loop->thread->arena, session->number);
    session->is_asking = session->is_waiting = false;
    esse_reply_clear(&session->reply);
    esse_failed(&session->reply, is_commit ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED, "timeout",
                "no answer within %g s", loop->run->timeout);
    session->reply.failure.is_lost = true;
    on_failed(loop, session);
}

/* ---- rounds ---- */

static void advance(struct loop *loop, struct session *session)
{
    enum esse_progress progress;
    session->wake = 0;
    session->is_waiting = false;
    if (session->is_asking) {
        progress = loop->driver->step(session->conn, &session->reply);
    } else if (!ask(loop, session)) {
        leave(loop, session);
        return;
    } else {
        session->is_asking = true;
        session->began = esse_log_buffer_last(loop->thread->log_buffer);
        esse_session_buffer_ask(session->session_buffer, session->began);
        esse_reply_clear(&session->reply);
        progress = loop->driver->start(session->conn, &session->request, &session->reply);
    }
    switch (progress) {
    case ESSE_PROGRESS_WAIT:
        session->is_waiting = true;
        if (session->conn->retry_seconds <= 0)
            break;
        /* fall through */
    case ESSE_PROGRESS_AGAIN:
        pause_session(session, esse_log_buffer_now(loop->thread->log_buffer) +
                                   (int64_t)(session->conn->retry_seconds * (double)second_ns));
        break;
    case ESSE_PROGRESS_DONE:
        session->is_asking = false;
        on_done(loop, session);
        break;
    case ESSE_PROGRESS_FAILED:
        session->is_asking = false;
        on_failed(loop, session);
        break;
    }
}

static bool is_late(const struct loop *loop, const struct session *session)
{
    return session->is_asking && loop->run->timeout > 0 &&
           loop->now - session->began > (int64_t)(loop->run->timeout * (double)second_ns);
}

static bool is_ready(const struct loop *loop, const struct session *session)
{
    if (session->is_waiting)
        return session->wake && session->wake <= loop->now;
    /* No session goes on thinking when the run is over. */
    return session->wake <= loop->now ||
           (!session->is_asking && atomic_load_explicit(&loop->run->stop, memory_order_relaxed));
}

/* Sessions of a store that answers at once would march in step, and meet in few ways; so each sits
 * out a round now and then. */
static bool sits_out(struct loop *loop, const struct session *session)
{
    return session->conn->fd < 0 && esse_rng_below(&loop->rng, 4) == 0;
}

/* What time it is for a round: the clock was read when the last answer of the round before was
 * recorded, and on a store that answers at once that is every second reading of all.  What begins
 * in the round begins early then, by what the recording took, and is wider than in truth. */
static int64_t time_of_round(const struct loop *loop)
{
    const int64_t last = esse_log_buffer_last(loop->thread->log_buffer);
    return last != loop->now ? last : esse_log_buffer_now(loop->thread->log_buffer);
}

/* Does what can be done now; how long nothing else can be, in nanoseconds. */
static int64_t round_of(struct loop *loop)
{
    int64_t nap = longest_nap_ns;
    loop->now = time_of_round(loop);
    for (uint32_t i = 0; i < loop->thread->count; i++) {
        struct session *session = &loop->sessions[i];
        if (session->state == GONE)
            continue;
        if (is_late(loop, session))
            on_timeout(loop, session);
        else if (is_ready(loop, session) && !sits_out(loop, session))
            advance(loop, session);
        if (session->state == GONE || (session->is_waiting && !session->wake))
            continue;
        const int64_t rest = session->wake > loop->now ? session->wake - loop->now : 0;
        nap = rest < nap ? rest : nap;
    }
    return nap;
}

/* Waits for sockets, and at most for 'nap'. */
static void wait_for_sockets(struct loop *loop, int64_t nap)
{
    nfds_t count = 0;
    for (uint32_t i = 0; i < loop->thread->count; i++) {
        struct session *session = &loop->sessions[i];
        if (session->state == GONE || !session->is_waiting)
            continue;
        loop->polls[count] = (struct pollfd){ session->conn->fd, session->conn->events, 0 };
        loop->polled[count++] = session;
    }
    if (!count && nap <= 0)
        return;
    const struct timespec time = { nap / second_ns, nap % second_ns };
    const int ready = ppoll(loop->polls, count, &time, NULL);
    esse_log_buffer_now(
        loop->thread->log_buffer); /* the last reading is as old as the wait was long */
    if (ready <= 0)
        return;
    for (nfds_t i = 0; i < count; i++)
        if (loop->polls[i].revents) {
            loop->polled[i]->is_waiting = false;
            loop->polled[i]->wake = 0; /* whatever time it would have waited at most */
        }
}

static void start_sessions(struct loop *loop)
{
    struct esse_loop_thread *thread = loop->thread;
    struct esse_shared_run *run = loop->run;
    for (uint32_t i = 0; i < thread->count; i++) {
        struct session *session = &loop->sessions[i];
        session->number = thread->first + i;
        session->host = session->number % run->hosts;
        session->conn = run->driver->conn(run->target, thread->arena, session->number);
        session->draw_state = esse_workload_session(run->workload, thread->arena, run->options,
                                                    run->work, session->number);
        session->session_buffer = esse_session_buffer_new(thread->log_buffer, session->number);
    }
    loop->left = thread->count;
}

void *esse_loop_sessions(void *context)
{
    struct esse_loop_thread *thread = context;
    struct esse_arena *arena = thread->arena;
    struct loop loop = { .thread = thread, .run = thread->run, .driver = thread->run->driver };
    loop.sessions = esse_arena_alloc(arena, thread->count, sizeof *loop.sessions);
    loop.polls = esse_arena_alloc(arena, thread->count, sizeof *loop.polls);
    loop.polled = esse_arena_alloc(arena, thread->count, sizeof *loop.polled);
    loop.rng.state = thread->first;
    start_sessions(&loop);
    while (loop.left)
        wait_for_sockets(&loop, round_of(&loop));
    atomic_store(&thread->has_ended, true);
    return NULL;
}
