#include "audit/audit.h"
#include "base/clock.h"
#include "base/out.h"
#include "cli/session.h"
#include "formats/log_read.h"

#include <string.h>
#include <unistd.h>

static struct {
    const char *level, *order_by, *certificate, *write_conflicts;
    double budget;
    uint64_t memory;
    bool json, quiet;
} o = { .budget = 60, .memory = UINT64_C(8) << 30 };

static const char *const orders[] = { "order", "commit_ts", "end", "timestamps", NULL };
static const char *const conflicts[] = { "versions", "values", NULL };

static const struct esse_opt options[] = {
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L[,L...]", "isolation levels (default: all six)",
      audit_level_names },
    { "order-by", 0, ESSE_OPT_TEXT, &o.order_by, "W",
      "the transactions stand in exactly this order", orders },
    { "write-conflicts", 0, ESSE_OPT_TEXT, &o.write_conflicts, "W",
      "two writes of a row conflict by who wrote (default), or by whether the value differs",
      conflicts },
    { "budget", 'b', ESSE_OPT_DURATION, &o.budget, "T", "time for each level (default: 60s)" },
    { "memory", 'm', ESSE_OPT_SIZE, &o.memory, "SIZE", "memory (default: 8G)" },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print JSON" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

/* ---- what is asked ---- */

static unsigned level_named(const char *name, size_t length)
{
    static const char *const shorts[] = { "S", "SS", "SI", "SSI", "MSR", "RC" };
    for (unsigned level = 0; level < AUDIT_LEVELS; level++)
        if ((strlen(audit_level_names[level]) == length &&
             memcmp(audit_level_names[level], name, length) == 0) ||
            (strlen(shorts[level]) == length && memcmp(shorts[level], name, length) == 0))
            return level;
    return AUDIT_LEVELS;
}

/* 0, or the exit status. */
static int read_levels(bool wanted[AUDIT_LEVELS])
{
    for (unsigned level = 0; level < AUDIT_LEVELS; level++)
        wanted[level] = !o.level;
    for (const char *at = o.level; at && *at;) {
        const size_t length = strcspn(at, ",");
        const unsigned level = level_named(at, length);
        if (level == AUDIT_LEVELS)
            return esse_cli_usage("audit",
                                  "unknown level '%.*s'; known are serializable, "
                                  "strict-serializable, snapshot-isolation, "
                                  "strong-snapshot-isolation, monotonic-snapshot-read and "
                                  "read-committed",
                                  (int)length, at);
        wanted[level] = true;
        at += length + (at[length] == ',');
    }
    return 0;
}

static int read_order(const struct esse_sql_log *log, enum audit_order *order)
{
    static const enum audit_order by[] = { AUDIT_ORDER_GIVEN, AUDIT_ORDER_COMMIT_TS,
                                           AUDIT_ORDER_END, AUDIT_ORDER_TIMESTAMPS };
    *order = log->certificate == ESSE_CERTIFICATE_COMMIT_ORDER ? AUDIT_ORDER_VERSIONS
             : log->certificate == ESSE_CERTIFICATE_TIMESTAMPS ? AUDIT_ORDER_TIMESTAMPS
                                                               : AUDIT_ORDER_ANY;
    for (size_t i = 0; o.order_by && orders[i]; i++)
        if (strcmp(orders[i], o.order_by) == 0) {
            *order = by[i];
            return 0;
        }
    if (o.order_by)
        return esse_cli_usage("audit",
                              "unknown order '%s'; known are order, commit_ts, end and "
                              "timestamps",
                              o.order_by);
    return 0;
}

/* ---- what is answered ---- */

static const char *const why_names[] = {
    [AUDIT_WHY_FITS] = "no-order",
    [AUDIT_WHY_ROWS] = "wrong-rows",
    [AUDIT_WHY_COUNT] = "wrong-count",
    [AUDIT_WHY_UNEXPECTED_ERROR] = "unexpected-error",
    [AUDIT_WHY_MISSING_ERROR] = "missing-error",
    [AUDIT_WHY_CONSTRAINT] = "constraint-broken",
    [AUDIT_WHY_CONFLICT] = "write-conflict",
    [AUDIT_WHY_ORDER] = "order-mismatch",
    [AUDIT_WHY_WROTE] = "wrong-count",
    [AUDIT_WHY_STALE] = "stale-snapshot",
    [AUDIT_WHY_UNSUPPORTED] = "unsupported",
};

static const char *name_of(const struct esse_sql_log *log, uint32_t txn, char room[64])
{
    return esse_value_brief(log->values, log->txns.at[txn].name, room);
}

/* What the log says that the statement answered, in a few words. */
static void put_recorded(struct esse_out *out, const struct esse_sql_log *log,
                         const struct esse_log_statement *statement)
{
    enum { MOST_ROWS = 4 };
    char room[64];
    if (!(statement->has & ESSE_LOG_ROWS)) {
        esse_out_f(out, "%lld", (long long)statement->count);
        return;
    }
    const struct esse_log_rows *rows = &log->results.at[statement->results.first];
    if (!rows->count)
        esse_out_text(out, "no rows");
    for (uint32_t row = 0; row < rows->count && row < MOST_ROWS; row++)
        for (uint32_t i = 0; i < rows->width; i++) {
            const esse_value cell = esse_log_row(log, rows, row)[i];
            esse_out_text(out, i ? " | " : row ? ", " : "");
            esse_out_text(out, esse_value_eq(cell, ESSE_NIL)
                                   ? "NULL"
                                   : esse_value_brief(log->values, cell, room));
        }
    if (rows->count > MOST_ROWS)
        esse_out_f(out, ", ... (%u rows)", rows->count);
}

static const struct esse_log_statement *statement_of(const struct esse_sql_log *log,
                                                     const struct audit_answer *answer)
{
    const struct esse_log_txn *txn = &log->txns.at[answer->txn];
    return answer->statement < txn->statements.count
               ? &log->statements.at[txn->statements.first + answer->statement]
               : NULL;
}

static bool is_wrong_answer(const struct audit_answer *answer)
{
    return answer->why == AUDIT_WHY_ROWS || answer->why == AUDIT_WHY_COUNT;
}

static void put_where(struct esse_out *out, const char *path, const struct esse_sql_log *log,
                      const struct audit_answer *answer)
{
    char room[64];
    const struct esse_log_statement *statement = statement_of(log, answer);
    esse_out_f(out, "   %s:%llu, transaction %s", path,
               (unsigned long long)log->txns.at[answer->txn].line, name_of(log, answer->txn, room));
    if (statement) {
        esse_out_f(out, ", statement %u\n  ", answer->statement + 1);
        esse_out_bytes(out, statement->text.at, statement->text.length);
    }
    esse_out_f(out, "\n  %s", why_names[answer->why]);
    if (!statement || !is_wrong_answer(answer)) {
        esse_out_f(out, "%s%s", *answer->fault ? ": " : "", answer->fault);
        return;
    }
    esse_out_text(out, "\n  returned                           ");
    put_recorded(out, log, statement);
    esse_out_f(out, "\n  the newest state it may see gives  %s", answer->fault);
}

static void put_text(struct esse_out *out, const char *path, const struct esse_sql_log *log,
                     const struct audit_question *question, const struct audit_answer *answer,
                     const struct audit_answer *otherwise)
{
    esse_out_f(out, "%s: %s", esse_outcome_name(answer->outcome),
               audit_level_names[question->level]);
    if (question->order != AUDIT_ORDER_ANY)
        esse_out_f(out, " (%s %s)",
                   question->order == AUDIT_ORDER_VERSIONS ? "under the certificate"
                                                           : "in the order of",
                   audit_order_names[question->order]);
    if (answer->outcome == ESSE_UNKNOWN)
        esse_out_f(out, "   (%s)", answer->reason);
    if (answer->outcome == ESSE_UNKNOWN && answer->txn != AUDIT_NO_TXN)
        esse_out_text(out, "\n  nothing that was tried explains");
    if (answer->outcome != ESSE_HOLDS && answer->txn != AUDIT_NO_TXN)
        put_where(out, path, log, answer);
    if (otherwise)
        esse_out_f(out, "\n  in another order: %s", esse_outcome_name(otherwise->outcome));
    esse_out_text(out, "\n");
}

static void put_anomaly(struct esse_out *out, const struct esse_sql_log *log,
                        const struct audit_answer *answer)
{
    char room[64];
    const struct esse_log_statement *statement = statement_of(log, answer);
    esse_out_f(out, "{\"type\":\"%s\",\"transaction\":", why_names[answer->why]);
    esse_out_json_text(out, name_of(log, answer->txn, room));
    esse_out_f(out, ",\"line\":%llu", (unsigned long long)log->txns.at[answer->txn].line);
    if (statement) {
        esse_out_f(out, ",\"statement\":%u,\"sql\":", answer->statement + 1);
        esse_out_json(out, statement->text.at, statement->text.length);
    }
    if (is_wrong_answer(answer)) {
        esse_out_text(out, ",\"explanations\":[{\"view\":\"newest\",\"gives\":");
        esse_out_json_text(out, answer->fault);
        esse_out_text(out, "}]");
    } else if (*answer->fault) {
        esse_out_text(out, ",\"message\":");
        esse_out_json_text(out, answer->fault);
    }
    esse_out_text(out, "}");
}

static void put_json(struct esse_out *out, const struct esse_sql_log *log,
                     const struct audit_question *question, const struct audit_answer *answer,
                     const struct audit_answer *otherwise)
{
    esse_out_f(out, "{\"level\":\"%s\",\"verdict\":\"%s\",\"engine\":\"audit\"",
               audit_level_names[question->level], esse_outcome_name(answer->outcome));
    if (question->order != AUDIT_ORDER_ANY)
        esse_out_f(out, ",\"order\":\"%s\"", audit_order_names[question->order]);
    if (answer->outcome == ESSE_UNKNOWN) {
        esse_out_text(out, ",\"reason\":");
        esse_out_json_text(out, answer->reason);
    }
    if (answer->outcome != ESSE_HOLDS && answer->txn != AUDIT_NO_TXN) {
        esse_out_f(out, ",\"prefix\":%u,\"%s\":[", answer->prefix,
                   answer->outcome == ESSE_VIOLATED ? "anomalies" : "unexplained");
        put_anomaly(out, log, answer);
        esse_out_text(out, "]");
    }
    if (answer->outcome == ESSE_HOLDS)
        esse_out_f(out, ",\"rechecked\":%s",
                   answer->rechecked == AUDIT_RECHECKED ? "true" : "false");
    if (otherwise)
        esse_out_f(out, ",\"otherwise\":\"%s\"", esse_outcome_name(otherwise->outcome));
    esse_out_f(out, ",\"counts\":{\"attempts\":%llu}}", (unsigned long long)answer->attempts);
}

static int status_of(const bool seen[3])
{
    return seen[ESSE_VIOLATED]  ? ESSE_EXIT_VIOLATED
           : seen[ESSE_UNKNOWN] ? ESSE_EXIT_UNKNOWN
                                : ESSE_EXIT_HOLDS;
}

struct asking {
    struct esse_out *out;
    struct esse_arena *arena;
    const char *path;
    const struct esse_sql_log *log;
    struct audit_world *world;
    enum audit_order order;
    bool seen[3];
    unsigned count;
};

/* One question, with a budget of so many seconds. */
static bool ask_within(struct asking *asking, const struct audit_question *asked, double seconds,
                       struct audit_answer *answer, struct esse_error *err)
{
    struct esse_session session;
    struct audit_question question = *asked;
    esse_session_start(&session, seconds, o.memory, o.quiet);
    question.budget = &session.budget;
    esse_budget_start(&session.budget);
    esse_budget_phase(&session.budget, "audit", 0);
    const bool ok = audit_ask(asking->arena, asking->world, &question, answer, err);
    esse_session_clear(&session);
    return ok;
}

static int ask(struct asking *asking, enum audit_level level)
{
    struct audit_answer answer, otherwise;
    struct esse_error err = { 0 };
    struct audit_question question = { .level = level,
                                       .order = asking->order,
                                       .by_value = o.write_conflicts &&
                                                   strcmp(o.write_conflicts, "values") == 0 };
    const double began = esse_clock_seconds();
    if (!ask_within(asking, &question, o.budget, &answer, &err))
        return esse_cli_fail(asking->path, &err);
    if (answer.rechecked == AUDIT_RECHECK_FAILED) {
        esse_fail(&err, ESSE_EBUG,
                  "the order that was found at %s fails its recheck; please report",
                  audit_level_names[level]);
        return esse_cli_fail(asking->path, &err);
    }
    asking->seen[answer.outcome] = true;
    /* Wrong under what was given: and without it? */
    const struct audit_question free = { .level = level, .by_value = question.by_value };
    const bool is_again = answer.outcome == ESSE_VIOLATED && question.order != AUDIT_ORDER_ANY;
    if (is_again && !ask_within(asking, &free, esse_clock_seconds() - began + 1, &otherwise, &err))
        return esse_cli_fail(asking->path, &err);
    if (o.json) {
        esse_out_text(asking->out, asking->count++ ? ",\n  " : "\n  ");
        put_json(asking->out, asking->log, &question, &answer, is_again ? &otherwise : NULL);
    } else {
        put_text(asking->out, asking->path, asking->log, &question, &answer,
                 is_again ? &otherwise : NULL);
    }
    return 0;
}

static int run_levels(struct asking *asking, const bool wanted[AUDIT_LEVELS])
{
    int status = 0;
    if (o.json)
        esse_out_text(asking->out, "{\"results\":[");
    for (unsigned level = 0; level < AUDIT_LEVELS && !status; level++)
        if (wanted[level])
            status = ask(asking, (enum audit_level)level);
    if (o.json)
        esse_out_text(asking->out, "\n]}\n");
    return status ? status : status_of(asking->seen);
}

static int run_audit(int count, char **paths)
{
    bool wanted[AUDIT_LEVELS];
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err = { 0 };
    struct esse_sql_log *log;
    struct asking asking = { .out = &out, .arena = arena, .path = count ? paths[0] : "-" };
    int status = read_levels(wanted);
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    if (!status && !esse_log_load(arena, asking.path, NULL, &log, &err))
        status = esse_cli_fail(asking.path, &err);
    else if (!status)
        status = read_order(log, &asking.order);
    if (!status) {
        asking.log = log;
        if (audit_world_new(arena, log, &asking.world, &err))
            status = run_levels(&asking, wanted);
        else
            status = esse_cli_fail(asking.path, &err);
        audit_world_free(asking.world);
    }
    status = esse_session_answer(&out, status);
    esse_arena_free(arena);
    return status;
}

const struct esse_command esse_command_audit = {
    .name = "audit",
    .operands = "[LOG]",
    .summary = "decide whether the answers of SQL transactions are right",
    .details =
        "Reads a log of SQL transactions, the texts that clients sent and what came back, and "
        "decides whether some execution exists in which every statement does what SQL says, every "
        "recorded answer is the answer of that execution, and every transaction saw what the "
        "level lets it see.\n\n"
        "Levels: serializable (S), strict-serializable (SS), snapshot-isolation (SI), "
        "strong-snapshot-isolation (SSI), monotonic-snapshot-read (MSR), read-committed (RC).\n\n"
        "Exit status: 0 all levels hold, 1 one is violated, 2 none is violated but one is unknown, "
        "64 bad usage, 65 bad input, 70 internal error, 74 input/output error.",
    .examples = "  esse audit bank.jsonl\n  esse audit --level SI,RC bank.jsonl\n"
                "  esse audit --order-by commit_ts --level S bank.jsonl",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run_audit,
};
