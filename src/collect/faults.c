#include "collect/faults.h"

#include "base/rng.h"

#include <string.h>

const char *const esse_fault_names[] = { "kill", "pause", NULL };

struct esse_faults {
    const struct esse_spawner *spawner;
    struct esse_spawned *spawned;
    unsigned kinds;
    double every, next; /* seconds on the run's clock */
    bool is_on;         /* 'current' is going on, until 'next' */
    enum esse_fault current;
    struct esse_rng rng;
    struct esse_out *out;
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
            return esse_fail(err, ESSE_EUSAGE, "unknown fault '%.*s'; there are kill and pause",
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

struct esse_faults *esse_faults_new(struct esse_arena *arena, const struct esse_spawner *spawner,
                                    struct esse_spawned *spawned, unsigned kinds, double every,
                                    uint64_t seed, struct esse_out *out)
{
    struct esse_faults *faults = esse_arena_alloc(arena, 1, sizeof *faults);
    *faults = (struct esse_faults){ .spawner = spawner,
                                    .spawned = spawned,
                                    .kinds = kinds,
                                    .every = every,
                                    .rng = { seed },
                                    .out = out };
    faults->next = draw(faults, every);
    return faults;
}

static void note(struct esse_faults *faults, double seconds, const char *what)
{
    esse_out_f(faults->out, "{\"time\":%.0f,\"fault\":\"%s\",\"is\":\"%s\"}\n", seconds * 1e9,
               esse_fault_names[faults->current], what);
}

static void begin(struct esse_faults *faults, double seconds)
{
    static const double lasts = 0.4;
    do
        faults->current = (enum esse_fault)esse_rng_below(&faults->rng, ESSE_FAULTS);
    while (!(faults->kinds & 1u << faults->current));
    if (faults->current == ESSE_FAULT_KILL)
        faults->spawner->kill(faults->spawned);
    else
        faults->spawner->pause(faults->spawned, true);
    note(faults, seconds, "begun");
    faults->counts[faults->current]++;
    faults->is_on = true;
    faults->next = seconds + draw(faults, lasts);
}

static void finish(struct esse_faults *faults, double seconds)
{
    if (faults->current == ESSE_FAULT_KILL)
        faults->spawner->restart(faults->spawned);
    else
        faults->spawner->pause(faults->spawned, false);
    note(faults, seconds, "ended");
    faults->is_on = false;
    faults->next = seconds + draw(faults, faults->every);
}

void esse_faults_tick(struct esse_faults *faults, double seconds)
{
    if (!faults->kinds || seconds < faults->next)
        return;
    if (faults->is_on)
        finish(faults, seconds);
    else
        begin(faults, seconds);
}

void esse_faults_end(struct esse_faults *faults, double seconds)
{
    if (faults->is_on)
        finish(faults, seconds);
    faults->kinds = 0;
}

uint64_t esse_faults_count(const struct esse_faults *faults, enum esse_fault fault)
{
    return faults->counts[fault];
}
