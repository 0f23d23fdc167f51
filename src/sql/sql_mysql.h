#ifndef ESSE_SQL_SQL_MYSQL_H
#define ESSE_SQL_SQL_MYSQL_H

#include "sql/sql_token.h"

/*
 * A statement of MySQL's dialect as one that PostgreSQL's parser reads, with the same meaning to
 * the rest of sql/, which knows the dialect: names lose their case, operators get brackets as
 * MySQL's precedence wants them, some become functions of ours ('esse_div').  Private to sql/.
 *
 *  1. Every piece of the new text knows which byte of the old one it comes from, so errors can name
 *     it and literals are found again.
 *  2. What is not understood is copied, and PostgreSQL's parser says what is wrong with it, or is
 *     refused by name.
 *
 * Cost: O(length).
 */
struct sql_piece {
    struct sql_piece *next;
    const char *text;
    uint32_t length, from; /* byte of the old text */
};

struct sql_pieces {
    struct sql_piece *first, *last;
};

enum sql_mysql_kind { SQL_MYSQL_PLAIN, SQL_MYSQL_IGNORE, SQL_MYSQL_REPLACE };

struct sql_rewritten {
    const char *text;
    enum sql_mysql_kind kind; /* of an INSERT */
    uint32_t *from;           /* for each byte of the new text, one of the old */
    uint32_t length;
};

struct sql_rewrite {
    struct esse_arena *arena;
    struct esse_fault *fault;
    struct sql_tokens tokens;
    struct sql_token token; /* the one that is looked at */
    uint32_t params;        /* ? so far */
    uint32_t depth;
    enum sql_mysql_kind kind;
    bool is_duplicate; /* in ON DUPLICATE KEY UPDATE */
};

bool sql_mysql_rewrite(struct esse_arena *arena, const char *text, size_t length,
                       struct sql_rewritten *rewritten, struct esse_fault *fault);

/* ---- mysql_expr.c ---- */

/* An expression of operators that bind at least so tightly; 0: all. */
bool sql_mysql_expr(struct sql_rewrite *w, unsigned least, struct sql_pieces *out);
/* A list with commas, without its brackets. */
bool sql_mysql_list(struct sql_rewrite *w, struct sql_pieces *out);

/* ---- mysql_text.c: what both share ---- */

void sql_mysql_next(struct sql_rewrite *w);
struct sql_token sql_mysql_ahead(const struct sql_rewrite *w);
bool sql_mysql_is(const struct sql_rewrite *w, const char *word);
bool sql_mysql_if(struct sql_rewrite *w, const char *word);
bool sql_mysql_is_one_of(const struct sql_rewrite *w, const char *const *words);
/* Fill the fault and return false. */
bool sql_mysql_error(struct sql_rewrite *w, const char *expected);
bool sql_mysql_refuse(struct sql_rewrite *w, const char *what);
void sql_mysql_put(struct sql_rewrite *w, struct sql_pieces *out, const char *text);
void sql_mysql_join(struct sql_pieces *out, struct sql_pieces more);
/* The token, as PostgreSQL wants it; goes on. */
bool sql_mysql_copy(struct sql_rewrite *w, struct sql_pieces *out);
bool sql_mysql_copy_two(struct sql_rewrite *w, struct sql_pieces *out);
bool sql_mysql_copy_if(struct sql_rewrite *w, struct sql_pieces *out, const char *word);
bool sql_mysql_expect(struct sql_rewrite *w, struct sql_pieces *out, const char *word);
/* A query, up to what cannot belong to it. */
bool sql_mysql_query(struct sql_rewrite *w, struct sql_pieces *out);

/* ---- mysql_table.c ---- */

bool sql_mysql_create_table(struct sql_rewrite *w, struct sql_pieces *out);
/* A type, as in a column or a CAST. */
bool sql_mysql_type(struct sql_rewrite *w, bool is_cast, struct sql_pieces *out);

#endif
