#include "collect/driver/etcd/etcd_answer.h"

#include "base/base64.h"
#include "formats/json.h"

#include <stdio.h>

void esse_etcd_answer_init(struct esse_etcd_answer *answer, struct esse_arena *arena)
{
    *answer = (struct esse_etcd_answer){ 0 };
    esse_out_init_memory(&answer->value, arena);
    esse_out_init_memory(&answer->token, arena);
}

static void clear(struct esse_etcd_answer *answer)
{
    const struct esse_out value = answer->value, token = answer->token;
    *answer = (struct esse_etcd_answer){ .value = value, .token = token };
    answer->value.count = answer->token.count = 0;
}

/* ---- reading ---- */

struct reading {
    struct esse_etcd_answer *answer;
    struct esse_json json;
};

/* An integer, bare or in quotes. */
static bool read_number(struct reading *r, int64_t *number)
{
    if (esse_json_peek(&r->json) != '"')
        return esse_json_int(&r->json, number);
    const char *place = r->json.at;
    struct esse_span text;
    char digits[24], end;
    long long value;
    if (!esse_json_string(&r->json, &text))
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(text.length < 23 ? text.length : 23), text.at);
    if (text.length > 20 || sscanf(digits, "%lld%c", &value, &end) != 1)
        return esse_json_fail(&r->json, place, "expected an integer in quotes");
    *number = value;
    return true;
}

static bool read_text(struct reading *r, char *text, size_t room)
{
    struct esse_span span;
    if (!esse_json_string(&r->json, &span))
        return false;
    snprintf(text, room, "%.*s", (int)(span.length < room ? span.length : room), span.at);
    return true;
}

static bool read_value(struct reading *r)
{
    struct esse_out *value = &r->answer->value;
    const char *place = r->json.at;
    struct esse_span text;
    size_t count;
    if (!esse_json_string(&r->json, &text))
        return false;
    value->count = 0;
    if (!esse_base64_decode(text.at, text.length,
                            esse_out_room(value, ESSE_BASE64_BYTES(text.length) + 1), &count))
        return esse_json_fail(&r->json, place, "expected text in base64");
    value->count = count;
    return true;
}

typedef bool member_reader(struct reading *r, struct esse_span name);

static bool read_object(struct reading *r, member_reader *read)
{
    bool ok = true;
    if (!esse_json_char(&r->json, '{', "an object"))
        return false;
    for (bool first = true; esse_json_more(&r->json, &first, '}', &ok);) {
        struct esse_span name;
        if (!esse_json_name(&r->json, &name) || !read(r, name))
            return false;
    }
    return ok;
}

static bool read_objects(struct reading *r, member_reader *read)
{
    bool ok = true;
    if (!esse_json_char(&r->json, '[', "a list"))
        return false;
    for (bool first = true; esse_json_more(&r->json, &first, ']', &ok);)
        if (!read_object(r, read))
            return false;
    return ok;
}

static bool in_header(struct reading *r, struct esse_span name)
{
    return esse_span_is(name, "revision") ? read_number(r, &r->answer->revision)
                                          : esse_json_skip(&r->json);
}

static bool in_pair(struct reading *r, struct esse_span name)
{
    r->answer->is_there = true;
    if (esse_span_is(name, "mod_revision"))
        return read_number(r, &r->answer->mod_revision);
    return esse_span_is(name, "value") ? read_value(r) : esse_json_skip(&r->json);
}

static bool in_deletion(struct reading *r, struct esse_span name)
{
    int64_t deleted = 0;
    if (!esse_span_is(name, "deleted"))
        return esse_json_skip(&r->json);
    if (!read_number(r, &deleted))
        return false;
    r->answer->has_written |= deleted > 0;
    return true;
}

static bool in_response(struct reading *r, struct esse_span name)
{
    r->answer->has_written |= esse_span_is(name, "response_put");
    return esse_span_is(name, "response_delete_range") ? read_object(r, in_deletion)
                                                       : esse_json_skip(&r->json);
}

static bool in_answer(struct reading *r, struct esse_span name)
{
    struct esse_etcd_answer *answer = r->answer;
    if (esse_span_is(name, "header"))
        return read_object(r, in_header);
    if (esse_span_is(name, "kvs"))
        return read_objects(r, in_pair);
    if (esse_span_is(name, "responses"))
        return read_objects(r, in_response);
    if (esse_span_is(name, "succeeded")) {
        answer->succeeded = esse_json_peek(&r->json) == 't';
        return esse_json_skip(&r->json);
    }
    if (esse_span_is(name, "code"))
        return read_number(r, &answer->code);
    if (esse_span_is(name, "version"))
        return read_text(r, answer->version, sizeof answer->version);
    if (esse_span_is(name, "error")) {
        answer->is_error = true;
        return read_text(r, answer->text, sizeof answer->text);
    }
    if (esse_span_is(name, "token")) {
        struct esse_span token;
        if (!esse_json_string(&r->json, &token))
            return false;
        answer->token.count = 0;
        esse_out_bytes(&answer->token, token.at, token.length);
        return true;
    }
    return esse_json_skip(&r->json);
}

bool esse_etcd_answer_read(struct esse_etcd_answer *answer, const char *body, size_t length,
                           struct esse_error *err)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_source source;
    struct reading r = { .answer = answer };
    clear(answer);
    esse_source_memory(&source, scratch, body, length);
    esse_json_init(&r.json, &source, NULL, false, err);
    bool ok = read_object(&r, in_answer);
    if (ok && (esse_json_peek(&r.json) || r.json.at < source.end))
        ok = esse_json_expected(&r.json, "the end of the answer");
    esse_arena_free(scratch);
    return ok;
}

/* ---- errors ---- */

static bool is_definite(int64_t code)
{
    switch (code) {
    case ESSE_GRPC_INVALID_ARGUMENT:
    case ESSE_GRPC_NOT_FOUND:
    case ESSE_GRPC_PERMISSION_DENIED:
    case ESSE_GRPC_FAILED_PRECONDITION:
    case ESSE_GRPC_OUT_OF_RANGE:
    case ESSE_GRPC_UNIMPLEMENTED:
    case ESSE_GRPC_UNAUTHENTICATED:
        return true;
    default:
        return false;
    }
}

void esse_etcd_classify(const struct esse_etcd_answer *answer, bool is_commit,
                        struct esse_failure *failure)
{
    const int64_t code = answer->code;
    const bool is_definitive = is_definite(code);
    /* Users or roles have changed meanwhile: a new token helps. */
    const bool is_old = strstr(answer->text, "auth store is old") != NULL;
    *failure = (struct esse_failure){
        .fate = is_commit && !is_definitive ? ESSE_FATE_UNKNOWN : ESSE_FATE_ABORTED,
        .is_lost = !is_definitive || code == ESSE_GRPC_UNAUTHENTICATED || is_old,
        .is_fatal = is_definitive && code != ESSE_GRPC_UNAUTHENTICATED &&
                    code != ESSE_GRPC_OUT_OF_RANGE && !is_old,
    };
    snprintf(failure->code, sizeof failure->code, "grpc-%lld", (long long)code);
    snprintf(failure->text, sizeof failure->text, "%s", answer->text);
}
