#include "base/error.h"
#include "collect/driver/memory/memory.h"

/* What the store reports of its commits, and the bugs that it plays. */

static void log_commit(struct esse_memory_conn *conn)
{
    struct esse_target *target = conn->target;
    size_t count;
    const struct esse_store_write *writes = esse_store_writes(target->store, conn->session, &count);
    const bool is_list = target->schema->tables[0].is_list;
    for (size_t i = 0; i < count; i++)
        if (is_list || writes[i].is_last)
            esse_memory_version_vec_push(
                &target->log, target->arena,
                (struct esse_memory_version){ target->places[writes[i].slot].table,
                                              target->places[writes[i].slot].row, writes[i].value,
                                              (int64_t)target->commits });
}

/* Those of the generator (gen.c): twice the clock, and one more for snapshots. */
static void note_times(const struct esse_memory_conn *conn, struct esse_reply *reply)
{
    const struct esse_target *target = conn->target;
    const int64_t snapshot = (int64_t)(2 * esse_store_snapshot(target->store, conn->session) + 1);
    const int64_t now = (int64_t)(2 * target->clock);
    size_t writes;
    esse_store_writes(target->store, conn->session, &writes);
    if (target->bug->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP) {
        reply->commit_ts = writes ? now : snapshot;
        return;
    }
    reply->start_ts = snapshot;
    reply->commit_ts = now;
}

void esse_memory_committed(struct esse_memory_conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    target->commits++;
    reply->xid = (int64_t)target->commits;
    if (target->has_timestamps)
        note_times(conn, reply);
    log_commit(conn);
}

static bool begin_certificate(struct esse_target *target, struct esse_error *err)
{
    const struct esse_gen_anomaly *bug = target->bug;
    if (bug && bug->needs & ESSE_GEN_NEEDS_NO_ORDER)
        return esse_fail(err, ESSE_EUSAGE, "the bug %s is one of a store that reports none",
                         bug->name);
    if (target->has_timestamps && !esse_store_traits[target->level].has_snapshot)
        return esse_fail(err, ESSE_EUSAGE, "the bug %s needs snapshots, which %s has not",
                         bug->name, esse_store_traits[target->level].name);
    return true;
}

static const char *certificate_kind(const struct esse_target *target)
{
    return target->has_timestamps ? "timestamps" : "commit-order";
}

static bool finish_certificate(struct esse_target *target, struct esse_learnt *learnt,
                               struct esse_error *err)
{
    (void)err;
    if (target->has_timestamps)
        return true; /* the history has them */
    for (size_t i = 0; i < target->log.count; i++) {
        const struct esse_memory_version *version = &target->log.at[i];
        esse_learnt_version(learnt, version->table, version->row, version->value, version->xid);
    }
    for (uint64_t i = 1; target->is_counting && i <= target->commits; i++)
        esse_learnt_commit(learnt, (int64_t)i);
    return true;
}

static void end_certificate(struct esse_target *target)
{
    (void)target;
}

const struct esse_certifying esse_memory_certifying = {
    .source = "the store",
    .kind_of = certificate_kind,
    .begin = begin_certificate,
    .finish = finish_certificate,
    .end = end_certificate,
};

bool esse_memory_play(struct esse_target *target, struct esse_played *played,
                      struct esse_error *err)
{
    return !target->bug || esse_plant_play(target->bug, target->bug_workload, played, err);
}
