#include "report/report_ops.h"

#include "base/out.h"
#include "history/access.h"
#include "history/show.h"
#include "report/report_words.h"

#include <string.h>

enum { LEAST = 14, ROW = 24, PARTICIPANTS_MOST = 64 };

struct fitting {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_anomaly *anomaly;
    struct esse_participants participants;
};

/* ---- columns that matter ---- */

static bool column_of(const struct fitting *f, esse_value row, esse_value name, esse_value *value)
{
    uint32_t count;
    if (esse_value_kind(f->history->values, row) != ESSE_KIND_MAP)
        return false;
    const esse_value *parts = esse_value_parts(f->history->values, row, &count);
    for (uint32_t i = 0; i + 1 < count; i += 2)
        if (esse_value_eq(parts[i], name)) {
            *value = parts[i + 1];
            return true;
        }
    return false;
}

/* Is the column other in anything that one operation saw or wrote of the key? */
static bool differs_in(const struct fitting *f, uint32_t op, esse_key key, esse_value name,
                       esse_value value)
{
    for (uint32_t i = 0; i < esse_access_count(f->history, op); i++) {
        const struct esse_access access = esse_access_at(f->history, op, i);
        esse_value other;
        if (access.key.ix == key.ix && column_of(f, access.value, name, &other) &&
            !esse_value_eq(other, value))
            return true;
    }
    return false;
}

static bool varies(const struct fitting *f, esse_key key, esse_value name, esse_value value)
{
    for (uint32_t t = 0; t < f->participants.count && t < PARTICIPANTS_MOST; t++) {
        const uint32_t txn = f->participants.txns[t].ix;
        for (uint32_t op = f->history->txn_op[txn]; op < f->history->txn_op[txn + 1]; op++)
            if (differs_in(f, op, key, name, value))
                return true;
    }
    return false;
}

/* Does the text of a predicate name the column? */
static bool is_asked_by(const struct fitting *f, esse_op op, esse_value name)
{
    char bytes[8], room[8];
    if (op.ix == ESSE_NO_OP || !esse_op_is_predicate(f->history->op_kind[op.ix]))
        return false;
    const struct esse_span text = esse_value_text(
        f->history->values, f->history->predicates[f->history->op_key[op.ix]].text, bytes);
    const struct esse_span column = esse_value_text(f->history->values, name, room);
    return column.length && memmem(text.at, text.length, column.at, column.length);
}

static bool is_asked(const struct fitting *f, esse_value name)
{
    const struct esse_anomaly *anomaly = f->anomaly;
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        if (is_asked_by(f, anomaly->edges[i].from_op, name) ||
            is_asked_by(f, anomaly->edges[i].to_op, name))
            return true;
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        if (is_asked_by(f, anomaly->steps[i].op, name))
            return true;
    return false;
}

/* ---- values ---- */

/* {"sold":5,…}: the columns that matter. */
static void put_row(struct esse_out *out, const struct fitting *f, esse_key key, esse_value row)
{
    uint32_t count, shown = 0;
    const esse_value *parts = esse_value_parts(f->history->values, row, &count);
    esse_out_char(out, '{');
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        if (!varies(f, key, parts[i], parts[i + 1]) && !is_asked(f, parts[i]))
            continue;
        esse_out_text(out, shown++ ? "," : "");
        esse_show_value(out, f->history, parts[i]);
        esse_out_char(out, ':');
        esse_show_value(out, f->history, parts[i + 1]);
    }
    esse_out_text(out, 2 * shown < count ? shown ? ",…}" : "…}" : "}");
}

static const char *fit_value(const struct fitting *f, esse_key key, esse_value value, size_t most)
{
    const char *whole = esse_show_text_within(f->arena, f->history, value, most);
    if (esse_words_width(whole) <= most)
        return whole;
    if (esse_value_kind(f->history->values, value) != ESSE_KIND_MAP)
        return esse_words_fit(f->arena, whole, most);
    struct esse_out out;
    esse_out_init_memory(&out, f->arena);
    put_row(&out, f, key, value);
    return esse_out_memory(&out);
}

/* ---- operations ---- */

static const char *fit_item(const struct fitting *f, uint32_t op, size_t most)
{
    static const char *const verbs[] = { "r", "w", "a", "d" };
    const unsigned kind = f->history->op_kind[op];
    const esse_key key = { f->history->op_key[op] };
    const char *name = esse_show_key_within(f->arena, f->history, key,
                                            most > 2 * LEAST ? most - LEAST - 5 : LEAST);
    const char *head = esse_arena_format(f->arena, "%s %s%s", verbs[kind], name,
                                         kind == ESSE_OP_DELETE   ? ""
                                         : kind == ESSE_OP_APPEND ? " "
                                                                  : " = ");
    const size_t used = esse_words_width(head);
    if (kind == ESSE_OP_DELETE)
        return head;
    return esse_arena_format(f->arena, "%s%s", head,
                             fit_value(f, key, f->history->op_value[op],
                                       used + LEAST < most ? most - used : (size_t)LEAST));
}

/* The statement, what it returned, and of its rows those of the anomaly's keys. */
static const char *fit_predicate(const struct fitting *f, uint32_t op, size_t most)
{
    const struct esse_predicate_op *predicate = &f->history->predicates[f->history->op_key[op]];
    struct esse_out out;
    esse_out_init_memory(&out, f->arena);
    esse_show_statement(&out, f->history, (esse_op){ op }, most);
    if (predicate->no_rows)
        return esse_out_memory(&out);
    esse_out_f(&out, ": {%u row%s", predicate->row_count, predicate->row_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        const struct esse_keyed_row *row = &f->history->rows[predicate->row + i];
        bool is_named = f->anomaly->has_key && f->anomaly->key.ix == row->key.ix;
        for (uint32_t e = 0; e < f->anomaly->edge_count; e++)
            is_named |= f->anomaly->edges[e].has_key && f->anomaly->edges[e].key.ix == row->key.ix;
        if (!is_named)
            continue;
        esse_out_text(&out, ", ");
        esse_show_bare_key(&out, f->history, row->key);
        esse_out_f(&out, " %s", fit_value(f, row->key, row->value, ROW));
        if (f->history->op_kind[op] == ESSE_OP_PREDICATE_UPDATE)
            esse_out_f(&out, "→%s", fit_value(f, row->key, row->next, ROW));
    }
    esse_out_char(&out, '}');
    return esse_out_memory(&out);
}

const char *esse_shown_op_fit(struct esse_arena *arena, const struct esse_history *history,
                              const struct esse_anomaly *anomaly, uint32_t op, size_t most)
{
    const char *whole = esse_shown_op(arena, history, op);
    if (esse_words_width(whole) <= most)
        return whole;
    const struct fitting f = { arena, history, anomaly, esse_participants_of(arena, anomaly) };
    return esse_op_is_predicate(history->op_kind[op]) ? fit_predicate(&f, op, most)
                                                      : fit_item(&f, op, most);
}

static bool shows(const struct esse_history *history, uint32_t op, const char *written)
{
    char room[8];
    if (!esse_op_is_predicate(history->op_kind[op]))
        return false;
    const struct esse_span text =
        esse_value_text(history->values, history->predicates[history->op_key[op]].text, room);
    return esse_span_is(text, written);
}

const char *esse_shown_written(struct esse_arena *arena, const struct esse_history *history,
                               uint32_t op, size_t most)
{
    if (!esse_op_statement(history, op) ||
        shows(history, op, esse_show_written(arena, history, (esse_op){ op }, SIZE_MAX)))
        return NULL;
    return esse_show_written(arena, history, (esse_op){ op }, most);
}

bool esse_shown_goes_on(const struct esse_history *history, uint32_t before, uint32_t op)
{
    const uint32_t statement = esse_op_statement(history, op);
    return statement && before + 1 == op && esse_op_statement(history, before) == statement;
}
