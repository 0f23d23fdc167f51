#include "base/out.h"
#include "cli/session.h"
#include "exec/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *dialect;
    bool json, keep_going;
} o;

static const char *const dialects[] = { "postgresql", "mysql", NULL };

static const struct esse_opt options[] = {
    { "dialect", 'd', ESSE_OPT_TEXT, &o.dialect, "D", "whose SQL it is (default: postgresql)",
      dialects },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object for each statement" },
    { "keep-going", 'k', ESSE_OPT_FLAG, &o.keep_going, NULL,
      "go on after an error of a statement" },
    { 0 },
};

ESSE_VEC(text_vec, char)

static bool read_all(struct esse_arena *arena, const char *path, struct text_vec *text,
                     struct esse_error *err)
{
    enum { PIECE = 64 << 10 };
    const int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return esse_fail(err, ESSE_EIO, "cannot open: %s", strerror(errno));
    for (;;) {
        char *to = text_vec_extend(text, arena, PIECE);
        const ssize_t count = read(fd, to, PIECE);
        text->count -= PIECE;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return esse_fail(err, ESSE_EIO, "cannot read: %s", strerror(errno));
        if (count == 0)
            break;
        text->count += (size_t)count;
    }
    if (fd != STDIN_FILENO)
        close(fd);
    return true;
}

/* ---- results ---- */

static void put_json_value(struct esse_out *out, struct esse_arena *arena, struct esse_datum value,
                           struct esse_type type)
{
    const struct esse_datum text = esse_datum_show(arena, value, type);
    switch ((enum esse_datum_kind)value.kind) {
    case ESSE_DATUM_NULL:
        esse_out_text(out, "null");
        break;
    case ESSE_DATUM_BOOL:
    case ESSE_DATUM_INT:
        esse_out_bytes(out, text.is.text, text.length);
        break;
    default:
        esse_out_json(out, text.is.text, text.length);
        break;
    }
}

static void put_json(struct esse_out *out, struct esse_arena *arena,
                     const struct esse_sql_result *result)
{
    esse_out_text(out, "{");
    if (result->has_rows) {
        esse_out_text(out, "\"columns\":[");
        for (uint32_t i = 0; i < result->width; i++) {
            esse_out_text(out, i ? "," : "");
            esse_out_json_text(out, result->columns[i].name);
        }
        esse_out_text(out, "],\"rows\":[");
        for (size_t row = 0; row < result->count; row++) {
            esse_out_text(out, row ? ",[" : "[");
            for (uint32_t i = 0; i < result->width; i++) {
                esse_out_text(out, i ? "," : "");
                put_json_value(out, arena, result->rows[row * result->width + i],
                               result->columns[i].type);
            }
            esse_out_text(out, "]");
        }
        esse_out_text(out, "],");
    }
    esse_out_f(out, "\"count\":%llu}\n", (unsigned long long)result->changed);
}

static uint32_t width_of(struct esse_arena *arena, const struct esse_sql_result *result,
                         uint32_t column)
{
    const char *name = result->columns[column].name;
    uint32_t width = esse_text_characters(esse_datum_text(name, strlen(name)));
    for (size_t row = 0; row < result->count; row++) {
        const struct esse_datum text = esse_datum_show(
            arena, result->rows[row * result->width + column], result->columns[column].type);
        const uint32_t length = esse_text_characters(text);
        width = length > width ? length : width;
    }
    return width;
}

static void put_padded(struct esse_out *out, struct esse_datum text, uint32_t width, bool is_right)
{
    const uint32_t length = esse_text_characters(text);
    for (uint32_t i = length; is_right && i < width; i++)
        esse_out_char(out, ' ');
    esse_out_bytes(out, text.is.text, text.length);
    for (uint32_t i = length; !is_right && i < width; i++)
        esse_out_char(out, ' ');
}

static void put_table(struct esse_out *out, struct esse_arena *arena,
                      const struct esse_sql_result *result)
{
    uint32_t *widths = esse_arena_alloc(arena, result->width + 1, sizeof *widths);
    for (uint32_t i = 0; i < result->width; i++) {
        const char *name = result->columns[i].name;
        widths[i] = width_of(arena, result, i);
        esse_out_text(out, i ? " | " : " ");
        put_padded(out, esse_datum_text(name, strlen(name)), widths[i], false);
    }
    esse_out_text(out, "\n");
    for (uint32_t i = 0; i < result->width; i++) {
        esse_out_text(out, i ? "+" : "");
        for (uint32_t k = 0; k < widths[i] + 2; k++)
            esse_out_char(out, '-');
    }
    for (size_t row = 0; row < result->count; row++) {
        esse_out_text(out, "\n");
        for (uint32_t i = 0; i < result->width; i++) {
            esse_out_text(out, i ? " | " : " ");
            put_padded(out,
                       esse_datum_show(arena, result->rows[row * result->width + i],
                                       result->columns[i].type),
                       widths[i], esse_type_is_number(result->columns[i].type));
        }
    }
    esse_out_f(out, "\n(%zu row%s)\n\n", result->count, result->count == 1 ? "" : "s");
}

static void put_count(struct esse_out *out, const struct esse_sql_result *result)
{
    static const char *const words[] = { [ESSE_STATEMENT_INSERT] = "inserted",
                                         [ESSE_STATEMENT_UPDATE] = "updated",
                                         [ESSE_STATEMENT_DELETE] = "deleted" };
    const enum esse_statement_kind kind = result->statement->kind;
    if (kind == ESSE_STATEMENT_INSERT || kind == ESSE_STATEMENT_UPDATE ||
        kind == ESSE_STATEMENT_DELETE)
        esse_out_f(out, "%llu %s\n", (unsigned long long)result->changed, words[kind]);
}

/* ---- statements ---- */

static uint64_t line_of(const char *text, size_t at)
{
    uint64_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static size_t blanks(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && strchr(" \t\r\n", text[count]) && text[count])
        count++;
    return count;
}

/* The exit status of an error. */
static int tell_fault(struct esse_out *out, const char *path, uint64_t line,
                      const struct esse_fault *fault)
{
    struct esse_error err = { .code = ESSE_EINPUT, .line = line };
    if (o.json) {
        esse_out_f(out, "{\"error\":\"%s\",\"line\":%llu,\"byte\":%u,\"supported\":%s,\"message\":",
                   fault->state, (unsigned long long)line, fault->at,
                   fault->kind == ESSE_FAULT_UNSUPPORTED ? "false" : "true");
        esse_out_json_text(out, fault->text);
        esse_out_text(out, "}\n");
        return ESSE_EXIT_INPUT;
    }
    esse_out_finish(out, &err);
    if (fault->at)
        esse_fail_at(&err, line, 0, "byte %u: %s (%s)", fault->at, fault->text, fault->state);
    else
        esse_fail_at(&err, line, 0, "%s (%s)", fault->text, fault->state);
    return esse_cli_fail(path, &err);
}

static int run_text(struct esse_out *out, const char *path, enum esse_dialect dialect,
                    const char *text, size_t length)
{
    struct esse_shell *shell = esse_shell_new(dialect);
    struct esse_arena *arena = esse_arena_new();
    int status = 0;
    for (size_t at = blanks(text, length); at < length;) {
        const size_t end = esse_statement_end(dialect, text + at, length - at);
        struct esse_sql_result result;
        struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
        if (esse_shell_run(shell, text + at, end, &result, &fault)) {
            if (o.json)
                put_json(out, arena, &result);
            else if (result.has_rows)
                put_table(out, arena, &result);
            else
                put_count(out, &result);
            esse_arena_clear(arena);
        } else {
            status = tell_fault(out, path, line_of(text, at), &fault);
            if (!o.keep_going)
                break;
        }
        at += end;
        at += blanks(text + at, length - at);
    }
    esse_arena_free(arena);
    esse_shell_free(shell);
    return status;
}

static int run_sql(int count, char **paths)
{
    struct esse_arena *arena = esse_arena_new();
    struct text_vec text = { 0 };
    struct esse_error err = { 0 };
    struct esse_out out;
    const char *path = count ? paths[0] : "-";
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    int status;
    const bool is_mysql = o.dialect && strcmp(o.dialect, "mysql") == 0;
    if (o.dialect && !is_mysql && strcmp(o.dialect, "postgresql") != 0)
        status = esse_cli_usage("sql", "the dialect '%s' is not supported", o.dialect);
    else if (!read_all(arena, path, &text, &err))
        status = esse_cli_fail(path, &err);
    else
        status = run_text(&out, path, is_mysql ? ESSE_DIALECT_MYSQL : ESSE_DIALECT_POSTGRESQL,
                          text.at, text.count);
    status = esse_session_answer(&out, status);
    esse_arena_free(arena);
    return status;
}

const struct esse_command esse_command_sql = {
    .name = "sql",
    .operands = "[FILE]",
    .summary = "run SQL on a store in memory, as Esse understands it",
    .details = "Runs the statements of a file, or of standard input, one after the other on tables "
               "in memory, and prints what they return. It is the interpreter that judges "
               "transactions, so it shows what Esse takes a statement to do: types, overflow, "
               "NULL, constraints, errors with their SQLSTATE.\n\n"
               "What Esse does not support is an error that names it. The first error ends the "
               "run with status 65, unless --keep-going is given.",
    .examples = "  esse sql schema.sql\n  echo 'SELECT 1/3.0' | esse sql # to standard input",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run_sql,
};
