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
struct showing {
    const struct esse_watching *watching;
    struct esse_session session;
    struct esse_arena *arena;
    struct esse_out out;
    struct esse_mirror *mirror;
    struct esse_values *values; /* of one finding at a time */
    struct esse_numbers numbers;
    uint64_t told, written, levels;
    bool is_stopped; /* nothing more is told */
    uint64_t of_mechanism[ESSE_MECHANISMS];
    struct esse_error failed; /* a folder that could not be written, or does not recheck */
};

static void put_word(struct showing *s, uint64_t word)
{
    esse_value_put_json(&s->out, s->values, esse_mirror_value(s->mirror, word, s->values));
}

static void put_name(struct showing *s, uint64_t word)
{
    char room[64];
    esse_out_text(&s->out,
                  esse_value_brief(s->values, esse_mirror_value(s->mirror, word, s->values), room));
}

static void put_time(struct showing *s, int64_t time, const char *unknown)
{
    if (time == INT64_MIN || time == ESSE_MIRROR_NEVER)
        esse_out_text(&s->out, unknown);
    else
        esse_out_i64(&s->out, time);
}

static void put_instant(struct showing *s, const char *open, struct esse_instant at)
{
    esse_out_text(&s->out, open);
    put_time(s, at.b, s->watching->json ? "null" : "-");
    esse_out_char(&s->out, ',');
    put_time(s, at.a, s->watching->json ? "null" : "-");
    esse_out_char(&s->out, s->watching->json ? ']' : ')');
}

static void put_mechanisms(struct showing *s, const struct esse_finding *finding)
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

static void show_json(struct showing *s, const struct esse_finding *finding, const char *what)
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

static void show_text(struct showing *s, const struct esse_finding *finding, const char *what)
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

static void show(struct showing *s, const struct esse_finding *finding, bool is_withdrawn)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error unheard;
    esse_session_clear(&s->session);
    s->values = esse_values_new(arena);
    if (s->watching->json)
        show_json(s, finding, is_withdrawn ? "withdrawn" : "broken");
    else
        show_text(s, finding, is_withdrawn ? "not certain any more" : "broken");
    esse_arena_free(arena);
    esse_out_finish(&s->out, &unheard); /* at once; the end says if it failed */
    s->told += is_withdrawn ? 0 : 1;
}

static const char *next_folder(struct showing *s)
{
    return esse_arena_format(s->arena, "%s/%04llu", s->watching->out,
                             (unsigned long long)++s->written);
}

/* The first of each mechanism are written, and rechecked before anything is told of them. */
static bool write_out(struct showing *s, const struct esse_finding *finding)
{
    enum { KEPT = 10 };
    bool is_rechecked;
    if (!s->watching->out || s->of_mechanism[finding->mechanism]++ >= KEPT)
        return true;
    return esse_mirror_write_claim(s->mirror, finding, next_folder(s), &is_rechecked, &s->failed);
}

static void found(void *context, const struct esse_finding *finding)
{
    struct showing *s = context;
    if (s->is_stopped)
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
    show(context, finding, true);
}

/* ---- levels ---- */

static void decided(void *context, const struct esse_window_verdict *verdict)
{
    enum { KEPT = 10 };
    struct showing *s = context;
    struct esse_error unheard;
    const bool is_kept = s->watching->out && verdict->is_new && s->levels < KEPT;
    if (s->failed.code != ESSE_OK || !esse_watching_has_level(verdict))
        return;
    if (is_kept && !esse_window_write(verdict, next_folder(s), &s->failed)) {
        s->is_stopped = true;
        esse_mirror_stop(s->mirror);
        return;
    }
    s->levels += verdict->is_new;
    esse_session_clear(&s->session);
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
    struct showing *s = context;
    if (esse_numbers_are_due(&s->numbers))
        esse_numbers_every_second(&s->numbers, esse_mirror_counters(s->mirror), s->mirror);
}

static int answer(struct showing *s)
{
    const struct esse_mirror_counters *c = esse_mirror_counters(s->mirror);
    esse_numbers_at_the_end(&s->numbers, c, s->mirror);
    const bool is_broken = c->levels_broken || (!s->watching->level_only && esse_mirror_broken(c));
    return esse_session_answer(&s->out, is_broken                  ? ESSE_EXIT_VIOLATED
                                        : esse_mirror_undecided(c) ? ESSE_EXIT_UNKNOWN
                                                                   : ESSE_EXIT_HOLDS);
}

int esse_watch_file(const struct esse_watching *watching)
{
    struct esse_mirror_options options = watching->mirror;
    struct esse_error err = { 0 };
    if (watching->out && mkdir(watching->out, 0777) != 0 && errno != EEXIST) {
        esse_fail(&err, ESSE_EIO, "cannot make the folder: %s", strerror(errno));
        return esse_cli_fail(watching->out, &err);
    }
    struct showing s = { .watching = watching, .arena = esse_arena_new() };
    options.found = found;
    options.withdrawn = withdrawn;
    options.between = between;
    options.decided = decided;
    options.context = &s;
    esse_session_start(&s.session, 0, 0, watching->quiet);
    esse_out_init_fd(&s.out, s.arena, STDOUT_FILENO);
    s.mirror = esse_mirror_new(s.arena, &options);
    esse_numbers_start(&s.numbers, &s.session, &s.out, watching);
    const struct esse_trace_options load = { .format = watching->format,
                                             .follow = watching->follow,
                                             .budget = &s.session.budget };
    const bool ok = esse_trace_read(watching->path, &load, esse_mirror_sink(s.mirror), &err);
    int status;
    esse_session_clear(&s.session);
    if (ok && !s.is_stopped)
        esse_mirror_finish(s.mirror);
    else if (err.code == ESSE_ESTOPPED)
        esse_mirror_finish_cut(s.mirror);
    if (s.failed.code != ESSE_OK) {
        status = esse_cli_fail(watching->out, &s.failed);
    } else if (ok || err.code == ESSE_ESTOPPED) {
        status = answer(&s);
    } else {
        struct esse_error unheard;
        esse_out_finish(&s.out, &unheard); /* what was found is found */
        status = esse_cli_refuse("watch", watching->path, &err);
    }
    esse_mirror_release(s.mirror);
    esse_arena_free(s.arena);
    return status;
}
