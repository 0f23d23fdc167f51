#ifndef ESSE_ENGINE_CHECK_STATE_H
#define ESSE_ENGINE_CHECK_STATE_H

#include "engine/known/known.h"

/* A check under way.  Private to check.c and worlds.c. */

struct check {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_check_options *options;
    unsigned threads;
    struct esse_planning planning;
    size_t count;
    const struct esse_level **levels;
    enum esse_order_by order_by;    /* see struct esse_job */
    bool is_named;                  /* the engine, by the caller */
    const struct esse_plan **plans; /* by level; NULL: it had its turns */
    struct esse_verdict *verdicts;
    struct serial_near *near;        /* see struct esse_job */
    struct esse_proved *proved;      /* by the kernel, of this history */
    struct found_vec found;          /* by all engines */
    enum esse_anomaly_id *anomalies; /* those of the options */
    bool named[ESSE_ANOMALY_END];    /* see struct esse_job */
    bool except[ESSE_ANOMALY_END];
};

/* Room for so many levels, all of them undecided. */
void check_make_room(struct check *check, size_t count);

/* Runs engines, as planned, until every level is decided or had its turns.  False if the input is
 * bad. */
bool check_decide(struct check *check, struct esse_budget *budget, struct esse_error *err);

#endif
