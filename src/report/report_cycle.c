#include "report/report_cycle.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "history/access.h"
#include "history/show.h"
#include "history/show_time.h"
#include "level/level.h"
#include "report/report_refutation.h"
#include "report/report_words.h"

#include <string.h>

ESSE_VEC(participant_vec, esse_txn)

enum {
    EXTRAS_SHOWN = 4,
    EXTRA_WIDTH = 40,
    DRAWN_MOST = 24, /* transactions of a refutation */
    LABEL_WIDTH = 40,
    ROUND_WHOLE = 6, /* of a longer way round only beginning and end are shown */
};

/* ---- the participants ---- */

struct gathering {
    struct esse_arena *arena;
    struct participant_vec txns;
    struct esse_index index; /* cycles may be long, so no search */
};

static void add_txn(struct gathering *gathering, esse_txn txn)
{
    if (txn.ix == ESSE_NO_TXN)
        return; /* the initial version has no writer */
    uint32_t hash = esse_hash_word(txn.ix), id;
    struct esse_probe probe = esse_index_probe(&gathering->index, hash);
    while (esse_probe_next(&probe, &id))
        if (gathering->txns.at[id].ix == txn.ix)
            return;
    esse_index_add(&gathering->index, gathering->arena, hash, (uint32_t)gathering->txns.count);
    participant_vec_push(&gathering->txns, gathering->arena, txn);
}

const struct esse_anomaly *esse_shown_told(struct esse_arena *arena,
                                           const struct esse_anomaly *anomaly)
{
    if (!anomaly->refutation)
        return anomaly;
    const struct esse_clause *plain = esse_refutation_plain(arena, anomaly->refutation);
    struct esse_anomaly *shown = esse_arena_alloc(arena, 1, sizeof *shown);
    *shown = *anomaly;
    if (plain) {
        shown->edges = plain->edges;
        shown->edge_count = plain->edge_count;
        shown->refutation = NULL;
    } else {
        shown->edges = esse_refutation_edges(arena, anomaly->refutation, &shown->edge_count);
    }
    return shown;
}

struct esse_participants esse_participants_of(struct esse_arena *arena,
                                              const struct esse_anomaly *anomaly)
{
    struct gathering gathering = { .arena = arena };
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        add_txn(&gathering, anomaly->edges[i].from);
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        add_txn(&gathering, anomaly->edges[i].to);
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        for (uint32_t b = 0; b < anomaly->edges[i].because_count; b++)
            add_txn(&gathering, anomaly->edges[i].because[b].to);
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        add_txn(&gathering, anomaly->steps[i].txn);
    return (struct esse_participants){ gathering.txns.at, (uint32_t)gathering.txns.count };
}

/* ---- reasons ---- */

uint32_t esse_shown_reasons(const struct esse_anomaly *anomaly)
{
    return anomaly->edge_count ? anomaly->edge_count : anomaly->step_count;
}

const char *esse_shown_why(const struct esse_anomaly *anomaly, uint32_t at)
{
    return anomaly->edge_count ? anomaly->edges[at].why : anomaly->steps[at].why;
}

uint32_t esse_shown_reason(const struct esse_anomaly *anomaly, uint32_t op)
{
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        if (anomaly->edges[i].from_op.ix == op || anomaly->edges[i].to_op.ix == op)
            return i + 1;
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        if (anomaly->edges[i].witness.ix == op ||
            (anomaly->edges[i].basis && anomaly->edges[i].later_witness.ix == op))
            return i + 1;
    for (uint32_t i = 0; !anomaly->edge_count && i < anomaly->step_count; i++)
        if (anomaly->steps[i].op.ix == op)
            return i + 1;
    return 0;
}

/* The steps between which an arrow belongs, by type; see evidence/recheck.h for their order. */
static const struct {
    enum esse_anomaly_id type;
    enum esse_dep dep;
    uint8_t from, to;
} step_arrows[] = {
    { ESSE_ANOMALY_G1A, ESSE_DEP_WR, 1, 0 },
    { ESSE_ANOMALY_G1B, ESSE_DEP_WR, 1, 0 },
    { ESSE_ANOMALY_DIRTY_UPDATE, ESSE_DEP_WW, 0, 1 },
    { ESSE_ANOMALY_DIRTY_UPDATE, ESSE_DEP_WR, 1, 2 },
    { ESSE_ANOMALY_LOST_UPDATE, ESSE_DEP_RW, 0, 1 },
    { ESSE_ANOMALY_LOST_UPDATE, ESSE_DEP_RW, 1, 0 },
};

/* An edge to the initial version leads to no transaction; what is drawn is how its writer was
 * visible. */
static bool is_about_initial(const struct esse_anomaly *anomaly)
{
    return anomaly->edge_count == 1 && anomaly->edges[0].to.ix == ESSE_NO_TXN;
}

const struct esse_edge *esse_shown_edges(struct esse_arena *arena,
                                         const struct esse_anomaly *anomaly, uint32_t *count)
{
    enum { ARROWS = sizeof step_arrows / sizeof *step_arrows };
    if (is_about_initial(anomaly)) {
        *count = anomaly->edges[0].because_count;
        return anomaly->edges[0].because;
    }
    *count = anomaly->edge_count;
    if (anomaly->edge_count)
        return anomaly->edges;
    struct esse_edge *edges = esse_arena_alloc(arena, ARROWS, sizeof *edges);
    for (size_t i = 0; i < ARROWS; i++) {
        if (step_arrows[i].type != anomaly->type || step_arrows[i].from >= anomaly->step_count ||
            step_arrows[i].to >= anomaly->step_count)
            continue;
        const struct esse_step *from = &anomaly->steps[step_arrows[i].from];
        const struct esse_step *to = &anomaly->steps[step_arrows[i].to];
        if (from->txn.ix == to->txn.ix)
            continue;
        edges[(*count)++] =
            (struct esse_edge){ from->txn,        to->txn,        step_arrows[i].dep,
                                anomaly->has_key, anomaly->key,   from->op,
                                to->op,           { ESSE_NO_OP }, from->why };
    }
    return edges;
}

/* ---- what is shown of a transaction ---- */

static bool touches(const struct esse_history *history, uint32_t op, esse_key key)
{
    esse_value ignored;
    return esse_op_read_of(history, op, key, &ignored) ||
           esse_op_write_of(history, op, key, &ignored);
}

const uint32_t *esse_shown_ops(struct esse_arena *arena, const struct esse_history *history,
                               const struct esse_anomaly *anomaly, esse_txn txn, uint32_t most,
                               uint32_t *count)
{
    const uint32_t first = history->txn_op[txn.ix], total = history->txn_op[txn.ix + 1] - first;
    uint32_t *ops = esse_arena_alloc(arena, total + 1u, sizeof *ops);
    uint8_t *shown = esse_arena_alloc(arena, total + 1u, sizeof *shown);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < total; i++)
        taken += shown[i] = esse_shown_reason(anomaly, first + i) != 0;
    /* What else was done to the key comes before what has nothing to do with it. */
    for (uint32_t i = 0; anomaly->has_key && i < total && taken < most; i++)
        if (!shown[i] && touches(history, first + i, anomaly->key))
            taken += shown[i] = 1;
    for (uint32_t i = 0; i < total && taken < most; i++)
        if (!shown[i])
            taken += shown[i] = 1;
    *count = 0;
    for (uint32_t i = 0; i < total; i++)
        if (shown[i])
            ops[(*count)++] = first + i;
    return ops;
}

static void put_time(struct esse_out *out, int64_t time)
{
    if (time == ESSE_NO_TIME)
        esse_out_char(out, '?');
    else
        esse_out_i64(out, time);
}

static bool put_times(struct esse_out *out, const struct esse_interval *column, esse_txn txn,
                      const char *label)
{
    if (!column || (column[txn.ix].begin == ESSE_NO_TIME && column[txn.ix].end == ESSE_NO_TIME))
        return false;
    esse_out_text(out, label);
    put_time(out, column[txn.ix].begin);
    esse_out_text(out, " to ");
    put_time(out, column[txn.ix].end);
    esse_show_interval(out, column[txn.ix].begin, column[txn.ix].end);
    return true;
}

/* The extras are sorted by transaction: the first of this one. */
static uint32_t first_extra(const struct esse_history *history, esse_txn txn)
{
    uint32_t low = 0, high = history->extra_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (history->extras[middle].txn.ix < txn.ix)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_extras(struct esse_out *out, const struct esse_history *history, esse_txn txn)
{
    uint32_t at = first_extra(history, txn), shown = 0;
    for (; at < history->extra_count && history->extras[at].txn.ix == txn.ix; at++) {
        if (shown++ == EXTRAS_SHOWN) {
            esse_out_text(out, ", …");
            return;
        }
        struct esse_span name = history->extras[at].name, text = history->extras[at].text;
        if (name.length && name.at[0] == ':')
            name = (struct esse_span){ name.at + 1, name.length - 1 };
        const char *whole = esse_arena_text(out->arena, text.at, text.length);
        esse_out_text(out, ", ");
        esse_out_bytes(out, name.at, name.length);
        esse_out_f(out, " %s", esse_words_fit(out->arena, whole, EXTRA_WIDTH));
    }
}

const char *esse_shown_facts(struct esse_arena *arena, const struct esse_history *history,
                             esse_txn txn)
{
    static const char *const status[] = { "", ", aborted", ", outcome unknown" };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, "session ");
    esse_show_value(&out, history, history->session_name[history->txn_session[txn.ix]]);
    if (history->txn_line[txn.ix])
        esse_out_f(&out, ", line %u", history->txn_line[txn.ix]);
    /* What a clock showed says more than the position of an event, which Jepsen's time is here. */
    if (!put_times(&out, history->txn_wall_time, txn, ", time "))
        put_times(&out, history->txn_time, txn, ", time ");
    put_times(&out, history->txn_server_time, txn, ", server time ");
    esse_out_text(&out, status[history->txn_status[txn.ix]]);
    put_extras(&out, history, txn);
    return esse_out_memory(&out);
}

const char *esse_shown_op(struct esse_arena *arena, const struct esse_history *history, uint32_t op)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_show_op(&out, history, (esse_op){ op });
    return esse_out_memory(&out);
}

const char *esse_shown_label(struct esse_arena *arena, const struct esse_history *history,
                             const struct esse_edge *edge)
{
    if (!edge->has_key)
        return esse_dep_name(edge->dep);
    return esse_arena_format(arena, "%s %s", esse_dep_name(edge->dep),
                             esse_show_key_within(arena, history, edge->key, LABEL_WIDTH));
}

/* ---- where the reasons lead ---- */

/* Where the reasons lead, for the anomalies that are shown in steps.  Some speak of the
 * transaction of the first step. */
static const struct {
    enum esse_anomaly_id type;
    const char *before;
    bool names_first;
    const char *after;
} conclusions[] = {
    { ESSE_ANOMALY_G1A, "", true, " relied on something that never happened" },
    { ESSE_ANOMALY_G1B, "", true, " saw another transaction's work half done" },
    { ESSE_ANOMALY_GARBAGE_READ, "what ", true, " saw came from nowhere" },
    { ESSE_ANOMALY_INTERNAL, "what ", true, " saw does not fit together" },
    { ESSE_ANOMALY_OWN_WRITE_MISSED, "", true, " lost sight of its own write" },
    { ESSE_ANOMALY_FUTURE_READ, "", true, " saw its own future" },
    { ESSE_ANOMALY_DUPLICATE_ELEMENTS, "something took effect twice before ", true, " read it" },
    { ESSE_ANOMALY_DUPLICATE_WRITE, "a read of that value does not show which write it saw", false,
      "" },
    { ESSE_ANOMALY_INCOMPATIBLE_ORDER, "no one order of the appends explains both reads", false,
      "" },
    { ESSE_ANOMALY_DIRTY_UPDATE, "what was committed rests on something that never happened", false,
      "" },
    { ESSE_ANOMALY_LOST_UPDATE, "whichever came second had not seen what the first wrote", false,
      "" },
    { ESSE_ANOMALY_LOST_COMMIT, "the acknowledged commit of ", true, " did not last" },
    { ESSE_ANOMALY_CYCLIC_VERSIONS, "the versions of the key cannot be put into any order", false,
      "" },
};

/* An rw asks that the first began before the second committed, all others the reverse. */
static const char *conclude_start(struct esse_arena *arena, const struct esse_history *history,
                                  const struct esse_anomaly *anomaly)
{
    const struct esse_edge *edge = &anomaly->edges[0];
    const char *from = esse_show_txn_text(arena, history, edge->from);
    const char *to = esse_show_txn_text(arena, history, edge->to);
    return anomaly->edges[1].dep == ESSE_DEP_START
               ? esse_arena_format(arena, "so %s would have to begin before %s commits", from, to)
               : esse_arena_format(arena, "so %s would have to begin after %s commits", to, from);
}

/* The second edge is one of the timestamps, and goes against the first. */
static bool is_about_starts(const struct esse_anomaly *anomaly)
{
    return anomaly->edge_count == 2 &&
           (anomaly->edges[1].dep == ESSE_DEP_START || anomaly->edges[1].dep == ESSE_DEP_OVERLAP);
}

/* "so a → b → a: a would have to come before itself" */
static const char *conclude_cycle(struct esse_arena *arena, const struct esse_history *history,
                                  const struct esse_anomaly *anomaly)
{
    const uint32_t count = anomaly->edge_count;
    const char *first = esse_show_txn_text(arena, history, anomaly->edges[0].from);
    struct esse_out out;
    if (is_about_starts(anomaly))
        return conclude_start(arena, history, anomaly);
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, "so ");
    for (uint32_t i = 0; i < count; i++) {
        if (count > ROUND_WHOLE && i == ROUND_WHOLE - 2) {
            esse_out_text(&out, "… → ");
            i = count - 1;
        }
        esse_out_f(&out, "%s → ", esse_show_txn_text(arena, history, anomaly->edges[i].from));
    }
    esse_out_f(&out, "%s: %s would have to come before itself", first, first);
    return esse_out_memory(&out);
}

/* Long lists are shown without their middle, so say where two of them part; NULL if they do not. */
static const char *conclude_orders(struct esse_arena *arena, const struct esse_history *history,
                                   const struct esse_anomaly *anomaly)
{
    const esse_value *items[2];
    uint32_t count[2], at = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (i >= anomaly->step_count || anomaly->steps[i].op.ix == ESSE_NO_OP ||
            esse_value_tag(history->op_value[anomaly->steps[i].op.ix]) != ESSE_TAG_LIST)
            return NULL;
        items[i] =
            esse_history_list(history, history->op_value[anomaly->steps[i].op.ix], &count[i]);
    }
    while (at < count[0] && at < count[1] && esse_value_eq(items[0][at], items[1][at]))
        at++;
    if (at == count[0] || at == count[1])
        return NULL;
    return esse_arena_format(
        arena,
        "so no one order of the appends explains both reads: at place %u the one has %s, the other "
        "%s",
        at + 1, esse_show_text(arena, history, items[0][at]),
        esse_show_text(arena, history, items[1][at]));
}

/* Of two transactions that updated one version, one may have read it again and seen the other's;
 * else NULL. */
static const char *conclude_updates(struct esse_arena *arena, const struct esse_history *history,
                                    const struct esse_anomaly *anomaly)
{
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        if (esse_op_is_read_again(history, anomaly->steps[i].op, anomaly->key))
            return esse_arena_format(
                arena,
                "so %s changed between the first read by %s and its write, which cursor stability "
                "forbids; no update need have been lost",
                esse_show_key_text(arena, history, anomaly->key),
                esse_show_txn_text(arena, history, anomaly->steps[i].txn));
    return NULL;
}

const char *esse_shown_conclusion(struct esse_arena *arena, const struct esse_history *history,
                                  const struct esse_anomaly *anomaly)
{
    if (is_about_initial(anomaly))
        return esse_arena_format(arena, "so %s would have to come before the initial version",
                                 esse_show_txn_text(arena, history, anomaly->edges[0].from));
    if (anomaly->edge_count)
        return conclude_cycle(arena, history, anomaly);
    const char *text =
        anomaly->type == ESSE_ANOMALY_INCOMPATIBLE_ORDER ? conclude_orders(arena, history, anomaly)
        : anomaly->type == ESSE_ANOMALY_LOST_UPDATE      ? conclude_updates(arena, history, anomaly)
                                                         : NULL;
    if (text)
        return text;
    const size_t count = anomaly->step_count ? sizeof conclusions / sizeof *conclusions : 0;
    for (size_t i = 0; i < count; i++) {
        if (conclusions[i].type != anomaly->type)
            continue;
        const char *name = conclusions[i].names_first
                               ? esse_show_txn_text(arena, history, anomaly->steps[0].txn)
                               : "";
        return esse_arena_format(arena, "so %s%s%s", conclusions[i].before, name,
                                 conclusions[i].after);
    }
    return NULL;
}

/* ---- pictures ---- */

/* Colours that people with any colour vision tell apart (after Okabe and Ito), dark enough to be
 * read as text on white; dashes say the same again. */
const struct esse_dep_look esse_dep_looks[] = {
    [ESSE_DEP_WW] = { "#0063a6", NULL, "wrote a later version than the first" },
    [ESSE_DEP_WR] = { "#007a5a", NULL, "read what the first wrote" },
    [ESSE_DEP_RW] = { "#bd4b00", NULL, "wrote a later version than the first read" },
    [ESSE_DEP_WWP] = { "#0063a6", "7 3", "changed the matches after the first did" },
    [ESSE_DEP_WRP] = { "#007a5a", "7 3", "saw by a predicate what the first wrote" },
    [ESSE_DEP_RWP] = { "#bd4b00", "7 3", "changed what the first's predicate matched" },
    [ESSE_DEP_PROCESS] = { "#8a3b86", "2 3", "came later in the same session" },
    [ESSE_DEP_REALTIME] = { "#565c66", "9 3 2 3", "began after the first had ended" },
    [ESSE_DEP_START] = { "#7a5c00", "4 2 1 2", "began when the first had committed" },
    [ESSE_DEP_OVERLAP] = { "#7a5c00", "1 3", "committed only after the first had begun" },
    [ESSE_DEP_CO] = { "#a3224f", "5 2", "must be committed after the first" },
};

const struct esse_verdict *esse_shown_fullest(const struct esse_result *result)
{
    const struct esse_verdict *best = NULL;
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].anomaly_count &&
            (!best || result->verdicts[i].anomaly_count > best->anomaly_count))
            best = &result->verdicts[i];
    return best;
}

bool esse_shown_is_too_large(const struct esse_anomaly *anomaly,
                             struct esse_participants participants)
{
    return anomaly->refutation && participants.count > DRAWN_MOST;
}

bool esse_shown_is_first_of_type(const struct esse_anomaly *anomalies, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (anomalies[i].type == anomalies[at].type && !anomalies[at].supposed_count)
            return false;
    return true;
}

bool esse_shown_is_refutation(const struct esse_anomaly *anomaly)
{
    return esse_anomaly_shown_by(anomaly->type) == ESSE_SHOWN_BY_REFUTATION;
}

const struct esse_anomaly *esse_shown_found(struct esse_arena *arena,
                                            const struct esse_result *result, uint32_t *count)
{
    const struct esse_verdict *fullest = esse_shown_fullest(result);
    size_t most = 1;
    for (uint32_t i = 0; i < result->verdict_count; i++)
        most += result->verdicts[i].anomaly_count;
    struct esse_anomaly *found = esse_arena_alloc(arena, most, sizeof *found);
    *count = 0;
    for (uint32_t a = 0; fullest && a < fullest->anomaly_count; a++)
        found[(*count)++] = fullest->anomalies[a];
    for (uint32_t i = 0; i < result->verdict_count; i++)
        for (uint32_t a = 0; a < result->verdicts[i].anomaly_count; a++) {
            found[*count] = result->verdicts[i].anomalies[a];
            *count += !esse_shown_is_refutation(&found[*count]) && !found[*count].supposed_count &&
                      esse_shown_is_first_of_type(found, *count);
        }
    return found;
}

const struct esse_anomaly **esse_shown_drawn(struct esse_arena *arena,
                                             const struct esse_result *result, uint32_t most,
                                             uint32_t *count)
{
    uint32_t total;
    const struct esse_anomaly *all = esse_shown_found(arena, result, &total);
    if (!total) {
        all = result->also_found;
        total = result->also_found_count;
    }
    const struct esse_anomaly **drawn = esse_arena_alloc(arena, total + 1u, sizeof *drawn);
    *count = 0;
    for (uint32_t i = 0; i < total && *count < most; i++)
        if (esse_shown_is_first_of_type(all, i))
            drawn[(*count)++] = &all[i];
    return drawn;
}
