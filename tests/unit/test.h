#ifndef ESSE_TESTS_UNIT_TEST_H
#define ESSE_TESTS_UNIT_TEST_H

/* What every unit test includes: cmocka in the order it wants, and a few shorthands. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"

/* A test is a function of nothing; cmocka wants a state. */
#define TEST(name) static void name(void **unused_state __attribute__((unused)))

#define CHECK(condition) assert_true(condition)
#define CHECK_EQ(a, b)   assert_int_equal(a, b)
#define CHECK_TEXT(a, b) assert_string_equal(a, b)

/* The text with double quotes instead of single ones: JSON can be written here without escapes. */
static inline char *json_bytes(struct esse_arena *arena, const char *text, size_t length)
{
    char *copy = esse_arena_alloc(arena, length + 1, 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    copy[length] = '\0';
    return copy;
}

static inline char *json(struct esse_arena *arena, const char *text)
{
    return json_bytes(arena, text, strlen(text));
}

#define CHECK_JSON(arena, text, expected) CHECK_TEXT(text, json(arena, expected))

/* How often a randomised test repeats itself: more in 'make soak'. */
static inline unsigned test_rounds(unsigned usual)
{
    const char *factor = getenv("ESSE_ROUNDS");
    return factor ? usual * (unsigned)atoi(factor) : usual;
}

#endif
