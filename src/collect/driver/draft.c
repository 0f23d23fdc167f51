#include "collect/driver/draft.h"

#include <string.h>

void esse_draft_init(struct esse_draft *draft, struct esse_arena *arena)
{
    *draft = (struct esse_draft){ .arena = arena };
}

void esse_draft_begin(struct esse_draft *draft)
{
    draft->count = 0;
}

/* Rows that were used before are used again, with their buffers. */
static struct esse_draft_row *add_row(struct esse_draft *draft)
{
    if (draft->count == draft->room) {
        const size_t room = draft->room ? 2 * draft->room : 8;
        draft->rows = esse_arena_grow(draft->arena, draft->rows, room * sizeof *draft->rows);
        for (size_t i = draft->room; i < room; i++)
            draft->rows[i] = esse_arena_alloc(draft->arena, 1, sizeof **draft->rows);
        draft->room = room;
    }
    return draft->rows[draft->count++];
}

struct esse_draft_row *esse_draft_row(struct esse_draft *draft, uint32_t table, int64_t row)
{
    for (size_t i = 0; i < draft->count; i++)
        if (draft->rows[i]->row == row && draft->rows[i]->table == table)
            return draft->rows[i];
    struct esse_draft_row *fresh = add_row(draft);
    struct esse_live_items items = fresh->items, added = fresh->added;
    items.count = added.count = 0;
    *fresh = (struct esse_draft_row){
        .table = table, .row = row, .value = ESSE_ABSENT, .items = items, .added = added
    };
    return fresh;
}

bool esse_draft_sees(const struct esse_draft_row *row)
{
    return row->is_deleted || row->is_written || (row->is_known && row->is_held);
}

bool esse_draft_has(const struct esse_draft_row *row)
{
    return row->is_written || row->added.count || (!row->is_deleted && row->is_there);
}

void esse_draft_change(struct esse_draft *draft, struct esse_draft_row *row,
                       const struct esse_request *request)
{
    switch (request->ask) {
    case ESSE_ASK_APPEND:
        esse_live_items_push(&row->added, draft->arena, request->value);
        break;
    case ESSE_ASK_DELETE:
        row->is_deleted = true;
        row->is_written = false;
        row->added.count = 0;
        break;
    default:
        row->is_written = true;
        row->written = request->value;
    }
}

bool esse_draft_is_changed(const struct esse_draft_row *row)
{
    return row->is_deleted || row->is_written || row->added.count;
}

bool esse_draft_writes(const struct esse_draft *draft)
{
    for (size_t i = 0; i < draft->count; i++)
        if (esse_draft_is_changed(draft->rows[i]))
            return true;
    return false;
}

static void show_items(struct esse_draft *draft, const struct esse_live_items *items)
{
    int64_t *to = esse_live_items_extend(&draft->shown, draft->arena, items->count);
    if (items->count)
        memcpy(to, items->at, items->count * sizeof *to);
}

void esse_draft_show(struct esse_draft *draft, const struct esse_draft_row *row, bool is_list,
                     struct esse_reply *reply)
{
    if (!is_list) {
        reply->value = row->is_written ? row->written : row->is_deleted ? ESSE_ABSENT : row->value;
        return;
    }
    draft->shown.count = 0;
    if (!row->is_deleted)
        show_items(draft, &row->items);
    show_items(draft, &row->added);
    reply->items = draft->shown.at;
    reply->item_count = draft->shown.count;
}

enum esse_progress esse_draft_answer(struct esse_draft *draft, struct esse_draft_row *row,
                                     const struct esse_request *request, bool is_list,
                                     struct esse_reply *reply)
{
    switch (request->ask) {
    case ESSE_ASK_READ:
        esse_draft_show(draft, row, is_list, reply);
        return ESSE_PROGRESS_DONE;
    case ESSE_ASK_INSERT:
        if (esse_draft_has(row))
            return esse_failed(reply, ESSE_FATE_OPEN, "duplicate", "the key is there already");
        break;
    case ESSE_ASK_DELETE:
        reply->is_absent = !esse_draft_has(row);
        if (reply->is_absent)
            return ESSE_PROGRESS_DONE;
        break;
    default:
        break;
    }
    esse_draft_change(draft, row, request);
    return ESSE_PROGRESS_DONE;
}
