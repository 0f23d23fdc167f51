#include "engine/known/versions.h"

/* What versions.h says, key by key. */

/* The access that installed a version. */
static bool is_installed(const struct versions *versions, uint32_t key, version_id version)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const key_access_id write = versions->write[version.ix];
    return write.ix >= by_key->first[key] && write.ix < by_key->first[key + 1] &&
           by_key->at[write.ix].kind != ESSE_OP_READ && versions->in[by_key->at[write.ix].txn] &&
           versions->of[write.ix].ix == version.ix;
}

static bool is_access_valid(const struct versions *versions, uint32_t key, key_access_id at)
{
    const struct esse_key_access *key_access = versions_key_access(versions, at);
    const version_id version = versions->of[at.ix];
    if (version.ix == NO_VERSION)
        return true;
    if (!versions->in[key_access->txn])
        return false;
    if (version.ix >= versions->count) /* a state that is no version: see dsg_infer */
        return key_access->kind == ESSE_OP_READ &&
               versions->write[version.ix].ix == ESSE_NO_KEY_ACCESS;
    return version.ix >= versions->first[key].ix && version.ix < versions->first[key + 1].ix &&
           (key_access->kind == ESSE_OP_READ || versions->write[version.ix].ix == at.ix);
}

static bool is_key_valid(const struct versions *versions, uint32_t key)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const version_id first = versions->first[key], end = versions->first[key + 1];
    const key_access_id reader = versions->key_reader[key];
    bool ok = first.ix < end.ix && end.ix <= versions->count &&
              versions->unordered[key].ix > first.ix && versions->unordered[key].ix <= end.ix &&
              versions->write[first.ix].ix == ESSE_NO_KEY_ACCESS &&
              (reader.ix == ESSE_NO_KEY_ACCESS ||
               (reader.ix >= by_key->first[key] && reader.ix < by_key->first[key + 1]));
    for (version_id v = { first.ix + 1 }; ok && v.ix < end.ix; v.ix++)
        ok = is_installed(versions, key, v);
    for (key_access_id at = { by_key->first[key] }; ok && at.ix < by_key->first[key + 1]; at.ix++)
        ok = is_access_valid(versions, key, at);
    return ok;
}

static bool are_edges_valid(const struct versions *versions, version_id version)
{
    const uint32_t *first = &versions->after_first[version.ix];
    bool ok = first[0] <= first[1];
    for (uint32_t e = first[0]; ok && e < first[1]; e++) {
        const struct version_edge *edge = &versions->after[e];
        ok = edge->from.ix == version.ix && edge->to.ix != version.ix &&
             versions->of[edge->from_at.ix].ix == version.ix &&
             versions->of[edge->to_at.ix].ix == edge->to.ix;
    }
    return ok;
}

bool versions_valid(const struct versions *versions)
{
    const uint32_t keys = versions->history->keys;
    bool ok = versions->first[0].ix == 0 && versions->first[keys].ix == versions->count;
    for (uint32_t key = 0; ok && key < keys; key++)
        ok = is_key_valid(versions, key);
    for (version_id v = { 0 }; ok && versions->after_first && v.ix < versions->count; v.ix++)
        ok = are_edges_valid(versions, v);
    return ok;
}
