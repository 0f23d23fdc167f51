#include "formats/log_line.h"

/* Values, rows and texts of a log. */

unsigned log_member(struct esse_span name, const struct esse_span *names, unsigned count)
{
    for (unsigned m = 0; m < count; m++)
        if (names[m].length == name.length && memcmp(names[m].at, name.at, name.length) == 0)
            return m;
    return count;
}

bool log_text(struct log_line *line, const char *what, struct esse_span *text)
{
    if (esse_json_peek(&line->json) != '"')
        return esse_json_expected(&line->json, what);
    const char *place = line->json.at;
    if (!esse_json_string(&line->json, text))
        return false;
    if (memchr(text->at, '\0', text->length))
        return esse_json_fail(&line->json, place, "a text of SQL has no zero bytes");
    text->at = esse_arena_text(line->arena, text->at, text->length);
    return true;
}

/* A number that is no integer of 64 bits is kept as its text. */
static bool number(struct log_line *line, esse_value *cell)
{
    struct esse_json *json = &line->json;
    const char *from = json->at;
    int64_t whole;
    if (esse_json_quick_int(&json->at, cell))
        return true;
    if (!esse_json_skip(json))
        return false;
    const size_t length = (size_t)(json->at - from);
    bool is_whole = true;
    for (size_t i = 0; i < length; i++)
        is_whole = is_whole && from[i] != '.' && from[i] != 'e' && from[i] != 'E';
    const bool is_negative = *from == '-';
    const size_t digits = length - is_negative;
    const char *most = is_negative ? "9223372036854775808" : "9223372036854775807";
    if (is_whole && (digits < 19 || (digits == 19 && memcmp(from + is_negative, most, 19) <= 0))) {
        json->at = from;
        if (!esse_json_int(json, &whole))
            return false;
        *cell = esse_value_int(json->values, whole);
        return true;
    }
    *cell = esse_value_atom(json->values, ESSE_KIND_NUMBER, from, length);
    return true;
}

bool log_cell(struct log_line *line, esse_value *cell)
{
    const char c = esse_json_peek(&line->json);
    if (c == '-' || (c >= '0' && c <= '9'))
        return number(line, cell);
    if (c == '[' || c == '{')
        return esse_json_expected(&line->json, "a value: a number, a string, true, false or null");
    const char *place = line->json.at;
    if (!esse_json_value(&line->json, cell))
        return false;
    char room[8];
    const struct esse_span text =
        c == '"' ? esse_value_text(line->json.values, *cell, room) : (struct esse_span){ "", 0 };
    return !memchr(text.at, '\0', text.length) ||
           esse_json_fail(&line->json, place, "a text of SQL has no zero bytes");
}

/* The cells are fewer than 2^32: a log of more does not fit the columns. */
static bool push_cell(struct log_line *line, esse_value cell)
{
    if (line->log->cells.count >= UINT32_MAX)
        return esse_json_fail(&line->json, line->json.at, "more than 4294967295 values");
    esse_value_vec_push(&line->log->cells, line->arena, cell);
    return true;
}

bool log_cells(struct log_line *line, const char *what, struct esse_log_span *span)
{
    bool ok = esse_json_char(&line->json, '[', what);
    *span = (struct esse_log_span){ (uint32_t)line->log->cells.count, 0 };
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok); span->count++) {
        esse_value cell;
        if (!log_cell(line, &cell) || !push_cell(line, cell))
            return false;
    }
    return ok;
}

bool log_strings(struct log_line *line, const char *what, struct esse_log_span *span)
{
    bool ok = esse_json_char(&line->json, '[', what);
    *span = (struct esse_log_span){ (uint32_t)line->log->cells.count, 0 };
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok); span->count++) {
        esse_value cell;
        if (esse_json_peek(&line->json) != '"')
            return esse_json_expected(&line->json, "a name, a string");
        if (!esse_json_string_value(&line->json, &cell) || !push_cell(line, cell))
            return false;
    }
    return ok;
}

bool log_rows(struct log_line *line, struct esse_log_rows *rows)
{
    bool ok = esse_json_char(&line->json, '[', "a list of rows");
    *rows = (struct esse_log_rows){ (uint32_t)line->log->cells.count, 0, 0 };
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok); rows->count++) {
        struct esse_log_span row;
        esse_json_peek(&line->json);
        const char *place = line->json.at;
        if (!log_cells(line, "a row, a list of values", &row))
            return false;
        if (rows->count && row.count != rows->width)
            return esse_json_fail(&line->json, place, "a row of %u values among rows of %u",
                                  row.count, rows->width);
        rows->width = row.count;
    }
    return ok;
}

bool log_interval(struct log_line *line, int64_t *begin, int64_t *end)
{
    struct esse_json *json = &line->json;
    if (!esse_json_char(json, '[', "an interval [begin, end]") || !esse_json_int(json, begin) ||
        !esse_json_char(json, ',', "','"))
        return false;
    esse_json_peek(json);
    const char *place = json->at;
    if (!esse_json_int(json, end) || !esse_json_char(json, ']', "']'"))
        return false;
    return *end >= *begin || esse_json_fail(json, place, "the interval t ends before it begins");
}
