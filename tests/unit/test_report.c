#include "base/out.h"
#include "history/history.h"
#include "history/show.h"
#include "history/show_time.h"
#include "load_text.h"
#include "report/report.h"
#include "report/report_cycle.h"
#include "report/report_ops.h"
#include "report/report_round.h"
#include "report/report_words.h"

/*
 * Results are made by hand here, so that the reports are tested whatever the engines find.  With
 * ESSE_PICTURES=folder the pictures are kept there, to be looked at.
 */

/* A history in which t0 … reads what the one before wrote, round in a circle of 'count', each in a
 * session of its own, with 'filler' further operations. */
static struct esse_history *circle_history(struct esse_arena *arena, unsigned count,
                                           unsigned filler)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (unsigned i = 0; i < count; i++) {
        esse_out_f(&out, "{'session':%u,'txn':'t%u','start':%u,'end':%u,'ops':[{'r':'k%u','v':%u}",
                   i % 3, i, 100 * i, 100 * i + 250, (i + count - 1) % count,
                   (i + count - 1) % count + 1);
        for (unsigned f = 0; f < filler; f++)
            esse_out_f(&out, ",{'w':'filler-%u-%u','v':'some text %u'}", i, f, f);
        esse_out_f(&out, ",{'w':'k%u','v':%u}]}\n", i, i + 1);
    }
    return load_text(arena, "native", esse_out_memory(&out));
}

static struct esse_edge edge_of(const struct esse_history *history, uint32_t from, uint32_t to,
                                enum esse_dep dep)
{
    struct esse_edge edge = {
        { from },       { to },         dep, dep <= ESSE_DEP_RWP, { 0 }, { ESSE_NO_OP },
        { ESSE_NO_OP }, { ESSE_NO_OP }, ""
    };
    if (edge.has_key) {
        edge.from_op.ix = history->txn_op[from + 1] - 1;
        edge.to_op.ix = history->txn_op[to];
        edge.key.ix = history->op_key[edge.from_op.ix];
    }
    return edge;
}

static const struct esse_anomaly *circle_of(struct esse_arena *arena,
                                            const struct esse_history *history)
{
    static const enum esse_dep deps[] = { ESSE_DEP_WR,       ESSE_DEP_RW,   ESSE_DEP_WW,
                                          ESSE_DEP_REALTIME, ESSE_DEP_RWP,  ESSE_DEP_PROCESS,
                                          ESSE_DEP_WRP,      ESSE_DEP_START };
    struct esse_anomaly *anomaly = esse_arena_alloc(arena, 1, sizeof *anomaly);
    struct esse_edge *edges = esse_arena_alloc(arena, history->txns, sizeof *edges);
    for (uint32_t i = 0; i < history->txns; i++) {
        const uint32_t next = (i + 1) % history->txns;
        edges[i] = edge_of(history, i, next, deps[i % 8]);
        edges[i].why =
            esse_arena_format(arena, "t%u wrote k%u = %u, which t%u read", i, i, i + 1, next);
    }
    *anomaly = (struct esse_anomaly){ .type = ESSE_ANOMALY_G2_ITEM,
                                      .description = "transactions that each come before the next "
                                                     "in a circle",
                                      .edges = edges,
                                      .edge_count = history->txns };
    return anomaly;
}

static struct esse_report report_of(struct esse_arena *arena, const struct esse_history *history,
                                    const struct esse_anomaly *anomalies, uint32_t count)
{
    struct esse_verdict *verdict = esse_arena_alloc(arena, 1, sizeof *verdict);
    *verdict = (struct esse_verdict){ .level = ESSE_LEVEL_SERIALIZABLE,
                                      .outcome = count ? ESSE_VIOLATED : ESSE_HOLDS,
                                      .engine = "hand",
                                      .plan = "made by hand",
                                      .anomalies = anomalies,
                                      .anomaly_count = count,
                                      .anomalies_seen = count,
                                      .evidence = count ? ESSE_EVIDENCE_CYCLE : ESSE_EVIDENCE_ORDER,
                                      .rechecked = true };
    struct esse_result *result = esse_arena_alloc(arena, 1, sizeof *result);
    *result = (struct esse_result){ .verdicts = verdict, .verdict_count = 1 };
    return (struct esse_report){ "h.jsonl", history, result, false, false };
}

typedef void reporter(struct esse_out *out, const struct esse_report *report);

static const char *written(struct esse_arena *arena, reporter *write,
                           const struct esse_report *report)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    write(out, report);
    return esse_out_memory(out);
}

static void keep_picture(const char *name, unsigned number, const char *text)
{
    const char *folder = getenv("ESSE_PICTURES");
    char path[512];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s-%u.svg", folder, name, number);
    FILE *file = fopen(path, "w");
    CHECK(file);
    fputs(text, file);
    fclose(file);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

#define HAS(text, part)                                                                            \
    do {                                                                                           \
        if (!strstr(text, part))                                                                   \
            fail_msg("'%s' is not in:\n%s", part, text);                                           \
    } while (0)

/* Elements open and close in pairs, nothing is bare: enough of a parser for what Esse writes. */
static bool is_xml(const char *text)
{
    const char *open[64];
    size_t depth = 0, length[64];
    for (const char *at = text; (at = strchr(at, '<')); at++) {
        const char *name = at + 1, *end = strchr(at, '>');
        if (!end || depth == 64)
            return false;
        if (*name == '/') {
            if (!depth-- || strncmp(open[depth], name + 1, length[depth]) != 0)
                return false;
        } else if (end[-1] != '/') {
            open[depth] = name;
            length[depth++] = strcspn(name, " >");
        }
    }
    for (const char *at = text; (at = strchr(at, '&')); at++)
        if (strncmp(at, "&amp;", 5) != 0 && strncmp(at, "&lt;", 4) != 0 &&
            strncmp(at, "&gt;", 4) != 0 && strncmp(at, "&quot;", 6) != 0)
            return false;
    return depth == 0;
}

/* ---- words ---- */

TEST(test_words__fit_keeps_both_ends)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_TEXT(esse_words_fit(arena, "short", 5), "short");
    CHECK_TEXT(esse_words_fit(arena, "abcdefghij", 5), "ab…ij");
    CHECK_TEXT(esse_words_fit(arena, "äöüßéèêë", 5), "äö…êë");
    CHECK_EQ(esse_words_width("日本"), 4);
    CHECK(esse_words_width(esse_words_fit(arena, "日本日本日本", 6)) <= 6);
    CHECK_TEXT(esse_words_fit(arena, "abcdef", 1), "…");
    esse_arena_free(arena);
}

TEST(test_words__lines_break_at_spaces)
{
    struct esse_arena *arena = esse_arena_new();
    const char *rest = "one two  three-is-longer four";
    CHECK_TEXT(esse_words_line(arena, &rest, 8), "one two ");
    CHECK_TEXT(esse_words_line(arena, &rest, 8), "three-is");
    CHECK_TEXT(esse_words_line(arena, &rest, 8), "-longer");
    CHECK_TEXT(esse_words_line(arena, &rest, 8), "four");
    CHECK(!esse_words_line(arena, &rest, 8));
    esse_arena_free(arena);
}

TEST(test_words__xml_holds_any_bytes)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_words_xml(&out, "a<b>&\"\x01\xff\xc3ä\xed\xa0\x80");
    CHECK_TEXT(esse_out_memory(&out), "a&lt;b&gt;&amp;&quot;···ä···");
    esse_arena_free(arena);
}

/* ---- layout ---- */

static bool overlap(const struct esse_ring_box *a, const struct esse_ring_box *b)
{
    return a->x - b->x < (a->width + b->width) / 2 && b->x - a->x < (a->width + b->width) / 2 &&
           a->y - b->y < (a->height + b->height) / 2 && b->y - a->y < (a->height + b->height) / 2;
}

static bool is_inside(const struct esse_ring_box *box, double x, double y)
{
    const double slack = 0.01;
    return x > box->x - box->width / 2 + slack && x < box->x + box->width / 2 - slack &&
           y > box->y - box->height / 2 + slack && y < box->y + box->height / 2 - slack;
}

TEST(test_ring__no_box_on_another_and_no_arrow_through_a_box)
{
    for (uint32_t count = 1; count <= 16; count++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { count };
        struct esse_ring ring = { .count = count, .gap_across = 120, .gap_down = 80 };
        ring.boxes = esse_arena_alloc(arena, count, sizeof *ring.boxes);
        for (uint32_t i = 0; i < count; i++)
            ring.boxes[i] =
                (struct esse_ring_box){ .width = 200,
                                        .height = 60 + (double)esse_rng_below(&rng, 150) };
        esse_ring_place(arena, &ring);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < i; j++)
                CHECK(!overlap(&ring.boxes[i], &ring.boxes[j]));
        for (uint32_t i = 0; count > 1 && i < count; i++) {
            struct esse_ring_arrow way = esse_ring_arrow(&ring, i, (i + 1) % count, 0);
            for (double t = 0; t <= 1; t += 0.01) {
                const double a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
                for (uint32_t j = 0; j < count; j++)
                    CHECK(!is_inside(&ring.boxes[j], a * way.x[0] + b * way.x[1] + c * way.x[2],
                                     a * way.y[0] + b * way.y[1] + c * way.y[2]));
            }
        }
        esse_arena_free(arena);
    }
}

/* ---- text ---- */

TEST(test_text__verdict_first_then_the_reasons_and_the_contradiction)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
    const char *text = written(arena, esse_report_text, &report);
    CHECK(strncmp(text, "h.jsonl: violated serializable\n", 31) == 0);
    HAS(text, "G2-item: transactions that each");
    HAS(text, "t1       session 1, line 2, time 100 to 350\n");
    HAS(text, "r k0 = 1, w k1 = 2\n");
    HAS(text, "    1. t0 wrote k0 = 1, which t1 read\n");
    HAS(text, "    3. t2 wrote k2 = 3, which t0 read\n");
    HAS(text, "so t0 → t1 → t2 → t0: t0 would have to come before itself\n");
    CHECK(!strchr(text, '\033'));
    esse_arena_free(arena);
}

TEST(test_text__an_anomaly_of_any_length_is_two_dozen_lines)
{
    for (unsigned count = 2; count <= 40; count++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = circle_history(arena, count, 30);
        struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
        const char *text = written(arena, esse_report_text, &report);
        CHECK(count_of(text, "\n") <= 26); /* with the verdict, an empty line and plain words */
        if (count > 6) {
            HAS(text, "more transactions\n");
            HAS(text, "… → ");
        }
        esse_arena_free(arena);
    }
}

TEST(test_text__named_operations_are_shown_however_many_there_are)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 2, 50);
    struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
    const char *text = written(arena, esse_report_text, &report);
    HAS(text, "r k1 = 2, w filler-0-0");
    HAS(text, ", … 44 more …, w k0 = 1\n");
    esse_arena_free(arena);
}

TEST(test_text__colour_only_if_asked)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 2, 0);
    struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
    report.colour = true;
    HAS(written(arena, esse_report_text, &report), "\033[1;31mviolated\033[0m serializable");
    esse_arena_free(arena);
}

TEST(test_text__unknown_members_and_clock_times_are_shown)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(
        arena, "jepsen-edn",
        "{:type :invoke, :process 0, :f :txn, :value [[:r :x nil]], :index 0, :time 5000}\n"
        "{:type :ok, :process 0, :f :txn, :value [[:r :x [9]]], :index 1, :time 7000, :node \"n1\","
        " :debug \"a very long text that nobody wants to read to its end in a terminal\"}\n");
    struct esse_step step = { { 0 }, { 0 }, "1 read x = [9]; no transaction appended 9" };
    struct esse_anomaly anomaly = {
        .type = ESSE_ANOMALY_GARBAGE_READ, .description = "d", .steps = &step, .step_count = 1
    };
    struct esse_report report = report_of(arena, history, &anomaly, 1);
    const char *text = written(arena, esse_report_text, &report);
    HAS(text, "time 5000 to 7000, node \"n1\", debug \"a very long");
    HAS(text, "…");
    HAS(text, "so what T1 saw came from nowhere\n");
    esse_arena_free(arena);
}

TEST(test_text__what_proves_that_a_level_holds)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, NULL, 0);
    struct esse_verdict *verdict = (struct esse_verdict *)report.result->verdicts;
    verdict->order = (struct esse_order){ .count = 3, .proves = ESSE_LEVEL_SERIALIZABLE };
    HAS(written(arena, esse_report_text, &report),
        "holds serializable\n  by an order of 3 transactions that was replayed\n");
    verdict->order = (struct esse_order){ .count = 6,
                                          .proves = ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION,
                                          .has_starts = true };
    HAS(written(arena, esse_report_text, &report),
        "snapshots and commits of 3 transactions that was replayed; it proves "
        "strong-snapshot-isolation\n");
    verdict->order =
        (struct esse_order){ .count = 9, .proves = ESSE_LEVEL_PRAM, .of_accesses = true };
    HAS(written(arena, esse_report_text, &report),
        "  by a commit order of 9 operations that was rechecked; it proves PRAM\n");
    verdict->order = (struct esse_order){ .count = 6,
                                          .proves = ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION,
                                          .has_starts = true };
    HAS(written(arena, esse_report_json, &report),
        json(arena, "'evidence':{'kind':'order','rechecked':true,'transactions':3,'proves':"));
    esse_arena_free(arena);
}

static void write_bug(struct esse_out *out, const struct esse_report *report)
{
    esse_report_bug(out, report, "the cycle does not \"follow\"");
}

TEST(test_bug__a_report_has_the_error_and_the_evidence)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    const struct esse_anomaly *circle = circle_of(arena, history);
    struct esse_report report = report_of(arena, history, circle, 1);
    const char *text = written(arena, write_bug, &report);
    HAS(text, json(arena, "{'esse':'bug report','version':"));
    HAS(text, "\"error\":\"the cycle does not \\\"follow\\\"\"");
    HAS(text, json(arena, "\n"
                          "{'esse':'evidence'"));
    HAS(text, esse_anomaly_name(circle->type));
    esse_arena_free(arena);
}

/* A case that was tried failed: there are no verdicts of the history itself. */
TEST(test_bug__a_report_does_without_a_result)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
    report.result = NULL;
    const char *text = written(arena, write_bug, &report);
    HAS(text, "\"error\":\"the cycle does not \\\"follow\\\"\"");
    CHECK(!strstr(text, "\"evidence\""));
    esse_arena_free(arena);
}

TEST(test_text__types_beyond_the_first_few_are_only_named)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 2, 0);
    struct esse_anomaly all[9];
    for (unsigned i = 0; i < 9; i++) {
        all[i] = *circle_of(arena, history);
        all[i].type = (enum esse_anomaly_id)(ESSE_ANOMALY_G0 + i);
    }
    struct esse_report report = report_of(arena, history, all, 9);
    const char *text = written(arena, esse_report_text, &report);
    HAS(text, "\n  and also G2-item, G2, G0-process\n");
    HAS(text, "--verbose shows more");
    report.verbose = true;
    HAS(written(arena, esse_report_text, &report), "G0-process: ");
    esse_arena_free(arena);
}

/* ---- JSON ---- */

TEST(test_json__edges_name_their_transactions)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 4, 1);
    struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
    const char *text = written(arena, esse_report_json, &report);
    HAS(text, json(arena, "'transactions':['t0','t1','t2','t3']"));
    HAS(text,
        json(arena,
             "{'from':'t0','to':'t1','dep':'wr','key':'k0','from_operation':2,'to_operation':0,"
             "'why':'t0 wrote k0 = 1, which t1 read'}"));
    HAS(text, json(arena, "{'from':'t3','to':'t0','dep':'realtime','why':"));
    HAS(text, json(arena, "'evidence':{'kind':'cycle','rechecked':true}"));
    esse_arena_free(arena);
}

/* ---- pictures ---- */

TEST(test_svg__every_length_of_a_cycle_is_drawn)
{
    static const unsigned counts[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 40 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = circle_history(arena, counts[i], counts[i] % 3 * 2);
        struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
        const char *text = written(arena, esse_report_svg, &report);
        keep_picture("cycle", counts[i], text);
        CHECK(is_xml(text));
        CHECK_TEXT(text, written(arena, esse_report_svg, &report));
        HAS(text, ">t0</text>");
        HAS(text, "fill=\"#ffffff\"/>"); /* a background */
        if (counts[i] > 16)
            HAS(text, " more …");
        else
            CHECK_EQ(count_of(text, "marker-end") - count_of(text, "h42"),
                     counts[i] > 1 ? counts[i] : 0);
        esse_arena_free(arena);
    }
}

TEST(test_svg__texts_are_escaped_and_shortened)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(
        arena, "native",
        "{\"session\":\"<s>\",\"txn\":\"a&b\",\"ops\":[{\"w\":\"a <very> long key \\\"with"
        "\\\" much in it\",\"v\":\"a value that is even longer than the key\"}]}\n"
        "{\"session\":1,\"txn\":\"a transaction with a name that is far too long\","
        "\"status\":\"aborted\",\"ops\":[{\"r\":\"a <very> long key \\\"with\\\" much in "
        "it\",\"v\":null}]}\n");
    struct esse_edge edges[] = { edge_of(history, 0, 1, ESSE_DEP_WW),
                                 edge_of(history, 1, 0, ESSE_DEP_RW) };
    edges[0].why = edges[1].why =
        "<reasons> & more, and this one goes on and on so that it needs more than one line of the "
        "panel, however wide that is, because people name things as they like and nobody stops "
        "them from it";
    struct esse_anomaly anomaly = {
        .type = ESSE_ANOMALY_G2_ITEM, .description = edges[0].why, .edges = edges, .edge_count = 2
    };
    struct esse_report report = report_of(arena, history, &anomaly, 1);
    const char *text = written(arena, esse_report_svg, &report);
    keep_picture("odd", 2, text);
    CHECK(is_xml(text));
    HAS(text, "a&amp;b");
    const char *dot = written(arena, esse_report_dot, &report);
    HAS(dot, "long key \\\"with");
    esse_arena_free(arena);
}

TEST(test_svg__a_walk_that_meets_a_transaction_again_has_a_box_for_it)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_edge edges[] = { edge_of(history, 0, 1, ESSE_DEP_RW),
                                 edge_of(history, 1, 0, ESSE_DEP_WR),
                                 edge_of(history, 0, 2, ESSE_DEP_RW),
                                 edge_of(history, 2, 0, ESSE_DEP_WR) };
    struct esse_anomaly anomaly = {
        .type = ESSE_ANOMALY_G_NONADJACENT, .description = "a walk", .edges = edges, .edge_count = 4
    };
    struct esse_report report = report_of(arena, history, &anomaly, 1);
    const char *text = written(arena, esse_report_svg, &report);
    keep_picture("again", 4, text);
    HAS(text, ">again</text>");
    esse_arena_free(arena);
}

/* From the definition: is there a moment at which the fault and one of the three, which ran from 0
 * to 450 without a gap, both were? */
static bool is_meanwhile(const struct esse_fault_record *fault)
{
    for (int64_t moment = 0; moment <= 450; moment++)
        if (fault->start <= moment && (fault->end == ESSE_NO_TIME || moment <= fault->end))
            return true;
    return false;
}

static struct esse_fault_record random_fault(struct esse_rng *rng)
{
    struct esse_fault_record fault = { (enum esse_server_fault)esse_rng_below(rng, ESSE_FAULTS),
                                       esse_rng_below(rng, 3),
                                       50 * (int64_t)esse_rng_below(rng, 15), 0 };
    fault.start -= 200;
    fault.end = fault.start + 50 * (int64_t)esse_rng_below(rng, 6); /* touching is overlapping */
    if (!esse_rng_below(rng, 4))
        fault.end = ESSE_NO_TIME;
    return fault;
}

TEST(test_svg__faults_are_drawn_where_they_overlap)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, circle_of(arena, history), 1);
    struct esse_rng rng = { 7 };
    struct esse_fault_record faults[8];
    history->faults = faults;
    for (unsigned round = 0; round < test_rounds(200); round++) {
        unsigned meanwhile = 0;
        history->fault_count = esse_rng_below(&rng, 9);
        for (unsigned i = 0; i < history->fault_count; i++) {
            faults[i] = random_fault(&rng);
            meanwhile += is_meanwhile(&faults[i]);
        }
        const char *text = written(arena, esse_report_svg, &report);
        CHECK(is_xml(text));
        CHECK_EQ(count_of(text, "fill-opacity"), meanwhile < 4 ? meanwhile : 4);
        CHECK_EQ(count_of(text, "When they ran"), meanwhile > 0);
        CHECK_EQ(count_of(text, " more</text>"), meanwhile > 4);
        if (round < 3)
            keep_picture("faults", round, text);
    }
    history->txn_time = NULL;
    CHECK_EQ(count_of(written(arena, esse_report_svg, &report), "When they ran"), 0);
    esse_arena_free(arena);
}

TEST(test_svg__nothing_to_draw_is_said)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_report report = report_of(arena, circle_history(arena, 2, 0), NULL, 0);
    const char *text = written(arena, esse_report_svg, &report);
    CHECK(is_xml(text));
    HAS(text, "there is nothing to draw");
    HAS(written(arena, esse_report_dot, &report), "digraph \"esse\" {");
    esse_arena_free(arena);
}

TEST(test_drawn__one_of_each_type_and_the_rest_is_counted)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_anomaly all[] = { { .type = ESSE_ANOMALY_G1A, .description = "0" },
                                  { .type = ESSE_ANOMALY_G1A, .description = "1" },
                                  { .type = ESSE_ANOMALY_G1A, .description = "2" },
                                  { .type = ESSE_ANOMALY_G1B, .description = "3" },
                                  { .type = ESSE_ANOMALY_G2, .description = "4" } };
    struct esse_report report = report_of(arena, NULL, all, 5);
    uint32_t count;
    const struct esse_anomaly **drawn = esse_shown_drawn(arena, report.result, 4, &count);
    CHECK_EQ(count, 3);
    static const char *const expected[] = { "0", "3", "4" };
    for (int i = 0; i < 3; i++)
        CHECK_TEXT(drawn[i]->description, expected[i]);
    esse_arena_free(arena);
}

TEST(test_dot__clusters_nodes_and_edges)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 4, 20);
    struct esse_anomaly two[] = { *circle_of(arena, history), *circle_of(arena, history) };
    two[1].type = ESSE_ANOMALY_G2;
    two[1].alike = 8;
    struct esse_report report = report_of(arena, history, two, 2);
    const char *text = written(arena, esse_report_dot, &report);
    CHECK_EQ(count_of(text, "subgraph \"cluster_"), 2);
    CHECK_EQ(count_of(text, " -> "), 8);
    HAS(text, "\"1.0\" -> \"1.1\" [label=\"wr k0\", color=\"#007a5a\"");
    HAS(text, "▸ r k0 = 1\\l");
    CHECK_EQ(count_of(text, "{"), count_of(text, "}"));
    HAS(written(arena, esse_report_svg, &report), ">and 7 more of this kind<");
    esse_arena_free(arena);
}

/* ---- names that are long ---- */

static const char *op_shown(struct esse_arena *arena, const struct esse_history *history,
                            uint32_t op, size_t most)
{
    const struct esse_edge edge = { .from = { 0 }, .to = { 1 }, .dep = ESSE_DEP_RW };
    const struct esse_anomaly anomaly = { .type = ESSE_ANOMALY_G2,
                                          .edges = &edge,
                                          .edge_count = 1 };
    return esse_shown_op_fit(arena, history, &anomaly, op, most);
}

/* All names begin and end alike. */
TEST(test_names__what_differs_looks_different_however_short)
{
    struct esse_arena *arena = esse_arena_new();
    const char *shown[4][2];
    char lines[2][600];
    for (int i = 0; i < 2; i++)
        snprintf(
            lines[i], sizeof lines[i],
            "{'session':'s','txn':'transfer-of-funds-between-two-accounts-of-one-customer-%d-as-"
            "recorded-by-the-payments-service-in-november','ops':[{'w':'accounts/of/the/customer/"
            "with/the/number/%d/that/has/a/very/long/path/to/its/balance','v':'one thousand two "
            "hundred and %d euro, in words, so that it is longer than a line'}]}\n",
            i, i, i);
    const struct esse_history *history =
        load_text(arena, "native", esse_arena_format(arena, "%s%s", lines[0], lines[1]));
    for (uint32_t i = 0; i < 2; i++) {
        shown[0][i] = esse_show_txn_text(arena, history, (esse_txn){ i });
        shown[1][i] = esse_show_txn_within(arena, history, (esse_txn){ i }, 16);
        shown[2][i] = op_shown(arena, history, i, 34);
        shown[3][i] = esse_show_key_text(arena, history, (esse_key){ i });
    }
    for (int i = 0; i < 4; i++)
        CHECK(strcmp(shown[i][0], shown[i][1]) != 0);
    /* The same key looks the same wherever it is as short. */
    HAS(op_shown(arena, history, 0, 34),
        esse_show_key_within(arena, history, (esse_key){ 0 }, 34 - 14 - 5));
    esse_arena_free(arena);
}

TEST(test_names__numbers_say_what_they_are)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':7,'txn':5,'ops':[{'w':'256','v':1}]}\n"
                  "{'session':7,'ops':[{'w':'x','v':1}]}\n");
    CHECK_TEXT(esse_show_txn_text(arena, history, (esse_txn){ 0 }), "T5");
    CHECK_TEXT(esse_show_txn_text(arena, history, (esse_txn){ 1 }), "T7/1");
    CHECK_TEXT(esse_show_key_text(arena, history, (esse_key){ 0 }), "key 256");
    CHECK_TEXT(esse_show_key_text(arena, history, (esse_key){ 1 }), "x");
    CHECK_TEXT(op_shown(arena, history, 0, 40), "w 256 = 1");
    esse_arena_free(arena);
}

/* Of a wide row the columns are kept that the two differ in. */
TEST(test_names__a_row_keeps_the_columns_that_matter)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'ops':[{'w':'t/1','v':{'address':'some street',"
                  "'birthday':'some day','sold':1,'town':'some town'}}]}\n"
                  "{'session':2,'ops':[{'w':'t/1','v':{'address':'some street',"
                  "'birthday':'some day','sold':2,'town':'some town'}}]}\n");
    CHECK_JSON(arena, op_shown(arena, history, 0, 30), "w t/1 = {'sold':1,…}");
    CHECK_JSON(arena, op_shown(arena, history, 1, 30), "w t/1 = {'sold':2,…}");
    esse_arena_free(arena);
}

#define LONG_LIST "alpha, bravo, charlie, delta, echo, foxtrot, golf, hotel, india, juliett, kilo"

/* Two transactions that each read by one statement and update a row by the other. */
static struct esse_history *statement_history(struct esse_arena *arena)
{
    return load_text(
        arena, "native",
        "{\"esse\":\"history\",\"version\":1,\"statements\":["
        "\"SELECT " LONG_LIST " FROM seats\\n   WHERE taken = false AND row < :first\","
        "\"UPDATE seats SET taken = true,\\n\\tnote = 'a\\nb  \\u00e9' WHERE id = :seat\","
        "\"SELECT " LONG_LIST " FROM seats\\n   WHERE taken = false AND row < :second\"]}\n"
        "{\"session\":1,\"txn\":\"a\",\"edn\":{\":transaction\":\"book\"},\"ops\":["
        "{\"p\":\"v = 0\",\"rows\":{\"seats/7\":0},\"s\":1},"
        "{\"r\":\"seats/7\",\"v\":0,\"s\":2},{\"w\":\"seats/7\",\"v\":1,\"s\":2}]}\n"
        "{\"session\":2,\"txn\":\"b\",\"ops\":[{\"p\":\"v = 0\",\"rows\":{\"seats/7\":0},"
        "\"s\":3},{\"w\":\"seats/7\",\"v\":2}]}\n");
}

TEST(test_statements__are_shown_as_they_stand_there)
{
    static const char update[] =
        "UPDATE seats SET taken = true, note = 'a\\nb  é' WHERE id = :seat";
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = statement_history(arena);
    struct esse_edge edges[] = { edge_of(history, 0, 1, ESSE_DEP_RW),
                                 edge_of(history, 1, 0, ESSE_DEP_RW) };
    struct esse_anomaly anomaly = {
        .type = ESSE_ANOMALY_G2_ITEM, .description = "d", .edges = edges, .edge_count = 2
    };
    struct esse_report report = report_of(arena, history, &anomaly, 1);
    const char *text = written(arena, esse_report_text, &report);
    HAS(text, "transaction book\n             SELECT alpha, bravo, ");
    HAS(text, " AND row < :first   [where v = 0: {seats/7 0}]\n");
    HAS(text,
        esse_arena_format(arena, "\n             %s   [r seats/7 = 0, w seats/7 = 1]\n", update));
    /* What no statement is known of stands by itself. */
    HAS(text, " AND row < :second   [where v = 0: {seats/7 0}]\n             w seats/7 = 2\n");
    CHECK(!strstr(text, "juliett, kilo FROM"));
    HAS(written(arena, esse_report_json, &report),
        "\"from_operation\":2,\"from_statement\":\"UPDATE seats SET taken = true,\\n\\tnote = "
        "'a\\nb  é' WHERE id = :seat\"");
    const char *picture = written(arena, esse_report_svg, &report);
    keep_picture("statements", 2, picture);
    CHECK(is_xml(picture));
    HAS(picture, "SELECT alpha, ");
    HAS(written(arena, esse_report_dot, &report), "UPDATE seats SET ");
    esse_arena_free(arena);
}

/* However little room there is. */
TEST(test_statements__that_differ_look_different)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = statement_history(arena);
    for (size_t most = 12; most < 200; most++) {
        const char *first = esse_show_written(arena, history, (esse_op){ 0 }, most);
        const char *second = esse_show_written(arena, history, (esse_op){ 3 }, most);
        CHECK(strcmp(first, second) != 0);
        CHECK(esse_words_width(first) <= most);
    }
    esse_arena_free(arena);
}

TEST(test_names__times_are_told_as_people_tell_them)
{
    static const struct {
        int64_t begin, end;
        const char *words;
    } cases[] = {
        { 10, 40, "" },
        { 117528419, 117607627, " (117.528 to 117.608 ms)" },
        { 117528419, ESSE_NO_TIME, " (from 117.528 ms)" },
        { 62000000000, 62000001000, " (62.000000 to 62.000001 s)" },
        { 1763357952123456789, 1763357952323456789,
          " (2025-11-17 05:39:12.123456 to 05:39:12.323456 UTC)" },
        { 1763423999000000000, 1763424000000000000,
          " (2025-11-17 23:59:59.000000 to 2025-11-18 00:00:00.000000 UTC)" },
        { ESSE_NO_TIME, ESSE_NO_TIME, "" },
    };
    struct esse_arena *arena = esse_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_out out;
        esse_out_init_memory(&out, arena);
        esse_show_interval(&out, cases[i].begin, cases[i].end);
        CHECK_TEXT(esse_out_memory(&out), cases[i].words);
    }
    esse_arena_free(arena);
}

TEST(test_names__how_much_later_is_told_of_two_times)
{
    static const struct {
        int64_t first, second;
        const char *words;
    } cases[] = {
        { 117528419, 117607627, ", 79.2 us later" },
        { 117528419, 127528419, ", 10.0 ms later" },
        { 117528419, 3117528419, ", 3.000 s later" },
        { 117528419, 117528519, "" },
        { 117528419, 117528418, "" },
        { 7, ESSE_NO_TIME, "" },
        { ESSE_NO_TIME, 117528419, "" },
        { ESSE_NO_TIME, ESSE_NO_TIME, "" },
    };
    struct esse_arena *arena = esse_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_out out;
        esse_out_init_memory(&out, arena);
        esse_show_later(&out, cases[i].first, cases[i].second);
        CHECK_TEXT(esse_out_memory(&out), cases[i].words);
    }
    esse_arena_free(arena);
}

/* ---- refutations ---- */

/* A choice about two writes that leads round the same circle either way. */
static const struct esse_anomaly *refuted_of(struct esse_arena *arena,
                                             const struct esse_history *history, bool is_open)
{
    struct esse_anomaly *anomaly = esse_arena_alloc(arena, 1, sizeof *anomaly);
    struct esse_refutation *refutation = esse_arena_alloc(arena, 1, sizeof *refutation);
    struct esse_choice *choice = esse_arena_alloc(arena, 1, sizeof *choice);
    struct esse_clause *clauses = esse_arena_alloc(arena, 3, sizeof *clauses);
    uint32_t *literals = esse_arena_alloc(arena, 2, sizeof *literals);
    const struct esse_anomaly *circle = circle_of(arena, history);
    *choice = (struct esse_choice){ .kind = ESSE_CHOICE_ORDER,
                                    .key = { history->op_key[history->txn_op[1] - 1] },
                                    .first = { history->txn_op[1] - 1 },
                                    .second = { history->txn_op[2] - 1 } };
    for (uint32_t i = 0; i < 2; i++) {
        literals[i] = i;
        clauses[i] = (struct esse_clause){ .kind = ESSE_CLAUSE_CYCLE,
                                           .literals = &literals[i],
                                           .count = is_open,
                                           .edges = circle->edges,
                                           .edge_count = circle->edge_count };
    }
    clauses[2].kind = ESSE_CLAUSE_FOLLOWS;
    *refutation = (struct esse_refutation){ choice, is_open, clauses, 3 };
    *anomaly = (struct esse_anomaly){ .type = ESSE_ANOMALY_NO_ORDER_SERIALIZABLE,
                                      .description = "d",
                                      .refutation = refutation };
    return anomaly;
}

TEST(test_refuted__both_ways_are_told)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, refuted_of(arena, history, true), 1);
    const char *text = written(arena, esse_report_text, &report);
    HAS(text, "    t1       session 1, line 2, time 100 to 350: r k0 = 1, w k1 = 2\n");
    HAS(text, "\n    Suppose the 1 that t0 wrote to k0 came before ");
    HAS(text, "\n      1. t0 wrote k0 = 1, which t1 read\n");
    HAS(text, "\n      so t0 → t1 → t2 → t0: t0 would have to come before itself\n    Suppose it "
              "came after:\n      1. ");
    CHECK_EQ(count_of(text, "\n"), 23); /* with the verdict, an empty line and plain words */
    report.colour = true;
    HAS(written(arena, esse_report_text, &report), "\033[1;31mso t0 → t1");
    esse_arena_free(arena);
}

TEST(test_refuted__without_a_choice_it_is_a_cycle)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, refuted_of(arena, history, false), 1);
    const char *text = written(arena, esse_report_text, &report);
    HAS(text, "\n    1. t0 wrote k0 = 1, which t1 read\n");
    HAS(text, "\n    so t0 → t1 → t2 → t0: t0 would have to come before itself\n");
    CHECK(!strstr(text, "Suppose"));
    text = written(arena, esse_report_json, &report);
    HAS(text, json(arena, "'transactions':['t0','t1','t2'],'steps':[],'edges':[{'from':'t0'"));
    CHECK(!strstr(text, "\"choices\""));
    esse_arena_free(arena);
}

TEST(test_refuted__json_has_choices_and_cycles)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = circle_history(arena, 3, 0);
    struct esse_report report = report_of(arena, history, refuted_of(arena, history, true), 1);
    const char *text = written(arena, esse_report_json, &report);
    HAS(text, json(arena, "'transactions':['t0','t1','t2']"));
    HAS(text,
        json(arena,
             "'choices':[{'kind':'order','key':'k0','first':{'transaction':'t0','operation':1},"
             "'second':{'transaction':'t1','operation':1}}]"));
    HAS(text, json(arena, "'cycles':[{'given':['the "));
    HAS(text, json(arena, "],'clauses':3}"));
    CHECK_EQ(count_of(text, "\"given\""), 2);
    esse_arena_free(arena);
}

TEST(test_refuted__pictures_up_to_some_size)
{
    static const unsigned counts[] = { 2, 3, 4, 7, 12, 24, 25 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = circle_history(arena, counts[i], 2);
        struct esse_report report = report_of(arena, history, refuted_of(arena, history, true), 1);
        const char *text = written(arena, esse_report_svg, &report);
        keep_picture("refuted", counts[i], text);
        CHECK(is_xml(text));
        CHECK_TEXT(text, written(arena, esse_report_svg, &report));
        HAS(text, "Suppose it came after:");
        const char *graph = written(arena, esse_report_dot, &report);
        if (counts[i] <= 24) {
            HAS(text, "Arrows with an if rest on");
            CHECK_EQ(count_of(graph, " -> "), counts[i]);
            HAS(graph, "\"0.choices\"");
        } else {
            HAS(text, "too many transactions take part to draw");
            HAS(graph, "25 transactions take part: too many to draw");
            CHECK(!strstr(graph, " -> "));
        }
        esse_arena_free(arena);
    }
}

TEST(test_round__boxes_are_apart_and_few_are_passed)
{
    for (uint32_t count = 1; count <= 24; count++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_ring ring = { .count = count, .gap_across = 120, .gap_down = 80 };
        struct esse_round_arrow *arrows = esse_arena_alloc(arena, count, sizeof *arrows);
        ring.boxes = esse_arena_alloc(arena, count, sizeof *ring.boxes);
        for (uint32_t i = 0; i < count; i++) {
            ring.boxes[i] = (struct esse_ring_box){ .width = 200, .height = 60 + i % 3 * 30 };
            arrows[i] = (struct esse_round_arrow){ .from = i,
                                                   .to = (i + count / 2) % count,
                                                   .label_width = 60 };
        }
        esse_round_place(&ring, arrows, count > 1 ? count : 0);
        for (uint32_t i = 0; i < count; i++) {
            CHECK(ring.boxes[i].x > 0 && ring.boxes[i].x < ring.width);
            for (uint32_t j = 0; j < i; j++)
                CHECK(!overlap(&ring.boxes[i], &ring.boxes[j]));
            for (uint32_t j = 0; count > 1 && j < count; j++)
                for (double t = 0.01; t < 1; t += 0.01)
                    CHECK(!is_inside(&ring.boxes[j],
                                     arrows[i].x[0] + t * (arrows[i].x[1] - arrows[i].x[0]),
                                     arrows[i].y[0] + t * (arrows[i].y[1] - arrows[i].y[0])));
        }
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__fit_keeps_both_ends),
        cmocka_unit_test(test_words__lines_break_at_spaces),
        cmocka_unit_test(test_words__xml_holds_any_bytes),
        cmocka_unit_test(test_ring__no_box_on_another_and_no_arrow_through_a_box),
        cmocka_unit_test(test_text__verdict_first_then_the_reasons_and_the_contradiction),
        cmocka_unit_test(test_text__an_anomaly_of_any_length_is_two_dozen_lines),
        cmocka_unit_test(test_text__named_operations_are_shown_however_many_there_are),
        cmocka_unit_test(test_text__colour_only_if_asked),
        cmocka_unit_test(test_text__unknown_members_and_clock_times_are_shown),
        cmocka_unit_test(test_text__what_proves_that_a_level_holds),
        cmocka_unit_test(test_bug__a_report_has_the_error_and_the_evidence),
        cmocka_unit_test(test_bug__a_report_does_without_a_result),
        cmocka_unit_test(test_text__types_beyond_the_first_few_are_only_named),
        cmocka_unit_test(test_json__edges_name_their_transactions),
        cmocka_unit_test(test_svg__every_length_of_a_cycle_is_drawn),
        cmocka_unit_test(test_svg__texts_are_escaped_and_shortened),
        cmocka_unit_test(test_svg__a_walk_that_meets_a_transaction_again_has_a_box_for_it),
        cmocka_unit_test(test_svg__faults_are_drawn_where_they_overlap),
        cmocka_unit_test(test_svg__nothing_to_draw_is_said),
        cmocka_unit_test(test_drawn__one_of_each_type_and_the_rest_is_counted),
        cmocka_unit_test(test_names__what_differs_looks_different_however_short),
        cmocka_unit_test(test_names__numbers_say_what_they_are),
        cmocka_unit_test(test_names__a_row_keeps_the_columns_that_matter),
        cmocka_unit_test(test_names__times_are_told_as_people_tell_them),
        cmocka_unit_test(test_names__how_much_later_is_told_of_two_times),
        cmocka_unit_test(test_statements__are_shown_as_they_stand_there),
        cmocka_unit_test(test_statements__that_differ_look_different),
        cmocka_unit_test(test_dot__clusters_nodes_and_edges),
        cmocka_unit_test(test_refuted__both_ways_are_told),
        cmocka_unit_test(test_refuted__without_a_choice_it_is_a_cycle),
        cmocka_unit_test(test_refuted__json_has_choices_and_cycles),
        cmocka_unit_test(test_refuted__pictures_up_to_some_size),
        cmocka_unit_test(test_round__boxes_are_apart_and_few_are_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
