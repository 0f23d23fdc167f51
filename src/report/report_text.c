#include "base/arena.h"
#include "evidence/replay.h"
#include "history/show.h"
#include "report/report_cases.h"
#include "report/report_cycle.h"
#include "report/report_ops.h"
#include "report/report_parts.h"
#include "report/report_plain.h"
#include "report/report_words.h"

#include <string.h>

enum {
    OPS_SHOWN = 8,
    NAMED_WIDTH = 56,       /* columns of an operation that a reason names ... */
    OTHER_WIDTH = 32,       /* ... and of one that none does */
    WRITTEN_WIDTH = 100,    /* of a statement as it was written */
    TYPES_SHOWN = 6,        /* --verbose shows all */
    ROOMY = 4,              /* up to here a transaction of a cycle gets two lines */
    PARTICIPANTS_WHOLE = 6, /* with more, only some are shown, ... */
    PARTICIPANTS_SHOWN = 4, /* ... this many transactions ... */
    REASONS_SHOWN = 5,      /* ... and reasons, beside the last */
    CONTRADICTIONS = 3,     /* of a refutation */
    VERDICTS_IN_FULL = 8,   /* more are a table */
};

enum paint { PLAIN, BOLD, DIM, RED, CYAN };

/* A terminal's escape sequence, or nothing. */
static const char *paint(const struct esse_report *report, enum paint colour)
{
    static const char *const codes[] = { "\033[0m", "\033[1m", "\033[2m", "\033[1;31m",
                                         "\033[36m" };
    return report->colour ? codes[colour] : "";
}

enum esse_outcome esse_report_outcome(const struct esse_result *result)
{
    enum esse_outcome worst = ESSE_HOLDS;
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        enum esse_outcome outcome = result->verdicts[i].outcome;
        if (outcome == ESSE_VIOLATED || (outcome == ESSE_UNKNOWN && worst == ESSE_HOLDS))
            worst = outcome;
    }
    return worst;
}

/* ---- verdicts ---- */

/* What proves that the level holds. */
static void put_proof(struct esse_out *out, const struct esse_history *history,
                      const struct esse_verdict *verdict)
{
    const struct esse_order *order = &verdict->order;
    if (verdict->outcome != ESSE_HOLDS || !order->proves)
        return;
    const bool replayed = esse_replay_proves(esse_level_get(order->proves), order->has_starts);
    esse_out_text(out, "  by ");
    esse_report_put_order(out, order);
    esse_out_f(out, " that was %s", replayed ? "replayed" : "rechecked");
    /* Commits that were lost are ruled out by levels that the order itself satisfies. */
    if (order->proves != verdict->level && !history->lost_count)
        esse_out_f(out, "; it proves %s", esse_level_name(order->proves));
    esse_out_char(out, '\n');
}

/* What the verdict rests on, and whether it would be another without. */
static void put_certificate(struct esse_out *out, const struct esse_verdict *verdict)
{
    if (!verdict->certificate)
        return;
    esse_out_f(out, "  under the certificate (%s)", esse_certificate_name(verdict->certificate));
    if (verdict->outcome == ESSE_VIOLATED)
        esse_out_text(out, ": the database broke the level, or what the certificate was taken from "
                           "does not hold");
    static const char *const otherwise[] = {
        [ESSE_HOLDS] = "in another order the level holds",
        [ESSE_VIOLATED] = "the level holds in no order",
        [ESSE_UNKNOWN] = "whether it holds in another order was not decided",
    };
    if (verdict->has_otherwise)
        esse_out_f(out, "; %s", otherwise[verdict->otherwise]);
    esse_out_char(out, '\n');
}

static void put_ways(struct esse_out *out, const struct esse_verdict *verdict)
{
    if (!verdict->way_count)
        return;
    if (verdict->outcome == ESSE_HOLDS)
        esse_out_text(out, "  in one of the ways in which the elements that several operations "
                           "appended can have come to be\n");
    else
        esse_out_f(out,
                   "  in each of the %u ways in which the elements that several operations "
                   "appended can have come to be; what is shown is one of them\n",
                   verdict->way_count);
}

static void put_verdict(struct esse_out *out, const struct esse_report *report,
                        const struct esse_verdict *verdict)
{
    esse_out_f(out, "%s: ", report->path);
    esse_report_put_outcome(out, report, verdict->outcome);
    esse_out_f(out, " %s\n", esse_report_claim(out->arena, verdict));
    const char *reason = esse_reason_text(out->arena, verdict);
    if (reason)
        esse_out_f(out, "  because %s\n", reason);
    const char *remedy = esse_report_remedy(report->history, verdict);
    if (remedy)
        esse_plain_put(out, esse_arena_format(out->arena, "what you can do: %s", remedy), 2);
    put_proof(out, report->history, verdict);
    put_ways(out, verdict);
    put_certificate(out, verdict);
    if (report->verbose)
        esse_out_f(out, "  engine %s: %s (%.3f s)\n", verdict->engine, verdict->plan,
                   verdict->seconds);
}

/* ---- one anomaly ---- */

static void put_op(struct esse_out *out, const struct esse_report *report,
                   const struct esse_anomaly *anomaly, uint32_t op)
{
    const bool named = esse_shown_reason(anomaly, op) != 0;
    esse_out_f(out, "%s%s%s", named ? paint(report, BOLD) : "",
               esse_shown_op_fit(out->arena, report->history, anomaly, op,
                                 named ? NAMED_WIDTH : OTHER_WIDTH),
               named ? paint(report, PLAIN) : "");
}

/* "r x = 1, … 4 more …, w x = 2", the operations that are named in bold.  Those of a statement
 * that is known stand behind it: "UPDATE t SET v = :v WHERE id = 1   [r x = 1, w x = 2]". */
static void put_ops(struct esse_out *out, const struct esse_report *report,
                    const struct esse_anomaly *anomaly, esse_txn txn, const char *between)
{
    const struct esse_history *history = report->history;
    const uint32_t end = history->txn_op[txn.ix + 1];
    const char *separator = "";
    bool is_inside = false; /* of the brackets behind a statement */
    uint32_t count, next = history->txn_op[txn.ix];
    const uint32_t *ops = esse_shown_ops(out->arena, history, anomaly, txn, OPS_SHOWN, &count);
    if (next == end)
        esse_out_text(out, "no operations");
    for (uint32_t i = 0; i < count; i++) {
        const bool goes_on = i && esse_shown_goes_on(history, ops[i - 1], ops[i]);
        const char *written =
            goes_on ? NULL : esse_shown_written(out->arena, history, ops[i], WRITTEN_WIDTH);
        if (ops[i] > next) {
            esse_out_f(out, "%s… %u more …", separator, ops[i] - next);
            separator = between;
        }
        is_inside = goes_on ? is_inside : written != NULL;
        esse_out_text(out, goes_on ? ", " : separator);
        if (written)
            esse_out_f(out, "%s   [", written);
        put_op(out, report, anomaly, ops[i]);
        if (is_inside && (i + 1 == count || !esse_shown_goes_on(history, ops[i], ops[i + 1])))
            esse_out_char(out, ']');
        separator = between;
        next = ops[i] + 1;
    }
    if (next < end)
        esse_out_f(out, "%s… %u more", separator, end - next);
    esse_out_char(out, '\n');
}

static void put_participants(struct esse_out *out, const struct esse_report *report,
                             const struct esse_anomaly *anomaly,
                             struct esse_participants participants)
{
    const uint32_t shown =
        participants.count > PARTICIPANTS_WHOLE ? PARTICIPANTS_SHOWN : participants.count;
    static const char line[] = "\n             ";
    const bool is_roomy = participants.count <= ROOMY && !anomaly->refutation;
    for (uint32_t i = 0; i < shown; i++) {
        esse_out_f(out, "    %s%-8s%s %s%s%s%s", paint(report, CYAN),
                   esse_show_txn_text(out->arena, report->history, participants.txns[i]),
                   paint(report, PLAIN), paint(report, DIM),
                   esse_shown_facts(out->arena, report->history, participants.txns[i]),
                   paint(report, PLAIN), is_roomy ? line : ": ");
        put_ops(out, report, anomaly, participants.txns[i],
                is_roomy && report->history->op_statement ? line : ", ");
    }
    if (shown < participants.count)
        esse_out_f(out, "    and %u more transactions\n", participants.count - shown);
}

static void put_reasons(struct esse_out *out, const struct esse_anomaly *anomaly)
{
    const uint32_t count = esse_shown_reasons(anomaly);
    for (uint32_t i = 0; i < count; i++) {
        if (count > PARTICIPANTS_WHOLE && i == REASONS_SHOWN && i + 1 < count) {
            esse_out_f(out, "    … %u more of the same kind …\n", count - 1 - i);
            i = count - 1;
        }
        esse_out_f(out, "    %u. %s\n", i + 1, esse_shown_why(anomaly, i));
    }
}

static void put_conclusion(struct esse_out *out, const struct esse_report *report,
                           const struct esse_anomaly *anomaly)
{
    const char *text = esse_shown_conclusion(out->arena, report->history, anomaly);
    if (text)
        esse_out_f(out, "    %s%s%s\n", paint(report, RED), text, paint(report, PLAIN));
}

/* A refutation: case by case. */
static void put_cases(struct esse_out *out, const struct esse_report *report,
                      const struct esse_refutation *refutation)
{
    static const enum paint colours[] = { BOLD, PLAIN, RED, DIM };
    uint32_t count;
    const struct esse_case_line *lines = esse_case_lines(
        out->arena, report->history, refutation, report->verbose ? 0 : CONTRADICTIONS, &count);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_cut = !report->verbose && lines[i].kind == ESSE_CASE_REST && !lines[i].depth;
        esse_out_f(out, "    %*s%s%s%s%s\n", (int)(2 * lines[i].depth), "",
                   paint(report, colours[lines[i].kind]), lines[i].text,
                   is_cut ? "; --verbose shows all" : "", paint(report, PLAIN));
    }
}

void esse_report_put_facts(struct esse_out *out, const struct esse_report *report,
                           const struct esse_anomaly *anomaly)
{
    put_participants(out, report, anomaly, esse_participants_of(out->arena, anomaly));
    if (anomaly->refutation) {
        put_cases(out, report, anomaly->refutation);
        return;
    }
    put_reasons(out, anomaly);
    put_conclusion(out, report, anomaly);
}

void esse_report_put_anomaly(struct esse_out *out, const struct esse_report *report,
                             const struct esse_anomaly *anomaly)
{
    const struct esse_anomaly *shown = esse_shown_told(out->arena, anomaly);
    esse_out_f(out, "\n  %s%s%s: %s", paint(report, BOLD), esse_anomaly_name(shown->type),
               paint(report, PLAIN), shown->description);
    if (shown->alike > 1 && !report->verbose)
        esse_out_f(out, " (and %llu more of this kind)", (unsigned long long)shown->alike - 1);
    esse_out_char(out, '\n');
    const char *plain = esse_plain_words(out->arena, report->history, shown->type);
    if (plain)
        esse_plain_put(out, plain, 4);
    if (!report->plain)
        esse_report_put_facts(out, report, shown);
}

/* ---- all of them ---- */

/* One occurrence of each of the first types, or all that were kept. */
static void put_anomalies(struct esse_out *out, const struct esse_report *report,
                          const struct esse_anomaly *anomalies, uint32_t count)
{
    const struct esse_verdict *fullest = esse_shown_fullest(report->result);
    const uint64_t seen = fullest->anomalies_seen + count - fullest->anomaly_count;
    uint32_t types = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!report->verbose && !esse_shown_is_first_of_type(anomalies, i))
            continue;
        if (report->verbose || types < TYPES_SHOWN)
            esse_report_put_anomaly(out, report, &anomalies[i]);
        else
            esse_out_f(out, "%s%s", types == TYPES_SHOWN ? "\n  and also " : ", ",
                       esse_anomaly_name(anomalies[i].type));
        types++;
    }
    if (!report->verbose && types > TYPES_SHOWN)
        esse_out_char(out, '\n');
    const uint32_t shown = types < TYPES_SHOWN ? types : TYPES_SHOWN;
    if (seen > 1)
        esse_out_f(out, "\n  %llu occurrences in all%s\n", (unsigned long long)seen,
                   report->verbose || shown == count ? "" : "; --verbose shows more of them");
}

static void put_names(struct esse_out *out, const char *label, const char *const *names,
                      uint32_t count)
{
    if (!count)
        return;
    esse_out_f(out, "  %s", label);
    for (uint32_t i = 0; i < count; i++)
        esse_out_f(out, "%s%s", i ? ", " : " ", names[i]);
    esse_out_char(out, '\n');
}

/* A stronger level that was refuted on the way. */
static void put_but_not(struct esse_out *out, const struct esse_report *report,
                        const struct esse_anomaly *anomaly)
{
    esse_out_f(out, "  but not %s%s\n", esse_level_failing_by(anomaly->type)->friendly,
               report->verbose ? "" : "; --verbose shows why");
}

/* What was found but does not count against the levels asked for: each type once. */
static void put_also_found(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < result->also_found_count; i++) {
        const enum esse_anomaly_id type = result->also_found[i].type;
        if (!esse_shown_is_first_of_type(result->also_found, i) ||
            esse_shown_is_refutation(&result->also_found[i]))
            continue;
        esse_out_f(out, "%s%s",
                   shown++ ? ", " : "  also found, and allowed by the levels asked for: ",
                   esse_anomaly_name(type));
    }
    esse_out_text(out, shown ? "\n" : "");
    for (uint32_t i = 0; i < result->also_found_count; i++)
        if (esse_shown_is_first_of_type(result->also_found, i) &&
            esse_shown_is_refutation(&result->also_found[i]))
            put_but_not(out, report, &result->also_found[i]);
    for (uint32_t i = 0; report->verbose && i < result->also_found_count; i++)
        esse_report_put_anomaly(out, report, &result->also_found[i]);
}

/* What start and commit points show says nothing about serializability, which implies snapshot
 * isolation by itself. */
static bool is_all_about_points(const struct esse_result *result)
{
    for (uint32_t i = 0; i < result->anomaly_type_count; i++)
        if (!esse_anomaly_get(result->anomaly_types[i])->is_about_points)
            return false;
    return result->anomaly_type_count > 0;
}

/* A level that holds because nothing could have gone wrong is worth little. */
static void put_tested(struct esse_out *out, const struct esse_tested *tested)
{
    enum { LITTLE = 100 };
    char reads[32], contended[32];
    if (!tested->is_counted)
        return;
    esse_words_count(reads, tested->reads);
    esse_words_count(contended, tested->contended);
    const char *how = tested->by_time ? "overlapped with a writer of its key"
                                      : "is of a key that another session wrote";
    if (!tested->reads)
        esse_out_text(out, "  tested by nothing: no committed transaction read anything\n");
    else if (!tested->contended)
        esse_out_f(out, "  tested by nothing: none of the %s reads %s\n", reads, how);
    else
        esse_out_f(out, "  tested by %s%s contended read%s of %s%s\n",
                   tested->contended < LITTLE ? "only " : "", contended,
                   tested->contended == 1 ? "" : "s", reads,
                   tested->by_time ? "" : " (of keys that another session wrote)");
}

void esse_report_text(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    if (result->verdict_count > VERDICTS_IN_FULL)
        esse_report_table(out, report);
    for (uint32_t i = 0; result->verdict_count <= VERDICTS_IN_FULL && i < result->verdict_count;
         i++)
        put_verdict(out, report, &result->verdicts[i]);
    if (report->history->fault_count && !report->faults_told) {
        esse_out_text(out, "  recorded under faults: ");
        esse_report_faults(out, report->history->faults, report->history->fault_count,
                           report->verbose);
        esse_out_char(out, '\n');
    }
    uint32_t found;
    const struct esse_anomaly *anomalies = esse_shown_found(out->arena, result, &found);
    put_names(out,
              is_all_about_points(result) ? "ruled out, with its strong variants:"
                                          : "ruled out, with all that implies them:",
              result->not_levels, result->not_count);
    const char *note = esse_plain_note(result);
    if (note)
        esse_plain_put(out, esse_arena_format(out->arena, "(%s)", note), 2);
    if (found)
        put_anomalies(out, report, anomalies, found);
    put_also_found(out, report);
    put_tested(out, &result->tested);
    put_names(out, "strongest:", result->strongest, result->strongest_count);
}
