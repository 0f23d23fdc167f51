#ifndef ESSE_CLI_FAILING_H
#define ESSE_CLI_FAILING_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What the exit status takes for a failure, for those who run Esse in CI.  A level that is violated
 * always is one.  Unknown is one by default; --fail-on violated lets it pass, but not that too
 * little was committed: a test that tested nothing must not be green.
 */
struct esse_failing {
    uint64_t min_committed;
    const char *fail_on;
};

#define ESSE_FAILING_DEFAULTS                                                                      \
    {                                                                                              \
        .min_committed = 1, .fail_on = "unknown"                                                   \
    }
extern const char *const esse_fail_on_choices[];

/* clang-format off */
#define ESSE_FAILING_OPTIONS(at) \
    { "min-committed", 0, ESSE_OPT_COUNT, &(at).min_committed, "N", \
      "with fewer committed the verdict is unknown, exit status 2: too little was tested " \
      "(default: 1)" }, \
    { "fail-on", 0, ESSE_OPT_TEXT, &(at).fail_on, "WHAT", \
      "violated: the exit status is 0 also where the verdict is unknown, unless too little " \
      "was committed; unknown: it is 2 (the default)", esse_fail_on_choices }
/* clang-format on */

/* Is --fail-on one of its choices?  ESSE_EUSAGE if not. */
bool esse_failing_is_sane(const struct esse_failing *failing, struct esse_error *err);

int esse_failing_status(const struct esse_failing *failing, int status, bool too_few_committed);

#endif
