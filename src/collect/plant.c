#include "collect/plant.h"
#include "base/error.h"
#include "collect/gen_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The anomalies, each written down as the shortest history that shows it and nothing else.
 *
 *     a:wx1 ry1 b:wy1        transaction a writes x = 1 and reads y = 1; b writes y = 1
 *     rx  rx12               reads x absent (an empty list); reads x = 1 or the list 1, 2
 *     p   px1y2              a predicate that matches 1 to 4 and not 5 to 9 returns nothing;
 *                            returns x = 1 and y = 2
 *     a!:  a?:               a aborted; its outcome is unknown
 *     a@01:                  a runs from tick 0 to 1; without it from 0 to 9, so all overlap
 *     a: ... a: ...          one letter twice is one session; @01 and then @12 are in session
 *                            order but not in real-time order, which is strict
 *     *:wx1                  x is 1 from the start
 *     / y21                  the versions of y are 2 and then 1; without it as they are written
 *
 * A write is an append in list-append.  Keys and sessions are fresh in every plant, and values of
 * the predicate workload lie beyond all that its clean part asks for, so no dependency crosses
 * between a plant and the rest.
 */
enum {
    LISTS = 1 << ESSE_GEN_LIST_APPEND,
    REGISTERS = 1 << ESSE_GEN_RW_REGISTER,
    ROWS = 1 << ESSE_GEN_PREDICATE,
    ITEMS = LISTS | REGISTERS,
    ALL = ITEMS | ROWS
};

#define READ_SKEW             "a:wx1 wy1 b:rx ry1"
#define READ_SKEW_ROWS        "a:wx1 wy5 b:p ry5"
#define LONG_FORK             "a:wx1 b:wy1 c:rx1 ry d:ry1 rx"
#define WRITE_SKEW            "a:rx ry wx1 b:rx ry wy1"
#define STALE_SESSION         "a@01:wx1 a@12:rx"
#define STALE_TIME            "a@01:wx1 b@23:rx"
#define FORK_SESSION          "a@01:wx1 a@12:ry b:wy1 c:rx ry1"
#define FORK_TIME             "a@01:wx1 d@23:ry b:wy1 c:rx ry1"
#define SKEW_SESSION          "a@01:wy1 a@12:rx b:wx1 ry"
#define SKEW_TIME             "a@01:wy1 c@23:rx b:wx1 ry"
#define CERTIFICATE           true, false
#define TIMES                 false, true
#define CERTIFICATE_AND_TIMES true, true
#define NOTHING               false, false

const struct esse_gen_anomaly esse_gen_anomalies[] = {
    { "G0", LISTS, NOTHING, "a:wx1 wy1 b:wx2 wy2 c:rx12 ry21 / y21",
      "two transactions overwrite each other, each once" },
    { "G0", REGISTERS | ROWS, CERTIFICATE, "a:wx1 wy1 b:wx2 wy2 / y21",
      "two transactions overwrite each other, each once" },
    { "G1a", ALL, NOTHING, "a!:wx1 b:rx1", "a read of what an aborted transaction wrote" },
    { "G1b", ALL, NOTHING, "a:wx1 wx2 b:rx1",
      "a read of what its writer overwrote; in lists a G-single-item too" },
    { "G1c", ALL, NOTHING, "a:wx1 ry1 b:rx1 wy1", "two transactions read from each other" },
    { "G-single", ITEMS, NOTHING, READ_SKEW, "one of two writes is seen, the other missed" },
    { "G-single", ROWS, NOTHING, READ_SKEW_ROWS, "one write is seen, an inserted row missed" },
    { "G-single-item", ALL, NOTHING, READ_SKEW, "one of two writes is seen, the other missed" },
    { "G-nonadjacent", ITEMS, NOTHING, LONG_FORK, "two readers see two writes in either order" },
    { "G-nonadjacent", ROWS, NOTHING, "a:wx1 b:wy5 c:rx1 ry d:p ry5",
      "two readers see two writes in either order, one by a predicate" },
    { "G-nonadjacent-item", ALL, NOTHING, LONG_FORK, "two readers see two writes in either order" },
    { "G2-item", ALL, NOTHING, WRITE_SKEW, "two transactions each overwrite what the other read" },
    { "G2", ROWS, NOTHING, "a:p wx1 b:p wy1",
      "two transactions each insert a row that the other's predicate should have seen" },
    { "G0-process", LISTS, NOTHING, "a@01:wx2 a@12:wx1 b:rx12 / x12",
      "a session's second write comes before its first" },
    { "G0-process", REGISTERS | ROWS, CERTIFICATE, "a@01:wx2 a@12:wx1 / x12",
      "a session's second write comes before its first" },
    { "G0-realtime", LISTS, TIMES, "a@01:wx2 b@23:wx1 c:rx12 / x12",
      "a later write comes before an earlier one" },
    { "G0-realtime", REGISTERS | ROWS, CERTIFICATE_AND_TIMES, "a@01:wx2 b@23:wx1 / x12",
      "a later write comes before an earlier one" },
    { "G1c-process", ALL, NOTHING, "a@01:rx1 a@12:wx1", "a read of the session's own future" },
    { "G1c-realtime", ALL, TIMES, "a@01:rx1 b@23:wx1", "a read of the future" },
    { "G-single-process", ITEMS, NOTHING, STALE_SESSION, "a session misses its own write" },
    { "G-single-process", ROWS, NOTHING, "a@01:wx1 a@12:p", "a session misses its own row" },
    { "G-single-item-process", ALL, NOTHING, STALE_SESSION, "a session misses its own write" },
    { "G-single-realtime", ITEMS, TIMES, STALE_TIME, "a read misses a write that was finished" },
    { "G-single-realtime", ROWS, TIMES, "a@01:wx1 b@23:p",
      "a predicate misses a row whose insert was finished" },
    { "G-single-item-realtime", ALL, TIMES, STALE_TIME, "a read misses a write that was finished" },
    { "G-nonadjacent-process", ITEMS, NOTHING, FORK_SESSION, "a long fork through a session" },
    { "G-nonadjacent-process", ROWS, NOTHING, "a@01:wx1 a@12:ry b:wy5 c:p ry5",
      "a long fork through a session, with a predicate" },
    { "G-nonadjacent-item-process", ALL, NOTHING, FORK_SESSION, "a long fork through a session" },
    { "G-nonadjacent-realtime", ITEMS, TIMES, FORK_TIME, "a long fork through real time" },
    { "G-nonadjacent-realtime", ROWS, TIMES, "a@01:wx1 d@23:ry b:wy5 c:p ry5",
      "a long fork through real time, with a predicate" },
    { "G-nonadjacent-item-realtime", ALL, TIMES, FORK_TIME, "a long fork through real time" },
    { "G2-item-process", ALL, NOTHING, SKEW_SESSION, "a write skew through a session" },
    { "G2-item-realtime", ALL, TIMES, SKEW_TIME, "a write skew through real time" },
    { "G2-process", ROWS, NOTHING, "a@01:wy5 a@12:p b:wx1 ry",
      "a write skew through a session, with a predicate" },
    { "G2-realtime", ROWS, TIMES, "a@01:wy5 c@23:p b:wx1 ry",
      "a write skew through real time, with a predicate" },
    { "write-skew", ALL, NOTHING, WRITE_SKEW, "G2-item by its usual name" },
    { "lost-update", LISTS, NOTHING, "a:rx wx1 b:rx wx2 c:rx12",
      "two read-modify-writes start from one version; a G-single-item too" },
    { "lost-update", REGISTERS | ROWS, NOTHING, "a:rx wx1 b:rx wx2",
      "two read-modify-writes start from one version; a G-single-item too" },
    { "internal", ALL, NOTHING, "a:wx1 b:wx2 rx1", "a read contradicts an own write" },
    { "future-read", ALL, NOTHING, "a:rx1 wx1",
      "a read of what the same transaction writes later" },
    { "garbage-read", ALL, NOTHING, "a:rx9", "a read of what nobody wrote" },
    { "duplicate-elements", LISTS, NOTHING, "a:wx1 b:rx11", "a list holds an element twice" },
    { "incompatible-order", LISTS, NOTHING, "a:wx1 b:wx2 c:rx12 d:rx2",
      "two reads of a list are not prefixes of one another" },
    { "dirty-update", LISTS, NOTHING, "a!:wx1 b:wx2 c:rx12",
      "a committed write on top of an aborted one; whoever shows it reads a G1a too" },
    { "duplicate-write", ALL, NOTHING, "a:wx1 b:wx1", "two transactions write the same value" },
    { "cyclic-versions", REGISTERS, NOTHING, "a:rx1 wx2 b:rx2 wx1",
      "read-modify-writes that go round in a circle; a G1c too" },
    { "fractured-read", ALL, NOTHING, READ_SKEW,
      "a transaction is seen in part: no read atomicity" },
    { "causality", ALL, NOTHING, "a:wx1 b:rx1 wy1 c:ry1 rx",
      "an effect is seen without its cause: not causally consistent" },
    { "long-fork", ALL, NOTHING, LONG_FORK,
      "two readers see two writes in either order: no prefix consistency" },
    { "phantom", ROWS, NOTHING, READ_SKEW_ROWS, "G-single with a predicate by its usual name" },
    { "predicate-read-miss", ROWS, NOTHING, "*:wx1 a:wx2 b:p",
      "a predicate misses a row that has always matched" },
    { "result-set-mismatch", ROWS, NOTHING, "a:wx5 b:px5",
      "a predicate returns a row that does not match it" },
    { 0 },
};

enum { MOST_TXNS = 5, MOST_OPS = 4, MOST_KEYS = 3, MOST_DIGITS = 4, TICKS = 10 };
/* Of the clock in one tick of a script: time enough for each of its transactions to commit. */
enum { STRETCH = 8 };
enum { MATCHES_FROM = 1, MATCHES_TO = 4 };

struct script_op {
    char kind;
    uint8_t key; /* 0 is x; for a predicate, the keys of its rows are row_keys */
    uint8_t digits[MOST_DIGITS], row_keys[MOST_DIGITS];
    uint8_t count;
};

struct script_txn {
    char session, status;
    uint8_t begin, end;
    struct script_op ops[MOST_OPS];
    uint8_t op_count;
};

struct script {
    struct script_txn txns[MOST_TXNS], init;
    uint8_t txn_count, keys, sessions;
    struct script_op orders[MOST_KEYS]; /* an explicit version order, if count > 0 */
};

static uint8_t read_key(struct script *script, const char **at)
{
    uint8_t key = (uint8_t)(*(*at)++ - 'x');
    assert(key < MOST_KEYS);
    if (key >= script->keys)
        script->keys = (uint8_t)(key + 1);
    return key;
}

static void read_digits(const char **at, struct script_op *op)
{
    while (**at >= '0' && **at <= '9') {
        assert(op->count < MOST_DIGITS);
        op->digits[op->count++] = (uint8_t)(*(*at)++ - '0');
    }
}

static void read_op(struct script *script, const char **at, struct script_op *op)
{
    *op = (struct script_op){ .kind = *(*at)++ };
    if (op->kind != 'p') {
        op->key = read_key(script, at);
        read_digits(at, op);
        return;
    }
    while (**at >= 'x' && **at <= 'z') {
        op->row_keys[op->count] = read_key(script, at);
        read_digits(at, op);
    }
}

/* The head of a transaction: letter, status, times, colon. */
static struct script_txn *read_head(struct script *script, const char **at)
{
    char session = *(*at)++;
    struct script_txn *txn = session == '*' ? &script->init : &script->txns[script->txn_count++];
    assert(script->txn_count <= MOST_TXNS);
    *txn = (struct script_txn){ .session = session, .end = TICKS - 1 };
    if (session != '*' && session - 'a' >= script->sessions)
        script->sessions = (uint8_t)(session - 'a' + 1);
    if (**at == '!' || **at == '?')
        txn->status = *(*at)++;
    if (**at == '@') {
        txn->begin = (uint8_t)((*at)[1] - '0');
        txn->end = (uint8_t)((*at)[2] - '0');
        *at += 3;
    }
    assert(**at == ':');
    ++*at;
    return txn;
}

static void read_orders(struct script *script, const char **at)
{
    while (**at) {
        assert(**at == ' ');
        ++*at;
        uint8_t key = read_key(script, at);
        read_digits(at, &script->orders[key]);
    }
}

/* The scripts are our own, so a mistake in one is a bug and asserts. */
static struct script read_script(const char *text)
{
    struct script script = { 0 };
    struct script_txn *txn = NULL;
    for (const char *at = text; *at;) {
        if (*at == ' ') {
            at++;
        } else if (*at == '/') {
            at++;
            read_orders(&script, &at);
        } else if (at[1] == ':' || at[1] == '!' || at[1] == '?' || at[1] == '@') {
            txn = read_head(&script, &at);
        } else {
            assert(txn);
            assert(txn->op_count < MOST_OPS);
            read_op(&script, &at, &txn->ops[txn->op_count++]);
        }
    }
    return script;
}

uint32_t esse_gen_plant_keys(const struct esse_gen_plant *plant)
{
    return read_script(plant->anomaly->script).keys;
}

/* What is being planted: the script, and how its digits and letters become values and keys. */
struct planting {
    struct esse_gen *gen;
    struct script script;
    uint32_t first_key;
    int64_t base; /* added to every digit */
    esse_value predicate;
    esse_value snapshot; /* what all of them are said to have looked at: the state before */
};

static struct planting planting_of(const struct esse_gen_plant *plant, uint32_t number,
                                   uint32_t first_key, struct esse_gen *gen)
{
    struct planting planting = { .gen = gen,
                                 .script = read_script(plant->anomaly->script),
                                 .first_key = first_key };
    if (gen->options->workload == ESSE_GEN_PREDICATE)
        planting.base = gen->scale * gen->groups + (int64_t)number * 10;
    return planting;
}

static esse_value digit_value(const struct planting *planting, uint8_t digit)
{
    return esse_value_small(planting->base + digit);
}

static esse_value letter_value(const struct planting *planting, uint8_t key)
{
    return esse_value_small((int64_t)planting->first_key + key);
}

void esse_gen_plant_init(const struct esse_gen_plant *plant, uint32_t number, uint32_t first_key,
                         struct esse_gen *gen, struct esse_gen_row_vec *rows)
{
    const struct planting planting = planting_of(plant, number, first_key, gen);
    for (uint8_t i = 0; i < planting.script.init.op_count; i++) {
        const struct script_op *op = &planting.script.init.ops[i];
        esse_gen_row_vec_push(rows, gen->arena,
                              (struct esse_row){ .key = letter_value(&planting, op->key),
                                                 .value = digit_value(&planting, op->digits[0]) });
    }
}

static esse_value predicate_value(struct planting *planting)
{
    if (esse_value_eq(planting->predicate, ESSE_NONE)) {
        char text[80];
        int length = snprintf(text, sizeof text, "v >= %lld AND v <= %lld",
                              (long long)planting->base + MATCHES_FROM,
                              (long long)planting->base + MATCHES_TO);
        planting->predicate = esse_value_string(planting->gen->sink->values, text, (size_t)length);
    }
    return planting->predicate;
}

struct script_record {
    struct esse_op_record ops[MOST_OPS];
    esse_value items[MOST_OPS * MOST_DIGITS];
    struct esse_row rows[MOST_OPS * MOST_DIGITS];
    size_t item_count, row_count;
};

static void make_op(struct planting *planting, const struct script_op *op,
                    struct script_record *record, struct esse_op_record *to)
{
    const bool is_list = planting->gen->options->workload == ESSE_GEN_LIST_APPEND;
    to->begin = to->end = ESSE_NO_TIME;
    if (op->kind != 'w')
        to->snapshot = planting->snapshot;
    if (op->kind == 'p') {
        to->kind = ESSE_OP_PREDICATE_READ;
        to->key = predicate_value(planting);
        to->first = record->row_count;
        to->count = op->count;
        for (uint8_t i = 0; i < op->count; i++)
            record->rows[record->row_count++] =
                (struct esse_row){ .key = letter_value(planting, op->row_keys[i]),
                                   .value = digit_value(planting, op->digits[i]) };
        return;
    }
    to->key = letter_value(planting, op->key);
    if (op->kind == 'w') {
        to->kind = is_list ? ESSE_OP_APPEND : ESSE_OP_WRITE;
        to->value = digit_value(planting, op->digits[0]);
        return;
    }
    assert(op->kind == 'r');
    to->kind = ESSE_OP_READ;
    to->is_list = is_list;
    if (!is_list) {
        to->value = op->count ? digit_value(planting, op->digits[0]) : ESSE_NIL;
        return;
    }
    to->first = record->item_count;
    to->count = op->count;
    for (uint8_t i = 0; i < op->count; i++)
        record->items[record->item_count++] = digit_value(planting, op->digits[i]);
}

static enum esse_status status_of(char mark)
{
    return mark == '!' ? ESSE_ABORTED : mark == '?' ? ESSE_UNKNOWN_OUTCOME : ESSE_COMMITTED;
}

/* One after the other, as the script has them, just before they end. */
static uint64_t commit_tick(const struct planting *planting, uint8_t at)
{
    return planting->gen->clock + STRETCH * (uint64_t)planting->script.txns[at].end - MOST_TXNS +
           at;
}

static bool is_writer(const struct script_txn *txn)
{
    for (uint8_t i = 0; i < txn->op_count; i++)
        if (txn->ops[i].kind == 'w')
            return true;
    return false;
}

static void fill_plant_server(struct planting *planting, uint8_t at, struct esse_txn_record *record)
{
    struct esse_gen *gen = planting->gen;
    const struct script_txn *txn = &planting->script.txns[at];
    const bool has_times =
        gen->options->has_server_times || gen->options->certifies == ESSE_CERTIFICATE_TIMESTAMPS;
    if (has_times)
        record->start_ts = (int64_t)(2 * gen->clock + 1);
    if ((has_times || esse_gen_has_xids(gen)) && txn->status == 0)
        record->commit_ts = (int64_t)(2 * commit_tick(planting, at));
    if (esse_gen_has_xids(gen) && is_writer(txn))
        record->xid = gen->next_xid++;
}

static void fill_plant_times(const struct planting *planting, const struct script_txn *txn,
                             struct script_record *body, struct esse_txn_record *record)
{
    const struct esse_gen_options *options = planting->gen->options;
    const int64_t clock = (int64_t)planting->gen->clock;
    if (options->has_times) {
        record->start = clock + STRETCH * txn->begin;
        record->end = clock + STRETCH * txn->end;
    }
    for (uint8_t i = 0; options->has_op_times && i < txn->op_count; i++) {
        body->ops[i].begin = record->start;
        body->ops[i].end = record->end;
    }
}

static bool plant_txn(struct planting *planting, uint8_t at, uint32_t *name, struct esse_error *err)
{
    struct esse_gen *gen = planting->gen;
    const struct script_txn *txn = &planting->script.txns[at];
    struct script_record body = { 0 };
    for (uint8_t i = 0; i < txn->op_count; i++)
        make_op(planting, &txn->ops[i], &body, &body.ops[i]);
    struct esse_txn_record record = esse_txn_record_empty();
    record.session = esse_value_small(gen->next_session + (txn->session - 'a'));
    record.status = status_of(txn->status);
    record.ops = body.ops;
    record.op_count = txn->op_count;
    record.items = body.items;
    record.rows = body.rows;
    fill_plant_times(planting, txn, &body, &record);
    fill_plant_server(planting, at, &record);
    gen->counts.planted++;
    if (!esse_gen_emit(gen, &record, name, err))
        return false;
    if (esse_gen_has_order(gen) && txn->status == 0)
        esse_gen_certificate_position(
            &gen->certificate,
            (struct esse_gen_position){ 2 * commit_tick(planting, at), at, *name });
    return true;
}

/* Whether the transaction overwrites this write itself, so that it is no version.  In a list every
 * append is one. */
static bool is_hidden(const struct script_txn *txn, uint8_t at, bool is_list)
{
    for (uint8_t i = (uint8_t)(at + 1); !is_list && i < txn->op_count; i++)
        if (txn->ops[i].kind == 'w' && txn->ops[i].key == txn->ops[at].key)
            return true;
    return false;
}

static int writers_of(const struct script *script, uint8_t key, uint8_t digit)
{
    int writers = 0;
    for (uint8_t t = 0; t < script->txn_count; t++)
        for (uint8_t i = 0; i < script->txns[t].op_count; i++) {
            const struct script_op *op = &script->txns[t].ops[i];
            writers += op->kind == 'w' && op->key == key && op->digits[0] == digit;
        }
    return writers;
}

/* The versions of the planted keys, in the order the script gives or in the order of writing. */
static void certify_plant(struct planting *planting, const uint32_t *names)
{
    const struct script *script = &planting->script;
    struct esse_gen_certificate *certificate = &planting->gen->certificate;
    const bool is_list = planting->gen->options->workload == ESSE_GEN_LIST_APPEND;
    for (uint8_t key = 0; key < script->keys; key++)
        for (uint8_t i = 0; i < script->orders[key].count; i++)
            esse_gen_certificate_version(
                certificate,
                (struct esse_gen_version){ planting->base + script->orders[key].digits[i],
                                           planting->first_key + key, 0 });
    for (uint8_t t = 0; t < script->txn_count; t++)
        for (uint8_t i = 0; i < script->txns[t].op_count; i++) {
            const struct script_op *op = &script->txns[t].ops[i];
            if (op->kind != 'w' || script->txns[t].status || script->orders[op->key].count ||
                is_hidden(&script->txns[t], i, is_list))
                continue;
            bool is_unique = writers_of(script, op->key, op->digits[0]) == 1;
            esse_gen_certificate_version(
                certificate, (struct esse_gen_version){ is_unique ? planting->base + op->digits[0]
                                                                  : ESSE_STORE_ABSENT,
                                                        planting->first_key + op->key, names[t] });
        }
}

bool esse_gen_plant_run(const struct esse_gen_plant *plant, uint32_t number, uint32_t first_key,
                        struct esse_gen *gen, struct esse_error *err)
{
    struct planting planting = planting_of(plant, number, first_key, gen);
    uint32_t names[MOST_TXNS];
    gen->clock++;
    if (gen->options->certifies != ESSE_CERTIFICATE_TIMESTAMPS)
        planting.snapshot = esse_gen_snapshot(gen, gen->clock);
    for (uint8_t i = 0; i < planting.script.txn_count; i++)
        if (!plant_txn(&planting, i, &names[i], err))
            return false;
    if (gen->options->has_certificate)
        certify_plant(&planting, names);
    gen->next_session += planting.script.sessions;
    gen->clock += TICKS * STRETCH - 1;
    return true;
}

/* ---- alone ---- */

const struct esse_gen_anomaly *esse_plant_find(const char *name)
{
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

const struct esse_gen_anomaly *esse_plant_of(const char *name, enum esse_gen_workload workload)
{
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
        if (strcmp(row->name, name) == 0 && row->workloads & 1u << workload)
            return row;
    return NULL;
}

/* The orders of the planted keys, from what certify_plant() noted. */
static bool send_orders(const struct esse_gen_certificate *certificate, uint32_t first_key,
                        struct esse_sink *sink, struct esse_error *err)
{
    for (uint32_t key = first_key; key < first_key + MOST_KEYS; key++) {
        struct esse_version_ref refs[MOST_TXNS * MOST_OPS];
        size_t count = 0;
        for (size_t i = 0; i < certificate->version_count; i++)
            if (certificate->versions[i].key == key)
                refs[count++] = esse_gen_version_ref(certificate->versions[i]);
        if (count && !sink->version_order(sink, esse_value_small(key), refs, count, err))
            return false;
    }
    return true;
}

bool esse_plant_play(const struct esse_gen_anomaly *anomaly, enum esse_gen_workload workload,
                     const struct esse_played *played, struct esse_error *err)
{
    /* No live key or value comes near these. */
    enum { FIRST_KEY = 1000000000 };
    static const int64_t far_value = 1000000000000000;
    const struct esse_gen_options options = {
        .workload = workload, .has_times = true, .has_op_times = true, .has_certificate = true
    };
    const struct esse_gen_plant plant = { .anomaly = anomaly };
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen gen = { .options = &options,
                            .arena = arena,
                            .sink = played->history,
                            .next_session = played->session,
                            .clock = (uint64_t)played->now,
                            .scale = far_value,
                            .groups = 1,
                            .certificate = { .arena = arena } };
    struct esse_gen_row_vec rows = { 0 };
    esse_gen_plant_init(&plant, 0, FIRST_KEY, &gen, &rows);
    bool ok = !rows.count || gen.sink->init(gen.sink, rows.at, rows.count, err);
    ok = ok && esse_gen_plant_run(&plant, 0, FIRST_KEY, &gen, err) &&
         (!played->certificate ||
          send_orders(&gen.certificate, FIRST_KEY, played->certificate, err));
    esse_arena_free(arena);
    return ok;
}

static bool find_anomaly(const char *name, enum esse_gen_workload workload,
                         const struct esse_gen_anomaly **out, struct esse_error *err)
{
    unsigned others = 0;
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++) {
        if (strcmp(row->name, name) != 0)
            continue;
        if (row->workloads & 1u << workload) {
            *out = row;
            return true;
        }
        others |= row->workloads;
    }
    if (!others)
        return esse_fail(err, ESSE_EUSAGE, "unknown anomaly '%s'; --anomaly help lists them", name);
    char list[80] = "";
    for (unsigned i = 0; i < ESSE_GEN_WORKLOADS; i++)
        if (others & 1u << i) {
            strcat(list, *list ? ", " : "");
            strcat(list, esse_gen_workload_names[i]);
        }
    return esse_fail(err, ESSE_EUSAGE, "%s cannot express %s; these can: %s",
                     esse_gen_workload_names[workload], name, list);
}

/* "50%", "0.5" or "1234". */
static bool read_position(const char *text, uint64_t txns, uint64_t *at, struct esse_error *err)
{
    char *end;
    double number = strtod(text, &end);
    const bool is_percent = *end == '%' && end[1] == '\0', is_number = *end == '\0';
    if (end == text || !(is_percent || is_number) || !(number >= 0))
        return esse_fail(err, ESSE_EUSAGE, "'%s' is not a position: 0.5, 50%% or a number", text);
    if (is_percent)
        number = number / 100 * (double)txns;
    else if (strchr(text, '.'))
        number *= (double)txns;
    if (number > (double)txns)
        return esse_fail(err, ESSE_EUSAGE, "position '%s' is beyond the last transaction", text);
    *at = (uint64_t)number;
    return true;
}

/* Keeps the plants by position; those at one position stay in the order given. */
static void insert_plant(struct esse_gen_plant *plants, size_t count, struct esse_gen_plant plant)
{
    for (; count > 0 && plants[count - 1].at > plant.at; count--)
        plants[count] = plants[count - 1];
    plants[count] = plant;
}

bool esse_gen_plants_parse(struct esse_arena *arena, const char *text,
                           struct esse_gen_options *options, struct esse_error *err)
{
    size_t most = 1, count = 0;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    struct esse_gen_plant *plants = esse_arena_alloc(arena, most, sizeof *plants);
    char *rest = esse_arena_text(arena, text, strlen(text));
    for (char *name; (name = strsep(&rest, ","));) {
        char *position = strchr(name, '@');
        if (position)
            *position++ = '\0';
        struct esse_gen_plant plant = { 0 };
        if (!find_anomaly(name, options->workload, &plant.anomaly, err) ||
            !read_position(position ? position : "50%", options->txns, &plant.at, err))
            return false;
        insert_plant(plants, count++, plant);
    }
    options->plants = plants;
    options->plant_count = count;
    return true;
}
