#ifndef ESSE_HISTORY_BUILDING_H
#define ESSE_HISTORY_BUILDING_H

#include "base/index.h"
#include "base/vec.h"
#include "history/builder.h"
#include "history/faults_kept.h"
#include "history/lists.h"

/* A history under construction: what builder.c fills and freeze.c closes.  Private to them. */

ESSE_VEC(esse_interval_vec, struct esse_interval)
ESSE_VEC(esse_predicate_vec, struct esse_predicate_op)
ESSE_VEC(esse_keyed_row_vec, struct esse_keyed_row)
ESSE_VEC(esse_txn_extra_vec, struct esse_txn_extra)
ESSE_VEC(esse_warning_vec, struct esse_warning)
ESSE_VEC(esse_version_order_vec, struct esse_version_order)

/* What has been done to a key, so that a register and a list cannot be one key. */
enum { KEY_WRITTEN = 1, KEY_APPENDED = 2, KEY_LIST_READ = 4, KEY_ORDERED = 8, KEY_INIT = 16 };

struct esse_builder {
    struct esse_sink sink; /* first: a sink of this kind is its builder */
    struct esse_arena *arena;
    struct esse_lists *lists;         /* NULL in a part: there ... */
    struct esse_value_vec part_items; /* ... the items of all lists stand here, as they came */
    unsigned has;

    struct esse_u8_vec op_kind;
    struct esse_u32_vec op_key;
    struct esse_value_vec op_value;
    struct esse_interval_vec op_time;  /* empty until an operation has an interval */
    struct esse_value_vec op_snapshot; /* and this one until one has a snapshot */
    struct esse_u32_vec op_statement;  /* ... a statement */

    struct esse_u32_vec txn_op, txn_session, txn_line;
    struct esse_u8_vec txn_status;
    struct esse_value_vec txn_name; /* these five: empty until a transaction has one */
    struct esse_interval_vec txn_time, txn_server_time, txn_wall_time;
    struct esse_i64_vec txn_xid;
    struct esse_index names; /* transactions by name, those before 'indexed' */
    size_t indexed;
    int64_t largest_name; /* the largest word of a name that is an integer */

    struct esse_value_vec session_name;
    struct esse_index session_index;
    uint32_t last_session;

    struct esse_value_vec key_name;
    struct esse_u8_vec key_flags;
    struct esse_index key_index;
    uint32_t *key_guess; /* which key it probably is, see key_of */
    size_t guesses;      /* their number, a power of two */

    struct esse_predicate_vec predicates;
    struct esse_keyed_row_vec rows, init;
    struct esse_value_vec results;
    struct esse_txn_extra_vec extras;
    struct esse_warning_vec warnings;
    struct esse_fault_vec faults;

    struct esse_header_record header;
    bool has_header;

    /* Certificates are kept by name until every transaction is known. */
    struct esse_version_order_vec orders; /* 'versions' is not used yet: ... */
    struct esse_u32_vec order_first;      /* ... they are order_refs[order_first[i] ..] */
    struct esse_ref_vec order_refs;
    struct esse_value_vec order, lost;
    uint64_t lost_line;
    bool is_lost_apart;
    uint64_t serial_line; /* where the serialization order stands, and */
    bool is_serial_apart; /* whether in a certificate of its own */
    bool is_apart;        /* what comes now is of a certificate that stands in a file of its own */
    struct esse_certificate_record certificate;

    /* The transaction that is being recorded by hand (recording.c). */
    struct esse_txn_record open;
    struct esse_op_record_vec open_ops;
    struct esse_value_vec open_items;
};

/* Ids are compared as they print, so the text "12" and the number 12 are one id: the number. */
esse_value esse_builder_id(struct esse_builder *builder, esse_value name);

/* The key of this name, and the session of this id; one that was not seen before gets the next
 * number. */
esse_key esse_builder_key(struct esse_builder *builder, esse_value name);
uint32_t esse_builder_session_id(struct esse_builder *builder, esse_value id);

/* The session of this id, if there is one. */
bool esse_builder_session(const struct esse_builder *builder, esse_value id, uint32_t *session);

/* The transaction that was given this id.  The index is made when it is first asked for: ids that
 * only grow, as most do, never need it. */
bool esse_builder_named(struct esse_builder *builder, esse_value id, uint32_t *txn);

#endif
