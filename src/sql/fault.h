#ifndef ESSE_SQL_FAULT_H
#define ESSE_SQL_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a text cannot be compiled, or a statement did not succeed. */
enum esse_fault_kind {
    ESSE_FAULT_NONE,
    ESSE_FAULT_ERROR,       /* an error of SQL, which a server would report */
    ESSE_FAULT_UNSUPPORTED, /* a server might do it, Esse does not */
    ESSE_FAULT_HOLE,        /* the value of a hole is needed: number 'hole' */
    ESSE_FAULT_LIMIT,       /* too many rounds of a loop, too deep a recursion */
};

struct esse_fault {
    enum esse_fault_kind kind;
    char state[6]; /* SQLSTATE */
    uint32_t at;   /* byte of the text, from 1; 0 if not known */
    uint64_t hole;
    char text[240];
};

/* They fill the fault, unless it is filled, and return false. */
bool esse_fault(struct esse_fault *fault, const char *state, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool esse_fault_unsupported(struct esse_fault *fault, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool esse_fault_hole(struct esse_fault *fault, uint64_t hole);
bool esse_fault_limit(struct esse_fault *fault, const char *text);

/* Remembers where in the text it was, if nothing did before; returns false. */
bool esse_fault_place(struct esse_fault *fault, uint32_t at);

#endif
