#include "explore/explore.h"

#include "base/clock.h"
#include "base/threads.h"
#include "explore/found.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* One search, or several over disjoint subtrees, and what they found put together. */

/* ---- progress ---- */

/* How far the search in the calling thread has come, in place of what it would say itself. */
struct showing {
    void (*show)(void *context, const char *phase, uint64_t done, uint64_t total);
    void *context;
    const struct esse_search *search;
    const atomic_uint *paths_done; /* or NULL */
    uint32_t paths;
};

static void show_share(void *context, const char *phase, uint64_t done, uint64_t total)
{
    const struct showing *showing = context;
    const double share = showing->paths_done
                             ? (double)atomic_load(showing->paths_done) / showing->paths
                             : esse_search_share(showing->search);
    if (share > 0 && !showing->paths_done)
        total = (uint64_t)((double)done / share);
    else if (showing->paths_done) {
        done = atomic_load(showing->paths_done);
        total = showing->paths;
    }
    showing->show(showing->context, phase, done, total);
}

static void begin_showing(struct showing *showing, struct esse_budget *budget)
{
    if (!budget)
        return;
    showing->show = budget->progress;
    showing->context = budget->progress_context;
    esse_budget_phase(budget, "exploring", 0);
    if (showing->show) {
        budget->progress = show_share;
        budget->progress_context = showing;
    }
}

static void end_showing(const struct showing *showing, struct esse_budget *budget)
{
    if (!budget)
        return;
    budget->progress = showing->show;
    budget->progress_context = showing->context;
}

/* ---- one search ---- */

static struct esse_search_options search_options(const struct esse_explore_options *options,
                                                 struct found *found)
{
    struct esse_search_options of = { .algorithm = options->algorithm,
                                      .base_is_true = options->base_is_true,
                                      .no_cuts = options->no_cuts,
                                      .told = esse_found_told,
                                      .context = found };
    memcpy(of.axioms, found->axioms, sizeof of.axioms);
    return of;
}

static bool run_alone(struct esse_arena *arena, const struct esse_program *program,
                      const struct esse_explore_options *options, struct found *found,
                      struct esse_search_counts *counts)
{
    struct esse_search_options of = search_options(options, found);
    of.budget = options->budget;
    struct esse_search *search = esse_search_new(arena, program, &of);
    struct showing showing = { .search = search };
    begin_showing(&showing, options->budget);
    const bool is_whole = esse_search_run(search);
    end_showing(&showing, options->budget);
    *counts = *esse_search_counts(search);
    return is_whole;
}

/* ---- several ---- */

struct part {
    struct esse_arena *arena;
    struct found found;
    struct esse_search *search;
    struct esse_search_counts counts;
};

struct sharing {
    struct part *parts; /* by worker */
    struct esse_paths paths;
    atomic_bool stop;
    atomic_uint done;
};

static void add_counts(struct esse_search_counts *to, const struct esse_search_counts *from)
{
    to->histories += from->histories;
    to->end_states += from->end_states;
    to->filtered += from->filtered;
    to->cut += from->cut;
    to->blocked += from->blocked;
    to->calls += from->calls;
    to->swaps += from->swaps;
}

static bool run_paths(void *context, const struct esse_piece *piece)
{
    struct sharing *sharing = context;
    struct part *part = &sharing->parts[piece->worker];
    for (uint32_t i = piece->begin; i < piece->end; i++) {
        part->found.path = i;
        const bool ok = esse_search_run_path(part->search, &sharing->paths, i);
        add_counts(&part->counts, esse_search_counts(part->search));
        if (!ok) {
            atomic_store(&sharing->stop, true);
            return false;
        }
        atomic_fetch_add(&sharing->done, 1);
    }
    return true;
}

/* Names enough subtrees for the threads to share. */
static bool name_subtrees(struct esse_search *search, unsigned threads, struct esse_paths *paths)
{
    enum { DEPTH_MOST = 24, FOR_EACH = 64 };
    uint32_t before = 0;
    for (uint32_t depth = 2; depth <= DEPTH_MOST; depth += 2) {
        if (!esse_search_paths(search, depth, paths))
            return false;
        if (paths->count >= FOR_EACH * threads || paths->count == before)
            return true;
        before = paths->count;
    }
    return true;
}

static void set_parts(struct sharing *sharing, const struct esse_program *program,
                      const struct esse_explore_options *options)
{
    for (unsigned i = 0; i < options->threads; i++) {
        struct part *part = &sharing->parts[i];
        part->arena = esse_arena_new();
        esse_found_init(&part->found, part->arena, program, options);
        struct esse_search_options of = search_options(options, &part->found);
        of.stop = &sharing->stop;
        of.budget = i == 0 ? options->budget : NULL; /* the calling thread alone polls it */
        part->search = esse_search_new(part->arena, program, &of);
    }
}

static bool run_together(struct esse_arena *arena, const struct esse_program *program,
                         const struct esse_explore_options *options, struct found *found,
                         struct esse_search_counts *counts)
{
    struct sharing *sharing = esse_arena_alloc(arena, 1, sizeof *sharing);
    struct esse_search_options of = search_options(options, found);
    of.budget = options->budget;
    struct esse_search *naming = esse_search_new(arena, program, &of);
    if (!name_subtrees(naming, options->threads, &sharing->paths))
        return false;
    *counts = *esse_search_counts(naming);
    sharing->parts = esse_arena_zeros(arena, options->threads, struct part);
    set_parts(sharing, program, options);
    struct showing showing = { .paths_done = &sharing->done, .paths = sharing->paths.count };
    const struct esse_loop loop = { .count = sharing->paths.count,
                                    .piece = 1,
                                    .threads = options->threads,
                                    .body = run_paths,
                                    .context = sharing,
                                    .budget = options->budget };
    begin_showing(&showing, options->budget);
    const bool is_whole = esse_loop_run(&loop);
    end_showing(&showing, options->budget);
    for (unsigned i = 0; i < options->threads; i++) {
        esse_found_join(found, &sharing->parts[i].found);
        add_counts(counts, &sharing->parts[i].counts);
        esse_arena_adopt(arena, sharing->parts[i].arena);
    }
    return is_whole;
}

/* ---- the whole ---- */

static void tell_found(struct esse_arena *arena, const struct found *found,
                       struct esse_explored *explored)
{
    struct esse_broken *broken = esse_arena_array(arena, 64, struct esse_broken);
    const struct esse_execution **kept =
        esse_arena_array(arena, found->kept_count + 1, const struct esse_execution *);
    for (uint32_t i = 0; i < 64; i++)
        if (found->claims[i].count && i != ESSE_CLAIM_BOUNDS)
            broken[explored->broken_count++] =
                (struct esse_broken){ i, found->claims[i].count, found->claims[i].shortest };
    for (uint32_t i = 0; i < found->kept_count; i++)
        kept[i] = found->kept[i].execution;
    explored->broken = broken;
    explored->kept = kept;
    explored->kept_count = found->kept_count;
    explored->kept_of = found->kept_of;
    explored->is_bounded = found->claims[ESSE_CLAIM_BOUNDS].count > 0;
    explored->different = found->met_count;
}

static void explore_once(struct esse_arena *arena, const struct esse_program *program,
                         const struct esse_explore_options *options, struct esse_explored *explored)
{
    const bool is_alone = options->threads == 1 || options->each || options->max_histories ||
                          options->algorithm == ESSE_SEARCH_DFS;
    struct found *found = esse_arena_alloc(arena, 1, sizeof *found);
    *explored = (struct esse_explored){ .program = program, .rounds = explored->rounds + 1 };
    esse_found_init(found, arena, program, options);
    explored->is_whole = is_alone ? run_alone(arena, program, options, found, &explored->counts)
                                  : run_together(arena, program, options, found, &explored->counts);
    tell_found(arena, found, explored);
}

static bool is_stale(const struct esse_program *program)
{
    return program->is_stale && atomic_load(program->is_stale);
}

/* Until there are variables enough.  Which are met depends on the order of the search, so that the
 * rounds that are given up are those of one thread. */
static void explore_rounds(struct esse_arena *arena, const struct esse_program *program,
                           const struct esse_explore_options *options,
                           struct esse_explored *explored)
{
    enum { ROUNDS_MOST = 1000 };
    struct esse_explore_options alone = *options;
    alone.threads = 1;
    explore_once(arena, program, options, explored);
    if (is_stale(program) && options->threads > 1) {
        program = program->again(program, true);
        explore_once(arena, program, &alone, explored);
    }
    while (is_stale(program) && explored->rounds < ROUNDS_MOST) {
        program = program->again(program, false);
        explore_once(arena, program, &alone, explored);
    }
    explored->is_open = is_stale(program);
}

void esse_explore(struct esse_arena *arena, const struct esse_program *program,
                  const struct esse_explore_options *options, struct esse_explored *explored)
{
    const double begun = esse_clock_seconds();
    *explored = (struct esse_explored){ 0 };
    if (options->budget)
        esse_budget_start(options->budget);
    explore_rounds(arena, program, options, explored);
    explored->seconds = esse_clock_seconds() - begun;
}

const char *esse_claim_text(struct esse_arena *arena, const struct esse_program *program,
                            const struct esse_broken *broken)
{
    const struct esse_execution *shortest = broken->shortest;
    if (broken->claim == ESSE_CLAIM_FAULTS)
        for (uint32_t txn = 0; txn < program->txn_count; txn++)
            if (shortest->units[txn].fault) {
                uint32_t line;
                const char *what = program->fault_text(program, shortest->units[txn].fault, &line);
                return esse_arena_format(arena, "%s stops by %s (line %u)",
                                         esse_execution_name(arena, program, txn), what, line);
            }
    assert(broken->claim < program->claim_count);
    const struct esse_claim *claim = &program->claims[broken->claim];
    const char *kind = claim->is_invariant ? "invariant" : "assertion";
    return claim->name
               ? esse_arena_format(arena, "%s %s: %s (line %u)", kind, claim->name, claim->text,
                                   claim->line)
               : esse_arena_format(arena, "%s %s (line %u)", kind, claim->text, claim->line);
}
