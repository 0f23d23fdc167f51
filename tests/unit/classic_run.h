#ifndef ESSE_TESTS_UNIT_CLASSIC_RUN_H
#define ESSE_TESTS_UNIT_CLASSIC_RUN_H

#include "engine/classic/classic.h"
#include "formats/oplog_read.h"
#include "report/report_classic.h"
#include "test.h"

/* Histories as text, checked; and random ones. */

static inline struct esse_oplog *read_log(struct esse_arena *arena, const char *text,
                                          struct esse_error *err)
{
    struct esse_source source;
    struct esse_oplog *log = NULL;
    *err = (struct esse_error){ 0 };
    esse_source_memory(&source, arena, text, strlen(text));
    bool ok = esse_oplog_read(arena, &source, NULL, &log, err);
    esse_source_close(&source);
    return ok ? log : NULL;
}

static inline struct esse_findings check_log(struct esse_arena *arena, const char *checker,
                                             const struct esse_oplog *log,
                                             const struct esse_classic_options *options)
{
    static const struct esse_classic_options defaults;
    struct esse_findings found;
    struct esse_error err = { 0 };
    if (!esse_classic_check(arena, esse_classic_find(checker), log, options ? options : &defaults,
                            &found, &err))
        fail_msg("%s: %d:%d: %s", checker, (int)err.line, (int)err.column, err.text);
    return found;
}

static inline struct esse_findings check_text(struct esse_arena *arena, const char *checker,
                                              const char *text,
                                              const struct esse_classic_options *options)
{
    struct esse_error err;
    struct esse_oplog *log = read_log(arena, text, &err);
    if (!log)
        fail_msg("%d:%d: %s", (int)err.line, (int)err.column, err.text);
    return check_log(arena, checker, log, options);
}

static inline const char *as_json(struct esse_arena *arena, const struct esse_findings *found)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_classic_report report = { "h", "x", found, false };
    esse_out_init_memory(out, arena);
    esse_report_classic_json(out, &report);
    return esse_out_memory(out);
}

static inline const char *as_text(struct esse_arena *arena, const struct esse_findings *found)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_classic_report report = { "h", "x", found, false };
    esse_out_init_memory(out, arena);
    esse_report_classic_text(out, &report);
    return esse_out_memory(out);
}

/* The number that a fact says. */
static inline int64_t fact(const struct esse_findings *found, const char *name)
{
    for (const struct esse_fact *at = found->facts->is.in.first; at; at = at->next)
        if (strcmp(at->name, name) == 0)
            return at->is.number;
    fail_msg("there is no fact %s", name);
    return 0;
}

/* ---- random histories ---- */

struct sim;

/* What a workload does: the operation that a process invokes, and the result of a read. */
struct sim_workload {
    void (*invoke)(struct sim *sim, struct esse_out *out);
    void (*result)(struct sim *sim, struct esse_out *out);
};

struct sim {
    struct esse_rng rng;
    const struct sim_workload *workload;
    struct esse_arena *arena;
    int next; /* a number that no operation has had */
    struct {
        int id;
        bool is_open, reads;
        const char *f_and_value; /* ":f :add, :value 3" */
    } process[3];
};

static inline uint32_t pick(struct sim *sim, uint32_t below)
{
    return esse_rng_below(&sim->rng, below);
}

static inline void sim_step(struct sim *sim, struct esse_out *out)
{
    static const char *const types[] = { "ok", "ok", "ok", "ok", "fail", "info" };
    uint32_t p = pick(sim, 3);
    if (!sim->process[p].is_open) {
        struct esse_out op;
        esse_out_init_memory(&op, sim->arena);
        sim->workload->invoke(sim, &op);
        sim->process[p].f_and_value = esse_out_memory(&op);
        sim->process[p].reads = strstr(sim->process[p].f_and_value, ":read") != NULL;
        sim->process[p].is_open = true;
        esse_out_f(out, "{:type :invoke, :process %d, %s}\n", sim->process[p].id,
                   sim->process[p].f_and_value);
        return;
    }
    const char *type = types[pick(sim, 6)];
    sim->process[p].is_open = false;
    esse_out_f(out, "{:type :%s, :process %d, ", type, sim->process[p].id);
    if (sim->process[p].reads && strcmp(type, "ok") == 0) {
        esse_out_text(out, ":f :read, :value ");
        sim->workload->result(sim, out);
    } else {
        esse_out_text(out, sim->process[p].f_and_value);
    }
    esse_out_text(out, "}\n");
    if (strcmp(type, "info") == 0)
        sim->process[p].id += 3; /* as Jepsen does: a crashed process is not used again */
}

/* A history of 'steps' operations. */
static inline const char *simulate(struct esse_arena *arena, const struct sim_workload *workload,
                                   unsigned seed, unsigned steps)
{
    struct sim sim = { .rng = { seed }, .workload = workload, .arena = arena };
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    for (int p = 0; p < 3; p++)
        sim.process[p].id = p;
    while (steps-- > 0)
        sim_step(&sim, out);
    return esse_out_memory(out);
}

/* A random part of the numbers below 'below', as the members of a list. */
static inline void put_some(struct sim *sim, struct esse_out *out, int below, uint32_t one_in)
{
    for (int i = 0; i < below; i++)
        if (pick(sim, one_in))
            esse_out_f(out, " %d", i);
}

#endif
