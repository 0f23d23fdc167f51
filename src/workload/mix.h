#ifndef ESSE_WORKLOAD_MIX_H
#define ESSE_WORKLOAD_MIX_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A workload whose transactions have shapes of their own: how often each shape comes up, and what
 * it does to the rows of which table.  Tables are shares of the keys, so one number scales all.
 * The rows of a log are inserted one after the other, each a fresh key, and recent ones are read
 * most; when its keys are used up, the oldest row makes room.
 */
enum { ESSE_MIX_TABLES = 6, ESSE_MIX_SHAPES = 5, ESSE_MIX_PARTS = 4 };
enum { ESSE_MIX_SHARES = 10000 }; /* what the shares of a mix add up to */

enum esse_mix_access { ESSE_MIX_LOOK, ESSE_MIX_MODIFY, ESSE_MIX_ADD };

/* From 'least' to 'most' rows of a table are read, read and written, or inserted. */
struct esse_mix_part {
    enum esse_mix_access access;
    uint8_t table, least, most; /* most 0: no part */
};

struct esse_mix {
    struct {
        const char *name;
        uint32_t share;
        bool is_log;
    } tables[ESSE_MIX_TABLES]; /* a share of 0 ends them */
    struct {
        const char *name;
        uint32_t percent;
        struct esse_mix_part parts[ESSE_MIX_PARTS];
    } shapes[ESSE_MIX_SHAPES]; /* their percents add up to 100 */
};

extern const struct esse_mix esse_mix_twitter, esse_mix_rubis, esse_mix_tpcc;

#endif
