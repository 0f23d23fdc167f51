#include "engine/scan/scan.h"

#include "base/hash.h"
#include "engine/scan/scan_state.h"
#include "history/show.h"

#include <string.h>

enum esse_status scan_status(const struct scan *scan, uint32_t txn)
{
    return (enum esse_status)scan->history->txn_status[txn];
}

/* ---- the accesses of a transaction ---- */

static void add_node(struct scan *scan, uint32_t txn, uint32_t op, struct esse_access access)
{
    struct scan_node node = { access, op, NO_NODE, access.kind != ESSE_OP_READ };
    uint32_t key = access.key.ix;
    if (scan->key_txn[key] == txn) {
        node.prev = scan->key_node[key];
        if (node.is_last)
            for (uint32_t n = node.prev; n != NO_NODE; n = scan->nodes.at[n].prev) {
                bool was_last = scan->nodes.at[n].is_last;
                scan->nodes.at[n].is_last = false;
                if (was_last)
                    break; /* what is before it was cleared when it came */
            }
    }
    scan->key_txn[key] = txn;
    scan->key_node[key] = (uint32_t)scan->nodes.count;
    scan_node_vec_push(&scan->nodes, scan->scratch, node);
}

void scan_nodes(struct scan *scan, uint32_t txn)
{
    const struct esse_history *history = scan->history;
    scan->nodes.count = 0;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++)
            add_node(scan, txn, op, esse_access_at(history, op, i));
    }
    /* The same transaction may be laid out again by a later pass. */
    for (size_t n = 0; n < scan->nodes.count; n++)
        scan->key_txn[scan->nodes.at[n].access.key.ix] = ESSE_NO_TXN;
}

/* ---- who wrote a value ---- */

static uint32_t write_hash(esse_key key, esse_value value)
{
    return esse_hash_word(value.word ^ ((uint64_t)key.ix << 40) ^ key.ix);
}

struct esse_probe scan_writers(const struct scan *scan, esse_key key, esse_value value)
{
    return esse_index_probe(&scan->index, write_hash(key, value));
}

bool scan_writer_next(const struct scan *scan, struct esse_probe *probe, esse_key key,
                      esse_value value, uint32_t *write)
{
    const struct esse_history *history = scan->history;
    while (esse_probe_next(probe, write)) {
        uint32_t op = scan->writes.at[*write].op;
        esse_value written;
        if (esse_op_is_predicate(history->op_kind[op])) {
            if (esse_op_write_of(history, op, key, &written) && esse_value_eq(written, value))
                return true;
        } else if (history->op_key[op] == key.ix && esse_value_eq(history->op_value[op], value)) {
            return true;
        }
    }
    return false;
}

/* Whether the workload promises that no value is written twice to a key. */
static bool promises_unique(const struct esse_history *history, enum esse_op_kind kind)
{
    return kind == ESSE_OP_APPEND || strcmp(history->format, "native") != 0;
}

static void find_duplicate(struct scan *scan, const struct scan_node *node, uint32_t txn)
{
    uint32_t other;
    struct esse_probe probe = scan_writers(scan, node->access.key, node->access.value);
    if (!scan_writer_next(scan, &probe, node->access.key, node->access.value, &other) ||
        !scan_count(scan, ESSE_ANOMALY_DUPLICATE_WRITE))
        return;
    struct scan_write first = scan->writes.at[other];
    struct esse_step steps[] = {
        scan_step(first.txn, first.op, scan_say(scan, first.txn, first.op, "")),
        scan_step(txn, node->op, scan_say(scan, txn, node->op, ", the same value again")),
    };
    scan_tell(scan, ESSE_ANOMALY_DUPLICATE_WRITE, node->access.key,
              "a value was written twice to a key in a workload that promises unique values; a "
              "read of it cannot be traced to one writer",
              steps, 2);
}

bool scan_index_writes(struct scan *scan)
{
    const struct esse_history *history = scan->history;
    esse_budget_phase(scan->budget, "indexing writes", history->txns);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        if (!esse_budget_poll(scan->budget, txn))
            return false;
        scan_nodes(scan, txn);
        for (size_t n = 0; n < scan->nodes.count; n++) {
            const struct scan_node *node = &scan->nodes.at[n];
            if (node->access.kind == ESSE_OP_READ)
                continue;
            if (node->access.kind == ESSE_OP_WRITE && esse_value_eq(node->access.value, ESSE_NIL)) {
                scan->key_deleted[node->access.key.ix] = 1;
                continue;
            }
            if (promises_unique(history, node->access.kind))
                find_duplicate(scan, node, txn);
            uint32_t write = (uint32_t)scan->writes.count;
            scan_write_vec_push(&scan->writes, scan->scratch, (struct scan_write){ node->op, txn });
            scan_bits_push(&scan->final, scan->scratch, node->is_last);
            esse_index_add(&scan->index, scan->scratch,
                           write_hash(node->access.key, node->access.value), write);
        }
    }
    return true;
}

/* ---- telling ---- */

bool scan_count(struct scan *scan, enum esse_anomaly_id type)
{
    return scan->seen[type]++ < SCAN_KEPT;
}

void scan_tell(struct scan *scan, enum esse_anomaly_id type, esse_key key, const char *description,
               const struct esse_step *steps, uint32_t count)
{
    struct esse_step *kept = esse_arena_alloc(scan->arena, count, sizeof *kept);
    memcpy(kept, steps, count * sizeof *kept);
    struct esse_anomaly anomaly = { .type = esse_anomaly_get(type)->name,
                                    .description = description,
                                    .has_key = true,
                                    .key = key,
                                    .steps = kept,
                                    .step_count = count };
    scan_anomaly_vec_push(&scan->found, scan->arena, anomaly);
}

const char *scan_say(struct scan *scan, uint32_t txn, uint32_t op, const char *rest)
{
    const struct esse_history *history = scan->history;
    const esse_key key = { history->op_key[op] };
    const esse_value value = history->op_value[op];
    char name[64];
    struct esse_out out;
    esse_txn_name(history, (esse_txn){ txn }, name, sizeof name);
    esse_out_init_memory(&out, scan->arena);
    esse_out_text(&out, name);
    switch ((enum esse_op_kind)history->op_kind[op]) {
    case ESSE_OP_READ:
    case ESSE_OP_WRITE:
        esse_out_text(&out, history->op_kind[op] == ESSE_OP_READ ? " read " : " wrote ");
        esse_show_key(&out, history, key);
        esse_out_text(&out, " = ");
        esse_show_value(&out, history, value);
        break;
    case ESSE_OP_APPEND:
        esse_out_text(&out, " appended ");
        esse_show_value(&out, history, value);
        esse_out_text(&out, " to ");
        esse_show_key(&out, history, key);
        break;
    case ESSE_OP_DELETE:
        esse_out_text(&out, " deleted ");
        esse_show_key(&out, history, key);
        break;
    case ESSE_OP_PREDICATE_READ:
    case ESSE_OP_PREDICATE_UPDATE:
        esse_out_text(&out, " did ");
        esse_show_op(&out, history, (esse_op){ op });
        break;
    }
    esse_out_text(&out, rest);
    return esse_out_memory(&out);
}

/* ---- the engine ---- */

bool scan_open(struct scan *scan, struct esse_job *job)
{
    const struct esse_history *history = job->history;
    *scan = (struct scan){
        .arena = job->arena, .scratch = esse_arena_new(), .history = history, .budget = job->budget
    };
    size_t keys = history->keys + (size_t)1;
    scan->key_deleted = esse_arena_alloc(scan->scratch, keys, 1);
    scan->initial = esse_arena_alloc(scan->scratch, keys, sizeof *scan->initial);
    scan->key_txn = esse_arena_alloc(scan->scratch, keys, sizeof *scan->key_txn);
    scan->key_node = esse_arena_alloc(scan->scratch, keys, sizeof *scan->key_node);
    for (uint32_t key = 0; key < history->keys; key++) {
        scan->initial[key] = ESSE_NIL;
        scan->key_txn[key] = ESSE_NO_TXN;
    }
    for (uint32_t i = 0; i < history->init_count; i++)
        scan->initial[history->init[i].key.ix] = history->init[i].value;
    scan->op_write =
        esse_arena_grow(scan->scratch, NULL, (history->ops + (size_t)1) * sizeof(uint32_t));
    memset(scan->op_write, 0xff, (history->ops + (size_t)1) * sizeof(uint32_t));
    return scan_index_writes(scan) && scan_items(scan) && scan_transactions(scan) &&
           scan_lists(scan) && scan_lost_updates(scan);
}

void scan_close(struct scan *scan)
{
    esse_arena_free(scan->scratch);
}

bool scan_judge(const struct scan *scan, const struct esse_level *level, struct esse_job *job,
                struct esse_verdict *verdict)
{
    struct esse_anomaly *kept = esse_arena_alloc(job->arena, scan->found.count + 1, sizeof *kept);
    for (int id = 1; id < ESSE_ANOMALY_END; id++) {
        const struct esse_anomaly_type *type = esse_anomaly_get((enum esse_anomaly_id)id);
        if (!scan->seen[id] || !esse_level_forbids(level, type))
            continue;
        verdict->anomalies_seen += scan->seen[id];
        for (size_t i = 0; i < scan->found.count; i++)
            if (strcmp(scan->found.at[i].type, type->name) == 0)
                kept[verdict->anomaly_count++] = scan->found.at[i];
    }
    verdict->anomalies = kept;
    verdict->outcome = verdict->anomaly_count ? ESSE_VIOLATED : ESSE_UNKNOWN;
    verdict->evidence = !verdict->anomaly_count ? "none" : kept[0].edge_count ? "cycle" : "anomaly";
    if (!verdict->anomaly_count && esse_budget_spent(job->budget))
        verdict->reason = esse_arena_format(job->arena, "stopped: %s ran out while %s",
                                            job->budget->spent, job->budget->phase);
    return verdict->anomaly_count > 0;
}

static void run(struct esse_job *job)
{
    struct scan scan;
    scan_open(&scan, job);
    for (size_t i = 0; i < job->level_count; i++)
        if (!scan_judge(&scan, job->levels[i], job, &job->verdicts[i]) && !job->verdicts[i].reason)
            job->verdicts[i].reason =
                "nothing that rules the level out shows without an order of the transactions, and "
                "this build has no engine that finds one for such a history";
    job->found = scan.found.at;
    job->found_count = (uint32_t)scan.found.count;
    scan_close(&scan);
}

static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    (void)level;
    (void)history;
    return false;
}

const struct esse_engine esse_engine_scan = {
    .name = "scan",
    .summary = "the anomalies that need no order; refutes, never proves",
    .decides = decides,
    .run = run,
};
