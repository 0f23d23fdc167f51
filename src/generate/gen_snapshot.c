#include "base/out.h"
#include "generate/gen_state.h"

#include <stdlib.h>

/* What operations look at, as the kinds of certificates write it down. */

static int compare_xids(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* "xmin:xmax:xip,xip": the transactions from xmin on and below xmax that are not listed have ended.
 * The asking transaction is listed too if it has a number: it sees its own writes without its
 * snapshot. */
static esse_value postgresql_snapshot(struct esse_gen *gen)
{
    struct esse_out text;
    size_t count = 0;
    for (uint64_t i = 0; i < gen->options->work.sessions; i++)
        if (gen->sessions[i].is_open && gen->sessions[i].xid != ESSE_NO_TIME)
            gen->running[count++] = gen->sessions[i].xid;
    if (count)
        qsort(gen->running, count, sizeof *gen->running, compare_xids);
    esse_out_init_memory(&text, gen->arena);
    esse_out_i64(&text, count ? gen->running[0] : gen->next_xid);
    esse_out_char(&text, ':');
    esse_out_i64(&text, gen->next_xid);
    esse_out_char(&text, ':');
    for (size_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(&text, ',');
        esse_out_i64(&text, gen->running[i]);
    }
    const esse_value value = esse_value_string(gen->sink->values, text.buffer, text.count);
    esse_arena_drop(gen->arena, text.buffer);
    return value;
}

esse_value esse_gen_snapshot(struct esse_gen *gen, uint64_t tick)
{
    const enum esse_certificate_kind kind = gen->options->certifies;
    if (kind == ESSE_CERTIFICATE_NONE)
        return ESSE_NONE;
    return kind == ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS
               ? postgresql_snapshot(gen)
               : esse_value_small((int64_t)(2 * tick + 1)); /* of a commit order: until gen_keep
                                                               counts */
}
