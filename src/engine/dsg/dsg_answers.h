#ifndef ESSE_ENGINE_DSG_DSG_ANSWERS_H
#define ESSE_ENGINE_DSG_DSG_ANSWERS_H

#include "engine/dsg/dsg_ranges.h"
#include "engine/dsg/dsg_views.h"

/*
 * What statements whose rows do not speak each for itself returned (aggregates, LIMIT, joins),
 * against what the snapshot of the certificate holds: the whole is computed again.
 *
 * Cost: that of sql/statement.h for the rows brought, and O(log versions) for each.
 */
struct dsg_asking {
    struct known *known;
    const struct dsg_views *views; /* with the text at hand */
    const struct dsg_ranges *ranges;
    const struct esse_snapshot *snapshot;
    const uint32_t *own; /* by key: its transaction had written it: op + 1 */
    uint32_t txn, op;
    const uint32_t *keys; /* those of which a version may matter; own ones are found anyhow */
    uint32_t key_count;
};

/* Is the state at every snapshot known: are the versions of all keys rows in the order of the
 * commits, and do all count that may have written?  O(keys + operations). */
bool dsg_answers_are_known(const struct dsg_ranges *ranges);

/* Tells what is wrong as result-set-mismatch.  False and the views' error filled if a row is no
 * good. */
bool dsg_answer_check(const struct dsg_asking *asking);

#endif
