#ifndef ESSE_COLLECT_DRIVER_MEMORY_MEMORY_H
#define ESSE_COLLECT_DRIVER_MEMORY_MEMORY_H

#include "base/vec.h"
#include "base/word_map.h"
#include "collect/driver.h"
#include "collect/driver/drivers.h"
#include "generate/plant.h"
#include "generate/store.h"

/*
 * The generator's store as a database: every level of the store, and bugs on demand.  A bug is a
 * history of some clients that the store plays by itself among those of the run, in rows of its
 * own: the shortest that shows the anomaly (plant_table.c).
 *
 * The store is not made for threads, so the run has one; sessions interleave by turns.
 *
 * Three files: the target (memory.c), its connections (memory_conn.c), its
 * certificate and bugs (memory_certificate.c).
 */
ESSE_VEC(esse_memory_row_vec, struct esse_live_row)

struct esse_memory_version {
    uint32_t table;
    int64_t row, value, xid;
};
ESSE_VEC(esse_memory_version_vec, struct esse_memory_version)

struct esse_memory_place {
    uint32_t table;
    int64_t row;
};

struct esse_target {
    struct esse_arena *arena;
    enum esse_store_level level;
    const struct esse_gen_anomaly *bug;
    enum esse_gen_workload bug_workload;
    const struct esse_schema *schema;
    struct esse_store *store;
    struct esse_word_map slots;       /* by table and row */
    struct esse_memory_place *places; /* by slot */
    uint32_t slot_count, slot_room;
    uint64_t clock, commits;
    bool is_counting;    /* snapshots and the order of all commits are reported */
    bool has_timestamps; /* of snapshots and commits; the bug contradicts nothing else */
    struct esse_memory_version_vec log;
};

struct esse_memory_conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    uint32_t session;
    struct esse_request request;
    uint64_t seen; /* commits before it began */
    struct esse_memory_row_vec rows;
};

/* The store's slot of a row; a new one for a row that it has not met, false if there is none. */
bool esse_memory_slot(struct esse_target *target, uint32_t table, int64_t row, uint32_t *slot);

/* memory_conn.c */
struct esse_conn *esse_memory_conn(struct esse_target *target, struct esse_arena *arena,
                                   uint32_t session);
enum esse_progress esse_memory_start(struct esse_conn *head, const struct esse_request *request,
                                     struct esse_reply *reply);
enum esse_progress esse_memory_step(struct esse_conn *head, struct esse_reply *reply);
void esse_memory_drop(struct esse_conn *head);

/* memory_certificate.c: what a commit leaves for the certificate, and reports at once. */
void esse_memory_committed(struct esse_memory_conn *conn, struct esse_reply *reply);
extern const struct esse_certifying esse_memory_certifying;
bool esse_memory_play(struct esse_target *target, struct esse_played *played,
                      struct esse_error *err);

#endif
