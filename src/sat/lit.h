#ifndef ESSE_SAT_LIT_H
#define ESSE_SAT_LIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A literal is a number, 2 * variable, plus 1 if the variable is negated.  It is not a one-field
 * struct like other ids because clauses travel as plain arrays of numbers, into the proof checker
 * of evidence/ too, which must not include this file.
 */
typedef uint32_t esse_lit;

#define ESSE_LIT_NONE UINT32_MAX

static inline esse_lit esse_lit_of(uint32_t var, bool negated)
{
    return 2 * var + negated;
}

static inline uint32_t esse_lit_var(esse_lit lit)
{
    return lit >> 1;
}

static inline bool esse_lit_negated(esse_lit lit)
{
    return lit & 1;
}

static inline esse_lit esse_lit_not(esse_lit lit)
{
    return lit ^ 1;
}

#endif
