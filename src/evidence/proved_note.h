#ifndef ESSE_EVIDENCE_PROVED_NOTE_H
#define ESSE_EVIDENCE_PROVED_NOTE_H

#include "evidence/proved.h"
#include "history/by_key.h"

/* Notes that the order proves the level; nothing if 'proved' is NULL or of another history.
 * Private to evidence/: the caller must have checked just that. */
void proved_note(struct esse_proved *proved, const struct esse_history *history,
                 const struct esse_level *level, const struct esse_order *order);

/* The history key by key, made once for all anomalies; NULL if 'proved' is or is of another. */
const struct esse_by_key *proved_by_key(struct esse_proved *proved,
                                        const struct esse_history *history);

#endif
