#ifndef ESSE_ENGINE_SCAN_SCAN_STATE_H
#define ESSE_ENGINE_SCAN_SCAN_STATE_H

#include "base/index.h"
#include "base/vec.h"
#include "engine/engine.h"
#include "history/access.h"

/* What the passes of the scan share.  Private to engine/scan. */

/* A write or append of a value; deletes are not in the index. */
struct scan_write {
    uint32_t op, txn;
};

/* One access of the transaction at hand, linked to the one before it on the same key. */
struct scan_node {
    struct esse_access access;
    uint32_t op;
    uint32_t prev; /* NO_NODE if it is the first on its key */
    bool is_last;  /* no later node of the transaction writes the key */
};
#define NO_NODE     UINT32_MAX
#define SCAN_SHARED (1u << 31)

ESSE_VEC(scan_write_vec, struct scan_write)
ESSE_VEC(scan_node_vec, struct scan_node)
ESSE_VEC(scan_bits, uint8_t)
ESSE_VEC(scan_anomaly_vec, struct esse_anomaly)

enum { SCAN_KEPT = 4 }; /* occurrences of a type that are kept; the rest are counted */

struct scan {
    struct esse_arena *arena;   /* what is returned */
    struct esse_arena *scratch; /* what is not */
    const struct esse_history *history;
    struct esse_budget *budget;

    struct scan_write_vec writes;
    struct scan_bits final;  /* by write: the transaction's last for the key */
    struct esse_index index; /* by key and value */
    uint8_t *key_deleted;    /* by key: someone deletes it */
    esse_value *initial;     /* by key */

    /* The elements of spine s were appended by item_write[spine_first[s] ..], as in op_write. */
    uint32_t spine_count;
    uint32_t *spine_key, *spine_first, *item_write;
    uint32_t *op_write; /* by operation: for a read of a register, the write of what it returned;
                           NO_NODE if none; | SCAN_SHARED if there are several */

    struct scan_node_vec nodes;   /* the transaction at hand */
    uint32_t *key_txn, *key_node; /* by key: the last transaction and node that touched it */

    struct scan_anomaly_vec found;
    uint64_t seen[ESSE_ANOMALY_END];
};

/* Builds the nodes of a transaction: its accesses in program order. */
void scan_nodes(struct scan *scan, uint32_t txn);

/* Walks the writes of 'value' to 'key': a probe, then next until false. */
struct esse_probe scan_writers(const struct scan *scan, esse_key key, esse_value value);
bool scan_writer_next(const struct scan *scan, struct esse_probe *probe, esse_key key,
                      esse_value value, uint32_t *write);

enum esse_status scan_status(const struct scan *scan, uint32_t txn);

/* Counts an occurrence, and says whether it is one of those that are kept and must be told. */
bool scan_count(struct scan *scan, enum esse_anomaly_id type);

/* Keeps an occurrence: 'steps' is copied, the texts are the arena's. */
void scan_tell(struct scan *scan, enum esse_anomaly_id type, esse_key key, const char *description,
               const struct esse_step *steps, uint32_t count);

/* "T3 read x = 5" and the like, in the arena. */
const char *scan_say(struct scan *scan, uint32_t txn, uint32_t op, const char *rest);

static inline struct esse_step scan_step(uint32_t txn, uint32_t op, const char *why)
{
    return (struct esse_step){ { txn }, { op }, why };
}

/* Runs all passes.  False if the budget ran out.  Close it in any case. */
bool scan_open(struct scan *scan, struct esse_job *job);
void scan_close(struct scan *scan);

/* Fills a verdict with the kept anomalies that rule the level out, in the order of the anomaly
 * table; false if there are none, and then the verdict is unknown. */
bool scan_judge(const struct scan *scan, const struct esse_level *level, struct esse_job *job,
                struct esse_verdict *verdict);

/* The passes. */
bool scan_index_writes(struct scan *scan); /* fills writes, final, index; finds duplicate-write */
bool scan_items(struct scan *scan);        /* fills item_write */
bool scan_transactions(struct scan *scan); /* internal, future-read, G1a, G1b, garbage-read */
bool scan_lists(struct scan *scan);        /* the same inside lists, and the list-only ones */
bool scan_lost_updates(struct scan *scan);

#endif
