#include "base/arena.h"
#include "history/access.h"
#include "history/show.h"
#include "history/value_json.h"
#include "report/page/page_columns.h"
#include "report/page/page_parts.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"

#include <string.h>

/*
 * Sessions as lanes, transactions as bars, the dependencies of an anomaly as arrows.  The script
 * draws; here stands what it draws from, as data of the page.
 */

enum { OPS_ALL = 20000, TXNS_NEAR = 2000, EDGES = 200, ANOMALIES = 20 };

struct telling {
    struct esse_arena *arena;
    const struct esse_report *report;
    const struct esse_history *history;
    struct page_order order;
    const struct esse_anomaly **anomalies;
    uint32_t anomaly_count;
    bool *with_ops; /* by transaction */
    uint32_t txns_with_ops;
};

/* ---- whose operations are there ---- */

static void take(struct telling *t, uint32_t txn)
{
    if (t->with_ops[txn])
        return;
    t->with_ops[txn] = true;
    t->txns_with_ops++;
}

static bool touches(const struct esse_history *history, uint32_t txn, const bool *keys)
{
    struct esse_access_walk walk = esse_accesses_of(history, txn);
    while (esse_access_next(&walk))
        if (keys[walk.access.key.ix])
            return true;
    return false;
}

/* Those that overlap the transactions of the anomalies and touch the same keys. */
static void take_neighbours(struct telling *t, int64_t begin, int64_t end, const bool *keys)
{
    for (uint32_t i = 0; i < t->order.count && t->txns_with_ops < TXNS_NEAR; i++) {
        const uint32_t txn = t->order.txn[i];
        const int64_t its_end = page_end(&t->order, t->history, txn);
        if (page_begin(&t->order, t->history, txn) > end)
            break;
        if ((its_end == ESSE_NO_TIME || its_end >= begin) && touches(t->history, txn, keys))
            take(t, txn);
    }
}

static void take_anomaly(struct telling *t, const struct esse_anomaly *anomaly)
{
    const struct esse_participants with = esse_participants_of(t->arena, anomaly);
    bool *keys = esse_arena_zeros(t->arena, t->history->keys + (size_t)1, bool);
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (uint32_t i = 0; i < with.count; i++) {
        const uint32_t txn = with.txns[i].ix;
        const int64_t its_begin = page_begin(&t->order, t->history, txn);
        const int64_t its_end = page_end(&t->order, t->history, txn);
        struct esse_access_walk walk = esse_accesses_of(t->history, txn);
        take(t, txn);
        while (esse_access_next(&walk))
            keys[walk.access.key.ix] = true;
        if (its_begin == ESSE_NO_TIME)
            continue;
        begin = its_begin < begin ? its_begin : begin;
        end = its_begin > end ? its_begin : end;
        end = its_end != ESSE_NO_TIME && its_end > end ? its_end : end;
    }
    take_neighbours(t, begin, end, keys);
    esse_arena_drop(t->arena, keys);
}

static void choose_ops(struct telling *t)
{
    t->with_ops = esse_arena_zeros(t->arena, t->history->txns + (size_t)1, bool);
    if (t->history->ops <= OPS_ALL) {
        for (uint32_t txn = 0; txn < t->history->txns; txn++)
            take(t, txn);
        return;
    }
    for (uint32_t i = 0; i < t->anomaly_count && t->txns_with_ops < TXNS_NEAR; i++)
        take_anomaly(t, t->anomalies[i]);
}

/* {"17":["r x = 1","w x = 2"]}, by place. */
static const char *packed_ops(struct telling *t)
{
    struct esse_out json;
    const char *before = "{";
    esse_out_init_memory(&json, t->arena);
    for (uint32_t i = 0; i < t->order.count; i++) {
        const uint32_t txn = t->order.txn[i];
        if (!t->with_ops[txn])
            continue;
        esse_out_f(&json, "%s\"%u\":[", before, i);
        for (uint32_t op = t->history->txn_op[txn]; op < t->history->txn_op[txn + 1]; op++) {
            struct esse_out text;
            esse_out_init_memory(&text, t->arena);
            esse_show_op(&text, t->history, (esse_op){ op });
            esse_out_text(&json, op > t->history->txn_op[txn] ? "," : "");
            esse_out_json_text(&json, esse_out_memory(&text));
            esse_arena_drop(t->arena, text.buffer);
        }
        esse_out_char(&json, ']');
        before = ",";
    }
    esse_out_text(&json, *before == '{' ? "{}" : "}");
    return page_packed(t->arena, &json);
}

/* ["t1","t2"], by place; where no transaction has a name, they are made of session and number. */
static const char *packed_names(struct telling *t)
{
    struct esse_out json;
    esse_out_init_memory(&json, t->arena);
    esse_out_char(&json, '[');
    for (uint32_t i = 0; i < t->order.count; i++) {
        struct esse_out text;
        esse_out_init_memory(&text, t->arena);
        esse_show_txn(&text, t->history, (esse_txn){ t->order.txn[i] });
        esse_out_text(&json, i ? "," : "");
        esse_out_json_text(&json, esse_out_memory(&text));
        esse_arena_drop(t->arena, text.buffer);
    }
    esse_out_char(&json, ']');
    return page_packed(t->arena, &json);
}

/* ---- what goes with them ---- */

static void put_sessions(struct esse_out *out, const struct esse_history *history)
{
    esse_out_text(out, ",\"sessions\":[");
    for (uint32_t s = 0; s < history->sessions; s++) {
        esse_out_text(out, s ? "," : "");
        esse_out_json_text(out, esse_show_text(out->arena, history, history->session_name[s]));
    }
    esse_out_char(out, ']');
}

static void put_anomaly(struct esse_out *out, const struct telling *t,
                        const struct esse_anomaly *anomaly)
{
    const struct esse_participants with = esse_participants_of(t->arena, anomaly);
    uint32_t count, shown = 0;
    const struct esse_edge *edges = esse_shown_edges(t->arena, anomaly, &count);
    esse_out_f(out, "{\"type\":\"%s\"", esse_anomaly_name(anomaly->type));
    esse_out_json_member(out, "description", anomaly->description);
    esse_out_text(out, ",\"txns\":[");
    for (uint32_t i = 0; i < with.count && i < EDGES; i++)
        if (t->order.place[with.txns[i].ix] != PAGE_NO_PLACE)
            esse_out_f(out, "%s%u", shown++ ? "," : "", t->order.place[with.txns[i].ix]);
    esse_out_text(out, "],\"edges\":[");
    shown = 0;
    for (uint32_t i = 0; i < count && i < EDGES; i++) {
        if (edges[i].to.ix == ESSE_NO_TXN || t->order.place[edges[i].from.ix] == PAGE_NO_PLACE ||
            t->order.place[edges[i].to.ix] == PAGE_NO_PLACE)
            continue;
        esse_out_f(out, "%s[%u,%u,", shown++ ? "," : "", t->order.place[edges[i].from.ix],
                   t->order.place[edges[i].to.ix]);
        esse_out_json_text(out, esse_shown_label(t->arena, t->history, &edges[i]));
        esse_out_char(out, ']');
    }
    esse_out_text(out, "]}");
}

static void put_anomalies(struct esse_out *out, const struct telling *t)
{
    esse_out_text(out, ",\"anomalies\":[");
    for (uint32_t i = 0; i < t->anomaly_count; i++) {
        esse_out_text(out, i ? "," : "");
        put_anomaly(out, t, t->anomalies[i]);
    }
    esse_out_char(out, ']');
}

static void choose_anomalies(struct telling *t)
{
    const struct esse_anomaly **drawn =
        esse_shown_drawn(t->arena, t->report->result, ANOMALIES, &t->anomaly_count);
    t->anomalies = esse_arena_array(t->arena, t->anomaly_count + 1u, *t->anomalies);
    for (uint32_t i = 0; i < t->anomaly_count; i++)
        t->anomalies[i] = esse_shown_told(t->arena, drawn[i]);
}

/* What was packed, if there is room for it; the columns are the last that is left out. */
static bool put_packed(struct esse_out *out, const char *name, const char *packed, uint64_t limit)
{
    if (limit && out->count + strlen(packed) > limit)
        return false;
    esse_out_f(out, ",\"%s\":\"%s\"", name, packed);
    return true;
}

static void put_data(struct esse_out *out, struct telling *t, uint64_t limit)
{
    struct esse_out json;
    esse_out_init_memory(&json, t->arena);
    esse_out_f(&json, "{\"count\":%u,\"has_times\":%s,\"base\":\"%lld\",\"span\":%llu",
               t->order.count, t->order.has_times ? "true" : "false", (long long)t->order.base,
               (unsigned long long)((uint64_t)t->order.end - (uint64_t)t->order.base));
    esse_out_f(&json, ",\"undrawn\":%u", t->history->txns - t->order.count);
    put_sessions(&json, t->history);
    put_anomalies(&json, t);
    esse_report_faults_json(&json, t->history);
    const bool has_columns =
        put_packed(&json, "columns", page_columns(t->arena, t->history, &t->order), limit);
    const bool has_names = has_columns && put_packed(&json, "names", packed_names(t), limit);
    const bool has_ops = has_names && put_packed(&json, "ops", packed_ops(t), limit);
    esse_out_f(&json, ",\"with_ops\":%u}", has_ops ? t->txns_with_ops : 0);
    page_data(out, "timeline-data", esse_out_memory(&json));
    if (!has_ops)
        page_element(out, "p", "warning",
                     has_names ? "For lack of room the operations are left out."
                     : has_columns
                         ? "For lack of room names and operations are left out."
                         : "For lack of room the timeline is left out; --report-limit makes more.");
}

void page_timeline(struct esse_out *out, const struct esse_report *report, uint64_t limit)
{
    struct telling t = { out->arena, report, report->history,
                         page_order_of(out->arena, report->history) };
    if (!t.order.count)
        return;
    choose_anomalies(&t);
    choose_ops(&t);
    esse_out_text(out, "<section id=\"timeline\">\n<h2>The timeline</h2>\n"
                       "<noscript><p>The timeline needs JavaScript.</p></noscript>\n"
                       "<div class=\"timeline\"></div>\n");
    put_data(out, &t, limit);
    esse_out_text(out, "</section>\n");
}
