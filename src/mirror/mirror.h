#ifndef ESSE_MIRROR_MIRROR_H
#define ESSE_MIRROR_MIRROR_H

#include "formats/trace.h"
#include "level/profile.h"
#include "mirror/counters.h"
#include "mirror/event.h"

/*
 * The mirror of a database's mechanisms: events in, findings out, in one pass and in memory that
 * does not grow.  docs/design/mirror.md says how; the specification's rules are numbered there.
 *
 * Life: new -> the trace sink takes events -> finish -> release.  Findings are told by a call from
 * within.  One thread.
 *
 * Every finding is certain under the assumptions of the settings.
 */
/* What a finding of a mechanism is. */
enum esse_mirror_rule {
    ESSE_RULE_NO_VERSION,   /* CR: no version of this value can be in the snapshot */
    ESSE_RULE_ABORTED,      /* CR: only an aborted transaction wrote it */
    ESSE_RULE_FUTURE,       /* CR: its writer had not begun to commit */
    ESSE_RULE_FOREIGN,      /* CR: no client wrote it, and no other may write */
    ESSE_RULE_INTERNAL,     /* CR: not what the transaction itself wrote before */
    ESSE_RULE_TWO_VERSIONS, /* CR: a predicate returned two versions of one row */
    ESSE_RULE_MISSED_ROW,  /* CR: every version that can be in the snapshot matches the predicate */
    ESSE_RULE_BOTH_HELD,   /* ME: two transactions surely held conflicting locks */
    ESSE_RULE_BOTH_WROTE,  /* FUW: each surely had its snapshot before the other committed */
    ESSE_RULE_OVERTAKEN,   /* OCC: what was read was surely overwritten before the commit */
    ESSE_RULE_CYCLE,       /* SC: a cycle of dependencies */
    ESSE_RULE_PIVOT,       /* SC: two dependencies in a row that ssi would have broken up */
    ESSE_RULE_BACKWARDS,   /* SC: a dependency against the timestamps */
    ESSE_RULE_NO_INSTANTS, /* Joint: no choice of instants is left */
    ESSE_RULES
};
extern const char *const esse_mirror_rule_words[];

/* An instant, as far as it is known. */
struct esse_instant {
    int64_t b, a; /* it lies between them; 'a' may be ESSE_MIRROR_NEVER, 'b' INT64_MIN */
};

/* A transaction that takes part in a finding. */
struct esse_finding_txn {
    uint32_t number, session;
    uint64_t name; /* a word */
    struct esse_instant s, c;
};

enum { ESSE_FINDING_TXNS = 12 };

struct esse_finding {
    enum esse_mechanism mechanism;
    enum esse_mirror_rule rule;
    unsigned with;               /* Joint: the mechanisms that take part, a bit each */
    uint64_t key, column, value; /* words; 0: none */
    int64_t since;               /* CR: what was installed before this is gone */
    uint32_t line;               /* of the operation that shows it; 0: none */
    struct esse_instant at;      /* its instant's interval: the snapshot, or the lock */
    uint32_t txn_count;          /* the first is the one that it is told of */
    struct esse_finding_txn txns[ESSE_FINDING_TXNS];
    bool more_txns;
    uint64_t serial; /* findings are numbered from 1 on */
};

/* A finding that was told before, and whose level a window decides. */
struct esse_window_told {
    uint64_t serial; /* of the finding: the first is 1 */
    enum esse_mechanism mechanism;
};

/* What the engines say of a window of the trace. */
struct esse_window_verdict {
    enum esse_level_id asked, level; /* 'level' may be the strong form of what was asked */
    enum esse_outcome outcome;       /* of 'level' */
    enum esse_outcome promised;      /* of 'asked', if 'level' is its strong form */
    uint32_t window_txns;
    uint32_t
        left_out; /* reads that the engines did not see: too little is known of their sources */
    const struct esse_history *part; /* of VIOLATED: a few transactions that violate the level */
    enum esse_anomaly_id type;
    bool is_new;                         /* one of them was not in a window before */
    const struct esse_window_told *told; /* findings of mechanisms among these transactions */
    size_t told_count;
    struct esse_error err; /* why it is not decided: not OK if the engines failed */
};

struct esse_mirror_options {
    const struct esse_profile *profile;
    int64_t resolution, skew; /* ESSE_NO_TIME: what the trace says, or 1 and 0 */
    int64_t lateness;         /* ESSE_NO_TIME: none is assumed */
    bool exclusive;           /* nobody else writes; or the trace says so */
    bool pairs_only;          /* no Joint */
    uint64_t keep_bytes;      /* of events that left, for claims */
    unsigned pace;            /* events between two rounds of garbage; 0: usual */
    void (*found)(void *context, const struct esse_finding *finding);
    /* A finding told before is about a key that a late event wrote. */
    void (*withdrawn)(void *context, const struct esse_finding *finding);
    /* Called between two events, often: for what is told every second.  May be NULL. */
    void (*between)(void *context);
    enum esse_level_id level; /* that windows decide; NONE: there are no windows */
    uint32_t window_txns;     /* a window's size */
    /* A window is decided.  May be NULL. */
    void (*decided)(void *context, const struct esse_window_verdict *verdict);
    void *context;
};

struct esse_mirror;
struct esse_mirror *esse_mirror_new(struct esse_arena *arena,
                                    const struct esse_mirror_options *options);
struct esse_trace_sink *esse_mirror_sink(struct esse_mirror *mirror);
/* No more is wanted: the reader ends between two lines. */
void esse_mirror_stop(struct esse_mirror *mirror);
/* Everything was sent. */
void esse_mirror_finish(struct esse_mirror *mirror);
/* Instead of finish, if more could have come: what waits for sessions that may have said more is
 * not judged. */
void esse_mirror_finish_cut(struct esse_mirror *mirror);
void esse_mirror_release(struct esse_mirror *mirror);

const struct esse_mirror_counters *esse_mirror_counters(struct esse_mirror *mirror);

/* What findings rest on beside the trace. */
struct esse_mirror_assumptions {
    bool exclusive;
    int64_t resolution, skew, lateness; /* the last: ESSE_NO_TIME if none is assumed */
};
struct esse_mirror_assumptions esse_mirror_assumptions(const struct esse_mirror *mirror);

/* A word of a finding as a value, and the events that are kept of some transactions. */
esse_value esse_mirror_value(const struct esse_mirror *mirror, uint64_t word,
                             struct esse_values *to);

/*
 * Writes a finding as a folder: trace.jsonl with the events of its transactions and of the writers
 * of its key, claim.json and README.  Then the kernel (evidence/recheck_mechanism.h) holds what was
 * written against the profile: false with ESSE_EBUG if it does not follow.
 *
 * 'is_rechecked' is false of a row that came twice, of SC and Joint among more transactions than a
 * finding names or with outcomes that were not learnt, and of findings about events that are not
 * kept any more (keep_bytes).
 */
bool esse_mirror_write_claim(const struct esse_mirror *mirror, const struct esse_finding *finding,
                             const char *folder, bool *is_rechecked, struct esse_error *err);

/* Writes a violation of a level as a folder: history.jsonl, evidence.json as of esse check
 * --evidence, and README. */
bool esse_window_write(const struct esse_window_verdict *verdict, const char *folder,
                       struct esse_error *err);

/* Rechecks the folder of a mechanism's finding; 'told' is what it claims, in the arena. */
bool esse_claim_verify(struct esse_arena *arena, const char *folder, const char **told,
                       struct esse_error *err);

#endif
