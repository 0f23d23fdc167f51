#ifndef ESSE_SQL_ROUTINE_H
#define ESSE_SQL_ROUTINE_H

#include "sql/compile.h"

/* A procedure or a function: its parameters, and its body as a tree of steps that names variables
 * by number.  PL/pgSQL and MySQL's block language are read into the same tree. */
struct esse_parameter {
    const char *name;
    struct esse_type type;
    bool is_in, is_out;
};

struct esse_routine {
    uint32_t number;
    const char *name;
    bool is_procedure, is_dropped;
    struct esse_parameter *parameters;
    uint32_t parameter_count, in_count;
    struct esse_type returns;
    const char *body;
    size_t body_length;
    const char *language;
};

#endif
