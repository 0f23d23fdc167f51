#include "base/arena.h"
#include "base/out.h"
#include "base/threads.h"
#include "cli/session.h"
#include "evidence/recheck.h"
#include "formats/evidence_file.h"
#include "history/history.h"
#include "mirror/mirror.h"
#include "report/report_parts.h"

#include <unistd.h>

static struct {
    const char *format, *workload, *certificate;
    bool quiet, transaction_order;
} o;

static const struct esse_opt options[] = {
    ESSE_CERTIFICATE_OPTIONS(o),
    { "format", 'f', ESSE_OPT_TEXT, &o.format, "F", "the history's format (default: recognised)",
      esse_format_choices },
    { "workload", 'w', ESSE_OPT_TEXT, &o.workload, "W",
      "what the operations are (default: recognised)", esse_workload_choices },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

/* Evidence that does not stand up is the other's fault: bad input, not an internal error. */
static int refuse(const char *path, struct esse_error *err)
{
    err->code = ESSE_EINPUT;
    return esse_cli_fail(path, err);
}

static int verify_results(const struct esse_history *history, const struct esse_evidence *evidence,
                          char **paths, struct esse_out *out)
{
    struct esse_error err = { 0 };
    if (evidence->transactions != history->txns || evidence->operations != history->ops) {
        esse_fail(&err, ESSE_EINPUT,
                  "speaks of a history of %u transactions and %u operations; %s has %u and %u",
                  evidence->transactions, evidence->operations, paths[1], history->txns,
                  history->ops);
        return esse_cli_fail(paths[0], &err);
    }
    for (uint32_t i = 0; i < evidence->verdict_count; i++) {
        const struct esse_verdict *verdict = &evidence->verdicts[i];
        const struct esse_level *level =
            verdict->level == ESSE_LEVEL_NONE ? &esse_level_none : esse_level_get(verdict->level);
        if (!esse_recheck_verdict(history, level, verdict, NULL, &err))
            return refuse(paths[0], &err);
        esse_out_f(out, "%s: %s %s", paths[1], esse_outcome_name(verdict->outcome),
                   esse_report_claim(out->arena, verdict));
        if (verdict->certificate)
            esse_out_f(out, ", under the certificate (%s)",
                       esse_certificate_name(verdict->certificate));
        esse_out_text(out,
                      verdict->outcome == ESSE_UNKNOWN ? ", nothing to verify\n" : ", verified\n");
    }
    return 0;
}

/* A folder that esse watch --out has written. */
static int verify_claim(const char *folder)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_out out;
    const char *told;
    int status;
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    if (!esse_claim_verify(arena, folder, &told, &err)) {
        status = err.code == ESSE_EIO ? esse_cli_fail(NULL, &err) : refuse(folder, &err);
    } else {
        esse_out_f(&out, "%s: %s, verified\n", folder, told);
        status = esse_session_answer(&out, 0);
    }
    esse_arena_free(arena);
    return status;
}

static int verify_evidence(char **paths)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_session session;
    struct esse_error err = { 0 };
    struct esse_history *history;
    struct esse_evidence evidence;
    struct esse_out out;
    esse_session_start(&session, 0, 0, o.quiet);
    struct esse_load_options load = { o.format, o.workload, &session.budget, o.certificate,
                                      o.transaction_order };
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    int status;
    if (!esse_evidence_read(arena, paths[0], &evidence, &err)) {
        status = esse_cli_fail(paths[0], &err);
    } else if (!esse_history_load(arena, paths[1], &load, &history, &err)) {
        esse_session_clear(&session);
        status = esse_cli_fail(paths[1], &err);
    } else {
        esse_session_clear(&session);
        status = esse_session_answer(&out, verify_results(history, &evidence, paths, &out));
    }
    esse_arena_free(arena);
    return status;
}

/* A folder of esse watch --out: of a mechanism's finding, or of a level's. */
static int verify_folder(const char *folder)
{
    struct esse_arena *arena = esse_arena_new();
    char *evidence = esse_arena_format(arena, "%s/evidence.json", folder);
    char *paths[] = { evidence, esse_arena_format(arena, "%s/history.jsonl", folder) };
    const int status = access(evidence, F_OK) == 0 ? verify_evidence(paths) : verify_claim(folder);
    esse_arena_free(arena);
    return status;
}

static int run_verify(int count, char **paths)
{
    return count == 1 ? verify_folder(paths[0]) : verify_evidence(paths);
}

const struct esse_command esse_command_verify = {
    .name = "verify",
    .operands = "EVIDENCE HISTORY | DIR",
    .summary = "recheck the evidence of a verdict against its history",
    .details =
        "Reads an evidence file, as esse check --evidence writes it, and the history it speaks of, "
        "and rechecks every verdict from the history and the level's definition alone: each edge "
        "of a cycle, each step of an anomaly, each order by replaying it. No engine takes part. "
        "The answer says what rests on an assumption, a certificate or an order that came with "
        "the history.\n\n"
        "DIR is the folder of a finding, as esse watch --out writes it: the claim about a "
        "mechanism is held against the trace that stands beside it, the evidence about a level "
        "against its history.\n\n"
        "Exit status: 0 all of it follows, 65 something does not (or the files cannot be read as "
        "what they should be), 74 input/output error.",
    .examples = "  esse check --evidence why.json history.edn\n"
                "  esse verify why.json history.edn",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run_verify,
};
