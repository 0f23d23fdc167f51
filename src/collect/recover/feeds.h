#ifndef ESSE_COLLECT_RECOVER_FEEDS_H
#define ESSE_COLLECT_RECOVER_FEEDS_H

#include "collect/recover/change.h"

/*
 * Change feeds that are JSON, one text at a time: etcd's watches, CockroachDB's changefeeds and
 * TiDB's MVCC API.  Each text stands for itself, so these are functions without state; a mistake
 * fails with its line and column.  Integers that the servers write as strings are read as such.
 *
 * Cost: one pass and a scratch arena.
 */

/*
 * etcd 3: an answer of /v3/watch or /v3/kv/range, over the JSON gateway.  A row is (k, v) in the
 * table "", both texts, integers where they look like it; its transaction is its mod_revision,
 * which is the id and the stamp, and which all keys of one transaction share.  '*revision' becomes
 * the one of the header.
 */
bool esse_etcd_feed(struct esse_change_sink *sink, struct esse_span text, int64_t *revision,
                    struct esse_error *err);

/* The table of a message. */
struct esse_cockroach_rows {
    struct esse_span table;
    const char *const *key_columns; /* of its primary key */
    size_t key_count;
};

/*
 * CockroachDB: a message of a changefeed WITH updated, resolved, envelope=wrapped.  Its key is
 * 'key', a list in JSON as a changefeed on a connection has it in a column of its own, or if that
 * is empty a member of the message (key_in_value); it is needed of deleted rows.  Its transaction
 * is its timestamp 'updated', the id as a text and the stamp.  Row messages come at least once and
 * out of order; everything up to '*resolved' has come.  '*resolved' is only set by messages that
 * say so.
 */
bool esse_cockroach_feed(struct esse_change_sink *sink, const struct esse_cockroach_rows *rows,
                         struct esse_span key, struct esse_span text, struct esse_stamp *resolved,
                         struct esse_error *err);

/*
 * TiDB: the answer of http://HOST:10080/mvcc/key/DB/TABLE/HANDLE, all versions of the row whose
 * key column is 'key'.  Their transactions are their start_ts, the ids, and commit_ts, the stamps.
 * The columns are not decoded: a version is its transaction's.  Locks and rollbacks are passed
 * over.
 */
bool esse_tidb_feed(struct esse_change_sink *sink, const char *table, const char *key_column,
                    esse_value key, struct esse_span text, struct esse_error *err);

#endif
