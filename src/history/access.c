#include "history/access.h"

#include "base/gallop.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

uint32_t esse_op_access_of(const struct esse_history *history, uint32_t op, esse_key key, bool read,
                           esse_value *value)
{
    const uint32_t count = esse_access_count(history, op);
    for (uint32_t i = 0; i < count; i++) {
        struct esse_access access = esse_access_at(history, op, i);
        if (access.key.ix == key.ix && (access.kind == ESSE_OP_READ) == read) {
            *value = access.value;
            return i;
        }
    }
    return count;
}

bool esse_op_read_of(const struct esse_history *history, uint32_t op, esse_key key,
                     esse_value *value)
{
    return esse_op_access_of(history, op, key, true, value) < esse_access_count(history, op);
}

bool esse_op_write_of(const struct esse_history *history, uint32_t op, esse_key key,
                      esse_value *value)
{
    return esse_op_access_of(history, op, key, false, value) < esse_access_count(history, op);
}

static bool writes_between(const struct esse_history *history, uint32_t begin, uint32_t end,
                           esse_key key)
{
    esse_value ignored;
    while (begin < end && !esse_op_write_of(history, begin, key, &ignored))
        begin++;
    return begin < end;
}

bool esse_op_wrote_before(const struct esse_history *history, uint32_t op, esse_key key)
{
    return writes_between(history, history->txn_op[esse_op_txn(history, op).ix], op, key);
}

bool esse_op_writes_after(const struct esse_history *history, uint32_t op, esse_key key)
{
    return writes_between(history, op + 1, history->txn_op[esse_op_txn(history, op).ix + 1], key);
}

bool esse_op_is_read_again(const struct esse_history *history, esse_op read, esse_key key)
{
    const uint32_t end = history->txn_op[esse_op_txn(history, read.ix).ix + 1];
    esse_value first, value;
    bool differs = false;
    if (!esse_op_read_of(history, read.ix, key, &first))
        return false;
    for (uint32_t op = read.ix; op < end; op++) {
        differs |= esse_op_read_of(history, op, key, &value) &&
                   !esse_value_eq(esse_value_state(value), esse_value_state(first));
        if (esse_op_write_of(history, op, key, &value))
            return differs;
    }
    return false;
}

bool esse_is_statement(const struct esse_values *values, esse_value text)
{
    char room[8];
    struct esse_span span = esse_value_text(values, text, room);
    while (span.length && memchr(" \t\r\n\f\v", *span.at, 6)) {
        span.at++;
        span.length--;
    }
    /* They could be the beginning of a column's name. */
    const size_t word = span.length > 6 && strncasecmp(span.at, "select", 6) == 0 ? 6
                        : span.length > 4 && strncasecmp(span.at, "with", 4) == 0 ? 4
                                                                                  : 0;
    const unsigned char next = word ? (unsigned char)span.at[word] : '_';
    return next != '_' && next != '$' && next < 0x80 && !isalnum(next);
}

esse_txn esse_op_txn(const struct esse_history *history, uint32_t op)
{
    assert(op < history->ops);
    uint32_t after = 1, high = history->txns;
    ESSE_BISECT(after, high, middle, history->txn_op[middle] <= op);
    return (esse_txn){ after - 1 };
}

esse_value esse_key_initial(const struct esse_history *history, esse_key key)
{
    for (uint32_t i = 0; i < history->init_count; i++)
        if (history->init[i].key.ix == key.ix)
            return history->init[i].value;
    return ESSE_NIL;
}

esse_value *esse_initial_values(struct esse_arena *arena, const struct esse_history *history)
{
    esse_value *initial = esse_arena_alloc(arena, history->keys + (size_t)1, sizeof *initial);
    for (uint32_t key = 0; key < history->keys; key++)
        initial[key] = ESSE_NIL;
    for (uint32_t i = 0; i < history->init_count; i++)
        initial[history->init[i].key.ix] = history->init[i].value;
    return initial;
}

bool esse_is_recorded_in_version_order(const struct esse_history *history)
{
    return history->header.in_version_order ||
           (history->workload == ESSE_WORKLOAD_CLOSED_PREDICATE &&
            !esse_history_is_native(history));
}

bool esse_list_has(const struct esse_history *history, esse_value list, esse_value item)
{
    uint32_t count;
    const esse_value *items = esse_history_list(history, list, &count);
    for (uint32_t i = 0; i < count; i++)
        if (esse_value_eq(items[i], item))
            return true;
    return false;
}
