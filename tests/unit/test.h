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

static inline unsigned test_setting(const char *name)
{
    const char *text = getenv(name);
    return text ? (unsigned)atoi(text) : 1;
}

/* How often a randomised test repeats itself: ESSE_ROUNDS times as often in 'make soak'; one round
 * in ESSE_SHARE where another build makes them all, but enough for what is counted to be met. */
static inline unsigned test_rounds(unsigned usual)
{
    enum { FEW = 20 };
    const unsigned rounds = usual * test_setting("ESSE_ROUNDS"), share = test_setting("ESSE_SHARE");
    return rounds / share > FEW ? rounds / share : rounds < FEW ? rounds : FEW;
}

/* How many of something the rounds must have met, or else nothing was tested. */
static inline unsigned test_least(unsigned usual)
{
    return usual / test_setting("ESSE_SHARE");
}

/* The first seed of these rounds: a share of them has seeds that the other build does not have. */
static inline unsigned test_first(unsigned usual)
{
    return test_setting("ESSE_SHARE") > 1 ? usual * test_setting("ESSE_ROUNDS") : 0;
}

#endif
