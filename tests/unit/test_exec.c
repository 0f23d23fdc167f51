#include "exec_shell.h"

#include "exec/row_memory.h"

TEST(test_exec__numbers_are_exact_and_overflow)
{
    POSTGRESQL(
        { "SELECT 2147483647 + 1", "22003" }, { "SELECT 2147483647::bigint + 1", "2147483648" },
        { "SELECT 9223372036854775807 + 1", "22003" },
        { "SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 2) t",
          "9223372036854775809" },
        { "SELECT 32767::smallint + 1::smallint", "22003" },
        { "SELECT 7 / 2, -7 / 2, -7 % 2, 1 / 0", "22012" },
        { "SELECT 7 / 2, -7 / 2, -7 % 2", "3|-3|-1" },
        { "SELECT 1 / 3.0, 10 / 4.0, 2 / 3::numeric",
          "0.33333333333333333333|2.5000000000000000|0.66666666666666666667" },
        { "SELECT 0.1 + 0.2, 0.1 + 0.2 = 0.3, 1.10 * 2.0", "0.3|true|2.200" },
        { "SELECT 12345678901234567890.5 + 0.5", "12345678901234567891.0" },
        { "SELECT round(2.5), round(-2.5), round(2.675, 2), trunc(-1.9), ceil(1.1), floor(-1.1)",
          "3|-3|2.68|-1|2|-2" },
        { "SELECT 99999999999999999999999999999999999999 * 10", "0A000" },
        { "SELECT CAST(99.995 AS numeric(4,2))", "22003" },
        { "SELECT CAST(9.995 AS numeric(4,2))", "10.00" },
        { "SELECT 2.5::float8::int, 3.5::float8::int, 2.5::int", "2|4|3" },
        { "SELECT '1e300'::float8 * '1e300'::float8", "22003" },
        { "SELECT 0.1::float8 + 0.2::float8, 1e15::float8, 1e14::float8",
          "0.30000000000000004|1e+15|100000000000000" },
        { "SELECT 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, -8 >> 1", "1|7|6|-6|16|-4" });
}

TEST(test_exec__null_has_three_values)
{
    POSTGRESQL(
        { "SELECT NULL = NULL, NULL IS NULL, NULL AND FALSE, NULL OR TRUE, NOT NULL::boolean",
          "NULL|true|false|true|NULL" },
        { "SELECT 1 IN (2, NULL), 1 IN (1, NULL), 1 NOT IN (2, NULL)", "NULL|true|NULL" },
        { "SELECT NULL IS DISTINCT FROM 1, NULL IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM 1",
          "true|false|true" },
        { "SELECT COALESCE(NULL, 2), NULLIF(1, 1), GREATEST(1, NULL, 3), LEAST(NULL, 2)",
          "2|NULL|3|2" },
        { "SELECT 1 > ALL (SELECT 1 WHERE FALSE), 1 > ANY (SELECT 1 WHERE FALSE)", "true|false" },
        { "SELECT (1, NULL) = (1, 2), (1, NULL) = (2, 2), (1, 2) < (1, 3)", "NULL|false|true" },
        { "SELECT count(x), count(*), sum(x), min(x) FROM (VALUES (NULL::int), (NULL)) v (x)",
          "0|2|NULL|NULL" },
        { "SELECT 3 BETWEEN 5 AND 1, 3 BETWEEN SYMMETRIC 5 AND 1", "false|true" });
}

TEST(test_exec__text_dates_and_casts)
{
    POSTGRESQL({ "SELECT 'a'::char(3) = 'a '::varchar(4), 'a'::char(3) = 'a '::text, "
                 "nullif('a'::char(3), 'b'::varchar(4)), nullif('a'::char(3), 'b'::text)",
                 "true|false|a  |a" },
               { "SELECT 'a '::char(3) = 'a'::char(5), 'a '::text = 'a', length('ab '::char(5)), "
                 "'a'::char(3) || 'b'",
                 "true|false|2|ab" },
               { "SELECT 'abc'::varchar(2), upper('aé'), substring('hello' from 2 for 3), "
                 "substring('hello', 0, 3)",
                 "ab|Aé|ell|he" },
               { "SELECT trim('  a '), trim(both 'x' from 'xax'), replace('aXbX', 'X', '-'), "
                 "position('b' in 'abc'), concat('a', NULL, 1)",
                 "a|a|a-b-|2|a1" },
               { "SELECT DATE '2024-02-28' + 2, DATE '2024-03-01' - DATE '2024-02-01', TIMESTAMP "
                 "'2024-01-05 10:20:30.5'",
                 "2024-03-01|29|2024-01-05 10:20:30.5" },
               { "SELECT DATE '2023-02-29'", "22008" }, { "SELECT 'x'::int", "22P02" },
               { "SELECT 'yes'::boolean, 1::boolean, TRUE::int", "true|true|1" },
               { "SELECT 'abc' LIKE 'a_c', 'a%c' LIKE 'a\\%c', 'abc' NOT LIKE '%z', 'b' LIKE 'a' "
                 "ESCAPE 'xy'",
                 "22019" },
               { "SELECT 1 = 'x'", "22P02" },
               { "SELECT 1 = '1', 'a' < 'b' , 1 || 'a'", "true|true|1a" },
               { "SELECT 1 || 2", "42883" },
               { "SELECT NULLIF('a'::char(3), 'b'::text) || '|', length(concat('a'::char(3), 'b'))",
                 "a||4" },
               { "SELECT length(5)", "42883" });
}

#define TABLES                                                                                     \
    { "CREATE TABLE t (id int PRIMARY KEY, a int, s text)", "0 changed" },                         \
        { "CREATE TABLE u (id int PRIMARY KEY, t int, v numeric(6,2))", "0 changed" },             \
        { "INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, NULL, 'x')", "3 changed" },        \
    {                                                                                              \
        "INSERT INTO u VALUES (1, 1, 1.5), (2, 1, 2.5), (3, 2, 10), (4, 9, 0)", "4 changed"        \
    }

TEST(test_exec__joins)
{
    POSTGRESQL(
        TABLES, { "SELECT t.id, u.id FROM t JOIN u ON u.t = t.id ORDER BY 1, 2", "1|1;1|2;2|3" },
        { "SELECT t.id, u.id FROM t LEFT JOIN u ON u.t = t.id AND u.v > 2 ORDER BY 1, 2",
          "1|2;2|3;3|NULL" },
        { "SELECT t.id, u.id FROM t RIGHT JOIN u ON u.t = t.id ORDER BY 2", "1|1;1|2;2|3;NULL|4" },
        { "SELECT t.id, u.id FROM t FULL JOIN u ON u.t = t.id ORDER BY 1, 2",
          "1|1;1|2;2|3;3|NULL;NULL|4" },
        { "SELECT count(*) FROM t CROSS JOIN u", "12" },
        { "SELECT count(*) FROM t, u WHERE t.id = u.t AND t.a < u.v * 10", "3" },
        { "SELECT id, a, v FROM t JOIN u USING (id) ORDER BY id",
          "1|10|1.50;2|20|2.50;3|NULL|10.00" },
        { "SELECT * FROM t NATURAL JOIN u WHERE id = 2", "2|20|y|1|2.50" },
        { "SELECT id FROM t NATURAL FULL JOIN u ORDER BY id", "1;2;3;4" },
        { "SELECT a.id, b.id FROM t a JOIN t b ON a.s = b.s AND a.id < b.id", "1|3" },
        { "SELECT id FROM t, u", "42702" }, { "SELECT t.id FROM t a", "42P01" },
        { "SELECT nope FROM t", "42703" }, { "SELECT 1 FROM t, t", "42712" },
        { "SELECT x.n FROM (SELECT id + 1 AS n FROM t) x WHERE x.n > 2 ORDER BY 1", "3;4" });
}

TEST(test_exec__groups_sets_and_sub_selects)
{
    POSTGRESQL(
        TABLES,
        { "SELECT s, count(*), sum(a), avg(a) FROM t GROUP BY s ORDER BY s",
          "x|2|10|10.0000000000000000;y|1|20|20.0000000000000000" },
        { "SELECT count(DISTINCT s), count(*) FILTER (WHERE a > 10) FROM t", "2|1" },
        { "SELECT s FROM t GROUP BY s HAVING count(*) > 1", "x" },
        { "SELECT a FROM t GROUP BY s", "42803" },
        { "SELECT id, a FROM t GROUP BY id ORDER BY id DESC LIMIT 1", "3|NULL" },
        { "SELECT a FROM t WHERE count(*) > 1", "42803" },
        { "SELECT sum(count(*)) FROM t", "42803" },
        { "SELECT s FROM t UNION SELECT 'z' ORDER BY 1", "x;y;z" },
        { "SELECT s FROM t EXCEPT ALL SELECT 'x' ORDER BY 1", "x;y" },
        { "SELECT s FROM t INTERSECT SELECT 'x'", "x" },
        { "SELECT id FROM t UNION SELECT 'a'", "22P02" }, { "SELECT 1, 2 UNION SELECT 1", "42601" },
        { "SELECT DISTINCT s FROM t ORDER BY s DESC", "y;x" },
        { "SELECT DISTINCT s FROM t ORDER BY id", "42P10" },
        { "SELECT id FROM t ORDER BY a NULLS FIRST", "3;1;2" },
        { "SELECT id FROM t ORDER BY a DESC OFFSET 1 LIMIT 1", "2" },
        { "SELECT id FROM t ORDER BY 1 FETCH FIRST 2 ROWS ONLY", "1;2" },
        { "SELECT id FROM t LIMIT -1", "2201W" },
        { "SELECT id, (SELECT count(*) FROM u WHERE u.t = t.id) FROM t ORDER BY 1", "1|2;2|1;3|0" },
        { "SELECT (SELECT id FROM t)", "21000" },
        { "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t = t.id AND v > 2) ORDER BY 1",
          "1;2" },
        { "SELECT id FROM t WHERE id NOT IN (SELECT t FROM u) ", "3" },
        { "SELECT id FROM t WHERE (id, s) IN (SELECT id, 'x' FROM u) ORDER BY 1", "1;3" },
        { "SELECT id FROM u WHERE v >= ALL (SELECT v FROM u)", "3" },
        { "WITH w (n) AS (SELECT id FROM t WHERE a > 5) SELECT sum(x.n) FROM w x, w y", "6" },
        { "CREATE VIEW big AS SELECT id, a FROM t WHERE a > 5", "0 changed" },
        { "SELECT b.a FROM big b ORDER BY 1", "10;20" });
}

TEST(test_exec__changes)
{
    POSTGRESQL(
        TABLES, { "INSERT INTO t VALUES (1, 0, 'q')", "23505" },
        { "INSERT INTO t (id) SELECT id + 10 FROM u WHERE v > 2 RETURNING id, a",
          "12|NULL;13|NULL" },
        { "INSERT INTO t VALUES (1, 5, 'n') ON CONFLICT DO NOTHING", "0 changed" },
        { "INSERT INTO t VALUES (1, 5, 'n'), (30, 6, 'm') ON CONFLICT (id) DO UPDATE SET a = t.a + "
          "excluded.a RETURNING id, a, s",
          "1|15|x;30|6|m" },
        { "INSERT INTO t VALUES (40, 1, ''), (40, 1, '') ON CONFLICT (id) DO UPDATE SET a = 0",
          "21000" },
        { "INSERT INTO t VALUES (50, 'abc', '')", "22P02" },
        { "INSERT INTO t (id, a) VALUES (1, 2, 3)", "42601" },
        { "INSERT INTO t (s, a) VALUES ('z', 1)", "23502" },
        { "UPDATE t SET a = id, id = a WHERE id = 2 RETURNING id, a", "20|2" },
        { "UPDATE t SET a = u.v FROM u WHERE u.t = t.id AND u.id = 2 RETURNING t.id, a, u.v",
          "1|3|2.50" },
        { "UPDATE t SET (a, s) = (7, 'w') WHERE id = 3", "1 changed" },
        { "UPDATE t SET a = (SELECT max(id) FROM t) WHERE id IN (1, 3)", "2 changed" },
        { "SELECT id, a FROM t ORDER BY 1", "1|30;3|30;12|NULL;13|NULL;20|2;30|6" },
        { "DELETE FROM t USING u WHERE t.id = u.id RETURNING t.id", "1;3" },
        { "UPDATE t SET id = 12 WHERE id = 13", "23505" }, { "UPDATE t SET a = s", "42804" },
        { "TRUNCATE t", "0 changed" }, { "SELECT count(*) FROM t", "0" });
}

TEST(test_exec__constraints)
{
    POSTGRESQL(
        { "CREATE TABLE p (id int PRIMARY KEY, k text UNIQUE, n int NOT NULL DEFAULT 4 CHECK (n > "
          "0), d int GENERATED ALWAYS AS (n * 2) STORED)",
          "0 changed" },
        { "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE ON UPDATE "
          "CASCADE)",
          "0 changed" },
        { "CREATE TABLE d (id int PRIMARY KEY, p int DEFAULT 1 REFERENCES p ON DELETE SET NULL, q "
          "int REFERENCES p DEFERRABLE INITIALLY DEFERRED)",
          "0 changed" },
        { "INSERT INTO p (id, k) VALUES (1, 'a'), (2, NULL), (3, NULL) RETURNING d", "8;8;8" },
        { "INSERT INTO p (id, k) VALUES (4, 'a')", "23505" },
        { "INSERT INTO p (id, n) VALUES (4, 0)", "23514" },
        { "INSERT INTO p (id, n) VALUES (4, NULL)", "23502" },
        { "INSERT INTO p (id, d) VALUES (4, 1)", "428C9" },
        { "INSERT INTO c VALUES (1, 9)", "23503" },
        { "INSERT INTO c VALUES (1, 1), (2, 2), (3, NULL)", "3 changed" },
        { "INSERT INTO d VALUES (1, 2, NULL)", "1 changed" },
        { "UPDATE p SET id = 20 WHERE id = 2", "23503" },
        { "UPDATE p SET id = 10 WHERE id = 1", "1 changed" },
        { "SELECT p FROM c ORDER BY id", "10;2;NULL" },
        { "DELETE FROM p WHERE id IN (2, 10)", "2 changed" }, { "SELECT count(*) FROM c", "1" },
        { "SELECT p FROM d", "NULL" }, { "BEGIN", "0 changed" },
        { "INSERT INTO d VALUES (2, NULL, 77)", "1 changed" },
        { "INSERT INTO p (id) VALUES (77)", "1 changed" }, { "COMMIT", "0 changed" },
        { "BEGIN", "0 changed" }, { "INSERT INTO d VALUES (3, NULL, 78)", "1 changed" },
        { "COMMIT", "23503" }, { "SELECT count(*) FROM d", "2" },
        { "DELETE FROM p WHERE id = 77", "23503" }, { "TRUNCATE p", "0A000" },
        { "DROP TABLE p", "2BP01" }, { "CREATE UNIQUE INDEX x ON p (n)", "23505" });
}

TEST(test_exec__savepoints_and_schema_in_transactions)
{
    POSTGRESQL({ "CREATE TABLE t (id int PRIMARY KEY)", "0 changed" }, { "BEGIN", "0 changed" },
               { "INSERT INTO t VALUES (1)", "1 changed" }, { "SAVEPOINT a", "0 changed" },
               { "INSERT INTO t VALUES (1)", "23505" }, { "SELECT 1", "25P02" },
               { "ROLLBACK TO a", "0 changed" }, { "INSERT INTO t VALUES (2)", "1 changed" },
               { "SAVEPOINT a", "0 changed" }, { "DELETE FROM t", "2 changed" },
               { "ROLLBACK TO a", "0 changed" }, { "RELEASE a", "0 changed" },
               { "CREATE TABLE v (x int)", "0 changed" },
               { "INSERT INTO v VALUES (1), (1)", "2 changed" },
               { "SELECT count(*) FROM t, v", "4" }, { "ROLLBACK TO b", "3B001" },
               { "ROLLBACK", "0 changed" }, { "SELECT * FROM v", "42P01" },
               { "SELECT count(*) FROM t", "0" }, { "SAVEPOINT x", "25P01" });
}

TEST(test_exec__sequences)
{
    POSTGRESQL(
        { "CREATE SEQUENCE s START 5 INCREMENT 2", "0 changed" },
        { "SELECT nextval('s'), nextval('s')", "5|7" }, { "SELECT currval('s')", "7" },
        { "CREATE TABLE t (id serial PRIMARY KEY, x int, y int GENERATED BY DEFAULT AS IDENTITY)",
          "0 changed" },
        { "INSERT INTO t (x) VALUES (1), (2) RETURNING id, y", "1|1;2|2" },
        { "SELECT now() = current_timestamp, random() < 1", "true|true" });
}

TEST(test_exec__refuses_by_name_and_place)
{
    static const struct {
        const char *text, *message;
        uint32_t at;
    } cases[] = {
        { "SELECT rank() OVER ()", "window functions are not supported", 8 },
        { "WITH RECURSIVE w AS (SELECT 1) SELECT * FROM w", "WITH RECURSIVE is not supported", 1 },
        { "SELECT ARRAY[1]", "arrays are not supported", 8 },
        { "SELECT 1, md5('a')", "the function md5() is not supported", 11 },
        { "SELECT 1::json", "the type json is not supported", 11 },
        { "COPY t FROM STDIN", "a statement of this kind is not supported", 0 },
    };
    struct esse_shell *shell = esse_shell_new(ESSE_DIALECT_POSTGRESQL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_sql_result result;
        struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
        CHECK(!esse_shell_run(shell, cases[i].text, strlen(cases[i].text), &result, &fault));
        CHECK_EQ(fault.kind, ESSE_FAULT_UNSUPPORTED);
        CHECK_TEXT(fault.text, cases[i].message);
        CHECK_EQ(fault.at, cases[i].at);
    }
    esse_shell_free(shell);
}

/* ---- the store: what it is asked ---- */

struct spy {
    struct esse_store store;
    const struct esse_store *under;
    unsigned gets, ranges, hits;
    uint32_t last_index;
};

static const struct esse_datum *spy_get(void *context, const struct esse_table *table,
                                        struct esse_bytes key)
{
    struct spy *spy = context;
    const struct esse_datum *row = spy->under->get(spy->under->context, table, key);
    spy->gets++;
    spy->hits += row != NULL;
    return row;
}

static void spy_range(void *context, const struct esse_table *table, uint32_t index,
                      struct esse_bytes low, struct esse_bytes high, struct esse_arena *arena,
                      struct esse_found_vec *found)
{
    struct spy *spy = context;
    const size_t before = found->count;
    spy->under->range(spy->under->context, table, index, low, high, arena, found);
    spy->ranges++;
    spy->last_index = index;
    spy->hits += (unsigned)(found->count - before);
}

static uint64_t spy_number(void *context, const struct esse_table *table)
{
    const struct spy *spy = context;
    return spy->under->number(spy->under->context, table);
}

static bool no_hole(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                    struct esse_datum *value, struct esse_fault *fault)
{
    (void)context;
    (void)sequence;
    (void)fault;
    *value = (struct esse_datum){ .kind = ESSE_DATUM_HOLE };
    value->is.number = 100 + (int)kind;
    return true;
}

struct spied {
    struct esse_arena *arena;
    struct esse_schema *schema;
    struct esse_compiler *compiler;
    struct esse_memory *memory;
    struct spy spy;
    struct esse_outside outside;
    struct esse_exec *exec;
    struct esse_fault fault;
    struct esse_sql_result result;
};

static bool spied_run(struct spied *s, const char *text)
{
    struct esse_compiled compiled;
    s->spy.gets = s->spy.ranges = s->spy.hits = 0;
    return esse_compile(s->compiler, text, strlen(text), &compiled, &s->fault) &&
           esse_exec_run(s->exec, &compiled, NULL, 0, &s->result, &s->fault);
}

static void spied_commit(struct spied *s)
{
    CHECK(esse_exec_end(s->exec, &s->fault));
    esse_memory_take(s->memory, esse_exec_overlay(s->exec));
    esse_exec_begin(s->exec);
}

static void spied_open(struct spied *s)
{
    *s = (struct spied){ .arena = esse_arena_new() };
    s->schema = esse_schema_new(s->arena, ESSE_DIALECT_POSTGRESQL);
    s->compiler = esse_compiler_new(s->schema);
    s->memory = esse_memory_new(s->arena);
    s->spy = (struct spy){ .store = { &s->spy, spy_get, spy_range, spy_number },
                           .under = esse_memory_store(s->memory) };
    s->outside = (struct esse_outside){ NULL, no_hole };
    s->exec = esse_exec_new(s->compiler, s->schema, &s->spy.store, &s->outside);
    esse_exec_begin(s->exec);
    CHECK(spied_run(s, "CREATE TABLE t (id int PRIMARY KEY, a int, b int, w timestamp)"));
    for (int i = 0; i < 50; i++)
        CHECK(spied_run(
            s, esse_arena_format(s->arena, "INSERT INTO t VALUES (%d, %d, %d)", i, i % 10, i * 2)));
    spied_commit(s);
}

static void spied_close(struct spied *s)
{
    esse_exec_free(s->exec);
    esse_compiler_free(s->compiler);
    esse_arena_free(s->arena);
}

TEST(test_exec__asks_the_store_for_no_more_than_it_needs)
{
    struct spied s;
    spied_open(&s);
    CHECK(spied_run(&s, "SELECT b FROM t WHERE id = 7"));
    CHECK_EQ(s.spy.gets, 1);
    CHECK_EQ(s.spy.ranges, 0);
    CHECK(spied_run(&s, "SELECT b FROM t WHERE id = 777"));
    CHECK_EQ(s.spy.gets, 1);
    CHECK_EQ(s.spy.hits, 0);
    CHECK(spied_run(&s, "SELECT b FROM t WHERE id >= 10 AND id < 15"));
    CHECK_EQ(s.spy.ranges, 1);
    CHECK_EQ(s.spy.hits, 5);
    CHECK(spied_run(&s, "SELECT b FROM t WHERE a = 3"));
    CHECK_EQ(s.spy.ranges, 1);
    CHECK_EQ(s.spy.hits, 5);
    CHECK(s.spy.last_index != ESSE_BY_KEY);
    CHECK(spied_run(&s, "SELECT x.b FROM t x JOIN t y ON y.id = x.b WHERE x.id = 4"));
    CHECK_EQ(s.spy.gets, 2);
    CHECK(spied_run(&s, "UPDATE t SET b = b + 1 WHERE id = 7"));
    CHECK_EQ(s.spy.gets, 1);
    /* What it wrote itself is not asked for. */
    CHECK(spied_run(&s, "SELECT b FROM t WHERE id = 7"));
    CHECK_EQ(s.spy.gets, 0);
    CHECK_EQ(s.result.rows[0].is.number, 15);
    spied_close(&s);
}

TEST(test_exec__a_run_can_be_repeated)
{
    struct spied s;
    spied_open(&s);
    const struct esse_exec_mark mark = esse_exec_mark(s.exec);
    for (int i = 0; i < 3; i++) {
        CHECK(spied_run(&s, "UPDATE t SET b = b + 1 WHERE id < 5 RETURNING b"));
        CHECK_EQ(s.result.count, 5);
        CHECK_EQ(s.result.rows[4].is.number, 9);
        CHECK_EQ(esse_overlay_mark(esse_exec_overlay(s.exec)), 5);
        esse_exec_back(s.exec, mark);
        CHECK_EQ(esse_overlay_mark(esse_exec_overlay(s.exec)), 0);
    }
    /* One that fails leaves nothing behind. */
    CHECK(!spied_run(&s, "UPDATE t SET b = 10 / (id - 3)"));
    CHECK_EQ(esse_overlay_mark(esse_exec_overlay(s.exec)), 0);
    spied_close(&s);
}

TEST(test_exec__holes_are_copied_and_asked_for_when_they_matter)
{
    struct spied s;
    spied_open(&s);
    CHECK(spied_run(&s, "UPDATE t SET w = now() WHERE id = 1 RETURNING w, a"));
    CHECK_EQ(s.result.rows[0].kind, ESSE_DATUM_HOLE);
    CHECK(!spied_run(&s, "SELECT id FROM t WHERE id = 1 AND w > TIMESTAMP '2024-01-01'"));
    CHECK_EQ(s.fault.kind, ESSE_FAULT_HOLE);
    CHECK_EQ(s.fault.hole, 100 + ESSE_HOLE_NOW);
    CHECK(spied_run(&s, "SELECT id FROM t WHERE id = 1 AND w IS NOT NULL"));
    CHECK_EQ(s.result.count, 1);
    spied_close(&s);
}

TEST(test_exec__says_which_rows_are_equal_to_order_by)
{
    struct spied s;
    spied_open(&s);
    CHECK(spied_run(&s, "SELECT id, a FROM t WHERE id < 20 ORDER BY a LIMIT 3 OFFSET 1"));
    CHECK_EQ(s.result.count, 3);
    CHECK_EQ(s.result.all, 20);
    CHECK_EQ(s.result.first, 1);
    for (size_t i = 0; i < s.result.all; i++)
        CHECK_EQ(s.result.groups[i], i / 2);
    spied_close(&s);
}

TEST(test_exec__texts_of_one_shape_are_compiled_once)
{
    struct spied s;
    spied_open(&s);
    const uint64_t before = esse_compiler_shapes(s.compiler);
    for (int i = 0; i < 40; i++) {
        CHECK(spied_run(&s, esse_arena_format(s.arena, "SELECT b, -%d, 'x%d' FROM t WHERE id = %d",
                                              i + 1, i, i)));
        CHECK_EQ(s.result.count, 1);
        CHECK_EQ(s.result.rows[0].is.number, 2 * i);
        CHECK_EQ(s.result.rows[1].is.number, -i - 1);
        CHECK_EQ(s.result.rows[2].length, i < 10 ? 2 : 3);
    }
    CHECK_EQ(esse_compiler_shapes(s.compiler) - before, 1);
    /* Where a literal says what the statement is, texts are compiled one by one. */
    CHECK(spied_run(&s, "SELECT id, a FROM t WHERE id < 4 ORDER BY 1 DESC"));
    CHECK_EQ(s.result.rows[0].is.number, 3);
    CHECK(spied_run(&s, "SELECT id, a FROM t WHERE id < 4 ORDER BY 2"));
    CHECK_EQ(s.result.rows[0].is.number, 0);
    CHECK(spied_run(&s, "SELECT a + 1, count(*) FROM t GROUP BY a + 1"));
    CHECK(!spied_run(&s, "SELECT a + 1, count(*) FROM t GROUP BY a + 2"));
    CHECK(spied_run(&s, "SELECT CAST(1.239 AS numeric(3,2)), CAST(1.239 AS numeric(4,1))"));
    spied_close(&s);
}

/* MySQL's dialect; what stands here was compared with MariaDB 10.11. */
TEST(test_exec__mysql_has_its_own_operators)
{
    MYSQL({ "SELECT INSTR('xB', 'b'), REPLACE('xB', 'b', 'y'), POSITION('A' IN 'ba')", "2|xB|2" },
          { "SELECT 7 DIV 2, 7 / 2, 7 % 3, -7 DIV 2, 1 / 0, MOD(5, 0)", "3|3.5000|1|-3|NULL|NULL" },
          { "SELECT 1 XOR 1, 5 & 3 | 8, 1 << 2 + 1, 2 ^ 3, ~0, 6 ^ 3 * 2",
            "0|9|8|1|18446744073709551615|10" },
          { "SELECT 1 = 1 = 1, NOT 1 = 2, ! 0, NULL <=> NULL, 1 && 0 || 1", "1|1|1|1|1" },
          { "SELECT '3abc' + 1, 'x' = 0, '1e1' = 10, 'a' = 'A ', 'B' > 'a', CONCAT(1 = 1, 'x')",
            "4|1|1|1|1|1x" },
          { "SELECT IF(1 > 0, 'a', 'b'), IFNULL(NULL, 2), COALESCE(1.5, 2), 1.50 * 2.0, 0.1 + 0.25",
            "a|2|1.5|3.000|0.35" },
          { "SELECT CAST('12x' AS SIGNED), CAST(-1 AS UNSIGNED), CAST('2.345' AS DECIMAL(5,2)), "
            "CAST(1.5 AS CHAR)",
            "12|18446744073709551615|2.35|1.5" },
          { "SELECT \"it's\", 'a''b', 'x\\ty', 1 BETWEEN 0 AND 2 AND 3 IN (1, 3)",
            "it's|a'b|x\ty|1" },
          { "SELECT 1 / 3 * 3", "0A000" }, { "SELECT @x", "0A000" }, { "SELECT 1 +", "42000" });
}

TEST(test_exec__mysql_changes_rows_its_way)
{
    MYSQL({ "CREATE TABLE `Acc` (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, b DECIMAL(10,2) NOT "
            "NULL "
            "DEFAULT 0, name VARCHAR(10) COMMENT 'who', KEY k (b), UNIQUE KEY u (name)) "
            "ENGINE=InnoDB "
            "DEFAULT CHARSET=latin1",
            "0 changed" },
          { "INSERT INTO Acc (b, name) VALUES (100, \"it's\"), (50.505, 'x')", "2 changed" },
          { "INSERT INTO Acc SET b = 1, name = 'y'", "1 changed" },
          { "SELECT id, b FROM Acc WHERE NAME = 'X' ORDER BY id LIMIT 0, 5", "2|50.51" },
          { "SELECT id FROM Acc ORDER BY id LIMIT 1, 1", "2" },
          { "INSERT INTO Acc (id, b, name) VALUES (1, 5, 'q') ON DUPLICATE KEY UPDATE b = b + "
            "VALUES(b)",
            "2 changed" },
          { "REPLACE INTO Acc (id, b, name) VALUES (2, 7, 'z'), (9, 0, 'n')", "3 changed" },
          { "INSERT IGNORE INTO Acc (id, b, name) VALUES (2, 8, 'w'), (3, 8, 'Z')", "0 changed" },
          { "INSERT INTO Acc (name) VALUES ('next')", "1 changed" },
          { "SELECT * FROM Acc ORDER BY id LOCK IN SHARE MODE",
            "1|105.00|it's;2|7.00|z;3|1.00|y;9|0.00|n;10|0.00|next" },
          { "UPDATE Acc SET b = b + 1, name = b WHERE id = 1", "1 changed" },
          { "UPDATE Acc SET b = b WHERE id = 1", "0 changed" },
          { "SELECT name FROM Acc WHERE id = 1", "106.00" },
          { "INSERT INTO Acc (id, name) VALUES (-1, 'a')", "22003" },
          { "INSERT INTO Acc (name) VALUES ('much too long')", "22001" },
          { "INSERT INTO Acc (b) VALUES ('abc')", "22P02" },
          { "INSERT INTO Acc (b) VALUES (1 % 0)", "22012" },
          { "UPDATE Acc a JOIN Acc c ON a.id = c.id SET a.b = 1", "0A000" },
          { "DELETE FROM Acc ORDER BY id LIMIT 1", "0A000" },
          { "DELETE FROM Acc WHERE id IN (1, 2) AND b BETWEEN 1 AND 200 OR name IS NULL",
            "2 changed" });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exec__numbers_are_exact_and_overflow),
        cmocka_unit_test(test_exec__null_has_three_values),
        cmocka_unit_test(test_exec__text_dates_and_casts),
        cmocka_unit_test(test_exec__joins),
        cmocka_unit_test(test_exec__groups_sets_and_sub_selects),
        cmocka_unit_test(test_exec__changes),
        cmocka_unit_test(test_exec__constraints),
        cmocka_unit_test(test_exec__savepoints_and_schema_in_transactions),
        cmocka_unit_test(test_exec__sequences),
        cmocka_unit_test(test_exec__refuses_by_name_and_place),
        cmocka_unit_test(test_exec__asks_the_store_for_no_more_than_it_needs),
        cmocka_unit_test(test_exec__a_run_can_be_repeated),
        cmocka_unit_test(test_exec__holes_are_copied_and_asked_for_when_they_matter),
        cmocka_unit_test(test_exec__texts_of_one_shape_are_compiled_once),
        cmocka_unit_test(test_exec__says_which_rows_are_equal_to_order_by),
        cmocka_unit_test(test_exec__mysql_has_its_own_operators),
        cmocka_unit_test(test_exec__mysql_changes_rows_its_way),
    };
    return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}
