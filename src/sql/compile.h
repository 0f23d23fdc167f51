#ifndef ESSE_SQL_COMPILE_H
#define ESSE_SQL_COMPILE_H

#include "sql/schema.h"

/*
 * Texts become statements.  Texts that differ only in their literals are compiled once: they share
 * a statement, and each has its own values for it ('slots').
 *
 * Life: new -> compile* -> free; what was compiled before a CREATE or DROP is compiled again when
 * its text comes back.  Statements live in the arena of the schema.
 *
 * Cost: a new shape as long as PostgreSQL's parser takes, and as much again; a known one the length
 * of the text.
 */
struct esse_compiler;
struct esse_compiler *esse_compiler_new(struct esse_schema *schema);
void esse_compiler_free(struct esse_compiler *compiler);

/* What a text is: a statement, and the values of its literals, good until the next call. */
struct esse_compiled {
    const struct esse_statement *statement;
    const struct esse_datum *slots;
    uint32_t slot_count;
};

bool esse_compile(struct esse_compiler *compiler, const char *text, size_t length,
                  struct esse_compiled *compiled, struct esse_fault *fault);

/* How many shapes were compiled so far. */
uint64_t esse_compiler_shapes(const struct esse_compiler *compiler);

/* Where in the text its first statement ends: behind the semicolon, or the length.  Semicolons in
 * strings, remarks and the bodies of procedures do not count. */
size_t esse_statement_end(enum esse_dialect dialect, const char *text, size_t length);

#endif
