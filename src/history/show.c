#include "history/show.h"

#include "base/hash.h"
#include "history/access.h"
#include "history/value_json.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

enum { LIST_EDGE = 5, TEXT_LEAST = 12, TEXT_MOST = 64, STATEMENT_MOST = 200 };

/* "accounts/customer-000000…3fa2…00000042/balance": a hash stands for what is left out. */
static void show_text(struct esse_out *out, struct esse_span text, size_t most)
{
    most = most > TEXT_LEAST ? most : TEXT_LEAST;
    if (text.length <= most) {
        esse_out_bytes(out, text.at, text.length);
        return;
    }
    /* Cut between characters: a continuation byte is 10xxxxxx. */
    size_t head = most / 2 - 4, tail = text.length - head;
    while (head > 0 && ((unsigned char)text.at[head] & 0xc0) == 0x80)
        head--;
    while (tail < text.length && ((unsigned char)text.at[tail] & 0xc0) == 0x80)
        tail++;
    esse_out_bytes(out, text.at, head);
    esse_out_f(out, "…%04x…", esse_hash_bytes(text.at, text.length) & 0xffff);
    esse_out_bytes(out, text.at + tail, text.length - tail);
}

static void show_plain_text(struct esse_out *out, const struct esse_history *history,
                            esse_value value, size_t most)
{
    char room[8];
    show_text(out, esse_value_text(history->values, value, room), most);
}

static void show_txn(struct esse_out *out, const struct esse_history *history, esse_txn txn,
                     size_t most)
{
    struct esse_arena *arena = esse_arena_new();
    const char *name = esse_txn_id(arena, history, txn);
    if (*name >= '0' && *name <= '9')
        esse_out_char(out, 'T');
    show_text(out, (struct esse_span){ name, strlen(name) }, most);
    esse_arena_free(arena);
}

void esse_show_txn(struct esse_out *out, const struct esse_history *history, esse_txn txn)
{
    show_txn(out, history, txn, TEXT_MOST);
}

void esse_show_items(struct esse_out *out, const struct esse_history *history,
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

static void show_value(struct esse_out *out, const struct esse_history *history, esse_value value,
                       size_t most)
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
        show_plain_text(out, history, value, most);
        esse_out_char(out, '"');
        break;
    case ESSE_KIND_KEYWORD:
        esse_out_char(out, ':');
        show_plain_text(out, history, value, most);
        break;
    case ESSE_KIND_LIST:
        items = esse_history_list(history, value, &count);
        esse_show_items(out, history, items, count);
        break;
    case ESSE_KIND_SEQ:
        items = esse_value_parts(history->values, value, &count);
        esse_show_items(out, history, items, count);
        break;
    default:
        esse_value_put_json(out, history->values, value);
    }
}

void esse_show_value(struct esse_out *out, const struct esse_history *history, esse_value value)
{
    show_value(out, history, value, TEXT_MOST);
}

static bool is_word(const struct esse_history *history, esse_value name)
{
    const enum esse_value_kind kind = esse_value_kind(history->values, name);
    return kind == ESSE_KIND_STRING || kind == ESSE_KIND_KEYWORD;
}

static void show_key(struct esse_out *out, const struct esse_history *history, esse_key key,
                     size_t most)
{
    const esse_value name = history->key_name[key.ix];
    if (is_word(history, name))
        show_plain_text(out, history, name, most);
    else
        esse_show_value(out, history, name);
}

void esse_show_bare_key(struct esse_out *out, const struct esse_history *history, esse_key key)
{
    show_key(out, history, key, TEXT_MOST);
}

/* A string may be a number too: "1" of a JSON object's keys. */
static bool looks_like_a_number(const struct esse_history *history, esse_value name)
{
    char room[8];
    if (!is_word(history, name))
        return true;
    const struct esse_span text = esse_value_text(history->values, name, room);
    return text.length && text.at[0] >= '0' && text.at[0] <= '9';
}

void esse_show_key(struct esse_out *out, const struct esse_history *history, esse_key key)
{
    if (looks_like_a_number(history, history->key_name[key.ix]))
        esse_out_text(out, "key ");
    esse_show_bare_key(out, history, key);
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

void esse_show_statement(struct esse_out *out, const struct esse_history *history, esse_op op,
                         size_t most)
{
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op.ix]];
    const bool update = history->op_kind[op.ix] == ESSE_OP_PREDICATE_UPDATE;
    char room[8];
    if (!esse_is_statement(history->values, predicate->text))
        esse_out_text(out, update ? "update where " : "where ");
    show_text(out, esse_value_text(history->values, predicate->text, room), most);
    if (predicate->has_result)
        show_result(out, history, predicate);
}

/* White space outside of quotes, however much, is one space; within them it is kept. */
static void put_on_one_line(struct esse_out *out, struct esse_span text)
{
    char quote = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.at[i];
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        if (quote && (unsigned char)c < ' ')
            esse_out_f(out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\x%02x", (unsigned char)c);
        else if (quote || (unsigned char)c > ' ')
            esse_out_char(out, c);
        else if (out->count && out->buffer[out->count - 1] != ' ')
            esse_out_char(out, ' ');
    }
}

const char *esse_show_written(struct esse_arena *arena, const struct esse_history *history,
                              esse_op op, size_t most)
{
    struct esse_out line, out;
    char room[8];
    const esse_value text = history->header.statements[history->op_statement[op.ix] - 1];
    esse_out_init_memory(&line, arena);
    esse_out_init_memory(&out, arena);
    put_on_one_line(&line, esse_value_text(history->values, text, room));
    show_text(&out, (struct esse_span){ esse_out_memory(&line), line.count }, most);
    return esse_out_memory(&out);
}

static void show_predicate(struct esse_out *out, const struct esse_history *history, uint32_t op)
{
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    bool update = history->op_kind[op] == ESSE_OP_PREDICATE_UPDATE;
    esse_show_statement(out, history, (esse_op){ op }, STATEMENT_MOST);
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
        esse_show_bare_key(out, history, row->key);
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
    esse_show_bare_key(out, history, (esse_key){ history->op_key[op.ix] });
    if (kind == ESSE_OP_DELETE)
        return;
    esse_out_text(out, kind == ESSE_OP_APPEND ? " " : " = ");
    esse_show_value(out, history, history->op_value[op.ix]);
}

/* What its transaction did, in a sentence: "read x = 5", "appended 7 to l", "did where v < 5: ...".
 */
static void show_did(struct esse_out *out, const struct esse_history *history, esse_op op)
{
    const esse_key key = { history->op_key[op.ix] };
    const esse_value value = history->op_value[op.ix];
    switch ((enum esse_op_kind)history->op_kind[op.ix]) {
    case ESSE_OP_READ:
        esse_show_f(out, history, "read %k = %v", key, value);
        break;
    case ESSE_OP_WRITE:
        esse_show_f(out, history, "wrote %k = %v", key, value);
        break;
    case ESSE_OP_APPEND:
        esse_show_f(out, history, "appended %v to %k", value, key);
        break;
    case ESSE_OP_DELETE:
        esse_show_f(out, history, "deleted %k", key);
        break;
    case ESSE_OP_PREDICATE_READ:
    case ESSE_OP_PREDICATE_UPDATE:
        esse_show_f(out, history, "did %o", op);
        break;
    }
}

static void show_sentence(struct esse_out *out, const struct esse_history *history,
                          const char *format, va_list *args)
{
    for (const char *at; (at = strchr(format, '%')); format = at + 2) {
        esse_out_bytes(out, format, (size_t)(at - format));
        switch (at[1]) {
        case 't':
            esse_show_txn(out, history, va_arg(*args, esse_txn));
            break;
        case 'k':
            esse_show_key(out, history, va_arg(*args, esse_key));
            break;
        case 'b':
            esse_show_bare_key(out, history, va_arg(*args, esse_key));
            break;
        case 'v':
            esse_show_value(out, history, va_arg(*args, esse_value));
            break;
        case 'o':
            esse_show_op(out, history, va_arg(*args, esse_op));
            break;
        case 'd':
            show_did(out, history, va_arg(*args, esse_op));
            break;
        default:
            assert(at[1] == 's');
            esse_out_text(out, va_arg(*args, const char *));
        }
    }
    esse_out_text(out, format);
}

void esse_show_f(struct esse_out *out, const struct esse_history *history, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show_sentence(out, history, format, &args);
    va_end(args);
}

const char *esse_show_sentence(struct esse_arena *arena, const struct esse_history *history,
                               const char *format, ...)
{
    struct esse_out out;
    va_list args;
    esse_out_init_memory(&out, arena);
    va_start(args, format);
    show_sentence(&out, history, format, &args);
    va_end(args);
    return esse_out_memory(&out);
}

const char *esse_show_text(struct esse_arena *arena, const struct esse_history *history,
                           esse_value value)
{
    return esse_show_sentence(arena, history, "%v", value);
}

const char *esse_show_key_text(struct esse_arena *arena, const struct esse_history *history,
                               esse_key key)
{
    return esse_show_sentence(arena, history, "%k", key);
}

const char *esse_show_txn_text(struct esse_arena *arena, const struct esse_history *history,
                               esse_txn txn)
{
    return esse_show_txn_within(arena, history, txn, TEXT_MOST);
}

const char *esse_show_txn_within(struct esse_arena *arena, const struct esse_history *history,
                                 esse_txn txn, size_t most)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    show_txn(&out, history, txn, most);
    return esse_out_memory(&out);
}

const char *esse_show_key_within(struct esse_arena *arena, const struct esse_history *history,
                                 esse_key key, size_t most)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    show_key(&out, history, key, most);
    return esse_out_memory(&out);
}

const char *esse_show_text_within(struct esse_arena *arena, const struct esse_history *history,
                                  esse_value value, size_t most)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    show_value(&out, history, value, most);
    return esse_out_memory(&out);
}
