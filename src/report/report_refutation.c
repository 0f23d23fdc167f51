#include "report/report_refutation.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/out.h"
#include "base/vec.h"
#include "history/access.h"
#include "history/show.h"

#include <string.h>

ESSE_VEC(literal_vec, uint32_t)
ESSE_VEC(edge_vec, struct esse_edge)

/* ---- choices in words ---- */

uint32_t esse_choice_number(const struct esse_refutation *refutation, uint32_t choice)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i <= choice; i++)
        number += refutation->choices[i].kind != ESSE_CHOICE_BOTH;
    return number;
}

/* "the 1 that t0 wrote", "t0's delete", "the initial value". */
static void put_version(struct esse_out *out, const struct esse_history *history, esse_key key,
                        esse_op write)
{
    esse_value value;
    if (write.ix == ESSE_NO_OP || !esse_op_write_of(history, write.ix, key, &value)) {
        esse_out_text(out, "the initial value");
        return;
    }
    const char *name = esse_show_txn_text(out->arena, history, esse_op_txn(history, write.ix));
    if (esse_value_eq(value, ESSE_NIL)) {
        esse_out_f(out, "%s's delete", name);
        return;
    }
    esse_out_text(out, "the ");
    esse_show_value(out, history, value);
    esse_out_f(out, " that %s %s", name,
               history->op_kind[write.ix] == ESSE_OP_APPEND ? "appended" : "wrote");
}

static void put_key(struct esse_out *out, const struct esse_history *history,
                    const struct esse_choice *choice)
{
    const bool is_put =
        choice->first.ix != ESSE_NO_OP && history->op_kind[choice->first.ix] != ESSE_OP_DELETE;
    esse_out_text(out, is_put ? " to " : " of ");
    esse_show_key(out, history, choice->key);
}

static void put_source(struct esse_out *out, const struct esse_history *history,
                       const struct esse_choice *choice, bool so)
{
    const char *name =
        esse_show_txn_text(out->arena, history, esse_op_txn(history, choice->second.ix));
    if (esse_op_is_predicate(history->op_kind[choice->second.ix]))
        esse_out_f(out, "the predicate of %s %s ", name, so ? "saw" : "did not see");
    else
        esse_out_f(out, "%s %s ", name, so ? "read" : "did not read");
    put_version(out, history, choice->key, choice->first);
    put_key(out, history, choice);
}

const char *esse_choice_words(struct esse_arena *arena, const struct esse_history *history,
                              const struct esse_refutation *refutation, uint32_t literal)
{
    const struct esse_choice *choice = &refutation->choices[literal >> 1];
    const bool so = !(literal & 1);
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    if (choice->kind == ESSE_CHOICE_SOURCE) {
        put_source(&out, history, choice, so);
        return esse_out_memory(&out);
    }
    put_version(&out, history, choice->key, choice->first);
    put_key(&out, history, choice);
    esse_out_text(&out, so ? " came before " : " came after ");
    put_version(&out, history, choice->key, choice->second);
    return esse_out_memory(&out);
}

const char *esse_choice_again(const struct esse_refutation *refutation, uint32_t literal)
{
    const bool so = !(literal & 1);
    if (refutation->choices[literal >> 1].kind == ESSE_CHOICE_SOURCE)
        return so ? "it did" : "it did not";
    return so ? "it came before" : "it came after";
}

/* ---- what is given ---- */

static bool has_literal(const struct literal_vec *all, uint32_t literal)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i] == literal)
            return true;
    return false;
}

/* That two are not both so says nothing about either: no edge rests on it. */
static void give(struct literal_vec *all, struct esse_arena *arena,
                 const struct esse_refutation *refutation, uint32_t literal)
{
    const struct esse_choice *choice = &refutation->choices[literal >> 1];
    if (choice->kind != ESSE_CHOICE_BOTH) {
        if (!has_literal(all, literal))
            literal_vec_push(all, arena, literal);
    } else if (!(literal & 1)) {
        give(all, arena, refutation, choice->parts[0]);
        give(all, arena, refutation, choice->parts[1]);
    }
}

struct esse_given esse_given_of(struct esse_arena *arena, const struct esse_refutation *refutation,
                                const struct esse_clause *clause)
{
    struct literal_vec all = { 0 };
    for (uint32_t i = 0; i < clause->count; i++)
        give(&all, arena, refutation, clause->literals[i] ^ 1);
    return (struct esse_given){ all.at, (uint32_t)all.count };
}

/* ---- on what an edge rests ---- */

struct resting {
    const struct esse_history *history;
    const struct esse_refutation *refutation;
    const struct esse_edge *edge;
};

/* Does the literal say that the version of 'first' comes before that of the edge's end?  Of the
 * versions that have the value, if only that is known of the first. */
static bool is_order(const struct resting *r, uint32_t literal, const uint32_t *first,
                     const esse_value *value)
{
    const struct esse_choice *choice = &r->refutation->choices[literal >> 1];
    const bool so = !(literal & 1);
    const uint32_t before = so ? choice->first.ix : choice->second.ix;
    const uint32_t after = so ? choice->second.ix : choice->first.ix;
    esse_value written;
    return choice->kind == ESSE_CHOICE_ORDER && choice->key.ix == r->edge->key.ix &&
           esse_op_txn(r->history, after).ix == r->edge->to.ix &&
           (first ? esse_op_txn(r->history, before).ix == *first
                  : esse_op_write_of(r->history, before, choice->key, &written) &&
                        esse_value_eq(written, *value));
}

static bool is_source(const struct resting *r, uint32_t literal, uint32_t read)
{
    const struct esse_choice *choice = &r->refutation->choices[literal >> 1];
    return !(literal & 1) && choice->kind == ESSE_CHOICE_SOURCE &&
           choice->key.ix == r->edge->key.ix && choice->second.ix == read;
}

static uint32_t find_order(const struct resting *r, struct esse_given given, const uint32_t *first,
                           const esse_value *value)
{
    uint32_t at = 0;
    while (at < given.count && !is_order(r, given.literals[at], first, value))
        at++;
    return at;
}

static void push_found(struct literal_vec *found, struct esse_arena *arena, struct esse_given given,
                       uint32_t at)
{
    if (at < given.count)
        literal_vec_push(found, arena, given.literals[at]);
}

/* 'from' read a version, which comes before that of 'to'. */
static void find_anti(const struct resting *r, struct esse_arena *arena, struct esse_given given,
                      struct literal_vec *found)
{
    esse_value value;
    for (uint32_t i = 0; i < given.count; i++) {
        if (!is_source(r, given.literals[i], r->edge->from_op.ix))
            continue;
        const uint32_t write = r->refutation->choices[given.literals[i] >> 1].first.ix;
        uint32_t order = given.count;
        if (write != ESSE_NO_OP) {
            const uint32_t writer = esse_op_txn(r->history, write).ix;
            order = find_order(r, given, &writer, NULL);
        }
        if (write != ESSE_NO_OP && order == given.count)
            continue;
        literal_vec_push(found, arena, given.literals[i]);
        push_found(found, arena, given, order);
        return;
    }
    if (esse_op_read_of(r->history, r->edge->from_op.ix, r->edge->key, &value))
        push_found(found, arena, given, find_order(r, given, NULL, &value));
}

struct esse_given esse_edge_given(struct esse_arena *arena, const struct esse_history *history,
                                  const struct esse_refutation *refutation, struct esse_given given,
                                  const struct esse_edge *edge)
{
    const struct resting r = { history, refutation, edge };
    struct literal_vec found = { 0 };
    if (edge->has_key && (edge->dep == ESSE_DEP_WW || edge->dep == ESSE_DEP_WWP))
        push_found(&found, arena, given, find_order(&r, given, &edge->from.ix, NULL));
    else if (edge->has_key && (edge->dep == ESSE_DEP_RW || edge->dep == ESSE_DEP_RWP))
        find_anti(&r, arena, given, &found);
    else if (edge->has_key)
        for (uint32_t i = 0; i < given.count && !found.count; i++)
            if (is_source(&r, given.literals[i], edge->to_op.ix) &&
                refutation->choices[given.literals[i] >> 1].first.ix == edge->from_op.ix)
                literal_vec_push(&found, arena, given.literals[i]);
    return (struct esse_given){ found.at, (uint32_t)found.count };
}

/* ---- all edges ---- */

static bool is_same_edge(const struct esse_edge *a, const struct esse_edge *b)
{
    return a->from.ix == b->from.ix && a->to.ix == b->to.ix && a->dep == b->dep &&
           a->has_key == b->has_key && (!a->has_key || a->key.ix == b->key.ix) &&
           a->from_op.ix == b->from_op.ix && a->to_op.ix == b->to_op.ix;
}

static const char *name_condition(struct esse_arena *arena,
                                  const struct esse_refutation *refutation, struct esse_given given)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (uint32_t i = 0; i < given.count; i++)
        esse_out_f(&out, "%s%s%u", i ? ", " : "", given.literals[i] & 1 ? "not " : "",
                   esse_choice_number(refutation, given.literals[i] >> 1));
    return esse_out_memory(&out);
}

const char *esse_edge_condition(struct esse_arena *arena, const struct esse_history *history,
                                const struct esse_refutation *refutation,
                                const struct esse_edge *edge)
{
    const char *all = NULL;
    for (uint32_t c = 0; c < refutation->clause_count; c++) {
        const struct esse_clause *clause = &refutation->clauses[c];
        for (uint32_t i = 0; i < clause->edge_count; i++) {
            if (!is_same_edge(&clause->edges[i], edge))
                continue;
            struct esse_given given = esse_edge_given(
                arena, history, refutation, esse_given_of(arena, refutation, clause), edge);
            if (!given.count)
                return NULL;
            const char *text = name_condition(arena, refutation, given);
            if (!all)
                all = text;
            else if (!strstr(all, text))
                all = esse_arena_format(arena, "%s or %s", all, text);
        }
    }
    return all;
}

static bool has_edge(const struct edge_vec *all, const struct esse_index *index, uint32_t hash,
                     const struct esse_edge *edge)
{
    struct esse_probe probe = esse_index_probe(index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (is_same_edge(&all->at[id], edge))
            return true;
    return false;
}

const struct esse_edge *esse_refutation_edges(struct esse_arena *arena,
                                              const struct esse_refutation *refutation,
                                              uint32_t *count)
{
    struct edge_vec all = { 0 };
    struct esse_index index = { 0 };
    for (uint32_t c = 0; c < refutation->clause_count; c++) {
        const struct esse_clause *clause = &refutation->clauses[c];
        for (uint32_t i = 0; i < clause->edge_count; i++) {
            const struct esse_edge *edge = &clause->edges[i];
            const uint32_t hash = esse_hash_word((uint64_t)edge->from.ix << 32 | edge->to.ix);
            if (has_edge(&all, &index, hash, edge))
                continue;
            esse_index_add(&index, arena, hash, (uint32_t)all.count);
            edge_vec_push(&all, arena, *edge);
        }
    }
    *count = (uint32_t)all.count;
    return all.at;
}

const struct esse_clause *esse_refutation_plain(struct esse_arena *arena,
                                                const struct esse_refutation *refutation)
{
    for (uint32_t c = 0; c < refutation->clause_count; c++)
        if (refutation->clauses[c].kind == ESSE_CLAUSE_CYCLE &&
            !esse_given_of(arena, refutation, &refutation->clauses[c]).count)
            return &refutation->clauses[c];
    return NULL;
}
