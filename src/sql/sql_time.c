#include "sql/sql_time.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>

struct civil {
    int year, month, day;
};

static int days_in_month(int year, int month)
{
    assert(month >= 1);
    assert(month <= 12);
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* Days before the first of January of a year, counted from the year 1. */
static int64_t days_before_year(int year)
{
    const int64_t past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

enum { EPOCH = 719162 }; /* days_before_year(1970) */

static int64_t days_of(struct civil date)
{
    int64_t days = days_before_year(date.year) - EPOCH + date.day - 1;
    for (int month = 1; month < date.month; month++)
        days += days_in_month(date.year, month);
    return days;
}

static struct civil civil_of(int64_t days)
{
    struct civil date = { (int)((days + EPOCH) / 366) + 1, 1, 1 };
    while (days_before_year(date.year + 1) - EPOCH <= days)
        date.year++;
    int64_t rest = days - (days_before_year(date.year) - EPOCH);
    for (; rest >= days_in_month(date.year, date.month); date.month++)
        rest -= days_in_month(date.year, date.month);
    date.day = (int)rest + 1;
    return date;
}

/* ---- from text ---- */

struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

/* Exactly 'width' digits, a number from 'low' to 'high'. */
static bool take_number(struct cursor *cursor, int width, int low, int high, int *number)
{
    *number = 0;
    for (; width > 0; width--) {
        if (cursor->at == cursor->end || !isdigit((unsigned char)*cursor->at))
            return false;
        *number = *number * 10 + (*cursor->at++ - '0');
    }
    return *number >= low && *number <= high;
}

static bool take_date(struct cursor *cursor, struct civil *date)
{
    return take_number(cursor, 4, 1, 9999, &date->year) && take(cursor, '-') &&
           take_number(cursor, 2, 1, 12, &date->month) && take(cursor, '-') &&
           take_number(cursor, 2, 1, days_in_month(date->year, date->month), &date->day);
}

/* Up to six digits after the point, as microseconds. */
static bool take_fraction(struct cursor *cursor, int *micros)
{
    int digit, unit = 100000;
    *micros = 0;
    if (!take(cursor, '.'))
        return true;
    for (; unit && take_number(cursor, 1, 0, 9, &digit); unit /= 10)
        *micros += digit * unit;
    return unit < 100000;
}

static bool take_clock(struct cursor *cursor, int64_t *micros)
{
    int hour, minute, second = 0, fraction = 0;
    if (!take_number(cursor, 2, 0, 23, &hour) || !take(cursor, ':') ||
        !take_number(cursor, 2, 0, 59, &minute))
        return false;
    if (take(cursor, ':') &&
        (!take_number(cursor, 2, 0, 59, &second) || !take_fraction(cursor, &fraction)))
        return false;
    *micros = ((int64_t)hour * 3600 + minute * 60 + second) * 1000000 + fraction;
    return true;
}

bool sql_time_parse(const char *text, size_t length, int64_t *time)
{
    struct cursor cursor = { text, text + length };
    struct civil date;
    int64_t clock = 0;
    while (cursor.at < cursor.end && isspace((unsigned char)*cursor.at))
        cursor.at++;
    while (cursor.end > cursor.at && isspace((unsigned char)cursor.end[-1]))
        cursor.end--;
    if (!take_date(&cursor, &date))
        return false;
    if ((take(&cursor, ' ') || take(&cursor, 'T')) && !take_clock(&cursor, &clock))
        return false;
    if (cursor.at != cursor.end)
        return false;
    *time = days_of(date) * SQL_DAY + clock;
    return true;
}

/* ---- and back ---- */

/* Days round down, also before 1970. */
static int64_t day_of(int64_t time)
{
    return time / SQL_DAY - (time % SQL_DAY < 0);
}

int64_t sql_time_date(int64_t time)
{
    return day_of(time) * SQL_DAY;
}

size_t sql_time_show(int64_t time, bool is_date, char text[SQL_TIME_TEXT])
{
    const struct civil date = civil_of(day_of(time));
    const int64_t clock = time - sql_time_date(time), seconds = clock / 1000000;
    int length =
        snprintf(text, SQL_TIME_TEXT, "%04d-%02d-%02d", date.year % 10000, date.month, date.day);
    if (is_date)
        return (size_t)length;
    length += snprintf(text + length, SQL_TIME_TEXT - (size_t)length, " %02d:%02d:%02d",
                       (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
    if (clock % 1000000) {
        length += snprintf(text + length, SQL_TIME_TEXT - (size_t)length, ".%06d",
                           (int)(clock % 1000000));
        while (text[length - 1] == '0')
            length--;
    }
    return (size_t)length;
}
