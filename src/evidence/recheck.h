#ifndef ESSE_EVIDENCE_RECHECK_H
#define ESSE_EVIDENCE_RECHECK_H

#include "evidence/proved.h"
#include "history/history.h"
#include "level/level.h"

/*
 * The trusted kernel: rechecks a verdict from the history and the level's definition alone.  It
 * shares nothing with the engines, and runs in release builds before anything is printed.
 *
 * An anomaly's evidence is a cycle (recheck_cycle.h), a refutation (refutation.h), an order that
 * does not replay (recheck_mismatch.h), or a few operations (recheck_steps.h).
 *
 * What an anomaly supposes of transactions of unknown outcome is taken for granted.
 *
 * Cost: O(operations) for each anomaly that speaks of all writers, O(its transactions) otherwise.
 */
bool esse_recheck_anomaly(const struct esse_history *history, const struct esse_anomaly *anomaly,
                          struct esse_proved *proved, struct esse_error *err);

/* Does whatever satisfies 'proved' satisfy 'level', and show none of the anomalies that the verdict
 * counts by name? */
bool esse_recheck_is_enough(const struct esse_level *proved, const struct esse_level *level,
                            const struct esse_verdict *verdict);

/* Does the order prove the level?  What the kernel has proved before ('proved', or NULL) it does
 * not prove again, and what it proves now is noted there. */
bool esse_recheck_order(const struct esse_history *history, const struct esse_level *level,
                        const struct esse_order *order, struct esse_proved *proved,
                        struct esse_error *err);

/* What the anomaly rests on beside the history: enum esse_assumption. */
unsigned esse_anomaly_assumes(const struct esse_anomaly *anomaly);

/* What the verdict rests on that came with the history, as far as its evidence shows: the kind of
 * its certificate, or else what an order was taken from; NONE if it follows from the operations. */
enum esse_certificate_kind esse_recheck_certificate(const struct esse_history *history,
                                                    const struct esse_verdict *verdict);

/* The whole verdict: a VIOLATED one has an anomaly that the level forbids, and all of its
 * anomalies are real, given the assumptions and the certificate that it states; what they suppose
 * of unknown outcomes covers all of them.  HOLDS needs evidence of a kind that this kernel knows.
 * What depends on which operation appended which element of a list must hold in the history of its
 * one way, and is violated only in those of all ways (history/appends.h). */
bool esse_recheck_verdict(const struct esse_history *history, const struct esse_level *level,
                          const struct esse_verdict *verdict, struct esse_proved *proved,
                          struct esse_error *err);

#endif
