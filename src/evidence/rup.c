#include "evidence/rup.h"

#include "base/guard.h"
#include "base/vec.h"

ESSE_VEC(rup_lit_vec, uint32_t)
ESSE_VEC(rup_value_vec, int8_t)
ESSE_VEC(rup_watch_vec, struct rup_lit_vec)

struct esse_rup {
    struct esse_arena *arena;
    /* The clauses, each with its number of literals before it.  Its first two, which differ, are
     * watched, if it has two. */
    struct rup_lit_vec clauses;
    struct rup_value_vec value; /* by literal: 1 true, -1 false, 0 open */
    struct rup_watch_vec watch; /* by literal: clauses, by the place of their first one */
    struct rup_lit_vec trail;
    size_t head;
    bool refuted;
};

struct esse_rup *esse_rup_new(struct esse_arena *arena)
{
    struct esse_rup *rup = esse_arena_alloc(arena, 1, sizeof *rup);
    rup->arena = arena;
    return rup;
}

/* ---- propagation ---- */

static void make_true(struct esse_rup *rup, uint32_t lit)
{
    rup->value.at[lit] = 1;
    rup->value.at[lit ^ 1] = -1;
    rup_lit_vec_push(&rup->trail, rup->arena, lit);
}

/* From 'from' on, a literal that is not false goes to the place 'to', unless it is the one in the
 * first place again.  False if there is none. */
static bool bring_open(const struct esse_rup *rup, uint32_t *lits, uint32_t count, uint32_t from,
                       uint32_t to)
{
    for (uint32_t i = from; i < count; i++)
        if (rup->value.at[lits[i]] >= 0 && (!to || lits[i] != lits[0])) {
            const uint32_t lit = lits[i];
            lits[i] = lits[to];
            lits[to] = lit;
            return true;
        }
    return false;
}

/* A clause one of whose watched literals, 'lit', is false.  Sets 'stays' if it is to be watched
 * there on; false if all its literals are false. */
static bool visit(struct esse_rup *rup, uint32_t first, uint32_t lit, bool *stays)
{
    uint32_t *lits = rup->clauses.at + first;
    if (lits[0] == lit) {
        lits[0] = lits[1];
        lits[1] = lit;
    }
    const int8_t other = rup->value.at[lits[0]];
    *stays = other > 0 || !bring_open(rup, lits, lits[-1], 2, 1);
    if (!*stays)
        rup_lit_vec_push(&rup->watch.at[lits[1]], rup->arena, first);
    else if (other == 0)
        make_true(rup, lits[0]);
    return !*stays || other >= 0;
}

/* False on a contradiction. */
static bool propagate(struct esse_rup *rup)
{
    bool ok = true;
    while (ok && rup->head < rup->trail.count) {
        esse_guard_poll();
        uint32_t lit = rup->trail.at[rup->head++] ^ 1;
        struct rup_lit_vec *watching = &rup->watch.at[lit];
        size_t kept = 0, i = 0;
        while (ok && i < watching->count) {
            const uint32_t first = watching->at[i++];
            bool stays;
            ok = visit(rup, first, lit, &stays);
            if (stays)
                watching->at[kept++] = first;
        }
        while (i < watching->count)
            watching->at[kept++] = watching->at[i++];
        watching->count = kept;
    }
    return ok;
}

/* ---- adding ---- */

static void make_room(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        while (rup->value.count <= (lits[i] | 1)) {
            rup_value_vec_push(&rup->value, rup->arena, 0);
            rup_watch_vec_push(&rup->watch, rup->arena, (struct rup_lit_vec){ 0 });
        }
}

/* No literal is assumed now, so what has a value has it for good, and a clause with less than two
 * open literals need not be watched. */
void esse_rup_add(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    const uint32_t first = (uint32_t)rup->clauses.count + 1;
    make_room(rup, lits, count);
    rup_lit_vec_push(&rup->clauses, rup->arena, count);
    for (uint32_t i = 0; i < count; i++)
        rup_lit_vec_push(&rup->clauses, rup->arena, lits[i]);
    uint32_t *own = rup->clauses.at + first;
    const bool is_open = bring_open(rup, own, count, 0, 0);
    if (is_open && bring_open(rup, own, count, 1, 1)) {
        rup_lit_vec_push(&rup->watch.at[own[0]], rup->arena, first);
        rup_lit_vec_push(&rup->watch.at[own[1]], rup->arena, first);
    } else if (is_open && rup->value.at[own[0]] == 0) {
        make_true(rup, own[0]);
    }
    rup->refuted |= !is_open || !propagate(rup);
}

bool esse_rup_implied(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    const size_t length = rup->trail.count;
    bool implied = rup->refuted;
    make_room(rup, lits, count);
    for (uint32_t i = 0; i < count && !implied; i++) {
        implied = rup->value.at[lits[i]] > 0;
        if (rup->value.at[lits[i]] == 0)
            make_true(rup, lits[i] ^ 1);
    }
    implied = implied || !propagate(rup);
    for (; rup->trail.count > length; rup->trail.count--) {
        const uint32_t lit = rup->trail.at[rup->trail.count - 1];
        rup->value.at[lit] = rup->value.at[lit ^ 1] = 0;
    }
    rup->head = length;
    if (implied)
        esse_rup_add(rup, lits, count);
    return implied;
}
