#ifndef ESSE_WORKLOAD_OWN_H
#define ESSE_WORKLOAD_OWN_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A user's own tables and statements, between the workload sql:FILE, the drivers and the recorder;
 * docs/workload-files.md says what they mean and how a history shows them.
 *
 * A statement comes in parts, with its parameters put in, so that a driver can make of it what
 * gives every row with all declared columns: what was there before a change as well as after.
 */
struct esse_own_table {
    const char *name;
    const char *const *columns; /* the primary key's come first */
    uint32_t column_count, key_count;
    const char *list; /* "id, owner, balance" */
};

struct esse_own_schema {
    const struct esse_own_table *tables;
    uint32_t count;
    const char *const *statements; /* of all transactions, as they stand in the file */
    uint32_t statement_count;
    const char *const *setup; /* statements that run before, and after the run; NULL-terminated */
    const char *const *teardown;
};

enum esse_own_kind {
    ESSE_OWN_SELECT,
    ESSE_OWN_AGGREGATE,
    ESSE_OWN_INSERT,
    ESSE_OWN_UPDATE,
    ESSE_OWN_DELETE
};

struct esse_own_statement {
    enum esse_own_kind kind;
    uint32_t table;
    uint32_t number;  /* among the schema's statements, from 1 on */
    const char *list; /* what AGGREGATE selects */
    const char *set;  /* of UPDATE, without the word */
    const char *rest; /* from WHERE on, or ""; of INSERT all after the table */
    const char
        *point; /* its key, as esse_own_put_key makes it, if WHERE names one row; else NULL */
};

/* ---- what they answer ---- */

enum esse_own_cell_kind { ESSE_CELL_NULL, ESSE_CELL_INTEGER, ESSE_CELL_TEXT, ESSE_CELL_BOOLEAN };

struct esse_own_cell {
    enum esse_own_cell_kind kind;
    int64_t number; /* of INTEGER and BOOLEAN */
    const char *text;
    size_t length;
};

ESSE_VEC(esse_own_cell_vec, struct esse_own_cell)
ESSE_VEC(esse_own_text_vec, char)

/*
 * Rows of cells, one after the other: the table's columns, of UPDATE first as they were and then as
 * they are; of AGGREGATE the columns of the result.
 *
 * Life: a zeroed struct with an arena; clear -> add* -> done.  Cost: copies, in buffers that it
 * keeps.  What it holds is good until it is cleared.
 */
struct esse_cells {
    struct esse_arena *arena;
    struct esse_own_cell_vec at;
    struct esse_own_text_vec texts;
};

void esse_cells_clear(struct esse_cells *cells);
/* 'text' may be NULL if the kind is none of a text. */
void esse_cells_add(struct esse_cells *cells, enum esse_own_cell_kind kind, int64_t number,
                    const char *text, size_t length);
/* Now the cells may be looked at. */
void esse_cells_done(struct esse_cells *cells);
/* Puts each row as it was and as it is into 'to', in the order of 'new'; both are done.  False if
 * one was not there before.  Cost: linear if they come in the same order, as they mostly do. */
bool esse_cells_join(struct esse_cells *to, const struct esse_cells *old,
                     const struct esse_cells *new, const struct esse_own_table *table);

/* Does a row before the one at 'at' have its key?  Rows are of 'width' cells; '*highest' is 0 for
 * the first one, and cells[*highest] the greatest key so far.  Cost: O(1) for rows that come in the
 * order of their keys, else O(rows before it). */
bool esse_own_is_twin(const struct esse_own_cell *cells, size_t at, uint32_t width,
                      const struct esse_own_table *table, size_t *highest);

/* ---- how they are written ---- */

struct esse_out;

/*
 * The next column of a row's key, which has 'count' of them and this is number 'i'.  One column is
 * its text as it is; of several there are commas between, and those within, like backslashes, have
 * a backslash before them, so that no two keys are the same text.
 */
void esse_own_put_key(struct esse_out *out, uint32_t i, uint32_t count, const char *text,
                      size_t length);

/* "SELECT id, owner FROM accounts WHERE ...", or of AGGREGATE what it selects. */
void esse_own_put_select(struct esse_out *out, const struct esse_own_schema *schema,
                         const struct esse_own_statement *statement);

#endif
