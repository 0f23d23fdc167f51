#include "evidence/rup.h"

#include "base/guard.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

/* A clause lies in 'lits'; its first two literals are watched, if it has two. */
struct rup_clause {
    uint32_t first, count;
    bool dead;
};

ESSE_VEC(rup_lit_vec, uint32_t)
ESSE_VEC(rup_clause_vec, struct rup_clause)
ESSE_VEC(rup_value_vec, int8_t)

ESSE_VEC(rup_watch_vec, struct rup_lit_vec)

struct esse_rup {
    struct esse_arena *arena;
    struct rup_clause_vec clauses;
    struct rup_lit_vec lits;
    struct esse_index by_lits;
    struct rup_value_vec value;  /* by literal: 1 true, -1 false, 0 open */
    struct rup_watch_vec watch;  /* by literal */
    struct rup_lit_vec set;      /* scratch: literals, once each */
    struct rup_value_vec marked; /* by literal: in 'set', while that matters */
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

/* Puts a literal that is not false in the second place, where the false one is.  False if there is
 * none. */
static bool replace_second(struct esse_rup *rup, uint32_t *lits, uint32_t count, uint32_t id)
{
    for (uint32_t i = 2; i < count; i++)
        if (rup->value.at[lits[i]] >= 0) {
            uint32_t lit = lits[i];
            lits[i] = lits[1];
            lits[1] = lit;
            rup_lit_vec_push(&rup->watch.at[lit], rup->arena, id);
            return true;
        }
    return false;
}

/* A clause one of whose watched literals, 'lit', is false.  Sets 'stays' if it is to be watched
 * there on; false if all its literals are false. */
static bool visit(struct esse_rup *rup, uint32_t id, uint32_t lit, bool *stays)
{
    struct rup_clause clause = rup->clauses.at[id];
    uint32_t *lits = rup->lits.at + clause.first;
    *stays = !clause.dead;
    if (clause.dead)
        return true;
    if (lits[0] == lit) {
        lits[0] = lits[1];
        lits[1] = lit;
    }
    if (rup->value.at[lits[0]] > 0)
        return true;
    if (replace_second(rup, lits, clause.count, id)) {
        *stays = false;
        return true;
    }
    if (rup->value.at[lits[0]] < 0)
        return false;
    make_true(rup, lits[0]);
    return true;
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
            uint32_t id = watching->at[i++];
            bool stays;
            ok = visit(rup, id, lit, &stays);
            if (stays)
                watching->at[kept++] = id;
        }
        while (i < watching->count)
            watching->at[kept++] = watching->at[i++];
        watching->count = kept;
    }
    return ok;
}

/* ---- clauses are sets ---- */

/* Leaves the literals in 'set' and marks them. */
static void gather(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    rup->set.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (rup->value.count <= (lits[i] | 1)) {
            rup_value_vec_push(&rup->value, rup->arena, 0);
            rup_value_vec_push(&rup->marked, rup->arena, 0);
            rup_watch_vec_push(&rup->watch, rup->arena, (struct rup_lit_vec){ 0 });
        }
        if (!rup->marked.at[lits[i]])
            rup_lit_vec_push(&rup->set, rup->arena, lits[i]);
        rup->marked.at[lits[i]] = 1;
    }
}

static void unmark(struct esse_rup *rup)
{
    for (size_t i = 0; i < rup->set.count; i++)
        rup->marked.at[rup->set.at[i]] = 0;
}

/* The same for every order of the literals. */
static uint32_t hash_set(const struct rup_lit_vec *set)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < set->count; i++)
        hash += esse_hash_word(set->at[i]);
    return hash;
}

static bool is_set(const struct esse_rup *rup, uint32_t id)
{
    const struct rup_clause *clause = &rup->clauses.at[id];
    if (clause->dead || clause->count != rup->set.count)
        return false;
    for (uint32_t i = 0; i < clause->count; i++)
        if (!rup->marked.at[rup->lits.at[clause->first + i]])
            return false;
    return true;
}

bool esse_rup_delete(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    bool found = false;
    gather(rup, lits, count);
    struct esse_probe probe = esse_index_probe(&rup->by_lits, hash_set(&rup->set));
    for (uint32_t id; !found && esse_probe_next(&probe, &id);)
        if (is_set(rup, id))
            found = rup->clauses.at[id].dead = true;
    unmark(rup);
    return found;
}

/* ---- adding ---- */

/* Moves literals that are not false to the front: two, or as many as there are.  Returns their
 * number. */
static uint32_t bring_open_forward(const struct esse_rup *rup, uint32_t *lits, uint32_t count)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < count && open < 2; i++)
        if (rup->value.at[lits[i]] >= 0) {
            uint32_t lit = lits[i];
            lits[i] = lits[open];
            lits[open++] = lit;
        }
    return open;
}

/* Adds what is in 'set'.  No literal is assumed now, so what has a value has it for good, and a
 * clause with less than two open literals need not be watched. */
static void add_set(struct esse_rup *rup)
{
    uint32_t id = (uint32_t)rup->clauses.count, count = (uint32_t)rup->set.count;
    struct rup_clause clause = { .first = (uint32_t)rup->lits.count, .count = count };
    rup_clause_vec_push(&rup->clauses, rup->arena, clause);
    esse_index_add(&rup->by_lits, rup->arena, hash_set(&rup->set), id);
    for (uint32_t i = 0; i < count; i++)
        rup_lit_vec_push(&rup->lits, rup->arena, rup->set.at[i]);
    uint32_t *lits = count ? rup->lits.at + clause.first : NULL;
    uint32_t open = bring_open_forward(rup, lits, count);
    for (uint32_t i = 0; i < 2 && open == 2; i++)
        rup_lit_vec_push(&rup->watch.at[lits[i]], rup->arena, id);
    if (open == 1 && rup->value.at[lits[0]] == 0)
        make_true(rup, lits[0]);
    if (open == 0 || !propagate(rup))
        rup->refuted = true;
}

void esse_rup_add(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    gather(rup, lits, count);
    unmark(rup);
    add_set(rup);
}

/* Takes back all but the first 'length' literals of the trail. */
static void take_back(struct esse_rup *rup, size_t length)
{
    for (; rup->trail.count > length; rup->trail.count--) {
        uint32_t lit = rup->trail.at[rup->trail.count - 1];
        rup->value.at[lit] = rup->value.at[lit ^ 1] = 0;
    }
    rup->head = length;
}

bool esse_rup_implied(struct esse_rup *rup, const uint32_t *lits, uint32_t count)
{
    size_t length = rup->trail.count;
    bool implied = rup->refuted;
    gather(rup, lits, count);
    unmark(rup);
    for (size_t i = 0; i < rup->set.count && !implied; i++) {
        implied = rup->value.at[rup->set.at[i]] > 0;
        if (rup->value.at[rup->set.at[i]] == 0)
            make_true(rup, rup->set.at[i] ^ 1);
    }
    implied = implied || !propagate(rup);
    take_back(rup, length);
    if (implied)
        add_set(rup);
    return implied;
}

bool esse_rup_refuted(const struct esse_rup *rup)
{
    return rup->refuted;
}
