#include "collect/driver/postgresql/postgresql_error.h"

#include <string.h>

static bool is_class(const char *code, const char *class)
{
    return strncmp(code, class, strlen(class)) == 0;
}

/* The server or the way to it is gone, or is about to be. */
static bool means_lost(const char *code)
{
    return is_class(code, "08") || is_class(code, "57P");
}

/* Errors that belong to running transactions at the same time, and to servers in trouble; the last
 * two are H2's for a concurrent update and a lock that was not had in time. */
static bool is_usual(const char *code)
{
    static const char *const usual[] = {
        "40",    "23",    "53",    "55P03", "57", "08",    "25P02",
        "25P03", "25P04", "25006", "58",    "72", "90131", "HYT00"
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is_class(code, usual[i]))
            return true;
    return false;
}

/* What a refused COMMIT came to.  A server says ERROR before it has written the commit, or not at
 * all; what it says while it goes down, and 40003, leaves that open. */
static enum esse_fate fate_of_commit(const char *code, const char *severity)
{
    const bool is_error = severity && strcmp(severity, "ERROR") == 0;
    const bool is_open = means_lost(code) || strcmp(code, "40003") == 0 || is_class(code, "XX") ||
                         is_class(code, "58");
    return is_error && !is_open ? ESSE_FATE_ABORTED : ESSE_FATE_UNKNOWN;
}

void esse_pg_classify(const char *code, const char *severity, bool is_commit,
                      struct esse_failure *failure)
{
    failure->fate = is_commit ? fate_of_commit(code, severity) : ESSE_FATE_OPEN;
    failure->is_fatal = !is_usual(code) && !is_commit;
    failure->is_lost = means_lost(code) || (severity && strcmp(severity, "ERROR") != 0);
}
