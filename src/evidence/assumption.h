#ifndef ESSE_EVIDENCE_ASSUMPTION_H
#define ESSE_EVIDENCE_ASSUMPTION_H

#include "esse/esse.h"

/* What the anomaly rests on beside the history: enum esse_assumption. */
unsigned esse_anomaly_assumes(const struct esse_anomaly *anomaly);

/* The assumption in words that go on from "assuming that"; NULL of a basis that is none. */
const char *esse_basis_words(enum esse_basis basis);

#endif
