#include "engine/saturate/saturate_explain.h"

#include "engine/dsg/dsg_shorten.h"
#include "engine/saturate/saturate_path.h"
#include "history/show.h"

struct telling {
    struct known *known;
    const struct saturate_refutation *refutation;
    const struct saturate_units *units;
};

static esse_op op_of(const struct telling *t, uint32_t access)
{
    return (esse_op){ esse_by_key_op(&t->units->versions->sources->by_key, access) };
}

/* The last access by which a unit writes a key. */
static uint32_t write_of(const struct telling *t, uint32_t unit, uint32_t key)
{
    uint32_t found = NO_ACCESS;
    for (uint32_t a = saturate_first(t->units, unit); a < saturate_end(t->units, unit); a++)
        if (t->units->access[a].source == SATURATE_WRITES && t->units->access[a].key == key)
            found = a;
    return found;
}

/* The access of 'unit' that wrote what 'read' returned: not its last, where an unfinished
 * transaction was read. */
static uint32_t write_read(const struct telling *t, uint32_t unit, uint32_t read)
{
    const struct esse_history *history = t->units->history;
    const esse_key key = { t->units->access[read].key };
    esse_value value, written;
    uint32_t count;
    esse_op_read_of(history, op_of(t, read).ix, key, &value);
    if (esse_value_is_list(value))
        value = esse_history_list(history, value, &count)[list_length(value) - 1];
    for (uint32_t a = saturate_first(t->units, unit); a < saturate_end(t->units, unit); a++)
        if (t->units->access[a].source == SATURATE_WRITES &&
            esse_op_write_of(history, op_of(t, a).ix, key, &written) &&
            esse_value_eq(written, value))
            return a;
    return write_of(t, unit, key.ix);
}

/* ---- words ---- */

static const char *tell_so(const struct telling *t, const struct esse_edge *edge)
{
    if (edge->from.ix == edge->to.ix)
        return esse_show_sentence(t->known->arena, t->units->history, "%t %d before it %d",
                                  edge->from, edge->from_op, edge->to_op);
    return esse_show_sentence(t->known->arena, t->units->history,
                              "%t came before %t in the same session", edge->from, edge->to);
}

static const char *tell_wr(const struct telling *t, const struct esse_edge *edge)
{
    return esse_show_sentence(t->known->arena, t->units->history, "%t %d, which %t wrote", edge->to,
                              edge->to_op, edge->from);
}

static const char *tell_ww(const struct telling *t, const struct esse_edge *edge)
{
    return esse_show_sentence(
        t->known->arena, t->units->history, "%t's version of %k comes before that of %t%s",
        edge->from, edge->key, edge->to,
        edge->witness.ix == ESSE_NO_OP ? ", by the version order that was given"
                                       : ", as the lists show that were read");
}

/* "t3 read x = 1 from t1 and could see t2, which wrote x too (t2 came before t3 in the same
 * session), so t2 must come before t1" */
static const char *tell_forced(const struct telling *t, const struct esse_edge *edge)
{
    struct esse_out out;
    esse_txn reader = esse_op_txn(t->units->history, edge->witness.ix);
    esse_out_init_memory(&out, t->known->arena);
    esse_show_f(&out, t->units->history, "%t %d", reader, edge->witness);
    if (edge->to.ix == ESSE_NO_TXN)
        esse_out_text(&out, ", the initial version,");
    else
        esse_show_f(&out, t->units->history, " of %t", edge->to);
    esse_show_f(&out, t->units->history, " although it could see that %t %d", edge->from,
                edge->from_op);
    for (uint32_t i = 0; i < edge->because_count; i++)
        esse_out_f(&out, "%s%s", i ? "; " : " (", edge->because[i].why);
    esse_out_text(&out, edge->because_count ? ")" : "");
    return esse_out_memory(&out);
}

/* ---- edges ---- */

static struct esse_edge so_edge(const struct telling *t, uint32_t from, uint32_t to)
{
    struct esse_edge edge = { .from = { saturate_txn(t->units, from) },
                              .to = { saturate_txn(t->units, to) },
                              .dep = ESSE_DEP_PROCESS,
                              .from_op = { ESSE_NO_OP },
                              .to_op = { ESSE_NO_OP },
                              .witness = { ESSE_NO_OP } };
    if (t->units->single) {
        edge.from_op = op_of(t, from);
        edge.to_op = op_of(t, to);
    }
    edge.why = tell_so(t, &edge);
    return edge;
}

static struct esse_edge wr_edge(const struct telling *t, uint32_t from, uint32_t to, uint32_t read)
{
    uint32_t key = t->units->access[read].key;
    struct esse_edge edge = { .from = { saturate_txn(t->units, from) },
                              .to = { saturate_txn(t->units, to) },
                              .dep = ESSE_DEP_WR,
                              .has_key = true,
                              .key = { key },
                              .from_op = op_of(t, write_read(t, from, read)),
                              .to_op = op_of(t, read),
                              .witness = { ESSE_NO_OP } };
    edge.why = tell_wr(t, &edge);
    return edge;
}

static struct esse_edge forced_edge(const struct telling *t, const struct saturate_forced *forced)
{
    struct saturate_step_vec path = { 0 };
    uint32_t key = t->units->access[forced->read].key;
    bool initial = forced->to == SATURATE_INITIAL;
    saturate_path_find(&path, t->refutation->phi, t->units, forced);
    struct esse_edge *because = esse_arena_alloc(t->known->arena, path.count + 1, sizeof *because);
    for (size_t i = 0; i < path.count; i++)
        because[i] = path.at[i].kind == SATURATE_STEP_SO
                         ? so_edge(t, path.at[i].from, path.at[i].to)
                         : wr_edge(t, path.at[i].from, path.at[i].to, path.at[i].read);
    struct esse_edge edge = {
        .from = { saturate_txn(t->units, forced->from) },
        .to = { initial ? ESSE_NO_TXN : saturate_txn(t->units, forced->to) },
        .dep = ESSE_DEP_CO,
        .has_key = true,
        .key = { key },
        .from_op = op_of(t, write_of(t, forced->from, key)),
        .to_op =
            initial ? (esse_op){ ESSE_NO_OP } : op_of(t, write_read(t, forced->to, forced->read)),
        .witness = op_of(t, forced->read),
        .because = because,
        .because_count = (uint32_t)path.count,
    };
    edge.why = tell_forced(t, &edge);
    saturate_step_vec_drop(&path, t->units->arena);
    return edge;
}

/* A version of a key, and a later one. */
static struct esse_edge ww_edge(const struct telling *t, const struct dsg_edge *step)
{
    const struct versions *versions = t->units->versions;
    struct esse_edge edge = { .from = { versions_key_access(versions, step->from_at)->txn },
                              .to = { versions_key_access(versions, step->to_at)->txn },
                              .dep = ESSE_DEP_WW,
                              .has_key = true,
                              .key = { step->key },
                              .from_op = { versions_op(versions, step->from_at) },
                              .to_op = { versions_op(versions, step->to_at) },
                              .witness = { ESSE_NO_OP } };
    if (versions_key_access(versions, step->from_at)->kind == ESSE_OP_APPEND &&
        !versions->gaps[step->key])
        edge.witness.ix = versions_op(versions, versions->key_reader[step->key]);
    edge.why = tell_ww(t, &edge);
    return edge;
}

/* ---- steps ---- */

struct known_edge {
    const struct saturate_units *units;
    struct dsg_edge *step;
};

static void look_at_known(void *context, uint32_t key, uint32_t at, uint32_t next)
{
    const struct known_edge *wanted = context;
    struct dsg_edge *step = wanted->step;
    if (step->dep == ESSE_DEP_WW ||
        saturate_unit_of(wanted->units, (key_access_id){ at }) != step->from ||
        saturate_unit_of(wanted->units, (key_access_id){ next }) != step->to)
        return;
    step->dep = ESSE_DEP_WW;
    step->key = key;
    step->from_at.ix = at;
    step->to_at.ix = next;
}

/* A step of the cycle, between units.  Session order and known versions are kept apart, because
 * they can be joined; all else counts as a predicate's dependency here, which joins with
 * nothing. */
static struct dsg_edge step_between(const struct telling *t, uint32_t from, uint32_t to)
{
    struct dsg_edge step = { .from = from,
                             .to = to,
                             .from_at = { ESSE_NO_KEY_ACCESS },
                             .to_at = { ESSE_NO_KEY_ACCESS },
                             .dep = ESSE_DEP_WRP };
    struct known_edge wanted = { t->units, &step };
    if (t->refutation->level->needs_session_order && t->units->before[to] == from)
        step.dep = ESSE_DEP_PROCESS;
    else if (saturate_read_from(t->units, to, from) == NO_ACCESS)
        saturate_each_known(t->units, look_at_known, &wanted);
    return step;
}

static struct esse_edge tell_step(const struct telling *t, const struct dsg_edge *step)
{
    const struct saturate_forced_vec *forced = t->refutation->forced;
    if (step->dep == ESSE_DEP_PROCESS)
        return so_edge(t, step->from, step->to);
    if (step->dep == ESSE_DEP_WW)
        return ww_edge(t, step);
    const uint32_t read = saturate_read_from(t->units, step->to, step->from);
    if (read != NO_ACCESS)
        return wr_edge(t, step->from, step->to, read);
    size_t i = 0;
    while (i + 1 < forced->count &&
           !(forced->at[i].from == step->from && forced->at[i].to == step->to))
        i++;
    return forced_edge(t, &forced->at[i]);
}

/* The steps of the cycle, as few as explain it (dsg_shorten.h).  Returns their number. */
static uint32_t find_steps(const struct telling *t, struct esse_arena *arena,
                           const struct dsg_edge **cycle)
{
    const struct saturate_refutation *refutation = t->refutation;
    const struct dsg_component component = { .arena = arena, .versions = t->units->versions };
    const struct dsg_shape shape = { .anti = DSG_ANTI_NONE };
    struct dsg_edge *steps = esse_arena_alloc(arena, refutation->length + 1u, sizeof *steps);
    for (uint32_t i = 0; i < refutation->length; i++) {
        steps[i] =
            step_between(t, refutation->cycle[i], refutation->cycle[(i + 1) % refutation->length]);
        cycle[i] = &steps[i];
    }
    return dsg_shorten(&component, &shape, cycle, refutation->length);
}

/* What an operation reads before what it then writes: the cycle goes through the operation. */
static bool is_inside(const struct telling *t, const struct esse_edge *edge)
{
    return t->units->single && edge->from_op.ix == edge->to_op.ix;
}

void saturate_explain(struct known *known, const struct saturate_refutation *refutation)
{
    struct telling t = { known, refutation, refutation->units };
    struct esse_arena *arena = esse_arena_new();
    const struct dsg_edge **cycle = esse_arena_alloc(arena, refutation->length + 1u, sizeof *cycle);
    const uint32_t length = find_steps(&t, arena, cycle);
    uint32_t count = 0;
    struct esse_edge *edges = esse_arena_alloc(known->arena, length + 1u, sizeof *edges);
    for (uint32_t i = 0; i < length; i++) {
        edges[count] = tell_step(&t, cycle[i]);
        count += !is_inside(&t, &edges[count]);
    }
    esse_arena_free(arena);
    if (!refutation->length)
        edges[count++] = forced_edge(&t, &refutation->forced->at[refutation->forced->count - 1]);
    struct esse_anomaly anomaly = { .type = refutation->level->no_commit_order,
                                    .edges = edges,
                                    .edge_count = count };
    anomaly.description =
        refutation->length
            ? "no commit order: each of these must come before the next, and the last before the "
              "first"
            : "no commit order: nothing comes before the initial version of a key";
    found_vec_push(&known->found, known->arena, anomaly);
}
