#include "engine/polygraph/poly_prune.h"

#include <string.h>

/* The orders that pruning found, key by key, in order matrices of bits: of every version those that
 * come after it and those that come before it. */

static uint32_t members(const struct poly *poly, uint32_t key)
{
    return poly->versions->first[key + 1].ix - poly->versions->first[key].ix - 1;
}

static uint32_t row_words(const struct poly *poly, uint32_t key)
{
    return (members(poly, key) + 63) / 64;
}

static size_t row_at(const struct pruning *p, uint32_t key, version_id version)
{
    uint32_t row = version.ix - p->poly->versions->first[key].ix - 1;
    return p->matrix[key] + (size_t)row * row_words(p->poly, key);
}

static bool is_in(const uint64_t *row, uint32_t column)
{
    return row[column / 64] >> column % 64 & 1;
}

static void set_less(struct pruning *p, uint32_t key, version_id a, version_id b)
{
    const uint32_t first = p->poly->versions->first[key].ix + 1;
    p->less[row_at(p, key, a) + (b.ix - first) / 64] |= (uint64_t)1 << (b.ix - first) % 64;
    p->more[row_at(p, key, b) + (a.ix - first) / 64] |= (uint64_t)1 << (a.ix - first) % 64;
}

version_id poly_next_open(const struct pruning *p, uint32_t key, version_id version, version_id v)
{
    const uint32_t first = p->poly->versions->first[key].ix + 1, count = members(p->poly, key);
    const size_t row = row_at(p, key, version);
    uint32_t column = v.ix - first;
    while (column < count) {
        const uint64_t ordered = p->less[row + column / 64] | p->more[row + column / 64];
        const uint64_t open = ~ordered >> column % 64;
        if (open) {
            column += (uint32_t)__builtin_ctzll(open);
            break;
        }
        column = (column / 64 + 1) * 64;
    }
    if (column < count && first + column == version.ix)
        return poly_next_open(p, key, version, (version_id){ version.ix + 1 });
    return (version_id){ column < count ? first + column : NO_VERSION };
}

/* What is known to come after b comes after a, by the edges of what was found.  If the opposite was
 * found too, there is a cycle, and it must stay to be seen. */
static void pass_on(struct pruning *p, uint32_t key, version_id a, version_id b)
{
    const size_t row = row_at(p, key, a), later = row_at(p, key, b);
    const uint32_t first = p->poly->versions->first[key].ix + 1;
    for (uint32_t w = 0; w < row_words(p->poly, key); w++)
        for (uint64_t added = p->less[later + w] & ~p->less[row + w] & ~p->more[row + w]; added;
             added &= added - 1)
            set_less(p, key, a, (version_id){ first + 64 * w + (uint32_t)__builtin_ctzll(added) });
}

void poly_set_less(struct pruning *p, uint32_t key, version_id a, version_id b)
{
    set_less(p, key, a, b);
    pass_on(p, key, a, b);
}

uint64_t poly_count_less(const struct pruning *p)
{
    uint64_t count = 0;
    for (size_t w = 0; w < p->words; w++)
        count += (uint64_t)__builtin_popcountll(p->less[w]);
    return count;
}

static size_t measure_matrices(struct pruning *p)
{
    const struct versions *versions = p->poly->versions;
    size_t words = 0;
    p->matrix = esse_arena_array(p->arena, versions->history->keys + (size_t)1, *p->matrix);
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        p->matrix[key] = words;
        if (poly_is_open_key(versions, key))
            words += (size_t)members(p->poly, key) * row_words(p->poly, key);
    }
    return words;
}

enum { MATRICES_MOST = 32 << 20 }; /* words, twice: then pruning would cost more than it saves */

bool poly_matrices_make(struct pruning *p)
{
    p->words = measure_matrices(p);
    if (p->words >= MATRICES_MOST)
        return false;
    p->less = esse_arena_alloc(p->arena, p->words + 1, sizeof *p->less);
    p->more = esse_arena_alloc(p->arena, p->words + 1, sizeof *p->more);
    for (size_t i = 0; i < p->poly->inferred.count; i++) {
        const struct poly_inferred *known = &p->poly->inferred.at[i];
        poly_set_less(p, p->poly->reads->version_key[known->a.ix], known->a, known->b);
    }
    return true;
}

/* ---- the edges ---- */

/* Of what is later than 'a', what is not later than anything else that is: the rest follows. */
static void cover(struct pruning *p, uint32_t key, version_id a, uint64_t *later)
{
    struct poly *poly = p->poly;
    const uint32_t first = poly->versions->first[key].ix + 1, words = row_words(poly, key);
    const uint64_t *row = p->less + row_at(p, key, a);
    memset(later, 0, words * sizeof *later);
    for (uint32_t column = 0; column < members(poly, key); column++)
        for (uint32_t w = 0; is_in(row, column) && !is_in(later, column) && w < words; w++)
            later[w] |= p->less[row_at(p, key, (version_id){ first + column }) + w];
    for (uint32_t column = 0; column < members(poly, key); column++)
        if (is_in(row, column) && !is_in(later, column))
            poly_inferred_vec_push(&poly->covers, poly->graph_arena,
                                   (struct poly_inferred){ .a = a, .b = { first + column } });
}

void poly_draw_covers(struct pruning *p)
{
    struct poly *poly = p->poly;
    const struct versions *versions = poly->versions;
    uint64_t *later = NULL;
    poly->covers.count = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        if (!poly_is_open_key(versions, key))
            continue;
        later =
            esse_arena_grow(p->arena, later, (row_words(poly, key) + (size_t)1) * sizeof *later);
        for (version_id a = { versions->first[key].ix + 1 }; a.ix < versions->first[key + 1].ix;
             a.ix++)
            cover(p, key, a, later);
    }
    esse_arena_drop(p->arena, later);
    if (poly->known.first != poly->base.first)
        esse_csr_drop(&poly->known);
    poly_known_draw(poly, &poly->known, true);
}
