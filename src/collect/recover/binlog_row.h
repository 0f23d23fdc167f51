#ifndef ESSE_COLLECT_RECOVER_BINLOG_ROW_H
#define ESSE_COLLECT_RECOVER_BINLOG_ROW_H

#include "collect/recover/bytes.h"

/* The inside of binary logs: tables as TABLE_MAP describes them, and one value of a row. */

struct esse_binlog_column {
    struct esse_span name;
    uint8_t type;
    uint16_t meta;
    bool is_unsigned;
};

struct esse_binlog_table {
    uint64_t id;
    struct esse_span name;
    const struct esse_binlog_column *columns;
    size_t count;
};

/* MySQL's integer of variable length. */
uint64_t esse_binlog_packed(struct esse_bytes *bytes, const char *what);

/* What follows the common header of a TABLE_MAP event; in the arena. */
bool esse_binlog_table_read(struct esse_arena *arena, struct esse_bytes *bytes,
                            struct esse_binlog_table *table);

/* A value that is not null. */
esse_value esse_binlog_value(struct esse_values *values, struct esse_bytes *bytes,
                             const struct esse_binlog_column *column);

#endif
