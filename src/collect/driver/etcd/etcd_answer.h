#ifndef ESSE_COLLECT_DRIVER_ETCD_ETCD_ANSWER_H
#define ESSE_COLLECT_DRIVER_ETCD_ETCD_ANSWER_H

#include "base/out.h"
#include "collect/driver.h"

/*
 * What etcd's JSON gateway answers to a range, a transaction, an authentication or a status, and
 * what an error of it says about a transaction.  Numbers of 64 bits are strings in its JSON,
 * members that are zero or empty are left out.
 */
enum esse_grpc_code {
    ESSE_GRPC_OK,
    ESSE_GRPC_INVALID_ARGUMENT = 3,
    ESSE_GRPC_NOT_FOUND = 5,
    ESSE_GRPC_PERMISSION_DENIED = 7,
    ESSE_GRPC_FAILED_PRECONDITION = 9,
    ESSE_GRPC_OUT_OF_RANGE = 11,
    ESSE_GRPC_UNIMPLEMENTED = 12,
    ESSE_GRPC_UNAUTHENTICATED = 16,
};

struct esse_etcd_answer {
    int64_t revision; /* of the header; 0 if it has none */
    bool is_there;    /* a range found a key: the first has ... */
    int64_t mod_revision;
    struct esse_out value; /* ... this */
    bool succeeded;        /* a transaction's compares held */
    bool has_written;      /* it put or deleted something: the revision is its own */
    struct esse_out token; /* of an authentication */
    char version[32];      /* of a status */
    bool is_error;
    int64_t code;   /* enum esse_grpc_code */
    char text[200]; /* of an error */
};

void esse_etcd_answer_init(struct esse_etcd_answer *answer, struct esse_arena *arena);

/* False if this is no answer of etcd's.  Cost: one pass and a scratch arena. */
bool esse_etcd_answer_read(struct esse_etcd_answer *answer, const char *body, size_t length,
                           struct esse_error *err);

/*
 * What an error means.  Those that the server found out before it proposed anything, or that it
 * finds out without applying anything, are definite.  All others are not: a proposal whose leader
 * has gone, or for which time has run out, may still be applied, and one that is answered "database
 * space exceeded" has been (etcd applies first and looks at the quota then).
 */
void esse_etcd_classify(const struct esse_etcd_answer *answer, bool is_commit,
                        struct esse_failure *failure);

#endif
