#include "base/error.h"
#include "base/vec.h"
#include "engine/classic/classic.h"

/*
 * A counter that is added to and read.  Of the adds, those that completed before a read was
 * invoked must be in what it returned, failed ones must not, and any of the others that were
 * invoked before it completed may be.
 */
struct bounds {
    int64_t up, down; /* sums of increments and of decrements */
};

struct counter {
    struct esse_classic_run *run;
    struct bounds invoked, completed;  /* adds that did not fail, that are ok, so far */
    struct bounds *at_invoke;          /* 'completed' when an operation was invoked */
    struct esse_i64_vec reads, errors; /* lower, value, upper */
    uint64_t shown;
};

/* The amount of an add, of either half of it. */
static bool amount_of(struct counter *counter, uint32_t op, int64_t *amount, struct esse_error *err)
{
    const struct esse_oplog *log = counter->run->log;
    esse_value value = log->value[op];
    if (esse_value_eq(value, ESSE_NIL) && log->pair[op] != ESSE_NO_PAIR)
        value = log->value[log->pair[op]];
    return esse_value_as_int(log->values, value, amount) ||
           esse_classic_refuse(counter->run, op, err, "the :add has value %s, expected an integer",
                               esse_classic_text(counter->run, value));
}

static bool add(struct counter *counter, struct bounds *bounds, uint32_t op, struct esse_error *err)
{
    int64_t amount;
    if (!amount_of(counter, op, &amount, err))
        return false;
    int64_t *sum = amount > 0 ? &bounds->up : &bounds->down;
    return !__builtin_add_overflow(*sum, amount, sum) ||
           esse_classic_refuse(counter->run, op, err, "the adds sum up to more than 64 bits");
}

static void tell_error(struct counter *counter, uint32_t op, const int64_t *read)
{
    enum { SHOWN = 3 };
    const struct esse_oplog *log = counter->run->log;
    if (counter->shown++ >= SHOWN)
        return;
    struct esse_finding *finding = esse_finding_add(
        counter->run->found,
        esse_arena_format(counter->run->arena, "read %lld, expected %lld to %lld",
                          (long long)read[1], (long long)read[0], (long long)read[2]));
    if (log->pair[op] != ESSE_NO_PAIR)
        esse_finding_witness(finding, log->pair[op], "invoked");
    esse_finding_witness(finding, op, "returned");
}

static bool take_read(struct counter *counter, uint32_t op, struct esse_error *err)
{
    const struct esse_oplog *log = counter->run->log;
    struct bounds before = { 0 }; /* without an invocation it may have begun before all */
    int64_t read[3];
    if (!esse_value_as_int(log->values, log->value[op], &read[1]))
        return esse_classic_refuse(counter->run, op, err,
                                   "the :read returned %s, expected an integer",
                                   esse_classic_text(counter->run, log->value[op]));
    if (log->pair[op] != ESSE_NO_PAIR)
        before = counter->at_invoke[log->pair[op]];
    /* What is sure, and of the rest only the decrements, or only the increments. */
    read[0] = before.up + counter->invoked.down;
    read[2] = before.down + counter->invoked.up;
    bool fine = read[0] <= read[1] && read[1] <= read[2];
    for (int i = 0; i < 3; i++) {
        esse_i64_vec_push(&counter->reads, counter->run->arena, read[i]);
        if (!fine)
            esse_i64_vec_push(&counter->errors, counter->run->arena, read[i]);
    }
    if (!fine)
        tell_error(counter, op, read);
    return true;
}

static bool take_op(struct counter *counter, uint32_t op, struct esse_error *err)
{
    const struct esse_oplog *log = counter->run->log;
    const bool invokes = log->type[op] == ESSE_INVOKE;
    counter->at_invoke[op] = counter->completed;
    if (log->verb[op] == ESSE_VERB_READ && log->type[op] == ESSE_DONE_OK)
        return take_read(counter, op, err);
    if (log->verb[op] != ESSE_VERB_ADD)
        return true;
    if (invokes && esse_oplog_outcome(log, op) != ESSE_DONE_FAIL)
        return add(counter, &counter->invoked, op, err);
    if (log->type[op] == ESSE_DONE_OK)
        return add(counter, &counter->completed, op, err);
    return true;
}

static bool check_counter(struct esse_classic_run *run, struct esse_error *err)
{
    const struct esse_oplog *log = run->log;
    struct counter counter = { .run = run };
    counter.at_invoke = esse_arena_alloc(run->arena, log->count, sizeof *counter.at_invoke);
    /* An add whose invocation is not known may have been invoked before everything. */
    for (uint32_t op = 0; op < log->count; op++)
        if (log->verb[op] == ESSE_VERB_ADD && log->pair[op] == ESSE_NO_PAIR &&
            (log->type[op] == ESSE_DONE_OK || log->type[op] == ESSE_DONE_INFO) &&
            !add(&counter, &counter.invoked, op, err))
            return false;
    for (uint32_t op = 0; op < log->count; op++)
        if (!take_op(&counter, op, err))
            return false;
    const size_t reads = counter.reads.count / 3, errors = counter.errors.count / 3;
    run->found->outcome = errors ? ESSE_VIOLATED : ESSE_HOLDS;
    esse_fact_int(run->found->facts, "read-count", (int64_t)reads);
    esse_fact_int(run->found->facts, "error-count", (int64_t)errors);
    esse_fact_ints(run->found->facts, "reads", counter.reads.at, reads, 3);
    esse_fact_ints(run->found->facts, "errors", counter.errors.at, errors, 3);
    run->found->summary =
        esse_arena_format(run->arena, "%zu of %zu reads are out of bounds", errors, reads);
    return true;
}

const struct esse_classic esse_classic_counter = {
    .name = "counter",
    .summary = "adds and reads: every read is within what the adds allow",
    .operations = ":add or :read operations",
    .options = "independent ",
    .run = check_counter,
    .verbs = 1u << ESSE_VERB_ADD | 1u << ESSE_VERB_READ,
};
