#include "collect/record/overhead.h"

#include <math.h>

static const double slice_seconds = 0.1;

/* With, without, without, with, with ... */
static bool is_recorded(size_t slice)
{
    return (slice + 1) / 2 % 2 == 0;
}

bool esse_overhead_records(const struct esse_overhead *overhead)
{
    return is_recorded(overhead->done.count);
}

bool esse_overhead_tick(struct esse_overhead *overhead, const struct esse_slice *now)
{
    const struct esse_slice began = overhead->began;
    if (now->seconds - began.seconds < slice_seconds)
        return false;
    if (began.seconds > 0)
        esse_slice_vec_push(&overhead->done, overhead->arena,
                            (struct esse_slice){ .seconds = now->seconds - began.seconds,
                                                 .processor = now->processor - began.processor,
                                                 .ended = now->ended - began.ended,
                                                 .committed = now->committed - began.committed,
                                                 .bytes = now->bytes - began.bytes });
    overhead->began = *now;
    return true;
}

/* ---- what they come to ---- */

/* Logarithms of ratios. */
struct logs {
    double count, sum, squares;
};

static void add(struct logs *logs, double ratio)
{
    logs->count++;
    logs->sum += log(ratio);
    logs->squares += log(ratio) * log(ratio);
}

/* One less the ratio that lies in their middle. */
static double share(const struct logs *logs)
{
    return 1 - exp(logs->sum / logs->count);
}

static double share_error(const struct logs *logs)
{
    const double mean = logs->sum / logs->count;
    const double variance = (logs->squares / logs->count - mean * mean) / (logs->count - 1);
    return exp(mean) * sqrt(fmax(variance, 0));
}

static double rate(const struct esse_slice *slice)
{
    return (double)slice->committed / slice->seconds;
}

static double processor(const struct esse_slice *slice)
{
    return slice->processor / (double)slice->ended;
}

static struct esse_slice total(const struct esse_overhead *overhead, bool recorded)
{
    struct esse_slice sum = { 0 };
    for (size_t i = 0; i < overhead->done.count; i++) {
        const struct esse_slice *slice = &overhead->done.at[i];
        if (is_recorded(i) != recorded)
            continue;
        sum.seconds += slice->seconds;
        sum.processor += slice->processor;
        sum.ended += slice->ended;
        sum.committed += slice->committed;
        sum.bytes += slice->bytes;
    }
    return sum;
}

struct esse_recording_cost esse_overhead_cost(const struct esse_overhead *overhead)
{
    const struct esse_slice with = total(overhead, true), without = total(overhead, false);
    struct logs rates = { 0 }, processors = { 0 };
    for (size_t i = 0; i + 1 < overhead->done.count; i += 2) {
        const struct esse_slice *there = &overhead->done.at[is_recorded(i) ? i : i + 1];
        const struct esse_slice *bare = &overhead->done.at[is_recorded(i) ? i + 1 : i];
        if (!there->committed || !bare->committed)
            continue;
        add(&rates, rate(there) / rate(bare));
        add(&processors, processor(bare) / processor(there));
    }
    return (struct esse_recording_cost){
        .pairs = (uint64_t)rates.count,
        .rate_with = rate(&with),
        .rate_without = rate(&without),
        .lost = share(&rates),
        .lost_error = share_error(&rates),
        .processor_with = processor(&with),
        .processor = share(&processors),
        .processor_error = share_error(&processors),
        /* What began in a slice and ended in the next one was written in that. */
        .bytes = (double)(with.bytes + without.bytes) / (double)with.ended,
    };
}
