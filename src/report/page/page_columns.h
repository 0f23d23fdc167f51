#ifndef ESSE_REPORT_PAGE_PAGE_COLUMNS_H
#define ESSE_REPORT_PAGE_PAGE_COLUMNS_H

#include "report/report.h"

/*
 * The transactions that a timeline draws, in the order of their begins, and how they are packed.
 * Without times, a transaction takes the place of its line, and lasts one.
 *
 *   1) txn[place[t]] is t for every transaction that is drawn, and begins never fall along 'txn'.
 *   2) A transaction that has no begin, where others have one, is not drawn; its place is
 *      PAGE_NO_PLACE.
 */
#define PAGE_NO_PLACE UINT32_MAX

struct page_order {
    const uint32_t *txn, *place;
    uint32_t count;
    bool has_times;
    int64_t base, end; /* of the earliest begin, and of the latest end */
};

/* O(transactions) */
struct page_order page_order_of(struct esse_arena *arena, const struct esse_history *history);

int64_t page_begin(const struct page_order *order, const struct esse_history *history,
                   uint32_t txn);
/* ESSE_NO_TIME: it is not known. */
int64_t page_end(const struct page_order *order, const struct esse_history *history, uint32_t txn);

/* 7 bits a byte, the lowest first; the others have the high bit set. */
void page_varint(struct esse_out *out, uint64_t number);

/* What was put into the memory of 'bytes', deflated, as a text in base64. */
const char *page_packed(struct esse_arena *arena, const struct esse_out *bytes);

/*
 * Four columns one after the other: by how much the begin is later than the one before it; the
 * session's number; how long it lasted and one, or 0 if that is not known; status and four times
 * the number of operations.
 */
const char *page_columns(struct esse_arena *arena, const struct esse_history *history,
                         const struct page_order *order);

#endif
