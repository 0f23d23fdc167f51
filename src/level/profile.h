#ifndef ESSE_LEVEL_PROFILE_H
#define ESSE_LEVEL_PROFILE_H

#include "esse/esse.h"

/*
 * Profiles: by which mechanisms a database implements an isolation setting.  One row a setting;
 * `esse watch` mirrors what the row says, `esse watch --profile help` prints the table.
 *
 * Life: constant data.  A user's own row is parsed into the caller's storage.
 */

/* CR: how many snapshots there are. */
enum esse_profile_reads {
    ESSE_READS_ANY,       /* plain reads promise nothing */
    ESSE_READS_TXN,       /* T: one snapshot a transaction */
    ESSE_READS_STATEMENT, /* S: one a statement */
    ESSE_READS_ROW,       /* R: one a row, inside of the statement */
    ESSE_READS_LATE_ROW,  /* RC: one a row, between the first operation and the end of COMMIT */
};

/* When the transaction's snapshot is taken. */
enum esse_profile_at {
    ESSE_AT_FIRST,  /* F: by the first operation */
    ESSE_AT_PLAIN,  /* P: by the first plain read */
    ESSE_AT_BEGIN,  /* B: by BEGIN */
    ESSE_AT_EITHER, /* H: between BEGIN and the end of the first operation */
};

enum esse_profile_locks {
    ESSE_LOCKS_NONE,
    ESSE_LOCKS_WRITES, /* W: writes and locking reads */
    ESSE_LOCKS_READS,  /* W+R: plain reads too */
};

enum esse_profile_fuw { ESSE_FUW_NONE, ESSE_FUW_UPDATE, ESSE_FUW_COMMIT };

enum esse_profile_certifier {
    ESSE_CERTIFIER_NONE,
    ESSE_CERTIFIER_CYCLE,
    ESSE_CERTIFIER_SSI,
    ESSE_CERTIFIER_TO,
    ESSE_CERTIFIER_OCC,
};

/* How far time orders instants. */
enum esse_profile_time {
    ESSE_TIME_ALL,     /* x: one order for all keys */
    ESSE_TIME_KEY,     /* k: between instants of one key */
    ESSE_TIME_SESSION, /* s: within a session */
};

struct esse_profile {
    const char *name; /* "postgresql/repeatable-read" */
    enum esse_profile_reads reads;
    enum esse_profile_at at;
    enum esse_profile_locks locks;
    bool locks_of_committed;  /* c: those of aborted transactions prove nothing */
    bool row_lock_modes;      /* PostgreSQL's four modes; elsewhere two */
    bool whole_database;      /* one lock for everything: SQLite */
    bool lock_sees_snapshot;  /* a locking read agrees with the snapshot too */
    bool validates_lock_only; /* OCC: only reads that asked for it are validated */
    enum esse_profile_fuw fuw;
    enum esse_profile_certifier certifier;
    enum esse_profile_time time;
    enum esse_level_id level; /* that is promised; NONE: what the driver claims */
    char seen;                /* L live with Esse, D documentation, U to be confirmed */
};

/* By position, NULL after the last. */
const struct esse_profile *esse_profile_at(size_t at);

/* The row of this name; the database may be one of several that share it. NULL if there is none. */
const struct esse_profile *esse_profile_find(const char *name);

/* The row of the same database with another setting, "repeatable-read"; NULL if there is none. */
const struct esse_profile *esse_profile_sibling(const struct esse_profile *profile,
                                                const char *setting, size_t length);

/* A name, or a row of the user's own: "cr=T,at=F,me=W,fuw=u,sc=ssi,time=x,level=serializable".
 * 'own' is the storage of such a row, and 'text' must live as long. */
bool esse_profile_named(const char *text, struct esse_profile *own,
                        const struct esse_profile **profile, struct esse_error *err);

/* A row as the user would write it, into 'room'. */
enum { ESSE_PROFILE_ROOM = 160 };
const char *esse_profile_row(const struct esse_profile *profile, char room[ESSE_PROFILE_ROOM]);

/* The names nearest to one that is not known, or NULL. */
const char *esse_profile_suggest(const char *name);

#endif
