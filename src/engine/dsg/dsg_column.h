#ifndef ESSE_ENGINE_DSG_DSG_COLUMN_H
#define ESSE_ENGINE_DSG_DSG_COLUMN_H

#include "engine/known/versions.h"
#include "sql/range.h"

/*
 * The versions of all keys by what they have in one column, where that is an integer everywhere or
 * nothing: two binary searches find which of them lie in a range.  A version's rank is its
 * place in that order.  Only keys whose versions are all in order take part.
 *
 * Cost: a sort of the versions, 16 bytes a version; find O(log versions).
 */
#define NO_RANK UINT32_MAX

struct dsg_column {
    struct esse_column column;
    bool usable; /* nothing but integers */
    uint32_t count;
    int64_t *value;      /* by rank, ascending */
    version_id *version; /* by rank */
    uint32_t *rank;      /* by version, or NO_RANK */
};

static inline bool dsg_is_appended(const struct versions *versions, uint32_t key)
{
    const version_id version = { versions->first[key].ix + 1 };
    return version.ix < versions->first[key + 1].ix &&
           versions_key_access(versions, versions->write[version.ix])->kind == ESSE_OP_APPEND;
}

/* A key that has unordered versions has no order to speak of, and lists are not rows. */
static inline bool dsg_is_ordered(const struct versions *versions, uint32_t key)
{
    return versions->unordered[key].ix == versions->first[key + 1].ix &&
           versions->key_reader[key].ix == ESSE_NO_KEY_ACCESS && !dsg_is_appended(versions, key);
}

/* What a version holds. */
static inline esse_value dsg_version_value(const struct versions *versions, uint32_t key,
                                           version_id version)
{
    return version.ix == versions->first[key].ix
               ? versions->sources->initial[key]
               : versions_key_access(versions, versions->write[version.ix])->value;
}

void dsg_column_make(struct dsg_column *made, const struct versions *versions,
                     struct esse_column column);

/* The ranks [*low .. *high) of the versions in the range. */
void dsg_column_find(const struct dsg_column *column, const struct esse_range *range, uint32_t *low,
                     uint32_t *high);

#endif
