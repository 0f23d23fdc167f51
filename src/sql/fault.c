#include "sql/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool fill(struct esse_fault *fault, enum esse_fault_kind kind, const char *state,
                 uint32_t at, const char *format, va_list args)
{
    if (fault->kind != ESSE_FAULT_NONE)
        return false;
    *fault = (struct esse_fault){ .kind = kind, .at = at };
    snprintf(fault->state, sizeof fault->state, "%s", state);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    return false;
}

bool esse_fault(struct esse_fault *fault, const char *state, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(fault, ESSE_FAULT_ERROR, state, at, format, args);
    va_end(args);
    return false;
}

bool esse_fault_unsupported(struct esse_fault *fault, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(fault, ESSE_FAULT_UNSUPPORTED, "0A000", at, format, args);
    va_end(args);
    return false;
}

bool esse_fault_hole(struct esse_fault *fault, uint64_t hole)
{
    if (fault->kind == ESSE_FAULT_NONE) {
        *fault = (struct esse_fault){ .kind = ESSE_FAULT_HOLE, .hole = hole };
        snprintf(fault->text, sizeof fault->text,
                 "the statement depends on a value that only the server knows");
    }
    return false;
}

bool esse_fault_limit(struct esse_fault *fault, const char *text)
{
    if (fault->kind == ESSE_FAULT_NONE) {
        *fault = (struct esse_fault){ .kind = ESSE_FAULT_LIMIT, .state = "54000" };
        snprintf(fault->text, sizeof fault->text, "%s", text);
    }
    return false;
}

bool esse_fault_place(struct esse_fault *fault, uint32_t at)
{
    if (!fault->at)
        fault->at = at;
    return false;
}
