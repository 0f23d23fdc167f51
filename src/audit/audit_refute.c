#include "audit/audit_state.h"

#include <stdlib.h>
#include <string.h>

/* Versions that are the same in every execution, and answers that none of them gives. */
enum { MOST_RUNS = 20000 };

struct refuting {
    struct esse_arena *arena;
    struct audit_world *world;
    const struct audit_question *question;
    const struct audit_plan *plan;
    struct audit_answer *answer;
    struct audit_attempt attempt;
    uint32_t *writers; /* by their positions */
    uint32_t count;
};

struct positioned {
    int64_t position;
    uint32_t txn;
};

static int by_position(const void *a, const void *b)
{
    const struct positioned *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* All that may write, by their positions; false unless these are there and differ. */
static bool order_writers(struct refuting *r)
{
    const struct audit_plan *plan = r->plan;
    struct positioned *all = esse_arena_alloc(r->arena, plan->required + 1, sizeof *all);
    if (plan->required != plan->writer_count)
        return false; /* of unknown outcome */
    for (uint32_t i = 0; i < plan->required; i++) {
        all[i] = (struct positioned){ plan->positions[plan->writers[i]], plan->writers[i] };
        if (all[i].position == INT64_MIN || r->world->facts[all[i].txn].is_schema)
            return false;
    }
    qsort(all, plan->required, sizeof *all, by_position);
    r->writers = esse_arena_alloc(r->arena, plan->required + 1, sizeof *r->writers);
    for (uint32_t i = 0; i < plan->required; i++) {
        if (i && all[i].position == all[i - 1].position)
            return false;
        r->writers[r->count++] = all[i].txn;
    }
    return true;
}

/* False if the versions depend on what is not determined. */
static bool make_versions(struct refuting *r)
{
    struct audit_versions *versions = r->world->versions;
    for (uint32_t i = 0; i < r->count; i++) {
        r->attempt.txn = r->writers[i];
        r->answer->attempts++;
        if (!audit_attempt_changes(&r->attempt) ||
            !esse_budget_poll(r->question->budget, r->answer->attempts))
            return false;
        audit_versions_push(versions, esse_exec_overlay(r->world->exec), r->writers[i]);
    }
    return !audit_versions_doubt(versions);
}

static bool is_refuted(struct refuting *r, uint32_t txn, uint32_t before)
{
    struct audit_answer *answer = r->answer;
    r->attempt.txn = txn;
    answer->attempts++;
    if (!audit_attempt_is_refuted(&r->attempt, before))
        return false;
    answer->prefix = before;
    answer->txn = txn;
    answer->statement = r->attempt.stopped;
    answer->why = r->attempt.why;
    memcpy(answer->fault, r->attempt.fault, sizeof answer->fault);
    return true;
}

static bool find_refuted(struct refuting *r)
{
    const struct audit_plan *plan = r->plan;
    uint32_t reader = 0;
    for (uint32_t i = 0; i <= r->count; i++) {
        for (; reader < plan->reader_count && plan->due[reader] <= i; reader++)
            if (!esse_budget_poll(r->question->budget, i) ||
                is_refuted(r, plan->readers[reader], i))
                return r->answer->txn == plan->readers[reader];
        if (i < r->count && is_refuted(r, r->writers[i], i))
            return true;
    }
    return false;
}

bool audit_refutes(struct esse_arena *arena, struct audit_world *world,
                   const struct audit_question *question, const struct audit_plan *plan,
                   struct audit_answer *answer)
{
    struct refuting r = {
        .arena = arena, .world = world, .question = question, .plan = plan, .answer = answer
    };
    r.attempt = (struct audit_attempt){ .world = world,
                                        .most_runs = MOST_RUNS,
                                        .budget = question->budget,
                                        .arena = esse_arena_new() };
    const bool had_doubt = world->doubt;
    world->doubt = false;
    const bool ok = order_writers(&r) && make_versions(&r) && find_refuted(&r) && !world->doubt;
    world->doubt = had_doubt;
    while (audit_versions_newest(world->versions))
        audit_versions_pop(world->versions);
    audit_world_back(world, 0);
    esse_arena_free(r.attempt.arena);
    return ok;
}
