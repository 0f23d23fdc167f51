#include "collect/driver/live_rows.h"

#include "base/digits.h"

#include <stdio.h>
#include <string.h>

void esse_live_list_init(struct esse_live_list *list, struct esse_arena *arena)
{
    *list = (struct esse_live_list){ 0 };
    esse_out_init_memory(&list->text, arena);
}

enum { PAST_END = 16 }; /* zeros behind a text, which is looked at eight bytes at once */

/* Positive integers as JSON has them, with commas between; they fit into 64 bits. */
static bool is_plain(const char *at, const char *end)
{
    for (;;) {
        uint64_t number;
        unsigned digits = esse_digits(at, &number);
        if (digits == 8)
            digits += esse_digits(at + 8, &number);
        if (!digits || (*at == '0' && digits > 1))
            return false;
        at += digits;
        if (at == end)
            return true;
        if (*at++ != ',')
            return false;
    }
}

void esse_live_show_list(struct esse_live_list *list, const char *text, size_t length,
                         struct esse_reply *reply)
{
    list->text.count = list->items.count = 0;
    char *copy = esse_out_room(&list->text, length + PAST_END);
    memcpy(copy, text, length);
    memset(copy + length, 0, PAST_END);
    if (is_plain(copy, copy + length)) {
        reply->list = copy;
        reply->list_length = length;
        return;
    }
    esse_live_parse_list(&list->items, list->text.arena, copy);
    reply->items = list->items.at;
    reply->item_count = list->items.count;
}

enum esse_statement esse_statement_of(const struct esse_request *request)
{
    static const enum esse_statement of[] = {
        [ESSE_ASK_READ] = ESSE_SQL_READ,     [ESSE_ASK_WRITE] = ESSE_SQL_WRITE,
        [ESSE_ASK_INSERT] = ESSE_SQL_INSERT, [ESSE_ASK_APPEND] = ESSE_SQL_APPEND,
        [ESSE_ASK_DELETE] = ESSE_SQL_DELETE, [ESSE_ASK_MATCH] = ESSE_SQL_RANGE,
        [ESSE_ASK_CHANGE] = ESSE_SQL_CHANGE, [ESSE_ASK_AGGREGATE] = ESSE_SQL_COUNT,
    };
    const enum esse_statement which = of[request->ask];
    return which == ESSE_SQL_COUNT ? which + (enum esse_statement)request->aggregate : which;
}

bool esse_statement_make(const char *pattern, const char *table, const char *condition,
                         const char *value, char *sql, size_t room)
{
    for (; *pattern; pattern++) {
        const char *part = *pattern == '%'   ? table
                           : *pattern == '#' ? condition
                           : *pattern == '@' ? value
                                             : NULL;
        const size_t length = part ? strlen(part) : 1;
        if (length >= room)
            return false;
        memcpy(sql, part ? part : pattern, length);
        sql += length;
        room -= length;
    }
    *sql = 0;
    return true;
}

bool esse_live_has_predicates(const struct esse_schema *schema)
{
    bool has = schema->own != NULL;
    for (uint32_t t = 0; t < schema->count; t++)
        has |= schema->tables[t].has_ranges;
    return has;
}

/* Puts the rows into the table that are there from the start, some hundred with a statement. */
static bool insert_rows(struct esse_arena *arena, const struct esse_table *table, esse_run_sql *run,
                        void *context, struct esse_error *err)
{
    enum { AT_ONCE = 500, ROOM = AT_ONCE * 48 + 100 };
    char *sql = esse_arena_grow(arena, NULL, ROOM), *to = sql;
    unsigned count = 0;
    bool ok = true;
    for (uint64_t i = 0; ok && i < table->rows; i++) {
        if (table->initial[i] == ESSE_ABSENT)
            continue;
        if (!count)
            to = sql + sprintf(sql, "INSERT INTO esse_%s(k, v) VALUES ", table->name);
        to += sprintf(to, "%s(%llu,%lld)", count ? "," : "", (unsigned long long)i,
                      (long long)table->initial[i]);
        if (++count == AT_ONCE) {
            ok = run(context, sql, err);
            count = 0;
        }
    }
    if (ok && count)
        ok = run(context, sql, err);
    esse_arena_drop(arena, sql);
    return ok;
}

/* ---- the schema ---- */

static bool drop_table(const struct esse_table *table, esse_run_sql *run, void *context,
                       struct esse_error *err)
{
    char sql[100];
    snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS esse_%s", table->name);
    return run(context, sql, err);
}

bool esse_live_make_tables(struct esse_arena *arena, const struct esse_schema *schema,
                           const char *create, const char *list, esse_run_sql *run, void *context,
                           struct esse_error *err)
{
    char sql[400];
    for (uint32_t t = 0; t < schema->count; t++) {
        const struct esse_table *table = &schema->tables[t];
        esse_statement_make(create, table->name, table->is_list ? list : "BIGINT", "", sql,
                            sizeof sql);
        if (!drop_table(table, run, context, err) || !run(context, sql, err))
            return false;
        snprintf(sql, sizeof sql, "CREATE INDEX esse_i_%s ON esse_%s(v)", table->name, table->name);
        if ((table->has_ranges && !run(context, sql, err)) ||
            !insert_rows(arena, table, run, context, err))
            return false;
    }
    for (const char *const *at = schema->own ? schema->own->setup : NULL; at && *at; at++)
        if (!run(context, *at, err))
            return false;
    return true;
}

void esse_live_drop_tables(const struct esse_schema *schema, esse_run_sql *run, void *context)
{
    struct esse_error ignored;
    for (uint32_t t = 0; t < schema->count; t++)
        drop_table(&schema->tables[t], run, context, &ignored);
    for (const char *const *at = schema->own ? schema->own->teardown : NULL; at && *at; at++)
        run(context, *at, &ignored);
}
