#include "base/vec.h"
#include "formats/evidence_members.h"
#include "level/level.h"

#include <stdio.h>

struct evidence_reader {
    struct esse_json json;
    struct esse_arena *arena;
};

/* ---- single values ---- */

/* A number of something in a history, or null. */
static bool read_number(struct evidence_reader *r, uint32_t *ix)
{
    int64_t value;
    if (esse_json_peek(&r->json) == 'n') {
        *ix = ESSE_NO_OP;
        return esse_json_skip(&r->json);
    }
    const char *place = r->json.at;
    if (!esse_json_int(&r->json, &value))
        return false;
    if (value < 0 || value >= UINT32_MAX)
        return esse_json_fail(&r->json, place,
                              "found %lld, expected the number of a transaction, "
                              "operation or key",
                              (long long)value);
    *ix = (uint32_t)value;
    return true;
}

static bool read_text(struct evidence_reader *r, const char **out)
{
    struct esse_span span;
    if (!esse_json_string(&r->json, &span))
        return false;
    *out = esse_arena_text(r->arena, span.at, span.length);
    return true;
}

static bool read_truth(struct evidence_reader *r, bool *out)
{
    const char found = esse_json_peek(&r->json);
    *out = found == 't';
    return found == 't' || found == 'f'
               ? esse_json_skip(&r->json)
               : esse_json_fail(&r->json, r->json.at, "expected true or false");
}

static bool read_version(struct evidence_reader *r)
{
    int64_t version;
    const char *at = r->json.at;
    return esse_json_int(&r->json, &version) &&
           (version == ESSE_EVIDENCE_VERSION ||
            esse_json_fail(&r->json, at, "found version %lld, expected %d", (long long)version,
                           ESSE_EVIDENCE_VERSION));
}

/* A word by its position. */
static bool read_word(struct evidence_reader *r, const struct evidence_member *member, uint32_t *at)
{
    const char *word;
    if (!read_text(r, &word))
        return false;
    for (*at = member->if_any; member->words[*at]; ++*at) /* the first is what is left out */
        if (strcmp(word, member->words[*at]) == 0)
            return true;
    return esse_json_fail(&r->json, r->json.at, "found \"%.40s\", expected %s", word,
                          member->expected);
}

static bool read_anomaly(struct evidence_reader *r, enum esse_anomaly_id *out)
{
    const char *name;
    if (!read_text(r, &name))
        return false;
    const struct esse_anomaly_type *type = esse_anomaly_find(name);
    if (!type)
        return esse_json_fail(&r->json, r->json.at, "unknown anomaly '%.40s'", name);
    *out = type->id;
    return true;
}

static bool read_level(struct evidence_reader *r, enum esse_level_id *out)
{
    const char *name;
    if (!read_text(r, &name))
        return false;
    const struct esse_level *level =
        strcmp(name, esse_level_none.friendly) == 0 ? &esse_level_none : esse_level_find(name);
    if (!level)
        return esse_json_fail(&r->json, r->json.at, "unknown level '%.40s'", name);
    *out = level->id;
    return true;
}

/* ---- lists ---- */

static bool read_object(struct evidence_reader *r, const struct evidence_shape *shape,
                        void *object);

/* One of a list, which is an anomaly, a number or an object. */
static bool read_item(struct evidence_reader *r, const struct evidence_member *member, void *item)
{
    if (member->kind == EVIDENCE_LIST)
        return read_object(r, member->shape, item);
    if (member->kind == EVIDENCE_ANOMALIES)
        return read_anomaly(r, item);
    if (!read_number(r, item))
        return false;
    return member->kind == EVIDENCE_OPS || *(uint32_t *)item != ESSE_NO_OP ||
           esse_json_fail(&r->json, r->json.at, "found null, expected a number");
}

static size_t item_size(const struct evidence_member *member)
{
    return member->kind == EVIDENCE_LIST ? member->shape->size : sizeof(uint32_t);
}

/* The bracket, which is expected as two parts of a text. */
static bool begin(struct evidence_reader *r, char bracket, const char *what, const char *more)
{
    char expected[80];
    if (esse_json_peek(&r->json) == bracket)
        return esse_json_char(&r->json, bracket, what);
    snprintf(expected, sizeof expected, "%s%s", what, more);
    return esse_json_expected(&r->json, expected);
}

static bool begin_list(struct evidence_reader *r, const struct evidence_member *member)
{
    return begin(r, '[', "a list of ",
                 member->kind == EVIDENCE_LIST        ? member->shape->many
                 : member->kind == EVIDENCE_ANOMALIES ? "names"
                 : member->kind == EVIDENCE_SET       ? "names"
                 : member->kind == EVIDENCE_OPS       ? "operations"
                                                      : "numbers");
}

static bool read_list(struct evidence_reader *r, const struct evidence_member *member, void *at,
                      void *count_at)
{
    const size_t size = item_size(member);
    char *items = NULL;
    uint32_t count = 0;
    size_t room = 0;
    bool ok = begin_list(r, member);
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok); count++) {
        if (count == room) {
            room = esse_vec_room(room, size);
            items = esse_arena_grow(r->arena, items, room * size);
        }
        if (!read_item(r, member, items + count * size))
            return false;
    }
    memcpy(at, &items, sizeof items);
    memcpy(count_at, &count, sizeof count);
    return ok;
}

static bool read_pair(struct evidence_reader *r, const struct evidence_member *member, void *at)
{
    const uint32_t *numbers;
    uint32_t count;
    if (!read_list(r, member, &numbers, &count))
        return false;
    if (count != 2)
        return esse_json_fail(&r->json, r->json.at, "found %u %s, expected two", count,
                              member->name);
    memcpy(at, numbers, 2 * sizeof *numbers);
    return true;
}

static bool read_set(struct evidence_reader *r, const struct evidence_member *member, uint32_t *set)
{
    uint32_t position;
    bool ok = begin_list(r, member);
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        if (!read_word(r, member, &position))
            return false;
        *set |= 1u << position;
    }
    return ok;
}

/* ---- objects ---- */

static bool read_pointed(struct evidence_reader *r, const struct evidence_shape *shape, void *at)
{
    void *object = esse_arena_alloc(r->arena, 1, shape->size);
    memcpy(at, &object, sizeof object);
    return read_object(r, shape, object);
}

static bool read_member(struct evidence_reader *r, const struct evidence_member *member,
                        char *object)
{
    char *at = object + member->at;
    uint32_t position;
    switch (member->kind) {
    case EVIDENCE_CONSTANT:
        return read_word(r, member, &position);
    case EVIDENCE_VERSION:
        return read_version(r);
    case EVIDENCE_REMARK:
        return esse_json_skip(&r->json);
    case EVIDENCE_TEXT:
        return read_text(r, (const char **)(void *)at);
    case EVIDENCE_WORD:
        if (!read_word(r, member, &position))
            return false;
        memcpy(at, &position, sizeof position);
        return true;
    case EVIDENCE_ANOMALY:
        return read_anomaly(r, (enum esse_anomaly_id *)(void *)at);
    case EVIDENCE_LEVEL:
        return read_level(r, (enum esse_level_id *)(void *)at);
    case EVIDENCE_TRUTH:
        return read_truth(r, (bool *)at);
    case EVIDENCE_NUMBER:
        return read_number(r, (uint32_t *)(void *)at);
    case EVIDENCE_PAIR:
        return read_pair(r, member, at);
    case EVIDENCE_SET:
        return read_set(r, member, (uint32_t *)(void *)at);
    case EVIDENCE_NUMBERS:
    case EVIDENCE_OPS:
    case EVIDENCE_ANOMALIES:
    case EVIDENCE_LIST:
        return read_list(r, member, at, object + member->count_at);
    case EVIDENCE_OBJECT:
        return read_object(r, member->shape, at);
    case EVIDENCE_POINTER:
        return read_pointed(r, member->shape, at);
    }
    return false;
}

/* The number of the member that is named; shape->count if there is none. */
static unsigned find_member(const struct evidence_shape *shape, struct esse_span name)
{
    unsigned i = 0;
    while (i < shape->count && (strlen(shape->members[i].name) != name.length ||
                                memcmp(shape->members[i].name, name.at, name.length) != 0))
        i++;
    return i;
}

static bool read_named(struct evidence_reader *r, const struct evidence_shape *shape, char *object,
                       unsigned *found)
{
    struct esse_span name;
    if (!esse_json_name(&r->json, &name))
        return false;
    const unsigned i = find_member(shape, name);
    if (i == shape->count)
        return esse_json_fail(&r->json, r->json.at, "unknown member \"%.*s\" in an evidence file",
                              (int)(name.length < 60 ? name.length : 60), name.at);
    *found |= 1u << i;
    if (shape->members[i].flag_at)
        *(bool *)(object + shape->members[i].flag_at) = true;
    return read_member(r, &shape->members[i], object);
}

/* The members that an object of its kind has: a bit each. */
static unsigned members_of_kind(const struct evidence_shape *shape, const void *object)
{
    unsigned members = 0;
    for (unsigned i = 0; i < shape->count; i++)
        if (evidence_is_of_kind(shape, object, &shape->members[i]))
            members |= 1u << i;
    return members;
}

/* Are those there that an object has to have?  One with kinds has all members of its kind and no
 * other. */
static bool check_found(struct evidence_reader *r, const struct evidence_shape *shape,
                        const void *object, unsigned found)
{
    if (shape->members[0].kinds && found != members_of_kind(shape, object))
        return esse_json_fail(&r->json, r->json.at, "%s does not have the members of its kind",
                              shape->one);
    for (unsigned i = 0; i < shape->count; i++)
        if (shape->members[i].is_needed && !(found & 1u << i))
            return esse_json_fail(&r->json, r->json.at, "%s has no %s", shape->one,
                                  shape->members[i].name);
    return true;
}

static bool read_object(struct evidence_reader *r, const struct evidence_shape *shape, void *object)
{
    unsigned found = 0;
    if (shape->blank)
        memcpy(object, shape->blank, shape->size);
    else
        memset(object, 0, shape->size);
    bool ok = begin(r, '{', shape->one, shape == &evidence_file_shape ? "" : " {...}");
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);)
        if (!read_named(r, shape, object, &found))
            return false;
    return ok && check_found(r, shape, object, found) &&
           (!shape->check || shape->check(&r->json, object));
}

/* ---- files ---- */

bool esse_evidence_parse(struct esse_arena *arena, struct esse_source *source,
                         struct esse_evidence *out, struct esse_error *err)
{
    struct esse_evidence evidence;
    struct evidence_reader reader = { .arena = arena };
    struct esse_arena *scratch = esse_arena_new();
    esse_json_init(&reader.json, source, esse_values_new(scratch), false, err);
    const bool ok = read_object(&reader, &evidence_file_shape, &evidence);
    esse_arena_free(scratch);
    if (ok)
        *out = evidence;
    return ok;
}

/* The file is one form, so the whole of it must be in the window. */
static bool fill_window(struct esse_source *source, struct esse_error *err)
{
    while (!source->last)
        if (!esse_source_more(source, err))
            return false;
    return true;
}

bool esse_evidence_read(struct esse_arena *arena, const char *path, struct esse_evidence *out,
                        struct esse_error *err)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_source source;
    bool ok = esse_source_open(&source, scratch, path, NULL, err);
    if (ok) {
        ok = fill_window(&source, err) && esse_evidence_parse(arena, &source, out, err);
        esse_source_close(&source);
    }
    esse_arena_free(scratch);
    return ok;
}
