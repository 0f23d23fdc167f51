#include "history/show_time.h"

#include "history/history.h"

#include <time.h>

static const int64_t second_ns = 1000000000, millisecond_ns = 1000000;

/* From September 2001 to 2128: what is as large counts from 1970. */
static const int64_t first_date = 1000000000000000000, last_date = 5000000000000000000;

static bool is_date(int64_t time)
{
    return time >= first_date && time < last_date;
}

static void put_clock(struct esse_out *out, int64_t time, bool with_date)
{
    char text[64];
    struct tm parts;
    const time_t seconds = (time_t)(time / second_ns);
    if (!gmtime_r(&seconds, &parts) ||
        !strftime(text, sizeof text, with_date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &parts))
        return;
    esse_out_f(out, "%s.%06lld", text, (long long)(time % second_ns / 1000));
}

static bool is_same_day(int64_t a, int64_t b)
{
    return a / second_ns / 86400 == b / second_ns / 86400;
}

void esse_show_interval(struct esse_out *out, int64_t begin, int64_t end)
{
    const bool has_begin = begin != ESSE_NO_TIME, has_end = end != ESSE_NO_TIME;
    const int64_t last = has_end ? end : begin;
    if ((!has_begin && !has_end) || (has_begin && begin < 0) || last < millisecond_ns)
        return;
    const bool dates = is_date(last) && (!has_begin || is_date(begin));
    const bool long_run = last >= 10 * second_ns;
    const double unit = long_run ? (double)second_ns : (double)millisecond_ns;
    const int digits = long_run ? 6 : 3;
    esse_out_text(out, has_end ? " (" : " (from ");
    if (has_begin && dates)
        put_clock(out, begin, true);
    else if (has_begin)
        esse_out_f(out, "%.*f", digits, (double)begin / unit);
    esse_out_text(out, has_begin && has_end ? " to " : has_end ? "to " : "");
    if (has_end && dates)
        put_clock(out, end, !has_begin || !is_same_day(begin, end));
    else if (has_end)
        esse_out_f(out, "%.*f", digits, (double)end / unit);
    esse_out_text(out, dates ? " UTC)" : long_run ? " s)" : " ms)");
}

void esse_show_later(struct esse_out *out, int64_t first, int64_t second)
{
    if (first < 0 || second < millisecond_ns || second - first < 1000) /* or no time at all */
        return;
    const int64_t gap = second - first;
    if (gap < millisecond_ns)
        esse_out_f(out, ", %.1f us later", (double)gap / 1000);
    else if (gap < second_ns)
        esse_out_f(out, ", %.1f ms later", (double)gap / (double)millisecond_ns);
    else
        esse_out_f(out, ", %.3f s later", (double)gap / (double)second_ns);
}
