#ifndef ESSE_GENERATE_GEN_CERTIFICATE_H
#define ESSE_GENERATE_GEN_CERTIFICATE_H

#include "base/vec.h"
#include "history/record.h"

/*
 * What the generator knows and a client does not: the order of each key's versions and the order
 * in which transactions took effect.  Collected while transactions finish, given to the sink after
 * the last one, as files want it.
 *
 * Life: zeroed struct with an arena -> add* -> emit.  Cost: add O(1); 16 bytes a version and 16 a
 * transaction, doubled while emitting.
 */
struct esse_gen_version {
    int64_t value; /* ESSE_ABSENT: named by its transaction */
    uint32_t key, txn;
};

struct esse_gen_position {
    uint64_t at;       /* when the transaction took effect */
    uint32_t tie, txn; /* 'tie' orders those that took effect at one moment */
};

ESSE_VEC(esse_gen_version_vec, struct esse_gen_version)
ESSE_VEC(esse_gen_position_vec, struct esse_gen_position)
ESSE_VEC(esse_gen_name_vec, esse_value)

struct esse_gen_certificate {
    struct esse_arena *arena;
    struct esse_gen_version_vec versions;
    struct esse_gen_position_vec positions;
    bool is_sorted;                /* the positions are */
    struct esse_gen_name_vec lost; /* transactions that were acknowledged, and that the log lacks */
};

/* Versions of one key must be added oldest first. */
void esse_gen_certificate_version(struct esse_gen_certificate *certificate,
                                  struct esse_gen_version version);
void esse_gen_certificate_position(struct esse_gen_certificate *certificate,
                                   struct esse_gen_position position);

void esse_gen_certificate_lost(struct esse_gen_certificate *certificate, uint32_t txn);

/* How many took effect before a moment.  O(log transactions), and a sort if one was added since. */
size_t esse_gen_certificate_before(struct esse_gen_certificate *certificate, uint64_t at);

/* How a version is named in an order. */
struct esse_version_ref esse_gen_version_ref(struct esse_gen_version version);

/* Those that were lost, if any were. */
bool esse_gen_certificate_emit_lost(const struct esse_gen_certificate *certificate,
                                    struct esse_sink *sink, struct esse_error *err);

/* The version orders by key, where any were added, the order if 'has_order', and the lost
 * transactions.  Keys are below 'keys'. */
bool esse_gen_certificate_emit(struct esse_gen_certificate *certificate, uint64_t keys,
                               bool has_order, struct esse_sink *sink, struct esse_error *err);

#endif
