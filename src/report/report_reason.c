#include "report/report_parts.h"

#include "base/out.h"

#include <assert.h>

#define ORDER_IN_RUN                                                                               \
    "in esse run by a database whose log records it (PostgreSQL with wal_level = logical, or "     \
    "--spawn postgresql)"

#define MORE_TIME "give it more time (--budget), record less (--txns), or ask for a weaker level"
#define MORE_MEMORY                                                                                \
    "give it more memory (--memory), record less (--txns), or ask for a weaker level"
#define RUN_AGAIN "run it again, with a --budget if it takes too long"
#define MORE_COMMITS                                                                               \
    "find out why transactions were refused or never ended ('esse stats' counts them), let the "   \
    "workload run longer or with less conflict (--duration, --keys, --sessions), or ask for less " \
    "(--min-committed)"
#define KNOWN_OUTCOMES                                                                             \
    "let the database stay reachable until the sessions have ended, so that fewer outcomes are "   \
    "unknown; or give a log that records them (--certificate, or " ORDER_IN_RUN ")"

/*
 * What a reason says, and what can be done.  In the sentence stand
 *
 *   %t %o  the transaction, the other one      %a  the anomaly        %l  the level of the verdict
 *   %n %m  the first count, the second         %b  what orders them   %d  what was said or done,
 *   %s %w  "s" and " was", "s were" of the first count                    and how far it had come
 *
 * Without a remedy of its own it is what the history does not say.
 */
static const struct {
    const char *sentence, *remedy;
} reasons[ESSE_REASON_END] = {
    [ESSE_REASON_TIME] = { "stopped: time ran out while %d", MORE_TIME },
    [ESSE_REASON_MEMORY] = { "stopped: memory ran out while %d", MORE_MEMORY },
    [ESSE_REASON_INTERRUPTED] = { "stopped: interrupted while %d", RUN_AGAIN },
    [ESSE_REASON_READING_TIME] = { "stopped while reading (time)",
                                   "give it more time (--budget) or memory (--memory)" },
    [ESSE_REASON_READING_MEMORY] = { "stopped while reading (memory)", MORE_MEMORY },
    [ESSE_REASON_READING_INTERRUPTED] = { "stopped while reading (interrupted)", RUN_AGAIN },

    [ESSE_REASON_NOTHING_COMMITTED] = { "nothing was committed, so nothing was tested",
                                        MORE_COMMITS },
    [ESSE_REASON_FEW_COMMITTED] = { "only %n transaction%w committed, and at least %m were asked "
                                    "for",
                                    MORE_COMMITS },

    [ESSE_REASON_NAMED_ANOMALIES] = { "the level holds, but whether the history is free of the "
                                      "anomalies that were named could not be decided",
                                      "leave --anomalies out, or name a level that forbids them" },
    [ESSE_REASON_EXCEPTED] = { "%a rules it out, which was to be left out",
                               "leave the anomaly out of --except" },
    [ESSE_REASON_NAMED_ENGINE] = { "the engine that was named does not decide it", NULL },

    [ESSE_REASON_OUTCOMES_OPEN] = { "whether some transactions of unknown outcome committed is "
                                    "open: without them it is not proved, and with them it may "
                                    "hold",
                                    KNOWN_OUTCOMES },
    [ESSE_REASON_OUTCOMES_NEEDED] = { "whether some transactions of unknown outcome committed is "
                                      "open, and it is violated only if they did not",
                                      KNOWN_OUTCOMES },
    [ESSE_REASON_OUTCOMES_TRIED] = { "it depends on which of %n transactions of unknown outcome "
                                     "committed, and after %m attempts that is not decided",
                                     KNOWN_OUTCOMES },
    [ESSE_REASON_OUTCOME_UNPLACED] = { "%t, whose outcome is not known, has no place in the order",
                                       KNOWN_OUTCOMES },
    [ESSE_REASON_STREAM_OUTCOME] = { "%t has an unknown outcome and no place in the order, and may "
                                     "explain what does not fit; check without --stream",
                                     KNOWN_OUTCOMES },

    [ESSE_REASON_WAYS] = { "elements of lists were appended by several operations, and which one "
                           "appended which element is open: of %n ways that were tried it is "
                           "violated in %m, and proved in none",
                           NULL },
    [ESSE_REASON_SOME_WAYS] = { "elements of lists were appended by several operations, and which "
                                "one appended which element is open: of %n ways that were tried, "
                                "but not all, it is violated in %m, and proved in none",
                                NULL },

    [ESSE_REASON_NO_ENGINE] = { "nothing that was found rules it out, no level that implies it was "
                                "proved, and no engine decides it for a history of this kind",
                                NULL },
    [ESSE_REASON_NO_ORDER_SHOWN] = { "nothing that rules the level out shows without an order of "
                                     "the transactions, and this build has no engine that finds "
                                     "one for such a history",
                                     NULL },
    [ESSE_REASON_NO_AXIOM] = { "the engine 'saturate' has no axiom for this level", NULL },
    [ESSE_REASON_NOT_BY_POLYGRAPH] = { "the engine 'polygraph' does not decide this level here",
                                       NULL },
    [ESSE_REASON_POINTS] = { "the certificate gives where each transaction starts and commits, "
                             "which the engine 'polygraph' does not look at",
                             NULL },
    [ESSE_REASON_VERSION_ORDER] = { "the version order of %n key%s is not known: what is known of "
                                    "it does not refute %l, and no order that was tried proves it",
                                    NULL },
    [ESSE_REASON_GRAPH] = { "the dependency graph neither refutes the level nor proves one that "
                            "implies it",
                            NULL },
    [ESSE_REASON_SEVERAL_SOURCES] = { "some reads may be from several writers or from a deleted "
                                      "version, contradict what their transaction did, or are of "
                                      "rows that a predicate left out",
                                      NULL },
    [ESSE_REASON_COMMIT_ORDERS] = { "what is forced does not refute it, and the commit orders that "
                                    "were tried do not prove it",
                                    NULL },
    [ESSE_REASON_ODD_READ] = { "some read returned what it cannot have read, or contradicts what "
                               "its transaction did, in a way that this level does not speak of",
                               NULL },
    [ESSE_REASON_VERSION_SETS] = { "it holds for some version sets, and the order that was found "
                                   "does not show it for those that were given",
                                   NULL },
    [ESSE_REASON_ROWS_LEFT_OUT] = { "nothing rules it out, but the order that was found does not "
                                    "show which version a predicate saw of a row that it left out",
                                    NULL },
    [ESSE_REASON_ORDERS] = { "no order that was tried proves it", NULL },

    [ESSE_REASON_ORDER_MISSING] = { "the history has no order", NULL },
    [ESSE_REASON_ORDER_HAS_ABORTED] = { "%t is in the order and was aborted", NULL },
    [ESSE_REASON_ORDER_LACKS] = { "%t is committed and not in the order", NULL },
    [ESSE_REASON_ORDER_NO_START_TS] = { "%t is committed and has no start_ts", NULL },
    [ESSE_REASON_ORDER_NO_COMMIT_TS] = { "%t is committed and has no commit_ts", NULL },
    [ESSE_REASON_ORDER_NO_TIMES] = { "%t is committed and has neither start_ts nor commit_ts",
                                     NULL },
    [ESSE_REASON_ORDER_TIE] = { "%t and %o both wrote and have the same %b", NULL },
    [ESSE_REASON_ORDER_DIFFERS] = { "the order given does not replay, which says nothing against "
                                    "this level",
                                    NULL },
    [ESSE_REASON_ORDER_REFUSED] = { "%d", NULL },
    [ESSE_REASON_STREAM_ORDER] = { "%t does not fit the order of the lines, and nothing says that "
                                   "this is the order of the transactions: declare it with "
                                   "--order-by, or check without --stream",
                                   "say what the order of the transactions is (--order-by), or "
                                   "check without --stream" },
    [ESSE_REASON_STREAM_SNAPSHOT] = { "%t has a snapshot that is older than the states that a "
                                      "stream keeps; check without --stream",
                                      NULL },
};

static void put_done(struct esse_out *out, const struct esse_reason *reason)
{
    const struct esse_phase *after = reason->after;
    esse_out_text(out, reason->said);
    for (int i = 0; after && i < ESSE_PHASE_COUNTS && after->counts[i].what; i++)
        esse_out_f(out, "%s%llu %s", i ? ", " : ", after ",
                   (unsigned long long)after->counts[i].count, after->counts[i].what);
}

static void put_part(struct esse_out *out, char what, const struct esse_verdict *verdict)
{
    const struct esse_reason *reason = &verdict->reason;
    const bool one = reason->counts[0] == 1;
    switch (what) {
    case 't':
    case 'o':
        esse_out_text(out, what == 't' ? reason->txn : reason->other);
        break;
    case 'n':
    case 'm':
        esse_out_f(out, "%llu", (unsigned long long)reason->counts[what == 'm']);
        break;
    case 's':
        esse_out_text(out, one ? "" : "s");
        break;
    case 'w':
        esse_out_text(out, one ? " was" : "s were");
        break;
    case 'a':
        esse_out_text(out, esse_anomaly_name(reason->anomaly));
        break;
    case 'b':
        esse_out_text(out, esse_order_by_name(reason->by));
        break;
    case 'l':
        esse_out_text(out, esse_level_name(verdict->level));
        break;
    default:
        assert(what == 'd');
        put_done(out, reason);
    }
}

const char *esse_reason_text(struct esse_arena *arena, const struct esse_verdict *verdict)
{
    struct esse_out out;
    assert(verdict->reason.id < ESSE_REASON_END);
    const char *at = reasons[verdict->reason.id].sentence;
    if (!at)
        return NULL;
    esse_out_init_memory(&out, arena);
    for (; *at; at++)
        if (*at == '%')
            put_part(&out, *++at, verdict);
        else
            esse_out_char(&out, *at);
    return esse_out_memory(&out);
}

/* Nothing ran out: what the history does not say. */
static const char *by_history(const struct esse_history *history)
{
    if (!(history->has & ESSE_HAS_VERSION_ORDER))
        return "give the order of versions: by --certificate or 'version_order' "
               "lines, " ORDER_IN_RUN
               ", by the workload list-append, or by --transaction-order if it is that of the "
               "transactions";
    if (history->has & ESSE_HAS_PREDICATES)
        return "record which rows every statement returned, and let no two rows have had the same "
               "contents (a column that is unique for each write), or ask for a weaker level";
    return "let the workload write every value once only, and no key be deleted and written again, "
           "or ask for a weaker level";
}

const char *esse_report_remedy(const struct esse_history *history,
                               const struct esse_verdict *verdict)
{
    const char *remedy = reasons[verdict->reason.id].remedy;
    return verdict->outcome != ESSE_UNKNOWN ? NULL
           : remedy                         ? remedy
           : verdict->is_engine_named ? "leave --engine out, so that other engines get their turn"
                                      : by_history(history);
}
