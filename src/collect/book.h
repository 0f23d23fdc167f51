#ifndef ESSE_COLLECT_BOOK_H
#define ESSE_COLLECT_BOOK_H

#include "base/out.h"
#include "base/vec.h"
#include "collect/recorder.h"

#include <pthread.h>

/* The inside of a book, shared by recorder*.c and press.c and nobody else. */

/* A line, or several that belong together, and when it was finished. */
struct esse_line {
    int64_t stamp;
    size_t length;
};
ESSE_VEC(esse_line_vec, struct esse_line)

struct esse_lines {
    struct esse_out bytes; /* in memory */
    struct esse_line_vec lines;
};

/* Written by the thread and taken by the press, both under the lock.  A stamp is taken under the
 * lock too, so what comes after the press was there has a later one. */
struct esse_front {
    pthread_mutex_t lock;
    struct esse_lines at;
};

struct esse_front *esse_book_front(struct esse_book *book);

#endif
