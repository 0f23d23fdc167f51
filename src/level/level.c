#include "level/level.h"

#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A set of anomalies or of levels: a bit for each id. */
enum { WORD_BITS = 64, SET_WORDS = 2, SET_BITS = WORD_BITS * SET_WORDS };
_Static_assert((int)SET_BITS >= (int)ESSE_ANOMALY_MAX, "a set must hold all anomalies");
_Static_assert((int)SET_BITS >= (int)ESSE_LEVEL_MAX, "a set must hold all levels");

struct set {
    uint64_t word[SET_WORDS];
};

static bool has(const struct set *set, unsigned at)
{
    return set->word[at / WORD_BITS] >> at % WORD_BITS & 1;
}

static void add(struct set *set, unsigned at)
{
    set->word[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
}

static void add_all(struct set *set, const struct set *more)
{
    for (int w = 0; w < SET_WORDS; w++)
        set->word[w] |= more->word[w];
}

static bool meets(const struct set *a, const struct set *b)
{
    bool found = false;
    for (int w = 0; w < SET_WORDS; w++)
        found |= (a->word[w] & b->word[w]) != 0;
    return found;
}

static struct set implied[ESSE_LEVEL_END];        /* levels, by implications always true */
static struct set implied_elle[ESSE_LEVEL_END];   /* levels, by all implications */
static struct set anomalies_of[ESSE_ANOMALY_END]; /* anomalies that are there with one */
static struct set forbidden_by[ESSE_LEVEL_END];   /* anomalies named by a level and those implied */
static const struct esse_level *cyclic[ESSE_LEVEL_END + 1]; /* by cycle, strongest first */

/* Warshall's closure, reflexive, of rows 1 .. end - 1. */
static void close_rows(struct set *rows, unsigned end)
{
    for (unsigned a = 1; a < end; a++)
        add(&rows[a], a);
    for (unsigned middle = 1; middle < end; middle++)
        for (unsigned a = 1; a < end; a++)
            if (has(&rows[a], middle))
                add_all(&rows[a], &rows[middle]);
}

static void close_levels(void)
{
    for (unsigned a = 1; a < ESSE_LEVEL_END; a++) {
        const struct esse_implication *edge = esse_level_table[a].implies;
        for (; edge->to; edge++) {
            add(&implied_elle[a], edge->to);
            if (edge->kind == ESSE_IMPLIES_ALWAYS)
                add(&implied[a], edge->to);
        }
    }
    close_rows(implied, ESSE_LEVEL_END);
    close_rows(implied_elle, ESSE_LEVEL_END);
}

/* What is serializable need not have a snapshot at its start point, so that a history whose points
 * do not fit may be serializable all the same, although snapshot isolation by itself follows. */
static bool is_carried(const struct esse_level *level, enum esse_anomaly_id anomaly)
{
    return !esse_anomaly_table[anomaly].is_about_points || level->has_points;
}

static void close_forbidden(void)
{
    for (unsigned a = 1; a < ESSE_LEVEL_END; a++)
        for (unsigned b = 1; b < ESSE_LEVEL_END; b++)
            for (size_t at = 0; has(&implied[a], b); at++) {
                const enum esse_anomaly_id anomaly = esse_level_names(&esse_level_table[b], at);
                if (!anomaly)
                    break;
                if (is_carried(&esse_level_table[a], anomaly))
                    add(&forbidden_by[a], anomaly);
            }
}

static int by_strength(const void *a, const void *b)
{
    const struct esse_level *x = *(const struct esse_level *const *)a;
    const struct esse_level *y = *(const struct esse_level *const *)b;
    return x->cycle != y->cycle ? (int)y->cycle - (int)x->cycle
           : x->needs_real_time != y->needs_real_time
               ? y->needs_real_time - x->needs_real_time
               : y->needs_session_order - x->needs_session_order;
}

static void sort_by_cycle(void)
{
    size_t count = 0;
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        if (esse_level_is_replayed(&esse_level_table[at]))
            cyclic[count++] = &esse_level_table[at];
    qsort(cyclic, count, sizeof *cyclic, by_strength);
}

static void close_tables(void)
{
    close_levels();
    for (unsigned a = 1; a < ESSE_ANOMALY_END; a++)
        for (const enum esse_anomaly_id *b = esse_anomaly_table[a].implies; *b; b++)
            add(&anomalies_of[a], *b);
    close_rows(anomalies_of, ESSE_ANOMALY_END);
    close_forbidden();
    sort_by_cycle();
}

static void ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, close_tables);
}

size_t esse_level_count(void)
{
    return ESSE_LEVEL_END - 1;
}

const struct esse_level *esse_level_at(size_t at)
{
    assert(at < esse_level_count());
    return &esse_level_table[at + 1];
}

const struct esse_level *esse_level_get(enum esse_level_id id)
{
    assert(id > ESSE_LEVEL_NONE);
    assert(id < ESSE_LEVEL_END);
    return &esse_level_table[id];
}

const struct esse_level_notes *esse_level_notes_of(const struct esse_level *level)
{
    return &esse_level_notes_table[level->id];
}

const char *esse_level_name(enum esse_level_id level)
{
    return level == ESSE_LEVEL_NONE ? esse_level_none.friendly : esse_level_get(level)->friendly;
}

const char *esse_level_elle_name(const struct esse_level *level)
{
    return level->elle_name ? level->elle_name : level->friendly;
}

const struct esse_level esse_level_none = { .name = "none", .friendly = "none" };

const struct esse_level *esse_level_by_cycle(size_t at)
{
    ready();
    return cyclic[at];
}

const struct esse_level *esse_level_with(const struct esse_level *level, bool sessions, bool time)
{
    for (const struct esse_level *at = &esse_level_table[1]; at < esse_level_table + ESSE_LEVEL_END;
         at++)
        if (at->cycle == level->cycle && at->needs_session_order == sessions &&
            at->needs_real_time == time)
            return at;
    return NULL;
}

const struct esse_level *esse_level_base(const struct esse_level *level)
{
    return level->family == ESSE_FAMILY_DEPENDENCY && level->needs_session_order
               ? esse_level_with(level, false, false)
               : NULL;
}

enum esse_anomaly_id esse_level_names(const struct esse_level *level, size_t at)
{
    const enum esse_anomaly_id own[] = { level->no_order, level->no_commit_order, level->mismatch };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] && at-- == 0)
            return own[i];
    return level->forbids[at];
}

const struct esse_level *esse_level_failing_by(enum esse_anomaly_id type)
{
    for (unsigned at = 1; at < ESSE_LEVEL_END && type != ESSE_ANOMALY_NONE; at++) {
        const struct esse_level *level = &esse_level_table[at];
        if (level->no_order == type || level->no_commit_order == type || level->mismatch == type)
            return level;
    }
    return NULL;
}

bool esse_level_implies(const struct esse_level *a, const struct esse_level *b)
{
    ready();
    return has(&implied[a->id], b->id);
}

bool esse_level_implies_elle(const struct esse_level *a, const struct esse_level *b)
{
    ready();
    return has(&implied_elle[a->id], b->id);
}

/* An implication that is always true is yielded only by others that are. */
bool esse_level_is_cover(const struct esse_level *level, size_t at)
{
    ready();
    const struct esse_implication edge = level->implies[at];
    const bool always = edge.kind == ESSE_IMPLIES_ALWAYS;
    const struct set *closure = always ? implied : implied_elle;
    for (const struct esse_implication *other = level->implies; other->to; other++)
        if (other->to != edge.to && (!always || other->kind == ESSE_IMPLIES_ALWAYS) &&
            has(&closure[other->to], edge.to))
            return false;
    return true;
}

size_t esse_anomaly_count(void)
{
    return ESSE_ANOMALY_END - 1;
}

const struct esse_anomaly_type *esse_anomaly_at(size_t at)
{
    assert(at < esse_anomaly_count());
    return &esse_anomaly_table[at + 1];
}

const struct esse_anomaly_type *esse_anomaly_get(enum esse_anomaly_id id)
{
    assert(id > ESSE_ANOMALY_NONE);
    assert(id < ESSE_ANOMALY_END);
    return &esse_anomaly_table[id];
}

const char *esse_anomaly_name(enum esse_anomaly_id type)
{
    return type == ESSE_ANOMALY_NONE ? "none" : esse_anomaly_get(type)->name;
}

enum esse_shown_by esse_anomaly_shown_by(enum esse_anomaly_id id)
{
    return id == ESSE_ANOMALY_NONE ? ESSE_SHOWN_BY_NOTHING : esse_anomaly_get(id)->shown_by;
}

bool esse_anomaly_implies(const struct esse_anomaly_type *a, const struct esse_anomaly_type *b)
{
    ready();
    return has(&anomalies_of[a->id], b->id);
}

bool esse_level_forbids(const struct esse_level *level, const struct esse_anomaly_type *anomaly)
{
    ready();
    return meets(&forbidden_by[level->id], &anomalies_of[anomaly->id]);
}

bool esse_level_sees_own_writes(const struct esse_level *level)
{
    return esse_level_forbids(level, &esse_anomaly_table[ESSE_ANOMALY_OWN_WRITE_MISSED]);
}

bool esse_level_is_repeatable(const struct esse_level *level)
{
    return esse_level_forbids(level, &esse_anomaly_table[ESSE_ANOMALY_INTERNAL]);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the levels in 'set', sorted. */
static const char *const *names_of(struct esse_arena *arena, const struct set *set, uint32_t *count)
{
    const char **names = esse_arena_alloc(arena, ESSE_LEVEL_END, sizeof *names);
    *count = 0;
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        if (has(set, at))
            names[(*count)++] = esse_level_table[at].friendly;
    qsort(names, *count, sizeof *names, by_name);
    return names;
}

static bool is_or_implies(unsigned at, const struct esse_level *const *levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (levels[i]->id == at || has(&implied[at], levels[i]->id))
            return true;
    return false;
}

void esse_level_boundary(struct esse_arena *arena, const struct esse_anomaly_type *const *present,
                         size_t count, const struct esse_level *const *violated,
                         size_t violated_count, const char *const **not_levels, uint32_t *not_count,
                         const char *const **also_not, uint32_t *also_count)
{
    ready();
    struct set found = { { 0 } }, impossible = { { 0 } }, weakest = { { 0 } }, rest = { { 0 } };
    for (size_t i = 0; i < count; i++)
        add_all(&found, &anomalies_of[present[i]->id]);
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        if (!esse_level_table[at].is_own &&
            (meets(&forbidden_by[at], &found) || is_or_implies(at, violated, violated_count)))
            add(&impossible, at);

    /* Later ids are weaker, so a level is among the weakest iff it implies no later one. */
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++) {
        bool is_weakest = has(&impossible, at);
        for (unsigned below = at + 1; below < ESSE_LEVEL_END; below++)
            if (has(&impossible, below) && has(&implied_elle[at], below))
                is_weakest = false;
        if (has(&impossible, at))
            add(is_weakest ? &weakest : &rest, at);
    }
    *not_levels = names_of(arena, &weakest, not_count);
    *also_not = names_of(arena, &rest, also_count);
}
