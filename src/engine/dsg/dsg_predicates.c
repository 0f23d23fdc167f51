#include "engine/dsg/dsg_predicates.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/radix.h"
#include "engine/dsg/dsg_answers.h"
#include "engine/dsg/dsg_joins.h"
#include "engine/dsg/dsg_results.h"
#include "engine/dsg/dsg_views.h"
#include "sql/statement.h"

#include <stdlib.h>

/* A rank that an operation does not ask about. */
struct cut {
    uint32_t op, rank;
};
ESSE_VEC(cut_vec, struct cut)

/* The ranks of a column that a text asks for; NO_RANK: it is no range that a column can tell. */
struct asked {
    uint32_t column, low, high;
};

struct finding {
    struct esse_arena *arena;
    struct known *known;
    const struct versions *versions;
    const struct esse_history *history;
    struct esse_error *err;
    struct dsg_views views;
    struct dsg_join join;
    struct dsg_ranges *ranges; /* NULL if no certificate tells what was seen */
    bool is_known;             /* the state at every snapshot is, see dsg_answers.h */
    struct dsg_range_read_vec reads;
    struct cut_vec cuts;
    struct dsg_predicate_edge_vec *edges;

    struct esse_index values; /* of key and value: the version */
    bool has_values;
    uint32_t *own;     /* by key: the operation before which its transaction wrote it, plus 1 */
    version_id *seen;  /* by key: the version that the operation looked at, or NO_VERSION */
    uint32_t *seen_by; /* by key: the operation for which 'seen' is, plus 1 */
};

static const struct esse_predicate_op *predicate_at(const struct finding *f, uint32_t op)
{
    return &f->history->predicates[f->history->op_key[op]];
}

/* Does what it returned depend on the values of all rows that match, not only on which they are? */
static bool is_by_value(const struct finding *f, uint32_t op)
{
    return predicate_at(f, op)->no_rows || !esse_statement_is_exact(f->views.predicate);
}

static bool take_text(struct finding *f, uint32_t txn, uint32_t op)
{
    if (dsg_views_take(&f->views, predicate_at(f, op)->text))
        return true;
    f->err->line = f->history->txn_line[txn];
    return false;
}

/* Keys that the transaction had written itself before the operation. */
static void note_own(struct finding *f, uint32_t txn, uint32_t op)
{
    struct esse_access_walk walk = { f->history, f->history->txn_op[txn], op };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            f->own[walk.access.key.ix] = op + 1;
}

/* ---- operations whose dependencies are not drawn ---- */

static bool snapshot_of(const struct finding *f, uint32_t txn, uint32_t op,
                        struct esse_snapshot *snapshot)
{
    return f->ranges && !predicate_at(f, op)->has_vset &&
           esse_snapshot_of(f->versions->snapshots, txn, op, snapshot);
}

static bool wrote_before(const struct finding *f, const struct dsg_range_read *read, uint32_t key)
{
    esse_value ignored;
    for (uint32_t op = f->history->txn_op[read->txn]; op < read->op; op++)
        if (esse_op_write_of(f->history, op, (esse_key){ key }, &ignored))
            return true;
    return false;
}

/* Cuts out of a range what others made of the keys that the transaction had written, between the
 * snapshot and the versions that it installs.  False if some of them have no places. */
static bool cut_own(struct finding *f, const struct dsg_range_read *read)
{
    const struct dsg_ranges *ranges = f->ranges;
    const uint32_t *rank = f->views.columns[read->column].rank;
    const uint32_t *installed = &ranges->installed_first[read->txn];
    for (uint32_t i = installed[0]; i < installed[1]; i++) {
        const version_id own = ranges->installed[i];
        const uint32_t key = ranges->key[own.ix];
        if (!ranges->placed[key])
            return false;
        version_id seen = { own.ix - 1 };
        while (seen.ix > f->versions->first[key].ix &&
               dsg_version_place(ranges, seen).ix >= read->before.ix)
            seen.ix--;
        if (seen.ix + 1 == own.ix || !wrote_before(f, read, key))
            continue;
        for (version_id v = seen; v.ix < own.ix; v.ix++)
            if (rank[v.ix] >= read->low && rank[v.ix] < read->high)
                cut_vec_push(&f->cuts, f->arena, (struct cut){ read->op, rank[v.ix] });
    }
    return true;
}

/* An operation that dsg_ranges can answer for, if what it returned is right. */
static bool is_range_read(struct finding *f, uint32_t txn, uint32_t op, const struct asked *asked,
                          struct dsg_range_read *read)
{
    struct esse_snapshot snapshot;
    if (predicate_at(f, op)->no_rows || asked->column == NO_RANK ||
        !snapshot_of(f, txn, op, &snapshot) || !snapshot.is_prefix)
        return false;
    const esse_place place = f->versions->snapshots->place[txn];
    if (place.ix != ESSE_NO_PLACE && place.ix < snapshot.before.ix &&
        f->ranges->installed_first[txn] < f->ranges->installed_first[txn + 1])
        return false; /* it sees what it writes itself */
    *read = (struct dsg_range_read){ .op = op,
                                     .txn = txn,
                                     .column = asked->column,
                                     .low = asked->low,
                                     .high = asked->high,
                                     .before = snapshot.before,
                                     .from = asked->low,
                                     .to = asked->high };
    return cut_own(f, read);
}

/* Puts the pieces of a read in its place, those before the cuts and the rest. */
static void add_pieces(struct finding *f, struct dsg_range_read_vec *pieces,
                       struct dsg_range_read read, size_t *cut)
{
    while (*cut < f->cuts.count && f->cuts.at[*cut].op < read.op)
        ++*cut;
    for (; *cut < f->cuts.count && f->cuts.at[*cut].op == read.op; ++*cut) {
        read.to = f->cuts.at[*cut].rank;
        if (read.from < read.to)
            dsg_range_read_vec_push(pieces, f->arena, read);
        read.from = read.to < read.from ? read.from : read.to + 1;
    }
    read.to = read.high;
    dsg_range_read_vec_push(pieces, f->arena, read);
}

static int by_op_and_rank(const void *a, const void *b)
{
    const struct cut *x = a, *y = b;
    return x->op != y->op ? (x->op > y->op) - (x->op < y->op)
                          : (x->rank > y->rank) - (x->rank < y->rank);
}

/* ---- what an operation looked at ---- */

static void index_values(struct finding *f)
{
    const struct versions *versions = f->versions;
    f->has_values = true;
    for (uint32_t key = 0; key < f->history->keys; key++)
        for (version_id v = versions->first[key];
             dsg_is_ordered(versions, key) && v.ix < versions->first[key + 1].ix; v.ix++)
            esse_index_add(&f->values, f->arena,
                           esse_hash_pair(key, dsg_version_value(versions, key, v).word), v.ix);
}

/* The only version of a key with this value, or NO_VERSION. */
static version_id version_with(struct finding *f, uint32_t key, esse_value value)
{
    const struct versions *versions = f->versions;
    version_id found = { NO_VERSION };
    if (!f->has_values)
        index_values(f);
    struct esse_probe probe = esse_index_probe(&f->values, esse_hash_pair(key, value.word));
    for (version_id v; esse_probe_next(&probe, &v.ix);) {
        if (v.ix < versions->first[key].ix || v.ix >= versions->first[key + 1].ix ||
            !esse_value_eq(dsg_version_value(versions, key, v), value))
            continue;
        if (found.ix != NO_VERSION)
            return (version_id){ NO_VERSION };
        found = v;
    }
    return found;
}

static void note_rows(struct finding *f, uint32_t op, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_keyed_row *row = &f->history->rows[first + i];
        f->seen[row->key.ix] = version_with(f, row->key.ix, row->value);
        f->seen_by[row->key.ix] = op + 1;
    }
}

static version_id version_seen(const struct finding *f, uint32_t op, uint32_t key,
                               const struct esse_snapshot *snapshot)
{
    const struct esse_predicate_op *predicate = predicate_at(f, op);
    const struct dsg_view *view = dsg_views_of(&f->views, key);
    if (snapshot && f->ranges->placed[key])
        return dsg_ranges_seen(f->ranges, snapshot, key);
    /* Which version is the next one is open. */
    if (f->versions->unsure && f->versions->unsure[key])
        return (version_id){ NO_VERSION };
    if (f->seen_by[key] == op + 1)
        return f->seen[key];
    if (predicate->has_vset || is_by_value(f, op))
        return (version_id){ NO_VERSION };
    return view->misses != 1 ? (version_id){ NO_VERSION } : view->miss;
}

/* ---- edges ---- */

static void add(struct finding *f, uint32_t from, uint32_t to, uint32_t key, uint32_t op,
                version_id version, enum esse_dep dep)
{
    struct dsg_predicate_edge edge = { from,        to, key, op, f->versions->write[version.ix],
                                       (uint8_t)dep };
    if (from != to && from != ESSE_NO_TXN && to != ESSE_NO_TXN)
        dsg_predicate_edge_vec_push(f->edges, f->arena, edge);
}

/* How many changes there are at or before a version. */
static uint32_t changes_until(const struct dsg_view *view, version_id version)
{
    uint32_t low = 0, high = view->change_count;
    ESSE_BISECT(low, high, middle, view->changes[middle].ix <= version.ix);
    return low;
}

static void depend(struct finding *f, uint32_t txn, uint32_t op, uint32_t key, version_id version)
{
    const struct dsg_view *view = dsg_views_of(&f->views, key);
    const uint32_t until = changes_until(view, version);
    if (until > 0) {
        version_id change = view->changes[until - 1];
        /* If the last change is its own, what came upon that must come after and before it. */
        if (version_txn(f->versions, change) == txn)
            change = version;
        add(f, version_txn(f->versions, change), txn, key, op, change, ESSE_DEP_WRP);
    }
    if (until < view->change_count)
        add(f, txn, version_txn(f->versions, view->changes[until]), key, op, view->changes[until],
            ESSE_DEP_RWP);
}

static bool matches(struct finding *f, uint32_t key, version_id version, bool *yes)
{
    return esse_predicate_selects(f->views.predicate, f->history->key_name[key],
                                  dsg_version_value(f->versions, key, version), yes, f->err);
}

/* Did the operation return the key as this version has it?  Several versions may have that value.
 */
static bool returned_as(const struct finding *f, uint32_t op, uint32_t key, version_id version)
{
    esse_value row;
    return f->seen_by[key] == op + 1 &&
           (f->seen[key].ix == version.ix ||
            (esse_op_read_of(f->history, op, (esse_key){ key }, &row) &&
             esse_value_eq(row, dsg_version_value(f->versions, key, version))));
}

/* A key that the snapshot of the operation has in this version must be among its rows if it
 * matches, as it is; and only then.  That a row does not match by itself the scan has reported. */
static bool check_row(struct finding *f, uint32_t txn, uint32_t op, uint32_t key,
                      version_id version)
{
    const bool returned = f->seen_by[key] == op + 1;
    bool yes, is_row = true;
    if (is_by_value(f, op))
        return true;
    if (!matches(f, key, version, &yes))
        return false;
    if (returned && f->seen[key].ix != NO_VERSION && !matches(f, key, f->seen[key], &is_row))
        return false;
    if (yes ? !returned_as(f, op, key, version) : returned && is_row)
        dsg_results_tell(f->known, txn, op, key, dsg_version_value(f->versions, key, version), yes);
    return true;
}

static bool look_at(struct finding *f, uint32_t txn, uint32_t op, uint32_t key,
                    const struct esse_snapshot *snapshot)
{
    if (f->own[key] == op + 1 || !dsg_views_of(&f->views, key))
        return true;
    const version_id version = version_seen(f, op, key, snapshot);
    if (version.ix == NO_VERSION)
        return true;
    depend(f, txn, op, key, version);
    return !snapshot || !f->ranges->placed[key] || check_row(f, txn, op, key, version);
}

/* Holds what the operation returned as a whole against its snapshot. */
static bool check_whole(struct finding *f, uint32_t txn, uint32_t op,
                        const struct esse_snapshot *snapshot, const uint32_t *keys, uint32_t count)
{
    const struct dsg_asking asking = { .known = f->known,
                                       .views = &f->views,
                                       .ranges = f->ranges,
                                       .snapshot = snapshot,
                                       .own = f->own,
                                       .txn = txn,
                                       .op = op,
                                       .keys = keys,
                                       .key_count = count };
    if (!snapshot || !f->is_known || !is_by_value(f, op) ||
        esse_snapshot_sees(f->versions->snapshots, snapshot, txn) || dsg_answer_check(&asking))
        return true;
    f->err->line = f->history->txn_line[txn];
    return false;
}

/* What a join says of one table alone is less than what it says of pairs. */
static bool look_at_pairs(struct finding *f, uint32_t txn, uint32_t op,
                          const struct esse_snapshot *snapshot)
{
    if (!snapshot || !snapshot->is_prefix)
        return true;
    if (!dsg_join_see(&f->join, &f->views, f->ranges, snapshot, f->own, op)) {
        f->err->line = f->history->txn_line[txn];
        return false;
    }
    for (uint32_t i = 0; i < f->views.key_count; i++) {
        const uint32_t key = f->views.keys[i];
        if (f->own[key] != op + 1)
            depend(f, txn, op, key, dsg_ranges_seen(f->ranges, snapshot, key));
    }
    return check_whole(f, txn, op, snapshot, f->join.keys, f->join.key_count);
}

static bool find_op(struct finding *f, uint32_t op)
{
    const struct esse_predicate_op *predicate = predicate_at(f, op);
    const uint32_t txn = esse_op_txn(f->history, op).ix;
    struct esse_snapshot at, *snapshot = snapshot_of(f, txn, op, &at) ? &at : NULL;
    bool ok = take_text(f, txn, op);
    note_own(f, txn, op);
    if (ok && esse_statement_tables(f->views.predicate) > 1)
        return look_at_pairs(f, txn, op, snapshot);
    ok = ok && dsg_views_see(&f->views, is_by_value(f, op));
    note_rows(f, op, predicate->row, predicate->row_count);
    note_rows(f, op, predicate->vset, predicate->vset_count);
    for (uint32_t i = 0; ok && !predicate->has_vset && i < f->views.key_count; i++)
        ok = look_at(f, txn, op, f->views.keys[i], snapshot);
    for (uint32_t i = 0; ok && i < predicate->vset_count; i++)
        ok = look_at(f, txn, op, f->history->rows[predicate->vset + i].key.ix, NULL);
    if (!ok)
        f->err->line = f->history->txn_line[txn];
    return ok && check_whole(f, txn, op, snapshot, f->views.keys, f->views.key_count);
}

/* ---- all operations ---- */

/* The predicate operations that count, those with the same text together: its view of the versions
 * is made once. */
static struct esse_pair *sort_ops(struct finding *f, size_t *count)
{
    const struct esse_history *history = f->history;
    struct esse_pair *pairs =
        esse_arena_array(f->arena, history->predicate_count + (size_t)1, *pairs);
    *count = 0;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn];
             f->versions->in[txn] && op < history->txn_op[txn + 1]; op++)
            if (esse_op_is_predicate(history->op_kind[op]))
                pairs[(*count)++] =
                    (struct esse_pair){ history->predicates[history->op_key[op]].text.word, op };
    esse_radix_sort(pairs, *count, f->arena);
    return pairs;
}

/* What each operation asks for, text by text, so that each is looked up once; by predicate. */
static struct asked *find_asked(struct finding *f, const struct esse_pair *ops, size_t count)
{
    struct asked *asked =
        esse_arena_array(f->arena, f->history->predicate_count + (size_t)1, *asked);
    for (size_t i = 0; i < count; i++) {
        const uint32_t op = ops[i].id;
        if (!esse_budget_poll(f->known->budget, i))
            return NULL;
        if (!esse_value_eq(f->views.text, predicate_at(f, op)->text) &&
            !take_text(f, esse_op_txn(f->history, op).ix, op))
            return NULL;
        asked[f->history->op_key[op]] =
            (struct asked){ f->views.column, f->views.low, f->views.high };
    }
    return asked;
}

/* Takes out those that dsg_ranges can answer for; the others stay, in the order of the history.  So
 * are the operations looked at: what one transaction wrote lies beside what the next one did. */
static bool take_range_reads(struct finding *f, struct esse_pair *ops, size_t *count)
{
    const struct esse_history *history = f->history;
    struct asked *asked = find_asked(f, ops, *count);
    if (!asked)
        return false;
    *count = 0;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn];
             f->versions->in[txn] && op < history->txn_op[txn + 1]; op++) {
            struct dsg_range_read read;
            if (!esse_op_is_predicate(history->op_kind[op]))
                continue;
            if (is_range_read(f, txn, op, &asked[history->op_key[op]], &read))
                dsg_range_read_vec_push(&f->reads, f->arena, read);
            else
                ops[(*count)++] = (struct esse_pair){ predicate_at(f, op)->text.word, op };
        }
    esse_arena_drop(f->arena, asked);
    f->ranges->columns = f->views.columns;
    f->ranges->column_count = f->views.column_count;
    return dsg_results_check(f->known, f->ranges, &f->reads);
}

/* Those that returned what they should stay; the others join the rest. */
static void settle_range_reads(struct finding *f, struct esse_pair *ops, size_t *count)
{
    struct dsg_range_read_vec pieces = { 0 };
    size_t cut = 0;
    if (f->cuts.count)
        qsort(f->cuts.at, f->cuts.count, sizeof *f->cuts.at, by_op_and_rank);
    for (size_t i = 0; i < f->reads.count; i++) {
        const struct dsg_range_read read = f->reads.at[i];
        if (read.column != NO_RANK)
            add_pieces(f, &pieces, read, &cut);
        else
            ops[(*count)++] = (struct esse_pair){ predicate_at(f, read.op)->text.word, read.op };
    }
    esse_radix_sort(ops, *count, f->arena);
    dsg_ranges_close(f->ranges, &pieces);
}

enum { NEAR = 64 }; /* of struct dsg_ranges */

static void open_finding(struct finding *f)
{
    const size_t keys = (size_t)f->history->keys + 1;
    dsg_views_open(&f->views, f->versions, f->err);
    f->own = esse_arena_alloc(f->arena, keys, sizeof *f->own);
    f->seen = esse_arena_alloc(f->arena, keys, sizeof *f->seen);
    f->seen_by = esse_arena_alloc(f->arena, keys, sizeof *f->seen_by);
    if (f->history->certificate.kind == ESSE_CERTIFICATE_NONE)
        return;
    f->ranges = esse_arena_alloc(f->arena, 1, sizeof *f->ranges);
    dsg_ranges_open(f->ranges, f->versions, f->known->ablate & ESSE_ABLATE_NEARNESS ? 0 : NEAR);
}

bool dsg_predicates_find(struct versions *versions, struct known *known)
{
    const struct esse_history *history = versions->history;
    struct dsg_predicate_edge_vec edges = { 0 };
    size_t count;
    if (!(history->has & ESSE_HAS_PREDICATES))
        return true;
    struct finding f = { .arena = versions->arena,
                         .known = known,
                         .versions = versions,
                         .history = history,
                         .edges = &edges,
                         .err = known->error };
    open_finding(&f);
    struct esse_pair *ops = sort_ops(&f, &count);
    esse_budget_phase(known->budget, "following predicates", count);
    if (f.ranges) {
        if (!take_range_reads(&f, ops, &count))
            return false;
        settle_range_reads(&f, ops, &count);
    }
    const bool whole = count == 0;
    f.is_known = count && f.ranges && dsg_answers_are_known(f.ranges);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = esse_budget_poll(known->budget, i) && find_op(&f, ops[i].id);
    if (f.join.arena)
        esse_arena_free(f.join.arena);
    if (!ok)
        return false;
    versions->predicate_edges = edges.at;
    versions->predicate_edge_count = edges.count;
    versions->ranges = f.ranges;
    versions->whole_predicates = f.ranges && whole && dsg_ranges_all_placed(f.ranges);
    return true;
}
