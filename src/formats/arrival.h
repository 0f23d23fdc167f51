#ifndef ESSE_FORMATS_ARRIVAL_H
#define ESSE_FORMATS_ARRIVAL_H

#include "base/budget.h"
#include "base/error.h"

/*
 * Bytes that are still being written while they are read: a pipe, or a file that grows.
 *
 * A reader gets what is there, and waits only if nothing is.  A wait ends when the budget is
 * cancelled (a signal does that), within a tenth of a second: ESSE_ESTOPPED.  What was there before
 * is read first.
 *
 * A file that is followed has no end.  If another file has its name now, and something is in it,
 * the old one is read to its end and then the new one.  If it became shorter, it is read from the
 * start.  If the last line had no newline, it gets one.  A file that is cut and grows beyond the
 * old length between two looks (20 ms) cannot be told from one that grew.
 *
 * Cost: one poll() a read; while nothing comes, one stat() and one read() each 20 ms.
 */
struct esse_arrival {
    bool follow; /* a file's end is no end */
    struct esse_budget *budget;
    /* Called every now and then during a wait: what was read is all that is there.  May be NULL. */
    void (*idle)(void *context);
    void *context;
};

/* Waits until 'fd' has bytes or has ended.  False if the budget is cancelled. */
bool esse_arrival_wait(const struct esse_arrival *arrival, int fd, struct esse_error *err);

/*
 * Reads from a file that grows; never 0 bytes.  '*fd' is another when the file at 'path' is.
 * '*is_mid_line' says whether the last byte that was given was no newline.
 */
bool esse_arrival_follow(const struct esse_arrival *arrival, const char *path, int *fd, char *to,
                         size_t room, bool *is_mid_line, size_t *got, struct esse_error *err);

#endif
