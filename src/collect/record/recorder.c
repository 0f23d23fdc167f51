#include "collect/record/recorder.h"

#include "base/checked.h"
#include "base/clock.h"
#include "collect/record/page.h"
#include "formats/native.h"

#include <stdatomic.h>
#include <stdio.h>

enum { INIT_PIECE = 1000 };

int64_t esse_book_now(struct esse_book *book)
{
    return book->last = esse_clock_ns();
}

int64_t esse_book_last(const struct esse_book *book)
{
    return book->last;
}

/* ---- books ---- */

/* A row's key is its number, or TABLE/NUMBER if there are several tables. */
static const struct esse_key_beginning *key_beginnings(struct esse_arena *arena,
                                                       const struct esse_schema *schema)
{
    struct esse_key_beginning *keys = esse_arena_alloc(arena, schema->count, sizeof *keys);
    const bool is_one = schema->count == 1;
    for (uint32_t t = 0; t < schema->count; t++) {
        const int length = snprintf(keys[t].text, sizeof keys[t].text, "\"%s%s",
                                    is_one ? "" : schema->tables[t].name, is_one ? "" : "/");
        keys[t].length = (size_t)length;
        assert(keys[t].length < sizeof keys[t].text);
    }
    return keys;
}

struct esse_book *esse_book_new(struct esse_arena *arena, const struct esse_schema *schema,
                                int64_t epoch)
{
    struct esse_book *book = esse_arena_alloc(arena, 1, sizeof *book);
    book->arena = arena;
    book->schema = schema;
    book->epoch = book->last = epoch;
    pthread_mutex_init(&book->front.lock, NULL);
    for (int i = 0; i < 2; i++)
        esse_out_init_memory(&book->front.at[i].bytes, arena);
    esse_out_init_memory(&book->records, arena);
    esse_out_init_memory(&book->shown, arena);
    book->sink = esse_native_writer(arena, esse_values_new(arena), &book->records, false);
    book->keys = key_beginnings(arena, schema);
    if (schema->own)
        book->columns = esse_own_columns(arena, schema->own);
    return book;
}

void esse_book_release(struct esse_book *book)
{
    ESSE_SEAM(esse_book_valid(book));
    pthread_mutex_destroy(&book->front.lock);
}

void esse_book_rest(struct esse_book *book, bool rests)
{
    atomic_store_explicit(&book->rests, rests, memory_order_relaxed);
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
    struct esse_lines *lines = esse_front_lines(&book->front);
    esse_line_vec_push(&lines->lines, book->arena,
                       (struct esse_line){ stamp, lines->bytes.count - before });
}

struct esse_sink *esse_book_sink(struct esse_book *book)
{
    return book->sink;
}

/* What was sent to the sink becomes a line, or several that belong together. */
static void take_records(struct esse_book *book, int64_t stamp)
{
    struct esse_out *out = &esse_front_lines(&book->front)->bytes;
    const size_t before = out->count;
    esse_out_bytes(out, book->records.buffer, book->records.count);
    book->records.count = 0;
    esse_book_line(book, stamp, before);
}

void esse_book_played(struct esse_book *book)
{
    take_records(book, esse_clock_ns());
}

void esse_book_fault(struct esse_book *book, const struct esse_fault_record *fault)
{
    pthread_mutex_lock(&book->front.lock);
    struct esse_out *out = &esse_front_lines(&book->front)->bytes;
    const size_t before = out->count;
    esse_out_upto(out, esse_native_put_fault(esse_out_room(out, ESSE_NATIVE_ROOM), fault));
    esse_book_line(book, esse_book_now(book), before);
    pthread_mutex_unlock(&book->front.lock);
}

/* ---- the first lines ---- */

/* Rows that are there from the start; of a register that is absent nothing is said. */
static void put_initial(struct esse_book *book, uint32_t number)
{
    const struct esse_table *table = &book->schema->tables[number];
    struct esse_out *out = &book->records;
    size_t count = 0;
    for (uint64_t i = 0; i < table->rows; i++) {
        if (table->initial[i] == ESSE_ABSENT)
            continue;
        const bool is_first = count++ % INIT_PIECE == 0;
        if (is_first && count > 1)
            esse_out_text(out, "}}\n");
        char *to = esse_out_room(out, ESSE_NATIVE_ROOM);
        to = esse_put_text(to, is_first ? ESSE_NATIVE_INIT "{" : ",");
        to = esse_book_put_key(book, to, number, (int64_t)i);
        *to++ = ':';
        esse_out_upto(out, esse_book_put_value(to, table->initial[i]));
    }
    if (count)
        esse_out_text(out, "}}\n");
}

/* The names of the columns of a user's own tables: a column may be NULL in every row. */
static void note_columns(struct esse_book *book, struct esse_header_record *header)
{
    const struct esse_own_schema *own = book->schema->own;
    size_t room = 0, count = 0;
    for (uint32_t t = 0; t < own->count; t++)
        room += own->tables[t].column_count;
    esse_value *columns = esse_arena_alloc(book->arena, room, sizeof *columns);
    for (uint32_t t = 0; t < own->count; t++)
        for (uint32_t c = 0; c < own->tables[t].column_count; c++) {
            const char *name = own->tables[t].columns[c];
            const esse_value value = esse_value_string(book->sink->values, name, strlen(name));
            bool is_new = true;
            for (size_t i = 0; i < count; i++)
                is_new &= !esse_value_eq(columns[i], value);
            if (is_new)
                columns[count++] = value;
        }
    header->columns = columns;
    header->column_count = count;
}

/* And the statements, which operations name by number. */
static void note_statements(struct esse_book *book, struct esse_header_record *header)
{
    const struct esse_own_schema *own = book->schema->own;
    esse_value *texts = esse_arena_alloc(book->arena, own->statement_count, sizeof *texts);
    for (uint32_t i = 0; i < own->statement_count; i++)
        texts[i] =
            esse_value_string(book->sink->values, own->statements[i], strlen(own->statements[i]));
    header->statements = texts;
    header->statement_count = own->statement_count;
}

bool esse_book_open(struct esse_book *book, const char *db, const char *isolation,
                    struct esse_error *err)
{
    struct esse_values *values = book->sink->values;
    struct esse_header_record header = {
        .db = esse_value_string(values, db, strlen(db)),
        .isolation = esse_value_string(values, isolation, strlen(isolation)),
    };
    if (book->schema->own) {
        note_columns(book, &header);
        note_statements(book, &header);
    }
    if (!book->sink->header(book->sink, &header, err))
        return false;
    for (uint32_t t = 0; t < book->schema->count; t++)
        put_initial(book, t);
    take_records(book, 0);
    ESSE_SEAM(esse_book_valid(book));
    return true;
}

/* ---- an open transaction ---- */

struct esse_page *esse_page_new(struct esse_book *book, int64_t session)
{
    struct esse_page *page = esse_arena_alloc(book->arena, 1, sizeof *page);
    page->book = book;
    page->next = book->pages;
    page->session = session;
    esse_out_init_memory(&page->ops, book->arena);
    book->pages = page;
    return page;
}

void esse_page_rename(struct esse_page *page, int64_t session)
{
    page->session = session;
    page->index = 0;
}

void esse_page_begin(struct esse_page *page)
{
    page->is_idle = atomic_load_explicit(&page->book->rests, memory_order_relaxed);
    page->start = page->book->last - page->book->epoch;
    page->xid = page->start_ts = page->commit_ts = ESSE_NO_ID;
    page->operations = 0;
    page->has_written = false;
    page->ops.count = 0;
    page->name = NULL;
    page->is_open = !page->is_idle;
}

void esse_page_name(struct esse_page *page, const char *name)
{
    page->name = name;
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
    note_ids(page, reply);
    if (request->ask < ESSE_ASK_READ || request->ask >= ESSE_ASK_COMMIT || page->is_idle ||
        (!is_done && request->ask >= ESSE_ASK_MATCH))
        return;
    const struct esse_noted noted = { .request = request,
                                      .reply = reply,
                                      .is_done = is_done,
                                      .begin = began - page->book->epoch,
                                      .end = esse_book_now(page->book) - page->book->epoch };
    page->operations++;
    if (request->ask == ESSE_ASK_OWN)
        esse_page_put_own(page, &noted);
    else
        esse_page_put(page, &noted);
}

/* ---- its end ---- */

static void count_in(struct esse_tally *tally, enum esse_status status, uint64_t operations)
{
    tally->committed += status == ESSE_COMMITTED;
    tally->aborted += status == ESSE_ABORTED;
    tally->unknown += status == ESSE_UNKNOWN_OUTCOME;
    tally->operations += operations;
}

static char *put_head(const struct esse_page *page, char *to, struct esse_put_times *times,
                      enum esse_status status, int64_t end)
{
    struct esse_txn_record record = esse_txn_record_empty();
    record.status = status;
    record.start = page->start;
    record.end = status == ESSE_UNKNOWN_OUTCOME ? ESSE_NO_TIME : end;
    record.start_ts = page->start_ts;
    record.commit_ts = page->commit_ts;
    record.xid = page->xid;
    to = esse_put_i64(esse_put_text(to, ESSE_NATIVE_SESSION), page->session);
    return esse_native_put_head(to, times, &record);
}

static void put_line(struct esse_page *page, struct esse_out *out, enum esse_status status,
                     int64_t end)
{
    char *to = esse_out_room(out, ESSE_HEAD_ROOM);
    esse_out_upto(out, put_head(page, to, &page->book->times, status, end));
    if (page->name) {
        esse_out_text(out, ",\"edn\":{\":transaction\":");
        esse_out_json_text(out, page->name);
        esse_out_char(out, '}');
    }
    esse_out_text(out, ESSE_NATIVE_OPS);
    esse_out_bytes(out, page->ops.buffer, page->ops.count);
    esse_out_text(out, ESSE_NATIVE_TXN_END);
}

bool esse_page_open_line(const struct esse_page *page, char *head, struct esse_open_line *line)
{
    struct esse_put_times times = { 0 }; /* the book's own may be half made */
    if (!page->is_open)
        return false;
    char *end = put_head(page, head, &times, ESSE_UNKNOWN_OUTCOME, ESSE_NO_TIME);
    line->head_length = (size_t)(esse_put_text(end, ESSE_NATIVE_OPS) - head);
    line->ops = page->ops.buffer;
    line->ops_length = page->ops.count;
    return true;
}

void esse_page_end(struct esse_page *page, enum esse_status status)
{
    struct esse_book *book = page->book;
    const uint64_t index = page->index++;
    count_in(&book->tally, status, page->operations);
    if (page->is_idle)
        return;
    if (status != ESSE_ABORTED && page->xid != ESSE_NO_ID)
        esse_named_vec_push(&book->named, book->arena,
                            (struct esse_named){ page->xid, page->session, index, page->start,
                                                 status == ESSE_UNKNOWN_OUTCOME,
                                                 page->has_written });
    pthread_mutex_lock(&book->front.lock);
    const int64_t stamp = esse_book_now(book);
    struct esse_out *out = &esse_front_lines(&book->front)->bytes;
    const size_t before = out->count;
    put_line(page, out, status, stamp - book->epoch);
    page->is_open = false;
    esse_book_line(book, stamp, before);
    pthread_mutex_unlock(&book->front.lock);
}
