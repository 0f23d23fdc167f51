#include "explore/sql_core.h"

#include "base/out.h"
#include "exec/row_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the seam: a walk down the tree of what a transaction does ---- */

struct sql_state {
    const struct sql_node *at; /* NULL: at the beginning */
    uint32_t txn;
};

static void begin(const struct esse_program *seam, uint32_t txn, void *state)
{
    (void)seam;
    *(struct sql_state *)state = (struct sql_state){ .txn = txn };
}

static const struct sql_node *first_of(const struct sql_round *round, uint32_t txn)
{
    struct sql_call *call = &round->calls[txn];
    const struct sql_node *node = atomic_load_explicit(&call->root, memory_order_acquire);
    if (node)
        return node;
    pthread_mutex_lock(&round->core->lock);
    node = atomic_load_explicit(&call->root, memory_order_relaxed);
    if (!node) {
        node = sql_run(round, txn, NULL, 0);
        atomic_store_explicit(&call->root, node, memory_order_release);
    }
    pthread_mutex_unlock(&round->core->lock);
    return node;
}

static const struct sql_node *find_branch(const struct sql_node *node, int64_t value)
{
    const struct sql_branch *branch =
        atomic_load_explicit(&((struct sql_node *)(uintptr_t)node)->branches, memory_order_acquire);
    while (branch && branch->value != value)
        branch = branch->next;
    return branch ? branch->first : NULL;
}

static const struct sql_node *after_read(const struct sql_round *round, uint32_t txn,
                                         const struct sql_node *read, int64_t value)
{
    const struct sql_node *first = find_branch(read, value);
    if (first)
        return first;
    pthread_mutex_lock(&round->core->lock);
    first = find_branch(read, value);
    if (!first) {
        struct sql_node *node = (struct sql_node *)(uintptr_t)read;
        struct sql_branch *branch = esse_arena_alloc(round->core->arena, 1, sizeof *branch);
        first = sql_run(round, txn, read, value);
        *branch =
            (struct sql_branch){ value, first,
                                 atomic_load_explicit(&node->branches, memory_order_relaxed) };
        atomic_store_explicit(&node->branches, branch, memory_order_release);
    }
    pthread_mutex_unlock(&round->core->lock);
    return first;
}

static void next(const struct esse_program *seam, void *at, int64_t read, struct esse_event *event)
{
    const struct sql_round *round = (const struct sql_round *)seam;
    struct sql_state *state = at;
    if (!state->at)
        state->at = first_of(round, state->txn);
    else if (state->at->event.kind == ESSE_EVENT_READ)
        state->at = after_read(round, state->txn, state->at, read);
    else
        state->at = state->at->next;
    *event = state->at->event;
}

static struct esse_txn_end end(const struct esse_program *seam, const void *state)
{
    (void)seam;
    return ((const struct sql_state *)state)->at->end;
}

static uint64_t broken(const struct esse_program *seam, const int64_t *finals,
                       const void *const *ends)
{
    (void)ends;
    const struct sql_round *round = (const struct sql_round *)seam;
    pthread_mutex_lock(&round->core->lock);
    const uint64_t found = sql_run_invariants(round, finals);
    pthread_mutex_unlock(&round->core->lock);
    return found;
}

static void put_value(const struct esse_program *seam, struct esse_out *out, uint32_t variable,
                      int64_t value)
{
    (void)seam;
    (void)variable;
    sql_put_word(out->arena, out, value);
}

static const char *fault_text(const struct esse_program *seam, uint32_t fault, uint32_t *line)
{
    const struct sql_fault *at = &((const struct sql_round *)seam)->core->faults.at[fault - 1];
    *line = at->line;
    return esse_arena_format(((const struct sql_round *)seam)->core->arena, "the error \"%s\"",
                             at->text);
}

static const struct esse_script_call *call_of(const struct esse_program *seam, uint32_t txn)
{
    return ((const struct sql_round *)seam)->calls[txn].call;
}

/* ---- rounds ---- */

static int by_table_and_key(const void *a, const void *b)
{
    const struct sql_key *x = *(struct sql_key *const *)a, *y = *(struct sql_key *const *)b;
    if (x->table != y->table)
        return x->table->number < y->table->number ? -1 : 1;
    return esse_bytes_compare(x->bytes, y->bytes);
}

static void set_variables(struct sql_round *round)
{
    struct sql_core *core = round->core;
    struct sql_key_vec known = { 0 };
    for (size_t i = 0; i < core->keys.count; i++)
        if (core->keys.at[i]->is_known || core->keys.at[i]->is_met)
            sql_key_vec_push(&known, core->arena, core->keys.at[i]);
    if (known.count)
        qsort(known.at, known.count, sizeof(struct sql_key *), by_table_and_key);
    round->keys = known.at;
    round->sets = core->how == ESSE_SQL_SETS ? (uint32_t)core->schema->tables.count : 0;
    const uint32_t count = round->sets + (uint32_t)known.count;
    const char **names = esse_arena_array(core->arena, count, const char *);
    int64_t *initial = esse_arena_zeros(core->arena, count, int64_t);
    uint32_t *finals = esse_arena_array(core->arena, count, uint32_t);
    for (uint32_t v = round->sets; v < count; v++) {
        struct sql_key *key = known.at[v - round->sets];
        key->variable = v;
        key->is_known = true;
        names[v] = key->name;
        initial[v] = key->initial;
        finals[v - round->sets] = v;
    }
    round->seam.variables = names;
    round->seam.initial = initial;
    round->seam.variable_count = count;
    round->seam.final_variables = finals;
    round->seam.final_count = (uint32_t)known.count;
}

static void set_initial_sets(struct sql_round *round)
{
    struct sql_core *core = round->core;
    const char **names = (const char **)(uintptr_t)round->seam.variables;
    int64_t *initial = (int64_t *)(uintptr_t)round->seam.initial;
    for (uint32_t set = 0; set < round->sets; set++) {
        const struct esse_table *table = core->schema->tables.at[set];
        struct sql_key_vec there = { 0 };
        for (uint32_t i = 0; i < round->seam.final_count; i++)
            if (round->keys[i]->table == table && round->keys[i]->initial)
                sql_key_vec_push(&there, core->arena, round->keys[i]);
        names[set] = esse_arena_format(core->arena, "keys of %s", table->name);
        initial[set] = sql_set_word(core, table, there.at, (uint32_t)there.count);
    }
}

static struct sql_round *new_round(struct sql_core *core, const struct esse_program *like)
{
    struct sql_round *round = esse_arena_alloc(core->arena, 1, sizeof *round);
    *round = (struct sql_round){ .seam = *like, .core = core };
    set_variables(round);
    set_initial_sets(round);
    const uint32_t count = round->seam.variable_count;
    round->seen_in = esse_arena_zeros(core->arena, count, uint64_t);
    round->seen = esse_arena_zeros(core->arena, count, int64_t);
    round->set_now = esse_arena_zeros(core->arena, round->sets, int64_t);
    round->has_set = esse_arena_zeros(core->arena, round->sets, bool);
    round->calls = esse_arena_zeros(core->arena, like->txn_count, struct sql_call);
    for (uint32_t s = 0, txn = 0; s < core->script->session_count; s++)
        for (uint32_t i = 0; i < core->script->sessions[s].count; i++)
            round->calls[txn++].call = &core->script->sessions[s].calls[i];
    core->finals.count = 0;
    core->final_index = (struct esse_index){ 0 };
    return round;
}

/* With the keys that were met; or, if what was met is to be forgotten, as it was. */
static const struct esse_program *again(const struct esse_program *seam, bool is_forgotten)
{
    struct sql_core *core = ((const struct sql_round *)seam)->core;
    for (size_t i = 0; i < core->keys.count; i++)
        core->keys.at[i]->is_met &= !is_forgotten;
    atomic_store(&core->is_stale, false);
    return &new_round(core, seam)->seam;
}

/* ---- making one ---- */

static bool hole(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                 struct esse_datum *value, struct esse_fault *fault)
{
    (void)context;
    (void)kind;
    (void)sequence;
    (void)value;
    return esse_fault_unsupported(fault, 0,
                                  "clocks, sequences and random numbers are not explored: an "
                                  "execution must depend on what it reads alone");
}

static bool refuse(struct esse_error *err, unsigned line, const struct esse_fault *fault)
{
    return esse_fail_at(err, line, 0, "%s%s%s", fault->state, *fault->state ? ": " : "",
                        fault->text);
}

static bool set_up(struct sql_core *core, struct esse_memory *memory, struct esse_error *err)
{
    struct esse_exec *exec =
        esse_exec_new(core->compiler, core->schema, esse_memory_store(memory), &core->outside);
    bool ok = true;
    for (uint32_t i = 0; ok && i < core->script->setup_count; i++) {
        const struct esse_script_statement *statement = &core->script->setup[i];
        struct esse_compiled compiled;
        struct esse_sql_result result;
        struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
        esse_exec_begin(exec);
        ok = (esse_compile(core->compiler, statement->text, strlen(statement->text), &compiled,
                           &fault) &&
              esse_exec_run(exec, &compiled, NULL, 0, &result, &fault) &&
              esse_exec_end(exec, &fault)) ||
             refuse(err, statement->line, &fault);
        if (ok)
            esse_memory_take(memory, esse_exec_overlay(exec));
    }
    esse_exec_free(exec);
    return ok;
}

static void take_rows(struct sql_core *core, struct esse_memory *memory)
{
    const struct esse_store *store = esse_memory_store(memory);
    for (size_t i = 0; i < core->schema->tables.count; i++) {
        const struct esse_table *table = core->schema->tables.at[i];
        struct esse_found_vec found = { 0 };
        if (table->is_dropped)
            continue;
        store->range(store->context, table, ESSE_BY_KEY, (struct esse_bytes){ 0 },
                     (struct esse_bytes){ 0 }, core->arena, &found);
        for (size_t k = 0; k < found.count; k++) {
            struct sql_key *key = sql_key_of(core, table, found.at[k].key);
            key->is_met = true;
            key->initial = sql_row_word(core, table, found.at[k].row);
        }
    }
}

static bool try_compiling(struct sql_core *core, const char *text, unsigned line, bool is_query,
                          struct esse_error *err)
{
    struct esse_compiled compiled;
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    if (!esse_compile(core->compiler, text, strlen(text), &compiled, &fault))
        return refuse(err, line, &fault);
    const enum esse_statement_kind kind = compiled.statement->kind;
    if (is_query)
        return kind == ESSE_STATEMENT_QUERY ||
               esse_fail_at(err, line, 0, "expected a query that returns true");
    return kind <= ESSE_STATEMENT_DELETE || kind == ESSE_STATEMENT_CALL ||
           esse_fail_at(err, line, 0, "expected SELECT, INSERT, UPDATE, DELETE or CALL");
}

static bool try_statements(struct sql_core *core, struct esse_error *err)
{
    const struct esse_script *script = core->script;
    for (uint32_t s = 0; s < script->session_count; s++)
        for (uint32_t i = 0; i < script->sessions[s].count; i++)
            for (uint32_t k = 0; k < script->sessions[s].calls[i].count; k++) {
                const struct esse_script_statement *statement =
                    &script->sessions[s].calls[i].statements[k];
                if (!try_compiling(core, statement->text, statement->line, false, err))
                    return false;
            }
    for (uint32_t i = 0; i < script->invariant_count; i++)
        if (!try_compiling(core, script->invariants[i].text, script->invariants[i].line, true, err))
            return false;
    return true;
}

/* "leave", and "leave2" when a session calls it again. */
static const char *name_of_call(struct sql_core *core, const struct esse_script_session *session,
                                uint32_t at)
{
    uint32_t number = 1;
    for (uint32_t i = 0; i < at; i++)
        number += strcmp(session->calls[i].name, session->calls[at].name) == 0;
    return number == 1 ? session->calls[at].name
                       : esse_arena_format(core->arena, "%s%u", session->calls[at].name, number);
}

static bool set_transactions(struct sql_core *core, struct esse_program *seam,
                             struct esse_error *err)
{
    const struct esse_script *script = core->script;
    const char **names = esse_arena_array(core->arena, script->session_count, const char *);
    struct esse_program_txn *txns =
        esse_arena_array(core->arena, ESSE_PROGRAM_TXNS_MOST, struct esse_program_txn);
    for (uint32_t s = 0; s < script->session_count; s++) {
        names[s] = script->sessions[s].name;
        for (uint32_t i = 0; i < script->sessions[s].count; i++) {
            const unsigned line = script->sessions[s].calls[i].line;
            if (seam->txn_count == ESSE_PROGRAM_TXNS_MOST)
                return esse_fail_at(err, line, 0, "expected no more than %d transactions",
                                    ESSE_PROGRAM_TXNS_MOST);
            txns[seam->txn_count++] = (struct esse_program_txn){
                .name = name_of_call(core, &script->sessions[s], i), .session = s, .line = line
            };
        }
    }
    seam->sessions = names;
    seam->session_count = script->session_count;
    seam->txns = txns;
    return true;
}

static bool set_claims(struct sql_core *core, struct esse_program *seam, struct esse_error *err)
{
    const struct esse_script *script = core->script;
    if (script->invariant_count > ESSE_CLAIMS_MOST)
        return esse_fail_at(err, script->invariants[ESSE_CLAIMS_MOST].line, 0,
                            "expected no more than %d invariants", ESSE_CLAIMS_MOST);
    struct esse_claim *claims =
        esse_arena_array(core->arena, script->invariant_count, struct esse_claim);
    for (uint32_t i = 0; i < script->invariant_count; i++)
        claims[i] = (struct esse_claim){ .name = script->invariants[i].name,
                                         .text = script->invariants[i].text,
                                         .line = script->invariants[i].line,
                                         .is_invariant = true };
    seam->claims = claims;
    seam->claim_count = script->invariant_count;
    seam->has_invariants = script->invariant_count > 0;
    return true;
}

static struct sql_core *new_core(const struct esse_script *script, enum esse_sql_tables tables)
{
    struct esse_arena *arena = esse_arena_new();
    struct sql_core *core = esse_arena_zeros(arena, 1, struct sql_core);
    core->arena = arena;
    core->script = script;
    core->how = tables;
    pthread_mutex_init(&core->lock, NULL);
    core->schema = esse_schema_new(arena, ESSE_DIALECT_POSTGRESQL);
    core->compiler = esse_compiler_new(core->schema);
    core->outside = (struct esse_outside){ core, hole };
    sql_store_init(core);
    core->exec = esse_exec_new(core->compiler, core->schema, &core->store, &core->outside);
    core->call = esse_call_new(core->exec);
    return core;
}

static void free_core(struct sql_core *core)
{
    esse_call_free(core->call);
    esse_exec_free(core->exec);
    esse_compiler_free(core->compiler);
    pthread_mutex_destroy(&core->lock);
    esse_arena_free(core->arena);
}

bool esse_sql_program_new(const struct esse_script *script, enum esse_sql_tables tables,
                          const struct esse_program **out, struct esse_error *err)
{
    struct sql_core *core = new_core(script, tables);
    struct esse_memory *memory = esse_memory_new(core->arena);
    struct esse_program seam = { .name = "",
                                 .state_bytes = sizeof(struct sql_state),
                                 .is_stale = &core->is_stale,
                                 .again = again,
                                 .script = script,
                                 .call = call_of,
                                 .begin = begin,
                                 .next = next,
                                 .end = end,
                                 .broken = broken,
                                 .put_value = put_value,
                                 .fault_text = fault_text };
    if (!set_up(core, memory, err) || !set_transactions(core, &seam, err) ||
        !set_claims(core, &seam, err) || !try_statements(core, err)) {
        free_core(core);
        return false;
    }
    take_rows(core, memory);
    *out = &new_round(core, &seam)->seam;
    return true;
}

void esse_sql_program_free(const struct esse_program *program)
{
    if (program && program->again == again)
        free_core(((const struct sql_round *)program)->core);
}
