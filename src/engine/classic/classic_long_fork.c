#include "base/hash.h"
#include "base/vec.h"
#include "engine/classic/classic.h"

#include <stdlib.h>
#include <string.h>

/*
 * Keys are written once each, alone; reads return all keys of a group.  Two reads that each see a
 * write that the other does not see disagree on which came first: a long fork.
 *
 *     r1: x = 1, y = nil        r2: x = nil, y = 1
 *
 * What a read sees is a set of keys, a row of bits.  The reads of a group have no fork exactly when
 * their sets are nested, so that sorted by size each is a part of the next.
 */
struct read {
    uint32_t op, group, seen;
    size_t bits; /* where its row starts */
};

/* The state that several reads of a group saw. */
struct state {
    size_t bits;
    uint32_t op; /* the first of them */
    uint32_t reads;
};

struct key {
    esse_value value; /* what the key was read as, ESSE_NIL if never */
    uint32_t read;    /* by which operation first */
    bool is_written;
    uint32_t written; /* by which operation first */
};

ESSE_VEC(read_vec, struct read)
ESSE_VEC(state_vec, struct state)
ESSE_VEC(key_vec, struct key)
ESSE_VEC(word_vec, uint64_t)

struct long_fork {
    struct esse_classic_run *run;
    struct esse_elements ids;
    struct key_vec keys;
    struct esse_index index;    /* of the groups, by the ids of their keys */
    struct esse_u32_vec groups; /* 'size' ids a group, sorted */
    uint32_t group_count;
    struct read_vec reads;
    struct word_vec bits;
    struct state_vec states; /* of the group at hand */
    uint32_t size, words;    /* keys of a group, words of a row */
    uint32_t early, late;
    uint64_t forks;
    struct esse_fact *list;
};

static struct key *key_of(struct long_fork *fork, esse_value name, uint32_t *id)
{
    *id = esse_elements_add(&fork->ids, fork->run->arena, name);
    if (*id == fork->keys.count)
        key_vec_push(&fork->keys, fork->run->arena, (struct key){ .value = ESSE_NIL });
    return &fork->keys.at[*id];
}

static void give_up(struct long_fork *fork, const char *error, const char *text, uint32_t id,
                    uint32_t first, uint32_t second)
{
    struct esse_findings *found = fork->run->found;
    const esse_value name = fork->ids.at[id];
    struct esse_fact *fact = esse_fact_array(found->facts, "error");
    esse_fact_text(fact, NULL, error);
    esse_fact_value(fact, NULL, name);
    found->outcome = ESSE_UNKNOWN;
    found->reason = esse_arena_format(fork->run->arena, text, esse_classic_text(fork->run, name));
    struct esse_finding *finding = esse_finding_add(found, found->reason);
    esse_finding_witness(finding, first, NULL);
    esse_finding_witness(finding, second, NULL);
}

/* ---- reading ---- */

/* Notes a write.  False if the key was written before. */
static bool take_write(struct long_fork *fork, uint32_t op, esse_value name)
{
    uint32_t id;
    struct key *key = key_of(fork, name, &id);
    if (key->is_written) {
        give_up(fork, "multiple-writes", "key %s is written more than once", id, key->written, op);
        return false;
    }
    key->is_written = true;
    key->written = op;
    return true;
}

struct seen {
    uint32_t id;
    bool is_seen;
};

static int by_id(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Sorts by key and merges what was read twice.  Returns how many keys there are. */
static uint32_t sort_keys(struct seen *seen, uint32_t count)
{
    uint32_t keys = 0;
    qsort(seen, count, sizeof *seen, by_id);
    for (uint32_t i = 0; i < count; i++) {
        if (keys && seen[keys - 1].id == seen[i].id)
            seen[keys - 1].is_seen |= seen[i].is_seen;
        else
            seen[keys++] = seen[i];
    }
    return keys;
}

static uint32_t group_of(struct long_fork *fork, const struct seen *seen)
{
    uint32_t hash = 0, at;
    for (uint32_t i = 0; i < fork->size; i++)
        hash = esse_hash_word((uint64_t)hash << 32 | seen[i].id);
    struct esse_probe probe = esse_index_probe(&fork->index, hash);
    while (esse_probe_next(&probe, &at)) {
        const uint32_t *ids = fork->groups.at + (size_t)at * fork->size;
        uint32_t same = 0;
        while (same < fork->size && ids[same] == seen[same].id)
            same++;
        if (same == fork->size)
            return at;
    }
    for (uint32_t i = 0; i < fork->size; i++)
        esse_u32_vec_push(&fork->groups, fork->run->arena, seen[i].id);
    esse_index_add(&fork->index, fork->run->arena, hash, fork->group_count);
    return fork->group_count++;
}

static bool check_size(struct long_fork *fork, uint32_t op, uint32_t keys, struct esse_error *err)
{
    if (!fork->size)
        fork->size = keys;
    if (keys == fork->size) {
        fork->words = (fork->size + 63) / 64;
        return true;
    }
    return esse_classic_refuse(fork->run, op, err,
                               "the read has %u keys, expected every read to have %u%s", keys,
                               fork->size, fork->run->options->group_size ? " (--group-size)" : "");
}

static void keep_read(struct long_fork *fork, uint32_t op, const struct seen *seen)
{
    struct read read = { .op = op, .bits = fork->bits.count };
    read.group = group_of(fork, seen);
    uint64_t *row = word_vec_extend(&fork->bits, fork->run->arena, fork->words);
    memset(row, 0, fork->words * sizeof *row);
    for (uint32_t i = 0; i < fork->size; i++) {
        row[i / 64] |= (uint64_t)seen[i].is_seen << i % 64;
        read.seen += seen[i].is_seen;
    }
    fork->early += !read.seen;
    fork->late += read.seen == fork->size;
    read_vec_push(&fork->reads, fork->run->arena, read);
}

/* One micro-operation of a read.  False, with the verdict unknown, if a key has two values. */
static bool see(struct long_fork *fork, uint32_t op, esse_value name, esse_value value,
                struct seen *seen)
{
    struct key *key = key_of(fork, name, &seen->id);
    seen->is_seen = !esse_value_eq(value, ESSE_NIL);
    if (!seen->is_seen || esse_value_eq(key->value, value))
        return true;
    if (esse_value_eq(key->value, ESSE_NIL)) {
        key->value = value;
        key->read = op;
        return true;
    }
    give_up(fork, "distinct-values", "key %s is read with two values", seen->id, key->read, op);
    return false;
}

static bool take_read(struct long_fork *fork, uint32_t op, const esse_value *mops, uint32_t count,
                      bool *go_on, struct esse_error *err)
{
    struct esse_arena *arena = fork->run->arena;
    struct seen *seen = esse_arena_array(arena, count, *seen);
    esse_value name, value;
    uint32_t keys = 0;
    for (uint32_t i = 0; i < count && *go_on; i++) {
        esse_classic_mop(fork->run->log, mops[i], &name, &value);
        *go_on = see(fork, op, name, value, &seen[i]);
    }
    if (*go_on)
        keys = sort_keys(seen, count);
    bool ok = !*go_on || check_size(fork, op, keys, err);
    if (ok && *go_on)
        keep_read(fork, op, seen);
    esse_arena_drop(arena, seen);
    return ok;
}

/* 'r' for a transaction that only reads, 'w' for a single write, 'x' for another, 0 for none. */
static char kind_of(const struct esse_oplog *log, uint32_t op, const esse_value **mops,
                    uint32_t *count)
{
    esse_value name, value;
    uint32_t reads = 0;
    char mop = 0;
    if (!esse_oplog_items(log, log->value[op], mops, count))
        return 0;
    for (uint32_t i = 0; i < *count; i++) {
        mop = esse_classic_mop(log, (*mops)[i], &name, &value);
        if (!mop)
            return 0;
        reads += mop == 'r';
    }
    if (reads == *count)
        return *count ? 'r' : 0;
    return mop == 'w' && *count == 1 ? 'w' : 'x';
}

static bool take_op(struct long_fork *fork, uint32_t op, bool *go_on, struct esse_error *err)
{
    const struct esse_oplog *log = fork->run->log;
    const esse_value *mops;
    uint32_t count;
    esse_value name, value;
    const char kind = kind_of(log, op, &mops, &count);
    if (kind == 'x')
        return esse_classic_refuse(fork->run, op, err, "found %s, expected one write or only reads",
                                   esse_classic_text(fork->run, log->value[op]));
    if (kind == 'r' && log->type[op] == ESSE_DONE_OK)
        return take_read(fork, op, mops, count, go_on, err);
    /* Writes count once: as invoked, or as completed if the invocation is not there.  Without
     * a process there may be an invocation that was not paired. */
    const bool first = log->type[op] == ESSE_INVOKE ||
                       (log->type[op] != ESSE_DONE_FAIL && log->pair[op] == ESSE_NO_PAIR &&
                        !esse_value_eq(log->process[op], ESSE_NONE));
    if (kind == 'w' && first) {
        esse_classic_mop(log, mops[0], &name, &value);
        *go_on = take_write(fork, op, name);
    }
    return true;
}

/* ---- comparing ---- */

static int by_state(const void *a, const void *b, void *context)
{
    const struct read *x = a, *y = b;
    const struct long_fork *fork = context;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->seen != y->seen)
        return x->seen < y->seen ? -1 : 1;
    int order = memcmp(fork->bits.at + x->bits, fork->bits.at + y->bits,
                       fork->words * sizeof *fork->bits.at);
    return order ? order : (x->op > y->op) - (x->op < y->op);
}

static bool is_part(const struct long_fork *fork, size_t small, size_t large)
{
    for (uint32_t i = 0; i < fork->words; i++)
        if (fork->bits.at[small + i] & ~fork->bits.at[large + i])
            return false;
    return true;
}

static void tell_fork(struct long_fork *fork, const struct state *a, const struct state *b)
{
    enum { LISTED = 1000, SHOWN = 3 };
    const uint32_t first = a->op < b->op ? a->op : b->op, second = a->op < b->op ? b->op : a->op;
    const uint64_t known = fork->forks;
    fork->forks += (uint64_t)a->reads * b->reads;
    if (known < LISTED) {
        struct esse_fact *pair = esse_fact_array(fork->list, NULL);
        esse_fact_op(pair, NULL, first);
        esse_fact_op(pair, NULL, second);
    }
    if (known >= SHOWN)
        return;
    struct esse_finding *finding = esse_finding_add(
        fork->run->found, "each of two reads sees a write that the other does not");
    esse_finding_witness(finding, first, NULL);
    esse_finding_witness(finding, second, NULL);
}

/* reads[from .. to) are one group's, sorted.  Sizes ascend, so only the smaller may be a part. */
static void compare_group(struct long_fork *fork, size_t from, size_t to)
{
    struct state_vec *states = &fork->states;
    states->count = 0;
    bool nested = true;
    for (size_t i = from; i < to; i++) {
        const struct read *read = &fork->reads.at[i];
        struct state *last = states->count ? &states->at[states->count - 1] : NULL;
        if (last && is_part(fork, last->bits, read->bits) &&
            is_part(fork, read->bits, last->bits)) {
            last->reads++;
            continue;
        }
        nested = nested && (!last || is_part(fork, last->bits, read->bits));
        state_vec_push(states, fork->run->arena, (struct state){ read->bits, read->op, 1 });
    }
    for (size_t i = 0; i < states->count && !nested; i++)
        for (size_t j = i + 1; j < states->count; j++)
            if (!is_part(fork, states->at[i].bits, states->at[j].bits))
                tell_fork(fork, &states->at[i], &states->at[j]);
}

static void compare_all(struct long_fork *fork)
{
    fork->list = esse_fact_array(fork->run->found->facts, "forks");
    if (fork->reads.count)
        qsort_r(fork->reads.at, fork->reads.count, sizeof *fork->reads.at, by_state, fork);
    for (size_t from = 0, to; from < fork->reads.count; from = to) {
        for (to = from;
             to < fork->reads.count && fork->reads.at[to].group == fork->reads.at[from].group;)
            to++;
        compare_group(fork, from, to);
    }
}

static bool check_long_fork(struct esse_classic_run *run, struct esse_error *err)
{
    struct long_fork fork = { .run = run, .size = (uint32_t)run->options->group_size };
    struct esse_findings *found = run->found;
    bool go_on = true;
    for (uint32_t op = 0; op < run->log->count && go_on; op++)
        if (!take_op(&fork, op, &go_on, err))
            return false;
    if (!go_on)
        return true;
    compare_all(&fork);
    found->outcome = fork.forks ? ESSE_VIOLATED : ESSE_HOLDS;
    esse_fact_int(found->facts, "fork-count", (int64_t)fork.forks);
    esse_fact_int(found->facts, "reads-count", (int64_t)fork.reads.count);
    esse_fact_int(found->facts, "early-read-count", fork.early);
    esse_fact_int(found->facts, "late-read-count", fork.late);
    esse_fact_int(found->facts, "group-size", fork.size);
    esse_fact_int(found->facts, "group-count", fork.group_count);
    found->summary = esse_arena_format(
        run->arena,
        "%llu forks in %zu reads of %u groups of %u keys; %u reads were too early and "
        "%u too late to tell",
        (unsigned long long)fork.forks, fork.reads.count, fork.group_count, fork.size, fork.early,
        fork.late);
    return true;
}

static bool knows_long_fork(const struct esse_oplog *log, uint32_t op)
{
    const esse_value *mops;
    uint32_t count;
    const char kind = kind_of(log, op, &mops, &count);
    return kind == 'r' || kind == 'w';
}

const struct esse_classic esse_classic_long_fork = {
    .name = "long-fork",
    .summary = "single writes and reads of groups: all reads agree on the order of the writes",
    .operations = "transactions like [[:r 0 nil] [:r 1 nil]] or [[:w 0 1]]",
    .options = "group-size independent ",
    .run = check_long_fork,
    .knows = knows_long_fork,
};
