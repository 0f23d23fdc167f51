#include "collect/driver/mysql/mysql_insert.h"

#include "workload/sql_text.h"

#include <string.h>

enum { MOST_ITEMS = 64 };

struct items {
    struct esse_part at[MOST_ITEMS];
    uint32_t count;
};

/* Takes "(a, b, c)" and returns what stands between the commas. */
static bool take_items(struct esse_part *part, struct items *items)
{
    *part = esse_part_trim(*part);
    if (part->at == part->end || *part->at != '(')
        return false;
    const char *close = esse_part_pass(part->at, part->end) - 1;
    struct esse_part item = { part->at + 1, part->at + 1 };
    part->at = close + 1;
    for (items->count = 0; item.at <= close; item.at = item.end = item.end + 1) {
        while (item.end < close && *item.end != ',')
            item.end = esse_part_pass(item.end, close);
        if (items->count == MOST_ITEMS)
            return false;
        items->at[items->count++] = esse_part_trim(item);
    }
    return *close == ')';
}

/* A name may stand in quotes. */
static bool is_column(struct esse_part name, const char *column)
{
    if (name.end - name.at > 2 && (*name.at == '`' || *name.at == '"')) {
        name.at++;
        name.end--;
    }
    return esse_part_is(name, column);
}

static void name_columns(const char *const *columns, struct items *names)
{
    for (names->count = 0; columns[names->count] && names->count < MOST_ITEMS; names->count++)
        names->at[names->count] =
            (struct esse_part){ columns[names->count],
                                columns[names->count] + strlen(columns[names->count]) };
}

/* The value of a column of the key; empty if the database chooses it. */
static struct esse_part find_value(const struct items *names, const struct items *values,
                                   const char *column)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (is_column(names->at[i], column) && !esse_part_is(values->at[i], "NULL") &&
            !esse_part_is(values->at[i], "DEFAULT"))
            return values->at[i];
    return (struct esse_part){ "", "" };
}

static bool put_row(struct esse_out *sql, const struct esse_own_table *table,
                    const struct items *names, const struct items *values, bool is_alone)
{
    for (uint32_t k = 0; k < table->key_count; k++) {
        const struct esse_part value = find_value(names, values, table->columns[k]);
        const bool is_chosen = value.at == value.end;
        if (is_chosen && (!is_alone || table->key_count > 1))
            return false;
        esse_out_f(sql, "%s%s = ", k ? " AND " : "(", table->columns[k]);
        if (is_chosen)
            esse_out_text(sql, "LAST_INSERT_ID()");
        else
            esse_out_bytes(sql, value.at, (size_t)(value.end - value.at));
    }
    esse_out_char(sql, ')');
    return true;
}

bool esse_mysql_put_inserted(struct esse_out *sql, const struct esse_own_table *table,
                             const char *const *columns, const char *rest)
{
    struct esse_part part = esse_part_trim((struct esse_part){ rest, rest + strlen(rest) });
    struct items names, values;
    if (*part.at != '(')
        name_columns(columns, &names);
    else if (!take_items(&part, &names))
        return false;
    const struct esse_part word = esse_part_take_word(&part);
    if (!esse_part_is(word, "VALUES") && !esse_part_is(word, "VALUE"))
        return false;
    for (bool is_first = true, goes_on = true; goes_on; is_first = false) {
        if (!take_items(&part, &values) || values.count != names.count)
            return false;
        part = esse_part_trim(part);
        goes_on = part.at < part.end && *part.at == ',';
        part.at += goes_on;
        esse_out_text(sql, is_first ? " WHERE " : " OR ");
        if (!put_row(sql, table, &names, &values, is_first && !goes_on))
            return false;
    }
    return true;
}
