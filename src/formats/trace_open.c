#include "formats/arrival.h"
#include "formats/native.h"
#include "formats/trace.h"

/* Events of a file, whichever of the two formats it has. */

struct adapter {
    struct esse_sink sink; /* of the native reader */
    struct esse_trace_sink *events;
    struct esse_trace_ids *ids;
    struct esse_arena *arena;
    struct esse_row *init; /* before the first transaction */
    size_t init_count;
    bool has_header;
};

static bool send_header(struct adapter *a, struct esse_error *err)
{
    const struct esse_trace_header header = { .resolution = ESSE_NO_TIME,
                                              .skew = ESSE_NO_TIME,
                                              .has_init = true,
                                              .init = a->init,
                                              .init_count = a->init_count };
    if (a->has_header)
        return true;
    a->has_header = true;
    a->events->values = a->sink.values;
    return a->events->header(a->events, &header, err);
}

static bool take_header(struct esse_sink *sink, const struct esse_header_record *header,
                        struct esse_error *err)
{
    (void)sink;
    (void)header;
    (void)err;
    return true;
}

static bool take_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct adapter *a = (struct adapter *)sink;
    if (a->has_header)
        return esse_fail_at(err, sink->line, 0,
                            "initial versions must come before the first transaction here");
    a->init = esse_arena_grow(a->arena, a->init, (a->init_count + count) * sizeof *rows);
    for (size_t i = 0; i < count; i++)
        a->init[a->init_count++] = rows[i];
    return true;
}

static bool take_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                     struct esse_error *err)
{
    struct adapter *a = (struct adapter *)sink;
    a->events->values = sink->values;
    return send_header(a, err) && esse_trace_send_txn(a->ids, txn, a->events, err);
}

/* What a history says beside its transactions is nothing to a trace. */
static bool take_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                       struct esse_error *err)
{
    (void)sink;
    (void)fault;
    (void)err;
    return true;
}

static bool take_versions(struct esse_sink *sink, esse_value key,
                          const struct esse_version_ref *versions, size_t count,
                          struct esse_error *err)
{
    (void)sink;
    (void)key;
    (void)versions;
    (void)count;
    (void)err;
    return true;
}

static bool take_names(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    (void)sink;
    (void)names;
    (void)count;
    (void)err;
    return true;
}

static bool take_certificate(struct esse_sink *sink,
                             const struct esse_certificate_record *certificate,
                             struct esse_error *err)
{
    (void)sink;
    (void)certificate;
    (void)err;
    return true;
}

static bool take_finish(struct esse_sink *sink, struct esse_error *err)
{
    return send_header((struct adapter *)sink, err);
}

static bool between(struct esse_reading *reading)
{
    struct adapter *a = (struct adapter *)reading->sink;
    if (!a->events->between)
        return true;
    a->events->values = a->sink.values;
    if (!a->events->between(a->events))
        return false;
    a->sink.values = a->events->values;
    return true;
}

static bool read_native(struct esse_source *source, struct esse_arena *arena,
                        struct esse_trace_sink *sink, struct esse_error *err)
{
    struct adapter adapter = { .sink = { .values = sink->values,
                                         .header = take_header,
                                         .init = take_init,
                                         .fault = take_fault,
                                         .txn = take_txn,
                                         .version_order = take_versions,
                                         .order = take_names,
                                         .lost = take_names,
                                         .certificate = take_certificate,
                                         .finish = take_finish },
                               .events = sink,
                               .ids = esse_trace_ids_new(arena),
                               .arena = arena };
    struct esse_reading reading = {
        source, NULL, &adapter.sink, ESSE_WORKLOAD_ANY, ESSE_WORKLOAD_ANY, between, NULL, 1, 0
    };
    return esse_native_read(&reading, err);
}

static void say_idle(void *context)
{
    struct esse_trace_sink *sink = context;
    if (sink->idle)
        sink->idle(sink);
}

bool esse_trace_read(const char *path, const struct esse_trace_options *options,
                     struct esse_trace_sink *sink, struct esse_error *err)
{
    const struct esse_arrival arrival = {
        .follow = options->follow, .budget = options->budget, .idle = say_idle, .context = sink
    };
    struct esse_arena *arena = esse_arena_new();
    struct esse_source source;
    bool ok = esse_source_open_live(&source, arena, path, &arrival, err);
    if (ok) {
        const struct esse_format *format =
            options->format ? esse_format_find(options->format) : esse_format_sniff(&source);
        if (source.at == source.end && !options->format)
            format = &esse_format_trace; /* nothing at all */
        if (format == &esse_format_trace)
            ok = esse_trace_read_source(&source, sink, err);
        else if (format == &esse_format_native)
            ok = read_native(&source, arena, sink, err);
        else
            ok = esse_fail(err, format || options->format ? ESSE_EUSAGE : ESSE_EINPUT,
                           "watch reads traces and native histories; this is %s",
                           format ? format->name : "neither");
        esse_source_close(&source);
    }
    esse_arena_free(arena);
    return ok;
}
