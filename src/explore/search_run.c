#include "explore/placing.h"
#include "explore/search_state.h"

#include <assert.h>
#include <string.h>

/* Making a search, running it, and what may be asked of it. */

static void set_axioms(struct esse_search *search)
{
    const struct esse_search_options *options = &search->options;
    for (uint32_t i = 0; i < search->program->txn_count; i++) {
        const enum esse_axiom axiom = options->axioms[i];
        search->base[i] = options->base_is_true       ? ESSE_AXIOM_NONE
                          : esse_axiom_is_base(axiom) ? axiom
                                                      : ESSE_AXIOM_CAUSAL;
        search->has_filter |= search->base[i] != axiom;
    }
    search->cuts = search->has_filter && !options->no_cuts &&
                   options->algorithm == ESSE_SEARCH_SWAPPING && !options->base_is_true;
}

static void set_sessions(struct esse_search *search)
{
    const struct esse_program *program = search->program;
    for (uint32_t i = 1; i < program->txn_count; i++)
        if (program->txns[i].session == program->txns[i - 1].session)
            search->session_before[i] = search->session_before[i - 1] | txn_bit(i - 1);
}

struct esse_search *esse_search_new(struct esse_arena *arena, const struct esse_program *program,
                                    const struct esse_search_options *options)
{
    struct esse_search *search = esse_arena_alloc(arena, 1, sizeof *search);
    *search = (struct esse_search){
        .arena = arena, .program = program, .options = *options, .running = NO_TXN
    };
    assert(program->txn_count <= ESSE_PROGRAM_TXNS_MOST);
    esse_trail_init(&search->trail, arena);
    search->writers = esse_arena_zeros(arena, program->variable_count, txn_set);
    search->state = esse_arena_zeros(arena, program->state_bytes, char);
    search->placing = esse_placing_new(arena, search);
    set_axioms(search);
    set_sessions(search);
    return search;
}

/* Back to the empty history. */
static void restart(struct esse_search *search)
{
    memset(search->writers, 0, search->program->variable_count * sizeof *search->writers);
    memset(search->before, 0, sizeof search->before);
    esse_trail_back(&search->trail, (struct esse_trail_mark){ 0, 0 });
    search->length = 0;
    search->present = search->committed = 0;
    search->running = NO_TXN;
    search->frames.count = 0;
    search->is_stopped = search->is_cut_open = false;
    search->path_length = search->on_path = 0;
    search->counts = (struct esse_search_counts){ .calls = 1 };
}

bool esse_search_run(struct esse_search *search)
{
    restart(search);
    esse_search_walk(search);
    return !search->is_stopped;
}

const struct esse_search_counts *esse_search_counts(const struct esse_search *search)
{
    return &search->counts;
}

struct esse_told esse_search_told(const struct esse_search *search)
{
    return (struct esse_told){ search->order, search->length, search->units };
}

bool esse_search_is_allowed(struct esse_search *search, const enum esse_axiom *axioms,
                            const struct esse_last_writer *last, uint32_t count)
{
    return esse_placing_all(search->placing, axioms, last, count);
}

txn_set esse_search_writers(const struct esse_search *search, uint32_t variable)
{
    return search->writers[variable];
}

txn_set esse_search_present(const struct esse_search *search)
{
    return search->present;
}

txn_set esse_search_before(const struct esse_search *search, uint32_t txn)
{
    return search->before[txn];
}

double esse_search_share(const struct esse_search *search)
{
    double share = 0, weight = 1;
    for (size_t i = 0; i < search->frames.count && weight > 1e-9; i++) {
        const struct search_frame *frame = &search->frames.at[i];
        const uint32_t choices = frame->choices > frame->child ? frame->choices : frame->child;
        if (!choices || frame->is_fixed)
            continue;
        weight /= choices;
        share += weight * (frame->child ? frame->child - 1 : 0);
    }
    return share;
}

/* ---- subtrees ---- */

bool esse_search_paths(struct esse_search *search, uint32_t depth, struct esse_paths *paths)
{
    restart(search);
    *paths = (struct esse_paths){ .depth = depth };
    search->named.count = search->named_lengths.count = 0;
    search->naming = paths;
    esse_search_walk(search);
    search->naming = NULL;
    paths->choices = search->named.at;
    paths->lengths = search->named_lengths.at;
    paths->count = (uint32_t)search->named_lengths.count;
    return !search->is_stopped;
}

bool esse_search_run_path(struct esse_search *search, const struct esse_paths *paths, uint32_t at)
{
    restart(search);
    search->counts.calls = 0;
    search->path = paths->choices + (size_t)at * paths->depth;
    search->path_length = paths->lengths[at];
    esse_search_walk(search);
    /* Down to the subtree, and to a leaf above the depth, the calls were counted already. */
    if (search->path_length < paths->depth)
        search->counts.calls = search->counts.swaps = search->counts.cut = 0;
    return !search->is_stopped;
}

/* ---- the invariants ---- */

static bool order_is_valid(const struct esse_search *search)
{
    txn_set seen = 0;
    for (uint32_t i = 0; i < search->length; i++) {
        const uint32_t txn = search->order[i];
        const struct esse_unit *unit = &search->units[txn];
        if (search->position[txn] != i || unit->past & ~seen)
            return false;
        if (unit->status == ESSE_UNIT_RUNNING && i + 1 < search->length)
            return false;
        seen |= txn_bit(txn);
    }
    return seen == search->present;
}

static bool reads_are_valid(const struct esse_search *search, uint32_t txn)
{
    const struct esse_unit *unit = &search->units[txn];
    txn_set past = search->session_before[txn];
    for (txn_set left = past; left;)
        past |= search->units[txn_take(&left)].past;
    for (uint32_t i = 0; i < unit->count; i++) {
        const struct esse_search_step *step = &unit->steps[i];
        if (step->kind != ESSE_STEP_READ)
            continue;
        if (step->past != past ||
            step->value != esse_search_value(search, step->source, step->variable))
            return false;
        const bool is_known = step->source == ESSE_NO_SOURCE || past >> step->source & 1;
        if (step->is_pinned == is_known)
            return false;
        if (step->source != ESSE_NO_SOURCE)
            past |= txn_bit(step->source) | search->units[step->source].past;
    }
    return past == unit->past && !(search->before[txn] >> txn & 1) &&
           !(past & ~search->before[txn]);
}

static bool writers_are_valid(const struct esse_search *search)
{
    for (uint32_t v = 0; v < search->program->variable_count; v++) {
        txn_set writers = 0;
        for (txn_set left = search->committed; left;) {
            const uint32_t txn = txn_take(&left);
            for (uint32_t i = 0; i < search->units[txn].count; i++)
                if (search->units[txn].steps[i].kind == ESSE_STEP_WRITE &&
                    search->units[txn].steps[i].variable == v)
                    writers |= txn_bit(txn);
        }
        if (writers != search->writers[v])
            return false;
    }
    return true;
}

bool esse_search_valid(const struct esse_search *search)
{
    if (!order_is_valid(search) || !writers_are_valid(search))
        return false;
    for (txn_set left = search->present; left;)
        if (!reads_are_valid(search, txn_take(&left)))
            return false;
    return true;
}
