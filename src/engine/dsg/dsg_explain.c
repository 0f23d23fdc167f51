#include "engine/dsg/dsg_explain.h"

#include "history/show.h"

static const char *const dep_names[] = { "ww", "wr", "rw", "process", "realtime" };

struct telling {
    struct scan *scan;
    const struct versions *versions;
    const struct dsg_edge *edge;
    uint32_t from, to; /* transactions */
    struct esse_out out;
};

static void put_name(struct telling *t, uint32_t txn)
{
    char name[64];
    esse_txn_name(t->scan->history, (esse_txn){ txn }, name, sizeof name);
    esse_out_text(&t->out, name);
}

static void put_state(struct telling *t, uint32_t at)
{
    const struct esse_history *history = t->scan->history;
    esse_show_key(&t->out, history, (esse_key){ t->edge->key });
    esse_out_text(&t->out, " = ");
    esse_show_value(&t->out, history, versions_touch(t->versions, at)->value);
}

/* "the 5 that t3 appended", "the 5 that t3 wrote", "t3's delete" */
static void put_written(struct telling *t, uint32_t at)
{
    const struct esse_touch *write = versions_touch(t->versions, at);
    if (esse_value_eq(write->value, ESSE_NIL)) {
        put_name(t, write->txn);
        esse_out_text(&t->out, "'s delete");
        return;
    }
    esse_out_text(&t->out, "the ");
    esse_show_value(&t->out, t->scan->history, write->value);
    esse_out_text(&t->out, " that ");
    put_name(t, write->txn);
    esse_out_text(&t->out, write->kind == ESSE_OP_APPEND ? " appended" : " wrote");
}

static void tell_wr(struct telling *t)
{
    put_name(t, t->to);
    esse_out_text(&t->out, " read ");
    put_state(t, t->edge->to_at);
    esse_out_text(&t->out, ", with ");
    put_written(t, t->edge->from_at);
}

static void tell_ww(struct telling *t)
{
    uint32_t reader = t->versions->key_reader[t->edge->key];
    put_written(t, t->edge->from_at);
    esse_out_text(&t->out, " to ");
    esse_show_key(&t->out, t->scan->history, (esse_key){ t->edge->key });
    esse_out_text(&t->out, " comes before ");
    put_written(t, t->edge->to_at);
    if (versions_touch(t->versions, t->edge->from_at)->kind != ESSE_OP_APPEND) {
        esse_out_text(&t->out, ", by the version order that was given");
        return;
    }
    esse_out_text(&t->out, ", as ");
    put_name(t, versions_touch(t->versions, reader)->txn);
    esse_out_text(&t->out, " saw");
}

static void tell_rw(struct telling *t)
{
    put_name(t, t->from);
    esse_out_text(&t->out, " read ");
    put_state(t, t->edge->from_at);
    esse_out_text(&t->out, ", without ");
    put_written(t, t->edge->to_at);
}

static void tell_process(struct telling *t)
{
    const struct esse_history *history = t->scan->history;
    put_name(t, t->from);
    esse_out_text(&t->out, " came before ");
    put_name(t, t->to);
    esse_out_text(&t->out, " in session ");
    esse_show_value(&t->out, history, history->session_name[history->txn_session[t->to]]);
}

static void tell_realtime(struct telling *t)
{
    const struct esse_history *history = t->scan->history;
    put_name(t, t->from);
    esse_out_f(&t->out, " had ended, at %lld, before ", (long long)history->txn_time[t->from].end);
    put_name(t, t->to);
    esse_out_f(&t->out, " started, at %lld", (long long)history->txn_time[t->to].begin);
}

static const char *tell(struct telling *telling)
{
    static void (*const words[])(struct telling *) = { tell_ww, tell_wr, tell_rw, tell_process,
                                                       tell_realtime };
    esse_out_init_memory(&telling->out, telling->scan->arena);
    words[telling->edge->dep](telling);
    return esse_out_memory(&telling->out);
}

static esse_op op_at(const struct versions *versions, uint32_t at)
{
    return (esse_op){ at == ESSE_NO_TOUCH ? ESSE_NO_OP : versions_op(versions, at) };
}

static struct esse_edge explain(struct scan *scan, const struct dsg_component *component,
                                const struct dsg_edge *edge)
{
    const struct versions *versions = component->versions;
    const bool data = edge->dep <= DSG_RW;
    struct telling telling = { .scan = scan,
                               .versions = versions,
                               .edge = edge,
                               .from = component->members[edge->from],
                               .to = component->members[edge->to] };
    struct esse_edge told = { .from = { telling.from },
                              .to = { telling.to },
                              .dep = dep_names[edge->dep],
                              .has_key = data,
                              .key = { data ? edge->key : 0 },
                              .from_op = op_at(versions, edge->from_at),
                              .to_op = op_at(versions, edge->to_at),
                              .witness = { ESSE_NO_OP } };
    if (edge->dep == DSG_WW && versions_touch(versions, edge->from_at)->kind == ESSE_OP_APPEND)
        told.witness = op_at(versions, versions->key_reader[edge->key]);
    told.why = tell(&telling);
    return told;
}

void dsg_explain(struct scan *scan, const struct dsg_component *component,
                 enum esse_anomaly_id type, const struct dsg_edge *const *cycle, uint32_t length)
{
    struct esse_edge *edges = esse_arena_alloc(scan->arena, length, sizeof *edges);
    for (uint32_t i = 0; i < length; i++)
        edges[i] = explain(scan, component, cycle[i]);
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
