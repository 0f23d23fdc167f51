#ifndef ESSE_COLLECT_RECOVER_BINLOG_H
#define ESSE_COLLECT_RECOVER_BINLOG_H

#include "collect/recover/change.h"

/*
 * Events of a row-based binary log of MariaDB or MySQL: GTID or BEGIN, TABLE_MAP,
 * WRITE/UPDATE/DELETE_ROWS and XID; those that say nothing about rows are passed over. Transactions
 * come whole and in the order in which they committed.  A transaction's id is MariaDB's GTID,
 * "0-1-17", and nil for MySQL, whose clients cannot ask for theirs; its stamp is its place in the
 * stream.  Columns have their names if the server writes them (binlog_row_metadata=FULL), else they
 * are "@1", "@2" ... by position.
 *
 * Rows may have integers of every size, CHAR, VARCHAR, TEXT, BLOB and NULL in them; any other type
 * is an error that names it, and so are compressed events and payloads.
 *
 * Life: new -> event*.  Cost: one pass; memory for the tables that it has seen.
 */
struct esse_binlog;

struct esse_binlog *esse_binlog_new(struct esse_arena *arena, struct esse_change_sink *sink);

/* One event, header included; 'offset' is where it stands, for messages. */
bool esse_binlog_event(struct esse_binlog *decoder, const void *bytes, size_t length,
                       uint64_t offset, struct esse_error *err);

#endif
