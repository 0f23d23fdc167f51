#include "evidence/truths.h"

#include "base/guard.h"

static bool writes_between(const struct esse_history *history, uint32_t begin, uint32_t end,
                           esse_key key)
{
    while (begin < end && !truth_writes(history, begin, key))
        begin++;
    return begin < end;
}

bool truth_wrote_before(const struct esse_history *history, uint32_t op, esse_key key)
{
    return writes_between(history, history->txn_op[esse_op_txn(history, op).ix], op, key);
}

bool truth_writes_after(const struct esse_history *history, uint32_t op, esse_key key)
{
    return writes_between(history, op + 1, history->txn_op[esse_op_txn(history, op).ix + 1], key);
}

bool truth_is_in_session(const struct esse_history *history, uint32_t first, uint32_t second)
{
    return first < second && history->txn_session[first] == history->txn_session[second];
}

bool truth_is_in_time(const struct esse_history *history, uint32_t first, uint32_t second)
{
    const int64_t end = esse_txn_committed_by(history, first);
    return end != ESSE_NO_TIME && end < history->txn_time[second].begin;
}

static void note_writer(struct truth_writers *writers, const struct esse_history *history,
                        esse_key key, uint32_t op, bool is_own, bool is_kept)
{
    writers->first = writers->all++ ? writers->first : op;
    if (is_kept)
        writers->first_kept = writers->kept++ ? writers->first_kept : op;
    writers->own += is_own;
    writers->not_final += truth_writes_after(history, op, key);
}

struct truth_writers truth_writers(const struct esse_history *history, esse_key key,
                                   esse_value value, uint32_t own)
{
    struct truth_writers writers = { .first = ESSE_NO_OP, .first_kept = ESSE_NO_OP };
    esse_value written;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        esse_guard_poll();
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (esse_op_write_of(history, op, key, &written) && esse_value_eq(written, value))
                note_writer(&writers, history, key, op, txn == own,
                            history->txn_status[txn] != ESSE_ABORTED);
    }
    return writers;
}
