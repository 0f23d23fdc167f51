#ifndef ESSE_FORMATS_EVIDENCE_READ_H
#define ESSE_FORMATS_EVIDENCE_READ_H

#include "formats/source.h"

/* What an evidence file claims.  Nothing in it is believed: it is for evidence/recheck. */
struct esse_evidence {
    uint64_t transactions, operations; /* of the history it speaks of */
    const struct esse_verdict *verdicts;
    uint32_t verdict_count;
};

/* Reads an evidence file.  Numbers that no history could have are refused here; whether they name
 * anything in a given history is for the recheck. */
bool esse_evidence_read(struct esse_arena *arena, const char *path, struct esse_evidence *out,
                        struct esse_error *err);

/* The same from a source whose window holds all of it. */
bool esse_evidence_parse(struct esse_arena *arena, struct esse_source *source,
                         struct esse_evidence *out, struct esse_error *err);

#endif
