#ifndef ESSE_SQL_SCHEMA_H
#define ESSE_SQL_SCHEMA_H

#include "base/arena.h"
#include "base/vec.h"
#include "sql/plan.h"

/*
 * What CREATE made: tables with their constraints, views, sequences, procedures and functions.
 *
 *  1. A table's number is its place among all that ever were; a dropped one keeps it.
 *  2. The first index of a table is its primary key, if it has one ('has_key').  Otherwise its keys
 *     are hidden numbers.
 *  3. 'changes' grows with every CREATE and DROP, so what was compiled knows whether it is stale.
 *  4. esse_schema_back() undoes what came after esse_schema_mark().
 */
enum esse_dialect { ESSE_DIALECT_POSTGRESQL, ESSE_DIALECT_MYSQL };

struct esse_column {
    const char *name;
    struct esse_type type;
    bool not_null, is_generated, always;  /* GENERATED ALWAYS AS (...) STORED; AS IDENTITY */
    const struct esse_expr *otherwise;    /* DEFAULT or GENERATED; NULL: none */
    const struct esse_sequence *sequence; /* serial, identity, AUTO_INCREMENT */
};

/* A table's own name for one of its indexes: its place among them. */
struct esse_table_index {
    const char *name;
    uint32_t *columns, count;
    bool is_unique, is_dropped;
    bool is_deferrable; /* the constraint is checked when the statement has ended, or later */
    bool is_deferred;
};

struct esse_check {
    const char *name;
    const struct esse_expr *condition;
};

enum esse_action {
    ESSE_ACTION_NONE,
    ESSE_ACTION_RESTRICT,
    ESSE_ACTION_CASCADE,
    ESSE_ACTION_SET_NULL,
    ESSE_ACTION_SET_DEFAULT
};

struct esse_foreign {
    const char *name;
    struct esse_table *child, *parent;
    uint32_t *columns, *parent_columns, count;
    uint32_t child_index, parent_index;
    enum esse_action on_delete, on_update;
    bool is_deferrable, is_deferred;
};

ESSE_VEC(esse_table_index_vec, struct esse_table_index)
ESSE_VEC(esse_foreign_vec, struct esse_foreign *)

struct esse_table {
    uint32_t number;
    const char *name;
    struct esse_column *columns;
    uint32_t column_count;
    bool has_key, is_dropped;
    struct esse_table_index_vec indexes;
    struct esse_check *checks;
    uint32_t check_count;
    struct esse_foreign_vec foreigns; /* those of its own columns */
    struct esse_foreign_vec referers; /* those that point here */
};

struct esse_view {
    const char *name;
    const void *query; /* PostgreSQL's parse tree */
    const char **columns;
    uint32_t column_count;
    bool is_dropped;
};

struct esse_sequence {
    uint32_t number;
    const char *name;
    int64_t start, step;
    bool is_dropped;
};

ESSE_VEC(esse_table_vec, struct esse_table *)
ESSE_VEC(esse_view_vec, struct esse_view *)
ESSE_VEC(esse_sequence_vec, struct esse_sequence *)
ESSE_VEC(esse_routine_vec, struct esse_routine *)

/* What is there or not, to be put back: a flag 'is_dropped', or that of an index. */
struct esse_schema_change {
    bool *is_dropped, before;
    struct esse_table *table;
    uint32_t index;
};
ESSE_VEC(esse_schema_change_vec, struct esse_schema_change)

struct esse_schema {
    struct esse_arena *arena;
    enum esse_dialect dialect;
    struct esse_table_vec tables;
    struct esse_view_vec views;
    struct esse_sequence_vec sequences;
    struct esse_routine_vec routines;
    uint32_t changes;
    struct esse_schema_change_vec undo;
};

struct esse_schema *esse_schema_new(struct esse_arena *arena, enum esse_dialect dialect);

/* NULL if there is none, or none any more. */
struct esse_table *esse_schema_table(const struct esse_schema *schema, const char *name);
struct esse_view *esse_schema_view(const struct esse_schema *schema, const char *name);
struct esse_sequence *esse_schema_sequence(const struct esse_schema *schema, const char *name);
struct esse_routine *esse_schema_routine(const struct esse_schema *schema, const char *name);

/* Does what a statement of CREATE or DROP says. */
bool esse_schema_change(struct esse_schema *schema, const struct esse_statement *statement,
                        struct esse_fault *fault);

struct esse_schema_mark {
    uint32_t undo;
};
struct esse_schema_mark esse_schema_mark(const struct esse_schema *schema);
void esse_schema_back(struct esse_schema *schema, struct esse_schema_mark mark);

/* The place of an index that begins with these columns, made if there is none; so a statement that
 * bounds a column can be run by an index. */
uint32_t esse_table_index_on(struct esse_schema *schema, struct esse_table *table,
                             const uint32_t *columns, uint32_t count);

/* UINT32_MAX if there is no such column. */
uint32_t esse_table_column(const struct esse_table *table, const char *name);

#endif
