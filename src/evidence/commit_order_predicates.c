#include "evidence/commit_order_state.h"

/*
 * A predicate read is a read of every key: of those that it returned, which are accesses, and of
 * the others, of some version that does not match (semantics 6).  Where no version of such a key
 * matches, it read the newest that is visible to it, so that no axiom is broken.  Where one
 * matches, which version it read is a choice: the order must name one that does not, and that is a
 * read like any other.  Where units are accesses, or what a transaction read before counts, the
 * place of such a read in the program would matter, and the order proves nothing.
 */

const struct esse_read_source *co_named(const struct esse_order *order, uint32_t op, esse_key key)
{
    uint32_t low = 0, high = order->source_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct esse_read_source *source = &order->sources[middle];
        if (source->read.ix < op || (source->read.ix == op && source->key.ix < key.ix))
            low = middle + 1;
        else
            high = middle;
    }
    const struct esse_read_source *found = low < order->source_count ? &order->sources[low] : NULL;
    return found && found->read.ix == op && found->key.ix == key.ix ? found : NULL;
}

static bool may_select(struct co_predicates *p, uint32_t key, esse_value row)
{
    return replay_rows_ask(&p->store, p->op, key, row) != ESSE_TRUTH_FALSE;
}

/* The last write of a key by a transaction, or NULL. */
static const struct esse_key_access *last_write(const struct esse_by_key *by_key, uint32_t key,
                                                uint32_t txn)
{
    uint32_t begin, end;
    esse_run_find(by_key, key, txn, &begin, &end);
    while (end > begin && by_key->at[end - 1].kind == ESSE_OP_READ)
        end--;
    return end > begin ? &by_key->at[end - 1] : NULL;
}

/* Does the order name a version of the key that the operation can have seen and left out? */
static bool is_named(struct co_predicates *p, esse_key key)
{
    const struct esse_history *history = p->replay->history;
    const struct esse_read_source *source = co_named(p->replay->order, p->op, key);
    struct co_left_out left_out = { key.ix, 0 };
    esse_value row = esse_key_initial(history, key);
    if (!source || (source->write.ix != ESSE_NO_OP && source->write.ix >= history->ops))
        return false;
    if (source->write.ix != ESSE_NO_OP) {
        const uint32_t writer = esse_op_txn(history, source->write.ix).ix;
        const struct esse_key_access *last = last_write(&p->by_key, key.ix, writer);
        if (!last || last->kind != ESSE_OP_WRITE || !p->replay->in[writer] ||
            esse_by_key_op(&p->by_key, last->access) != source->write.ix)
            return false;
        left_out.commit = p->replay->position[writer] + 1;
        row = last->value;
    }
    co_left_out_vec_push(&p->left_out, p->replay->arena, left_out);
    return !may_select(p, key.ix, row);
}

/* Might a version of the key match that it can have read: one that is in the order, or the initial
 * one? */
static bool may_match(struct co_predicates *p, uint32_t key, uint32_t own)
{
    const struct esse_by_key *by_key = &p->by_key;
    bool found = may_select(p, key, esse_key_initial(p->replay->history, (esse_key){ key }));
    for (uint32_t at = by_key->first[key]; !found && at < by_key->first[key + 1]; at++)
        found = by_key->at[at].kind == ESSE_OP_WRITE && p->replay->in[by_key->at[at].txn] &&
                by_key->at[at].txn != own &&
                (esse_level_is_of_operations(p->replay->level) ||
                 esse_is_last_write(by_key, key, at)) &&
                may_select(p, key, by_key->at[at].value);
    return found;
}

/* What its own transaction wrote before is what it saw; what that writes later it cannot have seen.
 */
static bool explains_miss(struct co_predicates *p, uint32_t key)
{
    if (!esse_level_is_repeatable(p->replay->level))
        return !may_match(p, key, ESSE_NO_TXN);
    const struct replay_own own =
        replay_own_writes(p->replay->history, p->txn, p->op, (esse_key){ key });
    if (own.written || own.appends)
        return own.written && !may_select(p, key, own.value);
    return !may_match(p, key, p->txn) || is_named(p, (esse_key){ key });
}

/* Does what the operation returned match, and is what it left out no choice, or made? */
static bool explains_op(struct co_predicates *p)
{
    const struct esse_history *history = p->replay->history;
    const struct esse_predicate_op *looked = &history->predicates[history->op_key[p->op]];
    esse_value ignored;
    if (!replay_rows_tell_all(&p->store, p->op) || looked->has_result || looked->has_vset)
        return false;
    for (uint32_t i = 0; i < looked->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[looked->row + i];
        if (!may_select(p, row->key.ix, row->value))
            return false;
    }
    for (uint32_t key = 0; key < history->keys; key++)
        if (!esse_op_read_of(history, p->op, (esse_key){ key }, &ignored) && !explains_miss(p, key))
            return false;
    return true;
}

bool co_explains(struct co_predicates *p, uint32_t txn)
{
    const struct esse_history *history = p->replay->history;
    if (!p->by_key.at) {
        esse_by_key_make(&p->by_key, p->replay->arena, history);
        replay_state_init(&p->store, p->replay->arena, history, p->replay->in, false);
    }
    bool ok = true;
    p->txn = txn;
    p->left_out.count = 0;
    for (p->op = history->txn_op[txn]; ok && p->op < history->txn_op[txn + 1]; p->op++)
        ok = !esse_op_is_predicate(history->op_kind[p->op]) || explains_op(p);
    return ok;
}
