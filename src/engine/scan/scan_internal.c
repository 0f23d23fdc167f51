#include "engine/scan/scan_state.h"

#include <string.h>

/* What a transaction read from a key against what it did to the key itself before (internal) and
 * after (future-read, for appends). */

/* The state a transaction knows a list to have: base, then its own appends; without a base only
 * the end is known.  Own appends are found by walking back. */
static bool list_contradicts(struct scan *scan, const struct scan_run *run, uint32_t read,
                             uint32_t *earlier)
{
    uint32_t count, base_count;
    const esse_value *items =
        esse_history_list(scan->history, scan_touch(scan, read)->value, &count);
    for (uint32_t at = read; at-- > run->begin;) {
        const struct esse_touch *touch = scan_touch(scan, at);
        *earlier = at;
        if (touch->kind == ESSE_OP_APPEND) {
            if (!count || !esse_value_eq(items[--count], touch->value))
                return true;
            continue;
        }
        esse_value base = esse_value_state(touch->value);
        if (esse_value_eq(base, ESSE_NONE))
            continue;
        if (!is_list(base))
            return count != 0;
        const esse_value *before = esse_history_list(scan->history, base, &base_count);
        return base_count != count || (count && memcmp(before, items, count * sizeof *items) != 0);
    }
    return false;
}

static bool register_contradicts(struct scan *scan, const struct scan_run *run, uint32_t read,
                                 uint32_t *earlier)
{
    for (uint32_t at = read; at-- > run->begin;) {
        const struct esse_touch *touch = scan_touch(scan, at);
        *earlier = at;
        if (touch->kind == ESSE_OP_APPEND)
            return true; /* nothing was read of a list just appended to */
        if (esse_value_eq(touch->value, ESSE_NONE))
            continue;
        return !esse_value_eq(esse_value_state(touch->value),
                              esse_value_state(scan_touch(scan, read)->value));
    }
    return false;
}

/* The last own write that the read does not show, or ESSE_NO_TOUCH: a register's must be what is
 * read, appends must be at the end of the list. */
static uint32_t missed_write(const struct scan *scan, const struct scan_run *run, uint32_t read)
{
    uint32_t count = 0;
    esse_value value = esse_value_state(scan_touch(scan, read)->value);
    const esse_value *items =
        is_list(value) ? esse_history_list(scan->history, value, &count) : NULL;
    for (uint32_t at = read; at-- > run->begin;) {
        const struct esse_touch *touch = scan_touch(scan, at);
        if (touch->kind == ESSE_OP_WRITE)
            return esse_value_eq(touch->value, value) ? ESSE_NO_TOUCH : at;
        if (touch->kind == ESSE_OP_APPEND &&
            (!count || !esse_value_eq(items[--count], touch->value)))
            return at;
    }
    return ESSE_NO_TOUCH;
}

/* Levels that let a read change its mind still want a transaction to see its own writes. */
static void check_own_write(struct scan *scan, const struct scan_run *run, uint32_t read)
{
    uint32_t write = missed_write(scan, run, read);
    if (write == ESSE_NO_TOUCH || !scan_count(scan, ESSE_ANOMALY_OWN_WRITE_MISSED))
        return;
    struct esse_step steps[] = { scan_step(scan, write, ""), scan_step(scan, read, " afterwards") };
    scan_tell(scan, ESSE_ANOMALY_OWN_WRITE_MISSED, (esse_key){ run->key },
              "a transaction did not read what it had written itself", steps, 2);
}

static void check_read(struct scan *scan, const struct scan_run *run, uint32_t read)
{
    uint32_t earlier;
    esse_value value = scan_touch(scan, read)->value;
    bool list = is_list(value) && list_length(value);
    if (esse_value_eq(value, ESSE_NONE))
        return;
    if (scan->tells_own_writes)
        check_own_write(scan, run, read);
    if (!(list ? list_contradicts(scan, run, read, &earlier)
               : register_contradicts(scan, run, read, &earlier)))
        return;
    if (!scan_count(scan, ESSE_ANOMALY_INTERNAL))
        return;
    struct esse_step steps[] = { scan_step(scan, earlier, ""),
                                 scan_step(scan, read, " afterwards") };
    scan_tell(scan, ESSE_ANOMALY_INTERNAL, (esse_key){ run->key },
              "a transaction's read contradicts what it had read or written itself", steps, 2);
}

static bool is_only_append(const struct scan *scan, uint32_t key, uint32_t append)
{
    const struct sources *sources = &scan->sources;
    uint32_t others = 0;
    for (uint32_t at = sources->by_key.first[key];
         sources->repeated[key] && at < sources->by_key.first[key + 1]; at++)
        others += at != append && scan_touch(scan, at)->kind == ESSE_OP_APPEND &&
                  esse_value_eq(scan_touch(scan, at)->value, scan_touch(scan, append)->value);
    return !others;
}

/* Appends that come after a read of the same key must not be in what it returned, unless another
 * one made it. */
static void check_append(struct scan *scan, const struct scan_run *run, uint32_t append)
{
    if (!is_only_append(scan, run->key, append))
        return;
    for (uint32_t read = append; read-- > run->begin;) {
        esse_value list = scan_touch(scan, read)->value;
        if (!is_list(list) ||
            !esse_list_has(scan->history, list, scan_touch(scan, append)->value) ||
            !scan_count(scan, ESSE_ANOMALY_FUTURE_READ))
            continue;
        struct esse_step steps[] = { scan_step(scan, read, ""),
                                     scan_step(scan, append, " only afterwards") };
        scan_tell(scan, ESSE_ANOMALY_FUTURE_READ, (esse_key){ run->key },
                  "a transaction read what it wrote itself only later", steps, 2);
    }
}

void scan_internal(struct scan *scan, const struct scan_run *run)
{
    for (uint32_t at = run->begin + 1; at < run->end; at++) {
        if (scan_touch(scan, at)->kind == ESSE_OP_READ)
            check_read(scan, run, at);
        else if (scan_touch(scan, at)->kind == ESSE_OP_APPEND)
            check_append(scan, run, at);
    }
}
