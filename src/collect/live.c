#include "collect/live.h"

#include "base/clock.h"
#include "base/outfile.h"
#include "base/threads.h"
#include "collect/record/crash_handler.h"
#include "collect/recover/learnt.h"
#include "collect/tracing.h"
#include "formats/native.h"
#include "generate/plant.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WATCH_MS = 20 };

/* ---- opening and closing ---- */

static bool can_do(const struct esse_live_options *options, struct esse_error *err)
{
    static const char *const names[] = { "lists", "predicates", "aggregates", "deletes",
                                         "statements of your own" };
    const unsigned lacks = options->workload->needs & ~options->driver->can;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (lacks & 1u << i)
            return esse_fail(err, ESSE_EUSAGE, "the workload %s needs %s, which %s: does not have",
                             options->workload->name, names[i], options->driver->name);
    return true;
}

bool esse_live_open(struct esse_arena *arena, const struct esse_live_options *options,
                    struct esse_live *live, struct esse_error *err)
{
    const struct esse_driver *driver = options->driver;
    *live = (struct esse_live){ .options = options, .arena = arena };
    if (!can_do(options, err) || !options->workload->open(arena, options->workload, &options->work,
                                                          &live->work, &live->schema, err))
        return false;
    live->schema.sessions = (uint32_t)options->work.sessions;
    if (!driver->open(arena, driver, options->url, options->isolation, &live->target, err))
        return false;
    if (driver->prepare(live->target, &live->schema, err) &&
        driver->describe(live->target, &live->description, err))
        return true;
    esse_live_close(live);
    return false;
}

void esse_live_close(struct esse_live *live)
{
    live->options->driver->clean(live->target);
    live->options->driver->close(live->target);
}

/* ---- collecting ---- */

struct collecting {
    struct esse_live *live;
    const struct esse_live_options *options;
    struct esse_shared_run run;
    struct esse_loop_thread *threads;
    pthread_t *handles;
    unsigned count, started;
    int64_t epoch;
    struct esse_log_buffer *own;        /* of the run's own thread: what happens to the servers */
    struct esse_log_writer *log_writer; /* of the history; NULL: it is not recorded */
    struct esse_log_writer *trace;      /* the same of the trace */
    struct esse_tracing *tracing;
    struct esse_overhead overhead;
    struct esse_learnt *learnt;
    bool is_certifying;
    struct esse_live_summary *summary;
};

static unsigned threads_of(const struct esse_live_options *options)
{
    unsigned threads = esse_thread_count(options->threads);
    if (options->driver->most_threads && threads > options->driver->most_threads)
        threads = options->driver->most_threads;
    return threads > options->work.sessions ? (unsigned)options->work.sessions : threads;
}

static void begin_certificate(struct collecting *c)
{
    const struct esse_certifying *certifying = c->options->driver->certificate;
    struct esse_error err = { 0 };
    if (c->options->no_certificate)
        c->summary->no_certificate = "not asked for";
    else if (!certifying)
        c->summary->no_certificate = "this database reports no order of versions";
    else if (certifying->begin(c->live->target, &err))
        c->is_certifying = true;
    else
        c->summary->no_certificate = esse_arena_format(c->live->arena, "%s", err.text);
    c->learnt = esse_learnt_new(c->live->arena, &c->live->schema);
}

/* A certificate that breaks off is none. */
static void give_up_certificate(struct collecting *c, const struct esse_error *err)
{
    c->summary->no_certificate = esse_arena_format(c->live->arena, "%s", err->text);
    c->options->driver->certificate->end(c->live->target);
    c->is_certifying = false;
}

static bool start_threads(struct collecting *c, struct esse_error *err)
{
    const uint32_t sessions = (uint32_t)c->options->work.sessions;
    uint32_t first = 0;
    for (unsigned i = 0; i < c->count; i++) {
        struct esse_loop_thread *thread = &c->threads[i];
        thread->first = first;
        thread->count = (sessions - first) / (c->count - i);
        first += thread->count;
        if (!esse_thread_start(&c->handles[i], esse_loop_sessions, thread))
            return esse_fail(err, ESSE_EIO, "cannot start a thread");
        c->started++;
    }
    return true;
}

static double clock_of(const struct collecting *c)
{
    return (double)(esse_clock_ns() - c->epoch) * 1e-9;
}

static void look(const struct collecting *c, struct esse_live_progress *progress)
{
    *progress = (struct esse_live_progress){
        .seconds = clock_of(c),
    };
    for (unsigned i = 0; i < c->started; i++) {
        progress->tally.committed += atomic_load(&c->threads[i].committed);
        progress->tally.aborted += atomic_load(&c->threads[i].aborted);
        progress->tally.unknown += atomic_load(&c->threads[i].unknown);
    }
}

static bool all_ended(struct collecting *c)
{
    for (unsigned i = 0; i < c->started; i++)
        if (!atomic_load(&c->threads[i].has_ended))
            return false;
    return true;
}

/* The last session has ended, and the server is there again, so that its log can be read to the
 * end.  Until then what is due is done to it. */
static bool is_over(struct collecting *c)
{
    const bool ended = all_ended(c);
    if (!c->options->faults)
        return ended;
    if (ended || atomic_load(&c->run.stop))
        return esse_faults_end(c->options->faults, clock_of(c)) && ended;
    esse_faults_tick(c->options->faults, clock_of(c));
    return false;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What was recorded in a slice is written in it, but for what is open when it ends. */
static void take_turns(struct collecting *c, const struct esse_live_progress *progress)
{
    const struct esse_tally *tally = &progress->tally;
    const struct esse_slice now = { .seconds = progress->seconds,
                                    .processor = processor_time(),
                                    .ended = tally->committed + tally->aborted + tally->unknown,
                                    .committed = tally->committed,
                                    .bytes =
                                        c->log_writer ? esse_log_writer_bytes(c->log_writer) : 0 };
    if (!esse_overhead_tick(&c->overhead, &now))
        return;
    for (unsigned i = 0; i < c->count; i++)
        esse_log_buffer_rest(c->threads[i].log_buffer, !esse_overhead_records(&c->overhead));
}

/* What the run's own thread does while the sessions work. */
static void watch(struct collecting *c)
{
    const struct esse_live_options *options = c->options;
    while (!is_over(c)) {
        struct esse_live_progress progress;
        struct esse_error err = { 0 };
        poll(NULL, 0, WATCH_MS);
        look(c, &progress);
        if (options->budget && options->budget->cancel) {
            c->summary->is_interrupted = true;
            atomic_store(&c->run.stop, true);
        }
        if (options->seconds > 0 && progress.seconds >= options->seconds)
            atomic_store(&c->run.stop, true);
        if (c->is_certifying && options->driver->certificate->poll &&
            !options->driver->certificate->poll(c->live->target, c->learnt, &err))
            give_up_certificate(c, &err);
        if (c->log_writer && !esse_log_writer_run(c->log_writer, &err))
            esse_run_fail(&c->run, &err);
        if (options->by_turns)
            take_turns(c, &progress);
        if (options->progress)
            options->progress(options->context, &progress);
    }
}

static int compare_refusals(const void *left, const void *right)
{
    const struct esse_refusal *a = left, *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static void add_refusals(struct esse_live_summary *summary, const struct esse_loop_thread *thread)
{
    for (unsigned i = 0; i < ESSE_CODES && thread->refusals[i].count; i++) {
        unsigned at = 0;
        while (at < ESSE_CODES - 1 && summary->refusals[at].count &&
               strcmp(summary->refusals[at].code, thread->refusals[i].code) != 0)
            at++;
        const uint64_t before = summary->refusals[at].count;
        if (!before)
            summary->refusals[at] = thread->refusals[i];
        else
            summary->refusals[at].count = before + thread->refusals[i].count;
    }
}

static void sum_up(struct collecting *c)
{
    struct esse_live_summary *summary = c->summary;
    const struct esse_driver *driver = c->options->driver;
    summary->remark = driver->remark ? driver->remark(c->live->target) : NULL;
    for (unsigned i = 0; i < c->count; i++) {
        const struct esse_tally tally = esse_log_buffer_tally(c->threads[i].log_buffer);
        summary->tally.committed += tally.committed;
        summary->tally.aborted += tally.aborted;
        summary->tally.unknown += tally.unknown;
        summary->tally.operations += tally.operations;
        summary->reconnects += c->threads[i].reconnects;
        add_refusals(summary, &c->threads[i]);
    }
    if (c->options->by_turns)
        summary->recording = esse_overhead_cost(&c->overhead);
    qsort(summary->refusals, ESSE_CODES, sizeof *summary->refusals, compare_refusals);
}

/* What the target plays by itself goes into the first thread's log buffer, the last lines of
 * all. */
static bool play(struct collecting *c, struct esse_sink *certificate, struct esse_error *err)
{
    struct esse_log_buffer *log_buffer = c->threads[0].log_buffer;
    if (!c->options->driver->play || !c->log_writer)
        return true;
    struct esse_played played = { .history = esse_log_buffer_sink(log_buffer),
                                  .certificate = certificate,
                                  .session = atomic_load(&c->run.next_session),
                                  .now = esse_clock_ns() - c->epoch };
    const bool ok = c->options->driver->play(c->live->target, &played, err);
    esse_log_buffer_played(log_buffer);
    return ok;
}

static bool write_certificate(struct collecting *c, const char *path, struct esse_error *err)
{
    const struct esse_certifying *certifying = c->options->driver->certificate;
    struct esse_arena *arena = c->live->arena;
    struct esse_outfile file;
    if (!esse_outfile_open(&file, arena, path, err))
        return false;
    struct esse_sink *sink = esse_native_writer(arena, esse_values_new(arena), &file.out, false);
    const char *kind =
        certifying->kind_of ? certifying->kind_of(c->live->target) : certifying->kind;
    c->summary->versions = esse_learnt_count(c->learnt, &c->summary->commits);
    if (esse_learnt_emit(c->learnt, kind, sink, err) && play(c, sink, err)) {
        c->summary->lost = esse_learnt_lost(c->learnt);
        return esse_outfile_commit(&file, err);
    }
    esse_outfile_discard(&file);
    return false;
}

/* The end of the server's log, and then all of it to the file. */
static bool finish_certificate(struct collecting *c, const char *path, struct esse_error *err)
{
    const struct esse_certifying *certifying = c->options->driver->certificate;
    if (!certifying->finish(c->live->target, c->learnt, err)) {
        give_up_certificate(c, err);
        return true;
    }
    for (unsigned i = 0; i < c->count; i++) {
        size_t count;
        const struct esse_named *named = esse_log_buffer_named(c->threads[i].log_buffer, &count);
        esse_learnt_names(c->learnt, named, count);
    }
    const bool ok = write_certificate(c, path, err);
    certifying->end(c->live->target);
    return ok;
}

static void prepare_threads(struct collecting *c, int history, int trace)
{
    struct esse_arena *arena = c->live->arena;
    const bool has_history = history >= 0, has_trace = trace >= 0 || c->options->watch;
    c->count = threads_of(c->options);
    c->summary->threads = c->count;
    c->threads = esse_arena_alloc(arena, c->count, sizeof *c->threads);
    c->handles = esse_arena_alloc(arena, c->count, sizeof *c->handles);
    struct esse_log_buffer **log_buffers =
        esse_arena_alloc(arena, c->count + 1u, sizeof *log_buffers);
    for (unsigned i = 0; i < c->count; i++) {
        c->threads[i].run = &c->run;
        c->threads[i].arena = esse_arena_new();
        c->threads[i].log_buffer =
            esse_log_buffer_new(c->threads[i].arena, &c->live->schema, c->epoch);
        esse_log_buffer_record(c->threads[i].log_buffer, has_history, has_trace);
        log_buffers[i] = c->threads[i].log_buffer;
    }
    c->own = log_buffers[c->count] = esse_log_buffer_new(arena, &c->live->schema, c->epoch);
    esse_log_buffer_record(c->own, has_history, false);
    if (c->options->faults)
        esse_faults_record_in(c->options->faults, c->own);
    if (has_history)
        c->log_writer = esse_log_writer_new(arena, log_buffers, c->count + 1u, history);
    if (has_trace)
        c->trace = esse_log_writer_new_trace(arena, log_buffers, c->count, trace, c->options->watch,
                                             c->options->watcher);
}

static void prepare_run(struct collecting *c)
{
    const struct esse_live_options *options = c->options;
    c->run.driver = options->driver;
    c->run.target = c->live->target;
    c->run.workload = options->workload;
    c->run.options = &options->work;
    c->run.work = c->live->work;
    c->run.hosts = options->url->host_count ? (unsigned)options->url->host_count : 1;
    c->run.think = options->think;
    c->run.timeout = options->timeout;
    c->run.patience = options->patience;
    atomic_init(&c->run.txns_left, options->txns ? (int64_t)options->txns : INT64_MAX);
    atomic_init(&c->run.next_session, (int64_t)options->work.sessions);
}

static bool run_threads(struct collecting *c, struct esse_error *err)
{
    bool ok = start_threads(c, err);
    if (!ok)
        atomic_store(&c->run.stop, true);
    watch(c);
    for (unsigned i = 0; i < c->started; i++)
        pthread_join(c->handles[i], NULL);
    c->summary->seconds = clock_of(c);
    if (ok && atomic_load(&c->run.has_error)) {
        *err = c->run.error;
        ok = false;
    }
    return ok;
}

/* The first lines of the history. */
static bool open_log_buffer(struct collecting *c, struct esse_error *err)
{
    const struct esse_live *live = c->live;
    const struct esse_own_schema *own = live->schema.own;
    struct esse_cells cells = { .arena = live->arena };
    bool ok = esse_log_buffer_open(c->threads[0].log_buffer, live->description.product,
                                   live->options->isolation->setting, err);
    for (uint32_t t = 0; ok && own && t < own->count; t++) {
        esse_cells_clear(&cells);
        ok = live->options->driver->own_rows(live->target, t, &cells, err);
        esse_cells_done(&cells);
        if (ok)
            esse_log_buffer_own_rows(c->threads[0].log_buffer, t, &cells);
    }
    esse_log_buffer_opened(c->threads[0].log_buffer);
    return ok;
}

/* What is left to do when the process has died. */
static void on_crash(void *context)
{
    const struct collecting *c = context;
    if (c->log_writer)
        esse_log_writer_last(c->log_writer);
    if (c->trace)
        esse_log_writer_last(c->trace);
}

/* The sessions, with what goes on beside them. */
static bool run(struct collecting *c, struct esse_error *err)
{
    begin_certificate(c);
    if (c->trace)
        c->tracing = esse_tracing_start(c->live->arena, c->trace, &c->run);
    bool ok = run_threads(c, err);
    struct esse_error late = { 0 };
    if (c->tracing && !esse_tracing_end(c->tracing, ok ? err : &late))
        ok = false;
    return ok;
}

bool esse_live_collect(struct esse_live *live, int history, int trace, const char *certificate,
                       struct esse_live_summary *summary, struct esse_error *err)
{
    struct collecting c = {
        .live = live, .options = live->options, .summary = summary, .overhead.arena = live->arena
    };
    *summary = (struct esse_live_summary){ 0 };
    c.epoch = esse_clock_ns();
    prepare_run(&c);
    prepare_threads(&c, history, trace);
    bool ok = open_log_buffer(&c, err);
    struct esse_crash_handler *crash_handler = NULL;
    if (ok) {
        crash_handler = esse_crash_handler_start(live->arena, on_crash, &c);
        ok = run(&c, err);
    }
    if (ok && c.is_certifying)
        ok = finish_certificate(&c, certificate, err);
    else if (ok)
        ok = play(&c, NULL, err);
    else if (c.is_certifying)
        live->options->driver->certificate->end(live->target);
    struct esse_error late = { 0 };
    if (c.log_writer && !esse_log_writer_run(c.log_writer, ok ? err : &late))
        ok = false;
    esse_crash_handler_dismiss(crash_handler);
    sum_up(&c);
    esse_log_buffer_release(c.own);
    for (unsigned i = 0; i < c.count; i++) {
        esse_log_buffer_release(c.threads[i].log_buffer);
        esse_arena_free(c.threads[i].arena);
    }
    return ok;
}
