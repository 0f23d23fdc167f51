#include "base/error.h"
#include "evidence/commit_order_state.h"
#include "sql/statement.h"

/*
 * A predicate read is a read of every key: of those that it returned, which are accesses, and of
 * the others, of some version that does not match (semantics 6).  Where no version of such a key
 * matches, it read the newest that is visible to it, so that no axiom is broken.  Where one
 * matches, which version it read is a choice that a commit order does not tell: then the order
 * proves nothing.
 */
struct selecting {
    const struct commit_order *co;
    struct esse_predicates *predicates;
    const struct esse_predicate *predicate; /* of the operation at hand */
    const struct esse_predicate_op *looked;
    uint32_t op;
};

static bool selects(const struct selecting *s, uint32_t key, esse_value row)
{
    struct esse_error ignored;
    bool selected;
    return !esse_predicate_selects(s->predicate, s->co->history->key_name[key], row, &selected,
                                   &ignored) ||
           selected;
}

static bool is_returned(const struct selecting *s, uint32_t key)
{
    esse_value ignored;
    return esse_op_read_of(s->co->history, s->op, (esse_key){ key }, &ignored);
}

/* Might a version of the key, one that is in the order or the initial one, match? */
static bool may_match(const struct selecting *s, uint32_t key)
{
    const struct esse_by_key *by_key = &s->co->by_key;
    bool found = selects(s, key, esse_key_initial(s->co->history, (esse_key){ key }));
    for (uint32_t at = by_key->first[key]; !found && at < by_key->first[key + 1]; at++)
        found = by_key->at[at].kind == ESSE_OP_WRITE && s->co->in[by_key->at[at].txn] &&
                selects(s, key, by_key->at[at].value);
    return found;
}

/* Does what the operation returned match, and is what it left out no choice? */
static bool is_plain(const struct selecting *s)
{
    const struct esse_history *history = s->co->history;
    for (uint32_t i = 0; i < s->looked->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[s->looked->row + i];
        if (!selects(s, row->key.ix, row->value))
            return false;
    }
    for (uint32_t key = 0; key < history->keys; key++)
        if (!is_returned(s, key) && may_match(s, key))
            return false;
    return true;
}

static bool is_explained(struct selecting *s, uint32_t op)
{
    const struct esse_history *history = s->co->history;
    struct esse_error ignored;
    if (!esse_op_is_predicate(history->op_kind[op]))
        return true;
    s->op = op;
    s->looked = &history->predicates[history->op_key[op]];
    s->predicate = esse_predicates_get(s->predicates, s->looked->text, &ignored);
    return s->predicate && esse_statement_is_exact(s->predicate) && !s->looked->no_rows &&
           !s->looked->has_result && !s->looked->has_vset && is_plain(s);
}

bool co_explains_predicates(struct commit_order *co, struct esse_error *err)
{
    const struct esse_history *history = co->history;
    struct selecting s = { .co = co };
    if (!(history->has & ESSE_HAS_PREDICATES))
        return true;
    s.predicates = esse_predicates_new(co->arena, history);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; co->in[txn] && op < history->txn_op[txn + 1]; op++)
            if (!is_explained(&s, op))
                return esse_fail(err, ESSE_EBUG,
                                 "the commit order does not tell what a predicate saw of the rows "
                                 "that it left out, so it does not prove %s",
                                 co->level->friendly);
    return true;
}
