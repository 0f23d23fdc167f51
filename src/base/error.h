#ifndef ESSE_BASE_ERROR_H
#define ESSE_BASE_ERROR_H

#include "esse/esse.h"

/* Fills 'err' and returns false, so a failing path is one statement. */
bool esse_fail(struct esse_error *err, enum esse_errc code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a place in the input. */
bool esse_fail_at(struct esse_error *err, uint64_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
