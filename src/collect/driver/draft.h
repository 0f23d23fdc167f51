#ifndef ESSE_COLLECT_DRIVER_DRAFT_H
#define ESSE_COLLECT_DRIVER_DRAFT_H

#include "collect/driver/live_rows.h"

/*
 * A transaction that is only in the client until it commits: what it has read, so that the commit
 * can ask whether that still holds, and what it will write.  For stores whose transactions are
 * optimistic: etcd, Redis.
 *
 * Life: init -> (begin -> row, take, change, show)*.  Rows stay where they are until the next
 * begin. Cost: a look-up is linear in the rows of the transaction; buffers are kept.
 */
struct esse_draft_row {
    uint32_t table;
    int64_t row;
    /* What the server has, as last heard. */
    bool is_known, is_there;
    bool is_held;     /* the commit asks whether that is still so */
    int64_t revision; /* the server's number of that version; 0 if it has none */
    int64_t value;
    struct esse_live_items items;
    /* What the transaction makes of it. */
    bool is_deleted; /* first of all, if something was put there again later */
    bool is_written; /* a register: 'written' */
    int64_t written;
    struct esse_live_items added; /* a list: at its end */
};

struct esse_draft {
    struct esse_arena *arena;
    struct esse_draft_row **rows;
    size_t count, room;
    struct esse_live_items shown;
};

void esse_draft_init(struct esse_draft *draft, struct esse_arena *arena);
void esse_draft_begin(struct esse_draft *draft);

/* The row, new to the draft or not. */
struct esse_draft_row *esse_draft_row(struct esse_draft *draft, uint32_t table, int64_t row);

/* Whether the draft knows what is in the row without asking the server: what it wrote itself, and
 * what the commit will hold it to.  All else is read again. */
bool esse_draft_sees(const struct esse_draft_row *row);

/* Whether something is there, as far as the transaction can see; it must. */
bool esse_draft_has(const struct esse_draft_row *row);

/* WRITE, INSERT, APPEND, DELETE. */
void esse_draft_change(struct esse_draft *draft, struct esse_draft_row *row,
                       const struct esse_request *request);
bool esse_draft_is_changed(const struct esse_draft_row *row);
bool esse_draft_writes(const struct esse_draft *draft);

/* The row as the transaction sees it, as the reply to a READ.  Lists are good until the next. */
void esse_draft_show(struct esse_draft *draft, const struct esse_draft_row *row, bool is_list,
                     struct esse_reply *reply);

/* Answers a request about a row of which all that matters is known: shows it, or changes it, or
 * says that it is there already (INSERT) or is not (DELETE). */
enum esse_progress esse_draft_answer(struct esse_draft *draft, struct esse_draft_row *row,
                                     const struct esse_request *request, bool is_list,
                                     struct esse_reply *reply);

#endif
