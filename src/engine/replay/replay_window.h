#ifndef ESSE_ENGINE_REPLAY_REPLAY_WINDOW_H
#define ESSE_ENGINE_REPLAY_REPLAY_WINDOW_H

#include "base/index.h"
#include "base/vec.h"
#include "history/history.h"

/*
 * A stream as a history of one transaction, the one that was read last: its columns are those of a
 * frozen history, and are filled anew for each record.  Keys and sessions stay, by number, until
 * the window is packed.  So what replays a frozen history replays a stream.  Private to
 * replay_stream*.
 *
 * Cost: O(operations and items) a record; memory for the keys, the sessions and one transaction.
 */
ESSE_VEC(window_predicate_vec, struct esse_predicate_op)
ESSE_VEC(window_row_vec, struct esse_keyed_row)
ESSE_VEC(window_spine_vec, struct esse_spine)

/* A transaction that is no longer there, as far as reports need it. */
struct replay_name {
    esse_value name, session; /* name: ESSE_NONE if it was given none */
    uint64_t position;        /* in its session */
};

struct window_session {
    uint64_t txns;
    uint32_t last_commit; /* as the stream counts, 0: none */
    struct replay_name last;
};
ESSE_VEC(window_session_vec, struct window_session)

struct replay_window {
    struct esse_arena *arena;
    struct esse_history history;
    struct esse_value_vec key_name, session_name, values, results, columns;
    struct esse_index key_index, session_index;
    struct window_session_vec sessions;
    struct esse_u32_vec op_key;
    struct esse_u8_vec op_kind;
    struct window_predicate_vec predicates;
    struct window_row_vec rows;
    struct window_spine_vec spines;

    /* The columns of one transaction. */
    uint32_t txn_op[2], session, line;
    uint8_t status;
    esse_value name;
    struct esse_interval time, server_time;
    struct replay_name shown; /* how it is called */
};

void replay_window_init(struct replay_window *window, struct esse_arena *arena,
                        struct esse_values *values);

/* The key of a name; 'fresh' says that it is new. */
uint32_t replay_window_key(struct replay_window *window, esse_value name, bool *fresh);

/* The record becomes the history's transaction 0.  It must stay as long as that. */
void replay_window_fill(struct replay_window *window, const struct esse_txn_record *record);

/* Where a transaction of this session stands; counts it. */
void replay_window_count(struct replay_window *window, const struct esse_txn_record *record);

/* The transaction stays when its record is gone. */
void replay_window_keep(struct replay_window *window);

/* Gives the transaction a name of its own where it has none, for reports. */
void replay_window_name(struct replay_window *window);

#endif
