#include "exec/exec_join.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* SELECT: tuples, groups, outputs, sorting, LIMIT, set operations. */

struct rows {
    struct exec_datum_vec outputs, sorts; /* one row after the other */
    uint32_t width, sort_width;
    size_t count;
};

struct group {
    const struct esse_datum **rows; /* of one of its tuples */
    struct esse_datum *by;
    struct esse_fold *folds;
};
ESSE_VEC(group_vec, struct group)

struct selecting {
    struct exec_join join;
    struct rows *rows;
    size_t most; /* tuples that are enough */
    struct group_vec groups;
    struct esse_index index;
};

static struct esse_arena *arena_of(struct exec_run *run)
{
    return run->eval.arena;
}

/* ---- outputs ---- */

static bool add_row(struct exec_run *run, const struct esse_query *query,
                    const struct esse_frame *frame, struct rows *rows)
{
    struct esse_datum *outputs =
        exec_datum_vec_extend(&rows->outputs, arena_of(run), query->output_count);
    const size_t first = rows->outputs.count - query->output_count;
    for (uint32_t i = 0; i < query->output_count; i++)
        if (!esse_eval(&run->eval, frame, query->outputs[i].expr, &outputs[i]))
            return false;
    rows->count++;
    for (uint32_t i = 0; i < query->sort_count; i++) {
        struct esse_datum value;
        const struct esse_sort *sort = &query->sorts[i];
        if (!sort->by)
            value = rows->outputs.at[first + sort->output];
        else if (!esse_eval(&run->eval, frame, sort->by, &value))
            return false;
        if (value.kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(run->eval.fault, (uint64_t)value.is.number);
        exec_datum_vec_push(&rows->sorts, arena_of(run), value);
    }
    return true;
}

static bool emit_row(void *context)
{
    struct selecting *selecting = context;
    if (!add_row(selecting->join.run, selecting->join.query, &selecting->join.frame,
                 selecting->rows))
        return false;
    selecting->join.is_enough = selecting->rows->count >= selecting->most;
    return true;
}

/* ---- groups ---- */

static struct group *find_group(struct selecting *selecting, const struct esse_datum *by,
                                uint32_t hash)
{
    const struct esse_query *query = selecting->join.query;
    struct esse_probe probe = esse_index_probe(&selecting->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);) {
        struct group *group = &selecting->groups.at[id];
        uint32_t same = 0;
        while (same < query->group_count &&
               esse_datum_same(group->by[same], by[same], query->groups[same]->type.is_folded))
            same++;
        if (same == query->group_count)
            return group;
    }
    return NULL;
}

static struct group *add_group(struct selecting *selecting, struct esse_datum *by, uint32_t hash)
{
    struct exec_join *join = &selecting->join;
    struct esse_arena *arena = arena_of(join->run);
    const uint32_t sources = join->query->source_count;
    struct group group = { .by = by };
    group.rows = esse_arena_alloc(arena, sources + 1, sizeof *group.rows);
    memcpy(group.rows, join->rows, sources * sizeof *group.rows);
    group.folds = esse_arena_alloc(arena, join->query->aggregate_count + 1, sizeof *group.folds);
    esse_index_add(&selecting->index, arena, hash, (uint32_t)selecting->groups.count);
    group_vec_push(&selecting->groups, arena, group);
    return &selecting->groups.at[selecting->groups.count - 1];
}

/* Blanks at the end of a char(n) do not tell groups apart: all have the same length. */
static bool emit_group(void *context)
{
    struct selecting *selecting = context;
    struct exec_join *join = &selecting->join;
    const struct esse_query *query = join->query;
    struct esse_datum *by =
        esse_arena_alloc(arena_of(join->run), query->group_count + 1, sizeof *by);
    uint32_t hash = 0;
    for (uint32_t i = 0; i < query->group_count; i++) {
        if (!esse_eval(&join->run->eval, &join->frame, query->groups[i], &by[i]))
            return false;
        if (by[i].kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(join->run->eval.fault, (uint64_t)by[i].is.number);
        hash = hash * 31 + esse_datum_hash(by[i], query->groups[i]->type.is_folded);
    }
    struct group *group = find_group(selecting, by, hash);
    if (!group)
        group = add_group(selecting, by, hash);
    for (uint32_t i = 0; i < query->aggregate_count; i++)
        if (!esse_fold_add(&join->run->eval, &join->frame, &query->aggregates[i], &group->folds[i]))
            return false;
    return true;
}

static bool finish_groups(struct selecting *selecting)
{
    struct exec_join *join = &selecting->join;
    struct exec_run *run = join->run;
    const struct esse_query *query = join->query;
    if (!selecting->groups.count && !query->group_count) {
        memset(join->rows, 0, query->source_count * sizeof *join->rows);
        add_group(selecting, NULL, 0);
    }
    for (size_t i = 0; i < selecting->groups.count; i++) {
        struct group *group = &selecting->groups.at[i];
        struct esse_datum *values =
            esse_arena_alloc(arena_of(run), query->aggregate_count + 1, sizeof *values);
        const struct esse_frame frame = { join->frame.up, group->rows, values };
        bool is_true;
        for (uint32_t k = 0; k < query->aggregate_count; k++)
            if (!esse_fold_end(&run->eval, &query->aggregates[k], &group->folds[k], &values[k]))
                return false;
        if (!esse_eval_true(&run->eval, &frame, query->having, &is_true))
            return false;
        if (is_true && !add_row(run, query, &frame, selecting->rows))
            return false;
    }
    return true;
}

static const struct exec_query_plan *plan_of(struct exec_run *run, const struct esse_query *query)
{
    const struct exec_query_plan **plan = &run->plans->of[query->number];
    if (!*plan)
        *plan = exec_plan_query(run->schema, run->exec->arena, query);
    return *plan;
}

static bool select_plain(struct exec_run *run, const struct esse_query *query,
                         const struct esse_frame *up, size_t most, struct rows *rows)
{
    struct selecting selecting = { .rows = rows, .most = most };
    selecting.join = (struct exec_join){
        .run = run, .query = query, .plan = plan_of(run, query), .frame = { .up = up }
    };
    if (!exec_join(&selecting.join, query->is_grouped ? emit_group : emit_row, &selecting))
        return false;
    return !query->is_grouped || finish_groups(&selecting);
}

static bool select_values(struct exec_run *run, const struct esse_query *query,
                          const struct esse_frame *up, struct rows *rows)
{
    const struct esse_datum *none[1] = { NULL };
    const struct esse_frame frame = { up, none, NULL };
    const size_t count = (size_t)query->value_count * query->output_count;
    for (size_t i = 0; i < count; i++) {
        struct esse_datum value;
        if (!esse_eval(&run->eval, &frame, query->values[i], &value))
            return false;
        exec_datum_vec_push(&rows->outputs, arena_of(run), value);
    }
    rows->count = query->value_count;
    return true;
}

/* ---- DISTINCT and set operations ---- */

static uint32_t hash_row(const struct esse_query *query, const struct esse_datum *row)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < query->output_count; i++)
        hash = hash * 31 + esse_datum_hash(row[i], query->outputs[i].type.is_folded);
    return hash;
}

static bool same_row(const struct esse_query *query, const struct esse_datum *a,
                     const struct esse_datum *b)
{
    for (uint32_t i = 0; i < query->output_count; i++)
        if (!esse_datum_same(a[i], b[i], query->outputs[i].type.is_folded))
            return false;
    return true;
}

static bool has_hole(struct exec_run *run, const struct rows *rows)
{
    for (size_t i = 0; i < rows->outputs.count; i++)
        if (rows->outputs.at[i].kind == ESSE_DATUM_HOLE)
            return !esse_fault_hole(run->eval.fault, (uint64_t)rows->outputs.at[i].is.number);
    return false;
}

static void keep_row(struct rows *rows, size_t to, size_t from)
{
    if (to == from)
        return;
    memcpy(rows->outputs.at + to * rows->width, rows->outputs.at + from * rows->width,
           rows->width * sizeof *rows->outputs.at);
    if (rows->sorts.count)
        memcpy(rows->sorts.at + to * rows->sort_width, rows->sorts.at + from * rows->sort_width,
               rows->sort_width * sizeof *rows->sorts.at);
}

static bool make_distinct(struct exec_run *run, const struct esse_query *query, struct rows *rows)
{
    struct esse_index index = { 0 };
    size_t kept = 0;
    if (has_hole(run, rows))
        return false;
    for (size_t i = 0; i < rows->count; i++) {
        const struct esse_datum *row = rows->outputs.at + i * rows->width;
        const uint32_t hash = hash_row(query, row);
        struct esse_probe probe = esse_index_probe(&index, hash);
        bool is_new = true;
        for (uint32_t id; is_new && esse_probe_next(&probe, &id);)
            is_new = !same_row(query, rows->outputs.at + id * rows->width, row);
        if (!is_new)
            continue;
        keep_row(rows, kept, i);
        esse_index_add(&index, arena_of(run), hash, (uint32_t)kept++);
    }
    rows->count = kept;
    rows->outputs.count = kept * rows->width;
    if (rows->sorts.count)
        rows->sorts.count = kept * rows->sort_width;
    return true;
}

static bool append(struct exec_run *run, const struct esse_subrows *from, struct rows *rows)
{
    exec_datum_vec_append(&rows->outputs, arena_of(run), from->at, from->count * from->width);
    rows->count += from->count;
    return true;
}

/* INTERSECT and EXCEPT: each row of the left side uses up one of the right. */
static bool against(struct exec_run *run, const struct esse_query *query,
                    const struct esse_subrows *right, struct rows *rows)
{
    struct esse_index index = { 0 };
    size_t *left_over = esse_arena_alloc(arena_of(run), right->count + 1, sizeof *left_over);
    size_t kept = 0;
    for (size_t i = 0; i < right->count; i++) {
        const struct esse_datum *row = right->at + i * right->width;
        const uint32_t hash = hash_row(query, row);
        struct esse_probe probe = esse_index_probe(&index, hash);
        bool is_new = true;
        for (uint32_t id; is_new && esse_probe_next(&probe, &id);)
            if (same_row(query, right->at + id * right->width, row)) {
                left_over[id]++;
                is_new = false;
            }
        if (is_new) {
            esse_index_add(&index, arena_of(run), hash, (uint32_t)i);
            left_over[i] = 1;
        }
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct esse_datum *row = rows->outputs.at + i * rows->width;
        struct esse_probe probe = esse_index_probe(&index, hash_row(query, row));
        bool is_there = false;
        for (uint32_t id; !is_there && esse_probe_next(&probe, &id);)
            if (left_over[id] && same_row(query, right->at + id * right->width, row)) {
                is_there = true;
                left_over[id] -= query->set_all;
            }
        if (is_there == (query->set == ESSE_SET_INTERSECT))
            keep_row(rows, kept++, i);
    }
    rows->count = kept;
    rows->outputs.count = kept * rows->width;
    return true;
}

static bool select_set(struct exec_run *run, const struct esse_query *query,
                       const struct esse_frame *up, struct rows *rows)
{
    struct esse_subrows left, right;
    if (!exec_query(run, query->left, up, SIZE_MAX, &left) ||
        !exec_query(run, query->right, up, SIZE_MAX, &right))
        return false;
    append(run, &left, rows);
    if (query->set == ESSE_SET_UNION)
        append(run, &right, rows);
    if (!query->set_all && !make_distinct(run, query, rows))
        return false;
    if (has_hole(run, rows))
        return false;
    return query->set == ESSE_SET_UNION || against(run, query, &right, rows);
}

/* ---- ORDER BY and LIMIT ---- */

struct sorting {
    const struct esse_query *query;
    const struct rows *rows;
};

static int compare_sort(const struct esse_query *query, const struct esse_datum *a,
                        const struct esse_datum *b)
{
    for (uint32_t i = 0; i < query->sort_count; i++) {
        const struct esse_sort *sort = &query->sorts[i];
        const bool a_null = a[i].kind == ESSE_DATUM_NULL, b_null = b[i].kind == ESSE_DATUM_NULL;
        if (a_null || b_null) {
            if (a_null != b_null)
                return a_null == sort->nulls_first ? -1 : 1;
            continue;
        }
        const int order = esse_datum_compare(a[i], b[i], sort->is_folded);
        if (order)
            return sort->descends ? -order : order;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct sorting *sorting = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const uint32_t width = sorting->rows->sort_width;
    const int order = compare_sort(sorting->query, sorting->rows->sorts.at + x * width,
                                   sorting->rows->sorts.at + y * width);
    return order ? order : (x > y) - (x < y);
}

static void sort_rows(struct exec_run *run, const struct esse_query *query, struct rows *rows)
{
    struct esse_arena *arena = arena_of(run);
    size_t *order = esse_arena_alloc(arena, rows->count + 1, sizeof *order);
    struct rows sorted = { .width = rows->width, .sort_width = rows->sort_width };
    struct sorting sorting = { query, rows };
    for (size_t i = 0; i < rows->count; i++)
        order[i] = i;
    qsort_r(order, rows->count, sizeof *order, compare_rows, &sorting);
    for (size_t i = 0; i < rows->count; i++) {
        exec_datum_vec_append(&sorted.outputs, arena, rows->outputs.at + order[i] * rows->width,
                              rows->width);
        exec_datum_vec_append(&sorted.sorts, arena, rows->sorts.at + order[i] * rows->sort_width,
                              rows->sort_width);
    }
    sorted.count = rows->count;
    *rows = sorted;
}

/* Rows of a set operation are sorted by outputs. */
static void add_sorts(struct exec_run *run, const struct esse_query *query, struct rows *rows)
{
    if (query->set == ESSE_SET_NONE && !query->is_values)
        return;
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t k = 0; k < query->sort_count; k++)
            exec_datum_vec_push(&rows->sorts, arena_of(run),
                                rows->outputs.at[i * rows->width + query->sorts[k].output]);
}

struct cut {
    size_t first, most;
};

static bool cut_value(struct exec_run *run, const struct esse_frame *up,
                      const struct esse_expr *expr, const char *state, const char *what,
                      size_t otherwise, size_t *value)
{
    const struct esse_datum *none[1] = { NULL };
    const struct esse_frame frame = { up, none, NULL };
    struct esse_datum datum = esse_datum_null();
    *value = otherwise;
    if (!expr)
        return true;
    if (!esse_eval(&run->eval, &frame, expr, &datum))
        return false;
    if (datum.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(run->eval.fault, (uint64_t)datum.is.number);
    if (datum.kind == ESSE_DATUM_NULL)
        return true;
    if (datum.is.number < 0)
        return esse_fault(run->eval.fault, state, 0, "%s must not be negative", what);
    *value = (size_t)datum.is.number;
    return true;
}

static bool cut_of(struct exec_run *run, const struct esse_query *query,
                   const struct esse_frame *up, struct cut *cut)
{
    return cut_value(run, up, query->offset, "2201X", "OFFSET", 0, &cut->first) &&
           cut_value(run, up, query->limit, "2201W", "LIMIT", SIZE_MAX, &cut->most);
}

/* How many tuples are enough: all, if they are sorted or grouped after. */
static size_t enough(const struct esse_query *query, const struct cut *cut, size_t most)
{
    const size_t wanted = cut->most < most ? cut->most : most;
    if (!wanted)
        return 0;
    if (query->sort_count || query->is_grouped || query->is_distinct)
        return SIZE_MAX;
    return wanted > SIZE_MAX - cut->first ? SIZE_MAX : wanted + cut->first;
}

static bool select_rows(struct exec_run *run, const struct esse_query *query,
                        const struct esse_frame *up, size_t most, struct rows *rows,
                        struct cut *cut)
{
    bool ok = cut_of(run, query, up, cut);
    const size_t wanted = ok ? enough(query, cut, most) : 0;
    if (!ok || !wanted)
        return ok;
    if (query->set != ESSE_SET_NONE)
        ok = select_set(run, query, up, rows);
    else if (query->is_values)
        ok = select_values(run, query, up, rows);
    else
        ok = select_plain(run, query, up, wanted, rows);
    if (!ok || (query->is_distinct && !make_distinct(run, query, rows)))
        return false;
    add_sorts(run, query, rows);
    if (query->sort_count)
        sort_rows(run, query, rows);
    return true;
}

static struct rows new_rows(const struct esse_query *query)
{
    return (struct rows){ .width = query->output_count, .sort_width = query->sort_count };
}

static size_t taken(const struct rows *rows, const struct cut *cut)
{
    const size_t left = rows->count > cut->first ? rows->count - cut->first : 0;
    return left < cut->most ? left : cut->most;
}

bool exec_query(struct exec_run *run, const struct esse_query *query, const struct esse_frame *up,
                size_t most, struct esse_subrows *result)
{
    struct exec_memo *memo = &run->memos[query->number];
    struct rows rows = new_rows(query);
    struct cut cut;
    if (memo->is_there && memo->most >= most) {
        *result = memo->rows;
        return true;
    }
    if (!select_rows(run, query, up, most, &rows, &cut))
        return false;
    *result = (struct esse_subrows){ .width = rows.width, .count = taken(&rows, &cut) };
    if (result->count)
        result->at = rows.outputs.at + cut.first * rows.width;
    if (!query->reaches_out && !query->has_holes)
        *memo = (struct exec_memo){ true, most, *result };
    return true;
}

bool exec_top_query(struct exec_run *run, const struct esse_query *query)
{
    struct esse_sql_result *result = run->result;
    struct rows rows = new_rows(query);
    struct cut cut;
    if (!select_rows(run, query, NULL, run->most, &rows, &cut))
        return false;
    result->has_rows = true;
    result->width = rows.width;
    result->columns = query->outputs;
    result->count = taken(&rows, &cut);
    result->first = cut.first < rows.count ? cut.first : rows.count;
    result->all = rows.count;
    result->all_rows = rows.outputs.at;
    result->rows = rows.count ? rows.outputs.at + result->first * rows.width : NULL;
    result->found = result->changed = result->count;
    if (query->sort_count) {
        uint32_t *groups = esse_arena_alloc(arena_of(run), rows.count + 1, sizeof *groups);
        for (size_t i = 1; i < rows.count; i++)
            groups[i] =
                groups[i - 1] + (compare_sort(query, rows.sorts.at + (i - 1) * rows.sort_width,
                                              rows.sorts.at + i * rows.sort_width) != 0);
        result->groups = groups;
    }
    return true;
}

/* ---- the rows that UPDATE and DELETE change ---- */

struct collecting {
    struct exec_join join;
    struct exec_tuple_vec *out;
};

static bool collect(void *context)
{
    struct collecting *collecting = context;
    const struct exec_join *join = &collecting->join;
    struct esse_arena *arena = arena_of(join->run);
    struct exec_tuple tuple = { .key = join->keys[0] };
    tuple.rows = esse_arena_alloc(arena, join->query->source_count, sizeof *tuple.rows);
    memcpy(tuple.rows, join->rows, join->query->source_count * sizeof *tuple.rows);
    exec_tuple_vec_push(collecting->out, arena, tuple);
    return true;
}

bool exec_tuples(struct exec_run *run, const struct esse_query *query, struct exec_tuple_vec *out)
{
    struct collecting collecting = { .out = out };
    collecting.join = (struct exec_join){ .run = run, .query = query, .plan = plan_of(run, query) };
    return exec_join(&collecting.join, collect, &collecting);
}
