#include "formats/native_edn.h"

#include "formats/edn.h"
#include "formats/source.h"

#include <string.h>

/* One form of EDN on one line, and nothing beside it. */
static bool is_form(struct esse_arena *arena, struct esse_span text)
{
    struct esse_source source;
    struct esse_edn edn;
    struct esse_error err = { 0 };
    if (memchr(text.at, '\n', text.length))
        return false;
    esse_source_memory(&source, arena, text.at, text.length);
    esse_edn_init(&edn, &source, NULL, &err);
    esse_edn_start(&edn);
    const bool ok = esse_edn_skip(&edn) && edn.at == source.end;
    esse_edn_release(&edn);
    esse_source_close(&source);
    return ok;
}

/* The members that Esse writes itself would stand there twice. */
static bool is_own(struct esse_span name)
{
    static const char *const own[] = { ":type", ":process", ":f", ":value", ":index", ":time" };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (esse_span_is(name, own[i]))
            return true;
    return false;
}

static void keep(struct esse_native_edn *edn, struct esse_arena *arena, struct esse_span text)
{
    if (text.length)
        memcpy(esse_native_edn_bytes_extend(&edn->bytes, arena, text.length), text.at, text.length);
}

static bool is_known(const struct esse_native_edn *edn, struct esse_span name)
{
    const char *at = edn->bytes.at;
    for (size_t i = 0; i < edn->members.count; i++) {
        const struct esse_native_edn_member *member = &edn->members.at[i];
        if (member->name == name.length && memcmp(at, name.at, name.length) == 0)
            return true;
        at += member->name + member->text;
    }
    return false;
}

static bool read_member(struct esse_native_edn *edn, struct esse_json *json,
                        struct esse_arena *arena)
{
    struct esse_span name, text;
    const char *place = json->at;
    if (!esse_json_name(json, &name))
        return false;
    if (!is_form(arena, name) || is_own(name) || is_known(edn, name))
        return esse_json_fail(json, place,
                              "found \"%.*s\", expected the name of a member in EDN, such as "
                              "\":error\", once and none of those that Esse reads itself",
                              (int)(name.length < 60 ? name.length : 60), name.at);
    const size_t length = name.length;
    keep(edn, arena, name);
    esse_json_peek(json);
    place = json->at;
    if (!esse_json_string(json, &text))
        return false;
    if (!is_form(arena, text))
        return esse_json_fail(json, place, "found \"%.*s\", expected one form of EDN in one line",
                              (int)(text.length < 60 ? text.length : 60), text.at);
    keep(edn, arena, text);
    esse_native_edn_members_push(&edn->members, arena,
                                 (struct esse_native_edn_member){ length, text.length });
    return true;
}

bool esse_native_edn_read(struct esse_native_edn *edn, struct esse_json *json,
                          struct esse_arena *arena)
{
    enum { MOST = 256 }; /* they are compared with each other */
    bool ok = esse_json_char(json, '{', "members in EDN: {\":error\":\":timeout\"}");
    for (bool first = true; ok && esse_json_more(json, &first, '}', &ok);) {
        if (edn->members.count == MOST)
            return esse_json_fail(json, json->at, "more than %d members", MOST);
        ok = read_member(edn, json, arena);
    }
    return ok;
}

const struct esse_extra *esse_native_edn_extras(struct esse_native_edn *edn,
                                                struct esse_arena *arena, size_t *count)
{
    const char *at = edn->bytes.at;
    edn->extras.count = 0;
    for (size_t i = 0; i < edn->members.count; i++) {
        const struct esse_native_edn_member *member = &edn->members.at[i];
        esse_native_edn_vec_push(
            &edn->extras, arena,
            (struct esse_extra){ { at, member->name }, { at + member->name, member->text } });
        at += member->name + member->text;
    }
    *count = edn->extras.count;
    return edn->extras.at;
}
