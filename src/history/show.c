#include "history/show.h"

#include "history/access.h"
#include "history/value_json.h"

enum { LIST_EDGE = 5, TEXT_MOST = 48 };

static void show_plain_text(struct esse_out *out, const struct esse_history *history,
                            esse_value value)
{
    char room[8];
    struct esse_span text = esse_value_text(history->values, value, room);
    if (text.length <= TEXT_MOST) {
        esse_out_bytes(out, text.at, text.length);
        return;
    }
    /* Cut between characters: a continuation byte is 10xxxxxx. */
    size_t head = TEXT_MOST / 2, tail = text.length - TEXT_MOST / 2;
    while (head > 0 && ((unsigned char)text.at[head] & 0xc0) == 0x80)
        head--;
    while (tail < text.length && ((unsigned char)text.at[tail] & 0xc0) == 0x80)
        tail++;
    esse_out_bytes(out, text.at, head);
    esse_out_text(out, "…");
    esse_out_bytes(out, text.at + tail, text.length - tail);
}

static void show_items(struct esse_out *out, const struct esse_history *history,
                       const esse_value *items, uint32_t count)
{
    esse_out_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(out, ' ');
        if (i == LIST_EDGE && count > 2 * LIST_EDGE + 1) {
            esse_out_f(out, "… %u more …", count - 2 * LIST_EDGE);
            i = count - LIST_EDGE - 1;
            continue;
        }
        esse_show_value(out, history, items[i]);
    }
    esse_out_char(out, ']');
}

void esse_show_value(struct esse_out *out, const struct esse_history *history, esse_value value)
{
    uint32_t count;
    const esse_value *items;
    switch (esse_value_kind(history->values, value)) {
    case ESSE_KIND_NONE:
        esse_out_char(out, '?');
        break;
    case ESSE_KIND_NIL:
        esse_out_text(out, "nil");
        break;
    case ESSE_KIND_STRING:
        esse_out_char(out, '"');
        show_plain_text(out, history, value);
        esse_out_char(out, '"');
        break;
    case ESSE_KIND_KEYWORD:
        esse_out_char(out, ':');
        show_plain_text(out, history, value);
        break;
    case ESSE_KIND_LIST:
        items = esse_history_list(history, value, &count);
        show_items(out, history, items, count);
        break;
    case ESSE_KIND_SEQ:
        items = esse_value_parts(history->values, value, &count);
        show_items(out, history, items, count);
        break;
    default:
        esse_value_put_json(out, history->values, value);
    }
}

void esse_show_key(struct esse_out *out, const struct esse_history *history, esse_key key)
{
    esse_value name = history->key_name[key.ix];
    enum esse_value_kind kind = esse_value_kind(history->values, name);
    if (kind == ESSE_KIND_STRING || kind == ESSE_KIND_KEYWORD)
        show_plain_text(out, history, name);
    else
        esse_show_value(out, history, name);
}

static void show_result(struct esse_out *out, const struct esse_history *history,
                        const struct esse_predicate_op *predicate)
{
    const esse_value *result = esse_history_result(history, predicate);
    esse_out_text(out, ": ");
    for (uint32_t i = 0; i < predicate->result_count; i++) {
        esse_out_text(out, i ? ", " : "");
        esse_show_value(out, history, result[i]);
    }
}

static void show_predicate(struct esse_out *out, const struct esse_history *history, uint32_t op)
{
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    bool update = history->op_kind[op] == ESSE_OP_PREDICATE_UPDATE;
    if (!esse_is_statement(history->values, predicate->text))
        esse_out_text(out, update ? "update where " : "where ");
    show_plain_text(out, history, predicate->text);
    if (predicate->has_result)
        show_result(out, history, predicate);
    if (predicate->no_rows)
        return;
    esse_out_text(out, predicate->has_result ? ", of {" : ": {");
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        if (i == LIST_EDGE) {
            esse_out_f(out, ", … %u more", predicate->row_count - i);
            break;
        }
        const struct esse_keyed_row *row = &history->rows[predicate->row + i];
        esse_out_text(out, i ? ", " : "");
        esse_show_key(out, history, row->key);
        esse_out_char(out, ' ');
        esse_show_value(out, history, row->value);
        if (update) {
            esse_out_text(out, "→");
            esse_show_value(out, history, row->next);
        }
    }
    esse_out_char(out, '}');
}

void esse_show_op(struct esse_out *out, const struct esse_history *history, esse_op op)
{
    static const char *const verbs[] = { "r ", "w ", "a ", "d " };
    unsigned kind = history->op_kind[op.ix];
    if (esse_op_is_predicate(kind)) {
        show_predicate(out, history, op.ix);
        return;
    }
    esse_out_text(out, verbs[kind]);
    esse_show_key(out, history, (esse_key){ history->op_key[op.ix] });
    if (kind == ESSE_OP_DELETE)
        return;
    esse_out_text(out, kind == ESSE_OP_APPEND ? " " : " = ");
    esse_show_value(out, history, history->op_value[op.ix]);
}

const char *esse_show_text(struct esse_arena *arena, const struct esse_history *history,
                           esse_value value)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_show_value(&out, history, value);
    return esse_out_memory(&out);
}

const char *esse_show_key_text(struct esse_arena *arena, const struct esse_history *history,
                               esse_key key)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_show_key(&out, history, key);
    return esse_out_memory(&out);
}
