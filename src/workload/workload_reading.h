#ifndef ESSE_WORKLOAD_WORKLOAD_READING_H
#define ESSE_WORKLOAD_WORKLOAD_READING_H

#include "base/vec.h"
#include "workload/script.h"
#include "workload/workload_file.h"

/* Reading a workload file: what the files that read its sections share. */

ESSE_VEC(workload_tables, struct esse_own_table)
ESSE_VEC(workload_params, struct esse_param)
ESSE_VEC(workload_txns, struct esse_file_txn)
ESSE_VEC(workload_texts, const char *)
ESSE_VEC(workload_sessions, struct esse_script_session)
ESSE_VEC(workload_invariants, struct esse_script_invariant)

struct workload_reading {
    struct esse_arena *arena;
    struct esse_error *err;
    struct esse_workload_file *file;
    struct esse_script *script; /* NULL: it is to be run, not explored */
    const char *at;             /* the rest of the text ... */
    unsigned line;              /* ... which begins in this line */
    unsigned where;             /* the line of what is being read */
    struct workload_tables tables;
    struct workload_params params;
    struct workload_txns txns;
    struct workload_texts setup, teardown, statements;
    struct esse_u32_vec setup_lines;
    struct workload_sessions sessions;
    struct workload_invariants invariants;
    uint64_t fresh; /* the last value of a parameter that is 'unique', in calls */
};

/* Reads the sections; what they came to is in the file, and in the script. */
bool workload_read(struct workload_reading *reading);

/* ---- words of a line: workload_words.c ---- */

/* What is left of the line. */
struct workload_words {
    const char *at, *end;
};

/* The next word, a quoted text or one of ( ) , ; NULL at the end of the line. */
const char *workload_word(struct workload_reading *p, struct workload_words *words);
bool workload_is_name(const char *word);
bool workload_is_sign(const char *word, char sign);
bool workload_is_literal(const char *word);
/* An error, and false. */
bool workload_wrong(struct workload_reading *p, const char *expected, const char *found);
/* Is there nothing more in the line? */
bool workload_ends(struct workload_reading *p, struct workload_words *words);
const char *workload_copy(struct workload_reading *p, const char *at, size_t length);

/* The end of the indented lines, and of empty ones among them. */
const char *workload_section_end(const char *at);
/* The next statement of the section; false if there is none, or if it has no semicolon. */
bool workload_statement(struct workload_reading *p, const char *end, const char **from,
                        size_t *length, bool *ok);

/* ---- what is only explored: workload_calls.c ---- */

bool workload_read_procedure(struct workload_reading *p, struct workload_words *words);
bool workload_read_session(struct workload_reading *p, struct workload_words *words);
bool workload_read_invariant(struct workload_reading *p, struct workload_words *words);

#endif
