#include "engine/scan/scan_state.h"

#include <string.h>

/* What a transaction read from a key against what it did to the key itself before (internal) and
 * after (future-read, for appends). */

/* The state a transaction knows a list to have: base, then its own appends; without a base only
 * the end is known.  Own appends are found by walking back. */
static bool list_contradicts(struct known *known, const struct scan_run *run, key_access_id read,
                             key_access_id *earlier)
{
    uint32_t count, base_count;
    const esse_value *items =
        esse_history_list(known->history, known_key_access(known, read)->value, &count);
    for (key_access_id at = read; at.ix-- > run->begin.ix;) {
        const struct esse_key_access *key_access = known_key_access(known, at);
        *earlier = at;
        if (key_access->kind == ESSE_OP_APPEND) {
            if (!count || !esse_value_eq(items[--count], key_access->value))
                return true;
            continue;
        }
        esse_value base = esse_value_state(key_access->value);
        if (esse_value_eq(base, ESSE_NONE))
            continue;
        if (!esse_value_is_list(base))
            return count != 0;
        const esse_value *before = esse_history_list(known->history, base, &base_count);
        return base_count != count || (count && memcmp(before, items, count * sizeof *items) != 0);
    }
    return false;
}

static bool register_contradicts(struct known *known, const struct scan_run *run,
                                 key_access_id read, key_access_id *earlier)
{
    for (key_access_id at = read; at.ix-- > run->begin.ix;) {
        const struct esse_key_access *key_access = known_key_access(known, at);
        *earlier = at;
        if (key_access->kind == ESSE_OP_APPEND)
            return true; /* nothing was read of a list just appended to */
        if (esse_value_eq(key_access->value, ESSE_NONE))
            continue;
        return !esse_value_eq(esse_value_state(key_access->value),
                              esse_value_state(known_key_access(known, read)->value));
    }
    return false;
}

/* The last own write that the read does not show, or ESSE_NO_KEY_ACCESS: a register's must be what
 * is read, appends must be at the end of the list. */
static key_access_id missed_write(const struct known *known, const struct scan_run *run,
                                  key_access_id read)
{
    uint32_t count = 0;
    esse_value value = esse_value_state(known_key_access(known, read)->value);
    const esse_value *items =
        esse_value_is_list(value) ? esse_history_list(known->history, value, &count) : NULL;
    for (key_access_id at = read; at.ix-- > run->begin.ix;) {
        const struct esse_key_access *key_access = known_key_access(known, at);
        if (key_access->kind == ESSE_OP_WRITE)
            return esse_value_eq(key_access->value, value) ? (key_access_id){ ESSE_NO_KEY_ACCESS }
                                                           : at;
        if (key_access->kind == ESSE_OP_APPEND &&
            (!count || !esse_value_eq(items[--count], key_access->value)))
            return at;
    }
    return (key_access_id){ ESSE_NO_KEY_ACCESS };
}

/* Levels that let a read change its mind still want a transaction to see its own writes. */
static void check_own_write(struct known *known, const struct scan_run *run, key_access_id read)
{
    key_access_id write = missed_write(known, run, read);
    if (write.ix == ESSE_NO_KEY_ACCESS || !known_count(known, ESSE_ANOMALY_OWN_WRITE_MISSED))
        return;
    struct esse_step steps[] = { known_step(known, write, ""),
                                 known_step(known, read, " afterwards") };
    known_tell(known, ESSE_ANOMALY_OWN_WRITE_MISSED, (esse_key){ run->key },
               "a transaction did not read what it had written itself", steps, 2);
}

static void check_read(struct known *known, const struct scan_run *run, key_access_id read)
{
    key_access_id earlier;
    esse_value value = known_key_access(known, read)->value;
    bool list = esse_value_is_list(value) && list_length(value);
    if (esse_value_eq(value, ESSE_NONE))
        return;
    if (known->tells_own_writes)
        check_own_write(known, run, read);
    if (!(list ? list_contradicts(known, run, read, &earlier)
               : register_contradicts(known, run, read, &earlier)))
        return;
    if (!known_count(known, ESSE_ANOMALY_INTERNAL))
        return;
    struct esse_step steps[] = { known_step(known, earlier, ""),
                                 known_step(known, read, " afterwards") };
    known_tell(known, ESSE_ANOMALY_INTERNAL, (esse_key){ run->key },
               "a transaction's read contradicts what it had read or written itself", steps, 2);
}

static bool is_only_append(const struct known *known, uint32_t key, key_access_id append)
{
    const struct sources *sources = &known->sources;
    uint32_t others = 0;
    for (key_access_id at = { sources->by_key.first[key] };
         sources->repeated[key] && at.ix < sources->by_key.first[key + 1]; at.ix++)
        others += at.ix != append.ix && known_key_access(known, at)->kind == ESSE_OP_APPEND &&
                  esse_value_eq(known_key_access(known, at)->value,
                                known_key_access(known, append)->value);
    return !others;
}

/* Appends that come after a read of the same key must not be in what it returned, unless another
 * one made it. */
static void check_append(struct known *known, const struct scan_run *run, key_access_id append)
{
    if (!is_only_append(known, run->key, append))
        return;
    for (key_access_id read = append; read.ix-- > run->begin.ix;) {
        esse_value list = known_key_access(known, read)->value;
        if (!esse_value_is_list(list) ||
            !esse_list_has(known->history, list, known_key_access(known, append)->value) ||
            !known_count(known, ESSE_ANOMALY_FUTURE_READ))
            continue;
        struct esse_step steps[] = { known_step(known, read, ""),
                                     known_step(known, append, " only afterwards") };
        known_tell(known, ESSE_ANOMALY_FUTURE_READ, (esse_key){ run->key },
                   "a transaction read what it wrote itself only later", steps, 2);
    }
}

void scan_internal(struct known *known, const struct scan_run *run)
{
    for (key_access_id at = { run->begin.ix + 1 }; at.ix < run->end.ix; at.ix++) {
        if (known_key_access(known, at)->kind == ESSE_OP_READ)
            check_read(known, run, at);
        else if (known_key_access(known, at)->kind == ESSE_OP_APPEND)
            check_append(known, run, at);
    }
}
