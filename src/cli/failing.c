#include "cli/failing.h"

#include <assert.h>
#include <string.h>

const char *const esse_fail_on_choices[] = { "violated", "unknown", NULL };

bool esse_failing_is_sane(const struct esse_failing *failing, struct esse_error *err)
{
    for (size_t i = 0; esse_fail_on_choices[i]; i++)
        if (strcmp(failing->fail_on, esse_fail_on_choices[i]) == 0)
            return true;
    return esse_fail(err, ESSE_EUSAGE, "--fail-on: found '%s', expected violated or unknown",
                     failing->fail_on);
}

int esse_failing_status(const struct esse_failing *failing, int status, bool too_few_committed)
{
    assert(failing->fail_on);
    const bool passes = status == ESSE_EXIT_UNKNOWN && !too_few_committed &&
                        strcmp(failing->fail_on, "violated") == 0;
    return passes ? ESSE_EXIT_HOLDS : status;
}
