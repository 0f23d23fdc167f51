#ifndef ESSE_AUDIT_ATTEMPT_H
#define ESSE_AUDIT_ATTEMPT_H

#include "audit/audit.h"
#include "audit/world.h"

/*
 * One transaction on top of the states that there are: is there a view that its level allows, on
 * which every statement answers what was recorded?
 *
 *  1. Outcomes (what the transaction writes) are numbered from 0 on, in an order that depends only
 *     on the states; outcomes that write the same count once.  After audit_attempt() returned true
 *     the writes of that outcome are in the overlay.
 *  2. If it returns false and neither 'gave_up' nor world->doubt is set, there is no such outcome.
 *  3. With AUDIT_VIEWS_KEYS the view that was found is 'view', and no written key is read at an
 * older version than its newest.
 *  4. 'stopped' is the furthest statement that no view explained, and 'why'.
 */
enum audit_views {
    AUDIT_VIEWS_NEWEST,   /* the state before it */
    AUDIT_VIEWS_ONE,      /* one state for all steps */
    AUDIT_VIEWS_MONOTONE, /* one state a step, which does not go back */
    AUDIT_VIEWS_ANY,      /* each key of each step from any state */
    AUDIT_VIEWS_KEYS      /* each key from a state between low and high, the same for all steps */
};

enum audit_conflicts { AUDIT_CONFLICTS_NONE, AUDIT_CONFLICTS_VERSIONS, AUDIT_CONFLICTS_VALUES };

struct audit_attempt {
    struct audit_world *world;
    uint32_t txn;
    enum audit_views views;
    enum audit_conflicts conflicts;
    uint32_t low, high;       /* the states that a view of one state may be */
    bool upwards;             /* of these the oldest first */
    const int64_t *positions; /* by transaction, in the given order of versions; NULL: none */
    uint64_t most_runs;       /* of statements; then it gives up */
    struct esse_budget *budget;
    struct esse_arena *arena; /* what is found lives here until the next attempt */

    bool gave_up;
    uint32_t stopped;
    enum audit_why why;
    uint32_t state;           /* with views of one state: the one it was */
    char fault[240];          /* the error, or what the first view gave instead: the newest one */
    struct audit_view *steps; /* by statement */
    struct audit_view view;   /* of AUDIT_VIEWS_KEYS */
};

bool audit_attempt(struct audit_attempt *attempt, uint32_t outcome);

/* Once more on the view that was found; keys that it chose no version of are seen at 'beyond'. */
bool audit_attempt_again(struct audit_attempt *attempt, const struct audit_view *view,
                         uint32_t beyond);

/*
 * What it changes on the newest state, if that is what it changes in every execution in which it
 * sees the newest versions of what it writes: each change is an INSERT of values, or an UPDATE or
 * DELETE of one table that looks at each row by itself and is recorded to have changed as many
 * rows as here.  The writes are in the overlay.  False otherwise.
 */
bool audit_attempt_changes(struct audit_attempt *attempt);

/*
 * Once all versions are there that ever can be: is there a statement that no choice of a version
 * for each key explains?  'before' is the state that its changes were made on.  'stopped' and 'why'
 * say which.  False also if there are too many choices.
 */
bool audit_attempt_is_refuted(struct audit_attempt *attempt, uint32_t before);

#endif
