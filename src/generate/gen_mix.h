#ifndef ESSE_GENERATE_GEN_MIX_H
#define ESSE_GENERATE_GEN_MIX_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A workload whose transactions have shapes of their own: how often each shape comes up, and what
 * it does to the rows of which table.  Tables are shares of the keys, so one number scales all.
 * The rows of a log are inserted one after the other, each a fresh key, and recent ones are read
 * most; when its keys are used up, the oldest row makes room.
 */
enum { ESSE_GEN_TABLES = 6, ESSE_GEN_SHAPES = 5, ESSE_GEN_PARTS = 4 };
enum { ESSE_GEN_SHARES = 10000 }; /* what the shares of a mix add up to */

enum esse_gen_access { ESSE_GEN_LOOK, ESSE_GEN_MODIFY, ESSE_GEN_ADD };

/* From 'least' to 'most' rows of a table are read, read and written, or inserted. */
struct esse_gen_part {
    enum esse_gen_access access;
    uint8_t table, least, most; /* most 0: no part */
};

struct esse_gen_mix {
    struct {
        const char *name;
        uint32_t share;
        bool is_log;
    } tables[ESSE_GEN_TABLES]; /* a share of 0 ends them */
    struct {
        const char *name;
        uint32_t percent;
        struct esse_gen_part parts[ESSE_GEN_PARTS];
    } shapes[ESSE_GEN_SHAPES]; /* their percents add up to 100 */
};

extern const struct esse_gen_mix esse_gen_twitter, esse_gen_rubis, esse_gen_tpcc;

/* How many operations the longest transaction has. */
uint64_t esse_gen_mix_ops(const struct esse_gen_mix *mix);

#endif
