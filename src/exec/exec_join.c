#include "exec/exec_join.h"

#include <stdlib.h>
#include <string.h>

/*
 * Runs the steps of a FROM, depth first: a step goes through its rows and lets the next one run for
 * each; behind the last one stands whoever wants the tuples.
 */

bool exec_conditions(struct exec_join *join, const struct esse_expr **conditions, uint32_t count,
                     bool *are_true)
{
    *are_true = true;
    for (uint32_t i = 0; *are_true && i < count; i++)
        if (!esse_eval_true(&join->run->eval, &join->frame, conditions[i], are_true))
            return false;
    return true;
}

/* ---- index access ---- */

/* The value of a bound as one of the column.  What is not of its kind may lie between two: then the
 * bound is taken wider. */
static bool bound_value(struct exec_run *run, struct esse_type type, struct esse_datum value,
                        struct esse_datum *as, bool *is_usable, bool *is_exact)
{
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    struct esse_type plain = { .base = type.base, .is_unsigned = type.is_unsigned };
    *as = value;
    *is_exact = !esse_type_is_text(type) || type.base != ESSE_TYPE_CHAR;
    *is_usable = true;
    if (!esse_type_is_number(type))
        return true;
    if (esse_type_is_real(type)) {
        *as = esse_datum_real(esse_datum_double(value));
        return true;
    }
    if (value.kind == ESSE_DATUM_REAL) {
        *is_usable = false;
        return true;
    }
    if (!esse_cast(run->eval.arena, value, plain, plain, ESSE_CAST_ASSIGN, as, &fault)) {
        *is_usable = false;
        return true;
    }
    *is_exact = esse_datum_compare(*as, value, false) == 0;
    return true;
}

struct interval {
    struct esse_u8_vec low, high;
    bool is_empty, has_high;
};

static bool add_equal(struct exec_join *join, const struct esse_table *table,
                      const struct exec_bound *bound, struct interval *interval, bool *goes_on)
{
    struct esse_datum value, as;
    bool is_usable, is_exact;
    const struct esse_type type = table->columns[bound->column].type;
    if (!esse_eval(&join->run->eval, &join->frame, bound->value, &value))
        return false;
    if (value.kind == ESSE_DATUM_NULL) {
        interval->is_empty = true;
        return true;
    }
    if (value.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(join->run->eval.fault, (uint64_t)value.is.number);
    if (!bound_value(join->run, type, value, &as, &is_usable, &is_exact))
        return false;
    *goes_on = is_usable;
    return !is_usable ||
           esse_key_add(&interval->low, join->run->eval.arena, type, as, join->run->eval.fault);
}

/* 'high' begins as a copy of the equal part. */
static bool add_range(struct exec_join *join, const struct esse_table *table,
                      const struct exec_bound *bound, size_t prefix, struct interval *interval)
{
    struct esse_datum value, as;
    bool is_usable, is_exact;
    struct esse_arena *arena = join->run->eval.arena;
    const struct esse_type type = table->columns[bound->column].type;
    if (!esse_eval(&join->run->eval, &join->frame, bound->value, &value))
        return false;
    if (value.kind == ESSE_DATUM_NULL) {
        interval->is_empty = true;
        return true;
    }
    if (value.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(join->run->eval.fault, (uint64_t)value.is.number);
    if (!bound_value(join->run, type, value, &as, &is_usable, &is_exact) || !is_usable)
        return !is_usable;
    const bool is_low = (bound->accepts & ESSE_ABOVE) != 0;
    const bool with_equal = (bound->accepts & ESSE_EQUAL) || !is_exact;
    struct esse_u8_vec *end = is_low ? &interval->low : &interval->high;
    end->count = prefix;
    if (!esse_key_add(end, arena, type, as, join->run->eval.fault))
        return false;
    if (is_low != with_equal)
        esse_key_after(end);
    interval->has_high |= !is_low;
    return true;
}

static bool make_interval(struct exec_join *join, const struct esse_table *table,
                          const struct exec_access *access, struct interval *interval)
{
    struct esse_arena *arena = join->run->eval.arena;
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < access->equal && !interval->is_empty; i++)
        if (!add_equal(join, table, access->equals[i], interval, &goes_on))
            return false;
    if (interval->is_empty)
        return true;
    const size_t prefix = interval->low.count;
    esse_u8_vec_append(&interval->high, arena, interval->low.at, prefix);
    if (goes_on && access->range) {
        /* Not NULLs, which come last. */
        esse_u8_vec_push(&interval->high, arena, 2);
        interval->has_high = true;
        for (uint32_t i = 0; i < access->range && !interval->is_empty; i++)
            if (!add_range(join, table, access->ranges[i], prefix, interval))
                return false;
        return true;
    }
    interval->has_high = prefix > 0 && esse_key_after(&interval->high);
    return true;
}

static bool is_whole_key(const struct esse_table *table, const struct exec_access *access)
{
    return access->index == ESSE_BY_KEY && access->equal == table->indexes.at[0].count;
}

static bool by_index(struct exec_join *join, const struct exec_step *step,
                     struct esse_found_vec *found)
{
    const struct esse_table *table = join->query->sources[step->source].table;
    struct esse_arena *arena = join->run->eval.arena;
    struct interval interval = { .has_high = false };
    if (!make_interval(join, table, &step->access, &interval))
        return false;
    if (interval.is_empty)
        return true;
    const struct esse_bytes low = { interval.low.at, (uint32_t)interval.low.count };
    const struct esse_bytes high = { interval.has_high ? interval.high.at : NULL,
                                     (uint32_t)interval.high.count };
    if (is_whole_key(table, &step->access) && low.length) {
        const struct esse_datum *row = esse_overlay_get(join->run->overlay, table, low);
        if (row)
            esse_found_vec_push(found, arena, (struct esse_found){ low, row });
        return true;
    }
    esse_overlay_range(join->run->overlay, table, step->access.index, low, high, arena, found);
    return true;
}

/* ---- lists and hash tables, made once for each run of the query ---- */

static bool list_rows(struct exec_join *join, const struct exec_step *step,
                      struct esse_found_vec *found)
{
    const struct esse_source *source = &join->query->sources[step->source];
    struct exec_run *run = join->run;
    struct esse_subrows rows;
    if (source->table) {
        const struct esse_bytes all = { (const uint8_t *)"", 0 }, end = { NULL, 0 };
        esse_overlay_range(run->overlay, source->table, ESSE_BY_KEY, all, end, run->eval.arena,
                           found);
        return true;
    }
    if (!exec_query(run, source->query, join->frame.up, SIZE_MAX, &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        esse_found_vec_push(found, run->eval.arena,
                            (struct esse_found){ { NULL, 0 }, rows.at + i * rows.width });
    return true;
}

/* The rows that meet what is asked of them alone, or all if nothing is gained by asking. */
static bool make_list(struct exec_join *join, const struct exec_step *step, struct exec_list *list)
{
    struct esse_found_vec all = { 0 };
    if (!list_rows(join, step, &all))
        return false;
    list->is_made = true;
    for (size_t i = 0; i < all.count; i++) {
        bool is_true = true;
        join->rows[step->source] = all.at[i].row;
        if (!exec_conditions(join, step->own_conditions, step->own_count, &is_true))
            return false;
        if (is_true)
            esse_found_vec_push(&list->rows, join->run->eval.arena, all.at[i]);
    }
    return true;
}

static bool hash_of(struct exec_join *join, const struct exec_step *step,
                    const struct esse_expr *const *exprs, uint32_t *hash, bool *any_null)
{
    *hash = 0;
    *any_null = false;
    for (uint32_t i = 0; i < step->pairs; i++) {
        struct esse_datum value;
        if (!esse_eval(&join->run->eval, &join->frame, exprs[i], &value))
            return false;
        if (value.kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(join->run->eval.fault, (uint64_t)value.is.number);
        *any_null |= value.kind == ESSE_DATUM_NULL;
        *hash = *hash * 31 + esse_datum_hash(value, step->folds[i]);
    }
    return true;
}

static bool make_hash(struct exec_join *join, const struct exec_step *step, struct exec_list *list)
{
    list->is_hashed = true;
    for (size_t i = 0; i < list->rows.count; i++) {
        uint32_t hash;
        bool any_null;
        join->rows[step->source] = list->rows.at[i].row;
        if (!hash_of(join, step, step->own, &hash, &any_null))
            return false;
        if (!any_null)
            esse_index_add(&list->index, join->run->eval.arena, hash, (uint32_t)i);
    }
    return true;
}

/* ---- steps ---- */

static bool run_step(struct exec_join *join, const struct exec_from *from, uint32_t at,
                     exec_emit *emit, void *context);

static bool take_row(struct exec_join *join, const struct exec_from *from, uint32_t at,
                     struct esse_found found, exec_emit *emit, void *context)
{
    const struct exec_step *step = &from->steps[at];
    bool is_true;
    join->rows[step->source] = found.row;
    join->keys[step->source] = found.key;
    if (!exec_conditions(join, step->conditions, step->condition_count, &is_true))
        return false;
    return !is_true || run_step(join, from, at + 1, emit, context);
}

static bool run_source(struct exec_join *join, const struct exec_from *from, uint32_t at,
                       exec_emit *emit, void *context)
{
    const struct exec_step *step = &from->steps[at];
    struct exec_list *list = &join->lists[step->number];
    if (step->access.is_used) {
        struct esse_found_vec found = { 0 };
        if (!by_index(join, step, &found))
            return false;
        for (size_t i = 0; i < found.count && !join->is_enough; i++)
            if (!take_row(join, from, at, found.at[i], emit, context))
                return false;
        esse_found_vec_drop(&found, join->run->eval.arena);
        return true;
    }
    if (!list->is_made && !make_list(join, step, list))
        return false;
    if (!step->pairs) {
        for (size_t i = 0; i < list->rows.count && !join->is_enough; i++)
            if (!take_row(join, from, at, list->rows.at[i], emit, context))
                return false;
        return true;
    }
    uint32_t hash;
    bool any_null;
    if ((!list->is_hashed && !make_hash(join, step, list)) ||
        !hash_of(join, step, step->theirs, &hash, &any_null))
        return false;
    struct esse_probe probe = esse_index_probe(&list->index, hash);
    for (uint32_t id; !any_null && !join->is_enough && esse_probe_next(&probe, &id);)
        if (!take_row(join, from, at, list->rows.at[id], emit, context))
            return false;
    return true;
}

/* ---- outer joins ---- */

struct outer {
    struct exec_join *join;
    const struct exec_from *from;
    uint32_t at;
    exec_emit *emit;
    void *context;
    bool is_matched;
    /* FULL: the tuples of the right side, and which have had a partner. */
    const struct esse_datum ***tuples;
    bool *matched;
    size_t count, room;
};

static void set_absent(struct exec_join *join, uint64_t sources)
{
    for (uint32_t i = 0; i < join->query->source_count; i++)
        if (sources >> i & 1)
            join->rows[i] = NULL;
}

static bool go_on(struct outer *outer)
{
    const struct exec_step *step = &outer->from->steps[outer->at];
    bool is_true;
    if (!exec_conditions(outer->join, step->conditions, step->condition_count, &is_true))
        return false;
    return !is_true ||
           run_step(outer->join, outer->from, outer->at + 1, outer->emit, outer->context);
}

static bool on_right(void *context)
{
    struct outer *outer = context;
    outer->is_matched = true;
    return go_on(outer);
}

static bool on_left(void *context)
{
    struct outer *outer = context;
    const struct exec_step *step = &outer->from->steps[outer->at];
    const bool before = outer->is_matched;
    outer->is_matched = false;
    if (!run_step(outer->join, step->right, 0, on_right, outer))
        return false;
    const bool is_matched = outer->is_matched;
    outer->is_matched = before;
    if (is_matched || outer->join->is_enough)
        return true;
    set_absent(outer->join, step->sources);
    return go_on(outer);
}

static bool keep_tuple(void *context)
{
    struct outer *outer = context;
    struct exec_join *join = outer->join;
    struct esse_arena *arena = join->run->eval.arena;
    if (outer->count == outer->room) {
        outer->room = outer->room ? outer->room * 2 : 16;
        outer->tuples = esse_arena_grow(arena, outer->tuples, outer->room * sizeof *outer->tuples);
    }
    outer->tuples[outer->count] =
        esse_arena_alloc(arena, join->query->source_count, sizeof **outer->tuples);
    memcpy(outer->tuples[outer->count++], join->rows,
           join->query->source_count * sizeof *join->rows);
    return true;
}

static void set_tuple(struct exec_join *join, uint64_t sources, const struct esse_datum **tuple)
{
    for (uint32_t i = 0; i < join->query->source_count; i++)
        if (sources >> i & 1)
            join->rows[i] = tuple[i];
}

static bool on_full_left(void *context)
{
    struct outer *outer = context;
    struct exec_join *join = outer->join;
    const struct exec_step *step = &outer->from->steps[outer->at];
    bool is_matched = false;
    for (size_t i = 0; i < outer->count; i++) {
        bool is_true;
        set_tuple(join, step->sources, outer->tuples[i]);
        if (!exec_conditions(join, step->on, step->on_count, &is_true))
            return false;
        if (!is_true)
            continue;
        is_matched = outer->matched[i] = true;
        if (!go_on(outer))
            return false;
    }
    if (is_matched)
        return true;
    set_absent(join, step->sources);
    return go_on(outer);
}

static uint64_t sources_of(const struct exec_from *from)
{
    uint64_t sources = 0;
    for (uint32_t i = 0; i < from->count; i++)
        sources |= from->steps[i].is_outer
                       ? sources_of(from->steps[i].left) | from->steps[i].sources
                       : UINT64_C(1) << from->steps[i].source;
    return sources;
}

static bool run_full(struct outer *outer)
{
    struct exec_join *join = outer->join;
    const struct exec_step *step = &outer->from->steps[outer->at];
    if (!run_step(join, step->right, 0, keep_tuple, outer))
        return false;
    outer->matched = esse_arena_alloc(join->run->eval.arena, outer->count + 1, sizeof(bool));
    if (!run_step(join, step->left, 0, on_full_left, outer))
        return false;
    set_absent(join, sources_of(step->left));
    for (size_t i = 0; i < outer->count && !join->is_enough; i++) {
        if (outer->matched[i])
            continue;
        set_tuple(join, step->sources, outer->tuples[i]);
        if (!go_on(outer))
            return false;
    }
    return true;
}

static bool run_step(struct exec_join *join, const struct exec_from *from, uint32_t at,
                     exec_emit *emit, void *context)
{
    if (join->is_enough)
        return true;
    if (at == from->count)
        return emit(context);
    const struct exec_step *step = &from->steps[at];
    if (!step->is_outer)
        return run_source(join, from, at, emit, context);
    struct outer outer = { .join = join, .from = from, .at = at, .emit = emit, .context = context };
    return step->kind == ESSE_JOIN_FULL ? run_full(&outer)
                                        : run_step(join, step->left, 0, on_left, &outer);
}

bool exec_join(struct exec_join *join, exec_emit *emit, void *context)
{
    const struct exec_query_plan *plan = join->plan;
    struct esse_arena *arena = join->run->eval.arena;
    const uint32_t sources = join->query->source_count;
    join->rows = esse_arena_alloc(arena, sources + 1, sizeof *join->rows);
    join->keys = esse_arena_alloc(arena, sources + 1, sizeof *join->keys);
    join->lists = esse_arena_alloc(arena, plan->step_count + 1, sizeof *join->lists);
    join->frame.rows = join->rows;
    if (!join->query->from) {
        bool is_true;
        const struct exec_step *step = &plan->from->steps[0];
        if (!exec_conditions(join, step->conditions, step->condition_count, &is_true))
            return false;
        return !is_true || emit(context);
    }
    return run_step(join, plan->from, 0, emit, context);
}
