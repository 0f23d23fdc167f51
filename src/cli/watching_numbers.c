#include "cli/watching_numbers.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/out.h"
#include "history/value_json.h"

typedef unsigned long long n;

void esse_numbers_start(struct esse_numbers *numbers, struct esse_session *session,
                        struct esse_out *out, const struct esse_watching *watching)
{
    const double now = esse_clock_seconds();
    *numbers = (struct esse_numbers){
        .watching = watching, .session = session, .out = out, .started = now, .told = now
    };
}

bool esse_numbers_are_due(const struct esse_numbers *numbers)
{
    if (!numbers->watching->json && !numbers->session->budget.progress)
        return false;
    return esse_clock_coarse_seconds() - numbers->told >= 1;
}

static double beta(const struct esse_mirror_counters *c)
{
    const uint64_t all = esse_mirror_dependencies(c);
    return all ? (double)c->uncertain / (double)all : 0;
}

/* ---- JSON ---- */

static void put_word(struct esse_out *out, const struct esse_mirror *mirror, uint64_t word)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    esse_value_put_json(out, values, esse_mirror_value(mirror, word, values));
    esse_arena_free(arena);
}

/* What is behind, in the trace's unit; null if no event has come, or none is missing. */
static void put_behind(struct esse_out *out, const char *name, int64_t newest, int64_t mark)
{
    esse_out_f(out, "\"%s\":", name);
    if (newest == INT64_MIN || mark == INT64_MIN)
        esse_out_text(out, "null");
    else
        esse_out_i64(out, mark >= newest ? 0 : newest - mark);
}

static void put_assumptions(struct esse_out *out, const struct esse_mirror *mirror)
{
    const struct esse_mirror_assumptions a = esse_mirror_assumptions(mirror);
    esse_out_f(out, ",\"assumed\":{\"exclusive\":%s,\"resolution\":%lld,\"skew\":%lld",
               a.exclusive ? "true" : "false", (long long)a.resolution, (long long)a.skew);
    if (a.lateness != ESSE_NO_TIME)
        esse_out_f(out, ",\"lateness\":%lld", (long long)a.lateness);
    esse_out_char(out, '}');
}

static void put_json(struct esse_out *out, const struct esse_mirror_counters *c,
                     const struct esse_mirror *mirror)
{
#define MEMBER(name, help) esse_out_f(out, ",\"" #name "\":%llu", (n)c->name);
    ESSE_MIRROR_COUNTERS(MEMBER, MEMBER)
#undef MEMBER
    esse_out_f(out, ",\"beta\":%.6f,\"broken\":{", beta(c));
    for (unsigned i = 0; i < ESSE_MECHANISMS; i++)
        esse_out_f(out, "%s\"%s\":%llu", i ? "," : "", esse_mechanism_names[i], (n)c->broken[i]);
    esse_out_text(out, "},\"behind\":{");
    put_behind(out, "done", c->newest, c->done);
    esse_out_char(out, ',');
    put_behind(out, "floor", c->newest, c->floor);
    esse_out_char(out, ',');
    put_behind(out, "level", c->newest, c->decided_until);
    esse_out_char(out, '}');
    if (c->held_by) {
        esse_out_text(out, ",\"held_by\":");
        put_word(out, mirror, c->held_by);
    }
    put_assumptions(out, mirror);
    esse_out_text(out, "}\n");
}

static void every_second_json(struct esse_numbers *numbers, double now,
                              const struct esse_mirror_counters *c,
                              const struct esse_mirror *mirror)
{
    const struct esse_mirror_counters *b = &numbers->before;
    const double spent = now - numbers->told;
    struct esse_error unheard;
    esse_out_f(numbers->out,
               "{\"seconds\":%.3f,\"per_second\":{\"events\":%.0f,\"committed\":%.0f,"
               "\"aborted\":%.0f,\"unknown\":%.0f}",
               now - numbers->started, (double)(c->events - b->events) / spent,
               (double)(c->committed - b->committed) / spent,
               (double)(c->aborted - b->aborted) / spent,
               (double)(c->unknown - b->unknown) / spent);
    put_json(numbers->out, c, mirror);
    esse_out_finish(numbers->out, &unheard); /* at once; the end says if it failed */
}

/* ---- text ---- */

static void every_second_text(struct esse_numbers *numbers, double now,
                              const struct esse_mirror_counters *c,
                              const struct esse_mirror *mirror)
{
    const double spent = now - numbers->told;
    struct esse_arena *arena = esse_arena_new();
    struct esse_values *values = esse_values_new(arena);
    char room[64];
    const int64_t behind = c->newest == INT64_MIN || c->done >= c->newest ? 0 : c->newest - c->done;
    const char *held =
        behind && c->held_by
            ? esse_arena_format(
                  arena, " (session %s)",
                  esse_value_brief(values, esse_mirror_value(mirror, c->held_by, values), room))
            : "";
    esse_session_line(numbers->session,
                      "%.0f transactions/s, %.0f events/s, %llu broken, %.2f %% uncertain, "
                      "%lld behind%s",
                      (double)(c->committed + c->aborted + c->unknown - numbers->before.committed -
                               numbers->before.aborted - numbers->before.unknown) /
                          spent,
                      (double)(c->events - numbers->before.events) / spent,
                      (n)esse_mirror_broken(c), 100 * beta(c), (long long)behind, held);
    esse_arena_free(arena);
}

void esse_numbers_every_second(struct esse_numbers *numbers, const struct esse_mirror_counters *now,
                               const struct esse_mirror *mirror)
{
    const double at = esse_clock_seconds();
    if (numbers->watching->json)
        every_second_json(numbers, at, now, mirror);
    else
        every_second_text(numbers, at, now, mirror);
    numbers->before = *now;
    numbers->told = at;
}

static void put_text(struct esse_out *out, const struct esse_mirror_counters *c)
{
    const uint64_t broken = esse_mirror_broken(c);
    esse_out_f(out,
               "%s: %llu violation%s in %llu events: %llu committed, %llu aborted, %llu "
               "unknown\n",
               broken ? "broken" : "nothing broken", (n)broken, broken == 1 ? "" : "s",
               (n)c->events, (n)c->committed, (n)c->aborted, (n)c->unknown);
    esse_out_f(out,
               "dependencies: %llu by time, %llu by value, %llu by locks, %llu by first updater "
               "wins, %llu uncertain (%.3f %%)\n",
               (n)c->by_time, (n)c->by_value, (n)c->by_me, (n)c->by_fuw, (n)c->uncertain,
               100 * beta(c));
    if (c->levels_broken || c->levels_strong)
        esse_out_f(out,
                   "levels: %llu violations of what is promised, %llu of its strong form "
                   "alone\n",
                   (n)c->levels_broken, (n)c->levels_strong);
    if (c->windows_held + c->windows_violated + c->windows_unknown)
        esse_out_f(out,
                   "windows: %llu held, %llu violated, %llu not decided; %llu reads left out\n",
                   (n)c->windows_held, (n)c->windows_violated, (n)c->windows_unknown,
                   (n)c->windows_left_out);
    if (esse_mirror_undecided(c))
        esse_out_f(out,
                   "not decided: %llu late events, %llu gaps, %llu opaque writes, %llu reads of "
                   "values of no known writer, %llu reads without a BEGIN, %llu components given "
                   "up, %llu events behind sessions that were not heard again\n",
                   (n)c->late, (n)c->gaps, (n)c->opaque, (n)c->reads_foreign,
                   (n)c->reads_not_checked, (n)c->given_up, (n)c->cut_off);
}

void esse_numbers_at_the_end(struct esse_numbers *numbers, const struct esse_mirror_counters *now,
                             const struct esse_mirror *mirror)
{
    if (!numbers->watching->json) {
        put_text(numbers->out, now);
        return;
    }
    esse_out_text(numbers->out, "{\"summary\":true");
    put_json(numbers->out, now, mirror);
}
