#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "formats/trace.h"

/* A transaction that is open. */
struct open_txn {
    esse_value name;
    uint32_t number;
};
ESSE_VEC(open_txn_vec, struct open_txn)

/* Names are kept as words that are the same in every pool of values. */
struct session {
    esse_value name;
    struct open_txn_vec open;
    esse_value last; /* the one that ended last */
    bool has_last;
    int64_t after; /* of its last event */
};
ESSE_VEC(session_vec, struct session)

struct esse_trace_ids {
    struct esse_arena *arena;
    struct session_vec sessions;
    struct esse_index index;
    uint32_t next;
};

struct esse_trace_ids *esse_trace_ids_new(struct esse_arena *arena)
{
    struct esse_trace_ids *ids = esse_arena_alloc(arena, 1, sizeof *ids);
    *ids = (struct esse_trace_ids){ .arena = arena, .next = 1 };
    return ids;
}

static bool is_atom(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_ATOM;
}

/* A name as one word that is the same in every pool: a hash, if it is long. */
static esse_value lasting(const struct esse_values *values, esse_value name)
{
    char room[8];
    int64_t number;
    if (!is_atom(name))
        return name;
    if (esse_value_as_int(values, name, &number))
        return (esse_value){ (uint64_t)number << 3 | ESSE_TAG_ATOM };
    const struct esse_span text = esse_value_text(values, name, room);
    const uint64_t high = esse_hash_bytes(text.at, text.length);
    const uint64_t low = esse_hash_bytes(text.at + 1, text.length - 1);
    return (esse_value){ (high << 32 | low) << 3 | ESSE_TAG_ATOM };
}

uint32_t esse_trace_session(struct esse_trace_ids *ids, const struct esse_values *values,
                            esse_value name)
{
    const esse_value word = lasting(values, name);
    const uint32_t hash = esse_hash_word(word.word);
    struct esse_probe probe = esse_index_probe(&ids->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(ids->sessions.at[id].name, word))
            return id;
    const uint32_t fresh = (uint32_t)ids->sessions.count;
    const struct session session = { .name = word, .after = INT64_MIN };
    session_vec_push(&ids->sessions, ids->arena, session);
    esse_index_add(&ids->index, ids->arena, hash, fresh);
    return fresh;
}

static bool is_of_txn(enum esse_trace_kind kind)
{
    return kind <= ESSE_TRACE_OPAQUE;
}

static void end_txn(struct session *session, size_t at)
{
    session->last = session->open.at[at].name;
    session->has_last = true;
    session->open.at[at] = session->open.at[--session->open.count];
}

static const char *number_txn(struct esse_trace_ids *ids, struct session *session,
                              struct esse_trace_event *event, const struct esse_values *values)
{
    const esse_value name = lasting(values, event->txn);
    size_t at = 0;
    if (esse_value_eq(event->txn, ESSE_NONE)) {
        if (session->open.count != 1 || event->kind == ESSE_TRACE_BEGIN)
            return "the event needs its transaction, txn: the session has not exactly one open";
    } else {
        while (at < session->open.count && !esse_value_eq(session->open.at[at].name, name))
            at++;
    }
    event->is_first = at == session->open.count;
    if (!event->is_first && event->kind == ESSE_TRACE_BEGIN)
        return "the transaction has begun before";
    if (event->is_first) {
        if (session->has_last && esse_value_eq(session->last, name))
            return "the transaction has ended before";
        open_txn_vec_push(&session->open, ids->arena, (struct open_txn){ name, ids->next++ });
    }
    event->txn_number = session->open.at[at].number;
    if (event->kind == ESSE_TRACE_COMMIT || event->kind == ESSE_TRACE_ABORT)
        end_txn(session, at);
    return NULL;
}

const char *esse_trace_number(struct esse_trace_ids *ids, struct esse_trace_event *event,
                              const struct esse_values *values)
{
    event->session_number = esse_trace_session(ids, values, event->session);
    struct session *session = &ids->sessions.at[event->session_number];
    if (!is_of_txn(event->kind))
        return NULL;
    if (event->after != ESSE_NO_TIME) {
        if (event->after < session->after)
            return "the event ends before one that came earlier in its session";
        session->after = event->after;
    }
    return number_txn(ids, session, event, values);
}
