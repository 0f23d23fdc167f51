#include "engine/known/sources.h"

#include "base/word_map.h"

#include <string.h>

static uint32_t count_writes(const struct esse_by_key *by_key, uint32_t key)
{
    uint32_t count = 0;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++)
        count += by_key->at[at].kind != ESSE_OP_READ;
    return count;
}

/* From the last to the first, so that every chain starts with the first. */
static void link_writes(struct sources *sources, struct esse_word_map *map,
                        struct esse_arena *arena, uint32_t key)
{
    const struct esse_by_key *by_key = &sources->by_key;
    esse_word_map_clear(map, arena, count_writes(by_key, key));
    for (key_access_id at = { by_key->first[key + 1] }; at.ix-- > by_key->first[key];) {
        const struct esse_key_access *key_access = &by_key->at[at.ix];
        sources->link[at.ix].ix = ESSE_NO_KEY_ACCESS;
        if (key_access->kind == ESSE_OP_READ)
            continue;
        if (esse_value_eq(key_access->value, ESSE_NIL) && key_access->kind != ESSE_OP_APPEND) {
            sources->deleted[key] = 1;
            continue;
        }
        bool fresh;
        uint32_t *first = esse_word_map_put(map, key_access->value.word, &fresh);
        if (!fresh)
            sources->link[at.ix].ix = *first;
        sources->repeated[key] |= !fresh && key_access->kind == ESSE_OP_APPEND;
        *first = at.ix;
    }
}

static void link_reads(struct sources *sources, const struct esse_word_map *map, uint32_t key)
{
    const struct esse_by_key *by_key = &sources->by_key;
    for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1]; at.ix++) {
        const struct esse_key_access *key_access = &by_key->at[at.ix];
        if (key_access->kind == ESSE_OP_READ && !esse_value_is_list(key_access->value))
            sources->link[at.ix].ix =
                esse_word_map_get(map, key_access->value.word, ESSE_NO_KEY_ACCESS);
    }
    for (uint32_t s = sources->key_spine[key]; s != ESSE_NO_SPINE; s = sources->next_spine[s]) {
        const struct esse_spine *spine = &sources->history->spines[s];
        key_access_id *item = sources->item + sources->spine_first[s];
        for (uint32_t i = 0; i < spine->count; i++)
            item[i].ix = esse_word_map_get(map, spine->items[i].word, ESSE_NO_KEY_ACCESS);
    }
}

static void find_spines(struct sources *sources)
{
    const struct esse_history *history = sources->history;
    const uint32_t count = history->spine_count;
    sources->next_spine = esse_arena_alloc(sources->arena, count + 1u, sizeof(uint32_t));
    sources->spine_first = esse_arena_alloc(sources->arena, count + 1u, sizeof(uint32_t));
    for (uint32_t s = 0; s < count; s++)
        sources->spine_first[s + 1] = sources->spine_first[s] + history->spines[s].count;
    for (uint32_t s = count; s-- > 0;) {
        uint32_t *first = &sources->key_spine[history->spines[s].key.ix];
        sources->next_spine[s] = *first;
        *first = s;
    }
    sources->item =
        esse_arena_array(sources->arena, sources->spine_first[count] + (size_t)1, key_access_id);
}

struct linking {
    struct sources *sources;
    struct esse_worker *workers; /* each with a map */
};

static bool link_keys(void *context, const struct esse_piece *piece)
{
    const struct linking *linking = context;
    const struct esse_worker *worker = &linking->workers[piece->worker];
    for (uint32_t key = piece->begin; key < piece->end; key++) {
        link_writes(linking->sources, worker->state, worker->arena, key);
        link_reads(linking->sources, worker->state, key);
    }
    return true;
}

static bool link_all(struct sources *sources, unsigned threads, struct esse_budget *budget)
{
    const uint32_t keys = sources->history->keys;
    struct linking linking = { .sources = sources };
    struct esse_loop loop = { .count = keys,
                              .piece = esse_loop_piece(keys),
                              .threads = esse_threads_for(threads, sources->by_key.count),
                              .body = link_keys,
                              .context = &linking,
                              .budget = budget };
    linking.workers = esse_workers_new(sources->arena, loop.threads, sizeof(struct esse_word_map));
    bool ok = esse_loop_run(&loop);
    esse_workers_free(linking.workers, loop.threads);
    return ok;
}

bool sources_find_among(struct sources *sources, struct esse_arena *arena,
                        const struct esse_history *history, const struct esse_by_key *by_key,
                        unsigned threads, struct esse_budget *budget)
{
    const size_t keys = history->keys + (size_t)1;
    *sources = (struct sources){ .arena = arena, .history = history, .by_key = *by_key };
    sources->link = esse_arena_array(arena, sources->by_key.count + (size_t)1, key_access_id);
    sources->deleted = esse_arena_alloc(arena, keys, 1);
    sources->repeated = esse_arena_alloc(arena, keys, 1);
    sources->key_spine = esse_arena_none(arena, keys, uint32_t);
    sources->initial = esse_initial_values(sources->arena, sources->history);
    find_spines(sources);
    esse_budget_phase(budget, "finding writers", history->keys);
    return link_all(sources, threads, budget);
}

bool sources_find(struct sources *sources, struct esse_arena *arena,
                  const struct esse_history *history, unsigned threads, struct esse_budget *budget)
{
    struct esse_by_key by_key;
    esse_budget_phase(budget, "grouping by key", 0);
    esse_by_key_make(&by_key, arena, history);
    return sources_find_among(sources, arena, history, &by_key, threads, budget);
}

void sources_forget(struct sources *sources)
{
    esse_arena_drop(sources->arena, sources->link);
    esse_arena_drop(sources->arena, sources->item);
    sources->link = sources->item = NULL;
}

key_access_id sources_only_of_chain(const struct sources *sources, key_access_id at)
{
    const struct esse_history *history = sources->history;
    key_access_id found = { ESSE_NO_KEY_ACCESS };
    for (; at.ix != ESSE_NO_KEY_ACCESS; at = sources->link[at.ix]) {
        if (history->txn_status[sources->by_key.at[at.ix].txn] == ESSE_ABORTED)
            continue;
        if (found.ix != ESSE_NO_KEY_ACCESS)
            return (key_access_id){ ESSE_NO_KEY_ACCESS };
        found = at;
    }
    return found;
}
