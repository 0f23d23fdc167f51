#include "exec_shell.h"

#include <sqlite3.h>

/*
 * Random schemas, rows and statements in what PostgreSQL and SQLite mean the same by: small
 * integers and texts, no division, no overflow, the place of NULL always given.  Both must return
 * the same rows, or both fail.
 *
 * No sub-select in the WHERE of an UPDATE: SQLite 3.40 lets it see rows that the same statement has
 * changed ("UPDATE t SET a = 1 WHERE id NOT IN (SELECT a FROM t x WHERE t.id > t.a)").
 */
enum { MOST_TEXT = 8000, TABLES = 3, COLUMNS = 4 };

struct script {
    struct esse_rng rng;
    char text[MOST_TEXT];
    size_t length;
    unsigned aliases;
    bool no_sub_selects;
};

static __attribute__((format(printf, 2, 3))) void put(struct script *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(s->text + s->length, MOST_TEXT - s->length, format, args);
    va_end(args);
    s->length += (size_t)length;
    assert_true(s->length < MOST_TEXT);
}

static unsigned below(struct script *s, unsigned bound)
{
    return esse_rng_below(&s->rng, bound);
}

static const char *one_of(struct script *s, const char *const *of)
{
    unsigned count = 0;
    while (of[count])
        count++;
    return of[below(s, count)];
}
#define PICK(s, ...) one_of(s, (const char *const[]){ __VA_ARGS__, NULL })

/* Tables t0 .. t2 have id, a, b (integers) and s (text). */
struct scope {
    unsigned aliases[6], count;
};

static void put_integer(struct script *s, const struct scope *scope, unsigned depth);
static void put_condition(struct script *s, const struct scope *scope, unsigned depth);

static void put_text(struct script *s, const struct scope *scope, unsigned depth)
{
    const unsigned kind = below(s, depth ? 6 : 3);
    if (kind < 2 && scope->count)
        put(s, "x%u.s", scope->aliases[below(s, scope->count)]);
    else if (kind < 3)
        put(s, "%s", PICK(s, "'a'", "'b'", "'ab'", "'A'", "''", "NULL", "'b c'"));
    else if (kind == 3) {
        put(s, "(");
        put_text(s, scope, depth - 1);
        put(s, " || ");
        put_text(s, scope, depth - 1);
        put(s, ")");
    } else if (kind == 4) {
        put(s, "%s(", PICK(s, "upper", "lower"));
        put_text(s, scope, depth - 1);
        put(s, ")");
    } else {
        put(s, "COALESCE(");
        put_text(s, scope, depth - 1);
        put(s, ", 'n')");
    }
}

static void put_integer(struct script *s, const struct scope *scope, unsigned depth)
{
    const unsigned kind = below(s, depth ? 9 : 4);
    if (kind < 3 && scope->count) {
        put(s, "x%u.%s", scope->aliases[below(s, scope->count)], PICK(s, "id", "a", "b"));
    } else if (kind < 4) {
        if (below(s, 12) == 0)
            put(s, "CAST(NULL AS int)");
        else
            put(s, "%d", (int)below(s, 12) - 3);
    } else if (kind < 6) {
        put(s, "(");
        put_integer(s, scope, depth - 1);
        put(s, " %s ", PICK(s, "+", "-", "*"));
        put_integer(s, scope, depth - 1);
        put(s, ")");
    } else if (kind == 6) {
        put(s, "CASE WHEN ");
        put_condition(s, scope, depth - 1);
        put(s, " THEN ");
        put_integer(s, scope, depth - 1);
        put(s, " ELSE ");
        put_integer(s, scope, depth - 1);
        put(s, " END");
    } else if (kind == 7) {
        put(s, "length(");
        put_text(s, scope, depth - 1);
        put(s, ")");
    } else {
        put(s, "COALESCE(abs(");
        put_integer(s, scope, depth - 1);
        put(s, "), ");
        put_integer(s, scope, depth - 1);
        put(s, ")");
    }
}

static void put_sub_select(struct script *s, const struct scope *scope, unsigned depth)
{
    struct scope inner = *scope;
    const unsigned alias = s->aliases++;
    if (inner.count < 6)
        inner.aliases[inner.count++] = alias;
    else
        inner.aliases[5] = alias;
    switch (below(s, 3)) {
    case 0:
        put(s, "%sEXISTS (SELECT 1 FROM t%u x%u WHERE ", PICK(s, "", "NOT "), below(s, TABLES),
            alias);
        break;
    case 1:
        put_integer(s, scope, 0);
        put(s, " %sIN (SELECT x%u.%s FROM t%u x%u WHERE ", PICK(s, "", "NOT "), alias,
            PICK(s, "id", "a", "b"), below(s, TABLES), alias);
        break;
    default:
        put_integer(s, scope, 0);
        put(s, " %s (SELECT %s(x%u.%s) FROM t%u x%u WHERE ", PICK(s, "=", "<", ">="),
            PICK(s, "count", "min", "max", "sum"), alias, PICK(s, "id", "a", "b"), below(s, TABLES),
            alias);
        break;
    }
    put_condition(s, &inner, depth);
    put(s, ")");
}

static void put_condition(struct script *s, const struct scope *scope, unsigned depth)
{
    const unsigned kind = below(s, !depth ? 2 : s->no_sub_selects ? 8 : 9);
    put(s, "(");
    switch (kind) {
    case 0:
    case 1:
    case 2:
        put_integer(s, scope, depth ? depth - 1 : 0);
        put(s, " %s ", PICK(s, "=", "<>", "<", "<=", ">", ">="));
        put_integer(s, scope, depth ? depth - 1 : 0);
        break;
    case 3:
        put_text(s, scope, depth - 1);
        put(s, " %s ", PICK(s, "=", "<>", "<", ">="));
        put_text(s, scope, depth - 1);
        break;
    case 4:
        put_condition(s, scope, depth - 1);
        put(s, " %s ", PICK(s, "AND", "OR"));
        put_condition(s, scope, depth - 1);
        break;
    case 5:
        put(s, "NOT ");
        put_condition(s, scope, depth - 1);
        break;
    case 6:
        put_integer(s, scope, depth - 1);
        put(s, " IS %sNULL", PICK(s, "", "NOT "));
        break;
    case 7:
        put_integer(s, scope, depth - 1);
        put(s, " %sIN (", PICK(s, "", "NOT "));
        put_integer(s, scope, 0);
        put(s, ", ");
        put_integer(s, scope, 0);
        put(s, ")");
        break;
    default:
        put_sub_select(s, scope, depth - 1);
        break;
    }
    put(s, ")");
}

static unsigned put_source(struct script *s)
{
    const unsigned alias = s->aliases++;
    put(s, "t%u x%u", below(s, TABLES), alias);
    return alias;
}

static struct scope put_from(struct script *s)
{
    struct scope scope = { .count = 0 };
    put(s, " FROM ");
    scope.aliases[scope.count++] = put_source(s);
    while (scope.count < 3 && below(s, 3) == 0) {
        put(s, " %s ", PICK(s, "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"));
        const unsigned before = scope.aliases[below(s, scope.count)], alias = put_source(s);
        put(s, " ON x%u.%s = x%u.%s", before, PICK(s, "id", "a"), alias, PICK(s, "id", "b"));
        scope.aliases[scope.count++] = alias;
    }
    return scope;
}

/* The outputs come before FROM, so the aliases are planned: the text is put together after. */
static void put_select(struct script *s, bool is_whole)
{
    struct script from = { .rng = s->rng, .aliases = s->aliases };
    const struct scope scope = put_from(&from);
    s->rng = from.rng;
    s->aliases = from.aliases;
    const bool is_grouped = below(s, 4) == 0, is_distinct = !is_grouped && below(s, 5) == 0;
    const unsigned outputs = 1 + below(s, 3);
    char key[32];
    snprintf(key, sizeof key, "x%u.%s", scope.aliases[0], PICK(s, "a", "b", "id"));
    put(s, "SELECT %s", is_distinct ? "DISTINCT " : "");
    for (unsigned i = 0; i < outputs; i++) {
        put(s, i ? ", " : "");
        if (is_grouped && i == 0) {
            put(s, "%s", key);
        } else if (is_grouped) {
            put(s, "%s(%s", PICK(s, "count", "sum", "min", "max"), PICK(s, "", "DISTINCT "));
            put_integer(s, &scope, 1);
            put(s, ")");
        } else {
            put_integer(s, &scope, 2);
        }
        put(s, " AS c%u", i);
    }
    put(s, "%s", from.text);
    if (below(s, 3)) {
        put(s, " WHERE ");
        put_condition(s, &scope, 2);
    }
    if (is_grouped)
        put(s, " GROUP BY %s%s", key, PICK(s, "", " HAVING count(*) > 1", " HAVING min(1) = 1"));
    if (!is_whole)
        return;
    if (below(s, 6) == 0) {
        put(s, " %s SELECT ", PICK(s, "UNION", "UNION ALL", "EXCEPT", "INTERSECT"));
        for (unsigned i = 0; i < outputs; i++)
            put(s, "%s%d", i ? ", " : "", (int)below(s, 5));
    }
    if (below(s, 2)) {
        put(s, " ORDER BY ");
        for (unsigned i = 0; i < outputs; i++)
            put(s, "%s%u%s", i ? ", " : "", i + 1,
                PICK(s, " NULLS FIRST", " DESC NULLS LAST", " ASC NULLS LAST"));
        if (below(s, 2))
            put(s, " LIMIT %u OFFSET %u", below(s, 5), below(s, 3));
    }
}

static void put_change(struct script *s)
{
    const unsigned table = below(s, TABLES);
    const struct scope none = { .count = 0 };
    struct scope own = { .count = 1 };
    switch (below(s, 4)) {
    case 0:
    case 1:
        put(s, "INSERT INTO t%u (id, a, b, s) VALUES (%u, %u, ", table, below(s, 14), below(s, 8));
        put_integer(s, &none, 1);
        put(s, ", ");
        put_text(s, &none, 1);
        put(s, ")%s",
            PICK(s, "", "", " ON CONFLICT DO NOTHING",
                 " ON CONFLICT (id) DO UPDATE SET b = excluded.b + 1"));
        break;
    case 2:
        own.aliases[0] = s->aliases++;
        put(s, "UPDATE t%u AS x%u SET %s = ", table, own.aliases[0], PICK(s, "a", "b"));
        s->no_sub_selects = true;
        put_integer(s, &own, 2);
        put(s, " WHERE ");
        put_condition(s, &own, 2);
        s->no_sub_selects = false;
        break;
    default:
        put(s, "DELETE FROM t%u WHERE id %s %u", table, PICK(s, "=", "=", "<"), below(s, 8));
        break;
    }
}

static void put_statement(struct script *s)
{
    s->length = 0;
    s->text[0] = '\0';
    const unsigned kind = below(s, 10);
    if (kind < 6)
        put_select(s, true);
    else if (kind < 7) {
        put(s, "WITH w AS (");
        put_select(s, false);
        put(s, ") SELECT c0 FROM w WHERE c0 > 1 ORDER BY 1");
    } else {
        put_change(s);
    }
}

/* ---- both sides ---- */

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Rows in one order, whatever theirs is. */
static const char *sorted_rows(struct esse_arena *arena, const char *rows)
{
    char *copy = esse_arena_text(arena, rows, strlen(rows)), *save = NULL;
    const char **at = esse_arena_alloc(arena, strlen(rows) + 1, sizeof *at);
    size_t count = 0;
    for (char *row = strtok_r(copy, ";", &save); row; row = strtok_r(NULL, ";", &save))
        at[count++] = row;
    qsort(at, count, sizeof *at, compare_text);
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    for (size_t i = 0; i < count; i++)
        esse_out_f(out, "%s;", at[i]);
    return esse_out_memory(out);
}

static const char *ask_sqlite(sqlite3 *db, struct esse_arena *arena, const char *text)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    sqlite3_stmt *statement;
    int state;
    unsigned rows = 0;
    esse_out_init_memory(out, arena);
    if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("sqlite: %s in %s", sqlite3_errmsg(db), text);
    const int width = sqlite3_column_count(statement);
    while ((state = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < width; i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            esse_out_f(out, "%s%s", i ? "|" : rows ? ";" : "", value ? value : "NULL");
        }
        rows++;
    }
    sqlite3_finalize(statement);
    if (state != SQLITE_DONE) {
        assert_int_equal(state, SQLITE_CONSTRAINT);
        return "constraint";
    }
    return width ? esse_out_memory(out)
                 : esse_arena_format(arena, "%d changed", sqlite3_changes(db));
}

static const char *const schema[] = {
    "CREATE TABLE t0 (id int PRIMARY KEY, a int, b int CHECK (b < 40), s text)",
    "CREATE TABLE t1 (id int PRIMARY KEY, a int NOT NULL, b int UNIQUE, s text)",
    "CREATE TABLE t2 (id int PRIMARY KEY, a int REFERENCES t0 ON DELETE CASCADE,b int,s text)",
};

struct sides {
    sqlite3 *db;
    struct esse_shell *shell;
    struct esse_arena *arena;
};

static void compare_both(struct sides *sides, const char *text)
{
    const char *theirs = ask_sqlite(sides->db, sides->arena, text);
    const char *ours = ask_shell(sides->shell, sides->arena, text);
    if (strcmp(theirs, "constraint") == 0) {
        if (strncmp(ours, "23", 2) != 0 || strlen(ours) != 5)
            fail_msg("%s\nesse: %s, sqlite: a constraint is broken", text, ours);
        return;
    }
    if (!strstr(text, "ORDER BY")) {
        ours = sorted_rows(sides->arena, ours);
        theirs = sorted_rows(sides->arena, theirs);
    }
    if (strcmp(ours, theirs) != 0)
        fail_msg("%s\nesse:   %s\nsqlite: %s", text, ours, theirs);
}

static void sqlite_do(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("sqlite: %s in %s", sqlite3_errmsg(db), sql);
}

static void run_round(unsigned seed)
{
    static struct script script;
    struct sides sides = { .shell = esse_shell_new(ESSE_DIALECT_POSTGRESQL),
                           .arena = esse_arena_new() };
    script = (struct script){ .rng = { seed } };
    CHECK_EQ(sqlite3_open(":memory:", &sides.db), SQLITE_OK);
    sqlite_do(sides.db, "PRAGMA foreign_keys = ON");
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++) {
        sqlite_do(sides.db, schema[i]);
        CHECK_TEXT(ask_shell(sides.shell, sides.arena, schema[i]), "0 changed");
    }
    for (unsigned i = 0; i < 15; i++) {
        script.length = 0;
        put(&script, "INSERT INTO t%u VALUES (%u, %u, %u, %s)", i % TABLES, i / TABLES,
            below(&script, 5), below(&script, 30), PICK(&script, "'a'", "'b'", "'ab'", "NULL"));
        compare_both(&sides, script.text);
    }
    for (unsigned i = 0; i < 50; i++) {
        put_statement(&script);
        compare_both(&sides, script.text);
    }
    sqlite3_close(sides.db);
    esse_shell_free(sides.shell);
    esse_arena_free(sides.arena);
}

TEST(test_exec__agrees_with_sqlite)
{
    const unsigned usual = 60;
    for (unsigned i = 0; i < test_rounds(usual); i++)
        run_round(test_first(usual) + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exec__agrees_with_sqlite),
    };
    return cmocka_run_group_tests_name("exec_sqlite", tests, NULL, NULL);
}
