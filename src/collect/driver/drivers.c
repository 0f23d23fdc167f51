#include "collect/driver/drivers.h"

#include "collect/driver.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct esse_driver *const esse_drivers[] = {
    &esse_driver_sqlite, &esse_driver_postgresql, &esse_driver_cockroachdb, &esse_driver_yugabytedb,
    &esse_driver_h2,     &esse_driver_mysql,      &esse_driver_galera,      &esse_driver_tidb,
    &esse_driver_etcd,   &esse_driver_redis,      &esse_driver_memory,      NULL
};

/* Is 'word' one of those in a list with spaces between them? */
static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

const struct esse_driver *esse_driver_find(const char *scheme)
{
    for (size_t i = 0; esse_drivers[i]; i++)
        if (is_listed(esse_drivers[i]->schemes, scheme))
            return esse_drivers[i];
    return NULL;
}

const struct esse_driver *esse_driver_of(const struct esse_url *url)
{
    const struct esse_driver *driver = esse_driver_find(url->scheme);
    const char *dialect = esse_url_parameter(url, "dialect");
    for (size_t i = 0; driver && dialect && esse_drivers[i]; i++)
        if (esse_drivers[i]->dialect_of && strcmp(esse_drivers[i]->dialect_of, driver->name) == 0 &&
            strcmp(esse_drivers[i]->name, dialect) == 0)
            return esse_drivers[i];
    return driver;
}

static char plain(char c)
{
    return c == '_' || c == ' ' ? '-' : (char)tolower((unsigned char)c);
}

static bool is_same_setting(const char *a, const char *b)
{
    while (*a && plain(*a) == plain(*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

const struct esse_claim *esse_claim_find(const struct esse_driver *driver, const char *setting)
{
    if (!setting)
        return driver->claims;
    for (const struct esse_claim *row = driver->claims; row->setting; row++)
        if (is_same_setting(row->setting, setting))
            return row;
    return NULL;
}

enum esse_progress esse_failed(struct esse_reply *reply, enum esse_fate fate, const char *code,
                               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    reply->failure = (struct esse_failure){ .fate = fate };
    snprintf(reply->failure.code, sizeof reply->failure.code, "%s", code ? code : "");
    vsnprintf(reply->failure.text, sizeof reply->failure.text, format, args);
    va_end(args);
    return ESSE_PROGRESS_FAILED;
}

void esse_reply_clear(struct esse_reply *reply)
{
    reply->value = ESSE_ABSENT;
    reply->is_absent = false;
    reply->items = NULL;
    reply->item_count = 0;
    reply->list = NULL;
    reply->list_length = 0;
    reply->rows = NULL;
    reply->row_count = 0;
    reply->cells = NULL;
    reply->cell_count = 0;
    reply->xid = reply->start_ts = reply->commit_ts = reply->snapshot_at = ESSE_NO_ID;
    reply->snapshot = NULL;
}
