#include "base/error.h"
#include "evidence/commit_order_state.h"
#include "evidence/replay_state.h"

/*
 * A predicate read is a read of every key: of those that it returned, which are accesses, and of
 * the others, of some version that does not match (semantics 6).  Where no version of such a key
 * matches, it read the newest that is visible to it, so that no axiom is broken.  Where one
 * matches, which version it read is a choice: the order must name one that does not, and that is a
 * read like any other.  Where units are accesses, or what a transaction read before counts, the
 * place of such a read in the program would matter, and the order proves nothing.
 */
ESSE_VEC(left_out_vec, struct co_left_out)

struct selecting {
    struct commit_order *co;
    struct left_out_vec left_out;
    struct replay_state store; /* which knows what predicates mean */
    uint32_t txn, op;          /* the operation at hand */
};

static bool may_select(struct selecting *s, uint32_t key, esse_value row)
{
    return replay_rows_ask(&s->store, s->op, key, row) != ESSE_TRUTH_FALSE;
}

/* Does the order name a version of the key that the operation can have seen and left out? */
static bool is_named(struct selecting *s, uint32_t key)
{
    struct commit_order *co = s->co;
    const uint32_t named = co_named(co, s->op, (esse_key){ key });
    if (named == CO_NOTHING || named == CO_NOWHERE)
        return false;
    const struct esse_touch *write = named == CO_INITIAL ? NULL : &co->by_key.at[named];
    if (write && !esse_is_last_write(&co->by_key, key, named))
        return false;
    const struct co_left_out left_out = { s->txn, { key, write ? write->txn : CO_INITIAL } };
    left_out_vec_push(&s->left_out, co->arena, left_out);
    return !may_select(s, key,
                       write ? write->value : esse_key_initial(co->history, (esse_key){ key }));
}

/* Might a version of the key match that it can have read: one that is in the order, or the initial
 * one? */
static bool may_match(struct selecting *s, uint32_t key, uint32_t own)
{
    const struct esse_by_key *by_key = &s->co->by_key;
    bool found = may_select(s, key, esse_key_initial(s->co->history, (esse_key){ key }));
    for (uint32_t at = by_key->first[key]; !found && at < by_key->first[key + 1]; at++)
        found =
            by_key->at[at].kind == ESSE_OP_WRITE && s->co->in[by_key->at[at].txn] &&
            by_key->at[at].txn != own &&
            (esse_level_is_of_operations(s->co->level) || esse_is_last_write(by_key, key, at)) &&
            may_select(s, key, by_key->at[at].value);
    return found;
}

/* What its own transaction wrote before is what it saw; what that writes later it cannot have seen.
 */
static bool explains_miss(struct selecting *s, uint32_t key)
{
    if (!esse_level_is_repeatable(s->co->level))
        return !may_match(s, key, ESSE_NO_TXN);
    const struct replay_own own =
        replay_own_writes(s->co->history, s->txn, s->op, (esse_key){ key });
    if (own.written || own.appends)
        return own.written && !may_select(s, key, own.value);
    return !may_match(s, key, s->txn) || is_named(s, key);
}

/* Does what the operation returned match, and is what it left out no choice, or made? */
static bool explains_op(struct selecting *s)
{
    const struct esse_history *history = s->co->history;
    const struct esse_predicate_op *looked = &history->predicates[history->op_key[s->op]];
    esse_value ignored;
    if (!replay_rows_tell_all(&s->store, s->op) || looked->has_result || looked->has_vset)
        return false;
    for (uint32_t i = 0; i < looked->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[looked->row + i];
        if (!may_select(s, row->key.ix, row->value))
            return false;
    }
    for (uint32_t key = 0; key < history->keys; key++)
        if (!esse_op_read_of(history, s->op, (esse_key){ key }, &ignored) && !explains_miss(s, key))
            return false;
    return true;
}

static void keep_left_out(struct commit_order *co, const struct left_out_vec *left_out)
{
    if (!left_out->count)
        return;
    co->left_out = left_out->at;
    co->left_count = (uint32_t)left_out->count;
    co->left_before = esse_arena_alloc(co->arena, co->units + (size_t)2, sizeof *co->left_before);
    for (uint32_t i = 0; i < co->left_count; i++)
        co->left_before[co->left_out[i].unit + 1]++;
    for (uint32_t unit = 0; unit < co->units; unit++)
        co->left_before[unit + 1] += co->left_before[unit];
}

bool co_explains_predicates(struct commit_order *co, struct esse_error *err)
{
    const struct esse_history *history = co->history;
    struct selecting s = { .co = co };
    if (!(history->has & ESSE_HAS_PREDICATES))
        return true;
    replay_state_init(&s.store, co->arena, history, co->in, false);
    for (s.txn = 0; s.txn < history->txns; s.txn++)
        for (s.op = history->txn_op[s.txn]; co->in[s.txn] && s.op < history->txn_op[s.txn + 1];
             s.op++)
            if (esse_op_is_predicate(history->op_kind[s.op]) && !explains_op(&s))
                return esse_fail(err, ESSE_EBUG,
                                 "the commit order does not show what a predicate saw of the rows "
                                 "that it left out, so it does not prove %s",
                                 co->level->friendly);
    keep_left_out(co, &s.left_out);
    return true;
}
