#include "engine/known/versions.h"

/* What versions.h says, key by key. */

/* The access that installed a version. */
static bool is_installed(const struct versions *versions, uint32_t key, uint32_t version)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const uint32_t write = versions->write[version];
    return write >= by_key->first[key] && write < by_key->first[key + 1] &&
           by_key->at[write].kind != ESSE_OP_READ && versions->in[by_key->at[write].txn] &&
           versions->of[write] == version;
}

static bool is_access_valid(const struct versions *versions, uint32_t key, uint32_t at)
{
    const struct esse_touch *touch = versions_touch(versions, at);
    const uint32_t version = versions->of[at];
    if (version == NO_VERSION)
        return true;
    if (!versions->in[touch->txn])
        return false;
    if (version >= versions->count) /* a state that is no version: see dsg_infer */
        return touch->kind == ESSE_OP_READ && versions->write[version] == ESSE_NO_TOUCH;
    return version >= versions->first[key] && version < versions->first[key + 1] &&
           (touch->kind == ESSE_OP_READ || versions->write[version] == at);
}

static bool is_key_valid(const struct versions *versions, uint32_t key)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const uint32_t first = versions->first[key], end = versions->first[key + 1];
    const uint32_t reader = versions->key_reader[key];
    bool ok = first < end && end <= versions->count && versions->loose[key] > first &&
              versions->loose[key] <= end && versions->write[first] == ESSE_NO_TOUCH &&
              (reader == ESSE_NO_TOUCH ||
               (reader >= by_key->first[key] && reader < by_key->first[key + 1]));
    for (uint32_t v = first + 1; ok && v < end; v++)
        ok = is_installed(versions, key, v);
    for (uint32_t at = by_key->first[key]; ok && at < by_key->first[key + 1]; at++)
        ok = is_access_valid(versions, key, at);
    return ok;
}

static bool are_edges_valid(const struct versions *versions, uint32_t version)
{
    const uint32_t *first = &versions->after_first[version];
    bool ok = first[0] <= first[1];
    for (uint32_t e = first[0]; ok && e < first[1]; e++) {
        const struct version_edge *edge = &versions->after[e];
        ok = edge->from == version && edge->to != version &&
             versions->of[edge->from_at] == version && versions->of[edge->to_at] == edge->to;
    }
    return ok;
}

bool versions_valid(const struct versions *versions)
{
    const uint32_t keys = versions->history->keys;
    bool ok = versions->first[0] == 0 && versions->first[keys] == versions->count;
    for (uint32_t key = 0; ok && key < keys; key++)
        ok = is_key_valid(versions, key);
    for (uint32_t v = 0; ok && versions->after_first && v < versions->count; v++)
        ok = are_edges_valid(versions, v);
    return ok;
}
