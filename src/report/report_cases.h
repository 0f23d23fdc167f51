#ifndef ESSE_REPORT_REPORT_CASES_H
#define ESSE_REPORT_REPORT_CASES_H

#include "report/report_refutation.h"

/*
 * A refutation as people argue: suppose this, then that follows, and there is a cycle; suppose the
 * opposite, and there is another.  Found anew from the cycles and sources of the refutation, by
 * trying the choice that closes its cases soonest; what the solver learnt is not needed.
 *
 * Cost: exponential in the choices if it must be, so after some tens of millions of steps the cases
 * that are left stay open.
 */

/* What must be so, because otherwise the clause would be false. */
struct esse_consequence {
    uint32_t literal;
    const struct esse_clause *clause;
};

/* What follows in it, and then either a clause that is false or two cases. */
struct esse_case {
    uint32_t literal; /* what is supposed; not of the outermost */
    const struct esse_consequence *follows;
    uint32_t follow_count;
    const struct esse_clause *broken;
    const struct esse_case *cases[2]; /* both NULL where 'broken' is given */
    uint32_t leaves;                  /* cases that are not divided further, this one included */
};

/* 'broken' and 'cases' are both NULL in a case that was left open. */
const struct esse_case *esse_cases_of(struct esse_arena *arena,
                                      const struct esse_refutation *refutation);

/* The argument as lines of text. */
enum esse_case_line_kind {
    ESSE_CASE_SUPPOSE,    /* what is supposed, or must be so */
    ESSE_CASE_REASON,     /* an edge of a cycle */
    ESSE_CASE_CONCLUSION, /* where the reasons lead */
    ESSE_CASE_REST,       /* what is not shown */
};

struct esse_case_line {
    enum esse_case_line_kind kind;
    uint32_t depth; /* of indentation */
    const char *text;
};

/* Up to the first 'most' contradictions, and how many more there are; 0: all of them. */
const struct esse_case_line *esse_case_lines(struct esse_arena *arena,
                                             const struct esse_history *history,
                                             const struct esse_refutation *refutation,
                                             uint32_t most, uint32_t *count);

#endif
