#include "base/arena.h"
#include "base/radix.h"
#include "history/access.h"
#include "history/show.h"
#include "report/page/page_columns.h"
#include "report/page/page_parts.h"
#include "report/report_parts.h"

#include <string.h>

/*
 * What happened over time, in slices: ends by outcome, latency, how many were open at once; and
 * beside it which keys were touched most, and how large transactions are.  The script draws.
 */

enum { SLICES = 240, KEYS = 12, SIZES = 33 };

struct plotting {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct page_order order;
    uint64_t width; /* of a slice */
};

static uint32_t slice_of(const struct plotting *p, int64_t moment)
{
    const uint64_t since = (uint64_t)moment - (uint64_t)p->order.base;
    const uint64_t slice = since / p->width;
    return slice < SLICES ? (uint32_t)slice : SLICES - 1;
}

static int64_t ended(const struct plotting *p, uint32_t txn)
{
    const int64_t end = page_end(&p->order, p->history, txn);
    return end == ESSE_NO_TIME ? page_begin(&p->order, p->history, txn) : end;
}

static void put_numbers(struct esse_out *out, const char *name, const uint64_t *numbers,
                        uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        esse_out_f(out, "%s%llu", i ? "," : "", (unsigned long long)numbers[i]);
    esse_out_char(out, ']');
}

/* ---- ends ---- */

static void put_ends(struct esse_out *out, const struct plotting *p)
{
    static const struct {
        enum esse_status status;
        const char *name;
    } statuses[] = { { ESSE_COMMITTED, "committed" },
                     { ESSE_ABORTED, "aborted" },
                     { ESSE_UNKNOWN_OUTCOME, "unknown" } };
    for (unsigned s = 0; s < sizeof statuses / sizeof *statuses; s++) {
        uint64_t counts[SLICES] = { 0 };
        for (uint32_t i = 0; i < p->order.count; i++)
            if (esse_txn_recorded(p->history, p->order.txn[i]) == statuses[s].status)
                counts[slice_of(p, ended(p, p->order.txn[i]))]++;
        put_numbers(out, statuses[s].name, counts, SLICES);
    }
}

/* ---- latency ---- */

enum { LENGTH_BITS = 48 };

/* Lengths by slice, or by whatever number 'group' is. */
static void add_length(struct esse_pair_vec *lengths, struct esse_arena *arena, uint32_t group,
                       struct esse_interval time)
{
    if (time.begin == ESSE_NO_TIME || time.end == ESSE_NO_TIME || time.end < time.begin)
        return;
    const uint64_t length = (uint64_t)time.end - (uint64_t)time.begin;
    const uint64_t most = ((uint64_t)1 << LENGTH_BITS) - 1;
    esse_pair_vec_push(
        lengths, arena,
        (struct esse_pair){ (uint64_t)group << LENGTH_BITS | (length < most ? length : most), 0 });
}

/* [[50th, 95th, 99th percentile, longest], ...] by group; null where there is none. */
static void put_latencies(struct esse_out *out, struct esse_pair_vec *lengths, uint32_t groups,
                          struct esse_arena *arena)
{
    size_t at = 0;
    esse_radix_sort(lengths->at, lengths->count, arena);
    esse_out_char(out, '[');
    for (uint32_t group = 0; group < groups; group++) {
        const size_t first = at;
        while (at < lengths->count && lengths->at[at].key >> LENGTH_BITS == group)
            at++;
        esse_out_text(out, group ? "," : "");
        if (at == first) {
            esse_out_text(out, "null");
            continue;
        }
        static const unsigned shares[] = { 50, 95, 99, 100 };
        for (unsigned s = 0; s < 4; s++) {
            const size_t rank = ((at - first) * shares[s] + 99) / 100;
            const uint64_t length =
                lengths->at[first + (rank ? rank - 1 : 0)].key & (((uint64_t)1 << LENGTH_BITS) - 1);
            esse_out_f(out, "%s%llu", s ? "," : "[", (unsigned long long)length);
        }
        esse_out_char(out, ']');
    }
    esse_out_char(out, ']');
}

static void put_latency(struct esse_out *out, const struct plotting *p)
{
    struct esse_pair_vec lengths = { 0 };
    for (uint32_t i = 0; i < p->order.count; i++) {
        const uint32_t txn = p->order.txn[i];
        if (esse_txn_recorded(p->history, txn) == ESSE_COMMITTED)
            add_length(&lengths, p->arena, slice_of(p, ended(p, txn)), p->history->txn_time[txn]);
    }
    esse_out_text(out, ",\"latency\":");
    put_latencies(out, &lengths, SLICES, p->arena);
}

static void put_kinds(struct esse_out *out, const struct plotting *p)
{
    static const char *const names[] = { [ESSE_OP_READ] = "read",
                                         [ESSE_OP_WRITE] = "write",
                                         [ESSE_OP_APPEND] = "append",
                                         [ESSE_OP_DELETE] = "delete",
                                         [ESSE_OP_PREDICATE_READ] = "predicate read",
                                         [ESSE_OP_PREDICATE_UPDATE] = "predicate update" };
    const uint32_t kinds = sizeof names / sizeof *names;
    struct esse_pair_vec lengths = { 0 };
    uint64_t counts[sizeof names / sizeof *names] = { 0 };
    for (uint32_t op = 0; op < p->history->ops; op++) {
        const uint32_t kind = p->history->op_kind[op];
        if (kind >= kinds)
            continue;
        counts[kind]++;
        if (p->history->op_time)
            add_length(&lengths, p->arena, kind, p->history->op_time[op]);
    }
    esse_out_text(out, ",\"kind_names\":[");
    for (uint32_t kind = 0; kind < kinds; kind++)
        esse_out_f(out, "%s\"%s\"", kind ? "," : "", names[kind] ? names[kind] : "");
    esse_out_char(out, ']');
    put_numbers(out, "kind_counts", counts, kinds);
    esse_out_text(out, ",\"kind_latency\":");
    put_latencies(out, &lengths, kinds, p->arena);
}

/* ---- how many are open at once ---- */

static void put_open(struct esse_out *out, const struct plotting *p)
{
    struct esse_pair *ends = esse_arena_array(p->arena, p->order.count + (size_t)1, *ends);
    uint64_t most[SLICES] = { 0 };
    uint32_t over = 0, next = 0;
    for (uint32_t i = 0; i < p->order.count; i++)
        ends[i] = (struct esse_pair){ esse_radix_key(ended(p, p->order.txn[i])), 0 };
    esse_radix_sort(ends, p->order.count, p->arena);
    for (uint32_t slice = 0; slice < SLICES; slice++) {
        int64_t now = p->order.base + (int64_t)(slice * p->width);
        do {
            while (over < next && ends[over].key <= esse_radix_key(now))
                over++;
            most[slice] = next - over > most[slice] ? next - over : most[slice];
            if (next == p->order.count)
                break;
            now = page_begin(&p->order, p->history, p->order.txn[next]);
        } while (slice_of(p, now) == slice && ++next);
    }
    put_numbers(out, "open", most, SLICES);
}

/* ---- keys and sizes ---- */

static void put_keys(struct esse_out *out, const struct plotting *p)
{
    const struct esse_history *history = p->history;
    uint64_t *reads = esse_arena_zeros(p->arena, history->keys + (size_t)1, uint64_t);
    uint64_t *writes = esse_arena_zeros(p->arena, history->keys + (size_t)1, uint64_t);
    struct esse_pair *pairs = esse_arena_array(p->arena, history->keys + (size_t)1, *pairs);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        struct esse_access_walk walk = esse_accesses_of(history, txn);
        while (esse_access_next(&walk))
            (walk.access.kind == ESSE_OP_READ ? reads : writes)[walk.access.key.ix]++;
    }
    for (uint32_t key = 0; key < history->keys; key++)
        pairs[key] = (struct esse_pair){ ~(reads[key] + writes[key]), key };
    esse_radix_sort(pairs, history->keys, p->arena);
    esse_out_text(out, ",\"keys\":[");
    for (uint32_t i = 0; i < history->keys && i < KEYS; i++) {
        const uint32_t key = pairs[i].id;
        esse_out_text(out, i ? ",{\"key\":" : "{\"key\":");
        esse_out_json_text(out, esse_show_key_within(p->arena, history, (esse_key){ key }, 40));
        esse_out_f(out, ",\"reads\":%llu,\"writes\":%llu}", (unsigned long long)reads[key],
                   (unsigned long long)writes[key]);
    }
    esse_out_char(out, ']');
}

static void put_sizes(struct esse_out *out, const struct plotting *p)
{
    uint64_t sizes[SIZES] = { 0 };
    for (uint32_t txn = 0; txn < p->history->txns; txn++) {
        const uint32_t ops = p->history->txn_op[txn + 1] - p->history->txn_op[txn];
        sizes[ops < SIZES ? ops : SIZES - 1]++;
    }
    put_numbers(out, "sizes", sizes, SIZES);
}

void page_plots(struct esse_out *out, const struct esse_report *report)
{
    struct plotting p = { .arena = out->arena,
                          .history = report->history,
                          .order = page_order_of(out->arena, report->history) };
    struct esse_out json;
    if (!p.history->txns)
        return;
    p.width = ((uint64_t)p.order.end - (uint64_t)p.order.base) / SLICES + 1;
    esse_out_init_memory(&json, out->arena);
    esse_out_f(&json, "{\"has_times\":%s,\"width\":%llu,\"base\":\"%lld\"",
               p.order.has_times ? "true" : "false", (unsigned long long)p.width,
               (long long)p.order.base);
    if (p.order.has_times && p.order.count) {
        put_ends(&json, &p);
        put_latency(&json, &p);
        put_open(&json, &p);
    }
    put_kinds(&json, &p);
    put_keys(&json, &p);
    put_sizes(&json, &p);
    esse_report_faults_json(&json, p.history);
    esse_out_char(&json, '}');
    esse_out_text(out, "<section id=\"plots\">\n<h2>Over time, and how much</h2>\n"
                       "<noscript><p>The plots need JavaScript.</p></noscript>\n"
                       "<div class=\"plots\"></div>\n");
    if (!p.order.has_times)
        page_element(out, "p", "why",
                     "No times were recorded, so there is nothing to plot over time.");
    page_data(out, "plot-data", esse_out_memory(&json));
    esse_out_text(out, "</section>\n");
}
