#include "engine/cycle_words.h"

#include "base/out.h"
#include "history/access.h"
#include "history/show.h"
#include "sql/statement.h"

#include <string.h>

struct story {
    const struct esse_history *history;
    const struct esse_edge *edges;
    uint32_t count;
    uint32_t anti, by_predicate, given; /* rw and rwp; rwp; process and realtime */
    struct esse_out out;
};

static bool is_anti(const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_RW || edge->dep == ESSE_DEP_RWP;
}

static bool is_given(const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_PROCESS || edge->dep == ESSE_DEP_REALTIME;
}

static bool is_reading(const struct esse_edge *edge)
{
    return edge->dep == ESSE_DEP_WR || edge->dep == ESSE_DEP_WRP;
}

/* Counted on from any edge. */
static const struct esse_edge *edge_at(const struct story *s, uint32_t at)
{
    return &s->edges[at % s->count];
}

/* ---- pieces of sentences ---- */

static void put_name(struct story *s, esse_txn txn)
{
    esse_show_txn(&s->out, s->history, txn);
}

static void put_key(struct story *s, const struct esse_edge *edge)
{
    esse_show_key(&s->out, s->history, edge->key);
}

static void put_row(struct story *s, const struct esse_edge *edge)
{
    esse_out_text(&s->out, "the row ");
    esse_show_bare_key(&s->out, s->history, edge->key);
}

static esse_value text_of(const struct story *s, uint32_t op)
{
    return s->history->predicates[s->history->op_key[op]].text;
}

/* What the writer of an rwp made of the row that the reader had looked for, by what the predicate
 * says of its version and whether the reader had returned the row. */
static const char *effect(const struct story *s, const struct esse_edge *edge)
{
    const struct esse_history *history = s->history;
    struct esse_arena *arena = esse_arena_new();
    struct esse_error ignored;
    esse_value value;
    bool matches = false;
    const struct esse_predicate *predicate = esse_predicates_get(
        esse_predicates_new(arena, history), text_of(s, edge->from_op.ix), &ignored);
    const bool returned = esse_op_read_of(history, edge->from_op.ix, edge->key, &value);
    const bool known = predicate && esse_statement_is_exact(predicate) &&
                       esse_op_write_of(history, edge->to_op.ix, edge->key, &value) &&
                       esse_predicate_selects(predicate, history->key_name[edge->key.ix], value,
                                              &matches, &ignored);
    esse_arena_free(arena);
    return !known || matches == returned ? "changed" : matches ? "appeared" : "disappeared";
}

/* "t1 looked for "v < 5" and did not see that the row y appeared, by t2" */
static void put_unseen(struct story *s, const struct esse_edge *edge)
{
    put_name(s, edge->from);
    esse_out_text(&s->out, " looked for ");
    esse_show_value(&s->out, s->history, text_of(s, edge->from_op.ix));
    esse_out_text(&s->out, " and did not see that ");
    put_row(s, edge);
    esse_out_f(&s->out, " %s, by ", effect(s, edge));
    put_name(s, edge->to);
}

/* Or "t1 read y without what t2 wrote to it".  Which was first in time is not known. */
static void put_missed(struct story *s, const struct esse_edge *edge)
{
    if (edge->dep != ESSE_DEP_RW) {
        put_unseen(s, edge);
        return;
    }
    put_name(s, edge->from);
    esse_out_text(&s->out, " read ");
    put_key(s, edge);
    esse_out_text(&s->out, " without what ");
    put_name(s, edge->to);
    esse_out_text(&s->out, " wrote to it");
}

/* ---- stories of two without rw ---- */

/* Each overwrote the other, of two keys. */
static void tell_dirty_write(struct story *s)
{
    esse_out_text(&s->out, "dirty writes: the version of ");
    put_name(s, s->edges[0].from);
    esse_out_text(&s->out, " comes before that of ");
    put_name(s, s->edges[0].to);
    esse_out_text(&s->out, " in ");
    put_key(s, &s->edges[0]);
    esse_out_text(&s->out, ", and after it in ");
    put_key(s, &s->edges[1]);
}

static void tell_flow(struct story *s)
{
    esse_out_text(&s->out, "circular information flow: ");
    for (uint32_t i = 0; i < 2; i++) {
        put_name(s, s->edges[i].to);
        esse_out_text(&s->out, " read what ");
        put_name(s, s->edges[i].from);
        esse_out_text(&s->out, " wrote to ");
        put_key(s, &s->edges[i]);
        esse_out_text(&s->out, i ? "" : ", and ");
    }
}

static bool tell_plain(struct story *s)
{
    const struct esse_edge *edge = &s->edges[0], *back = &s->edges[1];
    if (s->count != 2)
        return false;
    if (edge->dep == ESSE_DEP_WW && back->dep == ESSE_DEP_WW && edge->key.ix != back->key.ix)
        tell_dirty_write(s);
    else if (edge->dep == ESSE_DEP_WR && back->dep == ESSE_DEP_WR)
        tell_flow(s);
    else
        return false;
    return true;
}

/* ---- stories with one rw; 'edge' is that one ---- */

/* Did the reader ask the same again, and saw what the writer had done? */
static bool is_asked_twice(const struct story *s, const struct esse_edge *edge)
{
    const struct esse_edge *back = edge_at(s, (uint32_t)(edge - s->edges) + 1);
    return s->count == 2 && is_reading(back) && back->to_op.ix > edge->from_op.ix &&
           esse_op_is_predicate(s->history->op_kind[back->to_op.ix]) &&
           esse_op_is_predicate(s->history->op_kind[edge->from_op.ix]) &&
           esse_value_eq(text_of(s, back->to_op.ix), text_of(s, edge->from_op.ix));
}

static void tell_phantom(struct story *s, const struct esse_edge *edge)
{
    esse_out_text(&s->out, "a phantom: ");
    if (is_asked_twice(s, edge)) {
        put_row(s, edge);
        esse_out_f(&s->out, " %s between two evaluations of ", effect(s, edge));
        esse_show_value(&s->out, s->history, text_of(s, edge->from_op.ix));
        esse_out_text(&s->out, " by ");
        put_name(s, edge->from);
        return;
    }
    put_unseen(s, edge);
    esse_out_text(&s->out, ", and yet ");
    put_name(s, edge->from);
    esse_out_text(&s->out, " comes after ");
    put_name(s, edge->to);
}

/* Everything else is session order or time. */
static void tell_stale(struct story *s, const struct esse_edge *edge)
{
    const bool is_item = edge->dep == ESSE_DEP_RW;
    esse_out_text(&s->out, is_item ? "a stale read: " : "a stale predicate read: ");
    put_name(s, edge->from);
    if (is_item) {
        esse_out_text(&s->out, " read ");
        put_key(s, edge);
        esse_out_text(&s->out, " without what ");
        put_name(s, edge->to);
        esse_out_text(&s->out, ", which came first, wrote to it");
        return;
    }
    esse_out_text(&s->out, " looked for ");
    esse_show_value(&s->out, s->history, text_of(s, edge->from_op.ix));
    esse_out_text(&s->out, " and missed that ");
    put_row(s, edge);
    esse_out_f(&s->out, " had %s, by ", effect(s, edge));
    put_name(s, edge->to);
    esse_out_text(&s->out, ", which came first");
}

/* Had the reader read the key again, and another version, when it wrote it? */
static bool is_read_again(const struct story *s, const struct esse_edge *edge)
{
    return esse_op_is_read_again(s->history, edge->from_op, edge->key);
}

static void tell_lost_update(struct story *s, const struct esse_edge *edge)
{
    const bool is_lost = !is_read_again(s, edge);
    esse_out_text(&s->out, is_lost ? "a lost update: " : "an unrepeatable read: ");
    put_name(s, edge->from);
    esse_out_text(&s->out, is_lost ? " wrote " : " read ");
    put_key(s, edge);
    esse_out_text(&s->out, is_lost ? " without knowing what " : " at first without what ");
    put_name(s, edge->to);
    esse_out_text(&s->out, " had written to it");
    esse_out_text(&s->out, is_lost ? "" : ", then another version, and then wrote it");
}

/* One read, of a list that has some of the writer's elements. */
static void tell_half_read(struct story *s, const struct esse_edge *edge)
{
    esse_out_text(&s->out, "an intermediate read: ");
    put_name(s, edge->from);
    esse_out_text(&s->out, " saw only a part of what ");
    put_name(s, edge->to);
    esse_out_text(&s->out, " wrote to ");
    put_key(s, edge);
}

static void tell_read_skew(struct story *s, const struct esse_edge *edge,
                           const struct esse_edge *back)
{
    const bool is_same = edge->key.ix == back->key.ix;
    esse_out_text(&s->out, is_same ? "an unrepeatable read: " : "read skew: ");
    put_name(s, edge->from);
    esse_out_text(&s->out, is_same ? " read " : " saw what ");
    if (is_same) {
        put_key(s, edge);
        esse_out_text(&s->out, " both without and with what ");
        put_name(s, edge->to);
        esse_out_text(&s->out, " wrote to it");
        return;
    }
    put_name(s, edge->to);
    esse_out_text(&s->out, " wrote to ");
    put_key(s, back);
    esse_out_text(&s->out, ", and not what it wrote to ");
    put_key(s, edge);
}

static bool tell_single(struct story *s, const struct esse_edge *edge)
{
    const struct esse_edge *back = edge_at(s, (uint32_t)(edge - s->edges) + 1);
    if (s->given + 1 == s->count)
        tell_stale(s, edge);
    else if (s->by_predicate || (back->dep == ESSE_DEP_WRP && is_asked_twice(s, edge)))
        tell_phantom(s, edge);
    else if (s->count == 2 && back->dep == ESSE_DEP_WW && back->key.ix == edge->key.ix)
        tell_lost_update(s, edge);
    else if (s->count == 2 && back->dep == ESSE_DEP_WR && back->to_op.ix == edge->from_op.ix &&
             back->key.ix == edge->key.ix)
        tell_half_read(s, edge);
    else if (s->count == 2 && back->dep == ESSE_DEP_WR)
        tell_read_skew(s, edge, back);
    else
        return false;
    return true;
}

/* ---- stories with two ---- */

static bool writes(const struct story *s, esse_txn txn)
{
    for (uint32_t op = s->history->txn_op[txn.ix]; op < s->history->txn_op[txn.ix + 1]; op++)
        for (uint32_t i = 0; i < esse_access_count(s->history, op); i++)
            if (esse_access_at(s->history, op, i).kind != ESSE_OP_READ)
                return true;
    return false;
}

/* Of one key there is no skew: the second writer did not know of the first. */
static void tell_same_update(struct story *s)
{
    const bool is_lost = !is_read_again(s, &s->edges[0]) && !is_read_again(s, &s->edges[1]);
    esse_out_text(&s->out, is_lost ? "a lost update: " : "an unrepeatable read: ");
    put_name(s, s->edges[0].from);
    esse_out_text(&s->out, " and ");
    put_name(s, s->edges[0].to);
    esse_out_text(&s->out, " both wrote ");
    put_key(s, &s->edges[0]);
    esse_out_text(&s->out, " and had read it without what the other wrote");
    if (!is_lost)
        esse_out_text(&s->out, ", though not only so");
}

static void tell_write_skew(struct story *s)
{
    esse_out_text(&s->out, s->by_predicate ? "predicate write skew: " : "write skew: ");
    put_missed(s, &s->edges[0]);
    esse_out_text(&s->out, ", and ");
    put_missed(s, &s->edges[1]);
}

/* 'edge' leaves a transaction that writes nothing, another rw follows it, and what that one leads
 * to was read. */
static void tell_read_only(struct story *s, const struct esse_edge *edge)
{
    const esse_txn seen = edge_at(s, (uint32_t)(edge - s->edges) + 1)->to;
    esse_out_text(&s->out, "the read-only anomaly: ");
    put_name(s, edge->from);
    esse_out_text(&s->out, ", which writes nothing, saw ");
    put_name(s, seen);
    esse_out_text(&s->out, " and not ");
    put_name(s, edge->to);
    esse_out_text(&s->out, ", which must come before ");
    put_name(s, seen);
}

/* wr rw wr rw */
static void tell_long_fork(struct story *s, const struct esse_edge *edge)
{
    const struct esse_edge *other = edge_at(s, (uint32_t)(edge - s->edges) + 2);
    esse_out_text(&s->out, s->by_predicate ? "a long fork, by a predicate: " : "a long fork: ");
    put_name(s, edge->from);
    esse_out_text(&s->out, " and ");
    put_name(s, other->from);
    esse_out_text(&s->out, " saw ");
    put_name(s, edge->to);
    esse_out_text(&s->out, " and ");
    put_name(s, other->to);
    esse_out_text(&s->out, " in opposite orders");
}

static bool is_forked(const struct story *s, uint32_t at)
{
    return s->count == 4 && is_reading(edge_at(s, at + 1)) && is_anti(edge_at(s, at + 2)) &&
           is_reading(edge_at(s, at + 3));
}

static bool tell_double(struct story *s, uint32_t at)
{
    const struct esse_edge *edge = edge_at(s, at);
    if (s->count == 2 && !s->by_predicate && edge->key.ix == edge_at(s, at + 1)->key.ix)
        tell_same_update(s);
    else if (s->count == 2)
        tell_write_skew(s);
    else if (s->count == 3 && is_anti(edge_at(s, at + 1)) && is_reading(edge_at(s, at + 2)) &&
             !writes(s, edge->from))
        tell_read_only(s, edge);
    else if (is_forked(s, at))
        tell_long_fork(s, edge);
    else
        return false;
    return true;
}

/* ---- which it is ---- */

const char *esse_cycle_words(struct esse_arena *arena, const struct esse_history *history,
                             const struct esse_edge *edges, uint32_t count)
{
    struct story s = { .history = history, .edges = edges, .count = count };
    bool told = false;
    for (uint32_t i = 0; i < count; i++) {
        s.anti += is_anti(&edges[i]);
        s.by_predicate += edges[i].dep == ESSE_DEP_RWP;
        s.given += is_given(&edges[i]);
    }
    if (s.anti > 2)
        return NULL;
    esse_out_init_memory(&s.out, arena);
    if (!s.anti)
        told = tell_plain(&s);
    for (uint32_t i = 0; !told && i < count; i++)
        if (is_anti(&edges[i]))
            told = s.anti == 1 ? tell_single(&s, &edges[i]) : tell_double(&s, i);
    return told ? esse_out_memory(&s.out) : NULL;
}
