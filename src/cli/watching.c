#include "cli/watching.h"

#include "base/arena.h"
#include "base/out.h"
#include "cli/session.h"
#include "cli/watching_level.h"
#include "cli/watching_numbers.h"
#include "history/value_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Findings as they come, and the numbers at the end. */
struct esse_watcher {
    const struct esse_watching *watching;
    struct esse_session session;
    struct esse_arena *arena;
    struct esse_out out;
    struct esse_mirror *mirror;
    struct esse_trace_reader *reader; /* of lines */
    struct esse_values *values;       /* of one finding at a time */
    struct esse_numbers numbers;
    uint64_t told, written, levels;
    bool is_stopped; /* nothing more is told */
    uint64_t of_mechanism[ESSE_MECHANISMS];
    struct esse_error failed; /* a folder that could not be written, or does not recheck */
};

static void put_word(struct esse_watcher *s, uint64_t word)
{
    esse_value_put_json(&s->out, s->values, esse_mirror_value(s->mirror, word, s->values));
}

static void put_name(struct esse_watcher *s, uint64_t word)
{
    char room[64];
    esse_out_text(&s->out,
                  esse_value_brief(s->values, esse_mirror_value(s->mirror, word, s->values), room));
}

static void put_time(struct esse_watcher *s, int64_t time, const char *unknown)
{
    if (time == INT64_MIN || time == ESSE_MIRROR_NEVER)
        esse_out_text(&s->out, unknown);
    else
        esse_out_i64(&s->out, time);
}

static void put_instant(struct esse_watcher *s, const char *open, struct esse_instant at)
{
    esse_out_text(&s->out, open);
    put_time(s, at.b, s->watching->json ? "null" : "-");
    esse_out_char(&s->out, ',');
    put_time(s, at.a, s->watching->json ? "null" : "-");
    esse_out_char(&s->out, s->watching->json ? ']' : ')');
}

static void put_mechanisms(struct esse_watcher *s, const struct esse_finding *finding)
{
    const char *between = "";
    for (unsigned i = 0; i < ESSE_MECHANISMS; i++) {
        if (finding->with >> i & 1) {
            esse_out_f(&s->out, "%s%s%s%s", between, s->watching->json ? "\"" : "",
                       esse_mechanism_names[i], s->watching->json ? "\"" : "");
            between = s->watching->json ? "," : " and ";
        }
    }
}

static void show_json(struct esse_watcher *s, const struct esse_finding *finding, const char *what)
{
    esse_out_f(&s->out, "{\"%s\":\"%s\",\"why\":", what, esse_mechanism_names[finding->mechanism]);
    esse_out_json_text(&s->out, esse_mirror_rule_words[finding->rule]);
    if (finding->with) {
        esse_out_text(&s->out, ",\"with\":[");
        put_mechanisms(s, finding);
        esse_out_char(&s->out, ']');
    }
    if (finding->key) {
        esse_out_text(&s->out, ",\"key\":");
        put_word(s, finding->key);
    }
    if (finding->value) {
        esse_out_text(&s->out, ",\"value\":");
        put_word(s, finding->value);
    }
    if (finding->line)
        esse_out_f(&s->out, ",\"line\":%u", finding->line);
    esse_out_f(&s->out, ",\"finding\":%llu", (unsigned long long)finding->serial);
    if (finding->at.a)
        put_instant(s, ",\"at\":[", finding->at);
    esse_out_text(&s->out, ",\"transactions\":[");
    for (uint32_t i = 0; i < finding->txn_count; i++) {
        esse_out_text(&s->out, i ? ",{\"txn\":" : "{\"txn\":");
        put_word(s, finding->txns[i].name);
        put_instant(s, ",\"snapshot\":[", finding->txns[i].s);
        put_instant(s, ",\"end\":[", finding->txns[i].c);
        esse_out_char(&s->out, '}');
    }
    esse_out_text(&s->out, finding->more_txns ? "],\"more\":true}\n" : "]}\n");
}

static void show_text(struct esse_watcher *s, const struct esse_finding *finding, const char *what)
{
    esse_out_f(&s->out, "%s %s (%s): %s", esse_mechanism_names[finding->mechanism], what,
               esse_mechanism_titles[finding->mechanism], esse_mirror_rule_words[finding->rule]);
    if (finding->with) {
        esse_out_text(&s->out, ", if ");
        put_mechanisms(s, finding);
        esse_out_text(&s->out, " works");
    }
    esse_out_char(&s->out, '\n');
    if (finding->key) {
        esse_out_text(&s->out, "  key ");
        put_word(s, finding->key);
        if (finding->value) {
            esse_out_text(&s->out, ", value ");
            put_word(s, finding->value);
        }
        if (finding->line)
            esse_out_f(&s->out, ", line %u", finding->line);
        if (finding->at.a)
            put_instant(s, ", at an instant in (", finding->at);
        esse_out_char(&s->out, '\n');
    }
    for (uint32_t i = 0; i < finding->txn_count; i++) {
        esse_out_text(&s->out, "  ");
        put_name(s, finding->txns[i].name);
        put_instant(s, ": snapshot in (", finding->txns[i].s);
        put_instant(s, ", ended in (", finding->txns[i].c);
        esse_out_char(&s->out, '\n');
    }
    if (finding->more_txns)
        esse_out_text(&s->out, "  ... and more\n");
}

/* The line on the terminal may be another's: that of the run. */
static void clear_line(struct esse_watcher *s)
{
    if (s->watching->budget && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    esse_session_clear(&s->session);
}

static void show(struct esse_watcher *s, const struct esse_finding *finding, bool is_withdrawn)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error unheard;
    clear_line(s);
    s->values = esse_values_new(arena);
    if (s->watching->json)
        show_json(s, finding, is_withdrawn ? "withdrawn" : "broken");
    else
        show_text(s, finding, is_withdrawn ? "not certain any more" : "broken");
    esse_arena_free(arena);
    esse_out_finish(&s->out, &unheard); /* at once; the end says if it failed */
    s->told += is_withdrawn ? 0 : 1;
}

static const char *next_folder(struct esse_watcher *s)
{
    return esse_arena_format(s->arena, "%s/%04llu", s->watching->out,
                             (unsigned long long)++s->written);
}

/* The first of each mechanism are written, and rechecked before anything is told of them. */
static bool write_out(struct esse_watcher *s, const struct esse_finding *finding)
{
    enum { KEPT = 10 };
    bool is_rechecked;
    if (!s->watching->out || s->of_mechanism[finding->mechanism]++ >= KEPT)
        return true;
    return esse_mirror_write_claim(s->mirror, finding, next_folder(s), &is_rechecked, &s->failed);
}

static void found(void *context, const struct esse_finding *finding)
{
    struct esse_watcher *s = context;
    if (s->is_stopped || s->watching->is_silent)
        return;
    const bool is_written = write_out(s, finding);
    if (is_written)
        show(s, finding, false);
    s->is_stopped = !is_written || s->watching->stop;
    if (s->is_stopped)
        esse_mirror_stop(s->mirror);
}

static void withdrawn(void *context, const struct esse_finding *finding)
{
    const struct esse_watcher *s = context;
    if (!s->watching->is_silent)
        show(context, finding, true);
}

/* ---- levels ---- */

static void decided(void *context, const struct esse_window_verdict *verdict)
{
    enum { KEPT = 10 };
    struct esse_watcher *s = context;
    struct esse_error unheard;
    const bool is_kept = s->watching->out && verdict->is_new && s->levels < KEPT;
    if (s->failed.code != ESSE_OK || s->watching->is_silent || !esse_watching_has_level(verdict))
        return;
    if (is_kept && !esse_window_write(verdict, next_folder(s), &s->failed)) {
        s->is_stopped = true;
        esse_mirror_stop(s->mirror);
        return;
    }
    s->levels += verdict->is_new;
    clear_line(s);
    esse_watching_put_level(&s->out, verdict, s->watching->json);
    esse_out_finish(&s->out, &unheard); /* at once; the end says if it failed */
    s->is_stopped |= s->watching->stop && verdict->is_new;
    if (s->is_stopped)
        esse_mirror_stop(s->mirror);
}

/* ---- the numbers ---- */

/* Between two events: the numbers, once a second. */
static void between(void *context)
{
    struct esse_watcher *s = context;
    if (esse_numbers_are_due(&s->numbers))
        esse_numbers_every_second(&s->numbers, esse_mirror_counters(s->mirror), s->mirror);
}

static int answer(struct esse_watcher *s)
{
    const struct esse_mirror_counters *c = esse_mirror_counters(s->mirror);
    esse_numbers_at_the_end(&s->numbers, c, s->mirror);
    const bool is_broken = c->levels_broken || (!s->watching->level_only && esse_mirror_broken(c));
    return esse_session_answer(&s->out, is_broken                  ? ESSE_EXIT_VIOLATED
                                        : esse_mirror_undecided(c) ? ESSE_EXIT_UNKNOWN
                                                                   : ESSE_EXIT_HOLDS);
}

/* ---- the whole ---- */

struct esse_watcher *esse_watcher_new(const struct esse_watching *watching, struct esse_error *err)
{
    if (watching->out && mkdir(watching->out, 0777) != 0 && errno != EEXIST) {
        esse_fail(err, ESSE_EIO, "cannot make the folder '%s': %s", watching->out, strerror(errno));
        return NULL;
    }
    struct esse_arena *arena = esse_arena_new();
    struct esse_watcher *s = esse_arena_alloc(arena, 1, sizeof *s);
    *s = (struct esse_watcher){ .watching = watching, .arena = arena };
    struct esse_mirror_options options = watching->mirror;
    options.found = found;
    options.withdrawn = withdrawn;
    options.between = watching->is_silent ? NULL : between;
    options.decided = decided;
    options.context = s;
    s->session.quiet = true;
    esse_out_init_fd(&s->out, arena, STDOUT_FILENO);
    s->mirror = esse_mirror_new(arena, &options);
    s->reader = esse_trace_reader_new(esse_mirror_sink(s->mirror));
    esse_numbers_start(&s->numbers, &s->session, &s->out, watching);
    return s;
}

static void release(struct esse_watcher *s)
{
    esse_trace_reader_release(s->reader);
    esse_mirror_release(s->mirror);
    esse_arena_free(s->arena);
}

bool esse_watcher_lines(void *watcher, const char *lines, size_t length, struct esse_error *err)
{
    struct esse_watcher *s = watcher;
    const bool ok = esse_trace_reader_lines(s->reader, lines, length, err);
    if (s->is_stopped && s->watching->budget)
        s->watching->budget->cancel = 1;
    if (s->failed.code == ESSE_OK)
        return ok;
    *err = s->failed;
    return false;
}

int esse_watcher_end(struct esse_watcher *s)
{
    if (!s->is_stopped)
        esse_mirror_finish(s->mirror);
    const int status = s->watching->is_silent ? ESSE_EXIT_HOLDS : answer(s);
    release(s);
    return status;
}

int esse_watch_file(const struct esse_watching *watching)
{
    struct esse_error err = { 0 };
    struct esse_watcher *s = esse_watcher_new(watching, &err);
    if (!s)
        return esse_cli_fail(NULL, &err);
    esse_session_start(&s->session, 0, 0, watching->quiet);
    const struct esse_trace_options load = { .format = watching->format,
                                             .follow = watching->follow,
                                             .budget = &s->session.budget };
    const bool ok = esse_trace_read(watching->path, &load, esse_mirror_sink(s->mirror), &err);
    int status;
    esse_session_clear(&s->session);
    if (ok && !s->is_stopped)
        esse_mirror_finish(s->mirror);
    else if (err.code == ESSE_ESTOPPED)
        esse_mirror_finish_cut(s->mirror);
    if (s->failed.code != ESSE_OK) {
        status = esse_cli_fail(watching->out, &s->failed);
    } else if (ok || err.code == ESSE_ESTOPPED) {
        status = answer(s);
    } else {
        struct esse_error unheard;
        esse_out_finish(&s->out, &unheard); /* what was found is found */
        status = esse_cli_refuse("watch", watching->path, &err);
    }
    release(s);
    return status;
}
