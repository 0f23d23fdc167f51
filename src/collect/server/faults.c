#include "collect/server/faults.h"

#include "base/error.h"
#include "base/rng.h"
#include "collect/record/recorder.h"
#include "history/faults_kept.h"

#include <assert.h>
#include <string.h>

struct esse_faults {
    struct esse_arena *arena;
    struct esse_spawned *spawned;
    unsigned node;  /* the last that something was done to */
    bool is_coming; /* ... and it may not be back yet */
    unsigned kinds;
    double every, next; /* seconds on the run's clock */
    double end;         /* when the node is no longer waited for; 0: the run goes on */
    bool is_on;         /* 'current' is going on, until 'next' */
    enum esse_server_fault current;
    struct esse_rng rng;
    struct esse_log_buffer *log_buffer;
    struct esse_fault_vec kept;
    uint64_t counts[ESSE_FAULTS];
};

bool esse_faults_parse(const char *list, unsigned *kinds, struct esse_error *err)
{
    *kinds = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        unsigned kind = 0;
        while (esse_fault_names[kind] && (strncmp(esse_fault_names[kind], list, length) != 0 ||
                                          esse_fault_names[kind][length]))
            kind++;
        if (!esse_fault_names[kind])
            return esse_fail(err, ESSE_EUSAGE,
                             "unknown fault '%.*s'; there are kill, pause, "
                             "partition and restart",
                             (int)length, list);
        *kinds |= 1u << kind;
        list += length + (list[length] == ',');
    }
    return true;
}

/* From half of 'around' to half as much again. */
static double draw(struct esse_faults *faults, double around)
{
    return around * (0.5 + esse_rng_unit(&faults->rng));
}

struct esse_faults *esse_faults_new(struct esse_arena *arena, struct esse_spawned *spawned,
                                    unsigned kinds, double every, uint64_t seed)
{
    struct esse_faults *faults = esse_arena_alloc(arena, 1, sizeof *faults);
    *faults = (struct esse_faults){
        .arena = arena, .spawned = spawned, .kinds = kinds, .every = every, .rng = { seed }
    };
    faults->next = draw(faults, every);
    return faults;
}

void esse_faults_record_in(struct esse_faults *faults, struct esse_log_buffer *log_buffer)
{
    faults->log_buffer = log_buffer;
}

/* One of the two times. */
static void note(struct esse_faults *faults, int64_t start, int64_t end)
{
    const struct esse_fault_record fault = {
        .kind = faults->current,
        .node = faults->spawned->count > 1 ? (int64_t)faults->node : ESSE_NO_TIME,
        .start = start,
        .end = end,
    };
    struct esse_error err;
    const bool fits = esse_faults_keep(&faults->kept, faults->arena, &fault, 0, &err);
    assert(fits);
    (void)fits;
    esse_log_buffer_fault(faults->log_buffer, &fault);
}

static int64_t nanoseconds(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

/* One of those that came least often, so that a short run has them all. */
static enum esse_server_fault draw_kind(struct esse_faults *faults)
{
    enum esse_server_fault drawn[ESSE_FAULTS];
    uint32_t count = 0;
    for (unsigned kind = 0; kind < ESSE_FAULTS; kind++) {
        if (!(faults->kinds & 1u << kind))
            continue;
        if (count && faults->counts[kind] < faults->counts[drawn[0]])
            count = 0;
        if (!count || faults->counts[kind] == faults->counts[drawn[0]])
            drawn[count++] = (enum esse_server_fault)kind;
    }
    return drawn[esse_rng_below(&faults->rng, count)];
}

static void begin(struct esse_faults *faults, double seconds)
{
    static const double lasts[ESSE_FAULTS] = { 0.4, 0.4, 1.5, 0.4 };
    struct esse_spawned *s = faults->spawned;
    faults->current = draw_kind(faults);
    faults->node = (unsigned)esse_rng_below(&faults->rng, s->count);
    note(faults, nanoseconds(seconds), ESSE_NO_TIME);
    switch (faults->current) {
    case ESSE_FAULT_KILL:
        esse_spawned_kill(s, faults->node);
        break;
    case ESSE_FAULT_PAUSE:
        esse_spawned_pause(s, faults->node, true);
        break;
    case ESSE_FAULT_PARTITION:
        esse_spawned_cut(s, faults->node, true);
        break;
    default:
        esse_spawned_leave(s, faults->node);
        break;
    }
    faults->counts[faults->current]++;
    faults->is_on = true;
    faults->next = seconds + draw(faults, lasts[faults->current]);
}

/* False if that must wait: a node that was asked to leave is still there. */
static bool finish(struct esse_faults *faults, double seconds)
{
    struct esse_spawned *s = faults->spawned;
    if (faults->current == ESSE_FAULT_RESTART && !esse_spawned_is_gone(s, faults->node))
        return false;
    if (faults->current == ESSE_FAULT_PAUSE)
        esse_spawned_pause(s, faults->node, false);
    else if (faults->current == ESSE_FAULT_PARTITION)
        esse_spawned_cut(s, faults->node, false);
    else
        esse_spawned_begin(s, faults->node);
    note(faults, ESSE_NO_TIME, nanoseconds(seconds));
    faults->is_on = false;
    faults->is_coming = true;
    faults->next = seconds + draw(faults, faults->every);
    return true;
}

static bool is_back(struct esse_faults *faults)
{
    if (faults->is_coming)
        faults->is_coming = !esse_spawned_answers(faults->spawned, faults->node);
    return !faults->is_coming;
}

void esse_faults_tick(struct esse_faults *faults, double seconds)
{
    static const double again = 0.2;
    if (seconds < faults->next)
        return;
    if (faults->is_on)
        finish(faults, seconds);
    else if (is_back(faults))
        begin(faults, seconds);
    else
        faults->next = seconds + again;
}

bool esse_faults_end(struct esse_faults *faults, double seconds)
{
    static const double patience = 30;
    if (faults->end == 0)
        faults->end = seconds + patience;
    if (faults->is_on && seconds > faults->end - patience / 2)
        esse_spawned_kill(faults->spawned, faults->node); /* it does not want to leave */
    if (faults->is_on && !finish(faults, seconds))
        return false;
    return is_back(faults) || seconds > faults->end;
}

uint64_t esse_faults_count(const struct esse_faults *faults, enum esse_server_fault fault)
{
    return faults->counts[fault];
}

const struct esse_fault_record *esse_faults_told(const struct esse_faults *faults, uint32_t *count)
{
    *count = (uint32_t)faults->kept.count;
    return faults->kept.at;
}
