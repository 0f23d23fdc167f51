#include "engine/scan/scan_state.h"

#include "base/checked.h"

/* Where the values came from that a committed transaction read from a register: G1a, G1b,
 * garbage-read, future-read. */

struct writers {
    key_access_id aborted, intermediate, own; /* a write of that kind, or ESSE_NO_KEY_ACCESS */
    uint32_t count, aborted_count, intermediate_count, own_count;
};

static struct writers find_writers(const struct known *known, const struct scan_run *run,
                                   key_access_id read)
{
    struct writers found = {
        { ESSE_NO_KEY_ACCESS }, { ESSE_NO_KEY_ACCESS }, { ESSE_NO_KEY_ACCESS }, 0, 0, 0, 0
    };
    const struct sources *sources = &known->sources;
    for (key_access_id at = sources->link[read.ix]; at.ix != ESSE_NO_KEY_ACCESS;
         at = sources->link[at.ix]) {
        uint32_t writer = known_key_access(known, at)->txn;
        found.count++;
        if (writer == run->txn) {
            found.own_count++;
            found.own = at;
        }
        if (known_status(known, writer) == ESSE_ABORTED) {
            found.aborted_count++;
            found.aborted = at;
        }
        if (writer != run->txn && !esse_is_last_write(&sources->by_key, run->key, at.ix)) {
            found.intermediate_count++;
            found.intermediate = at;
        }
    }
    return found;
}

static void tell_garbage(struct known *known, const struct scan_run *run, key_access_id read)
{
    struct esse_step steps[] = { known_step(known, read, ", which no transaction wrote") };
    known_tell(known, ESSE_ANOMALY_GARBAGE_READ, (esse_key){ run->key },
               "a committed transaction read a value that no transaction wrote", steps, 1);
}

static void tell_aborted(struct known *known, const struct scan_run *run, key_access_id read,
                         key_access_id write)
{
    struct esse_step steps[] = { known_step(known, read, ""),
                                 known_step(known, write, ", and then aborted") };
    known_tell(known, ESSE_ANOMALY_G1A, (esse_key){ run->key },
               "a committed transaction read what an aborted one wrote", steps, 2);
}

void scan_tell_intermediate(struct known *known, uint32_t key, key_access_id read,
                            key_access_id write)
{
    key_access_id later = write, end = { esse_run_end(&known->sources.by_key, key, write.ix) };
    for (key_access_id at = write; at.ix < end.ix; at.ix++)
        if (known_key_access(known, at)->kind != ESSE_OP_READ)
            later = at;
    struct esse_step steps[] = { known_step(known, read, ""), known_step(known, write, ""),
                                 known_step(known, later, " after that") };
    known_tell(known, ESSE_ANOMALY_G1B, (esse_key){ key },
               "a committed transaction read a version in the middle of another's writes", steps,
               3);
}

static void tell_future(struct known *known, const struct scan_run *run, key_access_id read,
                        key_access_id write)
{
    struct esse_step steps[] = { known_step(known, read, ""),
                                 known_step(known, write, " only afterwards") };
    known_tell(known, ESSE_ANOMALY_FUTURE_READ, (esse_key){ run->key },
               "a transaction read what it wrote itself only later", steps, 2);
}

/* With duplicate values the writer is a choice, so only what is wrong with every choice counts. */
static void check_read(struct known *known, const struct scan_run *run, key_access_id read)
{
    const struct sources *sources = &known->sources;
    esse_value value = known_key_access(known, read)->value;
    if (esse_value_eq(value, sources->initial[run->key]))
        return;
    if (esse_value_eq(value, ESSE_NIL)) {
        if (!sources->deleted[run->key] && known_count(known, ESSE_ANOMALY_GARBAGE_READ))
            tell_garbage(known, run, read);
        return;
    }
    struct writers found = find_writers(known, run, read);
    if (!found.count) {
        if (known_count(known, ESSE_ANOMALY_GARBAGE_READ))
            tell_garbage(known, run, read);
        return;
    }
    if (found.own_count == found.count) {
        if (known_count(known, ESSE_ANOMALY_FUTURE_READ))
            tell_future(known, run, read, found.own);
        return;
    }
    if (found.aborted_count == found.count && known_count(known, ESSE_ANOMALY_G1A))
        tell_aborted(known, run, read, found.aborted);
    if (found.intermediate_count == found.count && known_count(known, ESSE_ANOMALY_G1B))
        scan_tell_intermediate(known, run->key, read, found.intermediate);
}

/* The usual case: a last write, by one transaction that did not abort. */
static bool is_healthy(const struct known *known, const struct scan_run *run, key_access_id read)
{
    const struct sources *sources = &known->sources;
    key_access_id write = sources->link[read.ix];
    if (write.ix == ESSE_NO_KEY_ACCESS || sources->link[write.ix].ix != ESSE_NO_KEY_ACCESS)
        return false;
    uint32_t writer = known_key_access(known, write)->txn;
    return writer != run->txn && known_status(known, writer) != ESSE_ABORTED &&
           esse_is_last_write(&sources->by_key, run->key, write.ix);
}

void scan_reads(struct known *known, const struct scan_run *run)
{
    ESSE_HOT_ASSERT(run->key < known->history->keys);
    ESSE_HOT_ASSERT(run->txn < known->history->txns);
    for (key_access_id at = run->begin; at.ix < run->end.ix; at.ix++) {
        const struct esse_key_access *key_access = known_key_access(known, at);
        if (key_access->kind != ESSE_OP_READ)
            return; /* what comes after an own write came from there */
        if (!esse_value_is_list(key_access->value) &&
            !esse_value_eq(key_access->value, ESSE_NONE) && !is_healthy(known, run, at))
            check_read(known, run, at);
    }
}
