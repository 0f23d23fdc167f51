#include "attack.h"

#include "base/arena.h"
#include "evidence/recheck.h"
#include "formats/evidence_file.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Esse, from the outside: a history as a file, a check, its reports, its evidence read back. */

struct file {
    int fd;
    char path[64];
};

static void fill_file(struct file *file, const char *bytes, size_t count)
{
    if (!file->path[0]) {
        file->fd = memfd_create("attack", 0);
        snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    }
    if (file->fd < 0 || ftruncate(file->fd, 0) != 0 ||
        pwrite(file->fd, bytes, count, 0) != (ssize_t)count) {
        perror("attack: memory file");
        exit(74);
    }
}

static void fail_with(struct answers *out, const char *what, const struct esse_error *err)
{
    snprintf(out->what, sizeof out->what, "%s: %s", what, err->text);
    for (int i = 0; i < LEVEL_COUNT; i++)
        out->of[i] = FAILED;
}

/* What was printed for 'esse verify' must be believed by it. */
static void verify(struct esse_arena *arena, const struct esse_report *report, struct answers *out)
{
    static struct file file;
    struct esse_evidence evidence;
    struct esse_error err = { 0 };
    struct esse_out text;
    esse_out_init_memory(&text, arena);
    esse_report_evidence(&text, report);
    const char *bytes = esse_out_memory(&text);
    fill_file(&file, bytes, strlen(bytes));
    if (!esse_evidence_read(arena, file.path, &evidence, &err)) {
        fail_with(out, "evidence cannot be read", &err);
        return;
    }
    for (uint32_t i = 0; i < evidence.verdict_count; i++)
        if (!esse_recheck_verdict(report->history, esse_level_get(evidence.verdicts[i].level),
                                  &evidence.verdicts[i], NULL, &err)) {
            char what[120];
            snprintf(what, sizeof what, "evidence of %s is refused",
                     esse_level_name(evidence.verdicts[i].level));
            fail_with(out, what, &err);
            return;
        }
}

static void print_reports(struct esse_arena *arena, const struct esse_report *report)
{
    struct esse_out text;
    esse_out_init_memory(&text, arena);
    esse_report_text(&text, report);
    esse_report_json(&text, report);
    esse_report_svg(&text, report);
}

static uint64_t levels_named(const char *const *names, uint32_t count)
{
    uint64_t levels = 0;
    for (uint32_t i = 0; i < count; i++) {
        int level = level_by_name(names[i]);
        if (strcmp(names[i], "strong-serializable") == 0)
            level = STRICT_SERIALIZABLE;
        if (level >= 0)
            levels |= bit(level);
    }
    return levels;
}

static void take(const struct esse_result *result, struct answers *out)
{
    static const enum answer answers[] = { HOLDS, VIOLATED, NO_ANSWER };
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        int level = level_by_name(esse_level_name(result->verdicts[i].level));
        if (level >= 0)
            out->of[level] = answers[result->verdicts[i].outcome];
    }
    out->said_not = levels_named(result->not_levels, result->not_count) |
                    levels_named(result->also_not, result->also_not_count);
    out->said_strongest = levels_named(result->strongest, result->strongest_count);
}

void ask(const struct history *history, const struct question *question, struct answers *out)
{
    static struct file file;
    static const char *const all[] = { "all" };
    char text[HISTORY_TEXT];
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *loaded;
    const struct esse_result *result;
    struct esse_error err = { 0 };
    struct esse_budget budget = { .seconds = 20 };
    struct esse_load_options load = { .format = "native", .threads = 1 };
    struct esse_check_options options = { .levels = all,
                                          .level_count = 1,
                                          .engine = question->engine,
                                          .budget = &budget,
                                          .assume = question->assume
                                                    << ESSE_BASIS_WFR_KEYS, /* the same three */
                                          .threads = 1,
                                          .order_by = question->order_by ? "order" : NULL };
    *out = (struct answers){ 0 };
    for (int i = 0; i < LEVEL_COUNT; i++)
        out->of[i] = NO_ANSWER;
    fill_file(&file, text, write_history(history, text));
    if (!esse_history_load(arena, file.path, &load, &loaded, &err)) {
        out->refused = true;
        snprintf(out->what, sizeof out->what, "refused: %.400s", err.text);
    } else if (!esse_check(arena, loaded, &options, &result, &err)) {
        if (err.code == ESSE_EBUG)
            fail_with(out, "internal error", &err);
        else {
            out->refused = true;
            snprintf(out->what, sizeof out->what, "refused: %.400s", err.text);
        }
    } else {
        struct esse_report report = { .path = "attack.jsonl", .history = loaded, .result = result };
        take(result, out);
        verify(arena, &report, out);
        print_reports(arena, &report);
    }
    esse_arena_free(arena);
}
