#ifndef ESSE_COLLECT_LIVE_H
#define ESSE_COLLECT_LIVE_H

#include "base/budget.h"
#include "collect/loop.h"
#include "collect/record/overhead.h"
#include "collect/server/faults.h"

/*
 * A run against a database, from its URL to a recorded history.
 *
 * Life: open -> collect (once) -> close.  open() has reached the database and made the schema; if
 * it fails nothing is left there.  close() removes what was made.
 */
struct esse_live_progress {
    struct esse_tally tally;
    double seconds;
};

struct esse_live_options {
    const struct esse_driver *driver;
    const struct esse_url *url;
    const struct esse_claim *isolation;
    const struct esse_live_workload *workload;
    struct esse_workload_options work;
    uint64_t txns;  /* to be made, whatever becomes of them; 0: as many as fit */
    double seconds; /* 0: no limit; one of the two is given */
    double think, timeout, patience;
    unsigned threads;
    bool no_certificate;
    /* Given the lines of a trace of the run while it goes on, by a thread of their own; NULL: no
     * one wants them.  An error ends the run. */
    bool (*watch)(void *context, const char *lines, size_t length, struct esse_error *err);
    void *watcher;
    bool by_turns; /* recorded and not by turns: to measure what it costs, and for nothing else */
    struct esse_faults *faults;                                                 /* NULL: none */
    struct esse_budget *budget;                                                 /* for its cancel */
    void (*progress)(void *context, const struct esse_live_progress *progress); /* or NULL */
    void *context;
};

struct esse_live {
    const struct esse_live_options *options;
    struct esse_arena *arena;
    struct esse_target *target;
    struct esse_schema schema;
    void *work;
    struct esse_description description;
};

/* What came of it.  Texts live in the arena of open(). */
struct esse_live_summary {
    struct esse_tally tally;
    double seconds;
    uint64_t reconnects;
    unsigned threads;
    uint64_t versions, commits;           /* in the certificate */
    uint64_t lost;                        /* acknowledged, and not in the server's log */
    const char *no_certificate;           /* why there is none; NULL if there is one */
    const char *remark;                   /* the driver's; NULL: none */
    struct esse_recording_cost recording; /* if by turns */
    bool is_interrupted;
    struct esse_refusal refusals[ESSE_CODES]; /* those with a count; most frequent first */
};

/* ESSE_EUSAGE, ESSE_EUNAVAILABLE. */
bool esse_live_open(struct esse_arena *arena, const struct esse_live_options *options,
                    struct esse_live *live, struct esse_error *err);

/*
 * 'history' and 'trace' are descriptors open for appending, or -1; 'certificate' a path, written
 * whole if there is a certificate.  When it fails, what was recorded until then is in the file, and
 * the summary is filled.
 */
bool esse_live_collect(struct esse_live *live, int history, int trace, const char *certificate,
                       struct esse_live_summary *summary, struct esse_error *err);

void esse_live_close(struct esse_live *live);

#endif
