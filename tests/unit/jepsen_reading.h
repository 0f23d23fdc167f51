#ifndef ESSE_TESTS_JEPSEN_READING_H
#define ESSE_TESTS_JEPSEN_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/jepsen.h"
#include "history/value_edn.h"

#include <string.h>

/* Reading Jepsen histories from texts, and showing what was read in one plain line a record. */

struct dump {
    struct esse_sink sink;
    struct esse_out out;
};

static void put(struct dump *d, esse_value value)
{
    if (esse_value_eq(value, ESSE_NONE))
        esse_out_char(&d->out, '?');
    else
        esse_value_put_edn(&d->out, d->sink.values, value);
}

static void put_rows(struct dump *d, const struct esse_row *rows, size_t first, size_t count)
{
    esse_out_char(&d->out, '{');
    for (size_t i = first; i < first + count; i++) {
        esse_out_text(&d->out, i > first ? ", " : "");
        put(d, rows[i].key);
        esse_out_char(&d->out, ' ');
        put(d, rows[i].value);
    }
    esse_out_char(&d->out, '}');
}

static void put_op(struct dump *d, const struct esse_txn_record *txn,
                   const struct esse_op_record *op)
{
    static const char letters[] = "rwadpu";
    esse_out_f(&d->out, " %c ", letters[op->kind]);
    put(d, op->key);
    if (op->kind == ESSE_OP_DELETE)
        return;
    esse_out_char(&d->out, ' ');
    if (op->kind == ESSE_OP_PREDICATE_READ) {
        put_rows(d, txn->rows, op->first, op->count);
    } else if (op->is_list) {
        esse_out_char(&d->out, '(');
        for (size_t i = 0; i < op->count; i++) {
            esse_out_text(&d->out, i ? " " : "");
            put(d, txn->items[op->first + i]);
        }
        esse_out_char(&d->out, ')');
    } else {
        put(d, op->value);
    }
}

static void put_time(struct dump *d, int64_t time)
{
    if (time == ESSE_NO_TIME)
        esse_out_char(&d->out, '-');
    else
        esse_out_i64(&d->out, time);
}

/* session/name status start..end (wall..wall) operations; extras */
static bool dump_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                     struct esse_error *err)
{
    static const char *const status[] = { "ok", "fail", "info" };
    struct dump *d = (struct dump *)sink;
    (void)err;
    put(d, txn->session);
    esse_out_char(&d->out, '/');
    put(d, txn->name);
    esse_out_f(&d->out, " %s ", status[txn->status]);
    put_time(d, txn->start);
    esse_out_text(&d->out, "..");
    put_time(d, txn->end);
    if (txn->wall_start != ESSE_NO_TIME || txn->wall_end != ESSE_NO_TIME) {
        esse_out_text(&d->out, " (");
        put_time(d, txn->wall_start);
        esse_out_text(&d->out, "..");
        put_time(d, txn->wall_end);
        esse_out_char(&d->out, ')');
    }
    esse_out_char(&d->out, ':');
    for (size_t i = 0; i < txn->op_count; i++)
        put_op(d, txn, &txn->ops[i]);
    for (size_t i = 0; i < txn->extra_count; i++)
        esse_out_f(&d->out, "; %.*s %.*s", (int)txn->extras[i].name.length, txn->extras[i].name.at,
                   (int)txn->extras[i].text.length, txn->extras[i].text.at);
    esse_out_char(&d->out, '\n');
    return true;
}

static bool dump_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct dump *d = (struct dump *)sink;
    (void)err;
    esse_out_text(&d->out, "init ");
    put_rows(d, rows, 0, count);
    esse_out_char(&d->out, '\n');
    return true;
}

static bool dump_header(struct esse_sink *sink, const struct esse_header_record *header,
                        struct esse_error *err)
{
    (void)sink;
    (void)header;
    (void)err;
    return true;
}

static bool dump_finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)sink;
    (void)err;
    return true;
}

static inline const char *dump(struct esse_arena *arena, const struct esse_history *history)
{
    struct dump d = { .sink = { .values = history->values,
                                .header = dump_header,
                                .init = dump_init,
                                .txn = dump_txn,
                                .finish = dump_finish } };
    struct esse_error err = { 0 };
    esse_out_init_memory(&d.out, arena);
    assert_true(esse_history_emit(history, &d.sink, &err));
    return esse_out_memory(&d.out);
}

static struct esse_history *read_source(struct esse_arena *arena, struct esse_source *source,
                                        const struct esse_format *format, enum esse_workload asked,
                                        struct esse_error *err)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { source, builder, esse_builder_sink(builder), asked, asked };
    struct esse_history *history = NULL;
    if (!format->read(&reading, err) ||
        !esse_builder_freeze_as(builder, format->name, reading.found, &history, err))
        return NULL;
    return history;
}

static struct esse_history *read_text(struct esse_arena *arena, const char *text,
                                      const struct esse_format *format, enum esse_workload asked,
                                      struct esse_error *err)
{
    struct esse_source source;
    esse_source_memory(&source, arena, text, strlen(text));
    return read_source(arena, &source, format, asked, err);
}

static struct esse_history *good(struct esse_arena *arena, const char *text)
{
    struct esse_error err = { 0 };
    const struct esse_format *format = esse_format_elle_json.sniff(text, text + strlen(text))
                                           ? &esse_format_elle_json
                                           : &esse_format_jepsen_edn;
    struct esse_history *history = read_text(arena, text, format, ESSE_WORKLOAD_ANY, &err);
    if (!history)
        fail_msg("%d:%d: %s", (int)err.line, (int)err.column, err.text);
    return history;
}

#endif
