#include "generate/gen.h"

#include "base/budget.h"
#include "base/error.h"
#include "generate/gen_keep.h"
#include "generate/gen_state.h"

#include <assert.h>
#include <string.h>

const char *const esse_gen_workload_names[] = { "list-append", "rw-register", "predicate", NULL };

bool esse_store_level_find(const char *name, enum esse_store_level *out)
{
    for (unsigned i = 0; i < ESSE_STORE_LEVELS; i++)
        if (strcmp(name, esse_store_traits[i].name) == 0) {
            *out = (enum esse_store_level)i;
            return true;
        }
    return false;
}

static bool prepare_tables(struct esse_gen *gen, struct esse_error *err)
{
    const struct esse_gen_options *options = gen->options;
    if (!options->workload->open(gen->arena, options->workload, &options->work, &gen->shared,
                                 &gen->schema, err))
        return false;
    gen->tables = esse_arena_alloc(gen->arena, gen->schema.count, sizeof *gen->tables);
    for (uint32_t t = 0; t < gen->schema.count; t++) {
        const struct esse_table *from = &gen->schema.tables[t];
        struct esse_gen_table *to = &gen->tables[t];
        *to = (struct esse_gen_table){ .first = gen->slots, .size = (uint32_t)from->in_use };
        gen->slots += to->size;
        /* A row that predicates find cannot go without a delete. */
        if (from->is_growing && !from->has_ranges)
            to->rows = esse_arena_alloc(gen->arena, to->size, sizeof *to->rows);
        for (uint32_t i = 0; to->rows && i < to->size; i++)
            to->rows[i] = i;
    }
    return true;
}

static void prepare_sessions(struct esse_gen *gen)
{
    const struct esse_gen_options *options = gen->options;
    const uint64_t count = options->work.sessions;
    gen->sessions = esse_arena_alloc(gen->arena, count, sizeof *gen->sessions);
    gen->running = esse_arena_alloc(gen->arena, count, sizeof *gen->running);
    gen->next_session = (int64_t)count;
    for (uint32_t i = 0; i < count; i++) {
        gen->sessions[i].id = i;
        gen->sessions[i].draw_state =
            esse_workload_session(options->workload, gen->arena, &options->work, gen->shared, i);
    }
}

static void prepare_store(struct esse_gen *gen)
{
    const struct esse_gen_options *options = gen->options;
    const uint64_t ops = options->work.ops + options->work.ops_spread;
    uint64_t next_key = gen->slots;
    if (gen->traits.has_past)
        gen->max_lag = 4 * options->work.sessions * (ops + 2);
    for (size_t i = 0; i < options->plant_count; i++)
        next_key += esse_gen_plant_keys(&options->plants[i]);
    const struct esse_store_options store = {
        .level = options->level,
        .is_list = gen->data == ESSE_GEN_LIST_APPEND,
        .slots = gen->slots,
        .sessions = (uint32_t)options->work.sessions,
        .writes_hint = (uint32_t)ops,
        .max_lag = gen->max_lag,
        .next_key = next_key,
    };
    gen->store = esse_store_new(gen->arena, &store);
}

enum { FIRST_XID = 3 }; /* as in PostgreSQL */

/* NULL if the workload refuses its options. */
static struct esse_gen *prepare(struct esse_arena *arena, const struct esse_gen_options *options,
                                struct esse_sink *sink, struct esse_error *err)
{
    struct esse_gen *gen = esse_arena_alloc(arena, 1, sizeof *gen);
    *gen = (struct esse_gen){ .options = options,
                              .data = esse_gen_data(options->workload),
                              .arena = arena,
                              .sink = sink,
                              .traits = esse_store_traits[options->level],
                              .rng = { options->work.seed },
                              .certificate = { .arena = arena },
                              .next_xid = FIRST_XID };
    if (!prepare_tables(gen, err))
        return NULL;
    prepare_sessions(gen);
    prepare_store(gen);
    return gen;
}

static esse_value string_value(struct esse_gen *gen, const char *text)
{
    return esse_value_string(gen->sink->values, text, strlen(text));
}

static bool emit_header(struct esse_gen *gen, struct esse_error *err)
{
    if (!gen->options->has_header)
        return true;
    const esse_value columns[] = { string_value(gen, "k"), string_value(gen, "v") };
    const bool has_columns = gen->data == ESSE_GEN_PREDICATE;
    const struct esse_header_record header = { .db = string_value(gen, "esse gen"),
                                               .isolation = string_value(gen, gen->traits.name),
                                               .columns = has_columns ? columns : NULL,
                                               .column_count = has_columns ? 2 : 0 };
    return gen->sink->header(gen->sink, &header, err);
}

/* Values that mean nothing are left out: not every format has initial ones. */
static void init_table(struct esse_gen *gen, uint32_t number, struct esse_gen_row_vec *rows)
{
    const struct esse_table *table = &gen->schema.tables[number];
    for (uint32_t i = 0; !table->is_optional && i < table->rows; i++) {
        const uint32_t slot = gen->tables[number].first + i;
        if (table->initial[i] == ESSE_ABSENT)
            continue;
        esse_store_init(gen->store, slot, table->initial[i]);
        esse_gen_row_vec_push(rows, gen->arena,
                              (struct esse_row){ .key = esse_value_small(slot),
                                                 .value = esse_value_small(table->initial[i]) });
    }
}

static bool emit_init(struct esse_gen *gen, struct esse_error *err)
{
    const struct esse_gen_options *options = gen->options;
    struct esse_gen_row_vec rows = { 0 };
    for (uint32_t t = 0; t < gen->schema.count; t++)
        init_table(gen, t, &rows);
    uint32_t key = gen->slots;
    for (uint32_t i = 0; i < options->plant_count; i++) {
        esse_gen_plant_init(&options->plants[i], i, key, gen, &rows);
        key += esse_gen_plant_keys(&options->plants[i]);
    }
    bool ok = rows.count == 0 || gen->sink->init(gen->sink, rows.at, rows.count, err);
    esse_gen_row_vec_drop(&rows, gen->arena);
    return ok;
}

bool esse_gen_emit(struct esse_gen *gen, struct esse_txn_record *record, uint32_t *name,
                   struct esse_error *err)
{
    struct esse_gen_counts *counts = &gen->counts;
    *name = (uint32_t)++counts->transactions;
    counts->operations += record->op_count;
    counts->committed += record->status == ESSE_COMMITTED;
    counts->aborted += record->status == ESSE_ABORTED;
    counts->unknown += record->status == ESSE_UNKNOWN_OUTCOME;
    if (esse_gen_has_names(gen))
        record->name = esse_value_small(*name);
    return gen->sink->txn(gen->sink, record, err);
}

/*
 * The first operation whose result a crashed client does not know.  An update of a predicate cannot
 * be written down without its result, so the crash comes after the last one.  And it comes before
 * the first append: Elle takes the lists that crashed clients read for real, and a list with an
 * element that was never committed would look like an incompatible order.
 */
static size_t first_forgotten(const struct esse_gen_session *session)
{
    const struct esse_op_record *ops = session->ops.at;
    size_t first = (size_t)(session->crash_at * (double)(session->ops.count + 1));
    for (size_t i = 0; i < session->ops.count; i++) {
        if (ops[i].kind == ESSE_OP_PREDICATE_UPDATE && i >= first)
            first = i + 1;
        if (ops[i].kind == ESSE_OP_APPEND && i < first)
            first = i;
    }
    return first;
}

/* A read keeps its key.  A predicate read without a result cannot be written down and goes.  That
 * a crashed client read nothing looks the same in Jepsen's files as that it does not know, so it
 * does not know. */
static void forget_results(struct esse_gen_session *session)
{
    struct esse_op_record *ops = session->ops.at;
    const size_t from = first_forgotten(session);
    size_t kept = from;
    for (size_t i = 0; i < from && i < session->ops.count; i++)
        if (ops[i].kind == ESSE_OP_READ && esse_value_eq(ops[i].value, ESSE_NIL))
            ops[i].value = ESSE_NONE;
    for (size_t i = from; i < session->ops.count; i++) {
        if (ops[i].kind == ESSE_OP_PREDICATE_READ)
            continue;
        ops[kept] = ops[i];
        if (ops[i].kind == ESSE_OP_READ) {
            ops[kept].is_list = false;
            ops[kept].count = 0;
            ops[kept].value = ESSE_NONE;
        }
        kept++;
    }
    session->ops.count = kept;
}

/* Where a transaction that happened stands: a writer at its commit, a reader at its snapshot if
 * the level promises an order.  Twice the clock, and one more for snapshots, so that a snapshot
 * comes after the commit of the same tick and before the next. */
static uint64_t position_of(const struct esse_gen *gen, uint32_t at)
{
    size_t writes;
    esse_store_writes(gen->store, at, &writes);
    return writes || !gen->traits.has_order ? 2 * gen->clock
                                            : 2 * esse_store_snapshot(gen->store, at) + 1;
}

static void certify(struct esse_gen *gen, uint32_t at, uint32_t name)
{
    size_t count;
    const struct esse_store_write *writes = esse_store_writes(gen->store, at, &count);
    const bool is_list = gen->data == ESSE_GEN_LIST_APPEND;
    for (size_t i = 0; gen->options->has_certificate && i < count; i++)
        if (is_list || writes[i].is_last)
            esse_gen_certificate_version(
                &gen->certificate,
                (struct esse_gen_version){ writes[i].value, (uint32_t)writes[i].key, name });
    if (esse_gen_has_order(gen))
        esse_gen_certificate_position(
            &gen->certificate,
            (struct esse_gen_position){ position_of(gen, at), gen->sessions[at].order, name });
}

static void fill_times(const struct esse_gen *gen, uint32_t at, bool happened,
                       struct esse_txn_record *record)
{
    if (gen->options->has_times) {
        record->start = (int64_t)gen->sessions[at].start;
        record->end = (int64_t)gen->clock;
    }
    const bool has_timestamps = esse_gen_has_timestamps(gen);
    if (has_timestamps && !gen->options->has_one_timestamp)
        record->start_ts = (int64_t)(2 * esse_store_snapshot(gen->store, at) + 1);
    if ((has_timestamps || esse_gen_has_xids(gen)) && happened)
        record->commit_ts = (int64_t)position_of(gen, at);
    record->xid = gen->sessions[at].xid;
}

/* Ends the open transaction of a session and gives it to the sink. */
static bool finish_txn(struct esse_gen *gen, uint32_t at, enum esse_status status, bool happened,
                       struct esse_error *err)
{
    struct esse_gen_session *session = &gen->sessions[at];
    bool ok = true;
    if (status == ESSE_UNKNOWN_OUTCOME)
        forget_results(session);
    bool is_dropped = status == ESSE_ABORTED && gen->options->drop_aborted;
    if (session->ops.count > 0 && !is_dropped) {
        struct esse_txn_record record = esse_txn_record_empty();
        record.session = esse_value_small(session->id);
        record.status = status;
        record.ops = session->ops.at;
        record.op_count = session->ops.count;
        record.items = session->items.at;
        record.rows = session->rows.at;
        fill_times(gen, at, happened, &record);
        uint32_t name;
        ok = esse_gen_emit(gen, &record, &name, err);
        if (happened && esse_gen_has_names(gen))
            certify(gen, at, name);
    }
    esse_store_close(gen->store, at);
    session->is_open = false;
    session->is_again = status == ESSE_ABORTED && session->fate != ESSE_GEN_GIVES_UP;
    if (status == ESSE_UNKNOWN_OUTCOME)
        session->id = gen->next_session++;
    return ok;
}

static bool end_txn(struct esse_gen *gen, uint32_t at, struct esse_error *err)
{
    const enum esse_gen_fate fate = gen->sessions[at].fate;
    const bool tries = fate == ESSE_GEN_COMMITS || fate == ESSE_GEN_CRASHES;
    const bool happened = tries && esse_store_commit(gen->store, at, gen->clock);
    enum esse_status status = happened ? ESSE_COMMITTED : ESSE_ABORTED;
    if (fate == ESSE_GEN_CRASHES || fate == ESSE_GEN_CRASHES_EARLY)
        status = ESSE_UNKNOWN_OUTCOME;
    return finish_txn(gen, at, status, happened, err);
}

/* One step of one session: begin, an operation, or the end. */
static bool step(struct esse_gen *gen, uint32_t at, bool may_begin, struct esse_error *err)
{
    struct esse_gen_session *session = &gen->sessions[at];
    if (!session->is_open) {
        if (may_begin)
            esse_gen_session_begin(gen, at);
        return true;
    }
    if (!esse_gen_session_ask(gen, at))
        return end_txn(gen, at, err);
    if (esse_gen_session_step(gen, at) != ESSE_STORE_DIE)
        return true;
    return finish_txn(gen, at, ESSE_ABORTED, false, err);
}

/* Plants everything that is due; 'next' and 'key' say what comes next. */
static bool plant_due(struct esse_gen *gen, uint32_t *next, uint32_t *key, bool is_end,
                      struct esse_error *err)
{
    const struct esse_gen_options *options = gen->options;
    for (; *next < options->plant_count; ++*next) {
        const struct esse_gen_plant *plant = &options->plants[*next];
        if (!is_end && plant->at > gen->counts.transactions - gen->counts.planted)
            return true;
        if (!esse_gen_plant_run(plant, *next, *key, gen, err))
            return false;
        *key += esse_gen_plant_keys(plant);
    }
    return true;
}

/*
 * The schedule: at every tick one session, drawn at random, does its next step.  'open' are the
 * transactions that have begun and not ended; one that ends without a record (dropped, or dead
 * before its first operation) makes room for another.
 */
static bool run_sessions(struct esse_gen *gen, struct esse_budget *budget, struct esse_error *err)
{
    const struct esse_gen_options *options = gen->options;
    const uint32_t sessions = (uint32_t)options->work.sessions;
    uint32_t plant = 0, plant_key = gen->slots;
    uint64_t open = 0, clean = 0;
    esse_budget_phase(budget, "generating", options->txns);
    while (clean < options->txns || open > 0) {
        uint32_t at = sessions > 1 ? esse_rng_below(&gen->rng, sessions) : 0;
        const bool was_open = gen->sessions[at].is_open;
        gen->clock++;
        if (!step(gen, at, clean + open < options->txns, err))
            return false;
        if (gen->sessions[at].is_open == was_open)
            continue;
        open += was_open ? (uint64_t)-1 : 1;
        clean = gen->counts.transactions - gen->counts.planted;
        if (!plant_due(gen, &plant, &plant_key, false, err))
            return false;
        if (!esse_budget_poll(budget, clean))
            return esse_fail(err, ESSE_ESTOPPED, "stopped: %s",
                             esse_spent_name(esse_budget_spent(budget)));
    }
    return plant_due(gen, &plant, &plant_key, true, err);
}

bool esse_gen_run(const struct esse_gen_options *options, struct esse_sink *sink,
                  struct esse_budget *budget, struct esse_error *err)
{
    if (!esse_gen_validate(options, err))
        return false;
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen *gen = prepare(arena, options, sink, err);
    if (!gen) {
        esse_arena_free(arena);
        return false;
    }
    const bool counts = options->certifies == ESSE_CERTIFICATE_COMMIT_ORDER;
    if (options->by_session || counts)
        gen->sink = sink =
            esse_gen_keep(arena, sink, options->by_session, counts ? &gen->certificate : NULL);
    bool ok = emit_header(gen, err) && emit_init(gen, err) && run_sessions(gen, budget, err);
    if (ok && esse_gen_has_names(gen))
        ok = esse_gen_certificate_emit(&gen->certificate, esse_store_next_key(gen->store),
                                       esse_gen_has_order(gen), sink, err);
    const struct esse_certificate_record kind = { options->certifies, false };
    ok = ok && (kind.kind == ESSE_CERTIFICATE_NONE || sink->certificate(sink, &kind, err)) &&
         sink->finish(sink, err);
    if (ok && options->counts)
        *options->counts = gen->counts;
    esse_arena_free(arena);
    return ok;
}
