#include "history/history.h"
#include "mirror/mirror_state.h"
#include "sql/statement.h"

/*
 * Rows that a predicate should have returned: CR is broken if every version of a known key that the
 * snapshot can hold matches, and the key is not among the rows.
 *
 * Said of plain statements over one table that return all rows they select, of rows that are known
 * in full, and only if nobody else writes: another one may have deleted the row.
 *
 * Cost: O(keys) evaluations a statement.
 */

enum { MOST_KEYS = 1 << 14, MANY_VALUES = 1 << 16 };

/* Texts are compiled once, until the values that were made for them are too many. */
struct mirror_predicates {
    struct esse_arena *arena;
    struct esse_history history; /* its values, and nothing else */
    struct esse_predicates *known;
};

static void begin(struct mirror_predicates *p)
{
    *p = (struct mirror_predicates){ .arena = esse_arena_new() };
    p->history.values = esse_values_new(p->arena);
    p->known = esse_predicates_open(p->arena, &p->history);
}

static struct mirror_predicates *predicates_of(struct esse_mirror *m)
{
    struct mirror_predicates *p = m->predicates;
    if (!p) {
        p = m->predicates = esse_arena_alloc(m->arena, 1, sizeof *p);
        begin(p);
    } else if (esse_values_atoms(p->history.values) > MANY_VALUES) {
        esse_arena_free(p->arena);
        begin(p);
    }
    return p;
}

void esse_missed_release(struct mirror_predicates *p)
{
    if (p)
        esse_arena_free(p->arena);
}

/* ---- rows ---- */

static esse_value row_of(struct esse_mirror *m, struct mirror_predicates *p,
                         const struct mirror_version *version)
{
    if (!version->columns)
        return esse_word_value(m->words, version->value, p->history.values);
    const struct mirror_columns *columns = &m->columns.at[version->columns];
    struct esse_arena *arena = esse_arena_new();
    esse_value *parts = esse_arena_array(arena, 2 * (size_t)columns->count + 1, esse_value);
    for (uint32_t i = 0; i < columns->count; i++) {
        parts[2 * i] = esse_word_value(m->words, columns->at[i].name, p->history.values);
        parts[2 * i + 1] = esse_word_value(m->words, columns->at[i].value, p->history.values);
    }
    const esse_value row =
        esse_value_compound(p->history.values, ESSE_KIND_MAP, parts, 2 * (size_t)columns->count);
    esse_arena_free(arena);
    return row;
}

static bool row_matches(const struct esse_predicate *predicate, esse_value key, esse_value row)
{
    enum esse_truth truth;
    struct esse_error unheard;
    return esse_predicate_eval(predicate, key, row, &truth, &unheard) && truth == ESSE_TRUTH_TRUE;
}

/* The candidates are those of the key.  A version that is not known in full proves nothing. */
static bool all_match(struct esse_mirror *m, struct mirror_predicates *p,
                      const struct esse_predicate *predicate, const struct mirror_entry *entry,
                      esse_value key)
{
    for (size_t i = 0; i < m->candidates.count; i++) {
        const struct mirror_candidate *c = &m->candidates.at[i];
        if (!c->version) {
            if (!entry->init || entry->init == WORD_NIL ||
                !row_matches(predicate, key,
                             esse_word_value(m->words, entry->init, p->history.values)))
                return false;
        } else if (c->version->flags != (VERSION_USED | VERSION_FULL) ||
                   !row_matches(predicate, key, row_of(m, p, c->version))) {
            return false;
        }
    }
    return m->candidates.count > 0;
}

/* ---- statements ---- */

static bool is_returned(const struct mirror_txn *t, uint32_t statement, uint32_t entry)
{
    for (uint32_t i = statement + 1; i < t->op_count; i++) {
        if (t->ops[i].statement != statement)
            break;
        if (t->ops[i].entry == entry)
            return true;
    }
    return false;
}

static bool has_written(const struct mirror_txn *t, uint32_t before, uint32_t entry)
{
    for (uint32_t i = 0; i < before; i++)
        if (mirror_is_write(&t->ops[i]) && t->ops[i].entry == entry)
            return true;
    return false;
}

static void tell(struct esse_mirror *m, const struct mirror_txn *t, uint32_t statement,
                 uint64_t key, struct esse_instant s)
{
    struct esse_finding finding = esse_mirror_finding(ESSE_MECHANISM_CR, ESSE_RULE_MISSED_ROW, key);
    finding.value = t->ops[statement].text;
    finding.line = t->ops[statement].line;
    finding.at = s;
    finding.since = INT64_MIN;
    esse_mirror_finding_add(&finding, t);
    for (size_t i = 0; i < m->candidates.count; i++)
        if (m->candidates.at[i].txn != MIRROR_NONE)
            esse_mirror_finding_add(&finding, &m->txns[m->candidates.at[i].txn]);
    esse_mirror_tell(m, &finding);
}

static void look_at_key(struct esse_mirror *m, struct mirror_txn *t, uint32_t statement,
                        uint32_t entry, const struct esse_predicate *predicate)
{
    struct mirror_predicates *p = m->predicates;
    const struct mirror_entry *e = mirror_entry_at(m, entry);
    const struct esse_instant s = esse_mirror_snapshot(t, &t->ops[statement]);
    if (e->key == MIRROR_DATABASE || (!e->at[0].flags && !e->init) ||
        is_returned(t, statement, entry) || has_written(t, statement, entry))
        return;
    const esse_value key = esse_word_value(m->words, e->key, p->history.values);
    if (!esse_statement_has_key(predicate, 0, key) ||
        !esse_mirror_collect_rows(m, t, statement, entry, s))
        return;
    /* Where each row has an instant of its own, a row that moves may be passed by. */
    if (t->row->reads >= ESSE_READS_ROW && m->candidates.count > 1)
        return;
    if (all_match(m, p, predicate, e, key))
        tell(m, t, statement, e->key, s);
}

bool esse_mirror_missed_rows(struct esse_mirror *m, struct mirror_txn *t, uint32_t at)
{
    const struct mirror_op *op = &t->ops[at];
    struct mirror_predicates *p = predicates_of(m);
    struct esse_error unheard;
    if (!m->exclusive || m->entry_count > MOST_KEYS || op->flags & (OP_FAILED | OP_LOCKING) ||
        t->row->time == ESSE_TIME_SESSION || esse_mirror_snapshot(t, op).b == INT64_MIN)
        return false;
    const struct esse_predicate *predicate = esse_predicates_get(
        p->known, esse_word_value(m->words, op->text, p->history.values), &unheard);
    if (!predicate || esse_statement_tables(predicate) != 1 ||
        esse_statement_is_aggregate(predicate) || !esse_statement_is_exact(predicate))
        return false;
    for (uint32_t entry = 0; entry < m->entry_count; entry++)
        look_at_key(m, t, at, entry, predicate);
    return true;
}
