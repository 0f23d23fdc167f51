#include "report/report_stats.h"

#include "history/show.h"
#include "history/value_json.h"
#include "report/report_parts.h"

static const char *const kind_names[] = { "reads",   "writes",          "appends",
                                          "deletes", "predicate_reads", "predicate_updates" };

/* What can be said about the versions of a key, best first. */
static const char *version_knowledge(const struct esse_history *history,
                                     const struct esse_stats *stats)
{
    if (history->has & ESSE_HAS_VERSION_ORDER)
        return "given by a certificate";
    if (history->has & ESSE_HAS_APPENDS)
        return (history->has & ESSE_HAS_WRITES)
                   ? "shown by the lists that were read; not known for registers"
                   : "shown by the lists that were read";
    return stats->duplicate_values
               ? "not known, and values repeat: the writer of a read is a choice"
               : "not known, but values are unique: every read names its writer";
}

static const char *session_knowledge(const struct esse_stats *stats)
{
    return stats->counts.sessions == stats->counts.transactions
               ? "every session has one transaction: session order says nothing"
               : "strong-session levels can be checked";
}

static const char *time_knowledge(const struct esse_stats *stats)
{
    if (!stats->timed)
        return "no client times: strong (real-time) levels cannot be refuted by time";
    return stats->timed == stats->counts.transactions
               ? "every transaction has client times: strong (real-time) levels can be checked"
               : "some transactions have client times: strong levels are checked by those";
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_operations(struct esse_out *out, const struct esse_stats *stats)
{
    static const char *const words[] = { "reads",   "writes",          "appends",
                                         "deletes", "predicate reads", "predicate updates" };
    bool first = true;
    esse_out_f(out, "  operations    %u", stats->counts.operations);
    for (int kind = 0; kind <= ESSE_OP_PREDICATE_UPDATE; kind++) {
        if (!stats->kinds[kind])
            continue;
        esse_out_f(out, "%s%u %s", first ? ": " : ", ", stats->kinds[kind], words[kind]);
        first = false;
    }
    if (stats->unrecorded_reads)
        esse_out_f(out, " (%u reads without a result)", stats->unrecorded_reads);
    esse_out_f(out, "\n                %u to %u a transaction, median %u\n", stats->ops_least,
               stats->ops_most, stats->ops_median);
}

static void put_keys(struct esse_out *out, const struct esse_history *history,
                     const struct esse_stats *stats)
{
    esse_out_f(out, "  keys          %u, %u of them written, %u by several sessions\n",
               stats->counts.keys, stats->keys_written, stats->keys_shared);
    if (stats->hottest_accesses) {
        esse_out_text(out, "  contention    key ");
        esse_show_bare_key(out, history, stats->hottest);
        esse_out_f(out, " has %u of %llu accesses (%.1f %%)\n", stats->hottest_accesses,
                   (unsigned long long)stats->accesses,
                   percent(stats->hottest_accesses, stats->accesses));
    }
    if (stats->timed)
        esse_out_f(out, "  concurrency   at most %u transactions at once, %.1f on average\n",
                   stats->concurrency_most, stats->concurrency_mean);
}

void esse_report_stats_text(struct esse_out *out, const char *path,
                            const struct esse_history *history, const struct esse_stats *stats)
{
    const struct esse_counts *counts = &stats->counts;
    esse_out_f(out, "%s: %s, %s\n", path, history->format, esse_workload_names[history->workload]);
    esse_out_f(out, "  sessions      %u, of %u to %u transactions\n", counts->sessions,
               stats->session_least, stats->session_most);
    esse_out_f(out, "  transactions  %u: %u committed, %u aborted, %u of unknown outcome\n",
               counts->transactions, counts->committed, counts->aborted, counts->unknown);
    put_operations(out, stats);
    put_keys(out, history, stats);
    if (history->fault_count) {
        esse_out_f(out, "  faults        %u: ", history->fault_count);
        esse_report_faults(out, history->faults, history->fault_count, true);
        esse_out_char(out, '\n');
    }
    esse_out_f(out, "what it allows:\n  version order  %s\n", version_knowledge(history, stats));
    esse_out_f(out, "  sessions       %s\n", session_knowledge(stats));
    esse_out_f(out, "  real time      %s\n", time_knowledge(stats));
    if (history->has & ESSE_HAS_PREDICATES)
        esse_out_f(out, "  predicates     version sets are %s\n",
                   history->has & ESSE_HAS_VSETS ? "given" : "not given");
    if (history->has & ESSE_HAS_RESULTS)
        esse_out_f(out, "  results        %u statements have one, %u of them without their rows\n",
                   stats->results, stats->results_only);
    if (history->has & ESSE_HAS_ORDER)
        esse_out_text(out, "  order          an expected serialization order is given\n");
    if (history->lost_count)
        esse_out_f(out, "  lost           %u commits that the database's log does not have\n",
                   history->lost_count);
    if (history->has & ESSE_HAS_CERTIFICATE)
        esse_out_f(out, "  certificate    %s%s, %u operations with a snapshot\n",
                   esse_certificate_name(history->certificate.kind),
                   history->certificate.complete ? ", complete" : "", stats->snapshots);
}

void esse_report_stats_json(struct esse_out *out, const char *path,
                            const struct esse_history *history, const struct esse_stats *stats)
{
    const struct esse_counts *counts = &stats->counts;
    esse_out_text(out, "{\"path\":");
    esse_out_json_text(out, path);
    esse_out_json_member(out, "format", history->format);
    esse_out_json_member(out, "workload", esse_workload_names[history->workload]);
    esse_out_f(out,
               ",\"sessions\":%u,\"transactions\":%u,\"committed\":%u,\"aborted\":%u,"
               "\"unknown\":%u,\"operations\":%u",
               counts->sessions, counts->transactions, counts->committed, counts->aborted,
               counts->unknown, counts->operations);
    for (int kind = 0; kind <= ESSE_OP_PREDICATE_UPDATE; kind++)
        esse_out_f(out, ",\"%s\":%u", kind_names[kind], stats->kinds[kind]);
    esse_out_f(out,
               ",\"unrecorded_reads\":%u,\"operations_least\":%u,\"operations_median\":%u,"
               "\"operations_most\":%u,\"keys\":%u,\"keys_written\":%u,\"keys_shared\":%u,"
               "\"duplicate_values\":%u",
               stats->unrecorded_reads, stats->ops_least, stats->ops_median, stats->ops_most,
               counts->keys, stats->keys_written, stats->keys_shared, stats->duplicate_values);
    if (stats->hottest_accesses) {
        esse_out_text(out, ",\"hottest_key\":");
        esse_value_put_json(out, history->values, history->key_name[stats->hottest.ix]);
        esse_out_f(out, ",\"hottest_accesses\":%u", stats->hottest_accesses);
    }
    esse_out_f(out,
               ",\"accesses\":%llu,\"timed\":%u,\"concurrency_most\":%u,"
               "\"concurrency_mean\":%.3f",
               (unsigned long long)stats->accesses, stats->timed, stats->concurrency_most,
               stats->concurrency_mean);
    esse_out_json_member(out, "version_order", version_knowledge(history, stats));
    esse_out_json_member(out, "session_order", session_knowledge(stats));
    esse_out_json_member(out, "real_time", time_knowledge(stats));
    esse_out_f(out, ",\"results\":%u,\"results_only\":%u,\"snapshots\":%u", stats->results,
               stats->results_only, stats->snapshots);
    if (history->has & ESSE_HAS_CERTIFICATE) {
        esse_out_json_member(out, "certificate", esse_certificate_name(history->certificate.kind));
        esse_out_f(out, ",\"complete\":%s", history->certificate.complete ? "true" : "false");
    }
    esse_report_faults_json(out, history);
    esse_out_text(out, "}\n");
}
