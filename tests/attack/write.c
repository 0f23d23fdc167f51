#include "attack.h"

#include <stdarg.h>
#include <string.h>

/* A history in Esse's native format. */

#define LEVEL_NAME(id, name) name,
const char *const level_names[LEVEL_COUNT] = { LEVELS(LEVEL_NAME) };

int level_by_name(const char *name)
{
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (strcmp(level_names[i], name) == 0)
            return i;
    return -1;
}

struct text {
    char *at;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->at += vsprintf(text->at, format, arguments);
    va_end(arguments);
}

static void put_value(struct text *text, int value)
{
    if (value == NIL)
        put(text, "null");
    else
        put(text, "%d", value);
}

static void put_list(struct text *text, const struct op *op)
{
    put(text, "[");
    for (int i = 0; i < op->count; i++)
        put(text, "%s%d", i ? "," : "", op->items[i]);
    put(text, "]");
}

static bool has_written(const struct txn *txn, const struct op *before, int key)
{
    for (const struct op *op = txn->ops; op < before; op++)
        if (op->kind == OP_UPDATE
                ? op->returned[key]
                : op->key == key && (op->kind == OP_WRITE || op->kind == OP_DELETE))
            return true;
    return false;
}

static void put_version_set(struct text *text, const struct history *history, const struct txn *txn,
                            const struct op *op)
{
    const char *comma = "";
    put(text, ",\"vset\":{");
    for (int key = 0; key < history->key_count; key++) {
        if (history->is_list[key] || has_written(txn, op, key))
            continue;
        put(text, "%s\"%c\":", comma, 'x' + key);
        put_value(text, op->vset[key]);
        comma = ",";
    }
    put(text, "}");
}

static void put_rows(struct text *text, const struct history *history, const struct txn *txn,
                     const struct op *op)
{
    const char *comma = "";
    put(text, "{\"%c\":\"v >= %d AND v <= %d\",\"rows\":{", op->kind == OP_UPDATE ? 'u' : 'p',
        op->low, op->high);
    for (int key = 0; key < MOST_KEYS; key++) {
        if (!op->returned[key])
            continue;
        put(text, "%s\"%c\":", comma, 'x' + key);
        if (op->kind == OP_UPDATE)
            put(text, "[%d,%d]", op->row[key], op->changed[key]);
        else
            put(text, "%d", op->row[key]);
        comma = ",";
    }
    put(text, "}");
    if (op->has_vset)
        put_version_set(text, history, txn, op);
    put(text, "}");
}

static void put_aggregate(struct text *text, const struct op *op)
{
    static const char *const words[] = { "count(*)", "sum(v)", "min(v)", "max(v)" };
    put(text, "{\"p\":\"SELECT %s FROM t WHERE v >= %d AND v <= %d\",\"result\":[",
        words[op->aggregate], op->low, op->high);
    put_value(text, op->value);
    put(text, "]}");
}

static void put_op(struct text *text, const struct history *history, const struct txn *txn,
                   const struct op *op)
{
    static const char letters[] = { 'r', 'w', 'd', 'r', 'a' };
    if (op->kind == OP_PREDICATE || op->kind == OP_UPDATE) {
        put_rows(text, history, txn, op);
        return;
    }
    if (op->kind == OP_AGGREGATE) {
        put_aggregate(text, op);
        return;
    }
    put(text, "{\"%c\":\"%c\"", letters[op->kind], 'x' + op->key);
    if (op->kind != OP_DELETE && !op->lost) {
        put(text, ",\"v\":");
        if (op->kind == OP_READ_LIST)
            put_list(text, op);
        else
            put_value(text, op->value);
    }
    put(text, "}");
}

static void put_txn(struct text *text, const struct history *history, const struct txn *txn)
{
    static const char *const words[] = { "committed", "aborted", "unknown" };
    put(text, "{\"session\":%d,\"txn\":\"t%d\"", txn->session, txn->id);
    if (txn->status != COMMITTED)
        put(text, ",\"status\":\"%s\"", words[txn->status]);
    if (txn->has_times)
        put(text, ",\"start\":%d,\"end\":%d", txn->start, txn->end);
    put(text, ",\"ops\":[");
    for (int o = 0; o < txn->op_count; o++) {
        if (o)
            put(text, ",");
        put_op(text, history, txn, &txn->ops[o]);
    }
    put(text, "]}\n");
}

size_t write_history(const struct history *history, char *buffer)
{
    struct text text = { buffer };
    for (int key = 0; key < history->key_count; key++)
        if (history->init[key] != NIL)
            put(&text, "{\"init\":{\"%c\":%d}}\n", 'x' + key, history->init[key]);
    for (int t = 0; t < history->txn_count; t++)
        put_txn(&text, history, &history->txns[t]);
    for (int key = 0; key < history->key_count; key++) {
        if (!history->version_count[key])
            continue;
        put(&text, "{\"version_order\":{\"%c\":[", 'x' + key);
        for (int i = 0; i < history->version_count[key]; i++)
            put(&text, "%s{\"txn\":\"t%d\"}", i ? "," : "",
                history->txns[history->versions[key][i]].id);
        put(&text, "]}}\n");
    }
    if (history->order_count) {
        put(&text, "{\"order\":[");
        for (int i = 0; i < history->order_count; i++)
            put(&text, "%s\"t%d\"", i ? "," : "", history->txns[history->order[i]].id);
        put(&text, "]}\n");
    }
    return (size_t)(text.at - buffer);
}
