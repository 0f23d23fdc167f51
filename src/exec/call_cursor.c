#include "exec/exec_call.h"

#include <string.h>

/* Cursors.  Their rows are copied when they are opened, as they are read at that time. */

void call_close_cursor(struct esse_call *call, struct call_cursor *cursor)
{
    if (cursor->arena)
        call_arena_vec_push(&call->spare, call->exec->arena, cursor->arena);
    cursor->arena = NULL;
}

void call_close_frame(struct esse_call *call, struct call_frame *frame)
{
    for (uint32_t i = 0; i < frame->routine->cursor_count; i++)
        call_close_cursor(call, &frame->cursors[i]);
}

void call_close_above(struct esse_call *call, uint32_t level, bool is_kept)
{
    for (size_t i = 0; i < call->frames.count; i++) {
        struct call_frame *frame = &call->frames.at[i];
        for (uint32_t k = 0; k < frame->routine->cursor_count; k++) {
            struct call_cursor *cursor = &frame->cursors[k];
            if (cursor->level <= level)
                continue;
            cursor->level = level;
            if (!is_kept)
                call_close_cursor(call, cursor);
        }
    }
}

static void keep_rows(struct call_cursor *cursor, const struct esse_sql_result *result)
{
    const size_t count = result->count * result->width;
    struct esse_datum *rows = esse_arena_alloc(cursor->arena, count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = esse_datum_keep(cursor->arena, result->rows[i]);
    cursor->rows = *result;
    cursor->rows.rows = rows;
}

bool call_open(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
               struct esse_fault *fault)
{
    struct call_cursor *cursor = &frame->cursors[op->cursor];
    struct esse_sql_result result;
    if (cursor->arena && !op->is_hidden)
        return esse_fault(fault, "42P03", 0, "cursor is already in use");
    if (!call_run(call, frame, op->text, SIZE_MAX, &result, fault))
        return false;
    if (!result.has_rows)
        return esse_fault(fault, "42P11", 0, "a cursor is of a query that returns rows");
    call_close_cursor(call, cursor);
    cursor->arena = call->spare.count ? call->spare.at[--call->spare.count] : esse_arena_new();
    esse_arena_clear(cursor->arena);
    cursor->was_open = true;
    cursor->has_run = false;
    cursor->at = 0;
    cursor->level = (uint32_t)call->blocks.count;
    keep_rows(cursor, &result);
    return true;
}

/* ---- FETCH ---- */

static const struct esse_datum *row_of(const struct call_cursor *cursor)
{
    return cursor->at && cursor->at <= cursor->rows.count
               ? cursor->rows.rows + (cursor->at - 1) * cursor->rows.width
               : NULL;
}

static bool is_open(const struct call_cursor *cursor, struct esse_fault *fault)
{
    if (cursor->arena)
        return true;
    return cursor->was_open ? esse_fault(fault, "34000", 0, "cursor does not exist")
                            : esse_fault(fault, "22004", 0, "cursor variable is null");
}

static void move_to(struct call_cursor *cursor, enum esse_fetch fetch, int64_t number)
{
    const int64_t count = (int64_t)cursor->rows.count;
    int64_t at = fetch == ESSE_FETCH_LAST ? count : number;
    if (number > count + 1 || number < -count - 1)
        number = number > 0 ? count + 1 : -count - 1;
    if (fetch == ESSE_FETCH_RELATIVE)
        at = (int64_t)cursor->at + number;
    else if (fetch == ESSE_FETCH_ABSOLUTE)
        at = number < 0 ? count + 1 + number : number;
    cursor->at = at < 0 ? 0 : at > count + 1 ? cursor->rows.count + 1 : (size_t)at;
}

bool call_fetch(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault)
{
    static const struct esse_variable number = { .name = "", .type = { .base = ESSE_TYPE_INT } };
    struct call_cursor *cursor = &frame->cursors[op->cursor];
    struct call_value value;
    if (!is_open(cursor, fault) || !call_value(call, frame, op->text, &value, fault) ||
        !esse_cast_variable(call->scratch, call->is_mysql, value.datum, value.type, &number,
                            &value.datum, fault))
        return false;
    if (value.datum.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(fault, (uint64_t)value.datum.is.number);
    if (value.datum.kind == ESSE_DATUM_NULL)
        return esse_fault(fault, "22004", 0, "relative or absolute cursor position is null");
    move_to(cursor, op->fetch, value.datum.is.number);
    const struct esse_datum *row = row_of(cursor);
    frame->row_count = row != NULL;
    if (op->target_count && !call_assign_row(call, frame, op, &cursor->rows, row, fault))
        return false;
    frame->values[ESSE_FOUND] = esse_datum_bool(row != NULL);
    return true;
}

bool call_fetch_next(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                     struct esse_fault *fault)
{
    struct call_cursor *cursor = &frame->cursors[op->cursor];
    if (!is_open(cursor, fault))
        return false;
    move_to(cursor, ESSE_FETCH_RELATIVE, 1);
    const struct esse_datum *row = row_of(cursor);
    if (!row && cursor->has_run)
        return call_jump(call, frame, op->to, fault);
    cursor->has_run |= row != NULL;
    return call_assign_row(call, frame, op, &cursor->rows, row, fault) &&
           (row || call_jump(call, frame, op->to, fault));
}

bool call_close(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault)
{
    struct call_cursor *cursor = &frame->cursors[op->cursor];
    if (!is_open(cursor, fault))
        return false;
    call_close_cursor(call, cursor);
    return true;
}

void call_close_loop(struct esse_call *call, struct call_frame *frame, const struct esse_op *op)
{
    struct call_cursor *cursor = &frame->cursors[op->cursor];
    frame->values[ESSE_FOUND] = esse_datum_bool(cursor->has_run);
    call_close_cursor(call, cursor);
}
