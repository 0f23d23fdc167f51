#include "engine/scan/scan_state.h"

#include <string.h>

/* Two writes of one value, and two updates of one version. */

/* Whether the workload promises that no value is written twice to a key. */
static bool promises_unique(const struct esse_history *history, unsigned kind)
{
    return kind == ESSE_OP_APPEND || strcmp(history->format, "native") != 0;
}

void scan_duplicates(struct scan *scan, uint32_t key)
{
    const struct sources *sources = &scan->sources;
    for (uint32_t at = sources->by_key.first[key]; at < sources->by_key.first[key + 1]; at++) {
        uint32_t next = sources->link[at];
        if (next == ESSE_NO_TOUCH || scan_touch(scan, at)->kind == ESSE_OP_READ ||
            !promises_unique(scan->history, scan_touch(scan, next)->kind) ||
            !scan_count(scan, ESSE_ANOMALY_DUPLICATE_WRITE))
            continue;
        struct esse_step steps[] = { scan_step(scan, at, ""),
                                     scan_step(scan, next, ", the same value again") };
        scan_tell(scan, ESSE_ANOMALY_DUPLICATE_WRITE, (esse_key){ key },
                  "a value was written twice to a key in a workload that promises unique values; a "
                  "read of it cannot be traced to one writer",
                  steps, 2);
    }
}

/* Is it certain that whoever read this value read the same version? */
static bool is_one_version(const struct scan *scan, uint32_t key, uint32_t read)
{
    const struct sources *sources = &scan->sources;
    esse_value value = esse_value_state(scan_touch(scan, read)->value);
    if (esse_value_eq(value, ESSE_NIL))
        return !sources->deleted[key];
    if (is_list(value))
        return true;
    uint32_t writers = esse_value_eq(value, sources->initial[key]);
    for (uint32_t at = sources->link[read]; at != ESSE_NO_TOUCH && writers < 2;
         at = sources->link[at])
        writers++;
    return writers == 1;
}

static const char lost[] = "two committed transactions read the same version of a key and both "
                           "wrote it: one update is lost";
static const char read_again[] = "two committed transactions read the same version of a key and "
                                 "both wrote it, one after it had read it again";

/* Did the transaction see that the key had changed, before it wrote it?  Of its first access of the
 * key, as esse_op_is_read_again. */
static bool is_read_again(const struct scan *scan, uint32_t key, uint32_t read)
{
    const uint32_t end = esse_run_end(&scan->sources.by_key, key, read);
    const esse_value first = esse_value_state(scan_touch(scan, read)->value);
    for (uint32_t at = read + 1; at < end && scan_touch(scan, at)->kind == ESSE_OP_READ; at++)
        if (!esse_value_eq(esse_value_state(scan_touch(scan, at)->value), first))
            return true;
    return false;
}

static struct esse_step step_of(struct scan *scan, uint32_t key, uint32_t read, const char *too)
{
    return scan_step(
        scan, read,
        esse_arena_format(scan->arena, "%s and then wrote it%s",
                          is_read_again(scan, key, read) ? ", read another version," : "", too));
}

/* Of the kept ones, that which shows the least: no update need have been lost in it. */
static struct esse_anomaly *weakest_kept(struct scan *scan)
{
    for (size_t i = 0; i < scan->found.count; i++)
        if (scan->found.at[i].description == read_again)
            return &scan->found.at[i];
    return NULL;
}

/* An update that is certainly lost takes the place of one that need not be. */
static void tell(struct scan *scan, uint32_t key, uint32_t a, uint32_t b)
{
    const bool is_lost = !is_read_again(scan, key, a) && !is_read_again(scan, key, b);
    const bool is_kept = scan_count(scan, ESSE_ANOMALY_LOST_UPDATE);
    struct esse_anomaly *weakest = is_lost ? weakest_kept(scan) : NULL;
    if (!is_kept && !weakest)
        return;
    struct esse_step steps[] = { step_of(scan, key, a, ""), step_of(scan, key, b, " too") };
    scan_tell(scan, ESSE_ANOMALY_LOST_UPDATE, (esse_key){ key }, is_lost ? lost : read_again, steps,
              2);
    weakest = is_lost ? weakest_kept(scan) : NULL; /* the vector may have moved */
    if (!weakest)
        return;
    struct esse_anomaly *last = &scan->found.at[scan->found.count - 1];
    const struct esse_anomaly other = *weakest;
    *weakest = *last;
    *last = other;
    scan->found.count -= !is_kept;
}

/* Did a committed transaction first read the key, and write it after that? */
static bool is_update(const struct scan *scan, uint32_t begin, uint32_t end)
{
    const struct esse_touch *first = scan_touch(scan, begin);
    if (first->kind != ESSE_OP_READ || esse_value_eq(first->value, ESSE_NONE) ||
        !scan->in[first->txn])
        return false;
    for (uint32_t at = begin + 1; at < end; at++)
        if (scan_touch(scan, at)->kind != ESSE_OP_READ)
            return true;
    return false;
}

/* Whatever the version order, one of two updates of a version overwrote what it had not seen. */
void scan_lost_updates(struct scan *scan, struct esse_word_map *map, uint32_t key)
{
    const struct esse_by_key *by_key = &scan->sources.by_key;
    uint32_t end = by_key->first[key + 1], next;
    esse_word_map_clear(map, scan->scratch, end - by_key->first[key]);
    for (uint32_t begin = by_key->first[key]; begin < end; begin = next) {
        next = esse_run_end(by_key, key, begin);
        if (next - begin < 2 || !is_update(scan, begin, next))
            continue;
        bool fresh;
        uint32_t *other =
            esse_word_map_put(map, esse_value_state(scan_touch(scan, begin)->value).word, &fresh);
        if (!fresh && is_one_version(scan, key, begin))
            tell(scan, key, *other, begin);
        if (fresh || is_read_again(scan, key, *other))
            *other = begin;
    }
}
