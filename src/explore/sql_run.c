#include "explore/sql_core.h"

#include "base/hash.h"

#include <string.h>

/* A transaction run again, and what it does behind the reads that it has made already. */

struct running {
    struct sql_core *core;
    const struct sql_round *round;
    struct sql_reading reading;
    struct sql_node *first, **last; /* the chain */
    const struct sql_node *read;    /* the last read, and what it returned */
    int64_t value;
    uint32_t number; /* of the statement */
};

static struct sql_node *add_node(struct running *r, enum esse_event_kind kind, uint32_t variable,
                                 int64_t value)
{
    struct sql_node *node = esse_arena_alloc(r->core->arena, 1, sizeof *node);
    const uint8_t number = (uint8_t)(r->number < UINT8_MAX ? r->number : UINT8_MAX);
    *node = (struct sql_node){ .event = { kind, variable, value, number },
                               .read = r->read,
                               .value = r->value };
    *r->last = node;
    r->last = (struct sql_node **)(uintptr_t)&node->next;
    return node;
}

/* The transaction does not get there: the next read is to be made, or there is no variable for a
 * key, and then it does not matter how this one ends. */
static bool is_held_up(struct running *r)
{
    if (r->reading.is_grown) {
        atomic_store(&r->core->is_stale, true);
        add_node(r, ESSE_EVENT_ABORT, 0, 0);
    } else if (r->reading.is_missing) {
        add_node(r, ESSE_EVENT_READ, r->reading.missing, 0);
    }
    return r->reading.is_grown || r->reading.is_missing;
}

/* ---- what a statement wrote ---- */

/* The set of keys of a table, with this one or without. */
static int64_t changed_set(struct running *r, int64_t set, struct sql_key *key, bool is_there)
{
    const struct sql_value *old = sql_word_value(set);
    const uint32_t had = old ? old->count : 0;
    struct sql_key **keys = esse_arena_array(r->core->arena, had + 1, struct sql_key *);
    uint32_t count = 0;
    bool is_in = !is_there;
    for (uint32_t i = 0; i < had; i++) {
        if (!is_in && old->keys[i]->variable > key->variable) {
            keys[count++] = key;
            is_in = true;
        }
        if (old->keys[i] != key)
            keys[count++] = old->keys[i];
    }
    if (!is_in)
        keys[count++] = key;
    return sql_set_word(r->core, key->table, keys, count);
}

static void write_set(struct running *r, struct sql_key *key, bool is_there, bool is_new)
{
    const uint32_t set = key->table->number;
    if (!r->round->has_set[set]) {
        r->round->set_now[set] = sql_read(&r->reading, set);
        if (r->reading.is_missing)
            return;
    }
    if (sql_set_has(r->round->set_now[set], key) == is_there)
        return;
    r->round->set_now[set] = changed_set(r, r->round->set_now[set], key, is_there);
    if (is_new)
        add_node(r, ESSE_EVENT_WRITE, set, r->round->set_now[set]);
}

/* Each key that the statement wrote, as it left it. */
static void add_writes(struct running *r, uint32_t from)
{
    const struct esse_overlay *overlay = esse_exec_overlay(r->core->exec);
    for (size_t i = from; i < overlay->entries.count; i++) {
        const uint32_t number = overlay->entries.at[i].write;
        const struct esse_write *write = &overlay->writes.at[number];
        if (write->last != i) /* it was written again */
            continue;
        struct sql_key *key = sql_key_of(r->core, write->table, write->key);
        const struct esse_datum *row = overlay->entries.at[i].row;
        if (!key->is_known) {
            key->is_met = r->reading.is_grown = true;
            return;
        }
        /* Known reads that are still to come: these events are in the tree already. */
        const bool is_new = r->reading.at == r->reading.count;
        if (r->round->sets)
            write_set(r, key, row != NULL, is_new);
        if (r->reading.is_missing)
            return;
        if (is_new)
            add_node(r, ESSE_EVENT_WRITE, key->variable, sql_row_word(r->core, write->table, row));
    }
}

/* ---- running ---- */

/* What refuses a row is how a database says no, and RAISE how a procedure does; any other error is
 * a claim that is broken. */
static void abort_by(struct running *r, const struct esse_fault *fault, unsigned line)
{
    struct sql_node *node = add_node(r, ESSE_EVENT_ABORT, 0, 0);
    if (fault->kind == ESSE_FAULT_LIMIT) {
        node->end.broken = UINT64_C(1) << ESSE_CLAIM_BOUNDS;
    } else if (strncmp(fault->state, "23", 2) != 0 && strcmp(fault->state, "P0001") != 0) {
        const struct sql_fault kept = { esse_arena_format(r->core->arena, "%s", fault->text),
                                        line };
        sql_fault_vec_push(&r->core->faults, r->core->arena, kept);
        node->end.fault = (uint32_t)r->core->faults.count;
        node->end.broken = UINT64_C(1) << ESSE_CLAIM_FAULTS;
    }
}

/* The steps of a procedure, each of which sees one moment.  One that met a new key goes on for a
 * while, as if it were absent: then more of them are met at once. */
static bool run_steps(struct running *r, const struct esse_compiled *compiled,
                      struct esse_fault *fault)
{
    enum { STEPS_AFTER = 1000 };
    uint32_t left = STEPS_AFTER;
    struct esse_call *call = r->core->call;
    enum esse_call_state state = ESSE_CALL_STEP;
    if (!esse_call_start(call, compiled, NULL, 0, fault))
        return false;
    while (state == ESSE_CALL_STEP && !r->reading.is_missing && left) {
        left -= r->reading.is_grown;
        r->reading.statement = ++r->core->statements;
        state = esse_call_go(call, fault);
    }
    return state == ESSE_CALL_DONE;
}

static bool run_compiled(struct running *r, const struct esse_compiled *compiled,
                         struct esse_fault *fault)
{
    struct esse_sql_result result;
    r->reading.statement = ++r->core->statements;
    return compiled->statement->kind == ESSE_STATEMENT_CALL
               ? run_steps(r, compiled, fault)
               : esse_exec_run(r->core->exec, compiled, NULL, 0, &result, fault);
}

static bool run_statement(struct running *r, const struct esse_script_statement *statement)
{
    struct sql_core *core = r->core;
    const uint32_t mark = esse_overlay_mark(esse_exec_overlay(core->exec));
    struct esse_compiled compiled;
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    const bool ok =
        esse_compile(core->compiler, statement->text, strlen(statement->text), &compiled, &fault) &&
        run_compiled(r, &compiled, &fault);
    if (is_held_up(r))
        return false;
    if (!ok) {
        abort_by(r, &fault, statement->line);
        return false;
    }
    add_writes(r, mark);
    return !is_held_up(r);
}

static void run_call(struct running *r, const struct esse_script_call *call)
{
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    for (; r->number < call->count; r->number++)
        if (!run_statement(r, &call->statements[r->number]))
            return;
    r->reading.statement = ++r->core->statements;
    const bool ok = esse_exec_end(r->core->exec, &fault);
    if (is_held_up(r))
        return;
    if (ok)
        add_node(r, ESSE_EVENT_COMMIT, 0, 0);
    else
        abort_by(r, &fault, call->line);
}

/* The values that were read up to here, in order. */
static void set_values(struct running *r, struct esse_arena *arena)
{
    uint32_t count = 0;
    for (const struct sql_node *at = r->read; at; at = at->read)
        count++;
    int64_t *values = esse_arena_array(arena, count, int64_t);
    int64_t value = r->value;
    uint32_t left = count;
    for (const struct sql_node *at = r->read; at; value = at->value, at = at->read)
        values[--left] = value;
    r->reading.values = values;
    r->reading.count = count;
}

const struct sql_node *sql_run(const struct sql_round *round, uint32_t txn,
                               const struct sql_node *read, int64_t value)
{
    enum { NUMBERS_EACH = 1 << 20 };
    struct sql_core *core = round->core;
    struct esse_arena *arena = esse_arena_new();
    struct running r = { .core = core,
                         .round = round,
                         .reading = { .round = round,
                                      .numbers = (txn + UINT64_C(1)) * NUMBERS_EACH },
                         .last = &r.first,
                         .read = read,
                         .value = value };
    set_values(&r, arena);
    memset(round->has_set, 0, round->sets * sizeof *round->has_set);
    core->reading = &r.reading;
    esse_exec_begin(core->exec);
    run_call(&r, round->calls[txn].call);
    esse_arena_free(arena);
    return r.first;
}

/* ---- invariants ---- */

static bool is_true(const struct sql_core *core, const struct esse_script_invariant *invariant)
{
    struct esse_compiled compiled;
    struct esse_sql_result result;
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    return esse_compile(core->compiler, invariant->text, strlen(invariant->text), &compiled,
                        &fault) &&
           esse_exec_run(core->exec, &compiled, NULL, 0, &result, &fault) && result.has_rows &&
           result.count == 1 && result.width == 1 && esse_datum_is_true(result.rows[0]);
}

static uint64_t ask(const struct sql_round *round, const int64_t *finals)
{
    struct sql_core *core = round->core;
    struct sql_reading reading = { .round = round, .finals = finals };
    uint64_t broken = 0;
    core->reading = &reading;
    esse_exec_begin(core->exec);
    for (uint32_t i = 0; i < core->script->invariant_count; i++)
        if (!is_true(core, &core->script->invariants[i]))
            broken |= UINT64_C(1) << i;
    return broken;
}

/* States come again and again: each is asked about once. */
uint64_t sql_run_invariants(const struct sql_round *round, const int64_t *finals)
{
    struct sql_core *core = round->core;
    const size_t bytes = round->seam.variable_count * sizeof *finals;
    const uint32_t hash = esse_hash_bytes(finals, bytes);
    struct esse_probe probe = esse_index_probe(&core->final_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (memcmp(core->finals.at[id].finals, finals, bytes) == 0)
            return core->finals.at[id].broken;
    int64_t *kept = esse_arena_array(core->arena, round->seam.variable_count, int64_t);
    memcpy(kept, finals, bytes);
    const struct sql_final final = { kept, ask(round, finals) };
    esse_index_add(&core->final_index, core->arena, hash, (uint32_t)core->finals.count);
    sql_final_vec_push(&core->finals, core->arena, final);
    return final.broken;
}
