#ifndef ESSE_GENERATE_GEN_STATE_H
#define ESSE_GENERATE_GEN_STATE_H

#include "base/rng.h"
#include "base/vec.h"
#include "generate/gen.h"
#include "generate/gen_certificate.h"

/* The inside of a running generator, shared by gen.c, gen_session.c and plant.c alone. */

ESSE_VEC(esse_gen_op_vec, struct esse_op_record)
ESSE_VEC(esse_gen_item_vec, esse_value)
ESSE_VEC(esse_gen_row_vec, struct esse_row)

/* How a transaction will end unless the store says otherwise. */
enum esse_gen_fate {
    ESSE_GEN_COMMITS,
    ESSE_GEN_GIVES_UP,
    ESSE_GEN_CRASHES,      /* the commit gets through, the answer does not */
    ESSE_GEN_CRASHES_EARLY /* the commit does not get through */
};

/* Where the rows of a table are.  A row that is not among the first 'size' takes the place of the
 * one so many before it. */
struct esse_gen_table {
    uint32_t first, size; /* slots */
    int64_t *rows;        /* the one that is in each slot; NULL: the same rows stay there */
};

struct esse_gen_session {
    int64_t id; /* changes after a crash: the client starts anew */
    bool is_open;
    bool is_waiting; /* the request in hand waits for a lock */
    bool is_again;   /* the store refused the last transaction */
    struct esse_draw_state *draw_state;
    struct esse_request request;
    int64_t read; /* by the last operation, for the workload */
    enum esse_gen_fate fate;
    int64_t xid;         /* given to those that write, where snapshots need it, or ESSE_NO_TIME */
    esse_value snapshot; /* of the open transaction, where it has one for all operations */
    double crash_at;     /* results are lost after this share of the operations */
    uint32_t order;      /* how many transactions began before this one */
    uint64_t start, op_begin;
    struct esse_gen_op_vec ops;
    struct esse_gen_item_vec items;
    struct esse_gen_row_vec rows;
};

struct esse_gen {
    const struct esse_gen_options *options;
    enum esse_gen_workload data;
    struct esse_arena *arena;
    struct esse_sink *sink;
    struct esse_schema schema;
    void *shared; /* the workload's own */
    struct esse_gen_table *tables;
    uint32_t slots; /* of all tables; the keys of plants come next */
    struct esse_store *store;
    struct esse_store_traits traits;
    struct esse_rng rng; /* of schedule, crashes and stale reads; sessions have their own */
    struct esse_gen_session *sessions;
    uint64_t clock; /* one tick a step */
    uint32_t begun;
    int64_t next_session;
    uint64_t max_lag;
    struct esse_gen_counts counts;
    struct esse_gen_certificate certificate;
    int64_t next_xid;
    int64_t *running; /* room for the xids of all sessions */
};

static inline bool esse_gen_happens(struct esse_gen *gen, double share)
{
    return share > 0 && esse_rng_unit(&gen->rng) < share;
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

/* gen_session.c: begins a transaction; asks the workload for a request, unless one waits, and false
 * if there is none; executes it. */
void esse_gen_session_begin(struct esse_gen *gen, uint32_t session);
bool esse_gen_session_ask(struct esse_gen *gen, uint32_t session);
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
