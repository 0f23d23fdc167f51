#ifndef ESSE_COLLECT_RECOVER_TEST_DECODING_H
#define ESSE_COLLECT_RECOVER_TEST_DECODING_H

#include "collect/recover/change.h"

/*
 * The text of PostgreSQL's plugin test_decoding, one line of output at a time:
 *
 *     BEGIN 734
 *     table public.esse_r: UPDATE: k[bigint]:1 v[bigint]:7
 *     COMMIT 734
 *
 * The same stream as pgoutput.h has, for servers that have no pgoutput or no replication
 * connections; the stamp is the position of the transaction in the stream.
 */
struct esse_test_decoding;

struct esse_test_decoding *esse_test_decoding_new(struct esse_arena *arena,
                                                  struct esse_change_sink *sink);

bool esse_test_decoding_line(struct esse_test_decoding *decoder, const char *line, size_t length,
                             struct esse_error *err);

#endif
