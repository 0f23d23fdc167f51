#include "evidence/claim.h"

#include "base/guard.h"
#include "evidence/counted.h"

void claim_open(struct claim *claim, struct esse_arena *arena, const struct esse_history *history,
                const struct esse_anomaly *anomaly, const struct esse_by_key *by_key)
{
    const enum esse_shown_by by = esse_anomaly_shown_by(anomaly->type);
    *claim = (struct claim){ .arena = arena,
                             .history = history,
                             .anomaly = anomaly,
                             .level = esse_level_failing_by(anomaly->type),
                             .is_refuted = by == ESSE_SHOWN_BY_REFUTATION,
                             .is_forced = by == ESSE_SHOWN_BY_FORCED_CYCLE };
    claim->is_of_ops = claim->is_forced && esse_level_is_of_operations(claim->level);
    claim->in = esse_counted(claim->arena, history);
    if (by_key)
        claim->by_key = *by_key;
    else
        esse_by_key_make(&claim->by_key, claim->arena, history);
}

/* ---- operations ---- */

bool claim_writes(const struct claim *claim, uint32_t op, esse_key key)
{
    esse_value ignored;
    return esse_op_write_of(claim->history, op, key, &ignored);
}

bool claim_installs(const struct claim *claim, uint32_t op, esse_key key)
{
    return claim_writes(claim, op, key) && (claim->history->op_kind[op] == ESSE_OP_APPEND ||
                                            !esse_op_writes_after(claim->history, op, key));
}

bool claim_reads(const struct claim *claim, uint32_t op, esse_key key, esse_value *value)
{
    return esse_op_read_of(claim->history, op, key, value) && !esse_value_eq(*value, ESSE_NONE);
}

/* ---- the writer of what was read ---- */

static void note(struct claim_tally *tally, bool is_one, uint32_t op)
{
    if (is_one)
        tally->first = tally->count++ ? tally->first : op;
}

struct claim_writers claim_writers(const struct claim *claim, esse_key key, esse_value value,
                                   uint32_t own)
{
    const struct claim_tally none = { 0, CLAIM_NO_WRITER };
    const struct esse_by_key *by_key = &claim->by_key;
    struct claim_writers of = { .all = none, .kept = none, .clean = none };
    esse_guard_poll();
    for (uint32_t at = by_key->first[key.ix]; at < by_key->first[key.ix + 1]; at++) {
        const struct esse_key_access key_access = by_key->at[at];
        if (key_access.kind == ESSE_OP_READ || !esse_value_eq(key_access.value, value))
            continue;
        const uint32_t op = esse_by_key_op(by_key, key_access.access);
        const unsigned status = claim->history->txn_status[key_access.txn];
        const bool is_final = esse_is_last_write(by_key, key.ix, at);
        note(&of.all, true, op);
        note(&of.kept, status != ESSE_ABORTED, op);
        note(&of.clean,
             status != ESSE_ABORTED && is_final && key_access.txn != own &&
                 key_access.kind == ESSE_OP_WRITE,
             op);
        of.committed += status == ESSE_COMMITTED;
        of.own += key_access.txn == own;
        of.not_final += !is_final;
    }
    return of;
}

/* Nothing may also be what a delete left that was aborted. */
uint32_t claim_only_source(const struct claim *claim, uint32_t op, esse_key key)
{
    const struct esse_history *history = claim->history;
    esse_value value;
    uint32_t count;
    if (!claim_reads(claim, op, key, &value) ||
        (!claim->is_of_ops && esse_op_wrote_before(claim->history, op, key)))
        return CLAIM_UNKNOWN;
    value = esse_value_state(value);
    const bool is_nothing = esse_value_eq(value, ESSE_NIL);
    const bool is_initial = esse_value_eq(value, esse_key_initial(history, key));
    if (esse_value_is_list(value)) {
        const esse_value *items = esse_history_list(history, value, &count);
        value = items[count - 1];
    }
    const struct claim_writers of = claim_writers(claim, key, value, esse_op_txn(history, op).ix);
    const bool is_clean = claim->is_refuted && of.clean.count + is_initial == 1;
    const struct claim_tally tally = is_clean ? of.clean : is_nothing ? of.all : of.kept;
    return tally.count + is_initial > 1 ? CLAIM_UNKNOWN : is_initial ? ESSE_NO_OP : tally.first;
}
