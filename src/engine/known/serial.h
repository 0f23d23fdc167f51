#ifndef ESSE_ENGINE_KNOWN_SERIAL_H
#define ESSE_ENGINE_KNOWN_SERIAL_H

#include "base/vec.h"
#include "engine/engine.h"
#include "history/by_key.h"

/*
 * A serial order near the order of recording, for histories of registers or of lists.
 *
 * Clients record a transaction when it ends, and it was committed a little before.  So nearly every
 * read returns what the last write before it in the history left, and the others were overtaken by
 * a few.  Such a read is a dependency that leads backward in the order of recording; every cycle
 * contains one, and lies where they overlap.  Only these windows are put in order, each by itself:
 * what must come before a transaction is pulled up to just before it.  That is the least change,
 * and where the history is recorded in the order of ends it keeps real time if that can be.
 *
 * The versions of a key are taken to be in the order of recording.  So the order is a guess; to
 * replay it decides, and the caller must do that.  A window whose dependencies form a cycle, or
 * with a read that nothing explains, is left as recorded and listed as odd.  Outside of these every
 * read returns the newest version, and there is nothing that the scan would tell: where a workload
 * promises that no value is written twice, that is looked at too.
 *
 * Cost: O(operations); 4 bytes an operation and 40 to 80 a key while it works.
 */
struct serial_window {
    uint32_t begin, end; /* the places [begin .. end) */
};
ESSE_VEC(serial_window_vec, struct serial_window)

struct serial {
    struct esse_order order;      /* of the committed transactions */
    struct serial_window_vec odd; /* ascending */
    const uint32_t *sorted;       /* by place: the transaction there; NULL: the places are those of
                                     the recording */
};

static inline uint32_t serial_txn(const struct serial *serial, uint32_t place)
{
    return serial->sorted ? serial->sorted[place] : place;
}

/* Registers, or lists without initial values; no predicates. */
bool serial_is_fit(const struct esse_history *history);

/* False if the history is of another kind, if a value may have been written twice that must not be,
 * if reads are too stale to be worth it, or if the budget is spent.  With 'real_time' windows that
 * it contradicts are odd too, and it is also false if the order of recording does.  What remains is
 * in 'arena'. */
bool serial_find(struct serial *serial, struct esse_arena *arena,
                 const struct esse_history *history, bool real_time, struct esse_budget *budget);

/*
 * What can take part in an anomaly or in a cycle of dependencies: the accesses of the transactions
 * in odd windows, and whatever else wrote a value that was read there.
 *
 * Cost: O(operations), 16 bytes for each that is picked and 1 a transaction.
 */
struct serial_part {
    struct esse_by_key by_key;
    const uint8_t *in; /* by transaction: some of its accesses are picked */
};

/* False if that is no small part of the history, or if it depends on what unknown transactions
 * outside did. */
bool serial_pick(struct serial_part *part, struct esse_arena *arena,
                 const struct esse_history *history, const struct serial *serial);

/* What was looked for in one check, by whether real time counts: each once. */
struct serial_near {
    struct serial found[2];
    bool is_tried[2], is_found[2];
};

/* Such an order for the history of the job, kept in job->near; NULL if there is none.  There is
 * none either where something is assumed or given about versions: that is looked at for every key.
 */
const struct serial *serial_near_find(struct esse_job *job, bool real_time);

/* Decides a job by what is odd in the order, if that will do: 'decide' is called for that part of
 * the history, which may refute but never prove, and what it does not refute the order may prove.
 * False if a level stays open then; the job is as it was. */
bool serial_decide_part(struct esse_job *job, const struct serial *serial,
                        void (*decide)(struct esse_job *job, const struct serial_part *part));

#endif
