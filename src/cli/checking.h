#ifndef ESSE_CLI_CHECKING_H
#define ESSE_CLI_CHECKING_H

#include "cli/session.h"
#include "history/forget.h"
#include "report/report.h"

/*
 * One history from its file to a rechecked report: what 'check' and 'run' have in common.  What was
 * wrong is said on stderr here; the answer is left to the caller.
 */
struct esse_checking {
    const char *command; /* for complaints about usage */
    struct esse_session *session;
    struct esse_load_options load;
    struct esse_check_options check;
    const struct esse_forgetting *forget; /* what an experiment is not to know, or NULL */
    bool verbose, plain;
};

struct esse_checked {
    bool has_report;
    struct esse_report report;
    enum esse_spent
        stopped; /* the budget ran out before there was a history to speak of: by what */
    struct esse_error error; /* why there is neither a report nor 'stopped' */
};

/* The exit status; of an error if there is neither a report nor 'stopped'. */
int esse_checking_run(const struct esse_checking *checking, struct esse_arena *arena,
                      const char *path, struct esse_checked *checked);

/* The answer, as text or JSON. */
void esse_checked_put(struct esse_out *out, const struct esse_checking *checking, const char *path,
                      const struct esse_checked *checked, bool as_json);

/* Writes one of the files that a report can also be; nothing if 'path' is NULL.  0 if all went
 * well. */
int esse_checking_write(struct esse_arena *arena, const char *path,
                        const struct esse_report *report,
                        void (*picture)(struct esse_out *out, const struct esse_report *report));

#endif
