#include "exec_shell.h"

#include "exec/call.h"
#include "exec/row_memory.h"

/* Procedures and functions; whatever stands here was compared with PostgreSQL 15. */

#define ACCOUNTS                                                                                   \
    { "CREATE TABLE acc (id int PRIMARY KEY, b numeric(10,2) NOT NULL)", "0 changed" },            \
    {                                                                                              \
        "INSERT INTO acc VALUES (1, 100), (2, 50)", "2 changed"                                    \
    }
#define FUNCTION(head, body)                                                                       \
    {                                                                                              \
        "CREATE FUNCTION " head " LANGUAGE plpgsql AS $$" body "$$", "0 changed"                   \
    }

TEST(test_routine__variables_are_assigned_as_columns_are)
{
    POSTGRESQL(
        FUNCTION("a() RETURNS text",
                 "DECLARE i int := 2.5; n numeric(4,1) := 1.25; s varchar(3); t text = 7; c "
                 "CONSTANT int := i + 1; BEGIN s := 'abc'; RETURN i || ' ' || n || ' ' || s || ' ' "
                 "|| t || ' ' || c; END"),
        { "SELECT a()", "3 1.3 abc 7 4" },
        FUNCTION("b() RETURNS int", "DECLARE s varchar(3); BEGIN s := 'abcd'; RETURN 1; END"),
        { "SELECT b()", "22001" },
        FUNCTION("c(t text) RETURNS int", "DECLARE i smallint; BEGIN i := t; RETURN i + 1; END"),
        { "SELECT c('41'), c(NULL)", "42|NULL" }, { "SELECT c('x')", "22P02" },
        { "SELECT c('40000')", "22003" },
        FUNCTION("d(x int) RETURNS int",
                 "DECLARE i int NOT NULL := 1; BEGIN i := x; RETURN i; END"),
        { "SELECT d(3)", "3" }, { "SELECT d(NULL)", "22004" },
        FUNCTION("e(x int) RETURNS boolean", "BEGIN RETURN x; END"),
        { "SELECT e(1), e(0)", "true|false" }, { "SELECT e(7)", "22P02" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'DECLARE i CONSTANT int := 1; BEGIN "
          "i := 2; RETURN i; END'",
          "22005" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'DECLARE i int; i text; BEGIN "
          "RETURN i; END'",
          "42601" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN j := 2; RETURN 1; END'",
          "42601" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1 +; END'", "42601" });
}

TEST(test_routine__select_into_takes_the_first_row)
{
    POSTGRESQL(
        ACCOUNTS,
        FUNCTION("a(p int) RETURNS text",
                 "DECLARE x numeric := 7; y int := 8; BEGIN SELECT b, id INTO x, y FROM acc WHERE "
                 "id >= p ORDER BY id; RETURN concat(x, '/', y, '/', FOUND); END"),
        { "SELECT a(1), a(2), a(3)", "100.00/1/t|50.00/2/t|//f" },
        FUNCTION("s(p int) RETURNS numeric", "DECLARE x numeric; BEGIN SELECT b INTO STRICT x FROM "
                                             "acc WHERE id >= p; RETURN x; END"),
        { "SELECT s(2)", "50.00" }, { "SELECT s(1)", "P0003" }, { "SELECT s(3)", "P0002" },
        FUNCTION("u(p int) RETURNS numeric", "DECLARE x numeric; BEGIN UPDATE acc SET b = b + 1 "
                                             "WHERE id >= p RETURNING b INTO x; RETURN x; END"),
        { "SELECT u(2)", "51.00" }, { "SELECT u(3)", "NULL" }, { "SELECT u(1)", "P0003" },
        { "SELECT b FROM acc ORDER BY id", "100.00;51.00" },
        FUNCTION("r(p int) RETURNS text",
                 "DECLARE r record; q acc%ROWTYPE; z acc.b%TYPE; BEGIN SELECT * INTO r FROM acc "
                 "WHERE id = p; q.id := 5; z := r.b; r.b := z + 1; RETURN concat(r.id, '/', r.b, "
                 "'/', q.id, '/', q.b); END"),
        { "SELECT r(1), r(9)", "1/101.00/5/|//5/" },
        FUNCTION("v() RETURNS text", "DECLARE r record; BEGIN RETURN r.id; END"),
        { "SELECT v()", "55000" }, FUNCTION("w() RETURNS text", "BEGIN SELECT 1; RETURN 1; END"),
        { "SELECT w()", "42601" },
        FUNCTION("x(b int) RETURNS int", "DECLARE y int; BEGIN SELECT b INTO y FROM acc; RETURN y; "
                                         "END"),
        { "SELECT x(1)", "42702" },
        FUNCTION("y(b int) RETURNS int",
                 "DECLARE z int; BEGIN SELECT y.b + acc.b INTO z FROM acc WHERE id = $1; RETURN z; "
                 "END"),
        { "SELECT y(1)", "101" });
}

TEST(test_routine__conditions_and_errors)
{
    POSTGRESQL(
        FUNCTION("a(x int) RETURNS text",
                 "BEGIN IF x > 10 THEN RETURN 'big'; ELSIF x > 5 THEN RETURN 'medium'; ELSEIF x IS "
                 "NULL THEN RETURN 'null'; ELSE RETURN 'small'; END IF; END"),
        { "SELECT a(11), a(6), a(1), a(NULL)", "big|medium|small|null" },
        FUNCTION("b(x int) RETURNS int", "BEGIN IF x > 10 THEN RETURN 1; END IF; END"),
        { "SELECT b(11)", "1" }, { "SELECT b(1)", "2F005" },
        FUNCTION("c(x int) RETURNS int", "BEGIN RAISE NOTICE 'x %', 1 / x; IF x < 0 THEN RAISE "
                                         "'bad %', x USING ERRCODE = '12345'; END IF; IF x = 1 "
                                         "THEN RAISE unique_violation; END IF; IF x = 2 THEN RAISE "
                                         "SQLSTATE '23514'; END IF; IF x = 3 THEN RAISE EXCEPTION "
                                         "USING MESSAGE = 'm'; END IF; RETURN x; END"),
        { "SELECT c(0)", "22012" }, { "SELECT c(-1)", "12345" }, { "SELECT c(1)", "23505" },
        { "SELECT c(2)", "23514" }, { "SELECT c(3)", "P0001" }, { "SELECT c(4)", "4" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE ''%''; END'", "42601" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE ''a'', 1; END'",
          "42601" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE nonsense; END'",
          "42704" },
        FUNCTION("d() RETURNS int",
                 "<<o>> DECLARE x int := 1; BEGIN DECLARE x int := 10; BEGIN o.x := x + o.x; END; "
                 "RETURN x; END"),
        { "SELECT d()", "11" });
}

TEST(test_routine__calls_undo_what_failed)
{
    POSTGRESQL(
        ACCOUNTS,
        { "CREATE PROCEDURE transfer(a int, c int, amount numeric, INOUT rest numeric DEFAULT 0) "
          "LANGUAGE plpgsql AS $$BEGIN UPDATE acc SET b = b - amount WHERE id = a RETURNING b INTO "
          "STRICT rest; IF rest < 0 THEN RAISE 'broke'; END IF; UPDATE acc SET b = b + amount "
          "WHERE id = c; END$$",
          "0 changed" },
        { "CALL transfer(1, 2, 30, NULL)", "70.00" }, { "CALL transfer(1, 2, 10)", "60.00" },
        { "CALL transfer(1, 2, 300)", "P0001" }, { "CALL transfer(7, 2, 300)", "P0002" },
        { "SELECT b FROM acc ORDER BY id", "60.00;90.00" }, { "CALL transfer(1)", "42883" },
        { "CALL transfer('x', 2, 1)", "22P02" }, { "SELECT transfer(1, 2, 3, 4)", "42809" },
        { "CALL nothing()", "42883" },
        FUNCTION("fact(n int) RETURNS bigint",
                 "BEGIN IF n <= 1 THEN RETURN 1; END IF; RETURN n * fact(n - 1); END"),
        { "SELECT fact(20)", "2432902008176640000" }, { "SELECT fact(21)", "22003" },
        { "SELECT id, fact(id) FROM acc WHERE fact(id) = 2", "2|2" },
        FUNCTION("put(i int) RETURNS void", "BEGIN INSERT INTO acc VALUES (i, i); END"),
        { "SELECT put(5)", "" }, { "SELECT put(5)", "23505" },
        { "DO $$BEGIN PERFORM put(6); PERFORM put(7); PERFORM put(6); END$$", "23505" },
        { "SELECT count(*) FROM acc", "3" }, { "DROP FUNCTION put", "0 changed" },
        { "DROP FUNCTION put(int)", "42883" },
        { "CREATE OR REPLACE FUNCTION fact(n int) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN "
          "RETURN -n; END$$",
          "0 changed" },
        { "SELECT fact(3)", "-3" },
        { "CREATE FUNCTION fact(m int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
          "42723" });
}

/* ---- steps ---- */

static bool no_hole(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                    struct esse_datum *value, struct esse_fault *fault)
{
    (void)context;
    (void)kind;
    (void)sequence;
    (void)value;
    return esse_fault_hole(fault, 1);
}

TEST(test_routine__a_step_is_what_may_look_at_the_store)
{
    static const char *const texts[] = { "CREATE TABLE t (k int PRIMARY KEY, v int)",
                                         "CREATE PROCEDURE p(x int, OUT y int) LANGUAGE plpgsql AS "
                                         "$$DECLARE z int := 1; BEGIN z := z "
                                         "+ 1; INSERT INTO t VALUES (x, z); IF (SELECT count(*) "
                                         "FROM t) > 0 THEN z := z + 1; END IF; "
                                         "SELECT v + z INTO y FROM t WHERE k = x; END$$" };
    struct esse_arena *arena = esse_arena_new();
    struct esse_schema *schema = esse_schema_new(arena, ESSE_DIALECT_POSTGRESQL);
    struct esse_compiler *compiler = esse_compiler_new(schema);
    struct esse_memory *memory = esse_memory_new(arena);
    const struct esse_outside outside = { NULL, no_hole };
    struct esse_exec *exec = esse_exec_new(compiler, schema, esse_memory_store(memory), &outside);
    struct esse_call *call = esse_call_new(exec);
    struct esse_compiled compiled;
    struct esse_sql_result result;
    struct esse_fault fault;
    const char *procedure = "CALL p(4, NULL)";
    esse_exec_begin(exec);
    for (size_t i = 0; i < 2; i++) {
        CHECK(esse_compile(compiler, texts[i], strlen(texts[i]), &compiled, &fault));
        CHECK(esse_exec_run(exec, &compiled, NULL, 0, &result, &fault));
    }
    CHECK(esse_compile(compiler, procedure, strlen(procedure), &compiled, &fault));
    const struct esse_exec_mark mark = esse_exec_mark(exec);
    for (int again = 0; again < 2; again++) {
        esse_exec_back(exec, mark);
        CHECK(esse_call_start(call, &compiled, NULL, 0, &fault));
        CHECK_EQ(esse_call_go(call, &fault), ESSE_CALL_STEP);
        CHECK_EQ(esse_call_next(call)->kind, ESSE_STATEMENT_INSERT);
        CHECK_EQ(esse_call_go(call, &fault), ESSE_CALL_STEP);
        CHECK_EQ(esse_call_next(call)->kind, ESSE_STATEMENT_QUERY);
        CHECK_EQ(esse_call_next(call)->table_count, 1);
        CHECK_EQ(esse_call_go(call, &fault), ESSE_CALL_STEP);
        CHECK_EQ(esse_call_next(call)->table_count, 1);
        CHECK_EQ(esse_call_go(call, &fault), ESSE_CALL_DONE);
        esse_call_result(call, &result);
        CHECK_EQ(result.count, 1);
        CHECK_EQ(result.rows[0].is.number, 5);
    }
    esse_call_free(call);
    esse_exec_free(exec);
    esse_compiler_free(compiler);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routine__variables_are_assigned_as_columns_are),
        cmocka_unit_test(test_routine__select_into_takes_the_first_row),
        cmocka_unit_test(test_routine__conditions_and_errors),
        cmocka_unit_test(test_routine__calls_undo_what_failed),
        cmocka_unit_test(test_routine__a_step_is_what_may_look_at_the_store),
    };
    return cmocka_run_group_tests_name("routine", tests, NULL, NULL);
}
