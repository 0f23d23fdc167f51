#include "generate/plant.h"
#include "base/error.h"
#include "generate/gen_state.h"
#include "generate/plant_script.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the clock in one tick of a script: time enough for each of its transactions to commit. */
enum { STRETCH = 8 };
enum { MATCHES_FROM = 1, MATCHES_TO = 4 };
/* No value that a predicate of a workload finds is as large. */
static const int64_t beyond_values = 1000000000000000;

uint32_t esse_gen_plant_keys(const struct esse_gen_plant *plant)
{
    return plant_script_read(plant->anomaly->script).keys;
}

/* What is being planted: the script, and how its digits and letters become values and keys. */
struct planting {
    struct esse_gen *gen;
    struct plant_script script;
    uint32_t first_key;
    int64_t base; /* added to every digit */
    esse_value predicate;
    esse_value snapshot; /* what all of them are said to have looked at: the state before */
};

static struct planting planting_of(const struct esse_gen_plant *plant, uint32_t number,
                                   uint32_t first_key, struct esse_gen *gen)
{
    struct planting planting = { .gen = gen,
                                 .script = plant_script_read(plant->anomaly->script),
                                 .first_key = first_key };
    if (gen->data == ESSE_GEN_PREDICATE)
        planting.base = beyond_values + (int64_t)number * 10;
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
        const struct plant_op *op = &planting.script.init.ops[i];
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
    struct esse_op_record ops[PLANT_OPS];
    esse_value items[PLANT_OPS * PLANT_DIGITS];
    struct esse_row rows[PLANT_OPS * PLANT_DIGITS];
    size_t item_count, row_count;
};

static void make_op(struct planting *planting, const struct plant_op *op,
                    struct script_record *record, struct esse_op_record *to)
{
    const bool is_list = planting->gen->data == ESSE_GEN_LIST_APPEND;
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

/* When the script says; else one after the other, as the script has them, just before they end. */
static uint64_t commit_tick(const struct planting *planting, uint8_t at)
{
    const struct plant_txn *txn = &planting->script.txns[at];
    const uint64_t clock = planting->gen->clock;
    return txn->has_points ? clock + STRETCH * (uint64_t)txn->commit
                           : clock + STRETCH * (uint64_t)txn->end - PLANT_TXNS + at;
}

static uint64_t snapshot_tick(const struct planting *planting, const struct plant_txn *txn)
{
    return planting->gen->clock + STRETCH * (uint64_t)txn->snapshot;
}

static bool is_writer(const struct plant_txn *txn)
{
    for (uint8_t i = 0; i < txn->op_count; i++)
        if (txn->ops[i].kind == 'w')
            return true;
    return false;
}

static void fill_plant_server(struct planting *planting, uint8_t at, struct esse_txn_record *record)
{
    struct esse_gen *gen = planting->gen;
    const struct plant_txn *txn = &planting->script.txns[at];
    const bool has_times = esse_gen_has_timestamps(gen);
    if (has_times && !gen->options->has_one_timestamp)
        record->start_ts = (int64_t)(2 * snapshot_tick(planting, txn) + 1);
    if ((has_times || esse_gen_has_xids(gen)) && txn->status == 0)
        record->commit_ts = (int64_t)(2 * commit_tick(planting, at));
    if (esse_gen_has_xids(gen) && is_writer(txn))
        record->xid = gen->next_xid++;
}

static void fill_plant_times(const struct planting *planting, const struct plant_txn *txn,
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
    const struct plant_txn *txn = &planting->script.txns[at];
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
    if (gen->options->has_certificate && txn->status == '~')
        esse_gen_certificate_lost(&gen->certificate, *name);
    if (esse_gen_has_order(gen) && txn->status == 0)
        esse_gen_certificate_position(
            &gen->certificate,
            (struct esse_gen_position){ 2 * commit_tick(planting, at), at, *name });
    return true;
}

/* Whether the transaction overwrites this write itself, so that it is no version.  In a list every
 * append is one. */
static bool is_hidden(const struct plant_txn *txn, uint8_t at, bool is_list)
{
    for (uint8_t i = (uint8_t)(at + 1); !is_list && i < txn->op_count; i++)
        if (txn->ops[i].kind == 'w' && txn->ops[i].key == txn->ops[at].key)
            return true;
    return false;
}

static int writers_of(const struct plant_script *script, uint8_t key, uint8_t digit)
{
    int writers = 0;
    for (uint8_t t = 0; t < script->txn_count; t++)
        for (uint8_t i = 0; i < script->txns[t].op_count; i++) {
            const struct plant_op *op = &script->txns[t].ops[i];
            writers += op->kind == 'w' && op->key == key && op->digits[0] == digit;
        }
    return writers;
}

/* The versions of the planted keys, in the order the script gives or in the order of writing. */
static void certify_plant(struct planting *planting, const uint32_t *names)
{
    const struct plant_script *script = &planting->script;
    struct esse_gen_certificate *certificate = &planting->gen->certificate;
    const bool is_list = planting->gen->data == ESSE_GEN_LIST_APPEND;
    for (uint8_t key = 0; key < script->keys; key++)
        for (uint8_t i = 0; i < script->orders[key].count; i++)
            esse_gen_certificate_version(
                certificate,
                (struct esse_gen_version){ planting->base + script->orders[key].digits[i],
                                           planting->first_key + key, 0 });
    for (uint8_t t = 0; t < script->txn_count; t++)
        for (uint8_t i = 0; i < script->txns[t].op_count; i++) {
            const struct plant_op *op = &script->txns[t].ops[i];
            if (op->kind != 'w' || script->txns[t].status || script->orders[op->key].count ||
                is_hidden(&script->txns[t], i, is_list))
                continue;
            bool is_unique = writers_of(script, op->key, op->digits[0]) == 1;
            esse_gen_certificate_version(
                certificate,
                (struct esse_gen_version){ is_unique ? planting->base + op->digits[0] : ESSE_ABSENT,
                                           planting->first_key + op->key, names[t] });
        }
}

bool esse_gen_plant_run(const struct esse_gen_plant *plant, uint32_t number, uint32_t first_key,
                        struct esse_gen *gen, struct esse_error *err)
{
    struct planting planting = planting_of(plant, number, first_key, gen);
    uint32_t names[PLANT_TXNS];
    gen->clock++;
    if (gen->options->certifies != ESSE_CERTIFICATE_TIMESTAMPS)
        planting.snapshot = esse_gen_snapshot(gen, gen->clock);
    for (uint8_t i = 0; i < planting.script.txn_count; i++)
        if (!plant_txn(&planting, i, &names[i], err))
            return false;
    if (gen->options->has_certificate)
        certify_plant(&planting, names);
    gen->next_session += planting.script.sessions;
    gen->clock += PLANT_TICKS * STRETCH - 1;
    return true;
}

/* ---- alone ---- */

/* The orders of the planted keys, from what certify_plant() noted. */
static bool send_orders(const struct esse_gen_certificate *certificate, uint32_t first_key,
                        struct esse_sink *sink, struct esse_error *err)
{
    for (uint32_t key = first_key; key < first_key + PLANT_KEYS; key++) {
        struct esse_version_ref refs[PLANT_TXNS * PLANT_OPS];
        size_t count = 0;
        for (size_t i = 0; i < certificate->versions.count; i++)
            if (certificate->versions.at[i].key == key)
                refs[count++] = esse_gen_version_ref(certificate->versions.at[i]);
        if (count && !sink->version_order(sink, esse_value_small(key), refs, count, err))
            return false;
    }
    return true;
}

bool esse_plant_play(const struct esse_gen_anomaly *anomaly, enum esse_gen_workload workload,
                     const struct esse_played *played, struct esse_error *err)
{
    enum { FIRST_KEY = 1000000000 }; /* no live key comes near it */
    const struct esse_gen_options options = {
        .has_times = true,
        .has_op_times = true,
        .has_certificate = true,
        .certifies = anomaly->needs & ESSE_GEN_NEEDS_TIMESTAMPS ? ESSE_CERTIFICATE_TIMESTAMPS
                                                                : ESSE_CERTIFICATE_NONE,
        .has_one_timestamp = anomaly->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP,
    };
    const struct esse_gen_plant plant = { .anomaly = anomaly };
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen gen = { .options = &options,
                            .data = workload,
                            .arena = arena,
                            .sink = played->history,
                            .next_session = played->session,
                            .clock = (uint64_t)played->now,
                            .certificate = { .arena = arena } };
    struct esse_gen_row_vec rows = { 0 };
    esse_gen_plant_init(&plant, 0, FIRST_KEY, &gen, &rows);
    bool ok = !rows.count || gen.sink->init(gen.sink, rows.at, rows.count, err);
    ok = ok && esse_gen_plant_run(&plant, 0, FIRST_KEY, &gen, err) &&
         (!played->certificate ||
          (send_orders(&gen.certificate, FIRST_KEY, played->certificate, err) &&
           esse_gen_certificate_emit_lost(&gen.certificate, played->certificate, err)));
    esse_arena_free(arena);
    return ok;
}
