#include "history/stats.h"

#include "base/hash.h"
#include "base/index.h"
#include "history/access.h"

#include <stdlib.h>
#include <string.h>

struct key_facts {
    uint32_t accesses;
    uint32_t writer; /* the session that wrote it, ESSE_NO_SESSION, or many: ESSE_NO_SESSION - 1 */
};

static void count_access(const struct esse_history *history, struct esse_stats *stats,
                         struct key_facts *keys, uint32_t txn, struct esse_access access)
{
    struct key_facts *key = &keys[access.key.ix];
    stats->accesses++;
    key->accesses++;
    if (key->accesses > stats->hottest_accesses) {
        stats->hottest_accesses = key->accesses;
        stats->hottest = access.key;
    }
    if (access.kind != ESSE_OP_READ) {
        uint32_t session = history->txn_session[txn];
        key->writer = key->writer == ESSE_NO_SESSION || key->writer == session
                          ? session
                          : ESSE_NO_SESSION - 1;
        return;
    }
    stats->unrecorded_reads += esse_value_eq(access.value, ESSE_NONE);
    if (esse_value_tag(access.value) == ESSE_TAG_LIST &&
        access.value.word >> 32 > stats->list_items_longest)
        stats->list_items_longest = access.value.word >> 32;
}

static void count_operations(const struct esse_history *history, struct esse_stats *stats,
                             struct esse_arena *scratch)
{
    struct key_facts *keys = esse_arena_alloc(scratch, history->keys + 1u, sizeof *keys);
    for (uint32_t k = 0; k < history->keys; k++)
        keys[k].writer = ESSE_NO_SESSION;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            stats->kinds[history->op_kind[op]]++;
            uint32_t count = esse_access_count(history, op);
            for (uint32_t i = 0; i < count; i++)
                count_access(history, stats, keys, txn, esse_access_at(history, op, i));
        }
    }
    for (uint32_t k = 0; k < history->keys; k++) {
        stats->keys_written += keys[k].writer != ESSE_NO_SESSION;
        stats->keys_shared += keys[k].writer == ESSE_NO_SESSION - 1;
    }
}

static void count_duplicates(const struct esse_history *history, struct esse_stats *stats,
                             struct esse_arena *scratch)
{
    struct esse_index index = { 0 };
    for (uint32_t op = 0; op < history->ops; op++) {
        if (history->op_kind[op] != ESSE_OP_WRITE && history->op_kind[op] != ESSE_OP_APPEND)
            continue;
        uint32_t key = history->op_key[op], other;
        esse_value value = history->op_value[op];
        uint32_t hash = esse_hash_word(value.word ^ (uint64_t)key << 32);
        struct esse_probe probe = esse_index_probe(&index, hash);
        bool known = false;
        while (!known && esse_probe_next(&probe, &other))
            known = history->op_key[other] == key && esse_value_eq(history->op_value[other], value);
        if (known)
            stats->duplicate_values++;
        else
            esse_index_add(&index, scratch, hash, op);
    }
    esse_index_drop(&index, scratch);
}

static void count_certified(const struct esse_history *history, struct esse_stats *stats)
{
    for (uint32_t i = 0; i < history->predicate_count; i++) {
        stats->results += history->predicates[i].has_result;
        stats->results_only += history->predicates[i].no_rows;
    }
    for (uint32_t op = 0; history->op_snapshot && op < history->ops; op++)
        stats->snapshots += !esse_value_eq(history->op_snapshot[op], ESSE_NONE);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void measure_sizes(const struct esse_history *history, struct esse_stats *stats,
                          struct esse_arena *scratch)
{
    int64_t *sizes = esse_arena_alloc(scratch, history->txns + 1u, sizeof *sizes);
    for (uint32_t t = 0; t < history->txns; t++)
        sizes[t] = history->txn_op[t + 1] - history->txn_op[t];
    qsort(sizes, history->txns, sizeof *sizes, by_number);
    if (history->txns) {
        stats->ops_least = (uint32_t)sizes[0];
        stats->ops_median = (uint32_t)sizes[history->txns / 2];
        stats->ops_most = (uint32_t)sizes[history->txns - 1];
    }
    for (uint32_t s = 0; s < history->sessions; s++) {
        uint32_t count = history->session_first[s + 1] - history->session_first[s];
        if (!s || count < stats->session_least)
            stats->session_least = count;
        if (count > stats->session_most)
            stats->session_most = count;
    }
}

/* Sweeps over the sorted starts and ends; a transaction is open from start to end, both in. */
static void measure_concurrency(const struct esse_history *history, struct esse_stats *stats,
                                struct esse_arena *scratch)
{
    if (!history->txn_time)
        return;
    int64_t *starts = esse_arena_alloc(scratch, history->txns + 1u, sizeof *starts);
    int64_t *ends = esse_arena_alloc(scratch, history->txns + 1u, sizeof *ends);
    uint32_t count = 0, open = 0;
    for (uint32_t t = 0; t < history->txns; t++) {
        struct esse_interval time = history->txn_time[t];
        if (time.begin == ESSE_NO_TIME || time.end == ESSE_NO_TIME)
            continue;
        starts[count] = time.begin;
        ends[count++] = time.end;
    }
    stats->timed = count;
    qsort(starts, count, sizeof *starts, by_number);
    qsort(ends, count, sizeof *ends, by_number);
    double busy = 0, weighted = 0, last = 0;
    for (uint32_t s = 0, e = 0; e < count;) {
        bool starting = s < count && starts[s] <= ends[e];
        double now = (double)(starting ? starts[s] : ends[e]);
        if (open) {
            busy += now - last;
            weighted += (now - last) * open;
        }
        last = now;
        open = starting ? open + 1 : open - 1;
        s += starting;
        e += !starting;
        if (open > stats->concurrency_most)
            stats->concurrency_most = open;
    }
    stats->concurrency_mean = busy > 0 ? weighted / busy : count ? 1 : 0;
}

void esse_stats_compute(const struct esse_history *history, struct esse_stats *stats)
{
    struct esse_arena *scratch = esse_arena_new();
    memset(stats, 0, sizeof *stats);
    stats->counts = esse_history_counts(history);
    count_operations(history, stats, scratch);
    count_duplicates(history, stats, scratch);
    count_certified(history, stats);
    measure_sizes(history, stats, scratch);
    measure_concurrency(history, stats, scratch);
    esse_arena_free(scratch);
}
