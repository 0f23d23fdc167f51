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

TEST(test_routine__loops_end_where_they_should)
{
    POSTGRESQL(
        FUNCTION(
            "a(n int) RETURNS text",
            "DECLARE t text := ''; i int := 99; BEGIN FOR i IN 1..n LOOP t := t || i; END LOOP; "
            "t := t || '/' || FOUND || i; FOR i IN REVERSE n..1 BY 2 LOOP t := t || i; END "
            "LOOP; RETURN t; END"),
        { "SELECT a(5), a(0)", "12345/true99531|/false99" },
        FUNCTION("b(n int) RETURNS text",
                 "DECLARE t text := ''; BEGIN <<o>> LOOP n := n - 1; EXIT WHEN n < 0; <<i>> WHILE "
                 "TRUE LOOP t := t || n; CONTINUE o WHEN n % 2 = 0; EXIT i; END LOOP i; t := t || "
                 "'.'; END LOOP; RETURN t; END"),
        { "SELECT b(5)", "43.21.0" },
        FUNCTION(
            "c(a int, z int, s int) RETURNS int",
            "DECLARE n int := 0; BEGIN FOR i IN a..z BY s LOOP n := n + 1; IF n > 5 THEN EXIT; "
            "END IF; END LOOP; RETURN n; END"),
        { "SELECT c(1, 3, 1), c(2147483645, 2147483647, 1), c(2147483645, 2147483647, 2147483647)",
          "3|3|1" },
        { "SELECT c(1, NULL, 1)", "22004" }, { "SELECT c(1, 2, 0)", "22023" },
        { "SELECT c(1, 2, -1)", "22023" },
        FUNCTION(
            "d(n int) RETURNS text",
            "DECLARE r record; t text := ''; x int; y text; BEGIN FOR r IN SELECT g AS v, g * 2 "
            "AS w FROM (VALUES (1), (2), (3)) q (g) WHERE g <= n ORDER BY g LOOP t := t || r.v "
            "|| r.w; END LOOP; t := t || FOUND; FOR x, y IN SELECT g, 'a' || g FROM (VALUES "
            "(1), (2)) q (g) WHERE g <= n ORDER BY g LOOP t := t || y; END LOOP; RETURN "
            "concat(t, x, y, r.v); END"),
        { "SELECT d(2), d(0)", "1224truea1a22a22|false" },
        FUNCTION(
            "e(n int) RETURNS text",
            "BEGIN CASE n WHEN 1, 2 THEN RETURN 'few'; WHEN 3 THEN RETURN 'three'; ELSE NULL; "
            "END CASE; CASE WHEN n > 10 THEN RETURN 'many'; WHEN n > 5 THEN RETURN 'more'; END "
            "CASE; RETURN 'x'; END"),
        { "SELECT e(2), e(3), e(11), e(6)", "few|three|many|more" }, { "SELECT e(4)", "20000" },
        { "SELECT e(NULL)", "20000" },
        FUNCTION(
            "f() RETURNS int",
            "DECLARE n int := 0; BEGIN <<b>> BEGIN n := 1; EXIT b; n := 2; END; RETURN n; END"),
        { "SELECT f()", "1" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN EXIT; END'", "42601" },
        { "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS 'BEGIN LOOP EXIT x; END LOOP; END'",
          "42601" });
}

TEST(test_routine__exceptions_undo_their_block)
{
    POSTGRESQL(
        ACCOUNTS,
        FUNCTION(
            "a(x int) RETURNS text",
            "DECLARE t text := 's'; BEGIN INSERT INTO acc VALUES (10 + x, 0); BEGIN t := t || "
            "'1'; INSERT INTO acc VALUES (20 + x, 0); INSERT INTO acc VALUES (x, 0); t := t || "
            "'2'; EXCEPTION WHEN division_by_zero THEN t := t || 'z'; WHEN unique_violation OR "
            "not_null_violation THEN t := t || SQLSTATE; END; RETURN t; END"),
        { "SELECT a(1)", "s123505" }, { "SELECT a(5)", "s12" },
        { "SELECT id FROM acc ORDER BY id", "1;2;5;11;15;25" },
        FUNCTION("b(x int) RETURNS text",
                 "DECLARE t text := ''; n int; BEGIN BEGIN BEGIN t := 'a'; t := t || 1 / x; "
                 "EXCEPTION WHEN OTHERS THEN t := t || 'b'; GET STACKED DIAGNOSTICS t = "
                 "RETURNED_SQLSTATE; RAISE; END; EXCEPTION WHEN data_exception THEN t := t || '/' "
                 "|| SQLSTATE || SQLERRM; END; GET DIAGNOSTICS n = ROW_COUNT; RETURN t || n; END"),
        { "SELECT b(1), b(0)", "a10|22012/22012division by zero0" },
        FUNCTION(
            "c(x int) RETURNS text",
            "BEGIN ASSERT x > 1, 'too small'; RETURN x; EXCEPTION WHEN OTHERS THEN RETURN 'no'; "
            "END"),
        { "SELECT c(2)", "2" }, { "SELECT c(1)", "P0004" }, { "SELECT c(NULL)", "P0004" },
        FUNCTION("d(x int) RETURNS text",
                 "BEGIN FOR i IN 1..3 LOOP BEGIN IF i = x THEN RAISE 'stop %', i; END IF; CONTINUE "
                 "WHEN i < x; EXIT; EXCEPTION WHEN raise_exception THEN RETURN SQLERRM; END; END "
                 "LOOP; RETURN 'end'; END"),
        { "SELECT d(2), d(0), d(7)", "stop 2|end|end" },
        FUNCTION("e() RETURNS text", "BEGIN RAISE; END"), { "SELECT e()", "0Z002" },
        { "CREATE PROCEDURE p(INOUT n int, x int) LANGUAGE plpgsql AS $$BEGIN n := n + 1; INSERT "
          "INTO acc VALUES (n, 0); IF x > 0 THEN CALL p(n, x - 1); END IF; IF x = 0 AND n > 33 "
          "THEN "
          "RAISE 'deep'; END IF; END$$",
          "0 changed" },
        { "CALL p(30, 2)", "33" }, { "CALL p(40, 2)", "P0001" },
        FUNCTION(
            "f(x int) RETURNS int",
            "DECLARE n int := x; BEGIN CALL p(n, 0); RETURN n; EXCEPTION WHEN OTHERS THEN RETURN "
            "-n; END"),
        { "SELECT f(50), f(20)", "-50|21" },
        { "SELECT id FROM acc WHERE id > 20 ORDER BY id", "21;25;31;32;33" },
        FUNCTION(
            "h(x int) RETURNS text",
            "DECLARE t text; n int; BEGIN EXECUTE 'UPDATE acc SET b = b + $1 WHERE id < $2' "
            "USING x, 3; GET DIAGNOSTICS n := ROW_COUNT; EXECUTE 'SELECT b FROM acc WHERE id = "
            "1' INTO t; RETURN concat(n, t, FOUND); END"),
        { "SELECT h(7)", "2107.00f" });
}

TEST(test_routine__cursors_keep_the_rows_of_their_opening)
{
    POSTGRESQL(
        ACCOUNTS,
        FUNCTION(
            "a(x int) RETURNS text",
            "DECLARE c CURSOR (lo int, hi int) FOR SELECT id, b FROM acc WHERE id BETWEEN lo AND "
            "hi ORDER BY id; i int; v numeric; t text := ''; BEGIN OPEN c(x, hi := 9); INSERT "
            "INTO acc VALUES (x + 2, 7); LOOP FETCH c INTO i, v; EXIT WHEN NOT FOUND; t := t || "
            "i || '=' || v || ' '; END LOOP; CLOSE c; RETURN concat(t, i, '.'); END"),
        { "SELECT a(1)", "1=100.00 2=50.00 ." },
        FUNCTION(
            "b() RETURNS text",
            "DECLARE c SCROLL CURSOR FOR SELECT id FROM acc ORDER BY id; i int; t text := ''; "
            "BEGIN OPEN c; FETCH LAST FROM c INTO i; t := t || i; FETCH PRIOR FROM c INTO i; t "
            ":= t || i; FETCH ABSOLUTE 1 FROM c INTO i; t := t || i; FETCH RELATIVE 2 FROM c "
            "INTO i; t := t || i; MOVE c; FETCH BACKWARD FROM c INTO i; t := t || i; FETCH FIRST "
            "FROM c INTO i; t := t || i; FETCH PRIOR FROM c INTO i; RETURN concat(t, i); END"),
        { "SELECT b()", "321331" },
        FUNCTION(
            "d() RETURNS text",
            "DECLARE c CURSOR (n int) IS SELECT id FROM acc WHERE id > n ORDER BY id; t text := "
            "''; BEGIN FOR r IN c(1) LOOP t := t || r.id; END LOOP; FOR r IN c(n := 5) LOOP t := "
            "t || r.id; END LOOP; RETURN t || FOUND; END"),
        { "SELECT d()", "23false" },
        FUNCTION(
            "e(k int) RETURNS int",
            "DECLARE c CURSOR FOR SELECT id FROM acc; r refcursor; i int; BEGIN IF k = 1 THEN "
            "FETCH c INTO i; END IF; IF k = 2 THEN FETCH r INTO i; END IF; OPEN c; IF k = 3 THEN "
            "OPEN c; END IF; CLOSE c; IF k = 4 THEN CLOSE c; END IF; OPEN r FOR SELECT id + 1 "
            "FROM acc ORDER BY id; FETCH r INTO i; RETURN i; END"),
        { "SELECT e(0)", "2" }, { "SELECT e(1)", "34000" }, { "SELECT e(2)", "22004" },
        { "SELECT e(3)", "42P03" }, { "SELECT e(4)", "34000" },
        FUNCTION(
            "f() RETURNS text",
            "DECLARE c CURSOR FOR SELECT id FROM acc ORDER BY id; i int; t text := ''; BEGIN "
            "<<o>> FOR k IN 1..2 LOOP FOR r IN c LOOP t := t || r.id; CONTINUE o WHEN r.id = 2; "
            "END LOOP; END LOOP; BEGIN OPEN c; RAISE 'x'; EXCEPTION WHEN OTHERS THEN t := t || "
            "'e'; END; OPEN c; FETCH c INTO i; RETURN t || i; END"),
        { "SELECT f()", "1212e1" });
}

/* MySQL's block language; what stands here was compared with MariaDB 10.11. */
TEST(test_routine__mysql_blocks_run)
{
    MYSQL(
        { "CREATE TABLE acc (id INT PRIMARY KEY, b DECIMAL(10,2) NOT NULL)", "0 changed" },
        { "CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY, t VARCHAR(60))", "0 changed" },
        { "INSERT INTO acc VALUES (1, 100), (2, 50)", "2 changed" },
        { "CREATE FUNCTION twice(x INT) RETURNS INT DETERMINISTIC RETURN x * 2", "0 changed" },
        { "SELECT twice(4), twice(NULL)", "8|NULL" },
        { "CREATE PROCEDURE p(IN id INT, amount DECIMAL(10,2)) BEGIN DECLARE rest, n DECIMAL(10,2) "
          "DEFAULT 7; DECLARE i INT; SET i = 0, n = n + 1; SELECT b INTO rest FROM acc a WHERE "
          "a.id = "
          "id; IF rest < amount THEN INSERT INTO log (t) VALUES (CONCAT('low ', rest)); SIGNAL "
          "SQLSTATE '45000' SET MESSAGE_TEXT = 'broke'; ELSEIF rest > 1000 THEN INSERT INTO log "
          "(t) "
          "VALUES ('rich'); ELSE l: WHILE i < 3 DO SET i = i + 1; IF i = 2 THEN ITERATE l; END IF; "
          "INSERT INTO log (t) VALUES (CONCAT(i, '/', rest, '/', n)); END WHILE l; REPEAT SET i = "
          "i - "
          "1; UNTIL i < 0 END REPEAT; m: LOOP SET i = i + 10; IF i > 25 THEN LEAVE m; END IF; END "
          "LOOP m; UPDATE acc SET b = b - amount WHERE acc.id = 1; INSERT INTO log (t) VALUES (i); "
          "END IF; END",
          "0 changed" },
        { "CALL p(1, 30)", "0 changed" },
        { "SELECT t FROM log ORDER BY n", "1/100.00/8.00;3/100.00/8.00;29" },
        { "CALL p(2, 70)", "45000" }, { "SELECT count(*) FROM log", "4" },
        { "CALL p(9, 1)", "0 changed" },
        { "SELECT t FROM log WHERE n > 4 ORDER BY n", "1/7.00/8.00;3/7.00/8.00;29" },
        { "SELECT * FROM acc ORDER BY id", "1|69.00;2|50.00" },
        { "CREATE PROCEDURE q() BEGIN DECLARE x INT; INSERT INTO acc VALUES (5, 5); SELECT b INTO "
          "x "
          "FROM acc; INSERT INTO acc VALUES (6, 6); END",
          "0 changed" },
        { "CALL q()", "42000" }, { "SELECT count(*) FROM acc", "3" }, { "CALL q()", "23505" },
        { "CREATE PROCEDURE s() BEGIN SELECT 1; END", "0 changed" }, { "CALL s()", "0A000" },
        { "CREATE PROCEDURE u() BEGIN DECLARE c CURSOR FOR SELECT 1; END", "0A000" },
        { "CREATE PROCEDURE v() BEGIN SET y = 1; END", "42601" });
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
    const struct esse_outside outside = { .hole = no_hole };
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
        cmocka_unit_test(test_routine__loops_end_where_they_should),
        cmocka_unit_test(test_routine__exceptions_undo_their_block),
        cmocka_unit_test(test_routine__cursors_keep_the_rows_of_their_opening),
        cmocka_unit_test(test_routine__mysql_blocks_run),
        cmocka_unit_test(test_routine__a_step_is_what_may_look_at_the_store),
    };
    return cmocka_run_group_tests_name("routine", tests, NULL, NULL);
}
