#include "mirror/joint_solve.h"

#include <assert.h>
#include <string.h>

struct solver {
    const struct esse_joint_problem *problem;
    uint32_t count, words;
    uint64_t *reach; /* a row of bits for each node: what comes after it */
    bool failed, changed;
};

static bool reaches(const struct solver *s, uint32_t from, uint32_t to)
{
    return s->reach[(size_t)from * s->words + to / 64] >> (to % 64) & 1;
}

/* 'from' is before 'to', and so is all that is before or equal to it before all behind. */
static void add(struct solver *s, uint32_t from, uint32_t to)
{
    if (from == to || reaches(s, to, from)) {
        s->failed = true;
        return;
    }
    if (reaches(s, from, to))
        return;
    s->changed = true;
    const uint64_t *behind = &s->reach[(size_t)to * s->words];
    for (uint32_t x = 0; x < s->count; x++) {
        uint64_t *row = &s->reach[(size_t)x * s->words];
        if (x != from && !reaches(s, x, from))
            continue;
        for (uint32_t w = 0; w < s->words; w++)
            row[w] |= behind[w];
        row[to / 64] |= (uint64_t)1 << (to % 64);
    }
}

static bool is_impossible(const struct solver *s, struct esse_joint_edge edge)
{
    return edge.from == edge.to || reaches(s, edge.to, edge.from);
}

static void choose(struct solver *s, struct esse_joint_edge a, struct esse_joint_edge b)
{
    if (reaches(s, a.from, a.to) || reaches(s, b.from, b.to))
        return;
    if (is_impossible(s, a))
        add(s, b.from, b.to);
    else if (is_impossible(s, b))
        add(s, a.from, a.to);
}

/* ---- reads ---- */

static bool may_precede(const struct solver *s, uint32_t from, uint32_t to)
{
    return from == ESSE_JOINT_NONE ||
           (to != ESSE_JOINT_NONE && !is_impossible(s, (struct esse_joint_edge){ from, to }));
}

/* Can this candidate have been the newest in the snapshot? */
static bool may_be(const struct solver *s, const struct esse_joint_constraint *read, uint32_t at)
{
    const uint32_t seen = read->candidates[at].node;
    if (!may_precede(s, seen, read->snapshot))
        return false;
    for (uint32_t i = 0; i < read->count; i++) {
        const uint32_t other = read->candidates[i].node;
        if (i != at && !may_precede(s, other, seen) && !may_precede(s, read->snapshot, other))
            return false;
    }
    return true;
}

/* The candidate was the newest: each other one is older, or came after the snapshot. */
static void must_be(struct solver *s, const struct esse_joint_constraint *read, uint32_t at)
{
    const uint32_t seen = read->candidates[at].node, snapshot = read->snapshot;
    if (seen != ESSE_JOINT_NONE)
        add(s, seen, snapshot);
    for (uint32_t i = 0; i < read->count && !s->failed; i++) {
        const uint32_t other = read->candidates[i].node;
        if (i == at || other == ESSE_JOINT_NONE)
            continue;
        if (seen == ESSE_JOINT_NONE)
            add(s, snapshot, other);
        else
            choose(s, (struct esse_joint_edge){ other, seen },
                   (struct esse_joint_edge){ snapshot, other });
    }
}

static void look_at_read(struct solver *s, const struct esse_joint_constraint *read)
{
    uint32_t left = 0, only = 0;
    for (uint32_t i = 0; i < read->count; i++) {
        if (read->candidates[i].matches && may_be(s, read, i)) {
            left++;
            only = i;
        }
    }
    if (!left)
        s->failed = true;
    else if (left == 1)
        must_be(s, read, only);
}

static void look_at(struct solver *s, const struct esse_joint_constraint *c)
{
    if (c->is_read)
        look_at_read(s, c);
    else if (is_impossible(s, c->either[0]) && is_impossible(s, c->either[1]))
        s->failed = true;
    else
        choose(s, c->either[0], c->either[1]);
}

/* ---- what the intervals and sessions say ---- */

static bool is_before(const struct solver *s, uint32_t i, uint32_t j)
{
    const struct esse_joint_node *a = &s->problem->nodes[i], *b = &s->problem->nodes[j];
    if (a->session != ESSE_JOINT_NONE && a->session == b->session && a->last < b->first)
        return true;
    if (s->problem->by_session_only)
        return false;
    return a->at.a <= b->at.b;
}

static void add_known(struct solver *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t j = 0; j < s->count && !s->failed; j++)
            if (i != j && is_before(s, i, j))
                add(s, i, j);
}

bool esse_joint_holds(const struct esse_joint_problem *problem, struct esse_arena *arena)
{
    struct solver s = { .problem = problem,
                        .count = problem->node_count,
                        .words = (problem->node_count + 63) / 64 };
    if (!s.count)
        return true;
    s.reach = esse_arena_zeros(arena, (size_t)s.count * s.words, uint64_t);
    add_known(&s);
    do {
        s.changed = false;
        for (uint32_t i = 0; i < problem->constraint_count && !s.failed; i++)
            if (!problem->left_out || !problem->left_out[i])
                look_at(&s, &problem->constraints[i]);
    } while (s.changed && !s.failed);
    esse_arena_drop(arena, s.reach);
    return !s.failed;
}
