#include "sql/sql_shape.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

enum { MOST_NUMBERS = 16, MOST_DIGITS = 18, MOST_LENGTH = 400 };

/* A text taken apart: the same with '#' for each integer, and the integers. */
struct shape {
    char text[MOST_LENGTH];
    uint32_t length, count;
    struct {
        int64_t number;
        uint32_t at, length; /* in the text that was taken apart */
    } numbers[MOST_NUMBERS];
};

struct known {
    struct shape shape;
    const struct sql_select *select;
    bool negative[MOST_NUMBERS]; /* the tree has a minus sign in the constant */
};
ESSE_VEC(known_vec, struct known *)

struct sql_shapes {
    struct esse_arena *arena;
    struct known_vec known;
    struct esse_index index;
};

struct sql_shapes *sql_shapes_new(struct esse_arena *arena)
{
    struct sql_shapes *shapes = esse_arena_alloc(arena, 1, sizeof *shapes);
    shapes->arena = arena;
    return shapes;
}

/* ---- taking apart ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_sign(char c)
{
    return c == '-' || c == '*' || c == '/' || c == '%';
}

/* Two signs in a row may be a comment. */
static bool is_plain(const char *at, const char *end)
{
    switch (*at) {
    case ' ':
    case '\t':
    case '\n':
    case '(':
    case ')':
    case ',':
    case '<':
    case '>':
    case '=':
    case '!':
    case '+':
        return true;
    default:
        return is_word(*at) || (is_sign(*at) && (at + 1 == end || !is_sign(at[1])));
    }
}

/* An integer at 'at'; returns where it ends, or NULL if it is no plain one. */
static const char *take_number(struct shape *shape, const char *start, const char *at,
                               const char *end)
{
    const char *from = at;
    int64_t number = 0;
    while (at < end && is_digit(*at) && at - from < MOST_DIGITS)
        number = number * 10 + (*at++ - '0');
    if ((at < end && is_word(*at)) || shape->count == MOST_NUMBERS)
        return NULL;
    shape->numbers[shape->count].number = number;
    shape->numbers[shape->count].at = (uint32_t)(from - start);
    shape->numbers[shape->count++].length = (uint32_t)(at - from);
    shape->text[shape->length++] = '#';
    return at;
}

static bool take_apart(struct shape *shape, struct esse_span text)
{
    const char *at = text.at, *end = text.at + text.length;
    shape->length = shape->count = 0;
    if (text.length > MOST_LENGTH)
        return false;
    while (at < end) {
        if (!is_plain(at, end))
            return false;
        if (is_digit(*at)) {
            at = take_number(shape, text.at, at, end);
            if (!at)
                return false;
            continue;
        }
        do
            shape->text[shape->length++] = *at++;
        while (at < end && is_word(at[-1]) && is_word(*at));
    }
    return true;
}

static struct known *find(const struct sql_shapes *shapes, const struct shape *shape, uint32_t hash)
{
    struct esse_probe probe = esse_index_probe(&shapes->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);) {
        struct known *known = shapes->known.at[id];
        if (known->shape.length == shape->length &&
            memcmp(known->shape.text, shape->text, shape->length) == 0)
            return known;
    }
    return NULL;
}

/* ---- a copy with other numbers ---- */

struct copying {
    struct esse_arena *arena;
    const struct known *known;
    const struct shape *shape;
};

/* Which number of the text a constant of the tree is: those before it stand before it. */
static uint32_t number_at(const struct shape *shape, uint32_t at)
{
    uint32_t number = 0;
    while (number < shape->count && shape->numbers[number].at + 1 < at)
        number++;
    return number;
}

/* The same place in the other text: the numbers before it may be longer there. */
static uint32_t moved(const struct copying *c, uint32_t at)
{
    const uint32_t before = number_at(&c->known->shape, at);
    for (uint32_t i = 0; at && i < before; i++)
        at += c->shape->numbers[i].length - c->known->shape.numbers[i].length;
    return at;
}

static const struct sql_expr *copy(const struct copying *c, const struct sql_expr *expr)
{
    if (!expr)
        return NULL;
    struct sql_expr *made = esse_arena_alloc(c->arena, 1, sizeof *made);
    *made = *expr;
    made->at = moved(c, expr->at);
    if (expr->kind == SQL_CONSTANT && expr->is.constant->type == SQL_INTEGER) {
        struct sql_datum *datum = esse_arena_alloc(c->arena, 1, sizeof *datum);
        const uint32_t number = number_at(&c->known->shape, expr->at);
        assert(number < c->shape->count);
        const int64_t value = c->shape->numbers[number].number;
        *datum = sql_datum_integer(c->known->negative[number] ? -value : value);
        made->is.constant = datum;
    }
    if (expr->count) {
        const struct sql_expr **args = esse_arena_alloc(c->arena, expr->count, sizeof *args);
        for (uint32_t i = 0; i < expr->count; i++)
            args[i] = copy(c, expr->args[i]);
        made->args = args;
    }
    return made;
}

static const struct sql_select *copy_select(const struct copying *c,
                                            const struct sql_select *select)
{
    struct sql_select *made = esse_arena_alloc(c->arena, 1, sizeof *made);
    struct sql_output *outputs =
        esse_arena_alloc(c->arena, select->output_count + 1u, sizeof *outputs);
    struct sql_sort *sorts = esse_arena_alloc(c->arena, select->sort_count + 1u, sizeof *sorts);
    *made = *select;
    for (uint32_t i = 0; i < select->tables; i++) {
        made->side[i] = copy(c, select->side[i]);
        made->join[i] = copy(c, select->join[i]);
    }
    made->both = copy(c, select->both);
    for (uint32_t i = 0; i < select->output_count; i++) {
        outputs[i] = select->outputs[i];
        outputs[i].at = moved(c, outputs[i].at);
        outputs[i].of = copy(c, outputs[i].of);
    }
    for (uint32_t i = 0; i < select->sort_count; i++) {
        sorts[i] = select->sorts[i];
        sorts[i].by = copy(c, sorts[i].by);
    }
    made->outputs = outputs;
    made->sorts = sorts;
    return made;
}

const struct sql_select *sql_shapes_get(struct sql_shapes *shapes, struct esse_span text)
{
    struct shape shape;
    if (!take_apart(&shape, text))
        return NULL;
    const struct known *known = find(shapes, &shape, esse_hash_bytes(shape.text, shape.length));
    if (!known)
        return NULL;
    assert(known->shape.count == shape.count);
    const struct copying copying = { shapes->arena, known, &shape };
    return copy_select(&copying, known->select);
}

/* ---- learning ---- */

/* Marks the numbers that the tree has as constants; false if it has something that cannot be seen
 * in the text, or that may not be shared. */
static bool find_numbers(struct known *known, const struct sql_expr *expr, bool *found)
{
    if (!expr)
        return true;
    if (expr->kind == SQL_CAST)
        return false;
    if (expr->kind == SQL_CONSTANT && expr->is.constant->type == SQL_INTEGER) {
        const uint32_t at = number_at(&known->shape, expr->at);
        const int64_t number = expr->is.constant->is.number;
        if (!expr->at || at == known->shape.count)
            return false;
        const int64_t written = known->shape.numbers[at].number;
        const bool is_sign = expr->at != known->shape.numbers[at].at + 1;
        /* A zero is no witness of its sign: "+0", "- -0" and the zero in front of the minus of a
         * column look like "-0". */
        if (number != (is_sign ? -written : written) || (is_sign && written == 0))
            return false;
        found[at] = true;
        known->negative[at] = is_sign;
    } else if (expr->kind == SQL_CONSTANT && expr->is.constant->type == SQL_DECIMAL) {
        return false;
    }
    for (uint32_t i = 0; i < expr->count; i++)
        if (!find_numbers(known, expr->args[i], found))
            return false;
    return true;
}

static bool find_all_numbers(struct known *known, const struct sql_select *select, bool *found)
{
    for (uint32_t i = 0; i < select->tables; i++)
        if (!find_numbers(known, select->side[i], found))
            return false;
    for (uint32_t i = 0; i < select->output_count; i++)
        if (!find_numbers(known, select->outputs[i].of, found))
            return false;
    for (uint32_t i = 0; i < select->sort_count; i++)
        if (!find_numbers(known, select->sorts[i].by, found))
            return false;
    return find_numbers(known, select->both, found);
}

/* Numbers that are no constants, those of LIMIT say, are not found. */
void sql_shapes_add(struct sql_shapes *shapes, struct esse_span text,
                    const struct sql_select *select)
{
    struct known *known = esse_arena_alloc(shapes->arena, 1, sizeof *known);
    bool found[MOST_NUMBERS] = { false };
    known->select = select;
    if (!take_apart(&known->shape, text) || !find_all_numbers(known, select, found))
        return;
    for (uint32_t i = 0; i < known->shape.count; i++)
        if (!found[i])
            return;
    const uint32_t hash = esse_hash_bytes(known->shape.text, known->shape.length);
    if (find(shapes, &known->shape, hash))
        return;
    esse_index_add(&shapes->index, shapes->arena, hash, (uint32_t)shapes->known.count);
    known_vec_push(&shapes->known, shapes->arena, known);
}
