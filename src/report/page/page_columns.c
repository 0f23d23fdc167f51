#include "report/page/page_columns.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/radix.h"
#include "formats/deflate.h"
#include "history/history.h"

#include <assert.h>

int64_t page_begin(const struct page_order *order, const struct esse_history *history, uint32_t txn)
{
    return order->has_times ? history->txn_time[txn].begin : (int64_t)txn;
}

int64_t page_end(const struct page_order *order, const struct esse_history *history, uint32_t txn)
{
    return order->has_times ? history->txn_time[txn].end : (int64_t)txn + 1;
}

struct page_order page_order_of(struct esse_arena *arena, const struct esse_history *history)
{
    struct page_order order = { .has_times = history->txn_time != NULL };
    struct esse_pair *pairs = esse_arena_array(arena, history->txns + (size_t)1, struct esse_pair);
    uint32_t *txns = esse_arena_array(arena, history->txns + (size_t)1, uint32_t);
    uint32_t *place = esse_arena_none(arena, history->txns + (size_t)1, uint32_t);
    for (uint32_t t = 0; t < history->txns; t++) {
        const int64_t begin = page_begin(&order, history, t), end = page_end(&order, history, t);
        if (begin == ESSE_NO_TIME)
            continue;
        order.base = !order.count || begin < order.base ? begin : order.base;
        order.end = !order.count || begin > order.end ? begin : order.end;
        order.end = end != ESSE_NO_TIME && end > order.end ? end : order.end;
        pairs[order.count++] = (struct esse_pair){ esse_radix_key(begin), t };
    }
    esse_radix_sort(pairs, order.count, arena);
    for (uint32_t i = 0; i < order.count; i++) {
        txns[i] = pairs[i].id;
        place[pairs[i].id] = i;
    }
    order.txn = txns;
    order.place = place;
    return order;
}

void page_varint(struct esse_out *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        esse_out_char(out, (char)(0x80 | (number & 0x7f)));
    esse_out_char(out, (char)number);
}

const char *page_packed(struct esse_arena *arena, const struct esse_out *bytes)
{
    size_t count;
    const unsigned char *packed = esse_deflate(arena, bytes->buffer, bytes->count, &count);
    char *text = esse_arena_array(arena, ESSE_BASE64_ROOM(count) + 1, char);
    esse_base64_encode(packed, count, text);
    text[ESSE_BASE64_ROOM(count)] = '\0';
    return text;
}

const char *page_columns(struct esse_arena *arena, const struct esse_history *history,
                         const struct page_order *order)
{
    struct esse_out bytes;
    int64_t before = order->base;
    esse_out_init_memory(&bytes, arena);
    for (uint32_t i = 0; i < order->count; i++) {
        const int64_t begin = page_begin(order, history, order->txn[i]);
        assert(begin >= before);
        page_varint(&bytes, (uint64_t)begin - (uint64_t)before);
        before = begin;
    }
    for (uint32_t i = 0; i < order->count; i++)
        page_varint(&bytes, history->txn_session[order->txn[i]]);
    for (uint32_t i = 0; i < order->count; i++) {
        const int64_t begin = page_begin(order, history, order->txn[i]);
        const int64_t end = page_end(order, history, order->txn[i]);
        const bool is_known = end != ESSE_NO_TIME && end >= begin;
        page_varint(&bytes, is_known ? (uint64_t)end - (uint64_t)begin + 1 : 0);
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const uint32_t t = order->txn[i];
        const uint64_t ops = history->txn_op[t + 1] - history->txn_op[t];
        page_varint(&bytes, (uint64_t)esse_txn_recorded(history, t) | ops << 2);
    }
    return page_packed(arena, &bytes);
}
