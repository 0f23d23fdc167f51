#ifndef ESSE_HISTORY_SQL_LOG_H
#define ESSE_HISTORY_SQL_LOG_H

#include "history/record.h"

/*
 * A log of SQL transactions: the texts that clients sent and what came back.  Columns that never
 * change once read; they live in the log's arena.
 *
 *  1. Transactions are in the order of the input, their statements behind one another, in the order
 *     of the program.
 *  2. What a statement has (rows, args, names) is a stretch of 'cells'; 'has' says what was
 *     recorded.  What was not recorded is free.
 *  3. Values are as the log has them: integers, strings, booleans, NIL, and numbers with a fraction
 *     or beyond 64 bits as atoms of the kind NUMBER with their text.
 *  4. A text that stands in several places is kept once for each.
 *
 * Cost: 88 bytes a transaction, 96 a statement, 8 a value, and the texts.
 */
enum esse_log_dialect { ESSE_LOG_POSTGRESQL, ESSE_LOG_MYSQL };

enum esse_log_has {
    ESSE_LOG_ARGS = 1,
    ESSE_LOG_ROWS = 2,
    ESSE_LOG_COUNT = 4,
    ESSE_LOG_ERROR = 8,
    ESSE_LOG_OUT = 16,
    ESSE_LOG_GENERATED = 32,
    ESSE_LOG_COLUMNS = 64,
    ESSE_LOG_TIMES = 128,
};

struct esse_log_span {
    uint32_t first, count;
};

/* Rows of one result; all are of one width. */
struct esse_log_rows {
    uint32_t first, count, width; /* cells[first + row * width + column] */
};

struct esse_log_statement {
    struct esse_span text;
    uint32_t has;
    struct esse_log_span args;
    struct esse_log_span results; /* of log->results: one, or those of a CALL */
    struct esse_log_span columns;
    struct esse_log_span out, generated; /* name, value, name, value ... */
    int64_t count;
    esse_value error; /* a string, or a number of MySQL's */
    int64_t begin, end;
};

enum esse_log_wrote { ESSE_LOG_WROTE_NOT_SAID, ESSE_LOG_WROTE, ESSE_LOG_WROTE_NOT };

struct esse_log_txn {
    esse_value session, name;
    enum esse_status status;
    enum esse_log_wrote wrote; /* 'xid' says that it did */
    uint64_t line;
    int64_t start, end, start_ts, commit_ts, xid;
    struct esse_log_span statements;
};

/* The rows that a table has in state 0. */
struct esse_log_table {
    struct esse_span name;
    struct esse_log_span columns; /* none: those of the table, in its order */
    struct esse_log_rows rows;
    uint64_t line;
};

struct esse_log_schema {
    struct esse_span text;
    uint64_t line;
};

ESSE_VEC(esse_log_statement_vec, struct esse_log_statement)
ESSE_VEC(esse_log_txn_vec, struct esse_log_txn)
ESSE_VEC(esse_log_rows_vec, struct esse_log_rows)
ESSE_VEC(esse_log_table_vec, struct esse_log_table)
ESSE_VEC(esse_log_schema_vec, struct esse_log_schema)

struct esse_sql_log {
    struct esse_arena *arena;
    struct esse_values *values;
    enum esse_log_dialect dialect;
    bool found_rows;          /* counts are of rows matched, also in MySQL's dialect */
    esse_value db, isolation; /* ESSE_NONE if not given */
    struct esse_log_schema_vec schema;
    struct esse_log_table_vec tables;
    struct esse_log_txn_vec txns;
    struct esse_log_statement_vec statements;
    struct esse_log_rows_vec results;
    struct esse_value_vec cells;
    enum esse_certificate_kind certificate;
    struct esse_u32_vec order; /* transactions, by their places; none: not given */
    bool has_order;
};

static inline const esse_value *esse_log_row(const struct esse_sql_log *log,
                                             const struct esse_log_rows *rows, uint32_t row)
{
    return log->cells.at + rows->first + (size_t)row * rows->width;
}

#endif
