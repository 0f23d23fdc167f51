#include "base/word_map.h"
#include "engine/known/serial.h"
#include "evidence/recheck.h"
#include "evidence/replay.h"

#include <string.h>

/* ---- the part of a history that is odd ---- */

enum { SMALL_PART = 8 }; /* one in so many transactions and operations */

struct picking {
    struct esse_arena *scratch;
    const struct esse_history *history;
    bool lists;
    uint8_t *in;           /* by transaction */
    uint8_t *wanted;       /* by key: something of it was read or written in a window */
    uint32_t *wrote, *met; /* by key: the last transaction that wrote it or met what was, and 1 */
    struct esse_word_map seen; /* what was; now and then something else looks the same, and does no
                                  harm: it is only looked at */
    struct esse_u32_vec ops;
};

static uint64_t word_of(const struct esse_history *history, uint32_t op)
{
    return history->op_value[op].word ^ history->op_key[op] * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t ops_of(const struct esse_history *history, uint32_t txn)
{
    return history->txn_op[txn + 1] - history->txn_op[txn];
}

static void look_at_txn(struct picking *p, uint32_t txn)
{
    const struct esse_history *history = p->history;
    p->in[txn] = 1;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        bool fresh;
        p->wanted[history->op_key[op]] = 1;
        *esse_word_map_put(&p->seen, word_of(history, op), &fresh) = op;
    }
}

static bool look_at_windows(struct picking *p, const struct serial *serial)
{
    uint64_t ops = 0, txns = 0;
    for (size_t i = 0; i < serial->odd.count; i++)
        txns += serial->odd.at[i].end - serial->odd.at[i].begin;
    if (txns > p->history->txns / SMALL_PART + 1)
        return false;
    for (size_t i = 0; i < serial->odd.count; i++)
        for (uint32_t at = serial->odd.at[i].begin; at < serial->odd.at[i].end; at++)
            ops += ops_of(p->history, serial_txn(serial, at));
    esse_word_map_clear(&p->seen, p->scratch, (uint32_t)ops);
    for (size_t i = 0; i < serial->odd.count; i++)
        for (uint32_t at = serial->odd.at[i].begin; at < serial->odd.at[i].end; at++)
            look_at_txn(p, serial_txn(serial, at));
    return true;
}

static bool is_seen(const struct picking *p, uint32_t op)
{
    return esse_word_map_get(&p->seen, word_of(p->history, op), UINT32_MAX) != UINT32_MAX;
}

/* For each key that is wanted, whether the transaction wrote it, and whether it read or wrote a
 * value of it that was seen. */
static void mark_keys(struct picking *p, uint32_t txn)
{
    const struct esse_history *history = p->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        const uint32_t key = history->op_key[op];
        if (!p->wanted[key])
            continue;
        if (history->op_kind[op] != ESSE_OP_READ)
            p->wrote[key] = txn + 1;
        if (is_seen(p, op))
            p->met[key] = txn + 1;
    }
}

/* All of it in a window.  Outside, all of a list, because its elements need their writers; of a
 * register all writes of a transaction if one of them is of a value that was seen, because it
 * matters which is the last, and updates of what was seen, because one of two is lost. */
static bool is_picked(const struct picking *p, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = p->history;
    const uint32_t key = history->op_key[op];
    return p->wanted[key] &&
           (p->lists || (p->wrote[key] == txn + 1 && p->met[key] == txn + 1 &&
                         (history->op_kind[op] != ESSE_OP_READ || is_seen(p, op))));
}

static void pick_txn(struct picking *p, uint32_t txn)
{
    const struct esse_history *history = p->history;
    const bool whole = p->in[txn];
    if (!whole && !p->lists)
        mark_keys(p, txn);
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        if (!whole && !is_picked(p, txn, op))
            continue;
        esse_u32_vec_push(&p->ops, p->scratch, op);
        p->in[txn] = 1;
    }
}

bool serial_pick(struct serial_part *part, struct esse_arena *arena,
                 const struct esse_history *history, const struct serial *serial)
{
    struct picking p = { .scratch = esse_arena_new(),
                         .history = history,
                         .lists = history->has & (ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS) };
    p.in = esse_arena_alloc(arena, history->txns + 1u, 1);
    p.wanted = esse_arena_alloc(p.scratch, history->keys + 1u, 1);
    p.wrote = esse_arena_alloc(p.scratch, history->keys + 1u, sizeof *p.wrote);
    p.met = esse_arena_alloc(p.scratch, history->keys + 1u, sizeof *p.met);
    bool ok = look_at_windows(&p, serial);
    for (uint32_t txn = 0; ok && txn < history->txns; txn++) {
        pick_txn(&p, txn);
        ok = (!p.in[txn] || history->txn_status[txn] != ESSE_UNKNOWN_OUTCOME) &&
             p.ops.count <= history->ops / SMALL_PART + 64;
    }
    if (ok)
        esse_by_key_pick(&part->by_key, arena, history, p.ops.at, (uint32_t)p.ops.count);
    part->in = p.in;
    esse_arena_free(p.scratch);
    return ok;
}

/* ---- for engines ---- */

const struct serial *serial_near_find(struct esse_job *job, bool real_time)
{
    struct serial_near *near = job->near;
    if (job->assume || (job->history->has & ESSE_HAS_VERSION_ORDER))
        return NULL;
    if (!near->is_tried[real_time])
        near->is_found[real_time] =
            serial_find(&near->found[real_time], job->arena, job->history, real_time, job->budget);
    near->is_tried[real_time] = true;
    return near->is_found[real_time] ? &near->found[real_time] : NULL;
}

/* Registers alone, and a φ that the order itself is no part of. */
static bool may_be_weak(const struct esse_level *level, const struct esse_history *history)
{
    const unsigned shown =
        ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS | ESSE_HAS_PREDICATES | ESSE_HAS_VERSION_ORDER;
    return (level->phi == ESSE_PHI_READ_EARLIER || level->phi == ESSE_PHI_ATOMIC ||
            level->phi == ESSE_PHI_CAUSAL) &&
           !esse_level_is_of_operations(level) && level->needs_session_order &&
           !(history->has & shown);
}

/* The order is a proof all the same for levels that allow for what is odd in it. */
static bool prove_weak(const struct esse_job *job, const struct esse_order *order,
                       const struct esse_level *level, struct esse_verdict *verdict)
{
    struct esse_error ignored;
    if (!esse_recheck_is_enough(level, level, verdict) || !may_be_weak(level, job->history) ||
        !esse_replay(job->history, level, order, job->proved, &ignored))
        return false;
    verdict->outcome = ESSE_HOLDS;
    verdict->reason = (struct esse_reason){ 0 };
    verdict->evidence = ESSE_EVIDENCE_ORDER;
    verdict->order = *order;
    verdict->order.proves = level->id;
    return true;
}

bool serial_decide_part(struct esse_job *job, const struct serial *serial,
                        void (*decide)(struct esse_job *job, const struct serial_part *part))
{
    struct esse_arena *scratch = esse_arena_new();
    struct serial_part part;
    struct esse_job trial = *job;
    const size_t bytes = job->level_count * sizeof *job->verdicts;
    trial.verdicts = esse_arena_alloc(scratch, job->level_count, sizeof *job->verdicts);
    memcpy(trial.verdicts, job->verdicts, bytes);
    bool all = serial_pick(&part, scratch, job->history, serial);
    if (all)
        decide(&trial, &part);
    for (size_t i = 0; all && i < job->level_count; i++)
        all = trial.verdicts[i].outcome == ESSE_VIOLATED ||
              prove_weak(job, &serial->order, job->levels[i], &trial.verdicts[i]);
    if (all) {
        memcpy(job->verdicts, trial.verdicts, bytes);
        job->found = trial.found;
        job->found_count = trial.found_count;
    }
    esse_arena_free(scratch);
    return all;
}
