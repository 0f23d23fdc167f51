#ifndef ESSE_TESTS_UNIT_CLASSIC_ORACLE_H
#define ESSE_TESTS_UNIT_CLASSIC_ORACLE_H

#include "history/oplog.h"

/*
 * The definitions of docs/design/classic.md, word by word: loops over all pairs of operations, no
 * tables, no order of events kept.  They need histories in which every operation has a process and
 * every element is added once.
 */

static inline bool is_op(const struct esse_oplog *log, uint32_t op, unsigned type, unsigned verb)
{
    return log->type[op] == type && log->verb[op] == verb;
}

static inline bool holds(const struct esse_oplog *log, uint32_t read, esse_value value)
{
    const esse_value *items;
    uint32_t count;
    if (!esse_oplog_items(log, log->value[read], &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (esse_value_eq(items[i], value))
            return true;
    return false;
}

/* The least and greatest value that an ok read may return. */
static inline void oracle_bounds(const struct esse_oplog *log, uint32_t read, int64_t *least,
                                 int64_t *most)
{
    *least = *most = 0;
    for (uint32_t op = 0; op < log->count; op++) {
        int64_t amount;
        if (!is_op(log, op, ESSE_INVOKE, ESSE_VERB_ADD) || op > read)
            continue;
        uint32_t done = log->pair[op];
        esse_value_as_int(log->values, log->value[op], &amount);
        if (done != ESSE_NO_PAIR && log->type[done] == ESSE_DONE_FAIL)
            continue;
        bool sure =
            done != ESSE_NO_PAIR && log->type[done] == ESSE_DONE_OK && done < log->pair[read];
        *least += sure || amount < 0 ? amount : 0;
        *most += sure || amount > 0 ? amount : 0;
    }
}

struct oracle_set {
    uint32_t attempts, acknowledged, ok, lost, unexpected, recovered;
    bool is_read;
};

static inline bool is_added(const struct esse_oplog *log, unsigned type, esse_value value)
{
    for (uint32_t op = 0; op < log->count; op++)
        if (is_op(log, op, type, ESSE_VERB_ADD) && esse_value_eq(log->value[op], value))
            return true;
    return false;
}

static inline struct oracle_set oracle_set(const struct esse_oplog *log)
{
    struct oracle_set set = { 0 };
    const esse_value *items;
    uint32_t read = 0, count;
    for (uint32_t op = 0; op < log->count; op++) {
        if (!is_op(log, op, ESSE_DONE_OK, ESSE_VERB_READ))
            continue;
        read = op;
        set.is_read = true;
    }
    if (!set.is_read)
        return set;
    for (uint32_t op = 0; op < log->count; op++) {
        set.attempts += is_op(log, op, ESSE_INVOKE, ESSE_VERB_ADD);
        if (!is_op(log, op, ESSE_DONE_OK, ESSE_VERB_ADD))
            continue;
        set.acknowledged++;
        set.lost += !holds(log, read, log->value[op]);
    }
    esse_oplog_items(log, log->value[read], &items, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool tried = is_added(log, ESSE_INVOKE, items[i]);
        set.ok += tried;
        set.unexpected += !tried;
        set.recovered += tried && !is_added(log, ESSE_DONE_OK, items[i]);
    }
    return set;
}

enum oracle_element { ORACLE_STABLE, ORACLE_LOST, ORACLE_NEVER_READ };

/* What became of the element that 'add' invoked. */
static inline enum oracle_element oracle_element(const struct esse_oplog *log, uint32_t add,
                                                 bool *stale)
{
    int64_t known = -1, present = -1, absent = -1;
    for (uint32_t op = add + 1; op < log->count; op++) {
        bool acknowledges = op == log->pair[add] && log->type[op] == ESSE_DONE_OK;
        bool reads = is_op(log, op, ESSE_DONE_OK, ESSE_VERB_READ);
        bool shows = reads && holds(log, op, log->value[add]);
        if ((acknowledges || shows) && known < 0)
            known = op;
        if (shows && (int64_t)log->pair[op] > present)
            present = log->pair[op];
        if (reads && !shows && (int64_t)log->pair[op] > absent)
            absent = log->pair[op];
    }
    *stale = false;
    if (present > absent) {
        *stale = absent > known;
        return ORACLE_STABLE;
    }
    return known >= 0 && absent > known ? ORACLE_LOST : ORACLE_NEVER_READ;
}

/* How many elements a read of comments misses. */
static inline uint32_t oracle_missing(const struct esse_oplog *log, uint32_t read)
{
    uint32_t missing = 0;
    for (uint32_t before = 0; before < log->count; before++) {
        bool expected = false;
        if (!is_op(log, before, ESSE_DONE_OK, ESSE_VERB_WRITE))
            continue;
        for (uint32_t op = before + 1; op < log->count; op++)
            expected = expected || (is_op(log, op, ESSE_INVOKE, ESSE_VERB_WRITE) &&
                                    holds(log, read, log->value[op]));
        missing += expected && !holds(log, read, log->value[before]);
    }
    return missing;
}

#endif
