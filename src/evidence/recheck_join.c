#include "evidence/recheck_join.h"

#include "evidence/recheck_cycle.h"
#include "history/by_key.h"
#include "history/snapshots.h"

struct joined {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct esse_by_key by_key;
    struct esse_snapshots snapshots;
    struct esse_answer *answer;
    uint32_t reader, op;
};

/* What the reader had written to the key before. */
static bool own_version(const struct joined *j, uint32_t key, esse_value *value)
{
    for (uint32_t own = j->op; own-- > j->history->txn_op[j->reader];)
        if (esse_op_write_of(j->history, own, (esse_key){ key }, value))
            return true;
    return false;
}

static bool counts(const struct joined *j, uint32_t txn)
{
    const uint8_t status = j->history->txn_status[txn];
    return status == ESSE_UNKNOWN_OUTCOME ? esse_recheck_counts(j->history, txn)
                                          : status == ESSE_COMMITTED;
}

/* The version of a key after the first 'commits'; false if some have no place in their order. */
static bool version_after(const struct joined *j, uint32_t key, uint32_t commits, esse_value *value)
{
    uint32_t latest = 0;
    *value = esse_key_initial(j->history, (esse_key){ key });
    for (uint32_t at = j->by_key.first[key]; at < j->by_key.first[key + 1]; at++) {
        const struct esse_touch *touch = &j->by_key.at[at];
        if (touch->kind == ESSE_OP_READ || !esse_is_last_write(&j->by_key, key, at) ||
            !counts(j, touch->txn))
            continue;
        const uint32_t place = j->snapshots.place[touch->txn];
        if (place == ESSE_NO_PLACE || touch->kind == ESSE_OP_APPEND)
            return false;
        if (place < commits && place + 1 > latest) {
            latest = place + 1;
            *value = touch->value;
        }
    }
    return true;
}

static bool written_by(const struct joined *j, uint32_t key, uint32_t txn, esse_value *value)
{
    if (txn == ESSE_NO_TXN)
        return false;
    for (uint32_t op = j->history->txn_op[txn + 1]; op-- > j->history->txn_op[txn];)
        if (esse_op_write_of(j->history, op, (esse_key){ key }, value))
            return true;
    return false;
}

/* Does this version of the row of 'key' go together with a row of the other table, as the reader
 * saw it after so many commits, or with what 'also' wrote? */
static bool is_paired(struct joined *j, uint32_t key, esse_value version, uint32_t commits,
                      uint32_t also)
{
    struct esse_error ignored;
    uint32_t count;
    bool found = false;
    esse_answer_begin(j->answer);
    for (uint32_t other = 0; other < j->history->keys; other++) {
        esse_value value = version;
        if ((other != key && !own_version(j, other, &value) &&
             !written_by(j, other, also, &value) && !version_after(j, other, commits, &value)) ||
            !esse_answer_add(j->answer, j->history->key_name[other], value, other, &ignored))
            return false;
    }
    if (!esse_answer_end(j->answer, &ignored))
        return false;
    const struct esse_answer_pair *pairs = esse_answer_pairs(j->answer, &count);
    for (uint32_t i = 0; i < count; i++)
        found |= pairs[i].left == key || pairs[i].right == key;
    return found;
}

static bool follows(struct joined *j, esse_key key, esse_op write, bool reads)
{
    const uint32_t writer = esse_op_txn(j->history, write.ix).ix;
    const uint32_t place = j->snapshots.place[writer];
    struct esse_snapshot snapshot;
    esse_value before, version;
    if (place == ESSE_NO_PLACE || !esse_op_write_of(j->history, write.ix, key, &version) ||
        own_version(j, key.ix, &version) ||
        !esse_snapshot_of(&j->snapshots, j->reader, j->op, &snapshot) || !snapshot.is_prefix ||
        reads != (place < snapshot.before) || !version_after(j, key.ix, place, &before) ||
        !version_after(j, key.ix, place + 1, &version))
        return false;
    return is_paired(j, key.ix, before, snapshot.before, ESSE_NO_TXN) ||
           is_paired(j, key.ix, version, snapshot.before, reads ? ESSE_NO_TXN : writer);
}

bool esse_recheck_join(const struct esse_history *history, const struct esse_predicate *predicate,
                       uint32_t reader, uint32_t op, esse_key key, esse_op write, bool reads)
{
    struct joined j = { .arena = esse_arena_new(), .history = history, .reader = reader, .op = op };
    bool ok = history->certificate.kind != ESSE_CERTIFICATE_NONE &&
              !history->predicates[history->op_key[op]].has_vset;
    if (ok) {
        esse_by_key_make(&j.by_key, j.arena, history);
        esse_snapshots_find(&j.snapshots, j.arena, history);
        j.answer = esse_answer_new(j.arena, predicate);
        esse_answer_pair(j.answer);
        ok = follows(&j, key, write, reads);
    }
    esse_arena_free(j.arena);
    return ok;
}
