#include "engine/dsg/dsg_joins.h"

#include "base/radix.h"
#include "sql/statement.h"

struct seeing {
    struct dsg_join *join;
    struct dsg_views *views;
    const struct dsg_ranges *ranges;
    const struct versions *versions;
    const struct esse_history *history;
    const struct esse_snapshot *snapshot;
    const uint32_t *own;
    uint32_t op;
    struct esse_answer *answer;
    struct esse_pair_vec touched; /* versions */
};

static bool is_of_tables(const struct seeing *s, uint32_t key)
{
    const struct esse_predicate *predicate = s->views->predicate;
    return esse_statement_has_key(predicate, 0, s->history->key_name[key]) ||
           esse_statement_has_key(predicate, 1, s->history->key_name[key]);
}

static bool is_own(const struct seeing *s, uint32_t key)
{
    return s->own[key] == s->op + 1;
}

static uint32_t key_of(const struct seeing *s, version_id tag)
{
    return tag.ix < s->versions->count ? s->ranges->key[tag.ix] : tag.ix - s->versions->count;
}

/* ---- the pairs of a text ---- */

static bool add_own(struct seeing *s, uint32_t key)
{
    const uint32_t begin = s->history->txn_op[esse_op_txn(s->history, s->op).ix];
    esse_value value = ESSE_NIL;
    for (uint32_t op = s->op; op-- > begin;)
        if (esse_op_write_of(s->history, op, (esse_key){ key }, &value))
            break;
    s->join->has_own = true;
    return esse_answer_add(s->answer, s->history->key_name[key], value, s->versions->count + key,
                           s->views->err);
}

static bool add_row(struct seeing *s, uint32_t key)
{
    if (is_own(s, key))
        return add_own(s, key);
    s->join->placed &= s->ranges->placed[key];
    for (version_id v = s->versions->first[key];
         s->join->placed && v.ix < s->versions->first[key + 1].ix; v.ix++)
        if (!esse_answer_add(s->answer, s->history->key_name[key],
                             dsg_version_value(s->versions, key, v), v.ix, s->views->err))
            return false;
    return true;
}

/* Every pair is there from both sides.  Of a row with itself only a version with itself is one. */
static void keep_pairs(struct seeing *s)
{
    struct dsg_join *join = s->join;
    uint32_t count;
    const struct esse_answer_pair *pairs = esse_answer_pairs(s->answer, &count);
    join->pairs = esse_arena_alloc(join->arena, 2 * (size_t)count + 1, sizeof *join->pairs);
    join->same = esse_arena_alloc(join->arena, count + (size_t)1, sizeof *join->same);
    for (uint32_t i = 0; i < count; i++) {
        const version_id left = { pairs[i].left }, right = { pairs[i].right };
        if (key_of(s, left) == key_of(s, right) && left.ix != right.ix)
            continue;
        join->pairs[join->pair_count++] = (struct esse_pair){ left.ix, right.ix };
        join->pairs[join->pair_count++] = (struct esse_pair){ right.ix, left.ix };
        if (left.ix == right.ix ||
            (left.ix < s->versions->count && right.ix < s->versions->count &&
             version_txn(s->versions, left) == version_txn(s->versions, right)))
            join->same[join->same_count++] = (struct esse_pair){ left.ix, right.ix };
    }
    esse_radix_sort(join->pairs, join->pair_count, join->arena);
}

static bool find_pairs(struct seeing *s)
{
    struct dsg_join *join = s->join;
    bool ok = true;
    if (join->arena)
        esse_arena_free(join->arena);
    *join = (struct dsg_join){ .arena = esse_arena_new(), .text = s->views->text, .placed = true };
    join->keys = esse_arena_alloc(join->arena, s->history->keys + (size_t)1, sizeof *join->keys);
    s->answer = esse_answer_new(join->arena, s->views->predicate);
    esse_answer_pair(s->answer);
    esse_answer_begin(s->answer);
    for (uint32_t key = 0; ok && join->placed && key < s->history->keys; key++)
        if (is_of_tables(s, key)) {
            join->keys[join->key_count++] = key;
            ok = add_row(s, key);
        }
    ok = ok && (!join->placed || esse_answer_end(s->answer, s->views->err));
    if (ok && join->placed)
        keep_pairs(s);
    return ok;
}

/* ---- changes ---- */

static void touch(struct seeing *s, version_id version)
{
    if (version.ix > s->versions->first[s->ranges->key[version.ix]].ix)
        esse_pair_vec_push(&s->touched, s->views->arena,
                           (struct esse_pair){ version.ix, version.ix });
}

static void touch_next(struct seeing *s, version_id version)
{
    if (version.ix + 1 < s->versions->first[s->ranges->key[version.ix] + 1].ix)
        touch(s, (version_id){ version.ix + 1 });
}

static bool was_seen(const struct seeing *s, version_id version)
{
    return version.ix <= dsg_ranges_seen(s->ranges, s->snapshot, s->ranges->key[version.ix]).ix;
}

/* Did the writer of a version that was not seen write this row too?  Then what was seen of the row
 * is not what it goes together with. */
static bool replaces(const struct seeing *s, version_id version, version_id seen)
{
    const uint32_t txn = version_txn(s->versions, version);
    if (seen.ix >= s->versions->count || txn == ESSE_NO_TXN || was_seen(s, version))
        return false;
    const uint32_t *first = &s->ranges->installed_first[txn];
    for (uint32_t i = first[0]; i < first[1]; i++)
        if (s->ranges->key[s->ranges->installed[i].ix] == s->ranges->key[seen.ix])
            return true;
    return false;
}

static void touch_with(struct seeing *s, version_id seen)
{
    const struct dsg_join *join = s->join;
    uint32_t low = 0, high = join->pair_count;
    ESSE_BISECT(low, high, middle, join->pairs[middle].key < seen.ix);
    for (; low < join->pair_count && join->pairs[low].key == seen.ix; low++) {
        const version_id version = { join->pairs[low].id };
        if (version.ix == seen.ix || version.ix >= s->versions->count)
            continue;
        if (!replaces(s, version, seen))
            touch(s, version);
        touch_next(s, version);
    }
}

static void find_touched(struct seeing *s)
{
    const struct dsg_join *join = s->join;
    for (uint32_t i = 0; i < join->key_count; i++) {
        const uint32_t key = join->keys[i];
        touch_with(s, is_own(s, key) ? (version_id){ s->versions->count + key }
                                     : dsg_ranges_seen(s->ranges, s->snapshot, key));
    }
    for (uint32_t i = 0; i < join->same_count; i++) {
        const version_id left = { (uint32_t)join->same[i].key }, right = { join->same[i].id };
        if (left.ix == right.ix && left.ix < s->versions->count) {
            touch(s, left);
            touch_next(s, left);
        } else if (left.ix != right.ix && !was_seen(s, left) && !was_seen(s, right)) {
            touch(s, left);
            touch(s, right);
        }
    }
}

/* Each once, key by key. */
static void keep_changes(struct seeing *s)
{
    const struct esse_pair *touched = s->touched.at;
    const size_t count = s->touched.count;
    uint32_t used = 0;
    esse_radix_sort(s->touched.at, count, s->views->arena);
    for (size_t i = 0, next; i < count; i = next) {
        const uint32_t key = s->ranges->key[touched[i].id];
        struct dsg_view view = { .changes = s->views->changes + used };
        for (next = i; next < count && s->ranges->key[touched[next].id] == key; next++)
            if (next == i || touched[next].id != touched[next - 1].id)
                view.changes[view.change_count++].ix = touched[next].id;
        used += view.change_count;
        dsg_views_keep(s->views, key, view);
    }
}

/* Had its transaction written some row of the tables? */
static bool has_own(const struct seeing *s)
{
    for (uint32_t i = 0; i < s->join->key_count; i++)
        if (is_own(s, s->join->keys[i]))
            return true;
    return false;
}

bool dsg_join_see(struct dsg_join *join, struct dsg_views *views, const struct dsg_ranges *ranges,
                  const struct esse_snapshot *snapshot, const uint32_t *own, uint32_t op)
{
    struct seeing s = { .join = join,
                        .views = views,
                        .ranges = ranges,
                        .versions = views->versions,
                        .history = views->versions->history,
                        .snapshot = snapshot,
                        .own = own,
                        .op = op };
    dsg_views_renew(views);
    if ((!join->arena || !esse_value_eq(join->text, views->text) || join->has_own || has_own(&s)) &&
        !find_pairs(&s))
        return false;
    if (!join->placed)
        return true;
    find_touched(&s);
    keep_changes(&s);
    esse_pair_vec_drop(&s.touched, views->arena);
    return true;
}
