#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct esse_error *err, enum esse_errc code, uint64_t line, uint64_t column,
                 const char *format, va_list args)
{
    err->code = code;
    err->line = line;
    err->column = column;
    err->in_certificate = false;
    vsnprintf(err->text, sizeof err->text, format, args);
}

bool esse_fail(struct esse_error *err, enum esse_errc code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, 0, 0, format, args);
    va_end(args);
    return false;
}

bool esse_fail_at(struct esse_error *err, uint64_t line, uint64_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, ESSE_EINPUT, line, column, format, args);
    va_end(args);
    return false;
}
