#ifndef ESSE_FORMATS_TRACE_H
#define ESSE_FORMATS_TRACE_H

#include "formats/formats.h"

/*
 * The trace format: what clients did, one event a line, with the interval of each; docs/formats.md.
 * What reads a trace sends events to a trace sink; a native history whose operations have times is
 * the same as its events.
 */
extern const struct esse_format esse_format_trace;

enum esse_trace_kind {
    ESSE_TRACE_BEGIN,
    ESSE_TRACE_OP,
    ESSE_TRACE_COMMIT,
    ESSE_TRACE_ABORT,
    ESSE_TRACE_SAVEPOINT,
    ESSE_TRACE_ROLLBACK_TO,
    ESSE_TRACE_OPAQUE, /* it wrote rows of the table 'name' that are not known */
    ESSE_TRACE_GAP,    /* events of the session are missing, from 'before' to 'after' */
    ESSE_TRACE_OPEN,   /* a session is there from 'before' on */
    ESSE_TRACE_CLOSE,  /* ... and sends nothing any more */
    ESSE_TRACE_BEAT,   /* sent is all up to 'after' (done); what comes begins at 'before' (floor) */
};

enum esse_trace_lock {
    ESSE_LOCK_NONE,
    ESSE_LOCK_KEY_SHARE,
    ESSE_LOCK_SHARE,
    ESSE_LOCK_NO_KEY_UPDATE,
    ESSE_LOCK_UPDATE
};
extern const char *const esse_trace_lock_names[]; /* by lock, null-terminated; the first is "" */

/* An event and all it points at belong to the sender and are only good during the call. */
struct esse_trace_event {
    enum esse_trace_kind kind;
    esse_value session, txn;  /* integer or string; 'txn' is always given */
    uint32_t session_number;  /* from 0 on, in the order of meeting them */
    uint32_t txn_number;      /* from 1 on, of the whole trace */
    bool is_first;            /* of its transaction */
    struct esse_op_record op; /* of OP */
    bool is_insert;           /* the row was not there before this write */
    bool failed, cursor;      /* "ok":false; the snapshot is that of the cursor's declaration */
    enum esse_trace_lock lock;
    esse_value name;       /* isolation, savepoint or table; ESSE_NONE if not given */
    int64_t before, after; /* 'after' is ESSE_NO_TIME: when it ended is not known */
    int64_t commit_ts;     /* of COMMIT: the server's timestamp, or ESSE_NO_TIME */
    const esse_value *items;
    const struct esse_row *rows;
    uint64_t line;
};

/* What the first line says. */
struct esse_trace_header {
    int64_t resolution, skew;               /* ESSE_NO_TIME if not given */
    bool has_sessions, has_init, exclusive; /* sessions have the numbers from 0 on */
    const esse_value *sessions;
    size_t session_count;
    const struct esse_row *init; /* if given, every other key is absent */
    size_t init_count;
    esse_value clock;
};

struct esse_trace_sink {
    struct esse_values *values;
    bool (*header)(struct esse_trace_sink *sink, const struct esse_trace_header *header,
                   struct esse_error *err);
    bool (*event)(struct esse_trace_sink *sink, const struct esse_trace_event *event,
                  struct esse_error *err);
    /* Called between lines, where the reader holds no value: 'values' may be another afterwards.
     * False, without an error, if no more is wanted.  May be NULL. */
    bool (*between)(struct esse_trace_sink *sink);
    /* Called now and then while the reader waits: all that is there was sent.  May be NULL. */
    void (*idle)(struct esse_trace_sink *sink);
};

struct esse_trace_options {
    const char *format; /* "trace" or "native"; NULL: recognised */
    bool follow;        /* the file's end is no end: formats/arrival.h */
    struct esse_budget *budget;
};

/*
 * Sends the events of a file: a trace, or a native history, whose transactions without times are an
 * error.  "-" is standard input; gzip and zstd are undone.  Lines are read as soon as they are
 * there.  A file that takes the place of one that is followed may begin with the same header.
 */
bool esse_trace_read(const char *path, const struct esse_trace_options *options,
                     struct esse_trace_sink *sink, struct esse_error *err);

/* The same of an open source that holds a trace. */
bool esse_trace_read_source(struct esse_source *source, struct esse_trace_sink *sink,
                            struct esse_error *err);

/*
 * The same of lines that come a few at a time.
 *
 * Life: new -> lines* -> release.  After an error, or when the sink wants no more, nothing is read.
 */
struct esse_trace_reader;
struct esse_trace_reader *esse_trace_reader_new(struct esse_trace_sink *sink);
/* Whole lines, of which the last ends with a newline.  The bytes are looked at during the call. */
bool esse_trace_reader_lines(struct esse_trace_reader *reader, const char *lines, size_t length,
                             struct esse_error *err);
void esse_trace_reader_release(struct esse_trace_reader *reader);

/* ---- who is who in a trace ---- */

/* Sessions by their names, and the transactions that they have open. */
struct esse_trace_ids;
struct esse_trace_ids *esse_trace_ids_new(struct esse_arena *arena);
uint32_t esse_trace_session(struct esse_trace_ids *ids, const struct esse_values *values,
                            esse_value session);

/* Fills the event's numbers, and its transaction if that was left out.  NULL, or what is wrong. */
const char *esse_trace_number(struct esse_trace_ids *ids, struct esse_trace_event *event,
                              const struct esse_values *values);

/* ---- native transactions as events, and events as lines ---- */

/* Sends the events of one transaction.  False, with an error at its line, if it has no times. */
bool esse_trace_send_txn(struct esse_trace_ids *ids, const struct esse_txn_record *txn,
                         struct esse_trace_sink *sink, struct esse_error *err);

/* A trace sink that writes lines. */
struct esse_trace_sink *esse_trace_writer(struct esse_arena *arena, struct esse_values *values,
                                          struct esse_out *out);

#endif
