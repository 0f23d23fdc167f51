#include "formats/log_line.h"

/* One statement of a transaction: a text alone, or an object with what came back. */
/* clang-format off */
#define MEMBERS(X) \
    X(Q, "q") X(S, "s") X(ARGS, "args") X(ROWS, "rows") X(RESULTS, "results") \
    X(COLUMNS, "columns") X(COUNT, "count") X(ERROR, "error") X(OUT, "out") \
    X(GENERATED, "generated") X(T, "t")
/* clang-format on */
#define ID(id, text)   M_##id,
#define NAME(id, text) { text, sizeof text - 1 },
enum member { MEMBERS(ID) M_MEMBERS };
static const struct esse_span member_names[] = { MEMBERS(NAME) };
#define BIT(member) (1u << (member))

static bool prepared(struct log_line *line, struct esse_log_statement *statement)
{
    esse_value name;
    if (esse_json_peek(&line->json) != '"')
        return esse_json_expected(&line->json, "the name of a statement, a string");
    const char *place = line->json.at;
    if (!esse_json_string_value(&line->json, &name))
        return false;
    for (size_t i = 0; i < line->names->at.count; i++) {
        if (esse_value_eq(line->names->at.at[i].name, name)) {
            statement->text = line->names->at.at[i].text;
            return true;
        }
    }
    char room[64];
    return esse_json_fail(&line->json, place, "no statement line before has the name \"%s\"",
                          esse_value_brief(line->json.values, name, room));
}

static bool results(struct log_line *line, struct esse_log_statement *statement)
{
    bool ok = esse_json_char(&line->json, '[', "a list of results, each a list of rows");
    for (bool first = true; ok && esse_json_more(&line->json, &first, ']', &ok);) {
        struct esse_log_rows rows;
        if (!log_rows(line, &rows))
            return false;
        esse_log_rows_vec_push(&line->log->results, line->arena, rows);
        statement->results.count++;
    }
    return ok;
}

static bool one_result(struct log_line *line, struct esse_log_statement *statement)
{
    struct esse_log_rows rows;
    if (!log_rows(line, &rows))
        return false;
    esse_log_rows_vec_push(&line->log->results, line->arena, rows);
    statement->results.count = 1;
    return true;
}

static bool error(struct log_line *line, struct esse_log_statement *statement)
{
    struct esse_json *json = &line->json;
    int64_t number;
    if (esse_json_peek(json) == '"')
        return esse_json_string_value(json, &statement->error);
    if (*json->at < '0' || *json->at > '9')
        return esse_json_expected(json, "an SQLSTATE, a string, or a number of MySQL's");
    if (!esse_json_int(json, &number))
        return false;
    statement->error = esse_value_int(json->values, number);
    return true;
}

/* {"name": value}: names and values one after the other. */
static bool named_cells(struct log_line *line, struct esse_log_span *span)
{
    struct esse_json *json = &line->json;
    bool ok = esse_json_char(json, '{', "an object of names and values");
    *span = (struct esse_log_span){ (uint32_t)line->log->cells.count, 0 };
    for (bool first = true; ok && esse_json_more(json, &first, '}', &ok); span->count++) {
        esse_value pair[2];
        if (esse_json_peek(json) != '"')
            return esse_json_expected(json, "a member name");
        if (!esse_json_string_value(json, &pair[0]) || !esse_json_char(json, ':', "':'") ||
            !log_cell(line, &pair[1]))
            return false;
        esse_value_vec_append(&line->log->cells, line->arena, pair, 2);
    }
    return ok;
}

static bool count(struct log_line *line, struct esse_log_statement *statement)
{
    esse_json_peek(&line->json);
    const char *place = line->json.at;
    return esse_json_int(&line->json, &statement->count) &&
           (statement->count >= 0 || esse_json_fail(&line->json, place, "a count is not negative"));
}

static bool member(struct log_line *line, enum member which, struct esse_log_statement *statement)
{
    switch (which) {
    case M_Q:
        return log_text(line, "a text of SQL, a string", &statement->text);
    case M_S:
        return prepared(line, statement);
    case M_ARGS:
        return log_cells(line, "a list of arguments", &statement->args);
    case M_ROWS:
        return one_result(line, statement);
    case M_RESULTS:
        return results(line, statement);
    case M_COLUMNS:
        return log_strings(line, "a list of names of columns", &statement->columns);
    case M_COUNT:
        return count(line, statement);
    case M_ERROR:
        return error(line, statement);
    case M_OUT:
        return named_cells(line, &statement->out);
    case M_GENERATED:
        return named_cells(line, &statement->generated);
    default:
        return log_interval(line, &statement->begin, &statement->end);
    }
}

static bool check(struct log_line *line, const char *begin, unsigned has,
                  const struct esse_log_statement *statement)
{
    const unsigned texts = has & (BIT(M_Q) | BIT(M_S));
    if (!texts || texts == (BIT(M_Q) | BIT(M_S)))
        return esse_json_fail(&line->json, begin,
                              "a statement has either q, its text, or s, the "
                              "name of a statement line");
    if ((has & BIT(M_ROWS)) && (has & BIT(M_RESULTS)))
        return esse_json_fail(&line->json, begin, "a statement has rows or results, not both");
    if ((has & BIT(M_ERROR)) &&
        (has & (BIT(M_ROWS) | BIT(M_RESULTS) | BIT(M_COUNT) | BIT(M_OUT) | BIT(M_GENERATED))))
        return esse_json_fail(&line->json, begin,
                              "a statement that failed has no rows, results, count, out or "
                              "generated");
    if ((has & BIT(M_COLUMNS)) && !(has & BIT(M_ROWS)))
        return esse_json_fail(&line->json, begin, "columns belong to rows");
    if (has & BIT(M_COLUMNS)) {
        const struct esse_log_rows *rows = &line->log->results.at[statement->results.first];
        if (rows->count && rows->width != statement->columns.count)
            return esse_json_fail(&line->json, begin, "%u columns, and rows of %u values",
                                  statement->columns.count, rows->width);
    }
    return true;
}

static unsigned flags(unsigned has)
{
    return (has & BIT(M_ARGS) ? ESSE_LOG_ARGS : 0u) |
           (has & (BIT(M_ROWS) | BIT(M_RESULTS)) ? ESSE_LOG_ROWS : 0u) |
           (has & BIT(M_COUNT) ? ESSE_LOG_COUNT : 0u) | (has & BIT(M_ERROR) ? ESSE_LOG_ERROR : 0u) |
           (has & BIT(M_OUT) ? ESSE_LOG_OUT : 0u) |
           (has & BIT(M_GENERATED) ? ESSE_LOG_GENERATED : 0u) |
           (has & BIT(M_COLUMNS) ? ESSE_LOG_COLUMNS : 0u) | (has & BIT(M_T) ? ESSE_LOG_TIMES : 0u);
}

static bool object(struct log_line *line, struct esse_log_statement *statement)
{
    struct esse_json *json = &line->json;
    const char *begin = json->at;
    unsigned has = 0;
    bool ok = esse_json_char(json, '{', "a statement: a text, or an object");
    for (bool first = true; ok && esse_json_more(json, &first, '}', &ok);) {
        struct esse_span name;
        esse_json_peek(json);
        const char *place = json->at;
        if (!esse_json_name(json, &name))
            return false;
        const unsigned which = log_member(name, member_names, M_MEMBERS);
        if (which == M_MEMBERS)
            return esse_json_fail(json, place,
                                  "unknown member \"%.*s\"; a statement has q or s, args, rows, "
                                  "results, columns, count, error, out, generated and t",
                                  (int)(name.length < 60 ? name.length : 60), name.at);
        if (has & BIT(which))
            return esse_json_fail(json, place, "member \"%s\" is given twice",
                                  member_names[which].at);
        has |= BIT(which);
        if (!member(line, (enum member)which, statement))
            return false;
    }
    statement->has = flags(has);
    return ok && check(line, begin, has, statement);
}

bool log_statement(struct log_line *line)
{
    struct esse_log_statement statement = { .results = { (uint32_t)line->log->results.count, 0 },
                                            .error = ESSE_NONE,
                                            .begin = ESSE_NO_TIME,
                                            .end = ESSE_NO_TIME };
    const bool ok = esse_json_peek(&line->json) == '"'
                        ? log_text(line, "a text of SQL", &statement.text)
                        : object(line, &statement);
    if (ok)
        esse_log_statement_vec_push(&line->log->statements, line->arena, statement);
    return ok;
}
