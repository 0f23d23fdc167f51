#include "engine/dsg/dsg_results.h"

#include "base/bit_tree.h"
#include "base/radix.h"
#include "history/show.h"

struct sweep {
    struct known *known;
    const struct dsg_ranges *ranges;
    struct esse_bit_tree *current; /* by column: the ranks of the newest versions */
    uint32_t *row_op, *own_op;     /* by key: the operation that returned it, or before which its
                                      transaction wrote it, plus 1 */
    esse_value *row_value;
};

/* ---- telling ---- */

static const struct esse_keyed_row *row_of(const struct esse_history *history, uint32_t op,
                                           uint32_t key)
{
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    for (uint32_t i = 0; i < predicate->row_count; i++)
        if (history->rows[predicate->row + i].key.ix == key)
            return &history->rows[predicate->row + i];
    return NULL;
}

void dsg_results_tell(struct known *known, uint32_t txn, uint32_t op, uint32_t key, esse_value seen,
                      bool matches)
{
    const struct esse_history *history = known->history;
    const struct esse_keyed_row *row = row_of(history, op, key);
    struct esse_out out;
    if (!known_count(known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return;
    esse_out_init_memory(&out, known->arena);
    esse_show_f(&out, history, "%t did %o; %k = %v at its snapshot ", (esse_txn){ txn },
                (esse_op){ op }, (esse_key){ key }, seen);
    if (!matches) {
        esse_out_text(&out, "does not match, but was returned");
    } else if (!row) {
        esse_out_text(&out, "matches and was not returned");
    } else {
        esse_show_f(&out, history, "matches, but %v was returned", row->value);
    }
    const struct esse_step step = { { txn }, { op }, esse_out_memory(&out), ESSE_BASIS_NONE };
    known_tell(known, ESSE_ANOMALY_RESULT_SET_MISMATCH, (esse_key){ key },
               "the rows of a predicate differ from what it selects at the snapshot that the "
               "certificate gives it",
               &step, 1);
}

/* ---- the sweep ---- */

static void replace(struct sweep *s, version_id version, bool is_first)
{
    for (uint32_t c = 0; c < s->ranges->column_count; c++) {
        const uint32_t *rank = s->ranges->columns[c].rank;
        if (!is_first && rank[version.ix - 1] != NO_RANK)
            esse_bit_tree_remove(&s->current[c], rank[version.ix - 1]);
        if (rank[version.ix] != NO_RANK)
            esse_bit_tree_add(&s->current[c], rank[version.ix]);
    }
}

static void commit(struct sweep *s, uint32_t txn)
{
    const struct dsg_ranges *ranges = s->ranges;
    for (uint32_t i = ranges->installed_first[txn]; i < ranges->installed_first[txn + 1]; i++)
        if (ranges->placed[ranges->key[ranges->installed[i].ix]])
            replace(s, ranges->installed[i], false);
}

static void note(struct sweep *s, const struct dsg_range_read *read)
{
    const struct esse_history *history = s->known->history;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[read->op]];
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[predicate->row + i];
        s->row_op[row->key.ix] = read->op + 1;
        s->row_value[row->key.ix] = row->value;
    }
    struct esse_access_walk walk = { history, history->txn_op[read->txn], read->op };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            s->own_op[walk.access.key.ix] = read->op + 1;
}

/* The rows that are there, one by one: each must have been returned as it is. */
static uint32_t check_current(struct sweep *s, const struct dsg_range_read *read, bool *right)
{
    const struct dsg_column *column = &s->ranges->columns[read->column];
    const struct esse_bit_tree *current = &s->current[read->column];
    uint32_t found = 0;
    for (uint32_t rank = esse_bit_tree_next(current, read->low); rank < read->high;
         rank = esse_bit_tree_next(current, rank + 1)) {
        const version_id version = column->version[rank];
        const uint32_t key = s->ranges->key[version.ix];
        if (s->own_op[key] == read->op + 1)
            continue;
        const esse_value value = dsg_version_value(s->ranges->versions, key, version);
        if (s->row_op[key] == read->op + 1 && esse_value_eq(s->row_value[key], value)) {
            found++;
            continue;
        }
        dsg_results_tell(s->known, read->txn, read->op, key, value, true);
        *right = false;
    }
    return found;
}

/* If more were returned than are there: those that are not in the range any more, or not yet.  That
 * a row does not match by itself the scan has reported. */
static void check_returned(struct sweep *s, const struct dsg_range_read *read, uint32_t found,
                           bool *right)
{
    const struct esse_history *history = s->known->history;
    const struct dsg_ranges *ranges = s->ranges;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[read->op]];
    const struct esse_snapshot snapshot = { .is_prefix = true, .before = read->before };
    uint32_t returned = 0;
    for (uint32_t i = 0; i < predicate->row_count; i++)
        returned += s->own_op[history->rows[predicate->row + i].key.ix] != read->op + 1;
    if (returned == found)
        return;
    *right = false;
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[predicate->row + i];
        const uint32_t key = row->key.ix;
        const version_id seen = dsg_ranges_seen(ranges, &snapshot, key);
        if (s->own_op[key] == read->op + 1 || seen.ix == NO_VERSION)
            continue;
        const uint32_t rank = ranges->columns[read->column].rank[seen.ix];
        const esse_value value = dsg_version_value(ranges->versions, key, seen);
        if (!(rank >= read->low && rank < read->high) && !esse_value_eq(value, row->value))
            dsg_results_tell(s->known, read->txn, read->op, key, value, false);
    }
}

static void open_sweep(struct sweep *s, struct esse_arena *arena)
{
    const struct versions *versions = s->ranges->versions;
    const size_t keys = versions->history->keys + (size_t)1;
    s->current = esse_arena_alloc(arena, s->ranges->column_count + 1u, sizeof *s->current);
    for (uint32_t c = 0; c < s->ranges->column_count; c++)
        esse_bit_tree_init(&s->current[c], arena, s->ranges->columns[c].count);
    s->row_op = esse_arena_alloc(arena, keys, sizeof *s->row_op);
    s->own_op = esse_arena_alloc(arena, keys, sizeof *s->own_op);
    s->row_value = esse_arena_alloc(arena, keys, sizeof *s->row_value);
    for (uint32_t key = 0; key < versions->history->keys; key++)
        if (s->ranges->placed[key])
            replace(s, versions->first[key], true);
}

bool dsg_results_check(struct known *known, const struct dsg_ranges *ranges,
                       struct dsg_range_read_vec *reads)
{
    struct esse_arena *arena = esse_arena_new();
    struct sweep s = { .known = known, .ranges = ranges };
    struct esse_pair *order = esse_arena_array(arena, reads->count + 1, *order);
    esse_place place = { 0 };
    bool ok = true;
    for (size_t i = 0; i < reads->count; i++)
        order[i] = (struct esse_pair){ reads->at[i].before.ix, (uint32_t)i };
    esse_radix_sort(order, reads->count, arena);
    open_sweep(&s, arena);
    for (size_t i = 0; ok && i < reads->count; i++) {
        struct dsg_range_read *read = &reads->at[order[i].id];
        bool right = true;
        while (place.ix < read->before.ix)
            commit(&s, ranges->versions->snapshots->txns[place.ix++].ix);
        note(&s, read);
        check_returned(&s, read, check_current(&s, read, &right), &right);
        if (!right)
            read->column = NO_RANK;
        ok = esse_budget_poll(known->budget, i);
    }
    esse_arena_free(arena);
    return ok;
}
