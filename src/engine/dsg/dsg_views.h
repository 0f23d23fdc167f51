#ifndef ESSE_ENGINE_DSG_DSG_VIEWS_H
#define ESSE_ENGINE_DSG_DSG_VIEWS_H

#include "engine/dsg/dsg_column.h"

/*
 * The versions of all keys as one predicate sees them: which of them change what matches.
 *
 * Cost: O(versions in its range), and a sort of those, for a predicate that is a range of a column
 * (the first that asks for the column pays for its index); O(versions) for any other.
 */
struct dsg_view {
    version_id *changes; /* versions that change the matches, ascending */
    uint32_t change_count;
    uint32_t misses; /* versions that do not match */
    version_id miss; /* one of them */
};

struct dsg_views {
    struct esse_arena *arena;
    const struct versions *versions;
    struct esse_predicates *predicates;
    struct esse_error *err;
    struct dsg_column *columns; /* made so far */
    uint32_t column_count;

    const struct esse_predicate *predicate; /* of the text at hand */
    esse_value text;
    uint32_t column; /* of its range, NO_RANK if it is none that a column can tell */
    uint32_t low, high;

    bool is_seen;   /* the changes of the text at hand are found */
    bool by_touch;  /* and every version that enters, leaves or stays counts as one */
    uint32_t *keys; /* those of which a version matches, ascending */
    uint32_t key_count;
    struct dsg_view *at; /* by key; */
    uint32_t *round;     /* good if it is of this round */
    uint32_t rounds;
    version_id *changes; /* room for those of all keys */
    struct esse_pair *found;
};

void dsg_views_open(struct dsg_views *views, const struct versions *versions,
                    struct esse_error *err);

/* Takes up a text.  False and 'err' filled if it is no good. */
bool dsg_views_take(struct dsg_views *views, esse_value text);

/* Finds the changes that the text at hand sees.  With 'by_touch' a version counts as a change also
 * if it and the one before it match: for results that depend on the rows' values. */
bool dsg_views_see(struct dsg_views *views, bool by_touch);

/* For other ways to find changes (dsg_joins.h): forgets those found, and keeps the view of a key.
 */
void dsg_views_renew(struct dsg_views *views);
void dsg_views_keep(struct dsg_views *views, uint32_t key, struct dsg_view view);

/* The view of a key; NULL if no version of it matches. */
static inline const struct dsg_view *dsg_views_of(const struct dsg_views *views, uint32_t key)
{
    return views->round[key] == views->rounds ? &views->at[key] : NULL;
}

#endif
