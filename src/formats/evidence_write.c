#include "formats/evidence_members.h"

static void put_object(struct esse_out *out, const struct evidence_shape *shape,
                       const void *object);

static void put_number(struct esse_out *out, uint32_t number)
{
    if (number == ESSE_NO_OP)
        esse_out_text(out, "null");
    else
        esse_out_i64(out, number);
}

static void put_numbers(struct esse_out *out, const uint32_t *numbers, uint32_t count)
{
    esse_out_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? "," : "");
        put_number(out, numbers[i]);
    }
    esse_out_char(out, ']');
}

static void put_anomalies(struct esse_out *out, const enum esse_anomaly_id *types, uint32_t count)
{
    esse_out_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? "," : "");
        esse_out_json_text(out, esse_anomaly_name(types[i]));
    }
    esse_out_char(out, ']');
}

static void put_set(struct esse_out *out, const char *const *words, uint32_t set)
{
    char before = '[';
    for (unsigned i = 1; words[i]; i++)
        if (set & 1u << i) {
            esse_out_char(out, before);
            esse_out_json_text(out, words[i]);
            before = ',';
        }
    esse_out_text(out, before == '[' ? "[]" : "]");
}

static void put_list(struct esse_out *out, const struct evidence_member *member,
                     const char *objects, uint32_t count)
{
    static const char *const first[] = { "", "", "\n" }, *const next[] = { ",", ",\n", ",\n" };
    esse_out_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? next[member->lines] : first[member->lines]);
        put_object(out, member->shape, objects + i * member->shape->size);
    }
    esse_out_char(out, ']');
}

static void put_member(struct esse_out *out, const struct evidence_member *member, const void *at,
                       uint32_t count)
{
    switch (member->kind) {
    case EVIDENCE_CONSTANT:
        esse_out_json_text(out, member->words[0]);
        break;
    case EVIDENCE_VERSION:
        put_number(out, ESSE_EVIDENCE_VERSION);
        break;
    case EVIDENCE_REMARK:
    case EVIDENCE_TEXT:
        esse_out_json_text(out, evidence_pointer(at));
        break;
    case EVIDENCE_WORD:
        esse_out_json_text(out, member->words[evidence_number(at)]);
        break;
    case EVIDENCE_ANOMALY:
        esse_out_json_text(out, esse_anomaly_name((enum esse_anomaly_id)evidence_number(at)));
        break;
    case EVIDENCE_LEVEL:
        esse_out_json_text(out, esse_level_name((enum esse_level_id)evidence_number(at)));
        break;
    case EVIDENCE_TRUTH:
        esse_out_text(out, *(const bool *)at ? "true" : "false");
        break;
    case EVIDENCE_NUMBER:
        put_number(out, evidence_number(at));
        break;
    case EVIDENCE_PAIR:
        put_numbers(out, at, 2);
        break;
    case EVIDENCE_NUMBERS:
    case EVIDENCE_OPS:
        put_numbers(out, evidence_pointer(at), count);
        break;
    case EVIDENCE_SET:
        put_set(out, member->words, evidence_number(at));
        break;
    case EVIDENCE_ANOMALIES:
        put_anomalies(out, evidence_pointer(at), count);
        break;
    case EVIDENCE_OBJECT:
        put_object(out, member->shape, at);
        break;
    case EVIDENCE_POINTER:
        put_object(out, member->shape, evidence_pointer(at));
        break;
    case EVIDENCE_LIST:
        put_list(out, member, evidence_pointer(at), count);
        break;
    }
}

static bool is_there(const struct evidence_shape *shape, const struct evidence_member *member,
                     const void *object, uint32_t count)
{
    const bool is_pointer = member->kind == EVIDENCE_TEXT || member->kind == EVIDENCE_POINTER;
    const char *at = object;
    const bool any = member->count_at ? count : evidence_number(at + member->at);
    return evidence_is_of_kind(shape, object, member) &&
           (!is_pointer || evidence_pointer(at + member->at)) && (!member->if_any || any) &&
           (!member->flag_at || *(const bool *)(at + member->flag_at)) &&
           (!member->is_told || member->is_told(object));
}

static uint32_t count_of(const struct evidence_member *member, const char *object)
{
    const bool is_empty =
        !member->count_at || (member->instead_at && evidence_number(object + member->instead_at));
    return is_empty ? 0 : evidence_number(object + member->count_at);
}

static void put_object(struct esse_out *out, const struct evidence_shape *shape, const void *object)
{
    char before = '{';
    for (unsigned i = 0; i < shape->count; i++) {
        const struct evidence_member *member = &shape->members[i];
        const uint32_t count = count_of(member, object);
        if (!is_there(shape, member, object, count))
            continue;
        esse_out_char(out, before);
        esse_out_char(out, '"');
        esse_out_text(out, member->name);
        esse_out_text(out, "\":");
        put_member(out, member, (const char *)object + member->at, count);
        before = ',';
    }
    esse_out_char(out, '}');
}

void esse_evidence_write(struct esse_out *out, const struct esse_evidence *evidence)
{
    put_object(out, &evidence_file_shape, evidence);
    esse_out_char(out, '\n');
}
