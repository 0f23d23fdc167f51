#include "cli/session.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/out.h"
#include "formats/save.h"
#include "history/history.h"
#include "level/level.h"

#include <assert.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_DRAW_MS = 500, REDRAW_MS = 100 };

const char *const esse_format_choices[] = { "native", "jepsen-edn", "elle-json", "plume", "awdit",
                                            "dbcop",  "cobra",      "trace",     "log",   NULL };
const char *const esse_writer_choices[] = { "native", "jepsen-edn", "plume", "dbcop",
                                            "cobra",  "trace",      NULL };
const char *const esse_workload_choices[] = { "list-append", "rw-register", "closed-predicate",
                                              NULL };

/* The one budget that a signal may cancel. */
static struct esse_budget *interruptible;

static void on_interrupt(int number)
{
    interruptible->cancel = 1;
    signal(number, SIG_DFL); /* the second time, at once */
}

static void put_count(char *text, size_t room, double count)
{
    const char *unit = count >= 1e9 ? "G" : count >= 1e6 ? "M" : count >= 1e3 ? "k" : "";
    double scale = count >= 1e9 ? 1e9 : count >= 1e6 ? 1e6 : count >= 1e3 ? 1e3 : 1;
    snprintf(text, room, scale > 1 ? "%.1f%s" : "%.0f%s", count / scale, unit);
}

/* Whether the line is to be drawn now; then it counts as drawn. */
static bool is_due(struct esse_session *session, double now)
{
    if (now - session->started < FIRST_DRAW_MS * 1e-3 || now - session->drawn < REDRAW_MS * 1e-3)
        return false;
    session->drawn = now;
    session->has_line = true;
    return true;
}

void esse_session_line(struct esse_session *session, const char *format, ...)
{
    va_list args;
    if (!session->budget.progress || !is_due(session, esse_clock_seconds()))
        return;
    va_start(args, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, args);
    fflush(stderr);
    va_end(args);
}

/* "reading 41 %, 612.3M/s, 3 s left" */
static void draw(void *context, const char *phase, uint64_t done, uint64_t total)
{
    struct esse_session *session = context;
    double now = esse_clock_seconds();
    if (phase != session->phase) {
        session->phase = phase;
        session->phase_started = now;
    }
    if (!is_due(session, now))
        return;
    double spent = now - session->phase_started;
    double rate = spent > 0 ? (double)done / spent : 0;
    char per_second[32];
    put_count(per_second, sizeof per_second, rate);
    fprintf(stderr, "\r\033[K%s", phase);
    if (total)
        fprintf(stderr, " %.0f %%", 100.0 * (double)done / (double)total);
    if (rate > 0)
        fprintf(stderr, ", %s/s", per_second);
    if (total > done && rate > 0)
        fprintf(stderr, ", %.0f s left", (double)(total - done) / rate);
    fflush(stderr);
}

void esse_session_start(struct esse_session *session, double seconds, uint64_t memory_bytes,
                        bool quiet)
{
    assert(seconds >= 0);
    *session = (struct esse_session){ .quiet = quiet, .started = esse_clock_seconds() };
    session->budget.seconds = seconds;
    session->budget.memory_bytes = memory_bytes;
    if (!quiet && isatty(STDERR_FILENO)) {
        session->budget.progress = draw;
        session->budget.progress_context = session;
    }
    interruptible = &session->budget;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
}

void esse_session_clear(struct esse_session *session)
{
    if (session->has_line)
        fputs("\r\033[K", stderr);
    session->has_line = false;
}

void esse_session_warn(struct esse_session *session, const char *path,
                       const struct esse_history *history)
{
    esse_session_clear(session);
    if (session->quiet)
        return;
    for (uint32_t i = 0; i < history->warning_count; i++) {
        const struct esse_warning *warning = &history->warnings[i];
        fprintf(stderr, "esse: %s: warning: %llu %s", path, (unsigned long long)warning->count,
                warning->text);
        if (warning->first_line)
            fprintf(stderr, " (first on line %llu)", (unsigned long long)warning->first_line);
        fputc('\n', stderr);
    }
}

void esse_session_meant(bool quiet, const char *const *levels, size_t count)
{
    for (size_t i = 0; !quiet && i < count; i++)
        if (esse_level_also_means(levels[i]))
            fprintf(stderr, "esse: level '%s': %s\n", levels[i], esse_level_also_means(levels[i]));
}

/* Tells on stderr what a writer had no place for and no verdict depends on. */
static void tell_dropped(const struct esse_session *session, const char *path, unsigned dropped)
{
    static const struct {
        unsigned what;
        const char *text;
    } texts[] = { { ESSE_TOLD_HEADER, "the header (database, isolation, columns, statements)" },
                  { ESSE_TOLD_FAULTS, "faults" },
                  { ESSE_TOLD_CLOCK, "what clocks showed (:time)" },
                  { ESSE_TOLD_MEMBERS, "members that Esse does not know, such as :error" } };
    const char *between = ": left out, as the format has no place for it and no verdict depends on "
                          "it: ";
    if (session->quiet || !dropped)
        return;
    fprintf(stderr, "esse: %s", path);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (dropped & texts[i].what) {
            fprintf(stderr, "%s%s", between, texts[i].text);
            between = "; ";
        }
    }
    fputc('\n', stderr);
}

int esse_session_save(const struct esse_session *session, struct esse_arena *arena,
                      const struct esse_history *history, const struct esse_format *format,
                      const char *path, bool lossy)
{
    struct esse_error err = { 0 };
    struct esse_save save;
    if (!esse_save_open(&save, arena, format, history->values, path, lossy, &err))
        return esse_cli_fail(NULL, &err);
    if (!esse_history_emit(history, save.sink, &err)) {
        esse_save_discard(&save);
        return esse_cli_fail(err.code == ESSE_EIO ? NULL : path, &err);
    }
    if (!esse_save_commit(&save, &err))
        return esse_cli_fail(NULL, &err);
    tell_dropped(session, path, save.sink->dropped);
    return 0;
}

const char *esse_session_assuming(struct esse_arena *arena, const struct esse_assuming *assuming)
{
    return esse_arena_format(arena, "%s%s%s", assuming->wfr_keys ? " --wfr-keys" : "",
                             assuming->sequential_keys ? " --sequential-keys" : "",
                             assuming->linearizable_keys ? " --linearizable-keys" : "");
}

unsigned esse_session_assume(const struct esse_assuming *assuming)
{
    return (assuming->wfr_keys ? ESSE_ASSUME_WFR_KEYS : 0u) |
           (assuming->sequential_keys ? ESSE_ASSUME_SEQUENTIAL_KEYS : 0u) |
           (assuming->linearizable_keys ? ESSE_ASSUME_LINEARIZABLE_KEYS : 0u);
}

int esse_session_answer(struct esse_out *out, int status)
{
    struct esse_error err;
    return esse_out_finish(out, &err) ? status : esse_cli_fail(NULL, &err);
}

int esse_session_worse(int a, int b)
{
    assert(a >= 0);
    assert(b >= 0);
    static const int order[] = { ESSE_EXIT_HOLDS, ESSE_EXIT_UNKNOWN, ESSE_EXIT_VIOLATED };
    int a_rank = 3, b_rank = 3;
    for (int i = 0; i < 3; i++) {
        a_rank = a == order[i] ? i : a_rank;
        b_rank = b == order[i] ? i : b_rank;
    }
    return b_rank > a_rank ? b : a;
}

const char **esse_session_names(struct esse_arena *arena, const char *list, size_t *count)
{
    size_t most = 1;
    for (const char *at = list; *at; at++)
        most += *at == ',';
    const char **names = esse_arena_alloc(arena, most, sizeof *names);
    *count = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length)
            names[(*count)++] = esse_arena_text(arena, list, length);
        list += length + (list[length] == ',');
    }
    assert(*count <= most);
    return names;
}

bool esse_session_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}
