#ifndef ESSE_FORMATS_LOSSY_H
#define ESSE_FORMATS_LOSSY_H

#include "history/record.h"

/*
 * The beginning of a writer whose format holds transactions and little else.  Orders, lost commits
 * and certificates are an error that names them, or are dropped if 'is_lossy'; faults are left out.
 */
struct esse_lossy {
    struct esse_sink sink;
    const char *format; /* "Plume text", for messages */
    bool is_lossy;
};

/* header, init, txn and finish of the sink are left to the writer. */
void esse_lossy_init(struct esse_lossy *to, struct esse_values *values, const char *format,
                     bool is_lossy);

/* True if it may be dropped, otherwise an error: "FORMAT cannot hold WHAT; --lossy drops it". */
bool esse_lossy_drops(const struct esse_lossy *to, const char *what, struct esse_error *err);

#endif
