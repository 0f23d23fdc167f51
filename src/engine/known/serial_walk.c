#include "engine/known/serial_state.h"
#include "history/access.h"

#include <string.h>

#define NO_WAIT UINT32_MAX

enum {
    STEPS_AN_OP = 4,    /* back along the writes of a key, on average so far */
    STEPS_AHEAD = 4096, /* of that average; and one for every so many operations of the history: */
    OPS_A_STEP = 4,
    READS_AHEAD = 4096, /* reads that are looked at before most of them must be in order */
    RECENT = 256,       /* values of a key, below the greatest, that may still come */
    BITS_AN_OP = 4,     /* for values that are written once */
};

/* The newest committed version of a key so far, and the reads that wait for a later one. */
struct serial_key {
    esse_value initial, value;
    uint32_t op; /* that wrote it; ESSE_NO_OP: the initial version */
    uint32_t waiting;
    uint32_t count;           /* appended so far */
    uint32_t spine, compared; /* the first so many are those of this spine */
};

/* The greatest number written to a key, and which of those just below it were. */
struct serial_seen {
    uint64_t greatest;
    uint64_t recent[RECENT / 64];
};

static struct serial_key *key_of(const struct serial_walk *w, uint32_t op)
{
    return &w->keys[w->history->op_key[op]];
}

static uint32_t txn_of(const struct serial_walk *w, uint32_t op)
{
    return op == ESSE_NO_OP ? ESSE_NO_TXN : esse_op_txn(w->history, op).ix;
}

static bool is_own(const struct serial_walk *w, uint32_t txn, uint32_t op)
{
    return op != ESSE_NO_OP && op >= w->history->txn_op[txn];
}

/* ---- is any value written twice? ---- */

/* Is every value a small number, and written once in the whole history?  Then none is written twice
 * to a key.  In the order of recording, numbers that sessions count up are near each other. */
static bool are_all_once(const struct serial_walk *w)
{
    const struct esse_history *history = w->history;
    const uint64_t end = (uint64_t)history->ops * BITS_AN_OP;
    uint64_t *written = esse_arena_zeros(w->scratch, end / 64 + 1, *written);
    bool once = true;
    for (uint32_t op = 0; once && op < history->ops; op++) {
        if (history->op_kind[op] == ESSE_OP_READ)
            continue;
        const esse_value value = history->op_value[op];
        const uint64_t number = value.word >> 3, bit = UINT64_C(1) << number % 64;
        once =
            esse_value_tag(value) == ESSE_TAG_INT && number < end && !(written[number / 64] & bit);
        if (once)
            written[number / 64] |= bit;
    }
    esse_arena_drop(w->scratch, written);
    return once;
}

/* Numbers that come nearly in ascending order need no table: a few bits will do.  False if it was
 * written before, or if that is not known. */
static bool is_fresh(struct serial_seen *seen, esse_value value)
{
    if (esse_value_tag(value) != ESSE_TAG_INT || value.word >> 63)
        return false;
    uint64_t number = (value.word >> 3) + 1;
    if (number + RECENT <= seen->greatest)
        return false;
    if (number > seen->greatest + RECENT)
        memset(seen->recent, 0, sizeof seen->recent);
    for (uint64_t n = seen->greatest + 1; number <= seen->greatest + RECENT && n <= number; n++)
        seen->recent[n / 64 % (RECENT / 64)] &= ~(UINT64_C(1) << n % 64);
    if (number > seen->greatest)
        seen->greatest = number;
    uint64_t *word = &seen->recent[number / 64 % (RECENT / 64)], bit = UINT64_C(1) << number % 64;
    bool fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

static bool are_fresh(struct serial_walk *w, uint32_t txn)
{
    const struct esse_history *history = w->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (history->op_kind[op] != ESSE_OP_READ &&
            !is_fresh(&w->seen[history->op_key[op]], history->op_value[op]))
            return false;
    return true;
}

/* ---- lists ---- */

/* The operation that appended the element before 'position', from the newest back. */
static uint32_t append_at(struct serial_walk *w, const struct serial_key *key, uint32_t position)
{
    uint32_t op = key->op;
    for (uint32_t at = key->count; at > position && w->steps; at--, w->steps--)
        op = w->before[op];
    return op;
}

/* Is the list that was read what was appended first?  What was compared once is not compared
 * again. */
static bool is_prefix(struct serial_walk *w, struct serial_key *key, esse_value list)
{
    uint32_t count, same = 0;
    if (esse_value_eq(list, ESSE_NIL))
        return true;
    if (esse_value_tag(list) != ESSE_TAG_LIST)
        return false;
    const uint32_t spine = (uint32_t)list.word >> 3;
    const esse_value *items = esse_history_list(w->history, list, &count);
    if (count && key->spine == spine)
        same = key->compared;
    if (count > key->count)
        return false;
    if (count <= same)
        return true;
    uint32_t op = append_at(w, key, count);
    for (uint32_t at = count; at > same && w->steps; at--, w->steps--) {
        if (!esse_value_eq(items[at - 1], w->history->op_value[op]))
            return false;
        op = w->before[op];
    }
    key->spine = spine;
    key->compared = count;
    return w->steps > 0;
}

static uint32_t length_of(esse_value list)
{
    return esse_value_tag(list) == ESSE_TAG_LIST ? (uint32_t)(list.word >> 32) : 0;
}

/* ---- reads that do not return the newest version ---- */

static bool returns_newest(struct serial_walk *w, uint32_t read)
{
    struct serial_key *key = key_of(w, read);
    esse_value value = w->history->op_value[read];
    if (!w->lists)
        return esse_value_eq(value, key->value);
    return length_of(value) == key->count && is_prefix(w, key, value);
}

static void lead_back(struct serial_walk *w, uint32_t from, uint32_t to, uint32_t reader,
                      uint32_t source)
{
    serial_backward_vec_push(&w->backward, w->scratch,
                             (struct serial_backward){ from, to, reader, source });
}

/* An older version that a read returned: the write, and the one that overwrote it. */
static bool find_older(struct serial_walk *w, uint32_t read, uint32_t *source, uint32_t *overwriter)
{
    struct serial_key *key = key_of(w, read);
    const esse_value value = w->history->op_value[read];
    if (w->lists) {
        if (length_of(value) >= key->count || !is_prefix(w, key, value))
            return false;
        *overwriter = append_at(w, key, length_of(value) + 1);
        *source = w->before[*overwriter];
        return true;
    }
    for (*overwriter = key->op; *overwriter != ESSE_NO_OP && w->steps; w->steps--) {
        *source = w->before[*overwriter];
        if (esse_value_eq(value,
                          *source == ESSE_NO_OP ? key->initial : w->history->op_value[*source]))
            return true;
        *overwriter = *source;
    }
    return false;
}

/* The overwriter of what was read comes after the reader, and its writer before: if it is
 * half of what one transaction appended, that is a cycle. */
static bool explain(struct serial_walk *w, uint32_t txn, uint32_t read)
{
    uint32_t source, overwriter;
    if (!find_older(w, read, &source, &overwriter))
        return false;
    lead_back(w, txn, txn_of(w, overwriter), txn, txn_of(w, source));
    return true;
}

static void miss(struct serial_walk *w, uint32_t txn, uint32_t read)
{
    struct serial_key *key = key_of(w, read);
    const bool own = is_own(w, txn, key->op);
    struct serial_miss missed = { read, txn, NO_WAIT, own };
    if (own)
        lead_back(w, txn, txn, txn, ESSE_NO_TXN);
    else
        missed.explained = explain(w, txn, read);
    if (!missed.explained) {
        missed.next = key->waiting;
        key->waiting = (uint32_t)w->misses.count;
    }
    serial_miss_vec_push(&w->misses, w->scratch, missed);
}

static bool is_last_write(struct serial_walk *w, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = w->history;
    for (uint32_t o = op + 1; o < history->txn_op[txn + 1] && w->steps; o++, w->steps--)
        if (history->op_key[o] == history->op_key[op] && history->op_kind[o] != ESSE_OP_READ)
            return false;
    return true;
}

/* Was it this write that some earlier read returned? */
static void serve_waiting(struct serial_walk *w, uint32_t txn, uint32_t op)
{
    uint32_t *link = &key_of(w, op)->waiting;
    while (*link != NO_WAIT && w->steps) {
        struct serial_miss *missed = &w->misses.at[*link];
        w->steps--;
        if (!returns_newest(w, missed->op)) {
            link = &missed->next;
            continue;
        }
        missed->explained = true;
        *link = missed->next;
        lead_back(w, txn, missed->txn, missed->txn, ESSE_NO_TXN);
    }
}

/* ---- the walk ---- */

/* Of several writes of a register by one transaction only the last is a version. */
static void write(struct serial_walk *w, uint32_t txn, uint32_t op)
{
    struct serial_key *key = key_of(w, op);
    w->before[op] = is_own(w, txn, key->op) && !w->lists ? w->before[key->op] : key->op;
    key->value = w->history->op_value[op];
    key->op = op;
    key->count++;
    if (key->waiting != NO_WAIT && is_last_write(w, txn, op))
        serve_waiting(w, txn, op);
}

static void walk_txn(struct serial_walk *w, uint32_t txn)
{
    const struct esse_history *history = w->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        w->reads += history->op_kind[op] == ESSE_OP_READ;
        if (history->op_kind[op] != ESSE_OP_READ)
            write(w, txn, op);
        else if (!returns_newest(w, op) && !esse_value_eq(history->op_value[op], ESSE_NONE))
            miss(w, txn, op);
    }
}

/* Three reads in four that are not of the newest version: the history is in some other order. */
static bool is_in_other_order(const struct serial_walk *w)
{
    return w->reads > READS_AHEAD && w->misses.count > w->reads / 4 * 3;
}

static bool walk_all(struct serial_walk *w)
{
    const struct esse_history *history = w->history;
    esse_budget_phase(w->budget, "reading in the order of recording", history->txns);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        w->steps += (uint64_t)(history->txn_op[txn + 1] - history->txn_op[txn]) * STEPS_AN_OP;
        if (w->seen && !are_fresh(w, txn))
            return false;
        if (history->txn_status[txn] == ESSE_COMMITTED)
            walk_txn(w, txn);
        if (!w->steps || is_in_other_order(w) || !esse_budget_poll(w->budget, txn))
            return false;
    }
    for (size_t i = 0; i < w->misses.count; i++) {
        uint32_t txn = w->misses.at[i].txn;
        if (!w->misses.at[i].explained)
            lead_back(w, txn, txn, txn, ESSE_NO_TXN);
    }
    return true;
}

bool serial_is_fit(const struct esse_history *history)
{
    const unsigned lists = ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS;
    const unsigned others = ESSE_HAS_WRITES | ESSE_HAS_DELETES | ESSE_HAS_INIT;
    return !(history->has & ESSE_HAS_PREDICATES) &&
           (!(history->has & lists) || !(history->has & others));
}

bool serial_walk(struct serial_walk *w)
{
    const struct esse_history *history = w->history;
    w->lists = history->has & (ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS);
    if ((w->lists || !esse_history_is_native(history)) && !are_all_once(w))
        w->seen = esse_arena_alloc(w->scratch, history->keys + 1u, sizeof *w->seen);
    w->steps = STEPS_AHEAD + history->ops / OPS_A_STEP;
    w->before = esse_arena_array(w->scratch, history->ops + (size_t)1, *w->before);
    w->keys = esse_arena_alloc(w->scratch, history->keys + 1u, sizeof *w->keys);
    for (uint32_t key = 0; key < history->keys; key++)
        w->keys[key] = (struct serial_key){
            .initial = ESSE_NIL, .value = ESSE_NIL, .op = ESSE_NO_OP, .waiting = NO_WAIT
        };
    for (uint32_t i = 0; i < history->init_count; i++) {
        struct serial_key *key = &w->keys[history->init[i].key.ix];
        key->initial = key->value = history->init[i].value;
    }
    return walk_all(w);
}
