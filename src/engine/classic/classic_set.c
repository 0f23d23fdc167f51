#include "base/vec.h"
#include "engine/classic/classic.h"

/* Elements are added, and in the end the set is read once: what was acknowledged must be there. */

struct element {
    uint32_t added, acknowledged; /* the first such operation, ESSE_NO_OP if there is none */
    bool is_read, may_exist;      /* may_exist: some add of it did not fail */
};

ESSE_VEC(element_vec, struct element)

struct set {
    struct esse_classic_run *run;
    struct esse_elements ids;
    struct element_vec elements;
    uint32_t read; /* the last ok one */
};

static struct element *element_of(struct set *set, esse_value value)
{
    uint32_t id = esse_elements_add(&set->ids, set->run->arena, value);
    if (id == set->elements.count)
        element_vec_push(&set->elements, set->run->arena,
                         (struct element){ .added = ESSE_NO_OP, .acknowledged = ESSE_NO_OP });
    return &set->elements.at[id];
}

static void take_add(struct set *set, uint32_t op)
{
    const struct esse_oplog *log = set->run->log;
    esse_value value = log->value[op];
    if (esse_value_eq(value, ESSE_NIL) && log->pair[op] != ESSE_NO_PAIR)
        value = log->value[log->pair[op]];
    struct element *element = element_of(set, value);
    if (element->added == ESSE_NO_OP)
        element->added = op;
    if (log->type[op] == ESSE_DONE_OK && element->acknowledged == ESSE_NO_OP)
        element->acknowledged = op;
    element->may_exist = element->may_exist || esse_oplog_outcome(log, op) != ESSE_DONE_FAIL;
}

static bool take_log(struct set *set, struct esse_error *err)
{
    const struct esse_oplog *log = set->run->log;
    const esse_value *items;
    uint32_t count;
    set->read = ESSE_NO_OP;
    for (uint32_t op = 0; op < log->count; op++) {
        if (log->verb[op] == ESSE_VERB_ADD)
            take_add(set, op);
        if (!esse_oplog_is(log, op, ESSE_DONE_OK, ESSE_VERB_READ))
            continue;
        if (!esse_value_eq(log->value[op], ESSE_NIL) &&
            !esse_oplog_items(log, log->value[op], &items, &count))
            return esse_classic_refuse(set->run, op, err,
                                       "the :read returned %s, expected a collection of elements",
                                       esse_classic_text(set->run, log->value[op]));
        set->read = op;
    }
    return true;
}

enum part { OK, LOST, UNEXPECTED, RECOVERED, FAILED, PARTS };

static bool belongs(const struct element *element, enum part part)
{
    const bool added = element->added != ESSE_NO_OP,
               acknowledged = element->acknowledged != ESSE_NO_OP;
    switch (part) {
    case OK:
        return element->is_read && added;
    case LOST:
        return acknowledged && !element->is_read;
    case UNEXPECTED:
        return element->is_read && !added;
    case RECOVERED:
        return element->is_read && added && !acknowledged;
    default:
        return element->is_read && added && !element->may_exist;
    }
}

static size_t collect(struct set *set, enum part part, esse_value **out)
{
    size_t count = 0;
    *out = esse_arena_alloc(set->run->arena, set->elements.count, sizeof **out);
    for (size_t i = 0; i < set->elements.count; i++)
        if (belongs(&set->elements.at[i], part))
            (*out)[count++] = set->ids.at[i];
    return count;
}

static void tell_element(struct set *set, enum part part, esse_value value)
{
    const struct element *element = &set->elements.at[esse_elements_find(&set->ids, value)];
    struct esse_finding *finding = esse_finding_add(
        set->run->found,
        esse_arena_format(set->run->arena,
                          part == LOST ? "element %s is lost" : "element %s was never added",
                          esse_classic_text(set->run, value)));
    if (part == LOST)
        esse_finding_witness(finding, element->acknowledged, "acknowledged it");
    esse_finding_witness(finding, set->read,
                         part == LOST ? "the last read does not show it" : "shows it");
}

static void tell(struct set *set)
{
    static const char *const names[] = { "ok", "lost", "unexpected", "recovered", "failed" };
    static const char *const counts[] = { "ok-count", "lost-count", "unexpected-count",
                                          "recovered-count", "failed-count" };
    enum { SHOWN = 3 };
    struct esse_findings *found = set->run->found;
    uint32_t attempts = 0, acknowledged = 0;
    size_t count[PARTS];
    esse_value *parts[PARTS];
    for (size_t i = 0; i < set->elements.count; i++) {
        attempts += set->elements.at[i].added != ESSE_NO_OP;
        acknowledged += set->elements.at[i].acknowledged != ESSE_NO_OP;
    }
    esse_fact_int(found->facts, "attempt-count", attempts);
    esse_fact_int(found->facts, "acknowledged-count", acknowledged);
    for (enum part part = OK; part < PARTS; part++) {
        count[part] = collect(set, part, &parts[part]);
        esse_fact_int(found->facts, counts[part], (int64_t)count[part]);
    }
    for (enum part part = OK; part < PARTS; part++)
        esse_fact_text(found->facts, names[part],
                       esse_classic_intervals(set->run->arena, set->run->log->values, parts[part],
                                              count[part]));
    for (enum part part = LOST; part <= UNEXPECTED; part++)
        for (size_t i = 0; i < count[part] && i < SHOWN; i++)
            tell_element(set, part, parts[part][i]);
    found->outcome = count[LOST] || count[UNEXPECTED] ? ESSE_VIOLATED : ESSE_HOLDS;
    found->summary = esse_arena_format(
        set->run->arena,
        "%u attempted, %u acknowledged, %zu read: %zu lost, %zu unexpected, %zu recovered",
        attempts, acknowledged, count[OK] + count[UNEXPECTED], count[LOST], count[UNEXPECTED],
        count[RECOVERED]);
}

static bool check_set(struct esse_classic_run *run, struct esse_error *err)
{
    struct set set = { .run = run };
    const esse_value *items;
    uint32_t count;
    if (!take_log(&set, err))
        return false;
    if (set.read == ESSE_NO_OP || esse_value_eq(run->log->value[set.read], ESSE_NIL)) {
        run->found->outcome = ESSE_UNKNOWN;
        run->found->reason = "the set was never read";
        return true;
    }
    esse_oplog_items(run->log, run->log->value[set.read], &items, &count);
    for (uint32_t i = 0; i < count; i++)
        element_of(&set, items[i])->is_read = true;
    tell(&set);
    return true;
}

const struct esse_classic esse_classic_set = {
    .name = "set",
    .summary = "adds, then a final read: what was acknowledged is there, and nothing else",
    .operations = ":add operations",
    .options = "independent ",
    .run = check_set,
    .verbs = 1u << ESSE_VERB_ADD,
    .reads_items = true,
};
