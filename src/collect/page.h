#ifndef ESSE_COLLECT_PAGE_H
#define ESSE_COLLECT_PAGE_H

#include "collect/book.h"
#include "collect/learnt.h"

/* The inside of books and pages, shared by recorder.c and recorder_own.c and nobody else. */

/* An operation as it was asked and answered; made a record when its transaction ends, so that
 * nothing but copying happens between a reply and the next request. */
struct esse_noted {
    enum esse_ask ask;
    enum esse_aggregate aggregate;
    bool is_done, is_absent;
    uint32_t table;
    int64_t row, value;     /* what was written, or what was read */
    size_t where, snapshot; /* in 'texts', plus 1; 0: none */
    int64_t snapshot_at;    /* or ESSE_NO_ID */
    size_t first, count;    /* in 'numbers', 'found' or 'cells' */
    int64_t begin, end;
    enum esse_own_kind own; /* of ESSE_ASK_OWN; 'where' is its text in the history */
    size_t point;           /* in 'texts', plus 1: the key of a statement about one row */
};

ESSE_VEC(esse_noted_vec, struct esse_noted)
ESSE_VEC(esse_number_vec, int64_t)
ESSE_VEC(esse_found_vec, struct esse_live_row)
ESSE_VEC(esse_char_vec, char)
ESSE_VEC(esse_op_vec, struct esse_op_record)
ESSE_VEC(esse_item_vec, esse_value)
ESSE_VEC(esse_row_vec, struct esse_row)
ESSE_VEC(esse_named_vec, struct esse_named)

struct esse_book {
    struct esse_arena *arena;
    const struct esse_schema *schema;
    int64_t epoch, last; /* readings of the clock: the run's first, and this thread's last */
    bool is_idle;
    struct esse_front front;
    struct esse_tally tally;
    struct esse_named_vec named;
    /* Texts are interned here; when there are many, it begins anew. */
    struct esse_arena *pool;
    struct esse_values *values;
    struct esse_sink *sink;
    /* The record of the transaction that ends. */
    struct esse_op_vec ops;
    struct esse_item_vec items;
    struct esse_row_vec rows;
    struct esse_out shown; /* the text of an own statement */
};

struct esse_page {
    struct esse_book *book;
    int64_t session;
    uint64_t index; /* of the open transaction in its session */
    int64_t start, xid, start_ts, commit_ts;
    struct esse_noted_vec noted;
    struct esse_number_vec numbers;
    struct esse_found_vec found;
    struct esse_char_vec texts;
    struct esse_cells cells; /* of own statements */
};

/* All bytes since 'before' are one line.  The lock must be held, once sessions are at work. */
void esse_book_line(struct esse_book *book, int64_t stamp, size_t before);

/* Keeps a text for the record; its place plus 1, or 0 if it is NULL. */
size_t esse_page_text(struct esse_page *page, const char *text);

/* A statement of the user's: what it asked and what came back, and its operations in the record,
 * each with the times and the snapshot of 'op'. */
void esse_page_note_own(struct esse_page *page, struct esse_noted *noted,
                        const struct esse_own_statement *statement, const struct esse_reply *reply);
void esse_page_fill_own(struct esse_page *page, const struct esse_noted *noted,
                        const struct esse_op_record *op);

#endif
