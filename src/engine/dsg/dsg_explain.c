#include "engine/dsg/dsg_explain.h"

#include "base/names.h"
#include "engine/cycle_words.h"
#include "engine/dsg/dsg_column.h"
#include "history/show.h"
#include "history/show_time.h"
#include "sql/predicate.h"

struct telling {
    struct known *known;
    const struct versions *versions;
    const struct dsg_edge *edge;
    const struct version_edge *inferred; /* NULL if the order of the versions is simply known */
    uint32_t from, to;                   /* transactions */
    struct esse_out out;
};

void dsg_show_written(struct esse_out *out, const struct versions *versions, key_access_id at)
{
    const struct esse_key_access *write = versions_key_access(versions, at);
    const esse_txn txn = { write->txn };
    if (esse_value_eq(write->value, ESSE_NIL))
        esse_show_f(out, versions->history, "%t's delete", txn);
    else
        esse_show_f(out, versions->history, "the %v that %t %s", write->value, txn,
                    write->kind == ESSE_OP_APPEND ? "appended" : "wrote");
}

static void put_written(struct telling *t, key_access_id at)
{
    dsg_show_written(&t->out, t->versions, at);
}

/* "t3 read x = 1" or "t3 wrote x = 1" */
static void put_access(struct telling *t, key_access_id at)
{
    esse_show_f(&t->out, t->known->history, "%t%s%k = %v",
                (esse_txn){ versions_key_access(t->versions, at)->txn },
                versions_key_access(t->versions, at)->kind == ESSE_OP_READ ? " read " : " wrote ",
                (esse_key){ t->edge->key }, versions_key_access(t->versions, at)->value);
}

/* Why one version is taken to come before the other: "t3 read x = 1 and then wrote x = 2 (assuming
 * that writes follow reads)". */
static void put_inferred(struct telling *t)
{
    const struct version_edge *known = t->inferred;
    put_access(t, known->from_at);
    esse_out_text(&t->out, " and then ");
    if (known->basis == ESSE_BASIS_WFR_KEYS) {
        esse_show_f(&t->out, t->known->history, "wrote %k = %v", (esse_key){ t->edge->key },
                    versions_key_access(t->versions, known->to_at)->value);
    } else {
        put_access(t, known->to_at);
        esse_out_text(&t->out, known->basis == ESSE_BASIS_SEQUENTIAL_KEYS
                                   ? " in the same session"
                                   : ", having started after that had ended");
    }
    esse_out_f(&t->out, " (assuming that %s)", esse_basis_words(known->basis));
}

static void tell_wr(struct telling *t)
{
    esse_show_f(&t->out, t->known->history, "%t read %k = %v, with ", (esse_txn){ t->to },
                (esse_key){ t->edge->key },
                versions_key_access(t->versions, t->edge->to_at)->value);
    put_written(t, t->edge->from_at);
}

/* Does a list that was read show the order?  Not where an order was given: it may know of elements
 * that were not read. */
static bool is_seen_order(const struct versions *versions, const struct dsg_edge *edge)
{
    return versions_key_access(versions, edge->from_at)->kind == ESSE_OP_APPEND &&
           !versions->gaps[edge->key];
}

static void tell_ww(struct telling *t)
{
    key_access_id reader = t->versions->key_reader[t->edge->key];
    put_written(t, t->edge->from_at);
    esse_show_f(&t->out, t->known->history, " to %k comes before ", (esse_key){ t->edge->key });
    put_written(t, t->edge->to_at);
    if (t->inferred) {
        esse_out_text(&t->out, ", as ");
        put_inferred(t);
        return;
    }
    if (!is_seen_order(t->versions, t->edge)) {
        esse_out_text(&t->out, t->versions->gaps[t->edge->key]
                                   ? ", by the version order that was given"
                                   : ", in the order in which they were recorded");
        return;
    }
    esse_show_f(&t->out, t->known->history, ", as %t saw",
                (esse_txn){ versions_key_access(t->versions, reader)->txn });
}

static void tell_rw(struct telling *t)
{
    esse_show_f(&t->out, t->known->history, "%t read %k = %v, without ", (esse_txn){ t->from },
                (esse_key){ t->edge->key },
                versions_key_access(t->versions, t->edge->from_at)->value);
    put_written(t, t->edge->to_at);
    if (t->inferred) {
        esse_out_text(&t->out, ", which comes later, as ");
        put_inferred(t);
    }
}

static void tell_process(struct telling *t)
{
    const struct esse_history *history = t->known->history;
    esse_show_f(&t->out, history, "%t came before %t in session %v", (esse_txn){ t->from },
                (esse_txn){ t->to }, history->session_name[history->txn_session[t->to]]);
}

static void tell_realtime(struct telling *t)
{
    const struct esse_history *history = t->known->history;
    const int64_t end = history->txn_time[t->from].end, begin = history->txn_time[t->to].begin;
    /* With a clock beside it, as Jepsen's histories have, this is the number of an event. */
    const char *what = history->txn_wall_time ? "as event" : "at";
    esse_show_txn(&t->out, history, (esse_txn){ t->from });
    esse_out_f(&t->out, " had ended, %s %lld, before ", what, (long long)end);
    esse_show_txn(&t->out, history, (esse_txn){ t->to });
    esse_out_f(&t->out, " started, %s %lld", what, (long long)begin);
    if (history->txn_wall_time)
        esse_show_later(&t->out, history->txn_wall_time[t->from].end,
                        history->txn_wall_time[t->to].begin);
    else
        esse_show_later(&t->out, end, begin);
}

static esse_value predicate_of(const struct telling *t)
{
    const struct esse_history *history = t->known->history;
    return history->predicates[history->op_key[t->edge->predicate]].text;
}

/* "by the 3 that t2 wrote the row x appeared among the matches of v < 5": what a version made of
 * the row that a predicate looked for. */
static void put_change(struct telling *t, key_access_id write)
{
    const struct versions *versions = t->versions;
    const version_id version = versions->of[write.ix];
    struct esse_error ignored;
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = t->known->history;
    const struct esse_predicate *predicate =
        esse_predicates_get(esse_predicates_new(arena, history), predicate_of(t), &ignored);
    bool before = false, now = false;
    if (predicate && version.ix != NO_VERSION && version.ix > versions->first[t->edge->key].ix) {
        const esse_value name = history->key_name[t->edge->key];
        esse_predicate_selects(
            predicate, name,
            dsg_version_value(versions, t->edge->key, (version_id){ version.ix - 1 }), &before,
            &ignored);
        esse_predicate_selects(predicate, name, dsg_version_value(versions, t->edge->key, version),
                               &now, &ignored);
    }
    esse_arena_free(arena);
    put_written(t, write);
    esse_show_f(&t->out, history, ", by which the row %b%s", (esse_key){ t->edge->key },
                now == before ? " changed"
                : now         ? " appeared"
                              : " disappeared");
}

/* "t1 looked for v < 5 with the 3 that t2 wrote, by which the row x appeared" */
static void tell_wrp(struct telling *t)
{
    esse_show_f(&t->out, t->known->history, "%t looked for %v with ", (esse_txn){ t->to },
                predicate_of(t));
    put_change(t, t->edge->from_at);
}

static void tell_rwp(struct telling *t)
{
    esse_show_f(&t->out, t->known->history, "%t looked for %v without ", (esse_txn){ t->from },
                predicate_of(t));
    put_change(t, t->edge->to_at);
}

static const char *tell(struct telling *telling)
{
    static void (*const words[])(struct telling *) = {
        [ESSE_DEP_WW] = tell_ww,
        [ESSE_DEP_WR] = tell_wr,
        [ESSE_DEP_RW] = tell_rw,
        [ESSE_DEP_PROCESS] = tell_process,
        [ESSE_DEP_REALTIME] = tell_realtime,
        [ESSE_DEP_WRP] = tell_wrp,
        [ESSE_DEP_RWP] = tell_rwp,
    };
    esse_out_init_memory(&telling->out, telling->known->arena);
    words[telling->edge->dep](telling);
    return esse_out_memory(&telling->out);
}

static esse_op op_at(const struct versions *versions, key_access_id at)
{
    return (esse_op){ at.ix == ESSE_NO_KEY_ACCESS ? ESSE_NO_OP : versions_op(versions, at) };
}

static const struct version_edge *find_inferred(const struct versions *versions,
                                                const struct dsg_edge *edge)
{
    if (edge->dep != ESSE_DEP_WW && edge->dep != ESSE_DEP_RW)
        return NULL;
    return versions_edge(versions, versions->of[edge->from_at.ix], versions->of[edge->to_at.ix]);
}

struct esse_edge dsg_explain_edge(struct known *known, const struct dsg_component *component,
                                  const struct dsg_edge *edge)
{
    const struct versions *versions = component->versions;
    const bool data = edge->dep != ESSE_DEP_PROCESS && edge->dep != ESSE_DEP_REALTIME;
    const struct version_edge *inferred = find_inferred(versions, edge);
    struct telling telling = { .known = known,
                               .versions = versions,
                               .edge = edge,
                               .inferred = inferred,
                               .from = component->members[edge->from],
                               .to = component->members[edge->to] };
    struct esse_edge told = { .from = { telling.from },
                              .to = { telling.to },
                              .dep = edge->dep,
                              .has_key = data,
                              .key = { data ? edge->key : 0 },
                              .from_op = op_at(versions, edge->from_at),
                              .to_op = op_at(versions, edge->to_at),
                              .witness = { ESSE_NO_OP } };
    if (edge->dep == ESSE_DEP_WW && is_seen_order(versions, edge))
        told.witness = op_at(versions, versions->key_reader[edge->key]);
    if (inferred) {
        told.basis = inferred->basis;
        told.witness = op_at(versions, inferred->from_at);
        told.later_witness = op_at(versions, inferred->to_at);
    }
    if (edge->predicate != ESSE_NO_OP)
        *(edge->dep == ESSE_DEP_WRP ? &told.to_op : &told.from_op) = (esse_op){ edge->predicate };
    told.why = tell(&telling);
    return told;
}

void dsg_explain(struct known *known, const struct dsg_component *component,
                 enum esse_anomaly_id type, const struct dsg_edge *const *cycle, uint32_t length)
{
    struct esse_edge *edges = esse_arena_alloc(known->arena, length, sizeof *edges);
    for (uint32_t i = 0; i < length; i++)
        edges[i] = dsg_explain_edge(known, component, cycle[i]);
    struct esse_anomaly anomaly = { .type = type, .edges = edges, .edge_count = length };
    anomaly.description = esse_cycle_words(known->arena, known->history, edges, length);
    if (!anomaly.description)
        anomaly.description =
            length == 2 ? "two transactions each of which must come before the other"
                        : esse_arena_format(known->arena,
                                            "%u transactions each of which must come before the "
                                            "next, and the last before the first",
                                            length);
    found_vec_push(&known->found, known->arena, anomaly);
}
