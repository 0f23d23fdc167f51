#include "base/out.h"
#include "base/rng.h"
#include "explore/explore.h"
#include "explore/sql_program.h"
#include "explore/tx.h"
#include "test.h"

#include <stdio.h>

/*
 * Programs of SQL beside the same programs in the small language, whose search is held to brute
 * force (test_explore.c): a row is a variable, and an absent one is -1.  So this is about what a
 * statement reads and writes, and about keys that are met on the way.
 */
enum { KEYS = 4, STATEMENTS_MOST = 3 };

struct twins {
    struct esse_arena *arena;
    struct esse_rng *rng;
    struct esse_out sql, tx;
    unsigned statement;
    bool is_procedure; /* which decides by 'n', the last that it selected */
};

static unsigned draw(struct twins *t, unsigned below)
{
    return esse_rng_below(t->rng, below);
}

/* ---- statements ---- */

static void read_key(struct twins *t, unsigned key)
{
    esse_out_f(&t->tx, " s%u_%u := read(t[%u])", t->statement, key, key);
}

static void read_all(struct twins *t, unsigned from)
{
    for (unsigned k = from; k < KEYS; k++)
        read_key(t, k);
}

static void select_one(struct twins *t)
{
    const unsigned key = draw(t, KEYS);
    esse_out_f(&t->sql, "    SELECT v %s FROM t WHERE id = %u;\n", t->is_procedure ? "INTO n" : "",
               key);
    read_key(t, key);
    esse_out_f(&t->tx, " n := s%u_%u", t->statement, key);
}

static void select_count(struct twins *t)
{
    const unsigned from = draw(t, KEYS);
    esse_out_f(&t->sql, "    SELECT count(*) %s FROM t WHERE id >= %u;\n",
               t->is_procedure ? "INTO n" : "", from);
    read_all(t, from);
    esse_out_text(&t->tx, " n := 0");
    for (unsigned k = from; k < KEYS; k++)
        esse_out_f(&t->tx, " + (s%u_%u != -1)", t->statement, k);
}

static void update_one(struct twins *t)
{
    const unsigned key = draw(t, KEYS), by = 1 + draw(t, 3);
    esse_out_f(&t->sql, "    UPDATE t SET v = v + %u WHERE id = %u;\n", by, key);
    read_key(t, key);
    esse_out_f(&t->tx, " if (s%u_%u != -1) { write(t[%u], s%u_%u + %u) }", t->statement, key, key,
               t->statement, key, by);
}

static void update_some(struct twins *t)
{
    const unsigned least = draw(t, 4), by = 1 + draw(t, 3);
    esse_out_f(&t->sql, "    UPDATE t SET v = v + %u WHERE v >= %u;\n", by, least);
    read_all(t, 0);
    for (unsigned k = 0; k < KEYS; k++)
        esse_out_f(&t->tx, " if (s%u_%u >= %u) { write(t[%u], s%u_%u + %u) }", t->statement, k,
                   least, k, t->statement, k, by);
}

static void delete_some(struct twins *t)
{
    const unsigned from = draw(t, KEYS), value = draw(t, 4);
    esse_out_f(&t->sql, "    DELETE FROM t WHERE v <= %u AND id >= %u;\n", value, from);
    read_all(t, from);
    for (unsigned k = from; k < KEYS; k++)
        esse_out_f(&t->tx, " if (s%u_%u != -1 && s%u_%u <= %u) { write(t[%u], -1) }", t->statement,
                   k, t->statement, k, value, k);
}

static void insert_one(struct twins *t)
{
    const unsigned key = draw(t, KEYS), value = draw(t, 4);
    esse_out_f(&t->sql, "    INSERT INTO t VALUES (%u, %u);\n", key, value);
    read_key(t, key);
    esse_out_f(&t->tx, " if (s%u_%u != -1) { abort } write(t[%u], %u)", t->statement, key, key,
               value);
}

/* What is inserted depends on what is there. */
static void insert_count(struct twins *t)
{
    const unsigned key = draw(t, KEYS);
    esse_out_f(&t->sql, "    INSERT INTO t SELECT %u, count(*) FROM t;\n", key);
    read_all(t, 0);
    esse_out_f(&t->tx, " if (s%u_%u != -1) { abort } write(t[%u], 0", t->statement, key, key);
    for (unsigned k = 0; k < KEYS; k++)
        esse_out_f(&t->tx, " + (s%u_%u != -1)", t->statement, k);
    esse_out_text(&t->tx, ")");
}

static void put_statement(struct twins *t)
{
    static void (*const kinds[])(struct twins *) = {
        select_one, select_count, update_one, update_some, delete_some, insert_one, insert_count,
    };
    const bool is_choice = t->is_procedure && draw(t, 3) == 0;
    const unsigned least = draw(t, 4);
    if (is_choice) {
        esse_out_f(&t->sql, "    IF n >= %u THEN\n", least);
        esse_out_f(&t->tx, " if (n >= %u) {", least);
    }
    kinds[draw(t, sizeof kinds / sizeof *kinds)](t);
    if (is_choice) {
        esse_out_text(&t->sql, "    END IF;\n");
        esse_out_text(&t->tx, " }");
    }
    esse_out_char(&t->tx, '\n');
    t->statement++;
}

/* ---- programs ---- */

static void put_tables(struct twins *t)
{
    const unsigned present = draw(t, 1 << KEYS);
    esse_out_text(&t->sql, "setup\n    CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER);\n");
    esse_out_f(&t->tx, "vars t[%d]=[", KEYS);
    for (unsigned k = 0; k < KEYS; k++) {
        const int value = present >> k & 1 ? (int)draw(t, 4) : -1;
        if (value >= 0)
            esse_out_f(&t->sql, "    INSERT INTO t VALUES (%u, %d);\n", k, value);
        esse_out_f(&t->tx, "%s%d", k ? ", " : "", value);
    }
    esse_out_text(&t->tx, "]\n");
}

/* A list of statements, or a procedure. */
static void put_transaction(struct twins *t, unsigned session, unsigned number)
{
    t->is_procedure = draw(t, 2);
    if (t->is_procedure)
        esse_out_f(&t->sql, "procedure t%u_%u()\n    DECLARE n BIGINT;\n    BEGIN\n", session,
                   number);
    else
        esse_out_f(&t->sql, "transaction t%u_%u\n", session, number);
    esse_out_f(&t->tx, " begin t%u_%u\n n := -1\n", session, number);
    for (unsigned k = 1 + draw(t, STATEMENTS_MOST); k > 0; k--)
        put_statement(t);
    if (t->is_procedure)
        esse_out_text(&t->sql, "    END\n");
    esse_out_text(&t->tx, " commit\n");
}

static void put_program(struct twins *t)
{
    const unsigned sessions = 2 + draw(t, 2);
    unsigned txns[3];
    put_tables(t);
    for (unsigned s = 0; s < sessions; s++) {
        txns[s] = 1 + draw(t, 2);
        esse_out_f(&t->tx, "session s%u {\n", s);
        for (unsigned i = 0; i < txns[s]; i++)
            put_transaction(t, s, i);
        esse_out_text(&t->tx, "}\n");
    }
    for (unsigned s = 0; s < sessions; s++) {
        esse_out_f(&t->sql, "session s%u\n", s);
        for (unsigned i = 0; i < txns[s]; i++)
            esse_out_f(&t->sql, "    t%u_%u()\n", s, i);
    }
    const unsigned sum = 1 + draw(t, 12);
    esse_out_f(&t->sql,
               "invariant other\n    SELECT coalesce(sum(v), 0) + count(*) <> %u FROM t;\n", sum);
    esse_out_f(&t->tx, "invariant other: sum(t) + %d != %u\n", KEYS, sum);
}

/* ---- comparing ---- */

static const struct esse_program *compiled_tx(struct esse_arena *arena, const char *text)
{
    const struct esse_program *program;
    struct esse_error err = { 0 };
    if (!esse_tx_compile(arena, text, strlen(text), &program, &err))
        fail_msg("%d:%d: %s\n%s", (int)err.line, (int)err.column, err.text, text);
    return program;
}

static const struct esse_program *compiled_sql(struct esse_arena *arena, const char *text,
                                               enum esse_sql_tables tables)
{
    const struct esse_program *program = NULL;
    struct esse_script *script = esse_arena_alloc(arena, 1, sizeof *script);
    struct esse_error err = { 0 };
    if (!esse_script_parse(arena, text, script, &err) ||
        !esse_sql_program_new(script, tables, &program, &err))
        fail_msg("%d: %s\n%s", (int)err.line, err.text, text);
    return program;
}

enum { HISTORIES_MOST = 20000 };

static void explore(struct esse_arena *arena, const struct esse_program *program,
                    enum esse_axiom axiom, unsigned threads, struct esse_explored *x)
{
    const struct esse_explore_options options = {
        .axiom = axiom,
        .threads = threads,
        .max_histories = threads == 1 ? HISTORIES_MOST : 0,
    };
    esse_explore(arena, program, &options, x);
}

static uint64_t broken_count(const struct esse_explored *x)
{
    return x->broken_count ? x->broken[0].count : 0;
}

static void same(uint64_t found, uint64_t expected, const char *what, enum esse_axiom axiom,
                 const char *sql, const char *tx)
{
    if (found != expected)
        fail_msg("%s at %s: %d, in the small language %d\n%s\n%s", what, esse_axiom_short(axiom),
                 (int)found, (int)expected, sql, tx);
}

/* False if there are too many histories. */
static bool compare_at(struct esse_arena *arena, const struct esse_program **sql,
                       const struct esse_program *tx, enum esse_axiom axiom, const char *sql_text,
                       const char *tx_text)
{
    struct esse_explored wanted, found, together;
    explore(arena, tx, axiom, 1, &wanted);
    if (!wanted.is_whole)
        return false;
    explore(arena, *sql, axiom, 1, &found);
    *sql = found.program;
    CHECK(found.is_whole);
    same(found.counts.histories, wanted.counts.histories, "histories", axiom, sql_text, tx_text);
    same(broken_count(&found), broken_count(&wanted), "broken", axiom, sql_text, tx_text);
    explore(arena, *sql, axiom, 2, &together);
    same(together.counts.histories, wanted.counts.histories, "with threads", axiom, sql_text,
         tx_text);
    same(broken_count(&together), broken_count(&wanted), "broken with threads", axiom, sql_text,
         tx_text);
    return true;
}

/* If transactions run one after the other it does not matter whether the set of keys is a variable;
 * and from nothing, threads find what one finds. */
static void compare_sets(struct esse_arena *arena, const char *sql_text, const char *tx_text)
{
    struct esse_explored keys, sets;
    const struct esse_program *program = compiled_sql(arena, sql_text, ESSE_SQL_KEYS);
    explore(arena, program, ESSE_AXIOM_SERIAL, 2, &keys);
    program = compiled_sql(arena, sql_text, ESSE_SQL_SETS);
    explore(arena, program, ESSE_AXIOM_SERIAL, 2, &sets);
    CHECK(keys.is_whole && sets.is_whole);
    same(broken_count(&sets) > 0, broken_count(&keys) > 0, "broken with sets", ESSE_AXIOM_SERIAL,
         sql_text, tx_text);
    esse_sql_program_free(keys.program);
    esse_sql_program_free(sets.program);
}

TEST(test_sql__finds_what_the_small_language_finds)
{
    struct esse_rng rng = { test_setting("ESSE_SEED") * 7919u };
    const unsigned rounds = test_rounds(100);
    unsigned compared = 0;
    for (unsigned round = 0; round < rounds; round++) {
        struct esse_arena *arena = esse_arena_new();
        struct twins t = { .arena = arena, .rng = &rng };
        esse_out_init_memory(&t.sql, arena);
        esse_out_init_memory(&t.tx, arena);
        put_program(&t);
        const char *sql_text = esse_out_memory(&t.sql), *tx_text = esse_out_memory(&t.tx);
        const struct esse_program *tx = compiled_tx(arena, tx_text);
        const struct esse_program *sql = compiled_sql(arena, sql_text, ESSE_SQL_KEYS);
        bool is_small = true;
        for (enum esse_axiom axiom = ESSE_AXIOM_SERIAL; axiom > ESSE_AXIOM_NONE; axiom--)
            is_small = is_small && compare_at(arena, &sql, tx, axiom, sql_text, tx_text);
        if (is_small)
            compare_sets(arena, sql_text, tx_text);
        compared += is_small;
        esse_sql_program_free(sql);
        esse_arena_free(arena);
    }
    CHECK(compared > rounds / 2);
}

/* ---- what is refused ---- */

static void refused(const char *text, unsigned line, const char *said)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_program *program;
    struct esse_script script;
    struct esse_error err = { 0 };
    CHECK(!(esse_script_parse(arena, text, &script, &err) &&
            esse_sql_program_new(&script, ESSE_SQL_KEYS, &program, &err)));
    if (!strstr(err.text, said) || err.line != line)
        fail_msg("%d: '%s', expected %u: '%s'", (int)err.line, err.text, line, said);
    esse_arena_free(arena);
}

#define HEAD "setup\n CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER);\nparam k uniform 1 2\n"
#define TXN  "transaction a\n SELECT * FROM t WHERE id = :k;\n"

TEST(test_sql__what_is_wrong_has_a_line)
{
    refused(HEAD TXN, 6, "the file has no session");
    refused("param k uniform 1 2\n" TXN "session s\n a(k 1)\n", 6, "the file has no setup");
    refused(HEAD TXN "session s\n", 6, "the session has no calls");
    refused(HEAD TXN "session s\n b()\n", 7,
            "expected the name of a transaction that stands above, found 'b'");
    refused(HEAD TXN "session s\n a()\n", 7, "the call must give a value for 'k': k VALUE");
    refused(HEAD TXN "session s\n a(j 1)\n", 7, "expected the name of a parameter, or ')'");
    refused(HEAD TXN "session s\n a(k 1, k 2)\n", 7, "expected each parameter once, found 'k'");
    refused(HEAD TXN "session s\n a(k x)\n", 7, "expected a number or a 'text', found 'x'");
    refused(HEAD TXN "session s\n a(k 1) b\n", 7, "expected the end of the line, found 'b'");
    refused(HEAD TXN "session s\n a(k 1)\nsession s\n a(k 1)\n", 8,
            "expected a name that no other session has, found 's'");
    refused(HEAD TXN "session s\n a(k 1)\ninvariant i\n", 8, "the invariant has no query");
    refused(HEAD TXN "session s\n a(k 1)\ninvariant i\n SELECT 1;\n SELECT 2;\n", 10,
            "an invariant is one query");
    refused(HEAD TXN "session s\n a(k 1)\ninvariant i\n DELETE FROM t;\n", 8,
            "expected a query that returns true");
    refused(HEAD "transaction a\n SELECT * FROM u;\nsession s\n a()\n", 5,
            "42P01: relation \"u\" does not exist");
    refused(HEAD "transaction a\n DROP TABLE t;\nsession s\n a()\n", 5,
            "expected SELECT, INSERT, UPDATE, DELETE or CALL");
    refused(HEAD
            "procedure a(x INTEGER)\n BEGIN\n DELETE FROM t WHERE id = x\n END\nsession s\n a()\n",
            9, "the call must give a value for 'x': x VALUE");
    refused(HEAD "procedure a(x INTEGER\n BEGIN\n END\nsession s\n a()\n", 4,
            "expected '(', parameters with their types, and ')' at the end of the line");
    refused(HEAD "procedure a(1 INTEGER)\n BEGIN\n END\nsession s\n a()\n", 4,
            "expected the name of a parameter and its type, found '1'");
    refused(HEAD "procedure a()\n BEGIN\n IF x;\n END\nsession s\n a()\n", 4, "42601");
    refused("setup\n CREATE TABLE t (id INTEGR);\n" TXN, 4, "there is no parameter 'k'");
}

/* ---- what a transaction that does not succeed does ---- */

static void explored(const char *text, enum esse_axiom axiom, const char *claim, uint64_t histories,
                     uint64_t count)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_program *program = compiled_sql(arena, text, ESSE_SQL_KEYS);
    struct esse_explored x;
    explore(arena, program, axiom, 1, &x);
    CHECK(x.is_whole);
    CHECK_EQ(x.counts.histories, histories);
    CHECK_EQ(broken_count(&x), count);
    if (count) {
        const char *said = esse_claim_text(arena, x.program, &x.broken[0]);
        if (!strstr(said, claim))
            fail_msg("'%s', expected '%s'", said, claim);
    }
    esse_sql_program_free(x.program);
    esse_arena_free(arena);
}

TEST(test_sql__a_refused_row_is_an_abort_and_another_error_is_shown)
{
    static const char *const two = "session s\n a(k 1)\nsession r\n a(k 1)\n";
    struct esse_arena *arena = esse_arena_new();
    /* Both insert key 1: the second of them sees it, or, not serially, neither sees the other. */
    const char *insert =
        esse_arena_format(arena, HEAD "transaction a\n INSERT INTO t VALUES (:k, 5);\n%s", two);
    explored(insert, ESSE_AXIOM_SERIAL, "", 2, 0);
    explored(insert, ESSE_AXIOM_SNAPSHOT, "", 2, 0);
    explored(insert, ESSE_AXIOM_CAUSAL, "", 3, 0);
    const char *divide = esse_arena_format(
        arena,
        HEAD "transaction a\n UPDATE t SET v = 1 / (SELECT count(*) - 1 FROM t) WHERE id = 9;\n"
             " INSERT INTO t VALUES (9, 1);\n%s",
        two);
    explored(divide, ESSE_AXIOM_SERIAL, "s.a stops by the error \"division by zero\" (line 5)", 2,
             2);
    const char *raise =
        esse_arena_format(arena,
                          HEAD "procedure a(k INTEGER)\n BEGIN\n INSERT INTO t VALUES (k, 1);\n"
                               " RAISE EXCEPTION 'no';\n END\n%s",
                          two);
    explored(raise, ESSE_AXIOM_SERIAL, "", 1, 0);
    const char *clock = esse_arena_format(arena, HEAD "transaction a\n SELECT now();\n%s", two);
    explored(clock, ESSE_AXIOM_SERIAL, "clocks, sequences and random numbers are not explored", 1,
             1);
    esse_arena_free(arena);
}

/* ---- procedures ---- */

TEST(test_sql__what_a_block_takes_back_was_not_written)
{
    /* The second adds 1, adds 10, meets the row of the first, and takes the 10 back. */
    static const char text[] = "setup\n CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER);\n"
                               " INSERT INTO t VALUES (1, 0);\n"
                               "procedure add(k INTEGER)\n"
                               " BEGIN\n"
                               "  UPDATE t SET v = v + 1 WHERE id = 1;\n"
                               "  BEGIN\n"
                               "   UPDATE t SET v = v + 10 WHERE id = 1;\n"
                               "   INSERT INTO t VALUES (k, 0);\n"
                               "  EXCEPTION WHEN unique_violation THEN\n"
                               "   UPDATE t SET v = v + 100 WHERE id = k;\n"
                               "  END;\n"
                               " END\n"
                               "session a\n add(k 5)\nsession b\n add(k 5)\n"
                               "invariant both\n SELECT sum(v) = 112 AND max(v) = 100 FROM t;\n";
    explored(text, ESSE_AXIOM_SERIAL, "", 2, 0);
    explored(text, ESSE_AXIOM_SNAPSHOT, "", 2, 0);
}

static void bounded(const char *body, bool is_bounded, uint32_t rounds_most)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text =
        esse_arena_format(arena,
                          "setup\n CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER);\n"
                          "procedure p()\n BEGIN\n  %s\n END\nsession a\n p()\n",
                          body);
    struct esse_explored x;
    explore(arena, compiled_sql(arena, text, ESSE_SQL_KEYS), ESSE_AXIOM_SERIAL, 1, &x);
    CHECK(x.is_whole);
    CHECK_EQ(x.is_bounded, is_bounded);
    CHECK_EQ(x.counts.histories, 1);
    if (x.rounds > rounds_most)
        fail_msg("%u rounds of %s", x.rounds, body);
    esse_sql_program_free(x.program);
    esse_arena_free(arena);
}

TEST(test_sql__loops_end_and_keys_are_met_together)
{
    bounded("LOOP NULL; END LOOP;", true, 1);
    bounded("FOR i IN 1..300 LOOP INSERT INTO t VALUES (i, 0); END LOOP;", false, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sql__what_is_wrong_has_a_line),
        cmocka_unit_test(test_sql__a_refused_row_is_an_abort_and_another_error_is_shown),
        cmocka_unit_test(test_sql__what_a_block_takes_back_was_not_written),
        cmocka_unit_test(test_sql__loops_end_and_keys_are_met_together),
        cmocka_unit_test(test_sql__finds_what_the_small_language_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
