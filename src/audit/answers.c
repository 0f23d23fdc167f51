#include "audit/world.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Is a result what was recorded?  Rows without ORDER BY are a multiset; with it equals may come in
 * any order; a LIMIT may have taken any of those that tie at its edges. */

static struct esse_type without_length(struct esse_type type)
{
    if (type.base != ESSE_TYPE_CHAR)
        type.length = type.scale = 0;
    if (type.base == ESSE_TYPE_UNKNOWN || type.base == ESSE_TYPE_VOID)
        type = ESSE_TYPE(TEXT);
    return type;
}

static struct esse_datum text_of(struct audit_world *world, esse_value value)
{
    struct esse_arena *arena = world->scratch;
    int64_t number;
    char room[8];
    switch (esse_value_kind(world->log->values, value)) {
    case ESSE_KIND_TRUE:
        return esse_datum_text("true", 4);
    case ESSE_KIND_FALSE:
        return esse_datum_text("false", 5);
    case ESSE_KIND_INT: {
        esse_value_as_int(world->log->values, value, &number);
        const char *text = esse_arena_format(arena, "%lld", (long long)number);
        return esse_datum_text(text, strlen(text));
    }
    default: {
        const struct esse_span text = esse_value_text(world->log->values, value, room);
        return esse_datum_text(esse_arena_text(arena, text.at, text.length), text.length);
    }
    }
}

bool audit_value(struct audit_world *world, esse_value value, struct esse_type type,
                 struct esse_datum *datum)
{
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    const enum esse_value_kind kind = esse_value_kind(world->log->values, value);
    int64_t number;
    if (kind == ESSE_KIND_NIL) {
        *datum = esse_datum_null();
        return true;
    }
    if (esse_type_is_int(type) && esse_value_as_int(world->log->values, value, &number)) {
        *datum = esse_datum_int(number);
        return true;
    }
    if (esse_type_is_number(type) && (kind == ESSE_KIND_TRUE || kind == ESSE_KIND_FALSE)) {
        *datum = esse_datum_int(kind == ESSE_KIND_TRUE);
        return true;
    }
    return esse_cast(world->scratch, text_of(world, value), ESSE_TYPE(UNKNOWN),
                     without_length(type), ESSE_CAST_EXPLICIT, datum, &fault);
}

/* ---- cells ---- */

static struct esse_datum known_value(const struct audit_world *world, struct esse_datum cell)
{
    while (cell.kind == ESSE_DATUM_HOLE && world->holes.at[cell.is.number].is_known)
        cell = world->holes.at[cell.is.number].value;
    return cell;
}

static bool same_value(struct esse_datum a, struct esse_datum b)
{
    const bool a_counts = a.kind == ESSE_DATUM_INT || a.kind == ESSE_DATUM_DECIMAL ||
                          a.kind == ESSE_DATUM_REAL,
               b_counts = b.kind == ESSE_DATUM_INT || b.kind == ESSE_DATUM_DECIMAL ||
                          b.kind == ESSE_DATUM_REAL;
    if (a.kind == ESSE_DATUM_NULL || b.kind == ESSE_DATUM_NULL)
        return a.kind == b.kind;
    if (a.kind != b.kind && !(a_counts && b_counts))
        return false;
    return esse_datum_compare(a, b, false) == 0;
}

static void learn(struct audit_world *world, uint64_t hole, struct esse_datum value)
{
    world->holes.at[hole].is_known = true;
    world->holes.at[hole].value = esse_datum_keep(world->arena, value);
    esse_u32_vec_push(&world->known, world->arena, (uint32_t)hole);
}

/* A cell of a result against one of the log; a hole takes its value. */
static bool cell_fits(struct audit_world *world, struct esse_datum cell, struct esse_type type,
                      esse_value recorded)
{
    struct esse_datum value;
    cell = known_value(world, cell);
    if (!audit_value(world, recorded, type, &value))
        return false;
    if (cell.kind != ESSE_DATUM_HOLE)
        return same_value(cell, value);
    learn(world, (uint64_t)cell.is.number, value);
    return true;
}

/* ---- rows ---- */

struct comparing {
    struct audit_world *world;
    const struct esse_sql_result *result;
    const struct esse_log_rows *rows;
    bool *taken; /* rows of the result */
    uint64_t *hashes;
};

static bool row_fits(struct comparing *c, const struct esse_datum *row, uint32_t recorded)
{
    const esse_value *cells = esse_log_row(c->world->log, c->rows, recorded);
    const uint32_t mark = audit_world_mark(c->world);
    for (uint32_t i = 0; i < c->rows->width; i++)
        if (!cell_fits(c->world, row[i], c->result->columns[i].type, cells[i])) {
            audit_world_back(c->world, mark);
            return false;
        }
    return true;
}

/* Are the recorded rows [from, to) among the rows [first, end) of the result, each once?  In order
 * they nearly always are.  A row with a hole fits several: then the first is taken, and the
 * question is open if that leads nowhere. */
static bool rows_fit(struct comparing *c, const struct esse_datum *rows, size_t first, size_t end,
                     uint32_t from, uint32_t to)
{
    size_t next = first;
    for (uint32_t recorded = from; recorded < to; recorded++) {
        size_t at = next, seen = 0;
        for (; seen < end - first; seen++, at = at + 1 == end ? first : at + 1)
            if (!c->taken[at] && row_fits(c, rows + at * c->result->width, recorded))
                break;
        if (seen == end - first) {
            if (c->world->known.count)
                c->world->doubt = true;
            return false;
        }
        c->taken[at] = true;
        next = at + 1 == end ? first : at + 1;
    }
    return true;
}

static size_t group_end(const struct esse_sql_result *result, size_t first, size_t all)
{
    size_t end = first + 1;
    if (!result->groups)
        return all;
    while (end < all && result->groups[end] == result->groups[first])
        end++;
    return end;
}

/* Group by group of what ORDER BY takes for equal. */
static bool all_rows_fit(struct comparing *c)
{
    const struct esse_sql_result *result = c->result;
    const bool is_query = result->statement->kind == ESSE_STATEMENT_QUERY;
    const struct esse_datum *rows = is_query ? result->all_rows : result->rows;
    const size_t all = is_query ? result->all : result->count;
    const size_t begin = is_query ? result->first : 0;
    c->taken = esse_arena_alloc(c->world->scratch, all + 1, sizeof *c->taken);
    for (size_t first = 0; first < all;) {
        const size_t end = group_end(result, first, all);
        const size_t low = first > begin ? first : begin,
                     high = end < begin + result->count ? end : begin + result->count;
        if (low < high &&
            !rows_fit(c, rows, first, end, (uint32_t)(low - begin), (uint32_t)(high - begin)))
            return false;
        first = end;
    }
    return true;
}

static bool result_fits(struct audit_world *world, const struct esse_log_statement *statement,
                        const struct esse_sql_result *result)
{
    const struct esse_log_rows *rows = &world->log->results.at[statement->results.first];
    struct comparing comparing = { .world = world, .result = result, .rows = rows };
    if (statement->results.count != 1 || !result->has_rows || rows->count != result->count ||
        (rows->count && rows->width != result->width))
        return false;
    for (uint32_t i = 0; statement->has & ESSE_LOG_COLUMNS && i < statement->columns.count; i++) {
        const esse_value name = world->log->cells.at[statement->columns.first + i];
        char room[8];
        if (i >= result->width ||
            !esse_span_is(esse_value_text(world->log->values, name, room), result->columns[i].name))
            return false;
    }
    return all_rows_fit(&comparing);
}

bool audit_answer_fits(struct audit_world *world, const struct esse_log_statement *statement,
                       const struct esse_sql_result *result)
{
    if (statement->has & ESSE_LOG_COUNT) {
        const bool is_found = world->log->found_rows && result->statement &&
                              result->statement->kind == ESSE_STATEMENT_UPDATE;
        if ((uint64_t)statement->count != (is_found ? result->found : result->changed))
            return false;
    }
    return !(statement->has & ESSE_LOG_ROWS) || result_fits(world, statement, result);
}
