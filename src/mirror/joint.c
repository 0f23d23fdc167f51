#include "mirror/joint_solve.h"
#include "mirror/mirror_state.h"

#include <string.h>

/*
 * The graph of instants: those that are joined by what their intervals alone do not decide, in
 * components.  A component is solved when nothing can be added to it any more (M5).
 */

/* Whose instant a node is, so that it can be taken away there. */
enum owner { OWNER_S, OWNER_C, OWNER_OP, OWNER_KEY_S, OWNER_KEY_C, OWNER_NOBODY };

struct node {
    struct esse_joint_node n;
    uint32_t txn, op; /* op: or the key's nodes */
    enum owner owner;
    uint32_t parent, next; /* 'next' in its component */
    /* Of a root: */
    uint32_t tail, size, constraints, constraints_tail;
    int64_t latest;  /* end of its intervals */
    uint32_t number; /* while it is solved */
};
ESSE_VEC(node_vec, struct node)

struct constraint {
    struct esse_joint_constraint c; /* its nodes are ours until it is solved */
    uint32_t txns[2];
    uint32_t next;
};
ESSE_VEC(constraint_vec, struct constraint)

/* The instants of a transaction as far as one key sees them. */
struct key_nodes {
    uint64_t key;
    uint32_t s, c, next;
};
ESSE_VEC(key_nodes_vec, struct key_nodes)

struct mirror_joint {
    struct esse_arena *arena;
    struct node_vec nodes; /* 0 is nobody, here and below */
    struct constraint_vec constraints;
    struct key_nodes_vec keys;
    uint32_t spare_node, spare_constraint, spare_key;
    struct mirror_u32_vec roots; /* of components, and some that are no roots any more */
    struct mirror_u32_vec members, core;
};

struct mirror_joint *esse_joint_new(struct esse_arena *arena)
{
    struct mirror_joint *j = esse_arena_alloc(arena, 1, sizeof *j);
    *j = (struct mirror_joint){ .arena = arena };
    node_vec_push(&j->nodes, arena, (struct node){ 0 });
    constraint_vec_push(&j->constraints, arena, (struct constraint){ 0 });
    key_nodes_vec_push(&j->keys, arena, (struct key_nodes){ 0 });
    return j;
}

/* ---- components ---- */

static uint32_t root_of(struct mirror_joint *j, uint32_t node)
{
    while (j->nodes.at[node].parent != node) {
        j->nodes.at[node].parent = j->nodes.at[j->nodes.at[node].parent].parent;
        node = j->nodes.at[node].parent;
    }
    return node;
}

static uint32_t unite(struct mirror_joint *j, uint32_t a, uint32_t b)
{
    a = root_of(j, a);
    b = root_of(j, b);
    if (a == b)
        return a;
    if (j->nodes.at[a].size < j->nodes.at[b].size) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    struct node *to = &j->nodes.at[a], *from = &j->nodes.at[b];
    from->parent = a;
    j->nodes.at[to->tail].next = b;
    to->tail = from->tail;
    to->size += from->size;
    to->latest = from->latest > to->latest ? from->latest : to->latest;
    if (from->constraints) {
        if (to->constraints)
            j->constraints.at[to->constraints_tail].next = from->constraints;
        else
            to->constraints = from->constraints;
        to->constraints_tail = from->constraints_tail;
    }
    return a;
}

static uint32_t new_node(struct mirror_joint *j, const struct node *node)
{
    uint32_t at = j->spare_node;
    if (at) {
        j->spare_node = j->nodes.at[at].next;
        j->nodes.at[at] = *node;
    } else {
        at = (uint32_t)j->nodes.count;
        node_vec_push(&j->nodes, j->arena, *node);
    }
    struct node *n = &j->nodes.at[at];
    n->parent = n->tail = at;
    n->next = 0;
    n->size = 1;
    n->latest = n->n.at.a;
    mirror_u32_vec_push(&j->roots, j->arena, at);
    return at;
}

/* ---- instants of transactions ---- */

static uint32_t session_of(const struct mirror_txn *t)
{
    return t->is_interleaved ? ESSE_JOINT_NONE : t->session;
}

/* In its session: 0 is BEGIN, i + 1 operation i. */
static uint64_t place(const struct mirror_txn *t, uint32_t at)
{
    const uint32_t most = (1u << 24) - 1;
    return t->sequence << 24 | (at < most ? at : most);
}

static uint32_t *key_nodes_of(struct mirror_joint *j, struct mirror_txn *t, uint64_t key, bool is_s)
{
    uint32_t at = t->key_nodes;
    while (at && j->keys.at[at].key != key)
        at = j->keys.at[at].next;
    if (!at) {
        at = j->spare_key;
        if (at) {
            j->spare_key = j->keys.at[at].next;
        } else {
            at = (uint32_t)j->keys.count;
            key_nodes_vec_extend(&j->keys, j->arena, 1);
        }
        j->keys.at[at] = (struct key_nodes){ key, 0, 0, t->key_nodes };
        t->key_nodes = at;
    }
    return is_s ? &j->keys.at[at].s : &j->keys.at[at].c;
}

/* The transaction's snapshot or its end; where time is that of a key, as that key sees them. */
static uint32_t node_of_txn(struct esse_mirror *m, uint32_t slot, uint64_t key, bool is_s)
{
    struct mirror_joint *j = m->joint;
    struct mirror_txn *t = &m->txns[slot];
    const bool by_key = t->row->time == ESSE_TIME_KEY;
    uint32_t *own = by_key ? key_nodes_of(j, t, key, is_s) : is_s ? &t->s_node : &t->c_node;
    if (*own)
        return *own;
    const bool has_place = t->status == TXN_COMMITTED;
    struct node node = { .n = { .at = is_s ? t->s : t->c, .session = session_of(t) },
                         .txn = slot,
                         .op = by_key ? t->key_nodes : 0,
                         .owner = by_key ? (is_s ? OWNER_KEY_S : OWNER_KEY_C)
                                         : (is_s ? OWNER_S : OWNER_C) };
    if (by_key)
        for (node.op = t->key_nodes; j->keys.at[node.op].key != key;)
            node.op = j->keys.at[node.op].next;
    node.n.first = is_s ? place(t, t->s_first) : place(t, has_place ? t->op_count + 1 : 1);
    node.n.last = is_s ? place(t, t->s_last) : place(t, t->op_count + 1);
    t->pins++;
    const uint32_t at = new_node(j, &node);
    own = by_key ? key_nodes_of(j, t, key, is_s) : own;
    return *own = at;
}

static uint32_t node_of_op(struct esse_mirror *m, uint32_t slot, uint32_t at)
{
    struct mirror_txn *t = &m->txns[slot];
    if (m->txns[slot].ops[at].statement != MIRROR_NONE && t->row->reads == ESSE_READS_STATEMENT)
        at = t->ops[at].statement; /* one snapshot for all of its rows */
    struct mirror_op *op = &t->ops[at];
    if (op->node)
        return op->node;
    const uint64_t here = place(t, (op->statement == MIRROR_NONE ? at : op->statement) + 1);
    const struct node node = {
        .n = { .at = op->at, .session = session_of(t), .first = here, .last = here },
        .txn = slot,
        .op = at,
        .owner = OWNER_OP
    };
    t->pins++;
    op->node = new_node(m->joint, &node);
    return op->node;
}

/* The commit of a transaction that is not kept any more.  Another read has another node of it: that
 * can only lose a finding. */
static uint32_t node_of_nobody(struct esse_mirror *m, struct esse_instant c)
{
    const struct node node = { .n = { .at = c, .session = ESSE_JOINT_NONE },
                               .owner = OWNER_NOBODY };
    return new_node(m->joint, &node);
}

static void disown(struct esse_mirror *m, const struct node *node)
{
    if (node->owner == OWNER_NOBODY)
        return;
    struct mirror_txn *t = &m->txns[node->txn];
    switch (node->owner) {
    case OWNER_S:
        t->s_node = 0;
        break;
    case OWNER_C:
        t->c_node = 0;
        break;
    case OWNER_OP:
        t->ops[node->op].node = 0;
        break;
    case OWNER_KEY_S:
        m->joint->keys.at[node->op].s = 0;
        break;
    case OWNER_KEY_C:
        m->joint->keys.at[node->op].c = 0;
        break;
    case OWNER_NOBODY:
        break;
    }
    assert(t->pins > 0);
    if (--t->pins || !t->key_nodes)
        return;
    uint32_t last = t->key_nodes;
    while (m->joint->keys.at[last].next)
        last = m->joint->keys.at[last].next;
    m->joint->keys.at[last].next = m->joint->spare_key;
    m->joint->spare_key = t->key_nodes;
    t->key_nodes = 0;
}

/* ---- solving ---- */

static struct esse_joint_problem problem_of(struct mirror_joint *j, uint32_t root,
                                            struct esse_arena *arena)
{
    struct esse_joint_node *nodes = esse_arena_array(arena, j->nodes.at[root].size, *nodes);
    uint32_t count = 0, constraints = 0;
    for (uint32_t n = root; n; n = j->nodes.at[n].next) {
        j->nodes.at[n].number = count;
        nodes[count++] = j->nodes.at[n].n;
    }
    for (uint32_t c = j->nodes.at[root].constraints; c; c = j->constraints.at[c].next)
        constraints++;
    struct esse_joint_constraint *list = esse_arena_array(arena, (size_t)constraints + 1, *list);
    constraints = 0;
    for (uint32_t c = j->nodes.at[root].constraints; c; c = j->constraints.at[c].next) {
        struct esse_joint_constraint copy = j->constraints.at[c].c;
        for (unsigned i = 0; i < 2 && !copy.is_read; i++) {
            copy.either[i].from = j->nodes.at[copy.either[i].from].number;
            copy.either[i].to = j->nodes.at[copy.either[i].to].number;
        }
        if (copy.is_read) {
            copy.snapshot = j->nodes.at[copy.snapshot].number;
            copy.candidates = esse_arena_array(arena, copy.count, *copy.candidates);
            for (uint32_t i = 0; i < copy.count; i++) {
                copy.candidates[i] = j->constraints.at[c].c.candidates[i];
                if (copy.candidates[i].node)
                    copy.candidates[i].node = j->nodes.at[copy.candidates[i].node].number;
                else
                    copy.candidates[i].node = ESSE_JOINT_NONE;
            }
        }
        list[constraints++] = copy;
    }
    return (struct esse_joint_problem){
        .nodes = nodes, .node_count = count, .constraints = list, .constraint_count = constraints
    };
}

/* Leaves out whatever is not needed for the contradiction, and tells what is left. */
static void tell(struct esse_mirror *m, uint32_t root, struct esse_joint_problem *problem,
                 struct esse_arena *arena)
{
    struct mirror_joint *j = m->joint;
    bool *left_out = esse_arena_zeros(arena, (size_t)problem->constraint_count + 1, bool);
    problem->left_out = left_out;
    for (uint32_t i = 0; i < problem->constraint_count; i++) {
        left_out[i] = true;
        if (esse_joint_holds(problem, arena))
            left_out[i] = false;
    }
    struct esse_finding finding =
        esse_mirror_finding(ESSE_MECHANISM_JOINT, ESSE_RULE_NO_INSTANTS, 0);
    uint32_t i = 0;
    for (uint32_t c = j->nodes.at[root].constraints; c; c = j->constraints.at[c].next, i++) {
        const struct constraint *constraint = &j->constraints.at[c];
        if (left_out[i])
            continue;
        finding.with |= 1u << constraint->c.mechanism;
        if (constraint->c.key != MIRROR_DATABASE)
            finding.key = constraint->c.key;
        if (!finding.line)
            finding.line = constraint->c.line;
        esse_mirror_finding_add(&finding, &m->txns[constraint->txns[0]]);
        if (constraint->txns[1] != MIRROR_NONE)
            esse_mirror_finding_add(&finding, &m->txns[constraint->txns[1]]);
        for (uint32_t k = 0; constraint->c.is_read && k < constraint->c.count; k++)
            if (constraint->c.candidates[k].node &&
                j->nodes.at[constraint->c.candidates[k].node].owner != OWNER_NOBODY)
                esse_mirror_finding_add(
                    &finding, &m->txns[j->nodes.at[constraint->c.candidates[k].node].txn]);
    }
    esse_mirror_tell(m, &finding);
}

static void release(struct esse_mirror *m, uint32_t root)
{
    struct mirror_joint *j = m->joint;
    for (uint32_t c = j->nodes.at[root].constraints, next; c; c = next) {
        next = j->constraints.at[c].next;
        esse_arena_drop(j->arena, j->constraints.at[c].c.candidates);
        j->constraints.at[c].next = j->spare_constraint;
        j->spare_constraint = c;
    }
    for (uint32_t n = root, next; n; n = next) {
        next = j->nodes.at[n].next;
        disown(m, &j->nodes.at[n]);
        j->nodes.at[n].parent = 0;
        j->nodes.at[n].next = j->spare_node;
        j->spare_node = n;
    }
}

static void solve(struct esse_mirror *m, uint32_t root)
{
    struct mirror_joint *j = m->joint;
    struct esse_arena *arena = esse_arena_new();
    const uint32_t size = j->nodes.at[root].size;
    m->counters.components++;
    if (size > m->counters.largest_component)
        m->counters.largest_component = size;
    struct esse_joint_problem problem = problem_of(j, root, arena);
    if (!esse_joint_holds(&problem, arena))
        tell(m, root, &problem, arena);
    esse_arena_free(arena);
    release(m, root);
}

void esse_joint_close(struct esse_mirror *m, bool is_end)
{
    struct mirror_joint *j = m->joint;
    size_t kept = 0;
    for (size_t i = 0; i < j->roots.count; i++) {
        const uint32_t node = j->roots.at[i];
        if (j->nodes.at[node].parent != node)
            continue; /* joined to another, or gone */
        /* A node that was given up and is used again stands here twice; so it may. */
        if (is_end || j->nodes.at[node].latest <= m->horizon)
            solve(m, node);
        else
            j->roots.at[kept++] = node;
    }
    j->roots.count = kept;
}

/* ---- constraints ---- */

static void add(struct esse_mirror *m, const struct constraint *constraint, uint32_t node)
{
    struct mirror_joint *j = m->joint;
    const uint32_t root = root_of(j, node);
    uint32_t at = j->spare_constraint;
    if (at) {
        j->spare_constraint = j->constraints.at[at].next;
        j->constraints.at[at] = *constraint;
    } else {
        at = (uint32_t)j->constraints.count;
        constraint_vec_push(&j->constraints, j->arena, *constraint);
    }
    struct node *r = &j->nodes.at[root];
    j->constraints.at[at].next = 0;
    if (r->constraints)
        j->constraints.at[r->constraints_tail].next = at;
    else
        r->constraints = at;
    r->constraints_tail = at;
    if (r->size <= ESSE_JOINT_NODES)
        return;
    m->counters.given_up++;
    solve(m, root);
}

void esse_joint_pair(struct esse_mirror *m, enum esse_mechanism mechanism, uint64_t key,
                     uint32_t txn0, uint32_t op0, uint32_t txn1, uint32_t op1)
{
    struct mirror_joint *j = m->joint;
    if (!j)
        return;
    const bool is_lock = mechanism == ESSE_MECHANISM_ME;
    const uint32_t a0 = is_lock ? node_of_op(m, txn0, op0) : node_of_txn(m, txn0, key, true);
    const uint32_t a1 = is_lock ? node_of_op(m, txn1, op1) : node_of_txn(m, txn1, key, true);
    const uint32_t r0 = node_of_txn(m, txn0, key, false), r1 = node_of_txn(m, txn1, key, false);
    const struct constraint constraint = { .c = { .either = { { r0, a1 }, { r1, a0 } },
                                                  .mechanism = mechanism,
                                                  .key = key,
                                                  .line =
                                                      is_lock ? m->txns[txn1].ops[op1].line : 0 },
                                           .txns = { txn0, txn1 } };
    unite(j, a0, a1);
    unite(j, r0, r1);
    add(m, &constraint, unite(j, a0, r0));
}

static bool is_initial(const struct mirror_candidate *candidate)
{
    return !candidate->version || candidate->c.a == MIRROR_INITIAL.a;
}

void esse_joint_read(struct esse_mirror *m, uint64_t key, uint32_t txn, uint32_t op,
                     bool at_snapshot, const struct mirror_candidate *candidates, size_t count)
{
    enum { MOST = 64 };
    struct mirror_joint *j = m->joint;
    const struct mirror_txn *t = &m->txns[txn];
    const bool has_own = at_snapshot || t->row->reads != ESSE_READS_TXN;
    const struct esse_instant s = has_own ? esse_mirror_snapshot(t, &t->ops[op]) : t->ops[op].at;
    if (!j || count > MOST || t->row->reads == ESSE_READS_LATE_ROW)
        return;
    if (t->row->reads != ESSE_READS_TXN && t->ops[op].flags & OP_CURSOR)
        return; /* its snapshot is no instant of the operation */
    if (count == 1 && (!candidates[0].version || mirror_sure(candidates[0].c, s)))
        return; /* as the intervals say */
    struct constraint constraint = { .c = { .is_read = true,
                                            .count = (uint32_t)count,
                                            .mechanism = ESSE_MECHANISM_CR,
                                            .key = key,
                                            .line = t->ops[op].line },
                                     .txns = { txn, MIRROR_NONE } };
    const uint32_t snapshot = at_snapshot ? node_of_txn(m, txn, key, true) : node_of_op(m, txn, op);
    constraint.c.snapshot = snapshot;
    constraint.c.candidates = esse_arena_array(j->arena, count, *constraint.c.candidates);
    for (size_t i = 0; i < count; i++) {
        uint32_t node = 0;
        if (!is_initial(&candidates[i])) {
            node = candidates[i].txn == MIRROR_NONE ? node_of_nobody(m, candidates[i].c)
                                                    : node_of_txn(m, candidates[i].txn, key, false);
            unite(j, snapshot, node);
        }
        constraint.c.candidates[i] = (struct esse_joint_candidate){ node, candidates[i].matches };
    }
    add(m, &constraint, snapshot);
}
