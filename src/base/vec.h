#ifndef ESSE_BASE_VEC_H
#define ESSE_BASE_VEC_H

#include "base/arena.h"

#include <string.h>

/* The room a vector of 'room' things takes next: doubling while small, by a quarter when large,
 * where growing is a move of pages and the untouched rest would still count as memory. */
static inline size_t esse_vec_room(size_t room, size_t size)
{
    if (room * size < 64u << 10)
        return room ? room * 2 : 8;
    return room + room / 4;
}

/*
 * ESSE_VEC(name, type) defines 'struct name', a growable array in an arena, with
 *   name_push   adds one, amortised O(1);
 *   name_extend makes room for 'extra' more, adds them uninitialised, returns the first;
 *   name_append adds copies of 'count' items;
 *   name_drop   gives the memory back and leaves the vector empty.
 * A zeroed struct is an empty vector.
 */
#define ESSE_VEC(name, type)                                                                       \
    struct name {                                                                                  \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    };                                                                                             \
    static __attribute__((noinline, unused)) void name##_grow(                                     \
        struct name *vec, struct esse_arena *arena, size_t extra)                                  \
    {                                                                                              \
        do                                                                                         \
            vec->room = esse_vec_room(vec->room, sizeof(type));                                    \
        while (vec->room - vec->count < extra);                                                    \
        vec->at = (type *)esse_arena_grow(arena, vec->at, vec->room * sizeof(type));               \
    }                                                                                              \
    static inline __attribute__((unused))                                                          \
    type *name##_extend(struct name *vec, struct esse_arena *arena, size_t extra)                  \
    {                                                                                              \
        if (vec->room - vec->count < extra)                                                        \
            name##_grow(vec, arena, extra);                                                        \
        type *first = vec->at ? vec->at + vec->count : NULL; /* empty and nothing wanted */        \
        vec->count += extra;                                                                       \
        return first;                                                                              \
    }                                                                                              \
    static inline __attribute__((unused)) void name##_push(struct name *vec,                       \
                                                           struct esse_arena *arena, type item)    \
    {                                                                                              \
        if (vec->count == vec->room)                                                               \
            name##_grow(vec, arena, 1);                                                            \
        vec->at[vec->count++] = item;                                                              \
    }                                                                                              \
    static inline __attribute__((unused)) void name##_append(                                      \
        struct name *vec, struct esse_arena *arena, type const *items, size_t count)               \
    {                                                                                              \
        if (count)                                                                                 \
            memcpy(name##_extend(vec, arena, count), items, count * sizeof(type));                 \
    }                                                                                              \
    static inline                                                                                  \
        __attribute__((unused)) void name##_drop(struct name *vec, struct esse_arena *arena)       \
    {                                                                                              \
        esse_arena_drop(arena, vec->at);                                                           \
        *vec = (struct name){ 0 };                                                                 \
    }

/* The vectors that more than one file needs. */
ESSE_VEC(esse_u8_vec, uint8_t)
ESSE_VEC(esse_u32_vec, uint32_t)
ESSE_VEC(esse_i64_vec, int64_t)
ESSE_VEC(esse_value_vec, esse_value)

#endif
