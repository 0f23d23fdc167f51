#ifndef ESSE_FORMATS_EVIDENCE_FILE_H
#define ESSE_FORMATS_EVIDENCE_FILE_H

#include "base/out.h"
#include "formats/source.h"

enum { ESSE_EVIDENCE_VERSION = 1 };

/* What an evidence file claims.  Nothing in it is believed: it is for evidence/recheck. */
struct esse_evidence {
    const char *history;               /* its path, for people; not read */
    uint32_t transactions, operations; /* of that history */
    const struct esse_verdict *verdicts;
    uint32_t verdict_count;
};

/* Writes what verdicts claim and why, so that 'esse verify' can recheck it against the history in
 * a process of its own: docs/formats.md.  Transactions, operations and keys are numbered as the
 * history numbers them. */
void esse_evidence_write(struct esse_out *out, const struct esse_evidence *evidence);

/* Reads an evidence file.  Numbers that no history could have are refused here; whether they name
 * anything in a given history is for the recheck. */
bool esse_evidence_read(struct esse_arena *arena, const char *path, struct esse_evidence *out,
                        struct esse_error *err);

/* The same from a source whose window holds all of it. */
bool esse_evidence_parse(struct esse_arena *arena, struct esse_source *source,
                         struct esse_evidence *out, struct esse_error *err);

#endif
