#ifndef ESSE_COLLECT_RECOVER_PGOUTPUT_H
#define ESSE_COLLECT_RECOVER_PGOUTPUT_H

#include "collect/recover/change.h"

/*
 * PostgreSQL's logical replication stream, protocol version 1 of the plugin pgoutput: transactions
 * whole, in the order in which their commit records stand in the log.  A transaction's id is its
 * xid (32 bits), its stamp the log position of its commit.
 *
 * Life: new -> message*.  A malformed message fails with the offset in it; the decoder must not be
 * used afterwards.  Cost: one pass; memory for the tables that it has seen.
 */
struct esse_pgoutput;

struct esse_pgoutput *esse_pgoutput_new(struct esse_arena *arena, struct esse_change_sink *sink);

bool esse_pgoutput_message(struct esse_pgoutput *decoder, const void *bytes, size_t length,
                           struct esse_error *err);

/* What replication puts around them: one COPY row each. */
struct esse_pg_frame {
    bool is_data;      /* 'bytes' is a message; otherwise a keepalive */
    bool wants_reply;  /* a keepalive that asks for a status at once */
    uint64_t position; /* of the server's log: the end of what it has sent */
    const void *bytes;
    size_t length;
};

bool esse_pg_frame_read(const void *bytes, size_t length, struct esse_pg_frame *frame,
                        struct esse_error *err);

/* A standby's status: everything up to 'position' has arrived and may be forgotten. */
enum { ESSE_PG_STATUS_BYTES = 34 };
void esse_pg_status_write(unsigned char bytes[ESSE_PG_STATUS_BYTES], uint64_t position);

#endif
