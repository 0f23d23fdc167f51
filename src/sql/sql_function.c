#include "sql/sql_function.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static double nearest_even(double x)
{
    return rint(x);
}

static bool real_result(const struct esse_expr *call, double real, struct esse_datum *value)
{
    *value = esse_datum_real(call->type.base == ESSE_TYPE_FLOAT4 ? (double)(float)real : real);
    return true;
}

static bool round_number(struct esse_eval *eval, const struct esse_expr *call,
                         const struct esse_datum *args, bool is_cut, struct esse_datum *value)
{
    if (args[0].kind == ESSE_DATUM_REAL)
        return real_result(call, is_cut ? trunc(args[0].is.real) : nearest_even(args[0].is.real),
                           value);
    int64_t scale = call->count > 1 ? args[1].is.number : 0;
    scale = scale < -39 ? -39 : scale;
    return esse_decimal_round(eval->arena, args[0], scale > 38 ? 38 : (int)scale, is_cut, value,
                              eval->fault);
}

static bool to_whole(struct esse_eval *eval, const struct esse_expr *call,
                     const struct esse_datum *args, bool is_up, struct esse_datum *value)
{
    if (args[0].kind == ESSE_DATUM_REAL)
        return real_result(call, is_up ? ceil(args[0].is.real) : floor(args[0].is.real), value);
    return esse_decimal_whole(eval->arena, args[0], is_up, value, eval->fault);
}

static bool absolute(struct esse_eval *eval, const struct esse_expr *call,
                     const struct esse_datum *args, struct esse_datum *value)
{
    if (args[0].kind == ESSE_DATUM_REAL)
        return real_result(call, fabs(args[0].is.real), value);
    if (esse_datum_sign(args[0]) >= 0) {
        *value = args[0];
        return true;
    }
    struct esse_datum zero = esse_datum_int(0);
    if (args[0].kind == ESSE_DATUM_DECIMAL)
        zero = (struct esse_datum){ .kind = ESSE_DATUM_DECIMAL };
    return esse_calculate(eval->arena, '-', call->type, zero, args[0], value, eval->fault);
}

static bool sign_of(const struct esse_expr *call, const struct esse_datum *args,
                    struct esse_datum *value)
{
    const int sign = esse_datum_sign(args[0]);
    if (esse_type_is_real(call->type))
        return real_result(call, sign, value);
    *value = esse_datum_int(sign);
    if (call->type.base == ESSE_TYPE_NUMERIC)
        value->kind = ESSE_DATUM_DECIMAL;
    return true;
}

/* ---- texts ---- */

static struct esse_datum part(struct esse_datum text, uint32_t from, uint32_t to)
{
    return esse_datum_text(text.is.text + from, to > from ? to - from : 0);
}

static bool change_case(struct esse_eval *eval, struct esse_datum text, bool is_upper,
                        struct esse_datum *value)
{
    char *copy = esse_arena_text(eval->arena, text.is.text, text.length);
    for (uint32_t i = 0; i < text.length; i++)
        if ((unsigned char)copy[i] < 128)
            copy[i] = (char)(is_upper ? toupper(copy[i]) : tolower(copy[i]));
    *value = esse_datum_text(copy, text.length);
    return true;
}

/* Characters from 'from', counted from 1, on; it may be before the text. */
static bool substring(struct esse_eval *eval, const struct esse_expr *call,
                      const struct esse_datum *args, struct esse_datum *value)
{
    const int64_t characters = esse_text_characters(args[0]);
    int64_t from = args[1].is.number, to = INT64_MAX;
    if (call->op == 'm' && from <= 0) /* MySQL counts from the end, and 0 is nothing */
        from = from == 0 || -from > characters ? characters + 1 : characters + from + 1;
    if (call->count > 2) {
        if (args[2].is.number < 0 && call->op != 'm')
            return esse_fault(eval->fault, "22011", call->at,
                              "negative substring length not allowed");
        if (__builtin_add_overflow(from, args[2].is.number, &to))
            to = INT64_MAX;
    }
    from = from < 1 ? 1 : from > characters + 1 ? characters + 1 : from;
    to = to < from ? from : to > characters + 1 ? characters + 1 : to;
    *value = part(args[0], esse_text_byte_of(args[0], (uint32_t)(from - 1)),
                  esse_text_byte_of(args[0], (uint32_t)(to - 1)));
    return true;
}

static bool is_among(struct esse_datum set, const char *at, uint32_t length)
{
    for (uint32_t i = 0, end; i < set.length; i = end) {
        end = i + 1;
        while (end < set.length && ((unsigned char)set.is.text[end] & 0xc0) == 0x80)
            end++;
        if (end - i == length && memcmp(set.is.text + i, at, length) == 0)
            return true;
    }
    return false;
}

static void trim(struct esse_datum text, struct esse_datum set, bool left, bool right,
                 struct esse_datum *value)
{
    uint32_t from = 0, to = text.length;
    while (left && from < to) {
        uint32_t end = from + 1;
        while (end < to && ((unsigned char)text.is.text[end] & 0xc0) == 0x80)
            end++;
        if (!is_among(set, text.is.text + from, end - from))
            break;
        from = end;
    }
    while (right && to > from) {
        uint32_t start = to - 1;
        while (start > from && ((unsigned char)text.is.text[start] & 0xc0) == 0x80)
            start--;
        if (!is_among(set, text.is.text + start, to - start))
            break;
        to = start;
    }
    *value = part(text, from, to);
}

static const char *find(struct esse_datum text, uint32_t from, struct esse_datum what)
{
    return text.length - from < what.length || !what.length
               ? NULL
               : memmem(text.is.text + from, text.length - from, what.is.text, what.length);
}

enum { MOST_TEXT = 16 << 20 };

static bool too_long(struct esse_eval *eval, const struct esse_expr *call)
{
    return esse_fault_unsupported(eval->fault, call->at,
                                  "a text of more than 16 MiB is not supported");
}

static bool replace(struct esse_eval *eval, const struct esse_expr *call,
                    const struct esse_datum *args, struct esse_datum *value)
{
    size_t hits = 0;
    uint32_t from = 0;
    const char *hit;
    while ((hit = find(args[0], from, args[1])) != NULL) {
        hits++;
        from = (uint32_t)(hit - args[0].is.text) + args[1].length;
    }
    const size_t room = args[0].length + hits * args[2].length;
    if (room > MOST_TEXT)
        return too_long(eval, call);
    char *text = esse_arena_alloc(eval->arena, room + 1, 1), *to = text;
    for (from = 0; (hit = find(args[0], from, args[1])) != NULL;) {
        const size_t before = (size_t)(hit - args[0].is.text) - from;
        memcpy(to, args[0].is.text + from, before);
        if (args[2].length)
            memcpy(to + before, args[2].is.text, args[2].length);
        to += before + args[2].length;
        from += (uint32_t)before + args[1].length;
    }
    memcpy(to, args[0].is.text + from, args[0].length - from);
    *value = esse_datum_text(text, (size_t)(to - text) + args[0].length - from);
    return true;
}

static bool concat(struct esse_eval *eval, const struct esse_expr *call,
                   const struct esse_datum *args, struct esse_datum *value)
{
    size_t length = 0, at = 0;
    for (uint32_t i = 0; i < call->count; i++)
        length += args[i].kind == ESSE_DATUM_NULL ? 0 : args[i].length;
    if (length > MOST_TEXT)
        return too_long(eval, call);
    char *text = esse_arena_alloc(eval->arena, length + 1, 1);
    for (uint32_t i = 0; i < call->count; i++)
        if (args[i].kind != ESSE_DATUM_NULL && args[i].length) {
            memcpy(text + at, args[i].is.text, args[i].length);
            at += args[i].length;
        }
    *value = esse_datum_text(text, length);
    return true;
}

static bool position(const struct esse_datum *args, struct esse_datum *value)
{
    if (!args[1].length) {
        *value = esse_datum_int(1);
        return true;
    }
    const char *hit = find(args[0], 0, args[1]);
    *value = esse_datum_int(
        hit ? esse_text_characters(part(args[0], 0, (uint32_t)(hit - args[0].is.text))) + 1 : 0);
    return true;
}

/* The first n characters, or all but the last -n; and the other way round. */
static bool left_or_right(const struct esse_datum *args, bool is_left, struct esse_datum *value)
{
    const int64_t characters = esse_text_characters(args[0]);
    int64_t count = args[1].is.number;
    count = count < 0 ? characters + count : count;
    count = count < 0 ? 0 : count > characters ? characters : count;
    const uint32_t cut =
        esse_text_byte_of(args[0], (uint32_t)(is_left ? count : characters - count));
    *value = is_left ? part(args[0], 0, cut) : part(args[0], cut, args[0].length);
    return true;
}

static bool repeat(struct esse_eval *eval, const struct esse_expr *call,
                   const struct esse_datum *args, struct esse_datum *value)
{
    const int64_t times = args[1].is.number < 0 ? 0 : args[1].is.number;
    if (args[0].length && times > MOST_TEXT / (int64_t)args[0].length)
        return too_long(eval, call);
    const size_t length = args[0].length * (size_t)times;
    char *text = esse_arena_alloc(eval->arena, length + 1, 1);
    for (size_t at = 0; at < length; at += args[0].length)
        memcpy(text + at, args[0].is.text, args[0].length);
    *value = esse_datum_text(text, length);
    return true;
}

static bool pad(struct esse_eval *eval, const struct esse_expr *call, const struct esse_datum *args,
                bool is_left, struct esse_datum *value)
{
    const int64_t characters = esse_text_characters(args[0]);
    const int64_t wanted = args[1].is.number < 0 ? 0 : args[1].is.number;
    const struct esse_datum with = call->count > 2 ? args[2] : esse_datum_text(" ", 1);
    if (wanted <= characters || !with.length) {
        const int64_t kept = wanted < characters ? wanted : characters;
        *value = part(args[0], 0, esse_text_byte_of(args[0], (uint32_t)kept));
        return true;
    }
    if (wanted > MOST_TEXT / 4)
        return too_long(eval, call);
    const int64_t more = wanted - characters, each = esse_text_characters(with);
    const struct esse_expr times = { .count = 2, .at = call->at };
    const struct esse_datum pair[] = { with, esse_datum_int(more / each + 1) };
    struct esse_datum filled, both[2];
    if (!repeat(eval, &times, pair, &filled))
        return false;
    filled.length = esse_text_byte_of(filled, (uint32_t)more);
    both[0] = is_left ? filled : args[0];
    both[1] = is_left ? args[0] : filled;
    return concat(eval, &times, both, value);
}

static bool reverse(struct esse_eval *eval, struct esse_datum text, struct esse_datum *value)
{
    char *copy = esse_arena_alloc(eval->arena, text.length + 1, 1);
    uint32_t to = text.length;
    for (uint32_t from = 0, end; from < text.length; from = end) {
        end = from + 1;
        while (end < text.length && ((unsigned char)text.is.text[end] & 0xc0) == 0x80)
            end++;
        to -= end - from;
        memcpy(copy + to, text.is.text + from, end - from);
    }
    *value = esse_datum_text(copy, text.length);
    return true;
}

bool sql_function(struct esse_eval *eval, const struct esse_expr *call,
                  const struct esse_datum *args, struct esse_datum *value)
{
    const struct esse_datum blank = esse_datum_text(" ", 1);
    switch (call->is.function) {
    case ESSE_FN_ABS:
        return absolute(eval, call, args, value);
    case ESSE_FN_MOD:
        return esse_calculate(eval->arena, '%', call->type, args[0], args[1], value, eval->fault);
    case ESSE_FN_ROUND:
        return round_number(eval, call, args, false, value);
    case ESSE_FN_TRUNC:
        return round_number(eval, call, args, true, value);
    case ESSE_FN_CEIL:
        return to_whole(eval, call, args, true, value);
    case ESSE_FN_FLOOR:
        return to_whole(eval, call, args, false, value);
    case ESSE_FN_SIGN:
        return sign_of(call, args, value);
    case ESSE_FN_LENGTH:
        *value = esse_datum_int(esse_text_characters(args[0]));
        return true;
    case ESSE_FN_OCTET_LENGTH:
        *value = esse_datum_int(args[0].length);
        return true;
    case ESSE_FN_UPPER:
        return change_case(eval, args[0], true, value);
    case ESSE_FN_LOWER:
        return change_case(eval, args[0], false, value);
    case ESSE_FN_SUBSTRING:
        return substring(eval, call, args, value);
    case ESSE_FN_TRIM:
        trim(args[0], call->count > 1 ? args[1] : blank, true, true, value);
        return true;
    case ESSE_FN_LTRIM:
        trim(args[0], call->count > 1 ? args[1] : blank, true, false, value);
        return true;
    case ESSE_FN_RTRIM:
        trim(args[0], call->count > 1 ? args[1] : blank, false, true, value);
        return true;
    case ESSE_FN_REPLACE:
        return replace(eval, call, args, value);
    case ESSE_FN_CONCAT:
        return concat(eval, call, args, value);
    case ESSE_FN_POSITION:
        return position(args, value);
    case ESSE_FN_LEFT:
        return left_or_right(args, true, value);
    case ESSE_FN_RIGHT:
        return left_or_right(args, false, value);
    case ESSE_FN_REPEAT:
        return repeat(eval, call, args, value);
    case ESSE_FN_LPAD:
        return pad(eval, call, args, true, value);
    case ESSE_FN_RPAD:
        return pad(eval, call, args, false, value);
    case ESSE_FN_REVERSE:
        return reverse(eval, args[0], value);
    }
    assert(false);
    return false;
}
