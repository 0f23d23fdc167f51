#ifndef ESSE_FORMATS_JEPSEN_MOPS_H
#define ESSE_FORMATS_JEPSEN_MOPS_H

#include "formats/jepsen.h"

/*
 * The micro-operations of a Jepsen transaction in EDN.  Like all of edn.h: each function reads one
 * thing at walk.edn.at, or fails, perhaps because the window ended.  What is well-formed but means
 * nothing fails too, with only jepsen.op.problem set.
 */
struct esse_jepsen_edn {
    struct esse_jepsen_walk walk;
    struct esse_jepsen jepsen;
    const char *value_at; /* of the operation, NULL if it has none */
};

/* A name that may be written :name, "name" or name; empty if it is something else. */
bool esse_jepsen_edn_name(struct esse_edn *edn, struct esse_span *name);

/* Whether a sequence of micro-operations follows: its first member is a sequence that starts with a
 * name.  Nothing is read.  'empty' if it is a sequence without members. */
bool esse_jepsen_edn_is_txn(struct esse_edn *edn, bool *empty);

/* A sequence of micro-operations, into jepsen.ops. */
bool esse_jepsen_edn_mops(struct esse_jepsen_edn *r);

/* The members of a map, into jepsen.rows. */
bool esse_jepsen_edn_rows(struct esse_jepsen_edn *r, size_t *first, size_t *count);

#endif
