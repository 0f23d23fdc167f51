#include "mirror/mirror_state.h"

#include <string.h>

/*
 * SC: the dependencies between committed transactions, as far as they are certain, in a graph that
 * forgets.  A certifier does not let a cycle commit; that of ssi no dangerous pivot either; one by
 * timestamps no dependency against their order.  OCC: what was read stands until the commit.
 *
 * An edge that would close a cycle is told and not added, so the graph stays acyclic, and there is
 * an order in which every edge leads forward.  Nearly all edges agree with the order of ends and
 * cost nothing; for one that does not, what lies between its two vertices is looked at and moved
 * (Marchetti-Spaccamela, Nanni and Rohnert 1996).
 *
 * For a cycle an anti-dependency may lead to the writer of any later version: the next one's writer
 * is before it.  A pivot that ssi breaks up has two on the very next version: PostgreSQL compares
 * what was read with what took its place.  Which version that is is certain when no other can have
 * been installed between them any more.
 */

enum { NOBODY = 0 };

struct edge {
    uint32_t to;
    bool is_rw, is_next; /* is_next: to the writer of the very next version */
};
ESSE_VEC(edge_vec, struct edge)

struct vertex {
    struct mirror_txn t; /* its instants and names as they were; none of what it points at */
    bool is_used;
    uint32_t in;   /* edges that lead to it */
    uint32_t rank; /* its place in the order */
    struct edge_vec out;
    struct mirror_u32_vec rw_in; /* those that read what its versions took the place of */
    uint64_t round;              /* of the last search that met it */
    uint32_t from;               /* in that search */
};
ESSE_VEC(vertex_vec, struct vertex)

/* A read that waits for the version after the one that it read. */
struct reader {
    uint32_t vertex, next;
    uint32_t number; /* of its transaction, since the vertex may be another's by now */
    uint64_t column; /* that it read */
    struct esse_instant version;
};
ESSE_VEC(reader_vec, struct reader)

/* An anti-dependency on what is the next version, if nothing comes between. */
struct next {
    uint32_t from, to;
    uint32_t from_number, to_number; /* of their transactions */
    uint64_t key;
    struct esse_instant c; /* of the version that is the next one */
    bool is_spoilt;
};
ESSE_VEC(next_vec, struct next)

struct mirror_certifier {
    struct esse_arena *arena;
    struct vertex_vec vertices; /* 0 is nobody, here and below */
    struct reader_vec readers;
    uint32_t spare_reader;
    struct mirror_u32_vec spare, stack;
    struct mirror_u32_vec order; /* edges lead from earlier ones to later ones */
    struct next_vec next;
    uint64_t round;
};

struct mirror_certifier *esse_certifier_new(struct esse_arena *arena)
{
    struct mirror_certifier *c = esse_arena_alloc(arena, 1, sizeof *c);
    *c = (struct mirror_certifier){ .arena = arena };
    vertex_vec_push(&c->vertices, arena, (struct vertex){ 0 });
    reader_vec_push(&c->readers, arena, (struct reader){ 0 });
    return c;
}

static bool is_certified(const struct mirror_txn *t)
{
    return t->row->certifier != ESSE_CERTIFIER_NONE;
}

void esse_certifier_enter(struct esse_mirror *m, struct mirror_txn *t)
{
    struct mirror_certifier *c = m->certifier;
    if (!c || !is_certified(t) || t->has_gap)
        return;
    uint32_t at;
    if (c->spare.count) {
        at = c->spare.at[--c->spare.count];
    } else {
        at = (uint32_t)c->vertices.count;
        vertex_vec_push(&c->vertices, c->arena, (struct vertex){ 0 });
    }
    struct vertex *v = &c->vertices.at[at];
    v->t = *t;
    v->t.ops = NULL;
    v->is_used = true;
    v->in = 0;
    v->out.count = v->rw_in.count = 0;
    v->rank = (uint32_t)c->order.count;
    t->certified = at;
    mirror_u32_vec_push(&c->order, c->arena, at);
}

/* ---- telling ---- */

static void tell_path(struct esse_mirror *m, uint32_t from, uint32_t to, uint64_t key)
{
    struct mirror_certifier *c = m->certifier;
    struct esse_finding finding = esse_mirror_finding(ESSE_MECHANISM_SC, ESSE_RULE_CYCLE, key);
    for (uint32_t at = to; at != from; at = c->vertices.at[at].from)
        esse_mirror_finding_add(&finding, &c->vertices.at[at].t);
    esse_mirror_finding_add(&finding, &c->vertices.at[from].t);
    esse_mirror_tell(m, &finding);
}

/* ---- the order ---- */

/* Is there a way from one to the other?  It can only be by those that are not behind the other.
 * 'from' of what was met leads back. */
static bool reaches(struct mirror_certifier *c, uint32_t from, uint32_t to)
{
    const uint64_t round = ++c->round;
    c->stack.count = 0;
    mirror_u32_vec_push(&c->stack, c->arena, from);
    c->vertices.at[from].round = round;
    while (c->stack.count) {
        const uint32_t at = c->stack.at[--c->stack.count];
        if (at == to)
            return true;
        for (size_t i = 0; i < c->vertices.at[at].out.count; i++) {
            const uint32_t next = c->vertices.at[at].out.at[i].to;
            if (c->vertices.at[next].round == round ||
                c->vertices.at[next].rank > c->vertices.at[to].rank)
                continue;
            c->vertices.at[next].round = round;
            c->vertices.at[next].from = at;
            mirror_u32_vec_push(&c->stack, c->arena, next);
        }
    }
    return false;
}

static void place(struct mirror_certifier *c, uint32_t rank, uint32_t at)
{
    c->order.at[rank] = at;
    c->vertices.at[at].rank = rank;
}

/* Puts 'to' and what it leads to behind 'from'; false if it leads there itself. */
static bool put_behind(struct mirror_certifier *c, uint32_t from, uint32_t to)
{
    const uint32_t last = c->vertices.at[from].rank;
    uint32_t rank = c->vertices.at[to].rank;
    if (last < rank)
        return true;
    if (reaches(c, to, from))
        return false;
    c->stack.count = 0;
    for (uint32_t i = rank; i <= last; i++) {
        const uint32_t at = c->order.at[i];
        if (c->vertices.at[at].round == c->round)
            mirror_u32_vec_push(&c->stack, c->arena, at);
        else
            place(c, rank++, at);
    }
    for (size_t i = 0; i < c->stack.count; i++)
        place(c, rank++, c->stack.at[i]);
    return true;
}

/* ---- ssi ---- */

static bool are_concurrent(const struct vertex *a, const struct vertex *b)
{
    return mirror_sure(a->t.s, b->t.c) && mirror_sure(b->t.s, a->t.c);
}

static void look_at_pivot(struct esse_mirror *m, uint32_t a, uint32_t b, uint32_t last,
                          uint64_t key)
{
    const struct vertex *t1 = &m->certifier->vertices.at[a], *t2 = &m->certifier->vertices.at[b];
    const struct vertex *t3 = &m->certifier->vertices.at[last];
    if (t1->t.row->certifier != ESSE_CERTIFIER_SSI || t2->t.row->certifier != ESSE_CERTIFIER_SSI ||
        t3->t.row->certifier != ESSE_CERTIFIER_SSI)
        return;
    const bool is_first =
        (a == last || mirror_sure(t3->t.c, t1->t.c)) && mirror_sure(t3->t.c, t2->t.c);
    if (!is_first || !are_concurrent(t1, t2) || !are_concurrent(t2, t3) ||
        !(t1->t.wrote || mirror_sure(t3->t.c, t1->t.s))) {
        m->counters.pivots++;
        return;
    }
    struct esse_finding finding = esse_mirror_finding(ESSE_MECHANISM_SC, ESSE_RULE_PIVOT, key);
    esse_mirror_finding_add(&finding, &t2->t);
    esse_mirror_finding_add(&finding, &t1->t);
    esse_mirror_finding_add(&finding, &t3->t);
    esse_mirror_tell(m, &finding);
}

static void look_at_pivots(struct esse_mirror *m, uint32_t from, uint32_t to, uint64_t key)
{
    const struct vertex *v = &m->certifier->vertices.at[to];
    for (size_t i = 0; i < v->out.count; i++)
        if (v->out.at[i].is_next)
            look_at_pivot(m, from, to, v->out.at[i].to, key);
    v = &m->certifier->vertices.at[from];
    for (size_t i = 0; i < v->rw_in.count; i++)
        look_at_pivot(m, v->rw_in.at[i], from, to, key);
}

/* ---- edges ---- */

static bool has_edge(const struct vertex *v, uint32_t to, bool is_rw)
{
    for (size_t i = 0; i < v->out.count; i++)
        if (v->out.at[i].to == to && v->out.at[i].is_rw >= is_rw)
            return true;
    return false;
}

static bool goes_backwards(const struct vertex *from, const struct vertex *to)
{
    return from->t.row->certifier == ESSE_CERTIFIER_TO &&
           to->t.row->certifier == ESSE_CERTIFIER_TO && from->t.timestamp != ESSE_NO_TIME &&
           to->t.timestamp != ESSE_NO_TIME && from->t.timestamp > to->t.timestamp;
}

static void add_edge(struct esse_mirror *m, uint32_t from, uint32_t to, bool is_rw, uint64_t key)
{
    struct mirror_certifier *c = m->certifier;
    if (from == NOBODY || to == NOBODY || from == to || has_edge(&c->vertices.at[from], to, is_rw))
        return;
    if (goes_backwards(&c->vertices.at[from], &c->vertices.at[to])) {
        struct esse_finding finding =
            esse_mirror_finding(ESSE_MECHANISM_SC, ESSE_RULE_BACKWARDS, key);
        esse_mirror_finding_add(&finding, &c->vertices.at[from].t);
        esse_mirror_finding_add(&finding, &c->vertices.at[to].t);
        esse_mirror_tell(m, &finding);
        return;
    }
    if (!put_behind(c, from, to)) {
        tell_path(m, to, from, key);
        return;
    }
    edge_vec_push(&c->vertices.at[from].out, c->arena, (struct edge){ to, is_rw, false });
    c->vertices.at[to].in++;
}

/* ---- the next version ---- */

/* Can another version have been installed between the two? */
static bool is_between(struct esse_mirror *m, struct mirror_entry *entry, struct esse_instant read,
                       struct esse_instant next)
{
    if (entry->odd)
        return true;
    if (!entry->at[0].flags)
        return false;
    for (struct mirror_version *v = &entry->at[0]; v; v = esse_mirror_older(m, entry, v)) {
        const bool is_read = v->c.b == read.b && v->c.a == read.a;
        const bool is_next = v->c.b == next.b && v->c.a == next.a;
        if (!is_read && !is_next && !mirror_sure(v->c, read) && !mirror_sure(next, v->c))
            return true;
    }
    return false;
}

static void expect_next(struct esse_mirror *m, struct mirror_entry *entry, uint32_t from,
                        uint32_t to, struct esse_instant read, struct esse_instant next)
{
    struct mirror_certifier *c = m->certifier;
    const struct vertex *a = &c->vertices.at[from], *b = &c->vertices.at[to];
    if (from == NOBODY || to == NOBODY || from == to || a->t.row->certifier != ESSE_CERTIFIER_SSI ||
        is_between(m, entry, read, next))
        return;
    next_vec_push(&c->next, c->arena,
                  (struct next){ from, to, a->t.number, b->t.number, entry->key, next, false });
    entry->flags |= ENTRY_NEXT;
}

/* Another version of the key: it may have come before one that seemed to be the next. */
static void spoil_next(struct mirror_certifier *c, struct mirror_entry *entry,
                       struct esse_instant installed)
{
    bool is_left = false;
    if (!(entry->flags & ENTRY_NEXT))
        return;
    for (size_t i = 0; i < c->next.count; i++) {
        struct next *next = &c->next.at[i];
        if (next->key != entry->key)
            continue;
        next->is_spoilt |= !mirror_sure(next->c, installed);
        is_left = true;
    }
    if (!is_left)
        entry->flags &= ~(uint32_t)ENTRY_NEXT;
}

static bool is_there(const struct mirror_certifier *c, uint32_t at, uint32_t number)
{
    return c->vertices.at[at].is_used && c->vertices.at[at].t.number == number;
}

static void note_next(struct esse_mirror *m, const struct next *next)
{
    struct mirror_certifier *c = m->certifier;
    const bool has_odd = mirror_entry_at(m, esse_mirror_entry(m, next->key))->odd;
    if (next->is_spoilt || has_odd || !is_there(c, next->from, next->from_number) ||
        !is_there(c, next->to, next->to_number))
        return;
    struct edge_vec *out = &c->vertices.at[next->from].out;
    for (size_t i = 0; i < out->count; i++) {
        if (out->at[i].to != next->to || !out->at[i].is_rw || out->at[i].is_next)
            continue;
        out->at[i].is_next = true;
        look_at_pivots(m, next->from, next->to, next->key);
        mirror_u32_vec_push(&c->vertices.at[next->to].rw_in, c->arena, next->from);
        return;
    }
}

/* Whatever comes is later than the floor. */
static void note_all_next(struct esse_mirror *m)
{
    struct mirror_certifier *c = m->certifier;
    size_t kept = 0;
    for (size_t i = 0; i < c->next.count; i++) {
        if (c->next.at[i].c.a <= m->floor)
            note_next(m, &c->next.at[i]);
        else
            c->next.at[kept++] = c->next.at[i];
    }
    c->next.count = kept;
}

/* A transaction may be kept for longer than its vertex, which is another's then. */
static uint32_t vertex_of(const struct esse_mirror *m, const struct mirror_version *version)
{
    if (version->txn == MIRROR_NONE)
        return NOBODY;
    const struct mirror_txn *t = &m->txns[version->txn];
    const struct vertex *v = &m->certifier->vertices.at[t->certified];
    const bool is_its = t->status == TXN_COMMITTED && t->c.b == version->c.b &&
                        t->c.a == version->c.a && v->is_used && v->t.number == t->number;
    return is_its ? t->certified : NOBODY;
}

/* ---- readers that wait for a later version ---- */

static void wait_for_next(struct esse_mirror *m, struct mirror_entry *entry,
                          const struct mirror_txn *t, uint64_t column, struct esse_instant version)
{
    struct mirror_certifier *c = m->certifier;
    uint32_t at = c->spare_reader;
    if (at) {
        c->spare_reader = c->readers.at[at].next;
    } else {
        at = (uint32_t)c->readers.count;
        reader_vec_extend(&c->readers, c->arena, 1);
    }
    c->readers.at[at] = (struct reader){ t->certified, entry->readers, t->number, column, version };
    entry->readers = at;
}

/* Rows are bundles of columns: a version that leaves the column as it was overwrites nothing. */
static bool overwrites(const struct esse_mirror *m, const struct mirror_version *version,
                       uint64_t column)
{
    uint64_t value;
    bool any;
    return esse_mirror_sets(m, version, column, &value, &any);
}

/* A new version: those that read what it surely overwrote depend on its not being there. */
void esse_certifier_installed(struct esse_mirror *m, struct mirror_entry *entry,
                              const struct mirror_txn *t)
{
    struct mirror_certifier *c = m->certifier;
    if (!c)
        return;
    if (t->certified && entry->at[1].flags && mirror_sure(entry->at[1].c, t->c))
        add_edge(m, vertex_of(m, &entry->at[1]), t->certified, false, entry->key);
    spoil_next(c, entry, t->c);
    for (uint32_t *link = &entry->readers; *link;) {
        const uint32_t at = *link;
        const struct reader reader = c->readers.at[at];
        const bool is_here = is_there(c, reader.vertex, reader.number);
        const bool is_overwritten =
            mirror_sure(reader.version, t->c) && overwrites(m, &entry->at[0], reader.column);
        if (is_here && is_overwritten && t->certified) {
            add_edge(m, reader.vertex, t->certified, true, entry->key);
            expect_next(m, entry, reader.vertex, t->certified, reader.version, t->c);
        }
        if (is_here && !is_overwritten) {
            link = &c->readers.at[at].next;
            continue;
        }
        *link = reader.next;
        c->readers.at[at].next = c->spare_reader;
        c->spare_reader = at;
    }
}

/* The read is of this version, or of the initial one. */
void esse_certifier_read(struct esse_mirror *m, struct mirror_entry *entry, struct mirror_txn *t,
                         uint64_t column, const struct mirror_version *version)
{
    const struct esse_instant seen = version ? version->c : MIRROR_INITIAL;
    if (!m->certifier || !t->certified)
        return;
    if (version)
        add_edge(m, vertex_of(m, version), t->certified, false, entry->key);
    bool is_overwritten = false;
    if (entry->at[0].flags) {
        for (struct mirror_version *v = &entry->at[0]; v && v != version;
             v = esse_mirror_older(m, entry, v)) {
            if (!mirror_sure(seen, v->c) || !overwrites(m, v, column))
                continue;
            is_overwritten = true;
            if (vertex_of(m, v) == t->certified)
                continue;
            add_edge(m, t->certified, vertex_of(m, v), true, entry->key);
            expect_next(m, entry, t->certified, vertex_of(m, v), seen, v->c);
        }
    }
    if (!is_overwritten)
        wait_for_next(m, entry, t, column, seen);
}

/* ---- OCC ---- */

static void tell_overtaken(struct esse_mirror *m, struct mirror_entry *entry,
                           const struct mirror_txn *t, const struct mirror_op *op,
                           const struct mirror_version *v)
{
    struct esse_finding finding =
        esse_mirror_finding(ESSE_MECHANISM_OCC, ESSE_RULE_OVERTAKEN, entry->key);
    finding.line = op->line;
    finding.at = t->s;
    esse_mirror_finding_add(&finding, t);
    if (v->txn != MIRROR_NONE)
        esse_mirror_finding_add(&finding, &m->txns[v->txn]);
    esse_mirror_tell(m, &finding);
}

void esse_certifier_validate(struct esse_mirror *m, struct mirror_txn *t)
{
    if (t->row->certifier != ESSE_CERTIFIER_OCC || !t->wrote || t->row->time == ESSE_TIME_SESSION)
        return;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct mirror_op *op = &t->ops[i];
        if (op->kind != ESSE_MIRROR_READ || op->flags & (OP_FAILED | OP_OWN) ||
            (t->row->validates_lock_only && !(op->flags & OP_LOCKING)))
            continue;
        struct mirror_entry *entry = mirror_entry_at(m, op->entry);
        if (!entry->at[0].flags)
            continue;
        for (struct mirror_version *v = &entry->at[0]; v && v->c.a > t->s.b;
             v = esse_mirror_older(m, entry, v)) {
            if (vertex_of(m, v) != t->certified && mirror_sure(t->s, v->c) &&
                mirror_sure(v->c, t->c)) {
                tell_overtaken(m, entry, t, op, v);
                break;
            }
        }
    }
}

/* ---- what may be forgotten ---- */

static void forget(struct mirror_certifier *c, uint32_t at)
{
    struct vertex *v = &c->vertices.at[at];
    for (size_t i = 0; i < v->out.count; i++) {
        struct vertex *to = &c->vertices.at[v->out.at[i].to];
        to->in--;
        for (size_t k = 0; k < to->rw_in.count; k++) {
            if (to->rw_in.at[k] == at) {
                to->rw_in.at[k] = to->rw_in.at[--to->rw_in.count];
                break;
            }
        }
    }
    v->is_used = false;
    v->out.count = v->rw_in.count = 0;
    mirror_u32_vec_push(&c->spare, c->arena, at);
}

/* Those that nothing leads to, and nothing will: what comes read newer versions, and writes them.
 */
void esse_certifier_round(struct esse_mirror *m)
{
    struct mirror_certifier *c = m->certifier;
    uint32_t kept = 0;
    note_all_next(m);
    for (size_t i = 0; i < c->order.count; i++) {
        const uint32_t at = c->order.at[i];
        if (!c->vertices.at[at].in && c->vertices.at[at].t.c.a <= m->horizon)
            forget(c, at);
        else
            place(c, kept++, at);
    }
    c->order.count = kept;
}
