#ifndef ESSE_EVIDENCE_ASSUMPTION_H
#define ESSE_EVIDENCE_ASSUMPTION_H

#include "esse/esse.h"

/* What may be assumed about the versions of registers (enum esse_assumption), by name and in
 * words. */
struct esse_assumption_words {
    enum esse_assumption bit;
    const char *name;  /* "wfr-keys" */
    const char *words; /* goes on from "assuming that" */
};

extern const struct esse_assumption_words esse_assumptions[]; /* a NULL name ends them */

const struct esse_assumption_words *esse_assumption_get(enum esse_assumption bit);

/* NULL if there is none of this name. */
const struct esse_assumption_words *esse_assumption_find(const char *name);

/* What anomalies rest on whose version order nobody needs to assume: the initial version comes
 * first. */
#define ESSE_INITIAL_STATE "initial-state"

/* Does the anomaly rest on this assumption, or for NULL on any? */
bool esse_anomaly_assumes(const struct esse_anomaly *anomaly, const char *name);

#endif
