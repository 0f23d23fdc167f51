#include "engine/dsg/dsg_predicates.h"

#include "base/radix.h"
#include "sql/predicate.h"

/* The versions of a key as one predicate sees them. */
struct key_view {
    uint32_t *changes; /* versions that change the matches, ascending */
    uint32_t change_count;
    uint32_t misses; /* versions that do not match */
    uint32_t miss;   /* one of them */
};

struct finding {
    struct esse_arena *arena;
    const struct versions *versions;
    const struct esse_history *history;
    struct dsg_predicate_edge_vec *edges;
    struct esse_error *err;
    struct esse_predicates *predicates;
    struct key_view *views; /* by key, for the predicate at hand */
    uint32_t *changes;      /* room for those of all keys */
    const struct esse_predicate *predicate;
    esse_value text;
    uint32_t *own;     /* by key: the operation before which its transaction wrote it, plus 1 */
    uint32_t *seen;    /* by key: the version that the operation looked at, or NO_VERSION */
    uint32_t *seen_by; /* by key: the operation for which 'seen' is, plus 1 */
};

/* ---- one predicate over all versions ---- */

static bool matches(struct finding *f, uint32_t key, uint32_t version, bool *yes)
{
    const struct versions *versions = f->versions;
    esse_value value = version == versions->first[key]
                           ? versions->sources->initial[key]
                           : versions_touch(versions, versions->write[version])->value;
    return esse_predicate_selects(f->predicate, f->history->key_name[key], value, yes, f->err);
}

/* Lists are not rows; a key that has loose versions has no order to speak of. */
static bool is_ordered(const struct finding *f, uint32_t key)
{
    return f->versions->loose[key] == f->versions->first[key + 1] &&
           f->versions->key_reader[key] == ESSE_NO_TOUCH;
}

static bool view_key(struct finding *f, uint32_t key, uint32_t *room)
{
    const struct versions *versions = f->versions;
    struct key_view *view = &f->views[key];
    bool before = false, now;
    *view = (struct key_view){ .changes = room };
    if (!is_ordered(f, key))
        return true;
    for (uint32_t v = versions->first[key]; v < versions->first[key + 1]; v++) {
        if (!matches(f, key, v, &now))
            return false;
        if (v > versions->first[key] && now != before)
            room[view->change_count++] = v;
        view->misses += !now;
        view->miss = now ? view->miss : v;
        before = now;
    }
    return true;
}

static bool view_keys(struct finding *f, esse_value text)
{
    f->predicate = esse_predicates_get(f->predicates, text, f->err);
    if (!f->predicate)
        return false;
    for (uint32_t key = 0; key < f->history->keys; key++)
        if (!view_key(f, key, f->changes + f->versions->first[key]))
            return false;
    f->text = text;
    return true;
}

/* ---- what an operation looked at ---- */

static void note(struct finding *f, uint32_t op, uint32_t key, uint32_t version)
{
    f->seen[key] = version;
    f->seen_by[key] = op + 1;
}

/* The only version of a key with this value, or NO_VERSION. */
static uint32_t version_with(const struct finding *f, uint32_t key, esse_value value)
{
    const struct versions *versions = f->versions;
    uint32_t found = NO_VERSION;
    if (esse_value_eq(versions->sources->initial[key], value))
        found = versions->first[key];
    for (uint32_t v = versions->first[key] + 1; v < versions->first[key + 1]; v++) {
        if (!esse_value_eq(versions_touch(versions, versions->write[v])->value, value))
            continue;
        if (found != NO_VERSION)
            return NO_VERSION;
        found = v;
    }
    return found;
}

static void note_rows(struct finding *f, uint32_t op, const struct esse_predicate_op *predicate)
{
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        const struct esse_keyed_row *row = &f->history->rows[predicate->row + i];
        note(f, op, row->key.ix, version_with(f, row->key.ix, row->value));
    }
    for (uint32_t i = 0; i < predicate->vset_count; i++) {
        const struct esse_keyed_row *row = &f->history->rows[predicate->vset + i];
        note(f, op, row->key.ix, version_with(f, row->key.ix, row->value));
    }
}

/* 'only_noted': that nothing was noted of a key does not mean that it was looked at and missed. */
static uint32_t version_seen(const struct finding *f, uint32_t op, uint32_t key, bool only_noted)
{
    if (f->seen_by[key] == op + 1)
        return f->seen[key];
    if (only_noted || f->views[key].misses != 1)
        return NO_VERSION;
    return f->views[key].miss;
}

/* ---- edges ---- */

static void add(struct finding *f, uint32_t from, uint32_t to, uint32_t key, uint32_t op,
                uint32_t version, enum dsg_dep dep)
{
    struct dsg_predicate_edge edge = {
        from, to, key, op, f->versions->write[version], (uint8_t)dep
    };
    if (from != to && from != ESSE_NO_TXN && to != ESSE_NO_TXN)
        dsg_predicate_edge_vec_push(f->edges, f->arena, edge);
}

/* How many changes there are at or before a version. */
static uint32_t changes_until(const struct key_view *view, uint32_t version)
{
    uint32_t low = 0, high = view->change_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->changes[middle] <= version)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void depend(struct finding *f, uint32_t txn, uint32_t op, uint32_t key, uint32_t version)
{
    const struct key_view *view = &f->views[key];
    uint32_t until = changes_until(view, version);
    if (until > 0) {
        uint32_t change = view->changes[until - 1];
        /* If the last change is its own, what came upon that must come after and before it. */
        if (version_txn(f->versions, change) == txn)
            change = version;
        add(f, version_txn(f->versions, change), txn, key, op, change, DSG_WRP);
    }
    if (until < view->change_count)
        add(f, txn, version_txn(f->versions, view->changes[until]), key, op, view->changes[until],
            DSG_RWP);
}

/* Keys that the transaction had written itself before the operation. */
static void note_own(struct finding *f, uint32_t txn, uint32_t op)
{
    for (uint32_t o = f->history->txn_op[txn]; o < op; o++) {
        uint32_t count = esse_access_count(f->history, o);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(f->history, o, i);
            if (access.kind != ESSE_OP_READ)
                f->own[access.key.ix] = op + 1;
        }
    }
}

static bool find_op(struct finding *f, uint32_t op)
{
    const struct esse_predicate_op *predicate = &f->history->predicates[f->history->op_key[op]];
    const uint32_t txn = esse_op_txn(f->history, op).ix;
    if (!esse_value_eq(f->text, predicate->text) && !view_keys(f, predicate->text)) {
        f->err->line = f->history->txn_line[txn];
        return false;
    }
    note_own(f, txn, op);
    note_rows(f, op, predicate);
    for (uint32_t key = 0; key < f->history->keys; key++) {
        if (f->own[key] == op + 1 || !is_ordered(f, key))
            continue;
        uint32_t version = version_seen(f, op, key, predicate->has_vset || predicate->no_rows);
        if (version != NO_VERSION)
            depend(f, txn, op, key, version);
    }
    return true;
}

/* The predicate operations that count, those with the same text together: its view of the versions
 * is made once. */
static struct esse_pair *sort_ops(struct finding *f, size_t *count)
{
    const struct esse_history *history = f->history;
    struct esse_pair *pairs =
        esse_arena_alloc(f->arena, history->predicate_count + (size_t)1, sizeof *pairs);
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

bool dsg_predicates_find(struct dsg_predicate_edge_vec *edges, const struct versions *versions,
                         struct esse_budget *budget, struct esse_error *err)
{
    const struct esse_history *history = versions->history;
    const size_t keys = (size_t)history->keys + 1;
    size_t count;
    if (!(history->has & ESSE_HAS_PREDICATES))
        return true;
    struct finding f = { .arena = versions->arena,
                         .versions = versions,
                         .history = history,
                         .edges = edges,
                         .err = err,
                         .text = ESSE_NONE };
    f.predicates = esse_predicates_new(versions->arena, history);
    f.views = esse_arena_alloc(versions->arena, keys, sizeof *f.views);
    f.own = esse_arena_alloc(versions->arena, keys, sizeof *f.own);
    f.seen = esse_arena_alloc(versions->arena, keys, sizeof *f.seen);
    f.seen_by = esse_arena_alloc(versions->arena, keys, sizeof *f.seen_by);
    f.changes = esse_arena_alloc(versions->arena, versions->count + 1u, sizeof *f.changes);
    const struct esse_pair *ops = sort_ops(&f, &count);
    esse_budget_phase(budget, "following predicates", count);
    for (size_t i = 0; i < count; i++)
        if (!esse_budget_poll(budget, i) || !find_op(&f, ops[i].id))
            return false;
    return true;
}
