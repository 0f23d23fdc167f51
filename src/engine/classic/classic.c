#include "engine/classic/classic.h"

#include "base/error.h"
#include "history/value_edn.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const struct esse_classic esse_classic_bank, esse_classic_set, esse_classic_set_full,
    esse_classic_counter, esse_classic_long_fork, esse_classic_comments, esse_classic_sequential;

const struct esse_classic *const esse_classics[] = {
    &esse_classic_bank,       &esse_classic_set,
    &esse_classic_set_full,   &esse_classic_counter,
    &esse_classic_long_fork,  &esse_classic_comments,
    &esse_classic_sequential, NULL,
};

const struct esse_classic *esse_classic_find(const char *name)
{
    for (size_t i = 0; esse_classics[i]; i++)
        if (strcmp(esse_classics[i]->name, name) == 0)
            return esse_classics[i];
    return NULL;
}

/* ---- what a history looks like ---- */

enum {
    SEEN_APPEND = 1 << 0,
    SEEN_WRITES = 1 << 1, /* a transaction that writes one key and does no more */
    SEEN_READS = 1 << 2,  /* a transaction that only reads, two keys or more */
    SEEN_MIXED = 1 << 3,  /* any other transaction */
    SEEN_MAP = 1 << 4,    /* reads of maps, collections, ... */
    SEEN_ITEMS = 1 << 5,
    SEEN_SUBKEYS = 1 << 6, /* ... [k [v nil]] */
    SEEN_SCALAR = 1 << 7,
};

char esse_classic_mop(const struct esse_oplog *log, esse_value mop, esse_value *key,
                      esse_value *value)
{
    uint32_t count;
    char room[8];
    if (esse_value_kind(log->values, mop) != ESSE_KIND_SEQ)
        return 0;
    const esse_value *parts = esse_value_parts(log->values, mop, &count);
    if (count < 2 || count > 3)
        return 0;
    enum esse_value_kind kind = esse_value_kind(log->values, parts[0]);
    if (kind != ESSE_KIND_KEYWORD && kind != ESSE_KIND_STRING)
        return 0;
    struct esse_span name = esse_value_text(log->values, parts[0], room);
    *key = parts[1];
    *value = count == 3 ? parts[2] : ESSE_NIL;
    if (name.length == 6 && memcmp(name.at, "append", 6) == 0)
        return 'a';
    return name.length == 1 && (*name.at == 'r' || *name.at == 'w') ? *name.at : 0;
}

/* Which kind of transaction the value is, 0 if it is none. */
static unsigned seen_transaction(const struct esse_oplog *log, esse_value txn)
{
    uint32_t count, reads = 0, writes = 0, appends = 0;
    const esse_value *mops;
    esse_value key, value;
    if (!esse_oplog_items(log, txn, &mops, &count) || !count)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        char mop = esse_classic_mop(log, mops[i], &key, &value);
        if (!mop)
            return 0;
        reads += mop == 'r';
        writes += mop == 'w';
        appends += mop == 'a';
    }
    if (appends)
        return SEEN_APPEND;
    if (writes == 1 && count == 1)
        return SEEN_WRITES;
    return reads == count && count > 1 ? SEEN_READS : SEEN_MIXED;
}

/* [key value], where the key is not a collection. */
static bool is_pair(const struct esse_oplog *log, esse_value value)
{
    uint32_t count;
    const esse_value *items;
    return esse_value_kind(log->values, value) == ESSE_KIND_SEQ &&
           esse_oplog_items(log, value, &items, &count) && count == 2 &&
           esse_value_kind(log->values, items[0]) < ESSE_KIND_SEQ;
}

/* Whether every value is [key value], and something was read. */
static bool is_independent(const struct esse_oplog *log)
{
    bool has_reads = false;
    for (uint32_t op = 0; op < log->count; op++) {
        if (!is_pair(log, log->value[op]) &&
            !(log->type[op] != ESSE_INVOKE && esse_value_eq(log->value[op], ESSE_NIL)))
            return false;
        has_reads = has_reads || esse_oplog_is(log, op, ESSE_DONE_OK, ESSE_VERB_READ);
    }
    return has_reads;
}

static unsigned seen_read(const struct esse_oplog *log, esse_value value)
{
    uint32_t count;
    const esse_value *items, *inner;
    enum esse_value_kind kind = esse_value_kind(log->values, value);
    if (kind == ESSE_KIND_NIL)
        return 0;
    if (kind == ESSE_KIND_MAP)
        return SEEN_MAP;
    if (!esse_oplog_items(log, value, &items, &count))
        return SEEN_SCALAR;
    return is_pair(log, value) && esse_oplog_items(log, items[1], &inner, &count) ? SEEN_SUBKEYS
                                                                                  : SEEN_ITEMS;
}

/* What the operations look like: "bank (esse classic bank)"; NULL if like nothing known. */
static const char *looks_like(const struct esse_oplog *log)
{
    unsigned seen = 0, verbs = 0;
    for (uint32_t op = 0; op < log->count; op++) {
        unsigned txn = seen_transaction(log, log->value[op]);
        seen |= txn;
        verbs |= 1u << log->verb[op];
        if (!txn && esse_oplog_is(log, op, ESSE_DONE_OK, ESSE_VERB_READ))
            seen |= seen_read(log, log->value[op]);
    }
    if (seen & SEEN_APPEND)
        return "list-append (esse check)";
    if (seen & SEEN_MIXED)
        return "rw-register (esse check)";
    if (seen & (SEEN_READS | SEEN_WRITES))
        return "long-fork (esse classic long-fork) or rw-register (esse check)";
    if ((seen & SEEN_MAP) || (verbs & 1u << ESSE_VERB_TRANSFER))
        return "bank (esse classic bank)";
    if (verbs & (1u << ESSE_VERB_ACQUIRE | 1u << ESSE_VERB_RELEASE))
        return "mutex, a question of linearizability that this command does not answer";
    if (verbs & 1u << ESSE_VERB_CAS)
        return "cas-register, a question of linearizability that this command does not answer";
    if (is_independent(log))
        return seen & SEEN_SUBKEYS ? "sequential (esse classic sequential), or like one of "
                                     "independent keys (--independent)"
                                   : "one of independent keys (--independent)";
    if (seen & SEEN_SUBKEYS)
        return "sequential (esse classic sequential)";
    if ((verbs & 1u << ESSE_VERB_WRITE) && (seen & SEEN_ITEMS))
        return "comments (esse classic comments)";
    if ((verbs & 1u << ESSE_VERB_WRITE) && (seen & SEEN_SCALAR))
        return "register, a question of linearizability that this command does not answer";
    if (!(verbs & 1u << ESSE_VERB_ADD))
        return NULL;
    if (seen & SEEN_SCALAR)
        return "counter (esse classic counter)";
    return seen & SEEN_ITEMS ? "set (esse classic set, or set-full if it is read all the time)"
                             : "set or counter (esse classic set, esse classic counter)";
}

bool esse_classic_refuse(const struct esse_classic_run *run, uint32_t op, struct esse_error *err,
                         const char *format, ...)
{
    char text[sizeof err->text / 2];
    const char *like = looks_like(run->log);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* What is refused as a set and looks like one needs no hint. */
    const size_t name = strlen(run->checker);
    const bool same = like && strncmp(like, run->checker, name) == 0 && like[name] == ' ';
    return esse_fail_at(err, run->log->line[op], run->log->column[op], "%s%s%s", text,
                        like && !same ? "; this looks like " : "", like && !same ? like : "");
}

/* ---- values ---- */

const char *esse_classic_text(const struct esse_classic_run *run, esse_value value)
{
    enum { MOST = 60 };
    struct esse_out out;
    esse_out_init_memory(&out, run->arena);
    esse_value_put_edn(&out, run->log->values, value);
    const char *text = esse_out_memory(&out);
    if (out.count <= MOST)
        return text;
    /* Cut between characters: a continuation byte is 10xxxxxx. */
    size_t head = MOST / 2, tail = out.count - MOST / 2;
    while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
        head--;
    while (((unsigned char)text[tail] & 0xc0) == 0x80)
        tail++;
    return esse_arena_format(run->arena, "%.*s…%s", (int)head, text, text + tail);
}

/* ---- checking ---- */

static bool check_one(struct esse_arena *arena, const struct esse_classic *checker,
                      const struct esse_oplog *log, const struct esse_classic_options *options,
                      struct esse_findings *found, struct esse_error *err)
{
    struct esse_classic_run run = { arena, log, options, found, checker->name };
    esse_findings_init(found, arena, log);
    bool known = !log->count;
    for (uint32_t op = 0; op < log->count && !known; op++)
        known = checker->knows ? checker->knows(log, op) : checker->verbs >> log->verb[op] & 1;
    if (!known)
        return esse_classic_refuse(&run, 0, err, "found no %s, which %s checks",
                                   checker->operations, checker->name);
    if (checker->reads_items && !options->independent && is_independent(log))
        return esse_classic_refuse(&run, 0, err, "found only values like [key value]");
    return checker->run(&run, err);
}

/* Invalid over unknown over valid. */
static enum esse_outcome worse(enum esse_outcome a, enum esse_outcome b)
{
    return a == ESSE_VIOLATED || b == ESSE_HOLDS ? a : b;
}

static void sum_up(struct esse_findings *found, struct esse_arena *arena)
{
    uint32_t counts[3] = { 0 };
    esse_value *failures = esse_arena_alloc(arena, found->part_count, sizeof *failures);
    for (uint32_t i = 0; i < found->part_count; i++) {
        const struct esse_findings *part = &found->parts[i];
        found->outcome = worse(found->outcome, part->outcome);
        if (part->outcome == ESSE_UNKNOWN && !found->reason)
            found->reason = part->reason;
        if (part->outcome == ESSE_VIOLATED)
            failures[counts[ESSE_VIOLATED]] = part->key;
        counts[part->outcome]++;
    }
    if (found->outcome != ESSE_UNKNOWN)
        found->reason = NULL;
    esse_fact_int(found->facts, "key-count", found->part_count);
    esse_fact_values(found->facts, "failures", failures, counts[ESSE_VIOLATED]);
    found->summary =
        esse_arena_format(arena, "%u keys: %u valid, %u invalid, %u unknown", found->part_count,
                          counts[ESSE_HOLDS], counts[ESSE_VIOLATED], counts[ESSE_UNKNOWN]);
}

static bool is_read(const struct esse_oplog *log, uint32_t op)
{
    return log->verb[op] == ESSE_VERB_READ ||
           (seen_transaction(log, log->value[op]) & (SEEN_READS | SEEN_MIXED));
}

struct tally {
    uint64_t committed, reads;
};

static void count_log(const struct esse_oplog *log, struct tally *tally)
{
    for (uint32_t op = 0; op < log->count; op++) {
        tally->committed += log->type[op] == ESSE_DONE_OK;
        tally->reads += log->type[op] == ESSE_DONE_OK && is_read(log, op);
    }
}

/* Valid says nothing about a database that acknowledged nothing, or of which nothing was read. */
static void demand_commits(struct esse_findings *found, struct esse_arena *arena, uint64_t least)
{
    struct tally tally = { 0 };
    for (uint32_t i = 0; i < found->part_count; i++)
        count_log(found->parts[i].log, &tally);
    if (!found->part_count)
        count_log(found->log, &tally);
    found->too_few_committed = tally.committed < least || (least && !tally.reads);
    if (!found->too_few_committed || found->outcome == ESSE_VIOLATED)
        return;
    found->outcome = ESSE_UNKNOWN;
    found->reason =
        !tally.committed ? "nothing was committed, so nothing was tested"
        : tally.committed < least
            ? esse_arena_format(arena,
                                "only %" PRIu64 " operation%s acknowledged, and at "
                                "least %" PRIu64 " were asked for",
                                tally.committed, tally.committed == 1 ? " was" : "s were", least)
        : found->reason ? found->reason
                        : "nothing was read, so nothing was tested";
}

static bool check_log(struct esse_arena *arena, const struct esse_classic *checker,
                      const struct esse_oplog *log, const struct esse_classic_options *options,
                      struct esse_findings *found, struct esse_error *err)
{
    struct esse_sublog *subs;
    uint32_t count;
    if (!options->independent || !log->count)
        return check_one(arena, checker, log, options, found, err);
    if (!esse_oplog_split(arena, log, &subs, &count, err))
        return false;
    esse_findings_init(found, arena, log);
    found->parts = esse_arena_alloc(arena, count, sizeof *found->parts);
    found->part_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!check_one(arena, checker, subs[i].log, options, &found->parts[i], err))
            return false;
        found->parts[i].key = subs[i].key;
    }
    sum_up(found, arena);
    return true;
}

bool esse_classic_check(struct esse_arena *arena, const struct esse_classic *checker,
                        const struct esse_oplog *log, const struct esse_classic_options *options,
                        struct esse_findings *found, struct esse_error *err)
{
    if (!check_log(arena, checker, log, options, found, err))
        return false;
    demand_commits(found, arena, options->min_committed);
    return true;
}
