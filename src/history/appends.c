#include "history/appends.h"

#include "base/checked.h"
#include "base/vec.h"
#include "base/word_map.h"
#include "history/by_key.h"
#include "history/show.h"

#include <string.h>

ESSE_VEC(shared_vec, struct esse_shared)

/* ---- which appends are shared ---- */

struct finding {
    struct esse_appends *appends;
    struct esse_by_key by_key;
    struct shared_vec shared;
    uint32_t *tells, *first;
};

static bool is_list(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_LIST && value.word >> 32;
}

static bool is_prefix(const struct esse_history *history, esse_value a, esse_value b)
{
    uint32_t x, y;
    const esse_value *p = esse_history_list(history, a, &x), *q = esse_history_list(history, b, &y);
    return x <= y && (p == q || memcmp(p, q, x * sizeof *p) == 0);
}

/* The longest list of the key that a transaction which may have committed read; false if there is
 * none, or if another one contradicts it. */
static bool find_longest(const struct finding *f, uint32_t key, esse_value *longest, uint32_t *read)
{
    const struct esse_history *history = f->appends->history;
    bool found = false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t at = f->by_key.first[key]; at < f->by_key.first[key + 1]; at++) {
            const struct esse_key_access *key_access = &f->by_key.at[at];
            if (key_access->kind != ESSE_OP_READ || !is_list(key_access->value) ||
                history->txn_status[key_access->txn] == ESSE_ABORTED)
                continue;
            if (pass && !is_prefix(history, key_access->value, *longest))
                return false;
            if (!pass && (!found || key_access->value.word >> 32 > longest->word >> 32)) {
                *longest = key_access->value;
                *read = esse_by_key_op(&f->by_key, key_access->access);
                found = true;
            }
        }
    return found;
}

static bool is_given(const struct esse_history *history, uint32_t key)
{
    for (uint32_t i = 0; i < history->version_order_count; i++)
        if (history->version_orders[i].key.ix == key)
            return true;
    return false;
}

static uint32_t *appends_of(const struct finding *f, uint32_t key, esse_value value,
                            uint32_t *count)
{
    struct esse_u32_vec ops = { 0 };
    for (uint32_t at = f->by_key.first[key]; at < f->by_key.first[key + 1]; at++)
        if (f->by_key.at[at].kind == ESSE_OP_APPEND && esse_value_eq(f->by_key.at[at].value, value))
            esse_u32_vec_push(&ops, f->appends->arena,
                              esse_by_key_op(&f->by_key, f->by_key.at[at].access));
    *count = (uint32_t)ops.count;
    return ops.at;
}

static uint32_t *places_of(const struct finding *f, esse_value list, esse_value value,
                           uint32_t *count)
{
    uint32_t length;
    const esse_value *items = esse_history_list(f->appends->history, list, &length);
    struct esse_u32_vec places = { 0 };
    for (uint32_t i = 0; i < length; i++)
        if (esse_value_eq(items[i], value))
            esse_u32_vec_push(&places, f->appends->arena, i);
    *count = (uint32_t)places.count;
    return places.at;
}

/* How often each value was appended to the key. */
static bool count_appends(const struct finding *f, struct esse_word_map *map, uint32_t key)
{
    bool repeats = false;
    esse_word_map_clear(map, f->appends->arena, f->by_key.first[key + 1] - f->by_key.first[key]);
    for (uint32_t at = f->by_key.first[key]; at < f->by_key.first[key + 1]; at++) {
        bool fresh;
        if (f->by_key.at[at].kind != ESSE_OP_APPEND)
            continue;
        uint32_t *times = esse_word_map_put(map, f->by_key.at[at].value.word, &fresh);
        *times = fresh ? 1 : *times + 1;
        repeats |= *times > 1;
    }
    return repeats;
}

static void find_in_key(struct finding *f, struct esse_word_map *map, uint32_t key)
{
    struct esse_appends *appends = f->appends;
    esse_value longest = ESSE_NONE;
    uint32_t length, read = ESSE_NO_OP;
    if (!count_appends(f, map, key) || !find_longest(f, key, &longest, &read) ||
        is_given(appends->history, key))
        return;
    const esse_value *items = esse_history_list(appends->history, longest, &length);
    for (uint32_t i = 0; i < length; i++) {
        struct esse_shared shared = { .key = { key }, .value = items[i], .first = appends->places };
        if (esse_word_map_get(map, items[i].word, 0) < 2)
            continue;
        *esse_word_map_put(map, items[i].word, &(bool){ false }) = 0; /* it has its places */
        shared.places = places_of(f, longest, items[i], &shared.place_count);
        shared.ops = appends_of(f, key, items[i], &shared.op_count);
        appends->places += shared.place_count;
        if (f->tells[key] == ESSE_NO_OP)
            f->first[key] = (uint32_t)f->shared.count;
        f->tells[key] = read;
        shared_vec_push(&f->shared, appends->arena, shared);
    }
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* So many ways there are to put distinct things at distinct places: n! / (n - k)! */
static uint64_t arrangements(const struct esse_shared *shared)
{
    const uint32_t more =
        shared->op_count > shared->place_count ? shared->op_count : shared->place_count;
    const uint32_t fewer = shared->op_count + shared->place_count - more;
    uint64_t count = 1;
    for (uint32_t i = 0; i < fewer; i++)
        count = times(count, more - i);
    return count;
}

/* ---- names that nothing else has ---- */

static struct esse_values *copy_values(struct esse_arena *arena, const struct esse_values *from)
{
    struct esse_values *values = esse_values_new(arena);
    for (uint32_t i = 0; i < esse_values_atoms(from); i++)
        esse_value_carry(values, from, esse_value_of_atom(i));
    return values;
}

/* "1 appended by T3"; one more mark as long as something else is called so. */
static esse_value fresh_name(struct esse_appends *appends, esse_value value, const char *by)
{
    const char *name =
        esse_arena_format(appends->arena, "%s appended by %s",
                          esse_show_text(appends->arena, appends->history, value), by);
    for (;;) {
        const uint32_t before = esse_values_atoms(appends->values);
        const esse_value made = esse_value_string(appends->values, name, strlen(name));
        if (esse_values_atoms(appends->values) > before)
            return made;
        name = esse_arena_format(appends->arena, "%s'", name);
    }
}

static void name_all(struct esse_appends *appends, struct esse_shared *shared)
{
    const struct esse_history *history = appends->history;
    const size_t room = history->ops + (size_t)1;
    esse_value *names = esse_arena_alloc(appends->arena, room, sizeof *names);
    esse_value *values = esse_arena_alloc(appends->arena, room, sizeof *values);
    memcpy(values, history->op_value, history->ops * sizeof *values);
    appends->values = copy_values(appends->arena, history->values);
    for (uint32_t s = 0; s < appends->count; s++) {
        for (uint32_t i = 0; i < shared[s].op_count; i++) {
            const uint32_t op = shared[s].ops[i];
            char txn[64];
            esse_txn_name(history, esse_op_txn(history, op), txn, sizeof txn);
            names[op] = values[op] = fresh_name(appends, shared[s].value, txn);
        }
        shared[s].by_none = fresh_name(appends, shared[s].value, "no operation");
    }
    appends->names = names;
    appends->named_ops = values;
}

void esse_appends_find(struct esse_appends *appends, struct esse_arena *arena,
                       const struct esse_history *history)
{
    const unsigned lists = ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS;
    struct finding f = { .appends = appends };
    struct esse_word_map map = { 0 };
    *appends = (struct esse_appends){ .arena = arena, .history = history, .ways = 1 };
    if ((history->has & lists) != lists || history->certificate.kind != ESSE_CERTIFICATE_NONE)
        return;
    f.tells = esse_arena_none(arena, history->keys + 1u, *f.tells);
    f.first = esse_arena_alloc(arena, history->keys + 1u, sizeof *f.first);
    esse_by_key_make(&f.by_key, arena, history);
    for (uint32_t key = 0; key < history->keys; key++)
        find_in_key(&f, &map, key);
    appends->shared = f.shared.at;
    appends->count = (uint32_t)f.shared.count;
    appends->tells = f.tells;
    appends->first = f.first;
    for (uint32_t s = 0; s < appends->count; s++)
        appends->ways = times(appends->ways, arrangements(&appends->shared[s]));
    if (appends->count)
        name_all(appends, f.shared.at);
}

/* ---- ways ---- */

/* How many places of it have no operation. */
static uint32_t spare(const struct esse_shared *shared)
{
    return shared->place_count > shared->op_count ? shared->place_count - shared->op_count : 0;
}

static bool is_free(const struct esse_shared *shared, const uint32_t *way, uint32_t until,
                    uint32_t op)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < until; i++)
        used += way[shared->first + i] == op;
    return used < (op == ESSE_NO_OP ? spare(shared) : 1);
}

/* The first choice for a place after the one at 'from', none being the last; false if none is
 * left. */
static bool choose(const struct esse_shared *shared, uint32_t *way, uint32_t place, uint32_t from)
{
    for (uint32_t c = from; c <= shared->op_count; c++) {
        const uint32_t op = c < shared->op_count ? shared->ops[c] : ESSE_NO_OP;
        if (!is_free(shared, way, place, op))
            continue;
        way[shared->first + place] = op;
        return true;
    }
    return false;
}

static void fill(const struct esse_shared *shared, uint32_t *way, uint32_t from)
{
    for (uint32_t place = from; place < shared->place_count; place++)
        choose(shared, way, place, 0);
}

static bool next_of(const struct esse_shared *shared, uint32_t *way)
{
    for (uint32_t place = shared->place_count; place-- > 0;) {
        uint32_t at = 0;
        while (at < shared->op_count && shared->ops[at] != way[shared->first + place])
            at++;
        if (at == shared->op_count || !choose(shared, way, place, at + 1))
            continue;
        fill(shared, way, place + 1);
        return true;
    }
    return false;
}

void esse_way_first(const struct esse_appends *appends, uint32_t *way)
{
    for (uint32_t s = 0; s < appends->count; s++)
        fill(&appends->shared[s], way, 0);
}

bool esse_way_next(const struct esse_appends *appends, uint32_t *way)
{
    for (uint32_t s = appends->count; s-- > 0;) {
        if (next_of(&appends->shared[s], way))
            return true;
        fill(&appends->shared[s], way, 0);
    }
    return false;
}

bool esse_way_is_one(const struct esse_appends *appends, const uint32_t *way, uint32_t count)
{
    if (!appends->count || count != appends->places)
        return false;
    for (uint32_t s = 0; s < appends->count; s++) {
        const struct esse_shared *shared = &appends->shared[s];
        for (uint32_t place = 0; place < shared->place_count; place++) {
            const uint32_t op = way[shared->first + place];
            bool is_choice = op == ESSE_NO_OP;
            for (uint32_t i = 0; i < shared->op_count; i++)
                is_choice |= shared->ops[i] == op;
            if (!is_choice || !is_free(shared, way, place, op))
                return false;
        }
    }
    return true;
}

/* ---- the history of a way ---- */

/* How many items of the spine are those of the key's longest list. */
static uint32_t count_common(const struct esse_appends *appends, const struct esse_spine *spine)
{
    const struct esse_history *history = appends->history;
    uint32_t length, common = 0;
    const esse_value *longest =
        esse_history_list(history, history->op_value[appends->tells[spine->key.ix]], &length);
    while (common < length && common < spine->count &&
           esse_value_eq(longest[common], spine->items[common]))
        common++;
    return common;
}

static const esse_value *name_items(struct esse_arena *arena, const struct esse_appends *appends,
                                    const uint32_t *way, const struct esse_spine *spine)
{
    const uint32_t common = count_common(appends, spine);
    esse_value *items = esse_arena_alloc(arena, spine->count + 1u, sizeof *items);
    memcpy(items, spine->items, spine->count * sizeof *items);
    for (uint32_t s = appends->first[spine->key.ix];
         s < appends->count && appends->shared[s].key.ix == spine->key.ix; s++) {
        const struct esse_shared *shared = &appends->shared[s];
        for (uint32_t i = 0; i < shared->place_count && shared->places[i] < common; i++) {
            const uint32_t op = way[shared->first + i];
            items[shared->places[i]] = op == ESSE_NO_OP ? shared->by_none : appends->names[op];
        }
    }
    return items;
}

const struct esse_history *esse_way_history(struct esse_arena *arena,
                                            const struct esse_appends *appends, const uint32_t *way)
{
    const struct esse_history *history = appends->history;
    struct esse_history *named = esse_arena_alloc(arena, 1, sizeof *named);
    struct esse_spine *spines = esse_arena_alloc(arena, history->spine_count + 1u, sizeof *spines);
    for (uint32_t s = 0; s < history->spine_count; s++) {
        spines[s] = history->spines[s];
        if (appends->tells[spines[s].key.ix] != ESSE_NO_OP)
            spines[s].items = name_items(arena, appends, way, &history->spines[s]);
    }
    *named = *history;
    named->values = appends->values;
    named->op_value = appends->named_ops;
    named->spines = spines;
    ESSE_SEAM(esse_history_valid(named));
    return named;
}
