#include "engine/dsg/dsg_explain.h"

#include "history/show.h"

static const char *const dep_names[] = { "ww", "wr", "rw", "process", "realtime" };

struct telling {
    struct scan *scan;
    const struct dsg_versions *versions;
    struct esse_out out;
};

static void put_name(struct telling *t, uint32_t txn)
{
    char name[64];
    esse_txn_name(t->scan->history, (esse_txn){ txn }, name, sizeof name);
    esse_out_text(&t->out, name);
}

static void put_state(struct telling *t, uint32_t op)
{
    const struct esse_history *history = t->scan->history;
    esse_show_key(&t->out, history, (esse_key){ history->op_key[op] });
    esse_out_text(&t->out, " = ");
    esse_show_value(&t->out, history, history->op_value[op]);
}

/* "the 5 that t3 appended", "the 5 that t3 wrote", "t3's delete" */
static void put_written(struct telling *t, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = t->scan->history;
    if (history->op_kind[op] == ESSE_OP_DELETE) {
        put_name(t, txn);
        esse_out_text(&t->out, "'s delete");
        return;
    }
    esse_out_text(&t->out, "the ");
    esse_show_value(&t->out, history, history->op_value[op]);
    esse_out_text(&t->out, " that ");
    put_name(t, txn);
    esse_out_text(&t->out, history->op_kind[op] == ESSE_OP_APPEND ? " appended" : " wrote");
}

static void tell_wr(struct telling *t, const struct esse_edge *edge)
{
    put_name(t, edge->to.ix);
    esse_out_text(&t->out, " read ");
    put_state(t, edge->to_op.ix);
    esse_out_text(&t->out, ", with ");
    put_written(t, edge->from.ix, edge->from_op.ix);
}

static void tell_ww(struct telling *t, const struct esse_edge *edge)
{
    put_written(t, edge->from.ix, edge->from_op.ix);
    esse_out_text(&t->out, " to ");
    esse_show_key(&t->out, t->scan->history, edge->key);
    esse_out_text(&t->out, " comes before ");
    put_written(t, edge->to.ix, edge->to_op.ix);
    if (edge->witness.ix == ESSE_NO_OP) {
        esse_out_text(&t->out, ", by the version order that was given");
        return;
    }
    esse_out_text(&t->out, ", as ");
    put_name(t, esse_op_txn(t->scan->history, edge->witness.ix).ix);
    esse_out_text(&t->out, " saw");
}

static void tell_rw(struct telling *t, const struct esse_edge *edge)
{
    put_name(t, edge->from.ix);
    esse_out_text(&t->out, " read ");
    put_state(t, edge->from_op.ix);
    esse_out_text(&t->out, ", without ");
    put_written(t, edge->to.ix, edge->to_op.ix);
}

static void tell_process(struct telling *t, const struct esse_edge *edge)
{
    const struct esse_history *history = t->scan->history;
    put_name(t, edge->from.ix);
    esse_out_text(&t->out, " came before ");
    put_name(t, edge->to.ix);
    esse_out_text(&t->out, " in session ");
    esse_show_value(&t->out, history, history->session_name[history->txn_session[edge->to.ix]]);
}

static void tell_realtime(struct telling *t, const struct esse_edge *edge)
{
    const struct esse_history *history = t->scan->history;
    put_name(t, edge->from.ix);
    esse_out_f(&t->out, " had ended, at %lld, before ",
               (long long)history->txn_time[edge->from.ix].end);
    put_name(t, edge->to.ix);
    esse_out_f(&t->out, " started, at %lld", (long long)history->txn_time[edge->to.ix].begin);
}

static const char *tell(struct scan *scan, const struct dsg_versions *versions,
                        const struct esse_edge *edge, enum dsg_dep dep)
{
    static void (*const words[])(struct telling *,
                                 const struct esse_edge *) = { tell_ww, tell_wr, tell_rw,
                                                               tell_process, tell_realtime };
    struct telling telling = { .scan = scan, .versions = versions };
    esse_out_init_memory(&telling.out, scan->arena);
    words[dep](&telling, edge);
    return esse_out_memory(&telling.out);
}

void dsg_explain(struct scan *scan, const struct dsg_component *component,
                 enum esse_anomaly_id type, const struct dsg_edge *const *cycle, uint32_t length)
{
    const struct esse_history *history = scan->history;
    struct esse_edge *edges = esse_arena_alloc(scan->arena, length, sizeof *edges);
    for (uint32_t i = 0; i < length; i++) {
        const struct dsg_edge *from = cycle[i];
        const bool data = from->dep <= DSG_RW;
        struct esse_edge *edge = &edges[i];
        *edge = (struct esse_edge){ .from = { component->members[from->from] },
                                    .to = { component->members[from->to] },
                                    .dep = dep_names[from->dep],
                                    .has_key = data,
                                    .key = { data ? from->key : 0 },
                                    .from_op = { from->from_op },
                                    .to_op = { from->to_op },
                                    .witness = { ESSE_NO_OP } };
        if (from->dep == DSG_WW && history->op_kind[from->from_op] == ESSE_OP_APPEND)
            edge->witness.ix = component->versions->key_reader[from->key];
        edge->why = tell(scan, component->versions, edge, (enum dsg_dep)from->dep);
    }
    struct esse_anomaly anomaly = { .type = esse_anomaly_get(type)->name,
                                    .edges = edges,
                                    .edge_count = length };
    anomaly.description = esse_arena_format(
        scan->arena,
        "%u transactions each of which must come before the next, and the last before "
        "the first",
        length);
    scan_anomaly_vec_push(&scan->found, scan->arena, anomaly);
}
