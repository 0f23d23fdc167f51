#include "level/plain.h"

#include <string.h>

const char esse_repeatable_read_note[] =
    "repeatable-read is Adya's level here, which forbids write skew on rows; what PostgreSQL calls "
    "REPEATABLE READ is snapshot-isolation, and that of MySQL is weaker still";

/* ---- what to do ---- */

#define BUG                                                                                        \
    " If the database promises that level already, this is a bug of the database: report it."
#define RETRY                                                                                      \
    "use SERIALIZABLE, and run a transaction again when the database refuses it (SQLSTATE 40001)"
#define USE_READ_COMMITTED "Use at least READ COMMITTED." BUG
#define ONE_SNAPSHOT                                                                               \
    "Use a level that reads from one snapshot (REPEATABLE READ in PostgreSQL, SNAPSHOT in SQL "    \
    "Server), or SERIALIZABLE, and run a transaction again when the database refuses it." BUG
#define LOCK_OR_SERIALIZE                                                                          \
    "Lock what is read and then decided on (SELECT ... FOR UPDATE), or let a constraint (UNIQUE, " \
    "CHECK, a foreign key) keep the rule, or " RETRY "." BUG
#define LOCK_MORE                                                                                  \
    "FOR UPDATE does not lock rows that do not exist yet: lock a row that stands for all of "      \
    "them, or let a constraint keep the rule, or " RETRY "." BUG
#define FRESH                                                                                      \
    "Read from the primary and not from a replica, and ask for the strongest reads that the "      \
    "database has (linearizable, strong, majority)." BUG
#define STRONGER "Use the level that is named above, or a stronger one." BUG
#define LOOK_AT_WORKLOAD                                                                           \
    "Let the workload write values that are unique, so that a read shows which write it saw."

/* ---- what happened ---- */

#define GIVEN_ORDER                                                                                \
    "Run one after the other in the order that was given, the transactions would have seen "       \
    "something else than they did, or that order is against their sessions or times."
#define GIVEN_TIMES                                                                                \
    "With snapshots and commits at the times that were given, the transactions would have seen "   \
    "something else than they did, or these are against their sessions or times."
#define CHECK_ORDER                                                                                \
    "First make sure that the order or the times were taken down right; then the database broke "  \
    "its promise."
#define NO_COMMIT_ORDER                                                                            \
    "There is no order in which the transactions could have been committed, one after the other, " \
    "so that all of them saw what this level lets them see."
#define NO_CHOICE                                                                                  \
    "In whatever order the writes took effect, and whichever write a read returned: there is no "  \
    "way in which the transactions could have run at this level and seen what they saw."

static const struct esse_plain plain_table[ESSE_ANOMALY_END] = {
    [ESSE_ANOMALY_G1A] = { "A transaction saw data of another one that was rolled back: data that, "
                           "officially, never existed (a dirty read).",
                           "", USE_READ_COMMITTED },
    [ESSE_ANOMALY_G1B] = { "A transaction saw a value that another one had written only on its way "
                           "to the final one.",
                           "", USE_READ_COMMITTED },
    [ESSE_ANOMALY_GARBAGE_READ] = { "A transaction saw a value that no client ever wrote.", "",
                                    "Nothing that a client does should make this possible: look "
                                    "for a bug in the database, or in what recorded the history." },
    [ESSE_ANOMALY_INTERNAL] = { "Within one transaction a value changed that the transaction had "
                                "not changed, or its own change was not there.",
                                "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_OWN_WRITE_MISSED] = { "A transaction did not see what it had itself written "
                                        "before.",
                                        "", STRONGER },
    [ESSE_ANOMALY_FUTURE_READ] = { "A transaction saw a value that it wrote itself only "
                                   "afterwards.",
                                   "",
                                   "Nothing that a client does should make this possible: look for "
                                   "a bug in the database, or in what recorded the history." },
    [ESSE_ANOMALY_DUPLICATE_ELEMENTS] = { "A list holds an element more often than it was "
                                          "appended: "
                                          "a change took effect more than once.",
                                          "",
                                          "Look for a client or a driver that repeats a request "
                                          "whose outcome it does not know." BUG },
    [ESSE_ANOMALY_DUPLICATE_WRITE] = { "The same value was written twice to one key, so that a "
                                       "read "
                                       "of it does not show which write it saw.",
                                       "", LOOK_AT_WORKLOAD },
    [ESSE_ANOMALY_INCOMPATIBLE_ORDER] = { "Two transactions saw the same list with its elements in "
                                          "orders that contradict each other, so at least one of "
                                          "them saw a state that did not last.",
                                          "", USE_READ_COMMITTED },
    [ESSE_ANOMALY_CYCLIC_VERSIONS] = { "What is taken for granted about the order of the writes to "
                                       "one key contradicts itself.",
                                       "",
                                       "If it follows from an assumption (--wfr-keys and the like) "
                                       "that does not hold, leave that out." BUG },
    [ESSE_ANOMALY_DIRTY_UPDATE] = { "A change that was committed builds on one that was rolled "
                                    "back.",
                                    "", USE_READ_COMMITTED },
    [ESSE_ANOMALY_LOST_UPDATE] = { "Two transactions read the same version of a value and both "
                                   "wrote it. Unless one of them looked again before it wrote, it "
                                   "did not know of the other's change, which is then lost.",
                                   "",
                                   "Read the row with SELECT ... FOR UPDATE, or let one statement "
                                   "do "
                                   "it all (UPDATE ... SET n = n + 1), or use a level that "
                                   "prevents "
                                   "it and run a transaction again when the database refuses "
                                   "it." BUG },
    [ESSE_ANOMALY_LOST_COMMIT] = { "The database acknowledged a commit, and later nothing of it "
                                   "was there.",
                                   "",
                                   "Let a commit wait for the disk, and for replicas if there are "
                                   "any (in PostgreSQL synchronous_commit = on, in MySQL "
                                   "innodb_flush_log_at_trx_commit = 1, in Redis appendfsync "
                                   "always)." BUG },
    [ESSE_ANOMALY_PREDICATE_READ_MISS] = { "A query left out a row that matched it all the time.",
                                           "",
                                           "Nothing that a client does should make this possible: "
                                           "look for a bug in the database (a broken index?), or "
                                           "in "
                                           "what recorded the history." },
    [ESSE_ANOMALY_RESULT_SET_MISMATCH] = { "A query did not return what it selects from the rows "
                                           "that it looked at.",
                                           "",
                                           "Look for a bug in the database (a broken index?), or "
                                           "in "
                                           "what recorded the history or its certificate." },
    [ESSE_ANOMALY_G0] = { "The writes of several transactions ended up mixed: here the one is on "
                          "top "
                          "of the other, there the other on top of the one.",
                          "", USE_READ_COMMITTED },
    [ESSE_ANOMALY_G1C] = { "Transactions saw or overwrote each other's changes in a circle, so "
                           "that "
                           "each of them must have come after the others.",
                           "", USE_READ_COMMITTED },
    [ESSE_ANOMALY_G_SINGLE_ITEM] = { "A transaction worked with a mixture of old and new: it "
                                     "missed "
                                     "a change of another one, and yet it comes after that one (it "
                                     "saw or overwrote something that came with the change, or "
                                     "later).",
                                     "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_G_SINGLE] = { "A query missed that another transaction had added, changed or "
                                "removed a row that matters to it, and yet its transaction comes "
                                "after that one (a phantom).",
                                "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_G_NONADJACENT_ITEM] = { "Several transactions saw changes in orders that "
                                          "contradict each other, as if there were more than one "
                                          "truth (a long fork).",
                                          "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_G_NONADJACENT] = { "Several transactions saw changes, some by queries, in orders "
                                     "that contradict each other, as if there were more than one "
                                     "truth.",
                                     "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_G2_ITEM] = { "Transactions missed each other's changes in a circle, so that none "
                               "of them can have run before the others. The simplest case is write "
                               "skew: two transactions each read what the other is about to "
                               "change, and both commit.",
                               "", LOCK_OR_SERIALIZE },
    [ESSE_ANOMALY_G2] = { "Transactions missed each other's changes in a circle, at least one of "
                          "them by a query that did not see a row, so that none of them can have "
                          "run before the others. The simplest case is write skew: two "
                          "transactions "
                          "each ask what the other is about to change, and both commit.",
                          "", LOCK_MORE },
    [ESSE_ANOMALY_CO_READ_COMMITTED] = { NO_COMMIT_ORDER, "", STRONGER },
    [ESSE_ANOMALY_CO_MONOTONIC_ATOMIC_VIEW] = { NO_COMMIT_ORDER, "", STRONGER },
    [ESSE_ANOMALY_CO_READ_ATOMIC] = { NO_COMMIT_ORDER, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_CO_CAUSAL_CERONE] = { NO_COMMIT_ORDER, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_CO_CAUSAL] = { NO_COMMIT_ORDER, "", FRESH },
    [ESSE_ANOMALY_CO_PRAM] = { NO_COMMIT_ORDER, "", FRESH },
    [ESSE_ANOMALY_CO_READ_YOUR_WRITES] = { "A client did not see what it had itself written "
                                           "before.",
                                           "", FRESH },
    [ESSE_ANOMALY_CO_MONOTONIC_READS] = { "A client saw something, and later an older state.", "",
                                          FRESH },
    [ESSE_ANOMALY_CO_MONOTONIC_WRITES] = { "The writes of one client were seen in another order "
                                           "than that in which it did them.",
                                           "", FRESH },
    [ESSE_ANOMALY_CO_WRITES_FOLLOW_READS] = { "Something was seen without that which its writer "
                                              "had "
                                              "seen before.",
                                              "", FRESH },
    [ESSE_ANOMALY_CO_PREFIX] = { NO_COMMIT_ORDER, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_CO_PARALLEL] = { NO_COMMIT_ORDER, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_CO_UPDATE_ATOMIC] = { NO_COMMIT_ORDER, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_STRICT_SERIALIZABLE] = { NO_CHOICE, "", FRESH },
    [ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SERIALIZABLE] = { NO_CHOICE, "", LOCK_OR_SERIALIZE },
    [ESSE_ANOMALY_NO_ORDER_SERIALIZABLE] = { NO_CHOICE, "", LOCK_OR_SERIALIZE },
    [ESSE_ANOMALY_NO_ORDER_STRONG_SNAPSHOT_ISOLATION] = { NO_CHOICE, "", FRESH },
    [ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SNAPSHOT_ISOLATION] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ] = { NO_CHOICE, "", LOCK_OR_SERIALIZE },
    [ESSE_ANOMALY_NO_ORDER_PREFIX] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_PARALLEL] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_CONSISTENT_VIEW] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_NO_ORDER_READ_ATOMIC] = { NO_CHOICE, "", ONE_SNAPSHOT },
    [ESSE_ANOMALY_ORDER_MISMATCH] = { GIVEN_ORDER, "", CHECK_ORDER },
    [ESSE_ANOMALY_ORDER_MISMATCH_PROCESS] = { GIVEN_ORDER, "", CHECK_ORDER },
    [ESSE_ANOMALY_ORDER_MISMATCH_REALTIME] = { GIVEN_ORDER, "", CHECK_ORDER },
    [ESSE_ANOMALY_SNAPSHOT_MISMATCH] = { GIVEN_TIMES, "", CHECK_ORDER },
    [ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS] = { GIVEN_TIMES, "", CHECK_ORDER },
    [ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME] = { GIVEN_TIMES, "", CHECK_ORDER },
    [ESSE_ANOMALY_GSIA] = { "A transaction read or overwrote a change that, by the times that were "
                            "given, had not been committed when it began.",
                            "", CHECK_ORDER },
    [ESSE_ANOMALY_GSIB] = { "A transaction missed a change that, by the times that were given, had "
                            "been committed when it began.",
                            "", CHECK_ORDER },
};

/* ---- cycles with sessions and time ---- */

struct variant {
    const char *ending, *also, *remedy;
};
static const struct variant variants[] = {
    { "-process",
      " Part of the circle is that one client did one of these transactions after another.",
      FRESH },
    { "-realtime", " Part of the circle is time: one of these had ended before another began.",
      FRESH },
};

/* The type without "-process" or "-realtime", and which of them it had; NULL, and the type itself,
 * if it has none or words of its own. */
static const struct variant *variant_of(const struct esse_anomaly_type *type,
                                        const struct esse_anomaly_type **base)
{
    char name[64];
    for (size_t i = 0; i < sizeof variants / sizeof *variants && !plain_table[type->id].happened;
         i++) {
        const size_t length = strlen(type->name), ending = strlen(variants[i].ending);
        if (length <= ending || length >= sizeof name ||
            strcmp(type->name + length - ending, variants[i].ending) != 0)
            continue;
        memcpy(name, type->name, length - ending);
        name[length - ending] = '\0';
        const struct esse_anomaly_type *found = esse_anomaly_find(name);
        if (found)
            *base = found;
        return found ? &variants[i] : NULL;
    }
    return NULL;
}

/* Fresher reads do not help transactions that missed each other's changes. */
static bool is_mutual(const struct esse_anomaly_type *type)
{
    return type->id == ESSE_ANOMALY_G2_ITEM || type->id == ESSE_ANOMALY_G2;
}

bool esse_anomaly_plain(const struct esse_anomaly_type *type, struct esse_plain *plain)
{
    const struct esse_anomaly_type *base = type;
    const struct variant *variant = variant_of(type, &base);
    *plain = plain_table[base->id];
    if (variant) {
        plain->also = variant->also;
        plain->remedy = is_mutual(base) ? plain->remedy : variant->remedy;
    }
    return plain->happened != NULL;
}

const struct esse_level *esse_anomaly_prevented_by(const struct esse_anomaly_type *type)
{
    static const enum esse_level_id common[] = {
        ESSE_LEVEL_READ_UNCOMMITTED,          ESSE_LEVEL_READ_COMMITTED,
        ESSE_LEVEL_SNAPSHOT_ISOLATION,        ESSE_LEVEL_SERIALIZABLE,
        ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, ESSE_LEVEL_STRICT_SERIALIZABLE,
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (esse_level_forbids(esse_level_get(common[i]), type))
            return esse_level_get(common[i]);
    return NULL;
}
