#include "engine/cycle_words.h"

#include "base/out.h"
#include "history/access.h"
#include "history/given_order.h"
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
    esse_show_f(&s->out, s->history, "%t looked for %v and did not see that the row %b %s, by %t",
                edge->from, text_of(s, edge->from_op.ix), edge->key, effect(s, edge), edge->to);
}

/* Or "t1 read y without what t2 wrote to it".  Which was first in time is not known. */
static void put_missed(struct story *s, const struct esse_edge *edge)
{
    if (edge->dep != ESSE_DEP_RW) {
        put_unseen(s, edge);
        return;
    }
    esse_show_f(&s->out, s->history, "%t read %k without what %t wrote to it", edge->from,
                edge->key, edge->to);
}

/* ---- stories of two without rw ---- */

/* Each overwrote the other, of two keys. */
static void tell_dirty_write(struct story *s)
{
    esse_show_f(&s->out, s->history,
                "dirty writes: the version of %t comes before that of %t in %k, and after it in %k",
                s->edges[0].from, s->edges[0].to, s->edges[0].key, s->edges[1].key);
}

static void tell_flow(struct story *s)
{
    esse_out_text(&s->out, "circular information flow: ");
    for (uint32_t i = 0; i < 2; i++)
        esse_show_f(&s->out, s->history, "%t read what %t wrote to %k%s", s->edges[i].to,
                    s->edges[i].from, s->edges[i].key, i ? "" : ", and ");
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
        esse_show_f(&s->out, s->history, "the row %b %s between two evaluations of %v by %t",
                    edge->key, effect(s, edge), text_of(s, edge->from_op.ix), edge->from);
        return;
    }
    put_unseen(s, edge);
    esse_show_f(&s->out, s->history, ", and yet %t comes after %t", edge->from, edge->to);
}

/* Everything else is session order or time. */
static void tell_stale(struct story *s, const struct esse_edge *edge)
{
    if (edge->dep == ESSE_DEP_RW)
        esse_show_f(&s->out, s->history,
                    "a stale read: %t read %k without what %t, which came first, wrote to it",
                    edge->from, edge->key, edge->to);
    else
        esse_show_f(&s->out, s->history,
                    "a stale predicate read: %t looked for %v and missed that the row %b had %s, "
                    "by %t, which came first",
                    edge->from, text_of(s, edge->from_op.ix), edge->key, effect(s, edge), edge->to);
}

/* Had the reader read the key again, and another version, when it wrote it? */
static bool is_read_again(const struct story *s, const struct esse_edge *edge)
{
    return esse_op_is_read_again(s->history, edge->from_op, edge->key);
}

static void tell_lost_update(struct story *s, const struct esse_edge *edge)
{
    esse_show_f(&s->out, s->history,
                is_read_again(s, edge)
                    ? "an unrepeatable read: %t read %k at first without what %t had written to "
                      "it, then another version, and then wrote it"
                    : "a lost update: %t wrote %k without knowing what %t had written to it",
                edge->from, edge->key, edge->to);
}

/* One read, of a list that has some of the writer's elements. */
static void tell_half_read(struct story *s, const struct esse_edge *edge)
{
    esse_show_f(&s->out, s->history,
                "an intermediate read: %t saw only a part of what %t wrote to %k", edge->from,
                edge->to, edge->key);
}

static void tell_read_skew(struct story *s, const struct esse_edge *edge,
                           const struct esse_edge *back)
{
    if (edge->key.ix == back->key.ix)
        esse_show_f(&s->out, s->history,
                    "an unrepeatable read: %t read %k both without and with what %t wrote to it",
                    edge->from, edge->key, edge->to);
    else
        esse_show_f(&s->out, s->history,
                    "read skew: %t saw what %t wrote to %k, and not what it wrote to %k",
                    edge->from, edge->to, back->key, edge->key);
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

/* Of one key there is no skew: the second writer did not know of the first. */
static void tell_same_update(struct story *s)
{
    const bool is_lost = !is_read_again(s, &s->edges[0]) && !is_read_again(s, &s->edges[1]);
    esse_show_f(&s->out, s->history,
                "%s%t and %t both wrote %k and had read it without what the other wrote",
                is_lost ? "a lost update: " : "an unrepeatable read: ", s->edges[0].from,
                s->edges[0].to, s->edges[0].key);
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
    esse_show_f(&s->out, s->history,
                "the read-only anomaly: %t, which writes nothing, saw %t and not %t, which must "
                "come before %t",
                edge->from, seen, edge->to, seen);
}

/* wr rw wr rw */
static void tell_long_fork(struct story *s, const struct esse_edge *edge)
{
    const struct esse_edge *other = edge_at(s, (uint32_t)(edge - s->edges) + 2);
    esse_show_f(&s->out, s->history, "%s%t and %t saw %t and %t in opposite orders",
                s->by_predicate ? "a long fork, by a predicate: " : "a long fork: ", edge->from,
                other->from, edge->to, other->to);
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
             !esse_txn_writes(s->history, edge->from.ix, NULL))
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
