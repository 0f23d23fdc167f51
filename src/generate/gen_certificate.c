#include "generate/gen_certificate.h"

#include "generate/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void esse_gen_certificate_version(struct esse_gen_certificate *certificate,
                                  struct esse_gen_version version)
{
    esse_gen_version_vec_push(&certificate->versions, certificate->arena, version);
}

void esse_gen_certificate_position(struct esse_gen_certificate *certificate,
                                   struct esse_gen_position position)
{
    esse_gen_position_vec_push(&certificate->positions, certificate->arena, position);
    certificate->is_sorted = false;
}

void esse_gen_certificate_lost(struct esse_gen_certificate *certificate, uint32_t txn)
{
    esse_gen_name_vec_push(&certificate->lost, certificate->arena, esse_value_small(txn));
}

struct esse_version_ref esse_gen_version_ref(struct esse_gen_version version)
{
    if (version.value == ESSE_ABSENT)
        return (struct esse_version_ref){ .value = ESSE_NONE,
                                          .txn = esse_value_small(version.txn) };
    return (struct esse_version_ref){ .value = esse_value_small(version.value), .txn = ESSE_NONE };
}

/* A counting sort by key: stable, so each key's versions keep their order. */
static bool emit_versions(struct esse_gen_certificate *certificate, uint64_t keys,
                          struct esse_sink *sink, struct esse_error *err)
{
    struct esse_arena *arena = certificate->arena;
    const size_t count = certificate->versions.count;
    size_t *start = esse_arena_grow(arena, NULL, (keys + 2) * sizeof *start);
    memset(start, 0, (keys + 2) * sizeof *start);
    for (size_t i = 0; i < count; i++) {
        assert(certificate->versions.at[i].key < keys);
        start[certificate->versions.at[i].key + 2]++;
    }
    for (uint64_t key = 2; key < keys + 2; key++)
        start[key] += start[key - 1];
    struct esse_version_ref *refs = esse_arena_grow(arena, NULL, (count + 1) * sizeof *refs);
    for (size_t i = 0; i < count; i++)
        refs[start[certificate->versions.at[i].key + 1]++] =
            esse_gen_version_ref(certificate->versions.at[i]);
    bool ok = true;
    for (uint64_t key = 0; ok && key < keys; key++)
        if (start[key + 1] > start[key])
            ok = sink->version_order(sink, esse_value_small((int64_t)key), refs + start[key],
                                     start[key + 1] - start[key], err);
    esse_arena_drop(arena, refs);
    esse_arena_drop(arena, start);
    return ok;
}

static int compare_positions(const void *left, const void *right)
{
    const struct esse_gen_position *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->tie > b->tie) - (a->tie < b->tie);
}

static void sort_positions(struct esse_gen_certificate *certificate)
{
    if (certificate->positions.count && !certificate->is_sorted)
        qsort(certificate->positions.at, certificate->positions.count,
              sizeof *certificate->positions.at, compare_positions);
    certificate->is_sorted = true;
}

size_t esse_gen_certificate_before(struct esse_gen_certificate *certificate, uint64_t at)
{
    size_t low = 0, high = certificate->positions.count;
    sort_positions(certificate);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (certificate->positions.at[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool emit_order(struct esse_gen_certificate *certificate, struct esse_sink *sink,
                       struct esse_error *err)
{
    const size_t count = certificate->positions.count;
    sort_positions(certificate);
    esse_value *names = esse_arena_grow(certificate->arena, NULL, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = esse_value_small(certificate->positions.at[i].txn);
    bool ok = sink->order(sink, names, count, err);
    esse_arena_drop(certificate->arena, names);
    return ok;
}

bool esse_gen_certificate_emit_lost(const struct esse_gen_certificate *certificate,
                                    struct esse_sink *sink, struct esse_error *err)
{
    const struct esse_gen_name_vec *lost = &certificate->lost;
    return !lost->count || sink->lost(sink, lost->at, lost->count, err);
}

bool esse_gen_certificate_emit(struct esse_gen_certificate *certificate, uint64_t keys,
                               bool has_order, struct esse_sink *sink, struct esse_error *err)
{
    if (certificate->versions.count && !emit_versions(certificate, keys, sink, err))
        return false;
    return (!has_order || emit_order(certificate, sink, err)) &&
           esse_gen_certificate_emit_lost(certificate, sink, err);
}
