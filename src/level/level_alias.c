#include "level/level.h"

#define WITH_SESSIONS(level)                                                                       \
    "taken as " level "; with session order, as PolySI, VeriStrong and DBCop check it, it is "     \
    "strong-session-" level
#define READ_COMMITTED                                                                             \
    "taken as read-committed (Adya's PL-2); what AWDIT, Plume, IsoVista and DBCop call so is "     \
    "axiomatic-read-committed"
#define REPEATABLE_READ                                                                            \
    "taken as repeatable-read (Adya's PL-2.99); REPEATABLE READ of PostgreSQL is nearer to "       \
    "snapshot-isolation"
#define CAUSAL_OF_TXNS                                                                             \
    "taken as causal-cerone, causal consistency of transactions, as in AWDIT and Plume; Elle's "   \
    "causal is about single operations"

const struct esse_level_alias esse_level_alias_table[] = {
    { "SSER", ESSE_LEVEL_STRICT_SERIALIZABLE, NULL },
    { "strict-serializability", ESSE_LEVEL_STRICT_SERIALIZABLE, NULL },
    { "strong-serializability", ESSE_LEVEL_STRICT_SERIALIZABLE, NULL },
    { "strict", ESSE_LEVEL_STRICT_SERIALIZABLE, NULL },
    { "SER", ESSE_LEVEL_SERIALIZABLE, WITH_SESSIONS("serializable") },
    { "SR", ESSE_LEVEL_SERIALIZABLE, NULL },
    { "serializability", ESSE_LEVEL_SERIALIZABLE, NULL },
    { "serialization", ESSE_LEVEL_SERIALIZABLE, NULL },
    { "SI", ESSE_LEVEL_SNAPSHOT_ISOLATION, WITH_SESSIONS("snapshot-isolation") },
    { "snapshot", ESSE_LEVEL_SNAPSHOT_ISOLATION, NULL },
    { "strong-SI", ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, NULL },
    { "strong-session-SI", ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, NULL },
    { "strong-session-SER", ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, NULL },
    { "PSI", ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION, NULL },
    { "RR", ESSE_LEVEL_REPEATABLE_READ, REPEATABLE_READ },
    { "RC", ESSE_LEVEL_READ_COMMITTED, READ_COMMITTED },
    { "committed-read", ESSE_LEVEL_AXIOMATIC_READ_COMMITTED, NULL }, /* DBCop's */
    { "RU", ESSE_LEVEL_READ_UNCOMMITTED, NULL },
    { "RA", ESSE_LEVEL_READ_ATOMIC, NULL },
    { "read-atomicity", ESSE_LEVEL_READ_ATOMIC, NULL },
    { "atomic-read", ESSE_LEVEL_READ_ATOMIC, NULL },
    { "TCC", ESSE_LEVEL_CAUSAL_CERONE, NULL },
    { "transactional-causal-consistency", ESSE_LEVEL_CAUSAL_CERONE, NULL },
    { "CC", ESSE_LEVEL_CAUSAL_CERONE, CAUSAL_OF_TXNS },
    { "causal-consistency", ESSE_LEVEL_CAUSAL_CERONE, NULL },
    { "causal", ESSE_LEVEL_CAUSAL,
      "taken as Elle's causal, about single operations; what AWDIT and DBCop call causal, of "
      "transactions, is causal-cerone" },
    { "PC", ESSE_LEVEL_PREFIX, NULL },
    { "pre", ESSE_LEVEL_PREFIX, NULL },
    { "MAV", ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW, NULL },
    { "CS", ESSE_LEVEL_CURSOR_STABILITY, NULL },
    { "linearizability", ESSE_LEVEL_LINEARIZABLE, NULL },
    { "LIN", ESSE_LEVEL_LINEARIZABLE, NULL },
    { "sequential-consistency", ESSE_LEVEL_SEQUENTIAL, NULL },
    { NULL, ESSE_LEVEL_NONE, NULL },
};
