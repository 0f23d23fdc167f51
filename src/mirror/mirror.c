#include "mirror/mirror_state.h"

/* The mirror's life. */

struct esse_mirror *esse_mirror_new(struct esse_arena *arena,
                                    const struct esse_mirror_options *options)
{
    struct esse_mirror *m = esse_arena_alloc(arena, 1, sizeof *m);
    *m = (struct esse_mirror){ .arena = esse_arena_new(),
                               .options = *options,
                               .resolution =
                                   options->resolution == ESSE_NO_TIME ? 1 : options->resolution,
                               .skew = options->skew == ESSE_NO_TIME ? 0 : options->skew,
                               .exclusive = options->exclusive,
                               .floor = INT64_MIN,
                               .horizon = INT64_MIN };
    m->words = esse_words_new(m->arena);
    m->pipeline = esse_pipeline_new(m->arena, options->keep_bytes);
    if (options->lateness != ESSE_NO_TIME)
        esse_pipeline_lateness(m->pipeline, options->lateness);
    if (!options->pairs_only && options->profile->time != ESSE_TIME_SESSION)
        m->joint = esse_joint_new(m->arena);
    m->certifier = esse_certifier_new(m->arena);
    if (options->level != ESSE_LEVEL_NONE && options->window_txns)
        m->window = esse_window_new(m->arena, options->level);
    m->counters.decided_until = INT64_MIN;
    esse_mirror_intake(m);
    return m;
}

struct esse_trace_sink *esse_mirror_sink(struct esse_mirror *m)
{
    return &m->sink;
}

void esse_mirror_stop(struct esse_mirror *m)
{
    m->is_stopped = true;
}

void esse_mirror_finish_cut(struct esse_mirror *m)
{
    esse_mirror_take_all(m);
    m->counters.cut_off = esse_pipeline_waiting(m->pipeline);
    esse_mirror_round(m);
}

void esse_mirror_finish(struct esse_mirror *m)
{
    if (m->is_finished)
        return;
    m->is_finished = true;
    esse_pipeline_end(m->pipeline);
    esse_mirror_take_all(m);
    esse_mirror_end_open(m);
    esse_mirror_round(m);
    if (m->joint)
        esse_joint_close(m, true);
    assert(m->waiting.count == 0);
    esse_window_round(m, true);
}

void esse_mirror_release(struct esse_mirror *m)
{
    esse_window_release(m->window);
    esse_missed_release(m->predicates);
    esse_words_release(m->words);
    esse_pipeline_release(m->pipeline);
    esse_arena_free(m->reading);
    esse_arena_free(m->arena);
}

const struct esse_mirror_counters *esse_mirror_counters(struct esse_mirror *m)
{
    struct esse_mirror_counters *c = &m->counters;
    c->done = esse_pipeline_done(m->pipeline);
    c->floor = m->floor;
    c->horizon = m->horizon;
    c->newest = esse_pipeline_newest(m->pipeline);
    c->slowest = esse_pipeline_slowest(m->pipeline);
    c->held_by = c->slowest == UINT32_MAX ? 0 : m->sessions.at[c->slowest];
    c->waiting = m->waiting.count;
    c->bytes = esse_arena_in_use();
    return c;
}

struct esse_mirror_assumptions esse_mirror_assumptions(const struct esse_mirror *m)
{
    return (struct esse_mirror_assumptions){ m->exclusive, m->resolution, m->skew,
                                             m->options.lateness };
}

esse_value esse_mirror_value(const struct esse_mirror *m, uint64_t word, struct esse_values *to)
{
    return esse_word_value(m->words, word, to);
}
