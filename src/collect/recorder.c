#include "collect/recorder.h"

#include "collect/learnt.h"
#include "collect/page.h"
#include "formats/native.h"

#include <stdio.h>
#include <time.h>

enum { INIT_PIECE = 1000, MOST_ATOMS = 1 << 10 }; /* a pool that stays in the cache */

int64_t esse_book_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t esse_book_now(struct esse_book *book)
{
    return book->last = esse_book_clock();
}

int64_t esse_book_last(const struct esse_book *book)
{
    return book->last;
}

/* ---- books ---- */

static void begin_pool(struct esse_book *book)
{
    if (book->pool)
        esse_arena_free(book->pool);
    book->pool = esse_arena_new();
    book->values = esse_values_new(book->pool);
    book->sink = esse_native_writer(book->pool, book->values, &book->front.at.bytes, false);
}

struct esse_book *esse_book_new(struct esse_arena *arena, const struct esse_schema *schema,
                                int64_t epoch, bool is_idle)
{
    struct esse_book *book = esse_arena_alloc(arena, 1, sizeof *book);
    *book = (struct esse_book){
        .arena = arena, .schema = schema, .epoch = epoch, .last = epoch, .is_idle = is_idle
    };
    pthread_mutex_init(&book->front.lock, NULL);
    esse_out_init_memory(&book->front.at.bytes, arena);
    esse_out_init_memory(&book->shown, arena);
    begin_pool(book);
    return book;
}

void esse_book_release(struct esse_book *book)
{
    pthread_mutex_destroy(&book->front.lock);
    esse_arena_free(book->pool);
}

struct esse_front *esse_book_front(struct esse_book *book)
{
    return &book->front;
}

struct esse_tally esse_book_tally(const struct esse_book *book)
{
    return book->tally;
}

const struct esse_named *esse_book_named(const struct esse_book *book, size_t *count)
{
    *count = book->named.count;
    return book->named.at;
}

void esse_book_line(struct esse_book *book, int64_t stamp, size_t before)
{
    esse_line_vec_push(&book->front.at.lines, book->arena,
                       (struct esse_line){ stamp, book->front.at.bytes.count - before });
}

struct esse_sink *esse_book_sink(struct esse_book *book)
{
    return book->sink;
}

void esse_book_played(struct esse_book *book)
{
    size_t before = 0;
    for (size_t i = 0; i < book->front.at.lines.count; i++)
        before += book->front.at.lines.at[i].length;
    esse_book_line(book, esse_book_clock(), before);
}

esse_value esse_key_of(struct esse_values *values, const struct esse_schema *schema, uint32_t table,
                       int64_t row)
{
    char text[64];
    if (schema->count == 1)
        return esse_value_int(values, row);
    /* Not by printf, which would cost more than all the rest. */
    const char *name = schema->tables[table].name;
    size_t length = strlen(name), at = sizeof text;
    uint64_t rest = row < 0 ? 0 - (uint64_t)row : (uint64_t)row;
    do
        text[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (row < 0)
        text[--at] = '-';
    text[--at] = '/';
    length = length < at ? length : at;
    memcpy(text + at - length, name, length);
    return esse_value_string(values, text + at - length, sizeof text - at + length);
}

static esse_value value_of(struct esse_book *book, int64_t value)
{
    return value == ESSE_ABSENT ? ESSE_NIL : esse_value_int(book->values, value);
}

/* ---- the first lines ---- */

/* Rows that are there from the start; of a register that is absent nothing is said. */
static bool put_initial(struct esse_book *book, uint32_t number, struct esse_error *err)
{
    const struct esse_table *table = &book->schema->tables[number];
    struct esse_row rows[INIT_PIECE];
    size_t count = 0;
    for (uint64_t i = 0; i < table->rows; i++) {
        if (table->initial[i] != ESSE_ABSENT)
            rows[count++] =
                (struct esse_row){ esse_key_of(book->values, book->schema, number, (int64_t)i),
                                   value_of(book, table->initial[i]), ESSE_NONE };
        if (count && (count == INIT_PIECE || i + 1 == table->rows)) {
            if (!book->sink->init(book->sink, rows, count, err))
                return false;
            count = 0;
        }
    }
    return true;
}

/* The names of the columns of a user's own tables: a column may be NULL in every row. */
static void note_columns(struct esse_book *book, struct esse_header_record *header)
{
    const struct esse_own_schema *own = book->schema->own;
    for (uint32_t t = 0; own && t < own->count; t++)
        for (uint32_t c = 0; c < own->tables[t].column_count; c++) {
            const char *name = own->tables[t].columns[c];
            const esse_value value = esse_value_string(book->values, name, strlen(name));
            bool is_new = true;
            for (size_t i = 0; i < book->items.count; i++)
                is_new &= !esse_value_eq(book->items.at[i], value);
            if (is_new)
                esse_item_vec_push(&book->items, book->arena, value);
        }
    header->columns = book->items.at;
    header->column_count = book->items.count;
}

bool esse_book_open(struct esse_book *book, const char *db, const char *isolation,
                    struct esse_error *err)
{
    struct esse_header_record header = {
        .db = esse_value_string(book->values, db, strlen(db)),
        .isolation = esse_value_string(book->values, isolation, strlen(isolation)),
    };
    note_columns(book, &header);
    bool ok = book->sink->header(book->sink, &header, err);
    for (uint32_t t = 0; ok && t < book->schema->count; t++)
        ok = put_initial(book, t, err);
    esse_book_line(book, 0, 0);
    return ok;
}

/* ---- an open transaction ---- */

struct esse_page *esse_page_new(struct esse_book *book, int64_t session)
{
    struct esse_page *page = esse_arena_alloc(book->arena, 1, sizeof *page);
    page->book = book;
    page->session = session;
    page->cells.arena = book->arena;
    return page;
}

void esse_page_rename(struct esse_page *page, int64_t session)
{
    page->session = session;
    page->index = 0;
}

void esse_page_begin(struct esse_page *page)
{
    page->start = page->book->last - page->book->epoch;
    page->xid = page->start_ts = page->commit_ts = ESSE_NO_ID;
    page->noted.count = page->numbers.count = page->found.count = page->texts.count = 0;
    esse_cells_clear(&page->cells);
}

size_t esse_page_text(struct esse_page *page, const char *text)
{
    if (!text)
        return 0;
    const size_t at = page->texts.count, length = strlen(text) + 1;
    memcpy(esse_char_vec_extend(&page->texts, page->book->arena, length), text, length);
    return at + 1;
}

static void note_ids(struct esse_page *page, const struct esse_reply *reply)
{
    if (reply->xid != ESSE_NO_ID)
        page->xid = reply->xid;
    if (reply->start_ts != ESSE_NO_ID)
        page->start_ts = reply->start_ts;
    if (reply->commit_ts != ESSE_NO_ID)
        page->commit_ts = reply->commit_ts;
}

/* Items of a list, or rows. */
static void note_found(struct esse_page *page, struct esse_noted *noted,
                       const struct esse_reply *reply)
{
    struct esse_arena *arena = page->book->arena;
    if (page->book->schema->tables[noted->table].is_list) {
        noted->first = page->numbers.count;
        noted->count = reply->item_count;
        int64_t *to = esse_number_vec_extend(&page->numbers, arena, reply->item_count);
        if (reply->item_count)
            memcpy(to, reply->items, reply->item_count * sizeof *to);
        return;
    }
    noted->first = page->found.count;
    noted->count = reply->row_count;
    struct esse_live_row *to = esse_found_vec_extend(&page->found, arena, reply->row_count);
    if (reply->row_count)
        memcpy(to, reply->rows, reply->row_count * sizeof *to);
}

void esse_page_add(struct esse_page *page, const struct esse_request *request,
                   const struct esse_reply *reply, int64_t began, bool is_done)
{
    note_ids(page, reply);
    if (request->ask < ESSE_ASK_READ || request->ask >= ESSE_ASK_COMMIT || page->book->is_idle ||
        (!is_done && request->ask >= ESSE_ASK_MATCH))
        return;
    const bool is_written = request->ask >= ESSE_ASK_WRITE && request->ask <= ESSE_ASK_DELETE;
    struct esse_noted *noted = esse_noted_vec_extend(&page->noted, page->book->arena, 1);
    *noted = (struct esse_noted){
        .ask = request->ask,
        .aggregate = request->aggregate,
        .is_done = is_done,
        .is_absent = reply->is_absent,
        .table = request->table,
        .row = request->row,
        .value = is_written ? request->value : reply->value,
        .where = esse_page_text(page, request->where),
        .snapshot = is_done ? esse_page_text(page, reply->snapshot) : 0,
        .snapshot_at = reply->snapshot_at,
        .begin = began - page->book->epoch,
        .end = esse_book_now(page->book) - page->book->epoch,
    };
    if (request->ask == ESSE_ASK_OWN)
        esse_page_note_own(page, noted, request->own, reply);
    else if (is_done)
        note_found(page, noted, reply);
}

/* ---- its record ---- */

static esse_value text_of(const struct esse_page *page, size_t at)
{
    const char *text = page->texts.at + at - 1;
    return esse_value_string(page->book->values, text, strlen(text));
}

static void fill_items(struct esse_page *page, const struct esse_noted *noted,
                       struct esse_op_record *op)
{
    struct esse_book *book = page->book;
    op->is_list = true;
    op->first = book->items.count;
    op->count = noted->count;
    esse_value *to = esse_item_vec_extend(&book->items, book->arena, noted->count);
    for (size_t i = 0; i < noted->count; i++)
        to[i] = value_of(book, page->numbers.at[noted->first + i]);
}

static void fill_rows(struct esse_page *page, const struct esse_noted *noted,
                      struct esse_op_record *op)
{
    struct esse_book *book = page->book;
    op->first = book->rows.count;
    op->count = noted->count;
    struct esse_row *to = esse_row_vec_extend(&book->rows, book->arena, noted->count);
    for (size_t i = 0; i < noted->count; i++) {
        const struct esse_live_row *row = &page->found.at[noted->first + i];
        to[i] = (struct esse_row){ esse_key_of(book->values, book->schema, noted->table, row->row),
                                   value_of(book, row->value),
                                   op->kind == ESSE_OP_PREDICATE_UPDATE ? value_of(book, row->next)
                                                                        : ESSE_NONE };
    }
}

/* "SELECT count(*) FROM rows WHERE ..." and what it returned. */
static void fill_aggregate(struct esse_page *page, const struct esse_noted *noted,
                           struct esse_op_record *op)
{
    struct esse_book *book = page->book;
    char text[300];
    int length = snprintf(
        text, sizeof text, "SELECT %s FROM %s WHERE %s", esse_aggregate_texts[noted->aggregate],
        book->schema->tables[noted->table].name, page->texts.at + noted->where - 1);
    op->key = esse_value_string(book->values, text, (size_t)length);
    op->no_rows = op->has_result = true;
    op->result_first = book->items.count;
    op->result_count = 1;
    esse_item_vec_push(&book->items, book->arena, value_of(book, noted->value));
}

static const enum esse_op_kind kinds[] = {
    [ESSE_ASK_READ] = ESSE_OP_READ,
    [ESSE_ASK_WRITE] = ESSE_OP_WRITE,
    [ESSE_ASK_INSERT] = ESSE_OP_WRITE,
    [ESSE_ASK_APPEND] = ESSE_OP_APPEND,
    [ESSE_ASK_DELETE] = ESSE_OP_DELETE,
    [ESSE_ASK_MATCH] = ESSE_OP_PREDICATE_READ,
    [ESSE_ASK_CHANGE] = ESSE_OP_PREDICATE_UPDATE,
    [ESSE_ASK_AGGREGATE] = ESSE_OP_PREDICATE_READ,
    [ESSE_ASK_OWN] = ESSE_OP_PREDICATE_READ,
};

static void fill_item(struct esse_page *page, const struct esse_noted *noted,
                      struct esse_op_record *op)
{
    struct esse_book *book = page->book;
    op->key = esse_key_of(book->values, book->schema, noted->table, noted->row);
    if (noted->ask == ESSE_ASK_DELETE && noted->is_done && noted->is_absent) {
        op->kind = ESSE_OP_READ;
        op->value = ESSE_NIL;
    } else if (noted->ask == ESSE_ASK_READ && noted->is_done &&
               book->schema->tables[noted->table].is_list) {
        fill_items(page, noted, op);
    } else if (noted->ask != ESSE_ASK_DELETE && (noted->ask != ESSE_ASK_READ || noted->is_done)) {
        op->value = value_of(book, noted->value);
    }
}

static void fill_op(struct esse_page *page, const struct esse_noted *noted)
{
    struct esse_book *book = page->book;
    struct esse_op_record op = {
        .kind = kinds[noted->ask], .begin = noted->begin, .end = noted->end, .snapshot = ESSE_NONE
    };
    if (noted->snapshot)
        op.snapshot = text_of(page, noted->snapshot);
    else if (noted->snapshot_at != ESSE_NO_ID)
        op.snapshot = esse_value_int(book->values, noted->snapshot_at);
    if (noted->ask == ESSE_ASK_OWN) {
        esse_page_fill_own(page, noted, &op);
        return;
    }
    if (noted->ask < ESSE_ASK_MATCH) {
        fill_item(page, noted, &op);
    } else if (noted->ask == ESSE_ASK_AGGREGATE) {
        fill_aggregate(page, noted, &op);
    } else {
        op.key = text_of(page, noted->where);
        fill_rows(page, noted, &op);
    }
    esse_op_vec_push(&book->ops, book->arena, op);
}

static void count_in(struct esse_tally *tally, enum esse_status status, size_t operations)
{
    tally->committed += status == ESSE_COMMITTED;
    tally->aborted += status == ESSE_ABORTED;
    tally->unknown += status == ESSE_UNKNOWN_OUTCOME;
    tally->operations += operations;
}

static struct esse_txn_record record_of(struct esse_page *page, enum esse_status status)
{
    struct esse_book *book = page->book;
    struct esse_txn_record record = esse_txn_record_empty();
    book->ops.count = book->items.count = book->rows.count = 0;
    esse_cells_done(&page->cells);
    for (size_t i = 0; i < page->noted.count; i++)
        fill_op(page, &page->noted.at[i]);
    record.session = esse_value_int(book->values, page->session);
    record.status = status;
    record.start = page->start;
    record.start_ts = page->start_ts;
    record.commit_ts = page->commit_ts;
    if (page->xid != ESSE_NO_ID)
        record.xid = page->xid;
    record.ops = book->ops.at;
    record.op_count = book->ops.count;
    record.items = book->items.at;
    record.rows = book->rows.at;
    return record;
}

bool esse_page_end(struct esse_page *page, enum esse_status status, struct esse_error *err)
{
    struct esse_book *book = page->book;
    const uint64_t index = page->index++;
    count_in(&book->tally, status, page->noted.count);
    if (book->is_idle)
        return true;
    if (status != ESSE_ABORTED && page->xid != ESSE_NO_ID)
        esse_named_vec_push(
            &book->named, book->arena,
            (struct esse_named){ page->xid, page->session, index, status == ESSE_UNKNOWN_OUTCOME });
    struct esse_txn_record record = record_of(page, status);
    pthread_mutex_lock(&book->front.lock);
    const int64_t stamp = esse_book_now(book);
    const size_t before = book->front.at.bytes.count;
    if (status != ESSE_UNKNOWN_OUTCOME)
        record.end = stamp - book->epoch;
    const bool ok = book->sink->txn(book->sink, &record, err);
    esse_book_line(book, stamp, before);
    pthread_mutex_unlock(&book->front.lock);
    if (esse_values_atoms(book->values) > MOST_ATOMS)
        begin_pool(book);
    return ok;
}
