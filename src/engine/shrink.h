#ifndef ESSE_ENGINE_SHRINK_H
#define ESSE_ENGINE_SHRINK_H

#include "engine/engine.h"

/*
 * A small part of a history that violates a level by the same type of anomaly: delta debugging
 * (Zeller and Hildebrandt 2002, by removing ever smaller pieces) that starts from what the
 * anomaly's evidence names.  Transactions go first, then operations, then keys, until no single
 * one can go.  history/subset.h says what it means to leave something out.
 *
 * A part counts only if a check of its own finds it to violate the level by that type, and if
 * nothing of a type is found in it that the whole history does not have.
 *
 * Cost: a check of the whole history, a pass over it for each attempt with the evidence (mostly
 * one), and then some checks of what is left.  If the evidence alone is not enough, checks of
 * large parts; the budget ends that with the smallest part so far.
 */
struct esse_shrink_options {
    const struct esse_check_options *check; /* exactly one level */
    const char *anomaly;                    /* the type to keep; NULL: the worst that is found */
};

struct esse_shrunk {
    enum esse_outcome outcome;        /* of the whole history; the rest is about VIOLATED */
    enum esse_anomaly_id type;        /* NONE: the whole history has none of the type asked for */
    const struct esse_history *part;  /* may be the whole history itself */
    const struct esse_result *result; /* of the whole history */
    uint32_t checks;                  /* how many parts were tried */
    bool is_minimal;                  /* false: the budget ran out before */
};

/* Everything that is returned lives in 'arena', or is 'history'. */
bool esse_shrink(struct esse_arena *arena, const struct esse_history *history,
                 const struct esse_shrink_options *options, struct esse_shrunk *out,
                 struct esse_error *err);

#endif
