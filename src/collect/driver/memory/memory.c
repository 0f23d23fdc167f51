#include "collect/driver/memory/memory.h"
#include "generate/execute.h"

#include <assert.h>

enum { DEFAULT_SLOTS = 1 << 18 };

static const struct esse_claim claims[] = {
    { "strict-serializable", "strict-serializable", "docs/design/generator.md" },
    { "serializable", "serializable", "docs/design/generator.md" },
    { "snapshot-isolation", "snapshot-isolation", "docs/design/generator.md" },
    { "read-committed", "read-committed", "docs/design/generator.md" },
    { "read-uncommitted", "read-uncommitted", "docs/design/generator.md" },
    { 0 },
};

/* ---- target ---- */

/* A bug is reported by its name at a level of its own, and some leave the store no choice either;
 * not every workload can show it. */
static struct esse_preference prefer(struct esse_arena *arena, const struct esse_url *url)
{
    struct esse_preference preference = { 0 };
    const char *name = esse_url_parameter(url, "bug");
    const struct esse_gen_anomaly *bug = name ? esse_plant_find(name) : NULL;
    if (!bug)
        return preference;
    for (unsigned i = 0; i < ESSE_GEN_WORKLOADS && !preference.workload; i++)
        if (bug->workloads & 1u << i)
            preference.workload = esse_gen_workload_names[i];
    if (bug->level) {
        struct esse_claim *claim = esse_arena_alloc(arena, 1, sizeof *claim);
        *claim = (struct esse_claim){ bug->store ? bug->store : claims->setting, bug->level,
                                      claims->source };
        preference.claim = claim;
    }
    return preference;
}

static bool open_target(struct esse_arena *arena, const struct esse_driver *driver,
                        const struct esse_url *url, const struct esse_claim *isolation,
                        struct esse_target **out, struct esse_error *err)
{
    static const char *const names[] = { "level", "bug", NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    const char *bug = esse_url_parameter(url, "bug");
    (void)driver;
    if (*url->path || url->host_count)
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: expected memory:?NAME=VALUE");
    if (!esse_url_knows(url, names, err))
        return false;
    esse_store_level_find(isolation->setting, &target->level);
    if (bug && !(target->bug = esse_plant_find(bug)))
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: no bug is called '%s'; esse gen --anomaly help lists "
                         "them",
                         bug);
    target->arena = esse_arena_new(); /* for the sessions' thread; 'arena' is the run's own */
    *out = target;
    return true;
}

static void close_target(struct esse_target *target)
{
    esse_arena_free(target->arena);
}

/* What the tables look like to the planted clients. */
static enum esse_gen_workload kind_of(const struct esse_schema *schema)
{
    return schema->tables[0].is_list      ? ESSE_GEN_LIST_APPEND
           : schema->tables[0].has_ranges ? ESSE_GEN_PREDICATE
                                          : ESSE_GEN_RW_REGISTER;
}

static bool find_bug(struct esse_target *target, const struct esse_schema *schema,
                     struct esse_error *err)
{
    const char *name = target->bug->name;
    target->bug_workload = kind_of(schema);
    target->bug = esse_plant_of(name, target->bug_workload);
    if (schema->count == 1 && target->bug)
        return true;
    return esse_fail(err, ESSE_EUSAGE,
                     "the bug %s cannot be shown by this workload; without --workload it is by one "
                     "that can",
                     name);
}

bool esse_memory_slot(struct esse_target *target, uint32_t table, int64_t row, uint32_t *slot)
{
    const uint64_t place = (uint64_t)row << 8 | table;
    *slot = esse_word_map_get(&target->slots, place, UINT32_MAX);
    if (*slot != UINT32_MAX)
        return true;
    if (target->slot_count == target->slot_room)
        return false;
    bool fresh;
    *slot = target->slot_count++;
    *esse_word_map_put(&target->slots, place, &fresh) = *slot;
    target->places[*slot] = (struct esse_memory_place){ table, row };
    return true;
}

static void fill(struct esse_target *target, uint32_t number)
{
    const struct esse_table *table = &target->schema->tables[number];
    for (uint64_t i = 0; i < table->rows; i++) {
        uint32_t slot;
        if (table->initial[i] != ESSE_ABSENT && esse_memory_slot(target, number, (int64_t)i, &slot))
            esse_store_init(target->store, slot, table->initial[i]);
    }
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    uint64_t slots = 0;
    target->schema = schema;
    for (uint32_t t = 0; t < schema->count; t++) {
        slots += schema->tables[t].is_growing ? DEFAULT_SLOTS : schema->tables[t].in_use;
        if (schema->tables[t].is_list != schema->tables[0].is_list)
            return esse_fail(err, ESSE_EUSAGE, "memory: has either lists or registers, not both");
        assert(!schema->tables[t].has_ranges || schema->count == 1); /* predicates find all rows */
    }
    if (target->bug && !find_bug(target, schema, err))
        return false;
    /* A planted history has no place among the commits. */
    target->has_timestamps = target->bug && target->bug->needs & ESSE_GEN_NEEDS_TIMESTAMPS;
    target->is_counting = kind_of(schema) == ESSE_GEN_PREDICATE && !target->bug &&
                          !esse_store_traits[target->level].has_dirty;
    target->slot_room = (uint32_t)slots;
    esse_word_map_clear(&target->slots, target->arena, target->slot_room);
    target->places = esse_arena_alloc(target->arena, slots, sizeof *target->places);
    const struct esse_store_options options = { .level = target->level,
                                                .is_list = schema->tables[0].is_list,
                                                .slots = target->slot_room,
                                                .sessions = schema->sessions,
                                                .writes_hint = 8,
                                                .next_key = slots };
    target->store = esse_store_new(target->arena, &options);
    for (uint32_t t = 0; t < schema->count; t++)
        fill(target, t);
    return true;
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    struct esse_setting *settings = esse_arena_alloc(target->arena, 2, sizeof *settings);
    (void)err;
    settings[0] = (struct esse_setting){ "level", esse_store_traits[target->level].name };
    settings[1] = (struct esse_setting){ "bug", target->bug ? target->bug->name : "none" };
    *description = (struct esse_description){
        esse_arena_format(target->arena, "esse memory %s", esse_version()), settings, 2
    };
    return true;
}

static void clean(struct esse_target *target)
{
    (void)target;
}

const struct esse_driver esse_driver_memory = {
    .name = "memory",
    .schemes = "memory",
    .summary = "a small store in this process, of any level and with bugs on demand",
    .parameters = "level=LEVEL                     what it gives (as --isolation)\n"
                  "bug=ANOMALY                     what it shows once; esse gen --anomaly help",
    .can = ESSE_STORE_CAN,
    .most_threads = 1,
    .claims = claims,
    .prefer = prefer,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .clean = clean,
    .close = close_target,
    .conn = esse_memory_conn,
    .start = esse_memory_start,
    .step = esse_memory_step,
    .drop = esse_memory_drop,
    .certificate = &esse_memory_certifying,
    .play = esse_memory_play,
};
