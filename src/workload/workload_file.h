#ifndef ESSE_WORKLOAD_WORKLOAD_FILE_H
#define ESSE_WORKLOAD_WORKLOAD_FILE_H

#include "base/error.h"
#include "base/zipf.h"
#include "workload/own.h"

/*
 * The text of a workload file, taken apart; docs/workload-files.md has the grammar.
 *
 * Everything lives in the arena.  Cost: O(text), and some 40 microseconds a statement for the SQL
 * parser that tries the conditions.
 */
enum esse_param_kind {
    ESSE_PARAM_UNIFORM,
    ESSE_PARAM_ZIPF,
    ESSE_PARAM_UNIQUE, /* fresh at every use; the others are drawn once a transaction */
    ESSE_PARAM_CHOICE, /* of a constant there is one */
    ESSE_PARAM_SESSION
};

struct esse_param {
    const char *name;
    enum esse_param_kind kind;
    int64_t low, high; /* UNIFORM, ZIPF; SESSION: low is that of the first */
    const struct esse_zipf *zipf;
    const char *const *choices; /* as SQL writes them */
    uint32_t choice_count;
};

/* Text of a statement, up to a parameter and with it; the last piece has none. */
enum { ESSE_NO_PARAM = -1 };
struct esse_piece {
    const char *text;
    size_t length;
    int param;
};

struct esse_pieces {
    const struct esse_piece *at;
    uint32_t count;
};

/* A statement taken apart, to be run and recorded; to be explored (script.h), only 'whole'. */
struct esse_template {
    struct esse_pieces whole;
    enum esse_own_kind kind;
    unsigned line;
    uint32_t table;
    uint32_t number;                    /* as in own.h */
    struct esse_pieces list, set, rest; /* as in own.h */
    /* The columns of the key, in the table's order; NULL if WHERE is not about one row. */
    const struct esse_pieces *point;
};

struct esse_file_txn {
    const char *name;
    uint64_t weight;
    bool is_read_only;
    const struct esse_template *templates;
    uint32_t count;
};

struct esse_workload_file {
    struct esse_own_schema schema;
    const struct esse_param *params;
    uint32_t param_count;
    const struct esse_file_txn *txns;
    uint32_t txn_count;
    uint64_t weight; /* of all */
};

/* ESSE_EIO if it cannot be read; ESSE_EINPUT with the line otherwise. */
bool esse_workload_file_load(struct esse_arena *arena, const char *path,
                             struct esse_workload_file *file, struct esse_error *err);
bool esse_workload_file_parse(struct esse_arena *arena, const char *text,
                              struct esse_workload_file *file, struct esse_error *err);

/* Takes a statement apart, or finds its parameters alone: workload_statement.c. */
bool esse_template_parse(struct esse_arena *arena, const struct esse_workload_file *file,
                         const char *text, size_t length, unsigned line, struct esse_template *out,
                         struct esse_error *err);
bool esse_template_whole(struct esse_arena *arena, const struct esse_workload_file *file,
                         const char *text, size_t length, unsigned line, struct esse_template *out,
                         struct esse_error *err);

#endif
