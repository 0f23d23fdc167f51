#include "cli/watching.h"

#include "base/arena.h"
#include "base/out.h"
#include "cli/session.h"
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
    uint64_t told, written;
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
    esse_session_clear(&s->session);
    s->values = esse_values_new(arena);
    if (s->watching->json)
        show_json(s, finding, is_withdrawn ? "withdrawn" : "broken");
    else
        show_text(s, finding, is_withdrawn ? "not certain any more" : "broken");
    esse_arena_free(arena);
    s->told += is_withdrawn ? 0 : 1;
    if (s->watching->stop && !is_withdrawn)
        s->session.budget.cancel = 1;
}

/* The first of each mechanism are written, and rechecked before anything is told of them. */
static bool write_out(struct showing *s, const struct esse_finding *finding)
{
    enum { KEPT = 10 };
    bool is_rechecked;
    if (!s->watching->out || s->of_mechanism[finding->mechanism]++ >= KEPT)
        return true;
    char folder[24];
    snprintf(folder, sizeof folder, "/%04llu", (unsigned long long)++s->written);
    return esse_mirror_write_claim(s->mirror, finding,
                                   esse_arena_format(s->arena, "%s%s", s->watching->out, folder),
                                   &is_rechecked, &s->failed);
}

static void found(void *context, const struct esse_finding *finding)
{
    struct showing *s = context;
    if (s->failed.code != ESSE_OK)
        return;
    if (!write_out(s, finding)) {
        s->session.budget.cancel = 1;
        return;
    }
    show(s, finding, false);
}

static void withdrawn(void *context, const struct esse_finding *finding)
{
    show(context, finding, true);
}

/* ---- the numbers ---- */

static uint64_t broken(const struct esse_mirror_counters *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ESSE_MECHANISMS; i++)
        sum += c->broken[i];
    return sum;
}

/* What could not be decided, so that "nothing is broken" is not all that can be said. */
static uint64_t undecided(const struct esse_mirror_counters *c)
{
    return c->late + c->gaps + c->opaque + c->reads_foreign + c->reads_unchecked + c->given_up;
}

static double beta(const struct esse_mirror_counters *c)
{
    const uint64_t all = c->by_time + c->by_value + c->by_me + c->by_fuw + c->uncertain;
    return all ? (double)c->uncertain / (double)all : 0;
}

static void put_numbers_json(struct showing *s, const struct esse_mirror_counters *c)
{
#define N(name, value) esse_out_f(&s->out, ",\"%s\":%llu", name, (unsigned long long)(value))
    esse_out_text(&s->out, "{\"summary\":true");
    N("events", c->events);
    N("committed", c->committed);
    N("aborted", c->aborted);
    N("unknown", c->unknown);
    N("late", c->late);
    N("gaps", c->gaps);
    N("opaque", c->opaque);
    N("reads", c->reads);
    N("reads_slow", c->reads_slow);
    N("reads_foreign", c->reads_foreign);
    N("reads_not_checked", c->reads_unchecked);
    N("predicates_not_checked", c->predicates_unchecked);
    N("by_time", c->by_time);
    N("by_value", c->by_value);
    N("by_me", c->by_me);
    N("by_fuw", c->by_fuw);
    N("uncertain", c->uncertain);
    esse_out_f(&s->out, ",\"beta\":%.6f", beta(c));
    N("components", c->components);
    N("given_up", c->given_up);
    N("keys", c->keys);
    N("versions", c->versions);
    esse_out_text(&s->out, ",\"broken\":{");
    for (unsigned i = 0; i < ESSE_MECHANISMS; i++)
        esse_out_f(&s->out, "%s\"%s\":%llu", i ? "," : "", esse_mechanism_names[i],
                   (unsigned long long)c->broken[i]);
    esse_out_text(&s->out, "}}\n");
#undef N
}

static void put_numbers_text(struct showing *s, const struct esse_mirror_counters *c)
{
    typedef unsigned long long n;
    esse_out_f(&s->out,
               "%s: %llu violation%s in %llu events: %llu committed, %llu aborted, %llu "
               "unknown\n",
               broken(c) ? "broken" : "nothing broken", (n)broken(c), broken(c) == 1 ? "" : "s",
               (n)c->events, (n)c->committed, (n)c->aborted, (n)c->unknown);
    esse_out_f(&s->out,
               "dependencies: %llu by time, %llu by value, %llu by locks, %llu by first updater "
               "wins, %llu uncertain (%.3f %%)\n",
               (n)c->by_time, (n)c->by_value, (n)c->by_me, (n)c->by_fuw, (n)c->uncertain,
               100 * beta(c));
    if (undecided(c))
        esse_out_f(&s->out,
                   "not decided: %llu late events, %llu gaps, %llu opaque writes, %llu reads of "
                   "values of no known writer, %llu reads without a BEGIN, %llu components given "
                   "up\n",
                   (n)c->late, (n)c->gaps, (n)c->opaque, (n)c->reads_foreign, (n)c->reads_unchecked,
                   (n)c->given_up);
}

static int answer(struct showing *s)
{
    const struct esse_mirror_counters *c = esse_mirror_counters(s->mirror);
    if (s->watching->json)
        put_numbers_json(s, c);
    else
        put_numbers_text(s, c);
    return esse_session_answer(&s->out, broken(c)      ? ESSE_EXIT_VIOLATED
                                        : undecided(c) ? ESSE_EXIT_UNKNOWN
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
    options.context = &s;
    esse_session_start(&s.session, 0, 0, watching->quiet);
    esse_out_init_fd(&s.out, s.arena, STDOUT_FILENO);
    s.mirror = esse_mirror_new(s.arena, &options);
    const struct esse_load_options load = { .format = watching->format,
                                            .budget = &s.session.budget };
    const bool ok = esse_trace_read(watching->path, &load, esse_mirror_sink(s.mirror), &err);
    int status;
    esse_session_clear(&s.session);
    if (ok || err.code == ESSE_ESTOPPED)
        esse_mirror_finish(s.mirror);
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
