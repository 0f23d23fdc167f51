#include "engine/dsg/dsg_views.h"

#include "base/checked.h"
#include "base/radix.h"

enum { MOST_COLUMNS = 64 }; /* that are worth an index */

void dsg_views_open(struct dsg_views *views, const struct versions *versions,
                    struct esse_error *err)
{
    struct esse_arena *arena = versions->arena;
    const size_t keys = versions->history->keys + (size_t)1, room = versions->count + (size_t)1;
    *views = (struct dsg_views){
        .arena = arena, .versions = versions, .err = err, .text = ESSE_NONE, .rounds = 1
    };
    views->predicates = esse_predicates_new(arena, versions->history);
    views->columns = esse_arena_alloc(arena, MOST_COLUMNS, sizeof *views->columns);
    views->at = esse_arena_alloc(arena, keys, sizeof *views->at);
    views->round = esse_arena_alloc(arena, keys, sizeof *views->round);
    views->keys = esse_arena_array(arena, keys, *views->keys);
    views->changes = esse_arena_array(arena, room, *views->changes);
    views->found = esse_arena_array(arena, room, *views->found);
}

/* ---- the text ---- */

static uint32_t find_column(struct dsg_views *views, struct esse_column column)
{
    uint32_t at = 0;
    while (at < views->column_count && !esse_column_eq(views->columns[at].column, column))
        at++;
    if (at == MOST_COLUMNS)
        return NO_RANK;
    if (at == views->column_count)
        dsg_column_make(&views->columns[views->column_count++], views->versions, column);
    return views->columns[at].usable ? at : NO_RANK;
}

bool dsg_views_take(struct dsg_views *views, esse_value text)
{
    struct esse_range range;
    if (esse_value_eq(views->text, text))
        return true;
    views->predicate = esse_predicates_get(views->predicates, text, views->err);
    if (!views->predicate)
        return false;
    views->text = text;
    views->is_seen = false;
    views->column =
        esse_predicate_range(views->predicate, &range) ? find_column(views, range.column) : NO_RANK;
    if (views->column != NO_RANK)
        dsg_column_find(&views->columns[views->column], &range, &views->low, &views->high);
    return true;
}

/* ---- its changes ---- */

/* Keeps the view of a key of which a version matches; its changes stand at the end of those found
 * so far. */
void dsg_views_keep(struct dsg_views *views, uint32_t key, struct dsg_view view)
{
    ESSE_HOT_ASSERT(key < views->versions->history->keys);
    views->at[key] = view;
    views->round[key] = views->rounds;
    views->keys[views->key_count++] = key;
}

/* The versions of a key that match, ascending. */
static struct dsg_view view_matches(struct dsg_views *views, uint32_t key,
                                    const struct esse_pair *matching, uint32_t count,
                                    version_id *room)
{
    const struct versions *versions = views->versions;
    const version_id first = versions->first[key], end = versions->first[key + 1];
    ESSE_HOT_ASSERT(count > 0);
    struct dsg_view view = { .changes = room, .misses = end.ix - first.ix - count };
    version_id miss = first;
    for (uint32_t i = 0; i < count; i++) {
        const version_id version = { matching[i].id };
        const bool goes =
            version.ix + 1 < end.ix && (i + 1 == count || matching[i + 1].id != version.ix + 1);
        const bool stays = i > 0 && matching[i - 1].id + 1 == version.ix;
        if (version.ix > first.ix && (views->by_touch || !stays))
            view.changes[view.change_count++] = version;
        if (goes)
            view.changes[view.change_count++].ix = version.ix + 1;
        miss.ix += miss.ix == version.ix;
    }
    view.miss = miss;
    return view;
}

/* By the index: what matches, put together by key. */
static void see_range(struct dsg_views *views)
{
    const struct dsg_column *column = &views->columns[views->column];
    const struct versions *versions = views->versions;
    uint32_t count = 0, used = 0, key = 0;
    for (uint32_t rank = views->low; rank < views->high; rank++)
        views->found[count++] =
            (struct esse_pair){ column->version[rank].ix, column->version[rank].ix };
    esse_radix_sort(views->found, count, views->arena);
    for (uint32_t i = 0, j; i < count; i = j) {
        uint32_t after = key + 1, high = versions->history->keys;
        ESSE_BISECT(after, high, middle, versions->first[middle].ix <= views->found[i].id);
        key = after - 1; /* of this version */
        for (j = i; j < count && views->found[j].id < versions->first[key + 1].ix;)
            j++;
        const struct dsg_view view =
            view_matches(views, key, views->found + i, j - i, views->changes + used);
        used += view.change_count;
        dsg_views_keep(views, key, view);
    }
}

/* By asking about every version. */
static bool see_all(struct dsg_views *views)
{
    const struct versions *versions = views->versions;
    const struct esse_history *history = versions->history;
    uint32_t used = 0;
    for (uint32_t key = 0; key < history->keys; key++) {
        uint32_t count = 0;
        if (!dsg_is_ordered(versions, key))
            continue;
        for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++) {
            bool matches;
            if (!esse_predicate_selects(views->predicate, history->key_name[key],
                                        dsg_version_value(versions, key, v), &matches, views->err))
                return false;
            if (matches)
                views->found[count++] = (struct esse_pair){ v.ix, v.ix };
        }
        if (!count)
            continue;
        const struct dsg_view view =
            view_matches(views, key, views->found, count, views->changes + used);
        used += view.change_count;
        dsg_views_keep(views, key, view);
    }
    return true;
}

void dsg_views_renew(struct dsg_views *views)
{
    views->key_count = 0;
    views->rounds++;
}

bool dsg_views_see(struct dsg_views *views, bool by_touch)
{
    if (views->is_seen && views->by_touch == by_touch)
        return true;
    views->is_seen = true;
    views->by_touch = by_touch;
    dsg_views_renew(views);
    if (views->column == NO_RANK)
        return see_all(views);
    see_range(views);
    return true;
}
