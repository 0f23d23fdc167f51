#ifndef ESSE_COLLECT_RECOVER_H
#define ESSE_COLLECT_RECOVER_H

#include "collect/change.h"
#include "history/record.h"

/*
 * Certificates from change streams (docs/design/recovery.md): the order in which transactions
 * committed and the order of each key's versions, under the names that the history has for them.
 *
 * Two things are collected, in any order and interleaved as they come: what the stream says was
 * installed, and what the history says was written.  At the end the two are matched: a transaction
 * of the stream is the one of the history with its id (txn.xid), or else the only one that wrote
 * this value of this key.
 *
 * Life: new -> (begin, install*)* and see* -> emit.  Keys are compared by their text: the integer
 * 5 and "5" are one key.  Cost: O(1) a version and a write, 40 bytes each; emit a sort by stamp if
 * the stream was not in order, else linear.
 */
struct esse_recovery;

struct esse_recovery *esse_recovery_new(struct esse_arena *arena, struct esse_values *values);

/* ---- the stream ---- */

/* The transaction whose versions follow.  Coming back to one keeps its first stamp. */
void esse_recovery_begin(struct esse_recovery *recovery, const struct esse_change_txn *txn);

/* It installed this version; ESSE_NIL: it deleted the key; ESSE_NONE: the value is not known.  Of
 * several versions of a key by one transaction the last counts: feeds have no others. */
void esse_recovery_install(struct esse_recovery *recovery, esse_value key, esse_value value);

/* The same for a list: these items now.  What its last known state does not have is new. */
void esse_recovery_install_list(struct esse_recovery *recovery, esse_value key,
                                const esse_value *items, size_t count);

/* ---- the history ---- */

/* A transaction of the history, which must have a name.  What aborted is ignored. */
void esse_recovery_see(struct esse_recovery *recovery, const struct esse_txn_record *txn);

/* ---- the certificate ---- */

struct esse_recovery_counts {
    uint64_t transactions; /* of the history that the order names */
    uint64_t versions;     /* in the version orders */
    uint64_t superseded;   /* overwritten by their own transaction, so no versions */
    uint64_t foreign;      /* versions by transactions that are not in the history */
};

/* Sends one version order a key, keys in the order of their first version, the order of the
 * transactions that wrote, and the certificate's kind.  'complete' says that the stream was read
 * to its end; the certificate says so too if nothing in it is foreign. */
bool esse_recovery_emit(struct esse_recovery *recovery, struct esse_certificate_record certificate,
                        struct esse_sink *sink, struct esse_recovery_counts *counts,
                        struct esse_error *err);

/* ---- what a statement saw ---- */

/*
 * Which transactions a statement sees.  Of the versions of one key it must see the oldest ones up
 * to some place: whoever overwrites a version has seen it committed (docs/design/recovery.md says
 * why each kind of server keeps that).
 */
struct esse_view {
    bool (*sees)(const void *context, const struct esse_change_txn *txn);
    const void *context;
};

/* The version of 'key' that it saw: false if none that the stream has, which means the initial
 * one.  'value' and the transaction's id as they were installed.  Cost: O(log versions of the key);
 * the first call after a change to the recovery sorts. */
bool esse_recovery_seen(struct esse_recovery *recovery, esse_value key,
                        const struct esse_view *view, esse_value *value, esse_value *txn_id);

/* ---- rows ---- */

/* How rows of a table are keys and values of the history. */
struct esse_table_rule {
    const char *table;
    const char *key;    /* the column of the key */
    const char *value;  /* the column of the value; NULL: all others together are a row */
    const char *prefix; /* stands before the key's text; "" if nothing does */
    bool is_list;       /* the value is the text of a list: items with commas between */
};

/* A sink that takes a change stream for a recovery.  Tables without a rule are not ours and are
 * passed over; 'rules' must live as long.  A TRUNCATE of one that has a rule is an error: it ends
 * versions of keys that the stream does not name. */
struct esse_change_sink *esse_recovery_rows(struct esse_arena *arena, struct esse_values *values,
                                            struct esse_recovery *recovery,
                                            const struct esse_table_rule *rules, size_t count);

/* An integer if the text is one of 64 bits as Esse prints them, else the text. */
esse_value esse_value_of_digits(struct esse_values *values, const char *text, size_t length);

/* The items of a list's text; commas between, nothing for the empty list.  Adds to the caller's
 * array of 'room' items and returns how many there are, which may be more. */
size_t esse_list_items(struct esse_values *values, struct esse_span text, esse_value *items,
                       size_t room);

#endif
