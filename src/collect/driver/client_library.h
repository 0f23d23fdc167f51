#ifndef ESSE_COLLECT_DRIVER_CLIENT_LIBRARY_H
#define ESSE_COLLECT_DRIVER_CLIENT_LIBRARY_H

#include "base/error.h"

#include <stddef.h>

/*
 * The client libraries of databases, loaded when a driver is opened and not when the program
 * starts: with what they need in turn they are thirty shared libraries, which cost 'esse check'
 * more time than reading ten thousand transactions, and checking alone does not need them.
 *
 * client_NAME.h lists the functions that are called of one; its macros send each call through the
 * table that esse_client_load() fills.  A function that is missing in the list does not link.
 */
struct esse_client_library {
    const char *file, *package; /* "libpq.so.5", "libpq5" */
    const char *const *names;
    size_t count;
    void *table; /* as many pointers to functions */
};

extern const struct esse_client_library esse_client_libpq, esse_client_libmariadb,
    esse_client_hiredis;

/* ESSE_EUNAVAILABLE if it is not installed.  May be called again; not by two threads at a time. */
bool esse_client_load(const struct esse_client_library *library, struct esse_error *err);

#endif
