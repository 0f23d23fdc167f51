#ifndef ESSE_REPORT_REPORT_CYCLE_H
#define ESSE_REPORT_REPORT_CYCLE_H

#include "history/history.h"

/*
 * What the reports have in common about one anomaly: which transactions take part, for which
 * reasons, and which operations are named.  Everything is made in the arena that is given and has
 * no free.
 *
 * Cost: O(edges + steps), except esse_shown_reason and esse_shown_ops, which look at all of them
 * for every operation they are asked about; so ask about those that are shown.
 */

/* The anomaly as the others here take it: a refutation with the edges of all its cycles, each once;
 * or as a plain cycle, if it has one that nothing could have avoided. */
const struct esse_anomaly *esse_shown_told(struct esse_arena *arena,
                                           const struct esse_anomaly *anomaly);

/* The transactions that edges and steps name, each once, in the order in which they are met. */
struct esse_participants {
    const esse_txn *txns;
    uint32_t count;
};
struct esse_participants esse_participants_of(struct esse_arena *arena,
                                              const struct esse_anomaly *anomaly);

/* The reasons: those of the edges if there are any, else those of the steps. */
uint32_t esse_shown_reasons(const struct esse_anomaly *anomaly);
const char *esse_shown_why(const struct esse_anomaly *anomaly, uint32_t at);

/* The first reason that names the operation, counted from 1; 0 if none does. */
uint32_t esse_shown_reason(const struct esse_anomaly *anomaly, uint32_t op);

/* The arrows to draw: the edges, or for an anomaly shown in steps those that the steps stand for,
 * such as the read of an aborted write. */
const struct esse_edge *esse_shown_edges(struct esse_arena *arena,
                                         const struct esse_anomaly *anomaly, uint32_t *count);

/* At most 'most' operations of the transaction, ascending, but always those that are named. */
const uint32_t *esse_shown_ops(struct esse_arena *arena, const struct esse_history *history,
                               const struct esse_anomaly *anomaly, esse_txn txn, uint32_t most,
                               uint32_t *count);

/* What is known about a transaction beside its operations: "session 1, line 12, time 5 to 9,
 * aborted, node n1". */
const char *esse_shown_facts(struct esse_arena *arena, const struct esse_history *history,
                             esse_txn txn);

const char *esse_shown_op(struct esse_arena *arena, const struct esse_history *history,
                          uint32_t op);
/* "rw x", "realtime" */
const char *esse_shown_label(struct esse_arena *arena, const struct esse_history *history,
                             const struct esse_edge *edge);

/* Where the reasons lead: "so a → b → a: a would have to come before itself"; NULL if there is
 * nothing to add to them. */
const char *esse_shown_conclusion(struct esse_arena *arena, const struct esse_history *history,
                                  const struct esse_anomaly *anomaly);

/* How a kind of dependency looks in a picture. */
struct esse_dep_look {
    const char *colour;
    const char *dash;    /* for stroke-dasharray; NULL: a full line */
    const char *meaning; /* for the legend */
};
extern const struct esse_dep_look esse_dep_looks[]; /* by dependency */

/* The verdict that has the most anomalies, the first of those; NULL if none has one. */
const struct esse_verdict *esse_shown_fullest(const struct esse_result *result);

/* Is none before it of its type? */
bool esse_shown_is_first_of_type(const struct esse_anomaly *anomalies, uint32_t at);

/* Does it say that a level cannot be had whatever is chosen? */
bool esse_shown_is_refutation(const struct esse_anomaly *anomaly);

/* What is shown of a result.  The anomalies of several levels overlap: all of the fullest verdict,
 * and of the others one of every type that is not among them yet.  A second refutation would only
 * show the same cases again, and is left out. */
const struct esse_anomaly *esse_shown_found(struct esse_arena *arena,
                                            const struct esse_result *result, uint32_t *count);

/* A refutation with too many transactions for a picture.  Cycles are shortened instead. */
bool esse_shown_is_too_large(const struct esse_anomaly *anomaly,
                             struct esse_participants participants);

/* What to draw, at most 'most', worst first: one of every type; 'alike' of it counts the rest.
 * Without a violation, what was found and is allowed. */
const struct esse_anomaly **esse_shown_drawn(struct esse_arena *arena,
                                             const struct esse_result *result, uint32_t most,
                                             uint32_t *count);

#endif
