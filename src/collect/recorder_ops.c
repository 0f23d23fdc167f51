#include "collect/page.h"

/* Operations on rows of our own tables as they stand in a native line. */

void esse_page_open_op(struct esse_page *page, enum esse_op_kind kind)
{
    if (page->ops.count)
        esse_out_char(&page->ops, ',');
    esse_native_open_op(&page->ops, kind);
}

void esse_page_close_op(struct esse_page *page, const struct esse_noted *noted)
{
    const struct esse_reply *reply = noted->reply;
    struct esse_out *out = &page->ops;
    esse_native_put_interval(out, noted->begin, noted->end);
    if (noted->is_done && reply->snapshot) {
        esse_out_text(out, ESSE_NATIVE_SNAPSHOT);
        esse_out_json(out, reply->snapshot, strlen(reply->snapshot));
    } else if (reply->snapshot_at != ESSE_NO_ID) {
        esse_out_text(out, ESSE_NATIVE_SNAPSHOT);
        esse_out_i64(out, reply->snapshot_at);
    }
    esse_out_char(out, '}');
}

/* A read, a write, an append or a delete.  What a failed read saw is not known. */
static void put_item(struct esse_page *page, const struct esse_noted *noted, enum esse_op_kind kind)
{
    const struct esse_request *request = noted->request;
    const struct esse_reply *reply = noted->reply;
    struct esse_out *out = &page->ops;
    const bool found_nothing = kind == ESSE_OP_DELETE && noted->is_done && reply->is_absent;
    esse_page_open_op(page, found_nothing ? ESSE_OP_READ : kind);
    esse_book_put_key(page->book, out, request->table, request->row);
    if (found_nothing || (kind != ESSE_OP_DELETE && (kind != ESSE_OP_READ || noted->is_done))) {
        esse_out_text(out, ESSE_NATIVE_VALUE);
        if (kind == ESSE_OP_READ && page->book->schema->tables[request->table].is_list) {
            esse_out_char(out, '[');
            esse_out_i64s(out, reply->items, reply->item_count);
            esse_out_char(out, ']');
        } else {
            esse_book_put_value(out, found_nothing          ? ESSE_ABSENT
                                     : kind == ESSE_OP_READ ? reply->value
                                                            : request->value);
        }
    }
    esse_page_close_op(page, noted);
}

/* A predicate's rows, and what a change made of them. */
static void put_rows(struct esse_page *page, const struct esse_noted *noted, enum esse_op_kind kind)
{
    const struct esse_request *request = noted->request;
    struct esse_out *out = &page->ops;
    esse_page_open_op(page, kind);
    esse_out_json(out, request->where, strlen(request->where));
    esse_out_text(out, ESSE_NATIVE_ROWS "{");
    for (size_t i = 0; i < noted->reply->row_count; i++) {
        const struct esse_live_row *row = &noted->reply->rows[i];
        if (i)
            esse_out_char(out, ',');
        esse_book_put_key(page->book, out, request->table, row->row);
        esse_out_text(out, kind == ESSE_OP_PREDICATE_UPDATE ? ":[" : ":");
        esse_book_put_value(out, row->value);
        if (kind == ESSE_OP_PREDICATE_UPDATE) {
            esse_out_char(out, ',');
            esse_book_put_value(out, row->next);
            esse_out_char(out, ']');
        }
    }
    esse_out_char(out, '}');
    esse_page_close_op(page, noted);
}

/* "SELECT count(*) FROM rows WHERE ..." and what it returned. */
static void put_aggregate(struct esse_page *page, const struct esse_noted *noted)
{
    const struct esse_request *request = noted->request;
    struct esse_out *out = &page->ops, *shown = &page->book->shown;
    shown->count = 0;
    esse_out_f(shown, "SELECT %s FROM %s WHERE %s", esse_aggregate_texts[request->aggregate],
               page->book->schema->tables[request->table].name, request->where);
    esse_page_open_op(page, ESSE_OP_PREDICATE_READ);
    esse_out_json(out, shown->buffer, shown->count);
    esse_out_text(out, ESSE_NATIVE_RESULT "[");
    esse_book_put_value(out, noted->reply->value);
    esse_out_char(out, ']');
    esse_page_close_op(page, noted);
}

void esse_page_put(struct esse_page *page, const struct esse_noted *noted)
{
    switch (noted->request->ask) {
    case ESSE_ASK_READ:
        put_item(page, noted, ESSE_OP_READ);
        break;
    case ESSE_ASK_APPEND:
        put_item(page, noted, ESSE_OP_APPEND);
        break;
    case ESSE_ASK_DELETE:
        put_item(page, noted, ESSE_OP_DELETE);
        break;
    case ESSE_ASK_MATCH:
        put_rows(page, noted, ESSE_OP_PREDICATE_READ);
        break;
    case ESSE_ASK_CHANGE:
        put_rows(page, noted, ESSE_OP_PREDICATE_UPDATE);
        break;
    case ESSE_ASK_AGGREGATE:
        put_aggregate(page, noted);
        break;
    default: /* WRITE, INSERT */
        put_item(page, noted, ESSE_OP_WRITE);
        break;
    }
}
