#include "history/builder.h"
#include "mirror/window_state.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * A part of the trace as a history in which only what is true of the run stands.  A writer that
 * somebody in the part has read, and that is not in it, is a transaction of its own with this one
 * write, a stub; it has no start, since nothing is known of its snapshot.  Writes that nobody in
 * the part has read may be missing: if the whole satisfies a level, so does the part.
 *
 * Instants lie inside of open intervals with integer ends, and a history's "ends before" is <: so
 * an interval (b, a) is written as [b, a - 1].
 */

ESSE_VEC(source_set, struct window_source)

struct making {
    const struct esse_mirror *m;
    const struct window_part *part;
    struct esse_arena *arena;
    struct esse_sink *sink;
    uint32_t left_out;
    struct source_set set; /* writes of the part, stubs and initial values */
    struct esse_index index;
    struct esse_index initial; /* those of 'set' that are initial, by their keys */
    size_t stubs;              /* from here on in 'set' */
    struct esse_op_record_vec ops;
};

static uint32_t source_hash(const struct window_source *s)
{
    return esse_hash_word(s->key ^ esse_hash_mix(s->value + 1, (uint64_t)s->installed ^ 0x9e37u));
}

/* False if it is there already. */
static bool add_source(struct making *k, struct window_source source)
{
    const uint32_t hash = source_hash(&source);
    struct esse_probe probe = esse_index_probe(&k->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);) {
        const struct window_source *s = &k->set.at[id];
        if (s->key == source.key && s->value == source.value && s->installed == source.installed)
            return false;
    }
    esse_index_add(&k->index, k->arena, hash, (uint32_t)k->set.count);
    source_set_push(&k->set, k->arena, source);
    return true;
}

/* The initial value of a key that somebody has read; '*several' if they do not agree. */
static bool find_initial(const struct making *k, uint64_t key, bool *several, uint64_t *value)
{
    bool has = false;
    *several = false;
    struct esse_probe probe = esse_index_probe(&k->initial, esse_hash_word(key));
    for (uint32_t id; esse_probe_next(&probe, &id);) {
        if (k->set.at[id].key != key)
            continue;
        *several |= has;
        *value = k->set.at[id].value;
        has = true;
    }
    return has;
}

static bool is_written(const struct window_part *part, const struct window_source *source)
{
    for (size_t i = 0; i < part->ops.count; i++) {
        const struct window_op *op = &part->ops.at[i];
        if (op->kind == ESSE_OP_WRITE && op->key == source->key && op->value == source->value)
            return true;
    }
    return false;
}

static void gather(struct making *k)
{
    const struct window_part *part = k->part;
    const struct window_op *op = part->ops.at;
    for (size_t t = 0; t < part->txns.count; t++)
        for (uint32_t i = 0; i < part->txns.at[t].op_count; i++, op++)
            if (op->kind != ESSE_OP_READ)
                add_source(k, (struct window_source){ op->key, op->value, part->txns.at[t].end });
    k->stubs = k->set.count;
    for (size_t i = 0; i < part->sources.count; i++) {
        struct window_source s = part->sources.at[i];
        if (s.installed == WINDOW_FORGOTTEN) {
            if (part->begin == INT64_MIN || is_written(part, &s))
                continue;
            s.installed = part->begin;
        }
        if (add_source(k, s) && s.installed == WINDOW_INITIAL)
            esse_index_add(&k->initial, k->arena, esse_hash_word(s.key),
                           (uint32_t)k->set.count - 1);
    }
}

static esse_value value_of(struct making *k, uint64_t word)
{
    return esse_word_value(k->m->words, word, k->sink->values);
}

static bool send_initial(struct making *k, struct esse_error *err)
{
    bool ok = true;
    for (size_t i = k->stubs; ok && i < k->set.count; i++) {
        const struct window_source *s = &k->set.at[i];
        bool several;
        uint64_t value;
        if (s->installed != WINDOW_INITIAL || s->value == WORD_NIL ||
            (find_initial(k, s->key, &several, &value) && several))
            continue;
        const struct esse_row row = { value_of(k, s->key), value_of(k, s->value), ESSE_NONE };
        ok = k->sink->init(k->sink, &row, 1, err);
    }
    return ok;
}

static bool send_stub(struct making *k, size_t at, struct esse_error *err)
{
    const struct window_source *s = &k->set.at[at];
    char text[32];
    const int length = snprintf(text, sizeof text, "(source %zu)", at - k->stubs + 1);
    struct esse_txn_record txn = esse_txn_record_empty();
    const struct esse_op_record op = {
        .kind = s->value == WORD_NIL ? ESSE_OP_DELETE : ESSE_OP_WRITE,
        .key = value_of(k, s->key),
        .value = s->value == WORD_NIL ? ESSE_NONE : value_of(k, s->value),
        .begin = ESSE_NO_TIME,
        .end = ESSE_NO_TIME,
        .snapshot = ESSE_NONE,
    };
    txn.session = txn.name = esse_value_string(k->sink->values, text, (size_t)length);
    txn.status = s->installed == WINDOW_ABORTED ? ESSE_ABORTED : ESSE_COMMITTED;
    txn.end = s->installed == WINDOW_ABORTED ? ESSE_NO_TIME : s->installed - 1;
    txn.ops = &op;
    txn.op_count = 1;
    return k->sink->txn(k->sink, &txn, err);
}

/* A read is left out if its initial version is not known for certain, or its writer not at all; and
 * if several versions have had its value, since one that is not here may explain it at the level.
 */
static bool is_left_out(const struct making *k, const struct window_op *op,
                        const struct window_source *sources)
{
    bool several;
    uint64_t value;
    if (op->kind != ESSE_OP_READ)
        return false;
    if (esse_window_is_repeated(k->m->window, op->key, op->value))
        return true;
    for (uint32_t i = 0; i < op->source_count; i++)
        if ((sources[i].installed == WINDOW_INITIAL && find_initial(k, op->key, &several, &value) &&
             several) ||
            (sources[i].installed == WINDOW_FORGOTTEN && k->part->begin == INT64_MIN &&
             !is_written(k->part, &sources[i])))
            return true;
    return false;
}

/* The name of a session that has only this transaction. */
static esse_value alone(struct making *k, esse_value name)
{
    char room[64];
    const char *text = esse_arena_format(k->arena, "(session of %s)",
                                         esse_value_brief(k->sink->values, name, room));
    return esse_value_string(k->sink->values, text, strlen(text));
}

static bool send_txn(struct making *k, const struct window_txn *t, const struct window_op *ops,
                     const struct window_source *sources, struct esse_error *err)
{
    struct esse_txn_record txn = esse_txn_record_empty();
    k->ops.count = 0;
    k->left_out += t->left_out;
    for (uint32_t i = 0; i < t->op_count; sources += ops[i].source_count, i++) {
        if (is_left_out(k, &ops[i], sources)) {
            k->left_out++;
            continue;
        }
        const bool is_delete = ops[i].kind == ESSE_OP_DELETE;
        const struct esse_op_record op = { .kind = (enum esse_op_kind)ops[i].kind,
                                           .key = value_of(k, ops[i].key),
                                           .value =
                                               is_delete ? ESSE_NONE : value_of(k, ops[i].value),
                                           .begin = ESSE_NO_TIME,
                                           .end = ESSE_NO_TIME,
                                           .snapshot = ESSE_NONE };
        esse_op_record_vec_push(&k->ops, k->arena, op);
    }
    txn.name = value_of(k, t->name);
    txn.session = t->session == WINDOW_ALONE ? alone(k, txn.name)
                                             : value_of(k, k->m->sessions.at[t->session]);
    txn.start = t->start == INT64_MIN ? ESSE_NO_TIME : t->start;
    txn.end = t->end - 1 > t->start ? t->end - 1 : t->start;
    txn.ops = k->ops.at;
    txn.op_count = k->ops.count;
    return k->sink->txn(k->sink, &txn, err);
}

/* Where a transaction stands in the part, in the order of their ends. */
struct place {
    uint64_t ended;
    size_t txn, op, source;
};
ESSE_VEC(place_vec, struct place)

static int by_end(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->ended > y->ended) - (x->ended < y->ended);
}

static bool send_all(struct making *k, struct esse_error *err)
{
    const struct window_part *part = k->part;
    struct place_vec places = { 0 };
    size_t op = 0, source = 0;
    bool ok = send_initial(k, err);
    for (size_t i = k->stubs; ok && i < k->set.count; i++)
        if (k->set.at[i].installed != WINDOW_INITIAL)
            ok = send_stub(k, i, err);
    for (size_t i = 0; i < part->txns.count; i++) {
        place_vec_push(&places, k->arena, (struct place){ part->txns.at[i].ended, i, op, source });
        op += part->txns.at[i].op_count;
        source += part->txns.at[i].source_count;
    }
    if (places.count)
        qsort(places.at, places.count, sizeof *places.at, by_end);
    for (size_t i = 0; ok && i < places.count; i++) {
        const struct place *p = &places.at[i];
        ok = send_txn(k, &part->txns.at[p->txn], part->ops.at + p->op,
                      part->sources.at ? part->sources.at + p->source : NULL, err);
    }
    return ok;
}

struct esse_history *esse_window_history(const struct esse_mirror *m, struct esse_arena *arena,
                                         uint32_t *left_out, struct esse_error *err)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history;
    struct making k = { .m = m,
                        .part = &m->window->now,
                        .arena = esse_arena_new(),
                        .sink = esse_builder_sink(builder) };
    gather(&k);
    const bool ok = send_all(&k, err);
    *left_out = k.left_out;
    esse_arena_free(k.arena);
    return ok && esse_builder_freeze_as(builder, "native", ESSE_WORKLOAD_RW_REGISTER, &history, err)
               ? history
               : NULL;
}
