#ifndef ESSE_WORKLOAD_REQUEST_H
#define ESSE_WORKLOAD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a workload asks of a store: a schema first, then one request after the other.
 *
 * Data.  A schema is some tables of rows.  A row has a key k, an integer, and a value v: an
 * integer, or in a table of lists a list of integers that is only appended to.  The workload takes
 * care that no two of them write the same value to one row, so that a value names its writer.
 * ESSE_ABSENT is the value of a row that is not there.
 */
#define ESSE_ABSENT INT64_MIN

struct esse_table {
    const char
        *name; /* letters, digits, underscore, at most 29; the database's table is esse_NAME */
    bool is_list;
    bool has_ranges;        /* predicates are asked of it: an index on v is worth having */
    uint64_t rows;          /* 0 .. rows - 1 are there from the start */
    const int64_t *initial; /* their values, ESSE_ABSENT for none; NULL if rows is 0 */
    bool is_optional;       /* those values mean nothing: a store may begin without them */
    uint64_t in_use;        /* rows that are in use at one time, from 0 on ... */
    bool is_growing;        /* ... and later ones, each for the one 'in_use' rows before it */
};

struct esse_own_schema; /* own.h */
struct esse_own_statement;

struct esse_schema {
    const struct esse_table *tables;
    uint32_t count;
    uint32_t sessions; /* how many will connect, numbered from 0 on */
    /* The user's own tables instead of those above, of which there are none then; or NULL. */
    const struct esse_own_schema *own;
};

enum esse_ask {
    ESSE_ASK_CONNECT, /* also after a connection was lost */
    ESSE_ASK_BEGIN,
    ESSE_ASK_READ,
    ESSE_ASK_WRITE,     /* the row becomes 'value', whether it was there or not */
    ESSE_ASK_INSERT,    /* the same; it is not there, and if it is the statement fails */
    ESSE_ASK_APPEND,    /* 'value' to the row's list, which may not be there yet */
    ESSE_ASK_DELETE,    /* the row may not be there: reply->is_absent tells */
    ESSE_ASK_MATCH,     /* the rows of the table that satisfy 'where' */
    ESSE_ASK_CHANGE,    /* those become 'value', all of them the same */
    ESSE_ASK_AGGREGATE, /* over them, computed by the server */
    ESSE_ASK_OWN,       /* a statement of the user's */
    ESSE_ASK_COMMIT,
    ESSE_ASK_ROLLBACK,
};

enum esse_aggregate {
    ESSE_AGGREGATE_COUNT,
    ESSE_AGGREGATE_SUM,
    ESSE_AGGREGATE_MIN,
    ESSE_AGGREGATE_MAX,
    ESSE_AGGREGATES
};

/* "sum(v)".  The least is that of v + 0, so that no index answers it from one row: a database that
 * looked at one row only need not mind that others come and go, and what a predicate ranges over
 * are all the rows that match (docs/design/sql.md). */
extern const char *const esse_aggregate_texts[ESSE_AGGREGATES];

/* Belongs to the caller and is good until the request is done or has failed. */
struct esse_request {
    enum esse_ask ask;
    bool is_read_only; /* BEGIN: no write will follow; a driver may make use of it */
    uint32_t table;
    int64_t row;
    int64_t value;
    /* MATCH, CHANGE, AGGREGATE: SQL over k and v, as the history will show it.  If 'is_range', it
     * says exactly low <= v AND v <= high, for stores that have no SQL. */
    const char *where;
    bool is_range;
    int64_t low, high;
    enum esse_aggregate aggregate;
    const struct esse_own_statement *own; /* OWN */
    unsigned host;                        /* CONNECT: which of the URL's hosts */
};

/* What a workload needs and a store can. */
enum {
    ESSE_CAN_LISTS = 1 << 0,
    ESSE_CAN_PREDICATES = 1 << 1, /* MATCH and CHANGE */
    ESSE_CAN_AGGREGATES = 1 << 2,
    ESSE_CAN_DELETE = 1 << 3,
    ESSE_CAN_OWN = 1 << 4, /* a user's own statements */
};

#endif
