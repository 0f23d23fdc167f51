#include "history/values.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text atoms point at their bytes, compounds at their parts, big integers hold the number. */
struct atom {
    union {
        const char *text;
        size_t first_part;
        int64_t number;
    } at;
    uint32_t count; /* bytes or parts */
    uint8_t kind;
};

ESSE_VEC(atom_vec, struct atom)

struct esse_values {
    struct esse_arena *arena;
    struct atom_vec atoms;
    struct esse_value_vec parts;
    struct esse_index index;
    uint32_t kinds[ESSE_KIND_LIST + 1];
};

struct esse_values *esse_values_new(struct esse_arena *arena)
{
    struct esse_values *values = esse_arena_alloc(arena, 1, sizeof *values);
    values->arena = arena;
    return values;
}

static const struct atom *atom_of(const struct esse_values *values, esse_value value)
{
    assert(esse_value_tag(value) == ESSE_TAG_ATOM);
    assert(value.word >> 3 < values->atoms.count);
    return &values->atoms.at[value.word >> 3];
}

static esse_value add_atom(struct esse_values *values, uint32_t hash, struct atom atom)
{
    assert(values->atoms.count < UINT32_MAX);
    uint32_t id = (uint32_t)values->atoms.count;
    atom_vec_push(&values->atoms, values->arena, atom);
    esse_index_add(&values->index, values->arena, hash, id);
    values->kinds[atom.kind]++;
    return esse_value_of_atom(id);
}

static esse_value big_int(struct esse_values *values, int64_t number)
{
    uint32_t hash = esse_hash_word((uint64_t)number), id;
    struct esse_probe probe = esse_index_probe(&values->index, hash);
    while (esse_probe_next(&probe, &id)) {
        const struct atom *atom = &values->atoms.at[id];
        if (atom->kind == ESSE_KIND_INT && atom->at.number == number)
            return esse_value_of_atom(id);
    }
    return add_atom(values, hash, (struct atom){ .at.number = number, .kind = ESSE_KIND_INT });
}

esse_value esse_value_int(struct esse_values *values, int64_t number)
{
    if (number >= ESSE_INT_MIN && number <= ESSE_INT_MAX)
        return esse_value_small(number);
    return big_int(values, number);
}

esse_value esse_value_atom(struct esse_values *values, enum esse_value_kind kind, const char *text,
                           size_t length)
{
    assert(length < UINT32_MAX);
    uint32_t hash = esse_hash_bytes(text, length) + (uint32_t)kind, id;
    struct esse_probe probe = esse_index_probe(&values->index, hash);
    while (esse_probe_next(&probe, &id)) {
        const struct atom *atom = &values->atoms.at[id];
        if (atom->kind == kind && atom->count == length && memcmp(atom->at.text, text, length) == 0)
            return esse_value_of_atom(id);
    }
    struct atom atom = { .count = (uint32_t)length, .kind = (uint8_t)kind };
    atom.at.text = esse_arena_text(values->arena, text, length);
    return add_atom(values, hash, atom);
}

esse_value esse_value_string(struct esse_values *values, const char *text, size_t length)
{
    if (length <= ESSE_SHORT_MAX)
        return esse_value_short(ESSE_TAG_STRING, text, length);
    return esse_value_atom(values, ESSE_KIND_STRING, text, length);
}

esse_value esse_value_keyword(struct esse_values *values, const char *text, size_t length)
{
    if (length <= ESSE_SHORT_MAX)
        return esse_value_short(ESSE_TAG_KEYWORD, text, length);
    return esse_value_atom(values, ESSE_KIND_KEYWORD, text, length);
}

/* Sorting must be deterministic and must not go quadratic on hostile input: a bottom-up merge
 * sort over entries of 'width' words, ordered by the first. */
static void sort_entries(const struct esse_values *values, esse_value *at, size_t entries,
                         size_t width)
{
    esse_value *room = malloc((entries * width + 1) * sizeof *room);
    assert(room);
    const size_t bytes = width * sizeof *at;
    for (size_t run = 1; run < entries; run *= 2) {
        for (size_t from = 0; from < entries; from += 2 * run) {
            size_t middle = from + run < entries ? from + run : entries;
            size_t end = from + 2 * run < entries ? from + 2 * run : entries;
            size_t a = from, b = middle;
            for (size_t to = from; to < end; to++) {
                bool left = b == end || (a < middle && esse_value_compare(values, at[a * width],
                                                                          at[b * width]) <= 0);
                memcpy(room + to * width, at + (left ? a++ : b++) * width, bytes);
            }
        }
        memcpy(at, room, entries * bytes);
    }
    free(room);
}

static size_t sort_set(const struct esse_values *values, esse_value *parts, size_t count)
{
    sort_entries(values, parts, count, 1);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || !esse_value_eq(parts[kept - 1], parts[i]))
            parts[kept++] = parts[i];
    return kept;
}

esse_value esse_value_map_repeats(const struct esse_values *values, esse_value *parts, size_t count)
{
    sort_entries(values, parts, count / 2, 2);
    for (size_t i = 2; i + 1 < count; i += 2)
        if (esse_value_eq(parts[i - 2], parts[i]))
            return parts[i];
    return ESSE_NONE;
}

esse_value esse_value_compound(struct esse_values *values, enum esse_value_kind kind,
                               esse_value *parts, size_t count)
{
    if (kind == ESSE_KIND_SET)
        count = sort_set(values, parts, count);
    else if (kind == ESSE_KIND_MAP)
        sort_entries(values, parts, count / 2, 2);
    assert(count < UINT32_MAX);
    const size_t bytes = count * sizeof *parts;
    uint32_t hash = esse_hash_bytes(parts, bytes) + (uint32_t)kind, id;
    struct esse_probe probe = esse_index_probe(&values->index, hash);
    while (esse_probe_next(&probe, &id)) {
        const struct atom *atom = &values->atoms.at[id];
        if (atom->kind == kind && atom->count == count &&
            (!count || memcmp(&values->parts.at[atom->at.first_part], parts, bytes) == 0))
            return esse_value_of_atom(id);
    }
    struct atom atom = { .count = (uint32_t)count, .kind = (uint8_t)kind };
    atom.at.first_part = values->parts.count;
    esse_value_vec_append(&values->parts, values->arena, parts, count);
    return add_atom(values, hash, atom);
}

enum esse_value_kind esse_value_kind(const struct esse_values *values, esse_value value)
{
    switch (esse_value_tag(value)) {
    case ESSE_TAG_SPECIAL:
        return (enum esse_value_kind)(value.word >> 3);
    case ESSE_TAG_INT:
        return ESSE_KIND_INT;
    case ESSE_TAG_LIST:
        return ESSE_KIND_LIST;
    case ESSE_TAG_STRING:
        return ESSE_KIND_STRING;
    case ESSE_TAG_KEYWORD:
        return ESSE_KIND_KEYWORD;
    default:
        return (enum esse_value_kind)atom_of(values, value)->kind;
    }
}

bool esse_value_as_int(const struct esse_values *values, esse_value value, int64_t *number)
{
    if (esse_value_tag(value) == ESSE_TAG_INT) {
        *number = (int64_t)value.word >> 3;
        return true;
    }
    if (esse_value_kind(values, value) != ESSE_KIND_INT)
        return false;
    *number = atom_of(values, value)->at.number;
    return true;
}

struct esse_span esse_value_text(const struct esse_values *values, esse_value value, char room[8])
{
    unsigned tag = esse_value_tag(value);
    if (tag == ESSE_TAG_STRING || tag == ESSE_TAG_KEYWORD) {
        size_t length = value.word >> 3 & 7;
        for (size_t i = 0; i < length; i++)
            room[i] = (char)(value.word >> (8 * (i + 1)));
        return (struct esse_span){ room, length };
    }
    const struct atom *atom = atom_of(values, value);
    assert(atom->kind >= ESSE_KIND_NUMBER && atom->kind <= ESSE_KIND_CHAR);
    return (struct esse_span){ atom->at.text, atom->count };
}

const char *esse_value_brief(const struct esse_values *values, esse_value value, char room[64])
{
    char bytes[8];
    int64_t number;
    enum esse_value_kind kind = esse_value_kind(values, value);
    if (esse_value_as_int(values, value, &number)) {
        snprintf(room, 64, "%lld", (long long)number);
    } else if (kind >= ESSE_KIND_NUMBER && kind <= ESSE_KIND_CHAR) {
        struct esse_span text = esse_value_text(values, value, bytes);
        snprintf(room, 64, "%.*s%s", (int)(text.length < 56 ? text.length : 56), text.at,
                 text.length < 56 ? "" : "…");
    } else {
        snprintf(room, 64, "?");
    }
    return room;
}

const esse_value *esse_value_parts(const struct esse_values *values, esse_value value,
                                   uint32_t *count)
{
    const struct atom *atom = atom_of(values, value);
    assert(atom->kind >= ESSE_KIND_SEQ);
    *count = atom->count;
    return atom->count ? &values->parts.at[atom->at.first_part] : NULL;
}

static int compare_texts(const struct esse_values *values, esse_value a, esse_value b)
{
    char a_room[8], b_room[8];
    struct esse_span x = esse_value_text(values, a, a_room), y = esse_value_text(values, b, b_room);
    size_t common = x.length < y.length ? x.length : y.length;
    int order = common ? memcmp(x.at, y.at, common) : 0;
    return order ? order : (x.length > y.length) - (x.length < y.length);
}

/* The parts of a compound are older atoms than the compound, so this ends; its depth is bounded
 * by the nesting that the readers allow. */
static int compare_parts(const struct esse_values *values, esse_value a, esse_value b)
{
    uint32_t a_count, b_count;
    const esse_value *x = esse_value_parts(values, a, &a_count);
    const esse_value *y = esse_value_parts(values, b, &b_count);
    for (uint32_t i = 0; i < a_count && i < b_count; i++) {
        int order = esse_value_compare(values, x[i], y[i]);
        if (order)
            return order;
    }
    return (a_count > b_count) - (a_count < b_count);
}

int esse_value_compare(const struct esse_values *values, esse_value a, esse_value b)
{
    if (esse_value_eq(a, b))
        return 0;
    enum esse_value_kind x = esse_value_kind(values, a), y = esse_value_kind(values, b);
    if (x != y)
        return x < y ? -1 : 1;
    if (x == ESSE_KIND_LIST)
        return a.word < b.word ? -1 : 1;
    if (x >= ESSE_KIND_SEQ)
        return compare_parts(values, a, b);
    if (x >= ESSE_KIND_NUMBER)
        return compare_texts(values, a, b);
    int64_t m = 0, n = 0;
    esse_value_as_int(values, a, &m);
    esse_value_as_int(values, b, &n);
    return (m > n) - (m < n);
}

uint32_t esse_values_count(const struct esse_values *values, enum esse_value_kind kind)
{
    return values->kinds[kind];
}

uint32_t esse_values_atoms(const struct esse_values *values)
{
    return (uint32_t)values->atoms.count;
}

static esse_value carry_parts(struct esse_values *to, const struct esse_values *from,
                              const struct atom *atom)
{
    esse_value *parts = esse_arena_array(to->arena, atom->count + 1u, *parts);
    for (uint32_t i = 0; i < atom->count; i++)
        parts[i] = esse_value_carry(to, from, from->parts.at[atom->at.first_part + i]);
    esse_value value =
        esse_value_compound(to, (enum esse_value_kind)atom->kind, parts, atom->count);
    esse_arena_drop(to->arena, parts);
    return value;
}

esse_value esse_value_carry(struct esse_values *to, const struct esse_values *from,
                            esse_value value)
{
    if (esse_value_tag(value) != ESSE_TAG_ATOM)
        return value; /* the word is the value */
    const struct atom *atom = atom_of(from, value);
    if (atom->kind == ESSE_KIND_INT)
        return big_int(to, atom->at.number);
    if (atom->kind >= ESSE_KIND_SEQ)
        return carry_parts(to, from, atom);
    return esse_value_atom(to, (enum esse_value_kind)atom->kind, atom->at.text, atom->count);
}
