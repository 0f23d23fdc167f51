#ifndef ESSE_HISTORY_OPLOG_H
#define ESSE_HISTORY_OPLOG_H

#include "history/record.h"

/*
 * A log of operations that are not transactions: what clients of Jepsen's bank, set or counter
 * workloads did.  Columns, in the order of the input, that never change once frozen.
 *
 * Life: esse_oplog_new -> esse_oplog_add* -> esse_oplog_freeze, which pairs completions with
 * invocations.  It lives in its arena.
 *
 * Pairs: a completion belongs to the last invocation of its process, if that is open.  Where the
 * process is missing, it belongs to the open invocation without a process as long as there never
 * was more than one: only then is there no doubt.
 *
 * Cost: add O(1) amortised; freeze O(operations); 57 bytes an operation, and its value.
 */
enum esse_oplog_type { ESSE_INVOKE, ESSE_DONE_OK, ESSE_DONE_FAIL, ESSE_DONE_INFO };
extern const char *const esse_oplog_type_names[];

/* What :f says, where some checker knows it. */
enum esse_verb {
    ESSE_VERB_READ,
    ESSE_VERB_ADD,
    ESSE_VERB_WRITE,
    ESSE_VERB_TRANSFER,
    ESSE_VERB_CAS,
    ESSE_VERB_ACQUIRE,
    ESSE_VERB_RELEASE,
    ESSE_VERB_OTHER,
};

#define ESSE_NO_PAIR UINT32_MAX

struct esse_log_record {
    enum esse_oplog_type type;
    esse_value process; /* an integer, or ESSE_NONE */
    esse_value f;       /* a keyword, or anything else that the input had; ESSE_NONE */
    esse_value value;   /* ESSE_NIL if there is none; tags are gone */
    int64_t index, time;
    uint64_t line, column;
};

/* Something dropped or assumed while reading: counted, with the first line. */
enum esse_oplog_doubt {
    ESSE_DOUBT_NOT_A_CLIENT,
    ESSE_DOUBT_DOUBLE_INVOKE,
    ESSE_DOUBT_NO_INVOCATION,
    ESSE_DOUBTS
};
extern const char *const esse_oplog_doubt_texts[];

struct esse_oplog {
    struct esse_arena *arena;
    struct esse_values *values;
    const char *format;
    uint32_t count;
    uint8_t *type, *verb;
    uint32_t *pair; /* of an invocation its completion, of a completion its invocation */
    esse_value *process, *f, *value;
    int64_t *index, *time; /* time: ESSE_NO_TIME if there is none */
    uint64_t *line;
    uint32_t *column;
    uint64_t doubts[ESSE_DOUBTS], doubt_lines[ESSE_DOUBTS];
    uint32_t room;
};

struct esse_oplog *esse_oplog_new(struct esse_arena *arena, struct esse_values *values);
void esse_oplog_add(struct esse_oplog *log, const struct esse_log_record *record);
void esse_oplog_doubt(struct esse_oplog *log, enum esse_oplog_doubt doubt, uint64_t line);
void esse_oplog_freeze(struct esse_oplog *log, const char *format);

static inline bool esse_oplog_is(const struct esse_oplog *log, uint32_t op,
                                 enum esse_oplog_type type, enum esse_verb verb)
{
    return log->type[op] == type && log->verb[op] == verb;
}

/* Where the operation began: its invocation if that is known, else ESSE_NO_PAIR. */
static inline uint32_t esse_oplog_invocation(const struct esse_oplog *log, uint32_t op)
{
    return log->type[op] == ESSE_INVOKE ? op : log->pair[op];
}

/* The type of the completion, or ESSE_DONE_INFO if an invocation has none. */
static inline unsigned esse_oplog_outcome(const struct esse_oplog *log, uint32_t op)
{
    if (log->type[op] != ESSE_INVOKE)
        return log->type[op];
    return log->pair[op] == ESSE_NO_PAIR ? (unsigned)ESSE_DONE_INFO : log->type[log->pair[op]];
}

/* True and the members if the value is a sequence or a set. */
bool esse_oplog_items(const struct esse_oplog *log, esse_value value, const esse_value **items,
                      uint32_t *count);

/* The sub-log of one key, where values are [key value] (jepsen.independent). */
struct esse_sublog {
    esse_value key;
    struct esse_oplog *log;
};

/*
 * Takes a frozen log of [key value] apart, keys in the order of first appearance.  A completion
 * without a value is its invocation's.  Fails with the place of the first operation that has no
 * key, or another than its invocation.  Cost: O(operations).
 */
bool esse_oplog_split(struct esse_arena *arena, const struct esse_oplog *log,
                      struct esse_sublog **subs, uint32_t *count, struct esse_error *err);

#endif
