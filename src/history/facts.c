#include "history/facts.h"

#include <assert.h>

static struct esse_fact *node(struct esse_fact *in, enum esse_fact_kind kind, const char *name)
{
    assert(in->kind <= ESSE_FACT_ARRAY);
    assert((in->kind == ESSE_FACT_OBJECT) == (name != NULL));
    struct esse_fact *fact = esse_arena_alloc(in->is.in.arena, 1, sizeof *fact);
    fact->kind = kind;
    fact->name = name;
    *in->is.in.end = fact;
    in->is.in.end = &fact->next;
    return fact;
}

static struct esse_fact *opened(struct esse_fact *fact, struct esse_arena *arena)
{
    fact->is.in.arena = arena;
    fact->is.in.end = &fact->is.in.first;
    return fact;
}

static struct esse_fact *new_root(struct esse_arena *arena)
{
    return opened(esse_arena_alloc(arena, 1, sizeof(struct esse_fact)), arena);
}

struct esse_fact *esse_fact_object(struct esse_fact *in, const char *name)
{
    return opened(node(in, ESSE_FACT_OBJECT, name), in->is.in.arena);
}

struct esse_fact *esse_fact_array(struct esse_fact *in, const char *name)
{
    return opened(node(in, ESSE_FACT_ARRAY, name), in->is.in.arena);
}

void esse_fact_int(struct esse_fact *in, const char *name, int64_t number)
{
    node(in, ESSE_FACT_INT, name)->is.number = number;
}

void esse_fact_text(struct esse_fact *in, const char *name, const char *text)
{
    node(in, ESSE_FACT_TEXT, name)->is.text = text;
}

void esse_fact_value(struct esse_fact *in, const char *name, esse_value value)
{
    node(in, ESSE_FACT_VALUE, name)->is.value = value;
}

void esse_fact_op(struct esse_fact *in, const char *name, uint32_t op)
{
    node(in, ESSE_FACT_OP, name)->is.op = op;
}

void esse_fact_op_brief(struct esse_fact *in, const char *name, uint32_t op)
{
    node(in, ESSE_FACT_OP_BRIEF, name)->is.op = op;
}

void esse_fact_values(struct esse_fact *in, const char *name, const esse_value *at, size_t count)
{
    struct esse_fact *fact = node(in, ESSE_FACT_VALUES, name);
    fact->is.values.at = at;
    fact->is.values.count = count;
}

void esse_fact_ints(struct esse_fact *in, const char *name, const int64_t *at, size_t rows,
                    unsigned width)
{
    struct esse_fact *fact = node(in, ESSE_FACT_INTS, name);
    fact->is.ints.at = at;
    fact->is.ints.rows = rows;
    fact->is.ints.width = width;
}

void esse_findings_init(struct esse_findings *findings, struct esse_arena *arena,
                        const struct esse_oplog *log)
{
    *findings = (struct esse_findings){ .log = log, .key = ESSE_NONE };
    findings->facts = new_root(arena);
    findings->end = &findings->first;
}

struct esse_finding *esse_finding_add(struct esse_findings *findings, const char *text)
{
    struct esse_finding *finding =
        esse_arena_alloc(findings->facts->is.in.arena, 1, sizeof *finding);
    finding->text = text;
    *findings->end = finding;
    findings->end = &finding->next;
    return finding;
}

void esse_finding_witness(struct esse_finding *finding, uint32_t op, const char *why)
{
    assert(finding->witness_count < ESSE_WITNESSES);
    finding->witnesses[finding->witness_count++] = (struct esse_witness){ op, why };
}
