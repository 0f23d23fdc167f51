#include "base/vec.h"
#include "engine/classic/classic.h"

/*
 * Blind writes of elements, and reads of all of them: a read that sees a write sees every write
 * that had completed before that one was invoked.
 *
 *     w1 invoke ... w1 ok      w2 invoke ...      read shows w2 and not w1
 *
 * The writes that completed before an invocation are a prefix of all completions, so of the
 * elements that a read shows only the one with the longest prefix matters.
 */

struct element {
    uint32_t invoked;   /* its first invocation that did not fail, or the first; or ESSE_NO_OP */
    bool is_failed;     /* that one failed */
    uint32_t before;    /* how many writes had completed by then */
    uint32_t rank;      /* its own place among the completions, ESSE_NO_OP if it has none */
    uint32_t completed; /* the ok operation */
    uint32_t stamp;     /* the last read that showed it, plus one */
};

ESSE_VEC(element_vec, struct element)

struct comments {
    struct esse_classic_run *run;
    struct esse_elements ids;
    struct element_vec elements;
    struct esse_u32_vec completed; /* elements, in the order of their completions */
    struct esse_fact *errors;
    uint32_t reads, error_count;
};

static uint32_t element_of(struct comments *comments, esse_value value)
{
    uint32_t id = esse_elements_add(&comments->ids, comments->run->arena, value);
    if (id == comments->elements.count)
        element_vec_push(
            &comments->elements, comments->run->arena,
            (struct element){ .invoked = ESSE_NO_OP, .rank = ESSE_NO_OP, .completed = ESSE_NO_OP });
    return id;
}

static void take_write(struct comments *comments, uint32_t op)
{
    const struct esse_oplog *log = comments->run->log;
    esse_value value = log->value[op];
    if (esse_value_eq(value, ESSE_NIL) && log->pair[op] != ESSE_NO_PAIR)
        value = log->value[log->pair[op]];
    uint32_t id = element_of(comments, value);
    struct element *element = &comments->elements.at[id];
    /* Written twice, it is the first write that a read may show. */
    const bool failed = esse_oplog_outcome(log, op) == ESSE_DONE_FAIL;
    if (log->type[op] == ESSE_INVOKE &&
        (element->invoked == ESSE_NO_OP || (element->is_failed && !failed))) {
        element->invoked = op;
        element->is_failed = failed;
        element->before = (uint32_t)comments->completed.count;
    }
    if (log->type[op] == ESSE_DONE_OK && element->rank == ESSE_NO_OP) {
        if (element->invoked == ESSE_NO_OP)
            element->invoked = op; /* of an invocation that is not known nothing is expected */
        element->rank = (uint32_t)comments->completed.count;
        element->completed = op;
        esse_u32_vec_push(&comments->completed, comments->run->arena, id);
    }
}

/* The missing elements, sorted.  'stamp' marks those that the read shows. */
static size_t missing(struct comments *comments, uint32_t need, uint32_t stamp, esse_value **out)
{
    size_t count = 0;
    *out = esse_arena_alloc(comments->run->arena, need, sizeof **out);
    for (uint32_t rank = 0; rank < need; rank++) {
        uint32_t id = comments->completed.at[rank];
        if (comments->elements.at[id].stamp != stamp)
            (*out)[count++] = comments->ids.at[id];
    }
    esse_classic_sort(comments->run->log->values, *out, count);
    return count;
}

static void tell_error(struct comments *comments, uint32_t op, uint32_t latest, uint32_t stamp)
{
    enum { SHOWN = 3 };
    const struct esse_classic_run *run = comments->run;
    const struct element *seen = &comments->elements.at[latest];
    esse_value *at;
    size_t count = missing(comments, seen->before, stamp, &at);
    struct esse_fact *fact = esse_fact_object(comments->errors, NULL);
    esse_fact_op_brief(fact, "op", op);
    esse_fact_values(fact, "missing", at, count);
    esse_fact_int(fact, "expected-count", seen->before);
    esse_fact_value(fact, "seen", comments->ids.at[latest]);
    if (comments->error_count++ >= SHOWN)
        return;
    const struct element *lost = &comments->elements.at[esse_elements_find(&comments->ids, at[0])];
    struct esse_finding *finding = esse_finding_add(
        run->found,
        esse_arena_format(run->arena, "a read shows %s but not %s, which had completed before",
                          esse_classic_text(run, comments->ids.at[latest]),
                          esse_classic_text(run, at[0])));
    esse_finding_witness(finding, lost->completed, "completed");
    esse_finding_witness(finding, seen->invoked, "was invoked after that");
    esse_finding_witness(finding, op,
                         count > 1
                             ? esse_arena_format(run->arena, "misses it and %zu more", count - 1)
                             : "misses it");
}

static bool take_read(struct comments *comments, uint32_t op, struct esse_error *err)
{
    const struct esse_oplog *log = comments->run->log;
    const esse_value *items;
    uint32_t count, have = 0, latest = ESSE_NO_OP, stamp = op + 1;
    if (esse_value_eq(log->value[op], ESSE_NIL))
        return true;
    if (!esse_oplog_items(log, log->value[op], &items, &count))
        return esse_classic_refuse(comments->run, op, err,
                                   "the :read returned %s, expected a collection of elements",
                                   esse_classic_text(comments->run, log->value[op]));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = element_of(comments, items[i]);
        comments->elements.at[id].stamp = stamp;
        if (latest == ESSE_NO_OP ||
            comments->elements.at[id].before > comments->elements.at[latest].before)
            latest = id;
    }
    const uint32_t need = latest == ESSE_NO_OP ? 0 : comments->elements.at[latest].before;
    for (uint32_t i = 0; i < count && need; i++) {
        struct element *element =
            &comments->elements.at[esse_elements_find(&comments->ids, items[i])];
        if (element->stamp != stamp)
            continue;
        have += element->rank < need;
        element->stamp = 0; /* counted; a list may show it twice */
    }
    if (have == need)
        return true;
    for (uint32_t i = 0; i < count; i++)
        comments->elements.at[esse_elements_find(&comments->ids, items[i])].stamp = stamp;
    tell_error(comments, op, latest, stamp);
    return true;
}

static bool check_comments(struct esse_classic_run *run, struct esse_error *err)
{
    const struct esse_oplog *log = run->log;
    struct comments comments = { .run = run };
    comments.errors = esse_fact_array(run->found->facts, "errors");
    for (uint32_t op = 0; op < log->count; op++)
        if (log->verb[op] == ESSE_VERB_WRITE)
            take_write(&comments, op);
    for (uint32_t op = 0; op < log->count; op++) {
        if (!esse_oplog_is(log, op, ESSE_DONE_OK, ESSE_VERB_READ))
            continue;
        comments.reads++;
        if (!take_read(&comments, op, err))
            return false;
    }
    run->found->outcome = comments.error_count ? ESSE_VIOLATED : ESSE_HOLDS;
    esse_fact_int(run->found->facts, "read-count", comments.reads);
    esse_fact_int(run->found->facts, "error-count", comments.error_count);
    run->found->summary =
        esse_arena_format(run->arena, "%u of %u reads miss what had completed before",
                          comments.error_count, comments.reads);
    return true;
}

const struct esse_classic esse_classic_comments = {
    .name = "comments",
    .summary = "blind writes and reads of all: a read that sees a write sees those that completed "
               "before it",
    .operations = ":write operations",
    .options = "independent ",
    .run = check_comments,
    .verbs = 1u << ESSE_VERB_WRITE,
    .reads_items = true,
};
