#ifndef ESSE_GENERATE_PLANT_SCRIPT_H
#define ESSE_GENERATE_PLANT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/* A plant's script, read; the notation is explained in plant_table.c. */

enum {
    PLANT_TXNS = 6,
    PLANT_OPS = 4,
    PLANT_KEYS = 3,
    PLANT_DIGITS = 4,
    PLANT_TICKS = 10,
};

struct plant_op {
    char kind;   /* 'w', 'r' or 'p' */
    uint8_t key; /* 0 is x; for a predicate, the keys of its rows are row_keys */
    uint8_t digits[PLANT_DIGITS], row_keys[PLANT_DIGITS];
    uint8_t count;
};

struct plant_txn {
    char session, status; /* 'a' is the first; '!', '?', '~' or 0 */
    uint8_t begin, end;
    bool has_points;
    uint8_t snapshot, commit; /* as the store reports, if it has points */
    struct plant_op ops[PLANT_OPS];
    uint8_t op_count;
};

struct plant_script {
    struct plant_txn txns[PLANT_TXNS], init;
    uint8_t txn_count, keys, sessions;
    struct plant_op orders[PLANT_KEYS]; /* an explicit version order, if count > 0 */
};

/* The scripts are our own, so a mistake in one is a bug and asserts. */
struct plant_script plant_script_read(const char *text);

#endif
