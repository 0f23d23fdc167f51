#include "engine/replay/replay_stream_state.h"

#include "base/error.h"

#include <inttypes.h>

enum { FEW = 1 << 16 }; /* atoms, keys: below this tidying is not worth it */

const char *stream_name(struct esse_replay_stream *stream, struct replay_name name)
{
    char text[64];
    if (!esse_value_eq(name.name, ESSE_NONE))
        return esse_arena_format(stream->arena, "%s",
                                 esse_value_brief(stream->sink.values, name.name, text));
    return esse_arena_format(stream->arena, "%s/%" PRIu64,
                             esse_value_brief(stream->sink.values, name.session, text),
                             name.position);
}

bool stream_stop(struct esse_replay_stream *stream, struct esse_error *err)
{
    replay_window_keep(&stream->window);
    stream->outcome.history = &stream->window.history;
    return esse_fail(err, ESSE_ESTOPPED, "stopped");
}

bool stream_unknown(struct esse_replay_stream *stream, struct replay_name name,
                    enum esse_reason_id why, struct esse_error *err)
{
    stream->outcome.outcome = ESSE_UNKNOWN;
    stream->outcome.reason.id = why;
    stream->outcome.reason.txn = stream_name(stream, name);
    return stream_stop(stream, err);
}

/* ---- the order of the records ---- */

static bool writes(const struct esse_txn_record *record)
{
    for (size_t i = 0; i < record->op_count; i++) {
        const struct esse_op_record *op = &record->ops[i];
        if (op->kind == ESSE_OP_PREDICATE_UPDATE
                ? op->count > 0
                : op->kind != ESSE_OP_READ && op->kind != ESSE_OP_PREDICATE_READ)
            return true;
    }
    return false;
}

/* Where the record stands, or ESSE_NO_TIME. */
static int64_t place_of(const struct esse_replay_stream *stream,
                        const struct esse_txn_record *record, bool wrote)
{
    const bool by_start = stream->by == ESSE_ORDER_BY_START_TS;
    const int64_t place = by_start ? record->start_ts : record->commit_ts;
    const int64_t other = by_start ? record->commit_ts : record->start_ts;
    if (stream->by == ESSE_ORDER_BY_LINE)
        return record->status == ESSE_COMMITTED ? 0 : ESSE_NO_TIME;
    /* That it began does not say that what it wrote was committed. */
    const bool may_have_one = !wrote || (stream->by == ESSE_ORDER_BY_TIMESTAMPS &&
                                         record->status != ESSE_UNKNOWN_OUTCOME);
    return place == ESSE_NO_TIME && may_have_one ? other : place;
}

/* Is an undeclared order still that of commit_ts?  Once it is not, it is only that of the lines. */
static void doubt_order(struct esse_replay_stream *stream, const struct esse_txn_record *record,
                        bool wrote)
{
    if (stream->is_declared || stream->by != ESSE_ORDER_BY_COMMIT_TS)
        return;
    const int64_t place = place_of(stream, record, wrote);
    const bool fits = place == ESSE_NO_TIME
                          ? record->status != ESSE_COMMITTED
                          : place > stream->place || (place == stream->place && !wrote);
    if (!fits)
        stream->by = ESSE_ORDER_BY_LINE;
}

static bool is_sorted(struct esse_replay_stream *stream, const struct esse_txn_record *record,
                      int64_t place, bool wrote, struct esse_error *err)
{
    const char *what = stream->by == ESSE_ORDER_BY_START_TS ? "start_ts" : "commit_ts";
    if (stream->by == ESSE_ORDER_BY_LINE)
        return true;
    if (place < stream->place)
        return esse_fail_at(err, record->line, 1,
                            "%s %" PRId64 " comes after %" PRId64
                            "; a stream must be in the order of %s",
                            what, place, stream->place, what);
    const bool is_tie = place == stream->place;
    if (is_tie && wrote && stream->wrote_there && stream->is_serial) {
        stream->outcome.reason.other = stream_name(stream, stream->at_place);
        stream->outcome.reason.by = stream->by;
        return stream_unknown(stream, stream->window.shown, ESSE_REASON_ORDER_TIE, err);
    }
    if (is_tie && wrote && stream->read_there && stream->is_serial)
        return esse_fail_at(err, record->line, 1,
                            "at %s %" PRId64 " those that only read must come after the one that "
                            "wrote",
                            what, place);
    stream->wrote_there = wrote || (is_tie && stream->wrote_there);
    stream->read_there = !wrote || (is_tie && stream->read_there);
    stream->place = place;
    stream->at_place = wrote || !is_tie ? stream->window.shown : stream->at_place;
    return true;
}

/* ---- records ---- */

static void add_key(struct esse_replay_stream *stream, uint32_t key, esse_value initial)
{
    const struct replay_name none = { ESSE_NONE, ESSE_NONE, 0 };
    replay_growing_add_key(&stream->state, key, initial);
    stream_name_vec_push(&stream->writers, stream->arena, none);
}

static bool take_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct esse_replay_stream *stream = (struct esse_replay_stream *)sink;
    char room[64];
    for (size_t i = 0; i < count; i++) {
        bool fresh;
        const uint32_t key = replay_window_key(&stream->window, rows[i].key, &fresh);
        if (!fresh)
            return esse_fail_at(err, sink->line, 1,
                                "the initial value of '%s' comes too late for a stream, or twice",
                                esse_value_brief(sink->values, rows[i].key, room));
        add_key(stream, key, rows[i].value);
    }
    return true;
}

static void count(struct esse_replay_stream *stream, const struct esse_txn_record *record)
{
    struct esse_counts *counts = &stream->outcome.counts;
    replay_window_count(&stream->window, record);
    counts->sessions = stream->window.history.sessions;
    counts->transactions++;
    counts->operations += (uint32_t)record->op_count;
    counts->committed += record->status == ESSE_COMMITTED;
    counts->aborted += record->status == ESSE_ABORTED;
    counts->unknown += record->status == ESSE_UNKNOWN_OUTCOME;
}

static bool is_sound(const struct esse_txn_record *record, struct esse_error *err)
{
    if (record->start != ESSE_NO_TIME && record->end != ESSE_NO_TIME && record->end < record->start)
        return esse_fail_at(err, record->line, 1, "the transaction ends before it starts");
    if (record->start_ts != ESSE_NO_TIME && record->commit_ts != ESSE_NO_TIME &&
        record->commit_ts < record->start_ts)
        return esse_fail_at(err, record->line, 1, "commit_ts is before start_ts");
    return true;
}

static bool has_no_place(struct esse_replay_stream *stream, const struct esse_txn_record *record,
                         bool wrote, struct esse_error *err)
{
    if (record->status == ESSE_COMMITTED)
        return stream_unknown(stream, stream->window.shown,
                              stream->by == ESSE_ORDER_BY_START_TS ? ESSE_REASON_ORDER_NO_START_TS
                                                                   : ESSE_REASON_ORDER_NO_COMMIT_TS,
                              err);
    if (wrote && !stream->has_unplaced) {
        stream->has_unplaced = true;
        stream->unplaced = stream->window.shown;
    }
    return true;
}

static bool take_txn(struct esse_sink *sink, const struct esse_txn_record *record,
                     struct esse_error *err)
{
    struct esse_replay_stream *stream = (struct esse_replay_stream *)sink;
    const bool wrote = writes(record);
    if (stream->state.commits >= UINT32_MAX - 1)
        return esse_fail_at(err, record->line, 1, "more than 4294967294 transactions");
    count(stream, record);
    if (!is_sound(record, err))
        return false;
    if (record->status == ESSE_ABORTED)
        return true;
    doubt_order(stream, record, wrote);
    const int64_t place = place_of(stream, record, wrote);
    if (place == ESSE_NO_TIME)
        return has_no_place(stream, record, wrote, err);
    if (!is_sorted(stream, record, place, wrote, err))
        return false;
    uint32_t keys = stream->window.history.keys;
    replay_window_fill(&stream->window, record);
    for (; keys < stream->window.history.keys; keys++)
        add_key(stream, keys, ESSE_NIL);
    return stream_run(stream, err);
}

static bool take_header(struct esse_sink *sink, const struct esse_header_record *header,
                        struct esse_error *err)
{
    (void)sink;
    (void)header;
    (void)err;
    return true;
}

static bool refuse_version_order(struct esse_sink *sink, esse_value key,
                                 const struct esse_version_ref *versions, size_t count,
                                 struct esse_error *err)
{
    (void)key;
    (void)versions;
    (void)count;
    return esse_fail_at(err, sink->line, 1,
                        "a version_order can only be held against a whole history; check it "
                        "without --stream");
}

static bool refuse_order(struct esse_sink *sink, const esse_value *names, size_t count,
                         struct esse_error *err)
{
    (void)names;
    (void)count;
    return esse_fail_at(err, sink->line, 1,
                        "the order of a stream is that of its lines; check a history with an "
                        "order line without --stream");
}

static bool refuse_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                        struct esse_error *err)
{
    (void)names;
    (void)count;
    return esse_fail_at(err, sink->line, 1,
                        "lost commits can only be checked against a whole history; check it "
                        "without --stream");
}

/* Nothing that a replay depends on: for reports. */
static bool take_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                       struct esse_error *err)
{
    struct esse_replay_stream *stream = (struct esse_replay_stream *)sink;
    if (!esse_faults_keep(&stream->faults, stream->arena, fault, sink->line, err))
        return false;
    stream->window.history.faults = stream->faults.at;
    stream->window.history.fault_count = (uint32_t)stream->faults.count;
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

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)err;
    ((struct esse_replay_stream *)sink)->outcome.outcome = ESSE_HOLDS;
    return true;
}

/* ---- life ---- */

struct esse_replay_stream *esse_replay_stream_new(struct esse_arena *arena,
                                                  const struct esse_level *level,
                                                  enum esse_order_by by)
{
    struct esse_replay_stream *stream = esse_arena_alloc(arena, 1, sizeof *stream);
    *stream = (struct esse_replay_stream){ .arena = arena,
                                           .pool = esse_arena_new(),
                                           .scratch = esse_arena_new(),
                                           .level = level,
                                           .by = by,
                                           .is_declared = true,
                                           .is_serial = by != ESSE_ORDER_BY_TIMESTAMPS,
                                           .place = ESSE_NO_TIME,
                                           .horizon_time = ESSE_NO_TIME,
                                           .latest_start = ESSE_NO_TIME,
                                           .atom_limit = FEW,
                                           .key_limit = FEW };
    stream->sink = (struct esse_sink){ .values = esse_values_new(stream->pool),
                                       .header = take_header,
                                       .init = take_init,
                                       .fault = take_fault,
                                       .txn = take_txn,
                                       .version_order = refuse_version_order,
                                       .order = refuse_order,
                                       .lost = refuse_lost,
                                       .certificate = take_certificate,
                                       .finish = finish };
    replay_window_init(&stream->window, arena, stream->sink.values);
    replay_growing_open(&stream->state, arena, stream->scratch, &stream->window.history,
                        !stream->is_serial);
    stream->outcome.outcome = ESSE_UNKNOWN;
    return stream;
}

struct esse_replay_stream *esse_replay_stream_new_undeclared(struct esse_arena *arena,
                                                             const struct esse_level *level)
{
    struct esse_replay_stream *stream =
        esse_replay_stream_new(arena, level, ESSE_ORDER_BY_COMMIT_TS);
    stream->is_declared = false;
    return stream;
}

struct esse_sink *esse_replay_stream_sink(struct esse_replay_stream *stream)
{
    return &stream->sink;
}

void esse_replay_stream_release(struct esse_replay_stream *stream)
{
    esse_arena_free(stream->pool);
    esse_arena_free(stream->scratch);
}

struct esse_replay_outcome esse_replay_stream_outcome(const struct esse_replay_stream *stream)
{
    struct esse_replay_outcome outcome = stream->outcome;
    outcome.counts.keys = stream->window.history.keys;
    outcome.history = &stream->window.history;
    outcome.by = stream->by;
    outcome.replayed = stream->state.commits;
    return outcome;
}
