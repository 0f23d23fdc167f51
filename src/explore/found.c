#include "explore/found.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

void esse_found_init(struct found *found, struct esse_arena *arena,
                     const struct esse_program *program, const struct esse_explore_options *options)
{
    *found = (struct found){ .arena = arena, .program = program, .options = options };
    for (uint32_t i = 0; i < program->txn_count; i++) {
        const struct esse_program_txn *txn = &program->txns[i];
        found->axioms[i] = txn->has_level ? esse_axiom_of(txn->level) : options->axiom;
        found->but_not[i] = options->but_not;
    }
    found->finals = esse_arena_zeros(arena, program->variable_count, int64_t);
    found->last = esse_arena_zeros(arena, program->final_count, struct esse_last_writer);
    esse_out_init_memory(&found->text, arena);
    found->kept = esse_arena_zeros(arena, options->keep + 1, struct found_kept);
}

/* ---- the shortest ---- */

static bool is_shorter(uint32_t txns, uint32_t steps, uint32_t than_txns, uint32_t than_steps)
{
    return txns != than_txns ? txns < than_txns : steps < than_steps;
}

static void keep_finals(struct found *found, struct esse_execution *execution)
{
    const uint32_t count = found->program->variable_count;
    int64_t *finals = esse_arena_array(found->arena, count, int64_t);
    memcpy(finals, found->finals, count * sizeof *finals);
    execution->finals = finals;
}

static void add_claim(struct found *found, const struct esse_told *told, uint32_t claim,
                      txn_set shown, bool is_counted)
{
    struct found_claim *at = &found->claims[claim];
    uint32_t txns, steps;
    at->count += is_counted;
    esse_execution_size(told, shown, &txns, &steps);
    if (at->shortest && !is_shorter(txns, steps, at->txns, at->steps))
        return;
    at->shortest = esse_execution_keep(found->arena, found->program, told, shown);
    if (claim < found->program->claim_count && found->program->claims[claim].is_invariant)
        keep_finals(found, at->shortest);
    at->txns = txns;
    at->steps = steps;
    at->path = found->path;
}

/* Claims that a transaction found broken: it and its causal past show it. */
static void look_at_assertions(struct found *found, const struct esse_told *told)
{
    uint64_t counted = 0;
    for (uint32_t i = 0; i < told->length; i++) {
        const uint32_t txn = told->order[i];
        for (uint64_t left = told->units[txn].broken; left; left &= left - 1) {
            const uint32_t claim = (uint32_t)__builtin_ctzll(left);
            add_claim(found, told, claim, told->units[txn].past | UINT64_C(1) << txn,
                      !(counted >> claim & 1));
        }
        counted |= told->units[txn].broken;
    }
}

/* ---- final states ---- */

/* The writers of a variable that no other writer of it must follow. */
static txn_set last_writers(const struct esse_search *search, uint32_t variable)
{
    const txn_set writers = esse_search_writers(search, variable);
    txn_set last = writers;
    for (txn_set left = writers; left; left &= left - 1)
        last &= ~esse_search_before(search, (uint32_t)__builtin_ctzll(left));
    return last;
}

static int64_t value_of(const struct esse_told *told, const struct esse_program *program,
                        uint32_t variable, txn_set writers)
{
    if (!writers)
        return program->initial[variable];
    const struct esse_unit *unit = &told->units[__builtin_ctzll(writers)];
    uint32_t i = unit->count;
    do
        assert(i > 0);
    while (unit->steps[--i].kind != ESSE_STEP_WRITE || unit->steps[i].variable != variable);
    return unit->steps[i].value;
}

/* Every choice of last writers from variable 'at' on; those that break something new and that some
 * commit order allows are counted. */
static void try_finals(struct found *found, struct esse_search *search,
                       const struct esse_told *told, uint32_t at, uint32_t choices,
                       uint64_t *counted)
{
    const struct esse_program *program = found->program;
    if (!esse_search_goes_on(search))
        return;
    if (at == program->final_count) {
        uint64_t broken = program->broken(program, found->finals, found->ends) & ~*counted;
        if (!broken ||
            (choices && !esse_search_is_allowed(search, found->axioms, found->last, choices)))
            return;
        for (*counted |= broken; broken; broken &= broken - 1)
            add_claim(found, told, (uint32_t)__builtin_ctzll(broken), esse_search_present(search),
                      true);
        return;
    }
    const uint32_t variable = program->final_variables[at];
    txn_set last = last_writers(search, variable);
    const bool is_choice = (last & (last - 1)) != 0;
    do {
        found->finals[variable] = value_of(told, program, variable, last);
        if (is_choice)
            found->last[choices] =
                (struct esse_last_writer){ variable, (uint32_t)__builtin_ctzll(last) };
        try_finals(found, search, told, at + 1, choices + is_choice, counted);
        last &= last - 1;
    } while (last);
}

static void look_at_invariants(struct found *found, struct esse_search *search,
                               const struct esse_told *told)
{
    uint64_t counted = 0;
    for (uint32_t i = 0; i < told->length; i++)
        found->ends[told->order[i]] = told->units[told->order[i]].end;
    try_finals(found, search, told, 0, 0, &counted);
}

/* ---- keeping histories ---- */

static bool comes_before(const struct found_kept *a, const struct found_kept *b)
{
    const struct esse_execution *x = a->execution, *y = b->execution;
    if (x->txns != y->txns || x->steps != y->steps)
        return is_shorter(x->txns, x->steps, y->txns, y->steps);
    return a->path < b->path;
}

/* In its place among the kept, of which the last drops out if there are too many. */
static void insert(struct found *found, struct found_kept one)
{
    uint32_t at = found->kept_count;
    while (at > 0 && comes_before(&one, &found->kept[at - 1]))
        at--;
    if (at == found->options->keep)
        return;
    memmove(found->kept + at + 1, found->kept + at, (found->kept_count - at) * sizeof *found->kept);
    found->kept[at] = one;
    if (found->kept_count < found->options->keep)
        found->kept_count++;
}

static void keep_history(struct found *found, struct esse_search *search,
                         const struct esse_told *told)
{
    const txn_set all = esse_search_present(search);
    struct found_kept *last = &found->kept[found->options->keep - 1];
    uint32_t txns, steps;
    esse_execution_size(told, all, &txns, &steps);
    if (found->kept_count == found->options->keep &&
        !is_shorter(txns, steps, last->execution->txns, last->execution->steps))
        return;
    struct found_kept one = { esse_execution_keep(found->arena, found->program, told, all),
                              found->path };
    insert(found, one);
}

static bool show_each(struct found *found, struct esse_search *search, const struct esse_told *told)
{
    struct esse_arena *arena = esse_arena_new();
    const bool goes_on = found->options->each(
        found->options->context,
        esse_execution_keep(arena, found->program, told, esse_search_present(search)));
    esse_arena_free(arena);
    return goes_on;
}

/* ---- the search without reduction meets histories again ---- */

static bool is_met(struct found *found, const struct esse_told *told)
{
    struct esse_out *out = &found->text;
    out->count = 0;
    for (uint32_t txn = 0; txn < found->program->txn_count; txn++)
        for (uint32_t k = 0; k < told->units[txn].count; k++) {
            const struct esse_search_step *step = &told->units[txn].steps[k];
            const char mark[] = { (char)('a' + step->kind), (char)step->source, (char)txn };
            esse_out_bytes(out, mark, sizeof mark);
            esse_out_i64(out, step->value);
        }
    const uint32_t length = (uint32_t)out->count;
    const char *text = esse_out_memory(out);
    const uint32_t hash = esse_hash_bytes(text, length);
    struct esse_probe probe = esse_index_probe(&found->met_index, hash);
    bool met = false;
    for (uint32_t id; !met && esse_probe_next(&probe, &id);) {
        uint32_t met_length;
        memcpy(&met_length, found->met[id], sizeof met_length);
        met = met_length == length && memcmp(found->met[id] + sizeof length, text, length) == 0;
    }
    if (!met) {
        if (found->met_count == found->met_room) {
            found->met_room = found->met_room ? 2 * found->met_room : 64;
            found->met =
                esse_arena_grow(found->arena, found->met, found->met_room * sizeof *found->met);
        }
        char *kept = esse_arena_alloc(found->arena, length + sizeof length, 1);
        memcpy(kept, &length, sizeof length);
        memcpy(kept + sizeof length, text, length);
        esse_index_add(&found->met_index, found->arena, hash, found->met_count);
        found->met[found->met_count++] = kept;
    }
    return met;
}

bool esse_found_told(void *context, struct esse_search *search)
{
    struct found *found = context;
    const struct esse_explore_options *options = found->options;
    const struct esse_told told = esse_search_told(search);
    if (options->algorithm == ESSE_SEARCH_DFS && is_met(found, &told))
        return true;
    if (options->but_not != ESSE_AXIOM_NONE &&
        esse_search_is_allowed(search, found->but_not, NULL, 0))
        return true;
    if (!esse_search_goes_on(search)) /* then it is not known to be refused */
        return false;
    found->kept_of++;
    look_at_assertions(found, &told);
    if (found->program->has_invariants)
        look_at_invariants(found, search, &told);
    if (options->keep)
        keep_history(found, search, &told);
    if (options->each && !show_each(found, search, &told))
        return false;
    found->is_full = options->max_histories && found->kept_of >= options->max_histories;
    return !found->is_full;
}

void esse_found_join(struct found *found, const struct found *other)
{
    for (uint32_t i = 0; i < 64; i++) {
        const struct found_claim *from = &other->claims[i];
        struct found_claim *to = &found->claims[i];
        const uint64_t count = to->count + from->count;
        const bool is_better =
            from->shortest &&
            (!to->shortest || is_shorter(from->txns, from->steps, to->txns, to->steps) ||
             (from->txns == to->txns && from->steps == to->steps && from->path < to->path));
        if (is_better)
            *to = *from;
        to->count = count;
    }
    found->kept_of += other->kept_of;
    for (uint32_t i = 0; i < other->kept_count; i++)
        insert(found, other->kept[i]);
}
