#include "exec/exec_call.h"

#include <stdio.h>
#include <string.h>

/* RAISE: the words of an error, and its code. */

static bool text_of(struct esse_call *call, struct call_frame *frame, uint32_t number,
                    const char *null, const char **text, struct esse_fault *fault)
{
    struct call_value value;
    if (!call_compile(call, frame, number, fault) ||
        !call_value(call, frame, number, &value, fault))
        return false;
    if (value.datum.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(fault, (uint64_t)value.datum.is.number);
    if (value.datum.kind == ESSE_DATUM_NULL) {
        *text = null;
        return *text || esse_fault(fault, "22004", 0, "RAISE statement option cannot be null");
    }
    struct esse_datum shown;
    if (!esse_cast(call->scratch, value.datum, value.type, ESSE_TYPE(TEXT), ESSE_CAST_SHOW, &shown,
                   fault))
        return false;
    *text = esse_arena_text(call->scratch, shown.is.text, shown.length);
    return true;
}

ESSE_VEC(words_vec, char)

static bool fill_places(struct esse_call *call, struct call_frame *frame,
                        const struct esse_raise *raise, struct words_vec *words,
                        struct esse_fault *fault)
{
    uint32_t next = 0;
    for (const char *from = raise->format; *from; from++) {
        const char *text;
        if (*from != '%' || from[1] == '%') {
            words_vec_push(words, call->scratch, *from);
            from += *from == '%';
            continue;
        }
        if (!text_of(call, frame, raise->arguments[next++], "<NULL>", &text, fault))
            return false;
        words_vec_append(words, call->scratch, text, strlen(text));
    }
    words_vec_push(words, call->scratch, 0);
    return true;
}

/* ERRCODE is an SQLSTATE or the name of a condition. */
static bool settle_code(struct esse_call *call, struct call_frame *frame,
                        const struct esse_raise *raise, char state[6], struct esse_fault *fault)
{
    const char *text;
    memcpy(state, raise->state, 6);
    if (raise->code == ESSE_NO_TEXT)
        return true;
    if (!text_of(call, frame, raise->code, NULL, &text, fault))
        return false;
    const char *known = esse_condition_state(text);
    if (!known)
        return esse_fault(fault, "42704", 0, "unrecognized exception condition \"%s\"", text);
    memcpy(state, known, 6);
    return true;
}

bool call_raise(struct esse_call *call, struct call_frame *frame, const struct esse_raise *raise,
                struct esse_fault *fault)
{
    struct words_vec words = { 0 };
    const char *message = raise->name ? raise->name : "unhandled exception";
    char state[6];
    if (raise->format) {
        if (!fill_places(call, frame, raise, &words, fault))
            return false;
        message = words.at;
    }
    for (uint32_t i = 0; i < raise->ignored_count; i++) {
        const char *ignored;
        if (!text_of(call, frame, raise->ignored[i], NULL, &ignored, fault))
            return false;
    }
    if (raise->message != ESSE_NO_TEXT &&
        !text_of(call, frame, raise->message, NULL, &message, fault))
        return false;
    if (!settle_code(call, frame, raise, state, fault))
        return false;
    return !raise->is_error || esse_fault(fault, state, 0, "%s", message);
}
