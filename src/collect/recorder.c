#include "collect/recorder.h"

#include "base/out.h"
#include "base/vec.h"
#include "collect/learnt.h"
#include "formats/native.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FULL_BYTES = 64 << 10, OLD_NS = 100 * 1000 * 1000, INIT_PIECE = 1000 };

ESSE_VEC(op_vec, struct esse_op_record)
ESSE_VEC(item_vec, esse_value)
ESSE_VEC(row_vec, struct esse_row)
ESSE_VEC(named_vec, struct esse_named)

struct esse_book {
    struct esse_arena *arena;
    int fd;
    const struct esse_schema *schema;
    int64_t epoch, written; /* 'written': when the buffer was last empty */
    struct esse_values *values;
    struct esse_out out;
    struct esse_sink *sink;
    struct esse_tally tally;
    struct named_vec named;
};

struct esse_page {
    struct esse_book *book;
    int64_t session;
    uint64_t index; /* of the open transaction in its session */
    int64_t start, xid, start_ts, commit_ts;
    struct op_vec ops;
    struct item_vec items;
    struct row_vec rows;
};

int64_t esse_book_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct esse_book *esse_book_new(struct esse_arena *arena, int fd, const struct esse_schema *schema,
                                int64_t epoch)
{
    struct esse_book *book = esse_arena_alloc(arena, 1, sizeof *book);
    *book = (struct esse_book){ .arena = arena, .fd = fd, .schema = schema, .epoch = epoch };
    book->values = esse_values_new(arena);
    book->written = esse_book_clock();
    esse_out_init_memory(&book->out, arena);
    book->sink = esse_native_writer(arena, book->values, &book->out, false);
    return book;
}

esse_value esse_key_of(struct esse_values *values, const struct esse_schema *schema, uint32_t table,
                       int64_t row)
{
    char text[64];
    if (schema->count == 1)
        return esse_value_int(values, row);
    int length = snprintf(text, sizeof text, "%s%lld", schema->tables[table].name, (long long)row);
    return esse_value_string(values, text, (size_t)length);
}

static esse_value value_of(struct esse_book *book, int64_t value)
{
    return value == ESSE_ABSENT ? ESSE_NIL : esse_value_int(book->values, value);
}

/* ---- the first lines ---- */

static bool put_initial(struct esse_book *book, uint32_t number, struct esse_error *err)
{
    const struct esse_table *table = &book->schema->tables[number];
    struct esse_row rows[INIT_PIECE];
    for (uint64_t from = 0; from < table->rows; from += INIT_PIECE) {
        uint64_t count = table->rows - from < INIT_PIECE ? table->rows - from : INIT_PIECE;
        for (uint64_t i = 0; i < count; i++)
            rows[i] = (struct esse_row){ esse_key_of(book->values, book->schema, number,
                                                     (int64_t)(from + i)),
                                         value_of(book, table->initial[from + i]), ESSE_NONE };
        if (!book->sink->init(book->sink, rows, count, err))
            return false;
    }
    return true;
}

bool esse_book_open(struct esse_book *book, const char *db, const char *isolation,
                    struct esse_error *err)
{
    const struct esse_header_record header = {
        .db = esse_value_string(book->values, db, strlen(db)),
        .isolation = esse_value_string(book->values, isolation, strlen(isolation)),
    };
    if (!book->sink->header(book->sink, &header, err))
        return false;
    for (uint32_t t = 0; t < book->schema->count; t++)
        if (!put_initial(book, t, err))
            return false;
    return esse_book_flush(book, true, err);
}

/* ---- a transaction ---- */

struct esse_page *esse_page_new(struct esse_book *book, int64_t session)
{
    struct esse_page *page = esse_arena_alloc(book->arena, 1, sizeof *page);
    page->book = book;
    page->session = session;
    return page;
}

void esse_page_rename(struct esse_page *page, int64_t session)
{
    page->session = session;
    page->index = 0;
}

void esse_page_begin(struct esse_page *page)
{
    page->start = esse_book_clock() - page->book->epoch;
    page->xid = page->start_ts = page->commit_ts = ESSE_NO_ID;
    page->ops.count = page->items.count = page->rows.count = 0;
}

static void add_items(struct esse_page *page, struct esse_op_record *op,
                      const struct esse_reply *reply)
{
    op->is_list = true;
    op->first = page->items.count;
    op->count = reply->item_count;
    esse_value *to = item_vec_extend(&page->items, page->book->arena, reply->item_count);
    for (size_t i = 0; i < reply->item_count; i++)
        to[i] = value_of(page->book, reply->items[i]);
}

static void add_rows(struct esse_page *page, struct esse_op_record *op,
                     const struct esse_request *request, const struct esse_reply *reply)
{
    struct esse_book *book = page->book;
    op->first = page->rows.count;
    op->count = reply->row_count;
    struct esse_row *to = row_vec_extend(&page->rows, book->arena, reply->row_count);
    for (size_t i = 0; i < reply->row_count; i++)
        to[i] = (struct esse_row){
            esse_key_of(book->values, book->schema, request->table, reply->rows[i].row),
            value_of(book, reply->rows[i].value),
            op->kind == ESSE_OP_PREDICATE_UPDATE ? value_of(book, reply->rows[i].next) : ESSE_NONE
        };
}

static const enum esse_op_kind kinds[] = {
    [ESSE_ASK_READ] = ESSE_OP_READ,
    [ESSE_ASK_WRITE] = ESSE_OP_WRITE,
    [ESSE_ASK_INSERT] = ESSE_OP_WRITE,
    [ESSE_ASK_APPEND] = ESSE_OP_APPEND,
    [ESSE_ASK_DELETE] = ESSE_OP_DELETE,
    [ESSE_ASK_MATCH] = ESSE_OP_PREDICATE_READ,
    [ESSE_ASK_CHANGE] = ESSE_OP_PREDICATE_UPDATE,
};

/* An operation as the history shows it; false if it is not shown. */
static bool fill_op(struct esse_page *page, struct esse_op_record *op,
                    const struct esse_request *request, const struct esse_reply *reply,
                    bool is_done)
{
    struct esse_book *book = page->book;
    if (request->ask == ESSE_ASK_AGGREGATE)
        return false;
    op->kind = kinds[request->ask];
    if (esse_op_is_predicate(op->kind)) {
        op->key = esse_value_string(book->values, request->where, strlen(request->where));
        if (is_done)
            add_rows(page, op, request, reply);
        return is_done;
    }
    op->key = esse_key_of(book->values, book->schema, request->table, request->row);
    if (request->ask == ESSE_ASK_DELETE) {
        if (is_done && reply->is_absent) {
            op->kind = ESSE_OP_READ;
            op->value = ESSE_NIL;
        }
    } else if (request->ask != ESSE_ASK_READ) {
        op->value = value_of(book, request->value);
    } else if (is_done && book->schema->tables[request->table].is_list) {
        add_items(page, op, reply);
    } else if (is_done) {
        op->value = value_of(book, reply->value);
    }
    return true;
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

void esse_page_add(struct esse_page *page, const struct esse_request *request,
                   const struct esse_reply *reply, int64_t began, bool is_done)
{
    struct esse_op_record op = { .key = ESSE_NONE, .value = ESSE_NONE };
    note_ids(page, reply);
    if (request->ask < ESSE_ASK_READ || request->ask >= ESSE_ASK_COMMIT || page->book->fd < 0 ||
        !fill_op(page, &op, request, reply, is_done))
        return;
    op.begin = began - page->book->epoch;
    op.end = esse_book_clock() - page->book->epoch;
    op_vec_push(&page->ops, page->book->arena, op);
}

static void count(struct esse_tally *tally, enum esse_status status, size_t operations)
{
    tally->committed += status == ESSE_COMMITTED;
    tally->aborted += status == ESSE_ABORTED;
    tally->unknown += status == ESSE_UNKNOWN_OUTCOME;
    tally->operations += operations;
}

bool esse_page_end(struct esse_page *page, enum esse_status status, struct esse_error *err)
{
    struct esse_book *book = page->book;
    struct esse_txn_record record = esse_txn_record_empty();
    count(&book->tally, status, page->ops.count);
    const uint64_t index = page->index++;
    if (book->fd < 0)
        return true;
    if (status != ESSE_ABORTED && page->xid != ESSE_NO_ID)
        named_vec_push(&book->named, book->arena,
                       (struct esse_named){ page->xid, page->session, index });
    record.session = esse_value_int(book->values, page->session);
    record.status = status;
    record.start = page->start;
    if (status != ESSE_UNKNOWN_OUTCOME)
        record.end = esse_book_clock() - book->epoch;
    record.start_ts = page->start_ts;
    record.commit_ts = page->commit_ts;
    record.ops = page->ops.at;
    record.op_count = page->ops.count;
    record.items = page->items.at;
    record.rows = page->rows.at;
    return book->sink->txn(book->sink, &record, err);
}

/* ---- to the disk ---- */

bool esse_book_flush(struct esse_book *book, bool is_now, struct esse_error *err)
{
    const int64_t now = esse_book_clock();
    if (book->out.count && book->fd >= 0) {
        if (!is_now && book->out.count < FULL_BYTES && now - book->written < OLD_NS)
            return true;
        size_t done = 0;
        while (done < book->out.count) {
            ssize_t got = write(book->fd, book->out.buffer + done, book->out.count - done);
            if (got < 0 && errno != EINTR)
                return esse_fail(err, ESSE_EIO, "cannot write the history: %s", strerror(errno));
            done += got > 0 ? (size_t)got : 0;
        }
    }
    book->out.count = 0;
    book->written = now;
    return true;
}

struct esse_tally esse_book_tally(const struct esse_book *book)
{
    return book->tally;
}

const struct esse_named *esse_book_named(const struct esse_book *book, size_t *count_out)
{
    *count_out = book->named.count;
    return book->named.at;
}

struct esse_sink *esse_book_sink(struct esse_book *book)
{
    return book->sink;
}
