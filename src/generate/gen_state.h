#ifndef ESSE_GENERATE_GEN_STATE_H
#define ESSE_GENERATE_GEN_STATE_H

#include "base/rng.h"
#include "base/vec.h"
#include "base/zipf.h"
#include "generate/gen.h"
#include "generate/gen_certificate.h"
#include "workload/mix.h"

/* The inside of a running generator, shared by gen.c, gen_session.c and plant.c alone. */

ESSE_VEC(esse_gen_op_vec, struct esse_op_record)
ESSE_VEC(esse_gen_item_vec, esse_value)
ESSE_VEC(esse_gen_row_vec, struct esse_row)

/* A chance, as a number of 2^32; a whole 2^32 is certainty. */
typedef struct {
    uint64_t of_2_32;
} esse_gen_chance;

enum esse_gen_step {
    ESSE_GEN_READ,
    ESSE_GEN_WRITE,
    ESSE_GEN_READ_FIRST, /* a read, and the next step writes the same key */
    ESSE_GEN_WRITE_AFTER,
    ESSE_GEN_INSERT, /* a write to a fresh key */
    ESSE_GEN_DELETE,
    ESSE_GEN_MATCH,  /* predicate read */
    ESSE_GEN_CHANGE, /* predicate update */
};

/* How a transaction will end unless the store says otherwise. */
enum esse_gen_fate {
    ESSE_GEN_COMMITS,
    ESSE_GEN_GIVES_UP,
    ESSE_GEN_CRASHES,      /* the commit gets through, the answer does not */
    ESSE_GEN_CRASHES_EARLY /* the commit does not get through */
};

/* Slots to draw from: all of them, or those of a table of a mix. */
struct esse_gen_region {
    uint32_t first, size;
    bool is_log;
    uint32_t newest;        /* of a log: the slot inserted into last, counted from 'first' */
    struct esse_zipf *zipf; /* NULL: uniform; logs have none */
};

struct esse_gen_plan {
    uint8_t step; /* enum esse_gen_step */
    uint8_t region;
};

struct esse_gen_session {
    int64_t id; /* changes after a crash: the client starts anew */
    bool is_open;
    bool has_slot; /* the step in hand has its slot and waits for a lock */
    bool is_again; /* the store refused the last transaction, and its shape is tried again */
    uint32_t slot;
    struct esse_gen_plan *plan;
    uint32_t planned, next;
    enum esse_gen_fate fate;
    int64_t xid;         /* given to those that write, where snapshots need it, or ESSE_NO_TIME */
    esse_value snapshot; /* of the open transaction, where it has one for all operations */
    uint32_t crash_at;   /* results from this operation on are lost */
    uint32_t order;      /* how many transactions began before this one */
    uint64_t start, op_begin;
    struct esse_gen_op_vec ops;
    struct esse_gen_item_vec items;
    struct esse_gen_row_vec rows;
};

struct esse_gen {
    const struct esse_gen_options *options;
    struct esse_arena *arena;
    struct esse_sink *sink;
    struct esse_store *store;
    struct esse_store_traits traits;
    struct esse_gen_region regions[ESSE_MIX_TABLES];
    struct esse_rng rng;
    struct esse_gen_session *sessions;
    uint64_t clock; /* one tick a step */
    uint32_t begun;
    int64_t next_session;
    uint64_t max_lag;
    esse_gen_chance read, rmw, predicate, remove, abort, crash, stale;
    struct esse_gen_counts counts;
    struct esse_gen_certificate certificate;
    int64_t next_xid;
    int64_t *running; /* room for the xids of all sessions */

    /* Predicate workload: values are group * scale + a number that is fresh for the key, and a
     * predicate asks for 'width' groups.  Its texts are made once for each first group. */
    int64_t scale;
    uint32_t groups, width;
    esse_value *texts;
};

static inline bool esse_gen_happens(struct esse_gen *gen, esse_gen_chance chance)
{
    return chance.of_2_32 && esse_rng_next(&gen->rng) >> 32 < chance.of_2_32;
}

/* Is the order of the transactions written down? */
static inline bool esse_gen_has_order(const struct esse_gen *gen)
{
    return gen->options->certifies == ESSE_CERTIFICATE_COMMIT_ORDER ||
           (gen->options->has_certificate && gen->traits.has_order);
}

/* Those that are in the certificate have names. */
static inline bool esse_gen_has_names(const struct esse_gen *gen)
{
    return gen->options->has_certificate || esse_gen_has_order(gen);
}

static inline bool esse_gen_has_timestamps(const struct esse_gen *gen)
{
    return gen->options->has_server_times || gen->options->certifies == ESSE_CERTIFICATE_TIMESTAMPS;
}

static inline bool esse_gen_has_xids(const struct esse_gen *gen)
{
    return gen->options->certifies == ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS;
}

/* gen_validate.c: ESSE_EUSAGE on options that make no sense. */
bool esse_gen_validate(const struct esse_gen_options *options, struct esse_error *err);

/* gen_snapshot.c: the state that is committed now, or for kinds with a past was at a tick, as the
 * certificate means it; ESSE_NONE if none is asked for. */
esse_value esse_gen_snapshot(struct esse_gen *gen, uint64_t tick);

/* gen_session.c: plans a transaction; does its next step.  A step that waits is tried again. */
void esse_gen_session_begin(struct esse_gen *gen, uint32_t session);
enum esse_store_answer esse_gen_session_step(struct esse_gen *gen, uint32_t session);

/* gen.c: counts a record and gives it to the sink; the name it was given goes to 'name'. */
bool esse_gen_emit(struct esse_gen *gen, struct esse_txn_record *record, uint32_t *name,
                   struct esse_error *err);

/* plant.c: how many keys the plants need, their initial rows, and one plant itself.  Keys are
 * numbered from 'first_key' on. */
uint32_t esse_gen_plant_keys(const struct esse_gen_plant *plant);
void esse_gen_plant_init(const struct esse_gen_plant *plant, uint32_t number, uint32_t first_key,
                         struct esse_gen *gen, struct esse_gen_row_vec *rows);
bool esse_gen_plant_run(const struct esse_gen_plant *plant, uint32_t number, uint32_t first_key,
                        struct esse_gen *gen, struct esse_error *err);

#endif
