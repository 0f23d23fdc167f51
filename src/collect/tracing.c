#include "collect/tracing.h"

#include "base/threads.h"

#include <poll.h>

enum { PERIOD_MS = 20 };

struct esse_tracing {
    struct esse_log_writer *log_writer;
    struct esse_shared_run *run;
    pthread_t thread;
    bool has_thread;
    _Atomic bool is_over;
};

static void *trace(void *context)
{
    struct esse_tracing *tracing = context;
    struct esse_error err = { 0 };
    while (!atomic_load(&tracing->is_over)) {
        poll(NULL, 0, PERIOD_MS);
        if (!esse_log_writer_run(tracing->log_writer, &err)) {
            esse_run_fail(tracing->run, &err);
            break;
        }
    }
    return NULL;
}

struct esse_tracing *esse_tracing_start(struct esse_arena *arena,
                                        struct esse_log_writer *log_writer,
                                        struct esse_shared_run *run)
{
    struct esse_tracing *tracing = esse_arena_alloc(arena, 1, sizeof *tracing);
    tracing->log_writer = log_writer;
    tracing->run = run;
    tracing->has_thread = esse_thread_start(&tracing->thread, trace, tracing);
    return tracing;
}

bool esse_tracing_end(struct esse_tracing *tracing, struct esse_error *err)
{
    atomic_store(&tracing->is_over, true);
    if (tracing->has_thread)
        pthread_join(tracing->thread, NULL);
    return esse_log_writer_end(tracing->log_writer, err);
}
