#ifndef ESSE_FORMATS_LOG_LINE_H
#define ESSE_FORMATS_LOG_LINE_H

#include "formats/json.h"
#include "formats/log_read.h"

/* What the files that read a log share.  Private to formats/. */
struct log_line {
    struct esse_json json;
    struct esse_sql_log *log;
    struct esse_arena *arena; /* of the log */
    const struct log_names *names;
};

/* The texts of 'statement' lines, by name. */
struct log_named {
    esse_value name;
    struct esse_span text;
};
ESSE_VEC(log_named_vec, struct log_named)

struct log_names {
    struct log_named_vec at;
};

/* A member's place among 'count' names; 'count' if it is none of them. */
unsigned log_member(struct esse_span name, const struct esse_span *names, unsigned count);

/* A string, kept in the log's arena. */
bool log_text(struct log_line *line, const char *what, struct esse_span *text);
/* One value of a row or argument: also numbers with fractions, and beyond 64 bits. */
bool log_cell(struct log_line *line, esse_value *cell);
/* A list of cells, added to those of the log. */
bool log_cells(struct log_line *line, const char *what, struct esse_log_span *span);
/* A list of lists of cells, all of one width. */
bool log_rows(struct log_line *line, struct esse_log_rows *rows);
/* A list of strings, added to the cells. */
bool log_strings(struct log_line *line, const char *what, struct esse_log_span *span);
/* [begin, end] */
bool log_interval(struct log_line *line, int64_t *begin, int64_t *end);

/* A statement: a text, or an object; added to those of the log. */
bool log_statement(struct log_line *line);

#endif
