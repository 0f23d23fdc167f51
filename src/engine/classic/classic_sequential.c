#include "base/out.h"
#include "base/vec.h"
#include "engine/classic/classic.h"

#include <stdio.h>
#include <string.h>

/*
 * A client inserts k_0, k_1 ... in this order, and reads look for them in the opposite order: a
 * read that finds an element must find every older one.  A read returns [k [k_n ... k_1 k_0]], nil
 * for what it did not find.
 */
struct read {
    uint32_t count, nils;
    bool is_bad, is_all;
};

struct sequential {
    struct esse_classic_run *run;
    uint32_t reads, all, some, none;
    struct esse_value_vec bad;
};

/* Whether 'value' is the text "k_number" as Jepsen names the elements of a key. */
static bool is_subkey(const struct sequential *sequential, esse_value value, const char *key,
                      size_t number)
{
    const struct esse_values *values = sequential->run->log->values;
    char room[8], expected[96];
    enum esse_value_kind kind = esse_value_kind(values, value);
    if (kind != ESSE_KIND_STRING && kind != ESSE_KIND_KEYWORD)
        return false;
    struct esse_span text = esse_value_text(values, value, room);
    int length = snprintf(expected, sizeof expected, "%s_%zu", key, number);
    return (size_t)length == text.length && memcmp(expected, text.at, text.length) == 0;
}

static struct read look(const struct sequential *sequential, esse_value key,
                        const esse_value *items, uint32_t count)
{
    const uint64_t expected = sequential->run->options->key_count;
    struct read read = { .count = count, .is_all = !expected || expected == count };
    char room[64];
    const char *name = esse_value_brief(sequential->run->log->values, key, room);
    for (uint32_t i = 0; i < count; i++) {
        if (!esse_value_eq(items[i], ESSE_NIL)) {
            read.is_all = read.is_all && is_subkey(sequential, items[i], name, count - 1 - i);
            continue;
        }
        read.is_bad = read.is_bad || read.nils < i; /* something before it was found */
        read.nils++;
    }
    read.is_all = read.is_all && count && !read.nils;
    return read;
}

static void tell_bad(struct sequential *sequential, uint32_t op, const esse_value *items,
                     uint32_t count)
{
    enum { SHOWN = 3 };
    const struct esse_classic_run *run = sequential->run;
    if (sequential->bad.count > SHOWN)
        return;
    uint32_t found = 0, missed;
    while (esse_value_eq(items[found], ESSE_NIL))
        found++;
    for (missed = found; missed < count && !esse_value_eq(items[missed], ESSE_NIL);)
        missed++;
    struct esse_finding *finding = esse_finding_add(
        run->found, esse_arena_format(run->arena,
                                      "a read found element %u (%s) but not element %u, which "
                                      "was inserted before it",
                                      count - 1 - found, esse_classic_text(run, items[found]),
                                      count - 1 - missed));
    esse_finding_witness(finding, op, NULL);
}

static bool take_read(struct sequential *sequential, uint32_t op, struct esse_error *err)
{
    const struct esse_oplog *log = sequential->run->log;
    const esse_value value = log->value[op], *parts = NULL, *items = NULL;
    uint32_t count = 0, item_count = 0;
    bool fits = esse_value_kind(log->values, value) == ESSE_KIND_SEQ &&
                esse_oplog_items(log, value, &parts, &count) && count == 2;
    fits = fits && (esse_value_eq(parts[1], ESSE_NIL) ||
                    (esse_value_kind(log->values, parts[1]) == ESSE_KIND_SEQ &&
                     esse_oplog_items(log, parts[1], &items, &item_count)));
    if (!fits)
        return esse_classic_refuse(sequential->run, op, err,
                                   "the :read returned %s, expected [key [element ...]]",
                                   esse_classic_text(sequential->run, value));
    struct read read = look(sequential, parts[0], items, item_count);
    sequential->reads++;
    sequential->all += read.is_all;
    sequential->some += read.nils > 0;
    sequential->none += read.nils == read.count;
    if (read.is_bad) {
        esse_value_vec_push(&sequential->bad, sequential->run->arena, value);
        tell_bad(sequential, op, items, item_count);
    }
    return true;
}

static bool check_sequential(struct esse_classic_run *run, struct esse_error *err)
{
    struct sequential sequential = { .run = run };
    for (uint32_t op = 0; op < run->log->count; op++)
        if (esse_oplog_is(run->log, op, ESSE_DONE_OK, ESSE_VERB_READ) &&
            !take_read(&sequential, op, err))
            return false;
    const size_t bad = sequential.bad.count;
    struct esse_fact *facts = run->found->facts;
    run->found->outcome = bad ? ESSE_VIOLATED : ESSE_HOLDS;
    esse_fact_int(facts, "read-count", sequential.reads);
    esse_fact_int(facts, "all-count", sequential.all);
    esse_fact_int(facts, "some-count", sequential.some);
    esse_fact_int(facts, "none-count", sequential.none);
    esse_fact_int(facts, "bad-count", (int64_t)bad);
    esse_fact_values(facts, "bad", sequential.bad.at, bad);
    run->found->summary = esse_arena_format(
        run->arena, "%u reads: %u found all, %u missed some, %u found none; %zu are bad",
        sequential.reads, sequential.all, sequential.some, sequential.none, bad);
    return true;
}

const struct esse_classic esse_classic_sequential = {
    .name = "sequential",
    .summary =
        "inserts in order, reads in the opposite order: a read that finds one finds all older ones",
    .operations = ":read, :write or :add operations",
    .options = "key-count ",
    .run = check_sequential,
    .verbs = 1u << ESSE_VERB_READ | 1u << ESSE_VERB_WRITE | 1u << ESSE_VERB_ADD,
};
