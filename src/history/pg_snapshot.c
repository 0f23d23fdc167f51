#include "history/pg_snapshot.h"

/* Digits up to 'end' or to 'after', which is stepped over if it is there. */
static bool number(struct esse_span text, size_t *at, char after, int64_t *value)
{
    const size_t begin = *at;
    *value = 0;
    for (; *at < text.length && text.at[*at] >= '0' && text.at[*at] <= '9'; ++*at)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, text.at[*at] - '0', value))
            return false;
    if (*at == begin)
        return false;
    if (*at < text.length && text.at[*at] == after)
        ++*at;
    return true;
}

bool esse_pg_snapshot_next(const struct esse_pg_snapshot *snapshot, size_t *at, int64_t *xid)
{
    return *at < snapshot->running.length && number(snapshot->running, at, ',', xid);
}

bool esse_pg_snapshot_parse(struct esse_pg_snapshot *snapshot, const struct esse_values *values,
                            esse_value text)
{
    if (esse_value_kind(values, text) != ESSE_KIND_STRING)
        return false;
    const struct esse_span whole = esse_value_text(values, text, snapshot->room);
    size_t at = 0;
    int64_t xid, last = -1;
    if (!number(whole, &at, ':', &snapshot->xmin) || whole.at[at - 1] != ':' ||
        !number(whole, &at, ':', &snapshot->xmax) || whole.at[at - 1] != ':' ||
        snapshot->xmin > snapshot->xmax)
        return false;
    snapshot->running = (struct esse_span){ whole.at + at, whole.length - at };
    for (at = 0; esse_pg_snapshot_next(snapshot, &at, &xid); last = xid)
        if (xid <= last || xid < snapshot->xmin || xid >= snapshot->xmax)
            return false;
    return at == snapshot->running.length && (!at || snapshot->running.at[at - 1] != ',');
}

bool esse_pg_snapshot_sees(const struct esse_pg_snapshot *snapshot, int64_t xid)
{
    int64_t running;
    if (xid < snapshot->xmin || xid >= snapshot->xmax)
        return xid < snapshot->xmin;
    for (size_t at = 0; esse_pg_snapshot_next(snapshot, &at, &running);)
        if (running == xid)
            return false;
    return true;
}
