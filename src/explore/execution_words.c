#include "explore/execution.h"

#include "base/arena.h"

/* What went wrong, in plain words: which transaction did not see what another one did. */

enum { SENTENCES_MOST = 3 };

struct words {
    struct esse_out *out;
    struct esse_arena *arena;
    const struct esse_execution *execution;
    uint32_t sentences;
};

static const char *name(const struct words *words, uint32_t txn)
{
    return esse_execution_name(words->arena, words->execution->program, txn);
}

static void put_step(const struct words *words, const struct esse_search_step *step)
{
    const struct esse_program *program = words->execution->program;
    esse_out_f(words->out, "%s = ", program->variables[step->variable]);
    program->put_value(program, words->out, step->variable, step->value);
}

static void begin_sentence(struct words *words)
{
    esse_out_text(words->out, words->sentences++ ? " " : "");
}

/* The read by which 'reader' missed what 'writer' wrote, while neither of them knew of the other;
 * NULL if there is none.  One of a variable that both of them wrote is preferred. */
static const struct esse_search_step *missed(const struct esse_execution *execution,
                                             uint32_t reader, uint32_t writer)
{
    const struct esse_unit *r = &execution->units[reader], *w = &execution->units[writer];
    const struct esse_search_step *found = NULL;
    if (r->past >> writer & 1 || w->past >> reader & 1)
        return NULL;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct esse_search_step *step = &r->steps[i];
        if (step->kind != ESSE_STEP_READ || !esse_unit_wrote(w, step->variable))
            continue;
        if (!found || esse_unit_wrote(r, step->variable))
            found = step;
        if (esse_unit_wrote(r, step->variable))
            break;
    }
    return found;
}

/* Two transactions each of which missed what the other wrote. */
static void put_pair(struct words *words, uint32_t a, uint32_t b)
{
    const struct esse_execution *execution = words->execution;
    const struct esse_search_step *by_a = missed(execution, a, b), *by_b = missed(execution, b, a);
    const struct esse_program *program = execution->program;
    if (!by_a || !by_b)
        return;
    begin_sentence(words);
    if (by_a->variable == by_b->variable && esse_unit_wrote(&execution->units[a], by_a->variable)) {
        esse_out_f(words->out, "Both %s and %s read ", name(words, a), name(words, b));
        put_step(words, by_a);
        if (by_a->value != by_b->value) {
            esse_out_text(words->out, " and ");
            put_step(words, by_b);
        }
        esse_out_f(words->out,
                   ", and each wrote %s without knowing of the other's write: one of "
                   "the two is lost.",
                   program->variables[by_a->variable]);
        return;
    }
    esse_out_f(words->out, "%s read ", name(words, a));
    put_step(words, by_a);
    esse_out_f(words->out, " and %s read ", name(words, b));
    put_step(words, by_b);
    esse_out_f(words->out,
               "; then each of them changed what the other had relied on (%s wrote %s, %s wrote "
               "%s), and neither saw it.",
               name(words, a), program->variables[by_b->variable], name(words, b),
               program->variables[by_a->variable]);
}

/* A read that returned something older than what its transaction knew of. */
static void put_stale(struct words *words, uint32_t reader)
{
    const struct esse_execution *execution = words->execution;
    const struct esse_unit *r = &execution->units[reader];
    for (uint32_t i = 0; i < r->count; i++) {
        const struct esse_search_step *step = &r->steps[i];
        for (uint32_t w = 0; step->kind == ESSE_STEP_READ && w < execution->program->txn_count;
             w++) {
            const bool is_newer =
                step->source == ESSE_NO_SOURCE || execution->units[w].past >> step->source & 1;
            if (w == step->source || !(r->past >> w & 1) || !is_newer ||
                !esse_unit_wrote(&execution->units[w], step->variable))
                continue;
            begin_sentence(words);
            esse_out_f(words->out, "%s read ", name(words, reader));
            put_step(words, step);
            esse_out_f(words->out,
                       ", which %s had overwritten already; and yet it knew of %s%s: it saw only a "
                       "part of what had happened.",
                       name(words, w), name(words, w),
                       r->sources >> w & 1 ? ", of which it read something else"
                                           : ", on which other things rest that it read");
            return;
        }
    }
}

/* Two readers that saw two writes in different orders. */
static void put_long_fork(struct words *words, uint32_t a, uint32_t b)
{
    const struct esse_execution *execution = words->execution;
    const struct esse_unit *one = &execution->units[a], *two = &execution->units[b];
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t k = 0; k < two->count; k++) {
            const struct esse_search_step *x = &one->steps[i], *y = &two->steps[k];
            if (x->kind != ESSE_STEP_READ || y->kind != ESSE_STEP_READ)
                continue;
            for (uint32_t w = 0; w < execution->program->txn_count; w++)
                for (uint32_t v = 0; v < execution->program->txn_count; v++)
                    if (w != v && one->past >> w & 1 && !(one->past >> v & 1) &&
                        two->past >> v & 1 && !(two->past >> w & 1) &&
                        esse_unit_wrote(&execution->units[v], x->variable) &&
                        esse_unit_wrote(&execution->units[w], y->variable)) {
                        begin_sentence(words);
                        esse_out_f(words->out,
                                   "%s saw what %s did and not what %s did, and %s the other way "
                                   "round: the two saw these in different orders.",
                                   name(words, a), name(words, w), name(words, v), name(words, b));
                        return;
                    }
        }
}

void esse_execution_put_words(struct esse_out *out, const struct esse_execution *execution)
{
    struct words words = { .out = out, .arena = esse_arena_new(), .execution = execution };
    const uint32_t count = execution->program->txn_count;
    for (uint32_t a = 0; a < count && words.sentences < SENTENCES_MOST; a++)
        for (uint32_t b = a + 1; b < count && words.sentences < SENTENCES_MOST; b++)
            if (execution->shown >> a & execution->shown >> b & 1)
                put_pair(&words, a, b);
    for (uint32_t a = 0; a < count && words.sentences < SENTENCES_MOST; a++)
        if (execution->shown >> a & 1)
            put_stale(&words, a);
    for (uint32_t a = 0; a < count && !words.sentences; a++)
        for (uint32_t b = a + 1; b < count && !words.sentences; b++)
            if (execution->shown >> a & execution->shown >> b & 1)
                put_long_fork(&words, a, b);
    if (!words.sentences)
        esse_out_text(out, "Nothing was missed: it goes wrong in this order even if each "
                           "transaction sees all that was done before it.");
    esse_arena_free(words.arena);
}
