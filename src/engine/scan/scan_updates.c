#include "engine/scan/scan_state.h"

/* Two writes of one value, and two updates of one version. */

/* Whether the workload promises that no value is written twice to a key. */
static bool promises_unique(const struct esse_history *history, unsigned kind)
{
    return kind == ESSE_OP_APPEND || !esse_history_is_native(history);
}

void scan_duplicates(struct known *known, uint32_t key)
{
    const struct sources *sources = &known->sources;
    for (key_access_id at = { sources->by_key.first[key] }; at.ix < sources->by_key.first[key + 1];
         at.ix++) {
        key_access_id next = sources->link[at.ix];
        if (next.ix == ESSE_NO_KEY_ACCESS || known_key_access(known, at)->kind == ESSE_OP_READ ||
            !promises_unique(known->history, known_key_access(known, next)->kind) ||
            !known_count(known, ESSE_ANOMALY_DUPLICATE_WRITE))
            continue;
        struct esse_step steps[] = { known_step(known, at, ""),
                                     known_step(known, next, ", the same value again") };
        known_tell(
            known, ESSE_ANOMALY_DUPLICATE_WRITE, (esse_key){ key },
            "a value was written twice to a key in a workload that promises unique values; a "
            "read of it cannot be traced to one writer",
            steps, 2);
    }
}

/* Is it certain that all readers of this value read the same version? */
static bool is_one_version(const struct known *known, uint32_t key, key_access_id read)
{
    const struct sources *sources = &known->sources;
    esse_value value = esse_value_state(known_key_access(known, read)->value);
    if (esse_value_eq(value, ESSE_NIL))
        return !sources->deleted[key];
    if (esse_value_is_list(value))
        return true;
    uint32_t writers = esse_value_eq(value, sources->initial[key]);
    for (key_access_id at = sources->link[read.ix]; at.ix != ESSE_NO_KEY_ACCESS && writers < 2;
         at = sources->link[at.ix])
        writers++;
    return writers == 1;
}

static const char lost[] = "two committed transactions read the same version of a key and both "
                           "wrote it: one update is lost";
static const char read_again[] = "two committed transactions read the same version of a key and "
                                 "both wrote it, one after it had read it again";

/* Did the transaction see that the key had changed, before it wrote it?  Of its first access of the
 * key, as esse_op_is_read_again. */
static bool is_read_again(const struct known *known, uint32_t key, key_access_id read)
{
    const key_access_id end = { esse_run_end(&known->sources.by_key, key, read.ix) };
    const esse_value first = esse_value_state(known_key_access(known, read)->value);
    for (key_access_id at = { read.ix + 1 };
         at.ix < end.ix && known_key_access(known, at)->kind == ESSE_OP_READ; at.ix++)
        if (!esse_value_eq(esse_value_state(known_key_access(known, at)->value), first))
            return true;
    return false;
}

static struct esse_step step_of(struct known *known, uint32_t key, key_access_id read,
                                const char *too)
{
    return known_step(
        known, read,
        esse_arena_format(known->arena, "%s and then wrote it%s",
                          is_read_again(known, key, read) ? ", read another version," : "", too));
}

/* Of the kept ones, that which shows the least: no update need have been lost in it. */
static struct esse_anomaly *weakest_kept(struct known *known)
{
    for (size_t i = 0; i < known->found.count; i++)
        if (known->found.at[i].description == read_again)
            return &known->found.at[i];
    return NULL;
}

/* An update that is certainly lost takes the place of one that need not be. */
static void tell(struct known *known, uint32_t key, key_access_id a, key_access_id b)
{
    const bool is_lost = !is_read_again(known, key, a) && !is_read_again(known, key, b);
    const bool is_kept = known_count(known, ESSE_ANOMALY_LOST_UPDATE);
    struct esse_anomaly *weakest = is_lost ? weakest_kept(known) : NULL;
    if (!is_kept && !weakest)
        return;
    struct esse_step steps[] = { step_of(known, key, a, ""), step_of(known, key, b, " too") };
    known_tell(known, ESSE_ANOMALY_LOST_UPDATE, (esse_key){ key }, is_lost ? lost : read_again,
               steps, 2);
    weakest = is_lost ? weakest_kept(known) : NULL; /* the vector may have moved */
    if (!weakest)
        return;
    struct esse_anomaly *last = &known->found.at[known->found.count - 1];
    const struct esse_anomaly other = *weakest;
    *weakest = *last;
    *last = other;
    known->found.count -= !is_kept;
}

/* Did a committed transaction first read the key, and write it after that? */
static bool is_update(const struct known *known, key_access_id begin, key_access_id end)
{
    const struct esse_key_access *first = known_key_access(known, begin);
    if (first->kind != ESSE_OP_READ || esse_value_eq(first->value, ESSE_NONE) ||
        !known->in[first->txn])
        return false;
    for (key_access_id at = { begin.ix + 1 }; at.ix < end.ix; at.ix++)
        if (known_key_access(known, at)->kind != ESSE_OP_READ)
            return true;
    return false;
}

/* Whatever the version order, one of two updates of a version overwrote what it had not seen. */
void scan_lost_updates(struct known *known, struct esse_word_map *map, uint32_t key)
{
    const struct esse_by_key *by_key = &known->sources.by_key;
    const struct esse_key_access *all = by_key->at;
    const uint32_t end = by_key->first[key + 1];
    esse_word_map_clear(map, known->scratch, end - by_key->first[key]);
    for (uint32_t at = by_key->first[key], next; at < end; at = next) {
        const key_access_id begin = { at };
        next = esse_run_end_among(all, at, end);
        if (next - at < 2 || !is_update(known, begin, (key_access_id){ next }))
            continue;
        bool fresh;
        uint32_t *other = esse_word_map_put(
            map, esse_value_state(known_key_access(known, begin)->value).word, &fresh);
        if (!fresh && is_one_version(known, key, begin))
            tell(known, key, (key_access_id){ *other }, begin);
        if (fresh || is_read_again(known, key, (key_access_id){ *other }))
            *other = begin.ix;
    }
}
