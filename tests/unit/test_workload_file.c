#include "collect/workload_file.h"
#include "test.h"

/* Workload files: what they come to, and what is said about those that are wrong. */

static const char good[] = "# a remark\n"
                           "table t (id, a, b)\n"
                           "param x uniform 5 5\n"
                           "param u unique\n"
                           "param c choice 'it''s', 7\n"
                           "\n"
                           "setup\n"
                           "    CREATE TABLE t (id INTEGER);\n"
                           "    INSERT INTO t VALUES (';');\n"
                           "transaction one weight 3\n"
                           "    SELECT a FROM t WHERE id = :x;\n"
                           "\n"
                           "    select count(*), max(a) from T where a > :x and b = ':x';\n"
                           "    UPDATE t SET a = (a + :u),\n"
                           "        b = id WHERE a > 3;\n"
                           "transaction two read only\n"
                           "    SELECT * FROM t ORDER BY a LIMIT 3;\n";

static const char *text_of(struct esse_arena *arena, struct esse_pieces pieces)
{
    const char *text = "";
    for (uint32_t i = 0; i < pieces.count; i++) {
        text =
            esse_arena_format(arena, "%s%.*s", text, (int)pieces.at[i].length, pieces.at[i].text);
        if (pieces.at[i].param != ESSE_NO_PARAM)
            text = esse_arena_format(arena, "%s<%d>", text, pieces.at[i].param);
    }
    return text;
}

TEST(test_workload_file__takes_statements_apart)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_workload_file file;
    struct esse_error err = { 0 };
    CHECK(esse_workload_file_parse(arena, good, &file, &err));
    CHECK_EQ(file.schema.count, 1);
    CHECK_TEXT(file.schema.tables[0].list, "id, a, b");
    CHECK_EQ(file.param_count, 3);
    CHECK_TEXT(file.params[2].choices[0], "'it''s'");
    CHECK_TEXT(file.params[2].choices[1], "7");
    CHECK_TEXT(file.schema.setup[0], "CREATE TABLE t (id INTEGER)");
    CHECK_TEXT(file.schema.setup[1], "INSERT INTO t VALUES (';')");
    CHECK(!file.schema.setup[2]);
    CHECK_EQ(file.txn_count, 2);
    CHECK_EQ(file.weight, 4);
    CHECK_EQ(file.txns[0].count, 3);
    const struct esse_template *at = file.txns[0].templates;
    CHECK_EQ(at[0].kind, ESSE_OWN_SELECT);
    CHECK_EQ(at[0].line, 11);
    CHECK_TEXT(text_of(arena, at[0].point), "<0>");
    CHECK_EQ(at[1].kind, ESSE_OWN_AGGREGATE);
    CHECK_EQ(at[1].line, 13);
    CHECK_TEXT(text_of(arena, at[1].rest), "where a > <0> and b = ':x'");
    CHECK_EQ(at[2].kind, ESSE_OWN_UPDATE);
    CHECK_TEXT(text_of(arena, at[2].set), "a = (a + <1>),\n        b = id");
    CHECK_EQ(at[2].point.count, 0);
    CHECK(file.txns[1].is_read_only);
    esse_arena_free(arena);
}

static const char *const head = "table t (id, a)\nparam x uniform 1 9\n";

static const struct {
    const char *text; /* after the head, which has two lines */
    unsigned line;
    const char *says;
} wrong[] = {
    { "", 3, "the file has no transaction" },
    { "tabel u (id)\n", 3, "expected table, param, setup, teardown or transaction, found 'tabel'" },
    { "  SELECT 1;\n", 3, "expected table, param, setup, teardown or transaction" },
    { "table u\n", 3,
      "expected '(' and the table's columns, its primary key first, found the end" },
    { "table u (id; a)\n", 3, "expected the name of a column, found 'id;'" },
    { "table u (id a)\n", 3, "expected ',' or ')', found 'a'" },
    { "param y\n", 3, "expected uniform, zipf, unique, choice, session or constant" },
    { "param y uniform 1 x\n", 3, "expected the greatest value, an integer, found 'x'" },
    { "param y uniform 9 1\n", 3, "the greatest value must not be below the least" },
    { "param y uniform 1 9 2\n", 3, "expected the end of the line, found '2'" },
    { "param y zipf 1 9 hot\n", 3, "expected the skew, a number from 0 to 10, found 'hot'" },
    { "param y choice Paris\n", 3, "expected a number or a 'text', found 'Paris'" },
    { "param y choice 1 2\n", 3, "expected ',' and another choice, found '2'" },
    { "param y choice 'a\n", 3, "expected a number or a 'text'" },
    { "transaction a\n", 3, "the transaction has no statements" },
    { "transaction a weight 0\n SELECT * FROM t;\n", 3, "a weight must be from 1" },
    { "transaction a reed only\n SELECT * FROM t;\n", 3, "expected weight N, or read only" },
    { "transaction a\n\n    SELECT * FROM t\n", 5, "the statement has no ';' at its end" },
    { "transaction a\n SELECT * FROM t;\n SELECT * FROM u;\n", 5, "the table 'u' is not declared" },
    { "transaction a\n SELECT * FROM t WHERE a = :y;\n", 4, "there is no parameter 'y'" },
    { "transaction a\n SELECT 1;\n", 4, "expected FROM" },
    { "transaction a\n SELECT * FROM t GROUP BY a;\n", 4, "expected WHERE, found 'GROUP BY a'" },
    { "transaction a\n UPDATE t WHERE a = 1;\n", 4, "expected SET, found 'WHERE'" },
    { "transaction a\n UPDATE t SET a = 1, id = 2;\n", 4, "the key 'id' of a row cannot be set" },
    { "transaction a\n DELETE t;\n", 4, "expected FROM, found 't'" },
    { "transaction a\n INSERT INTO t SELECT 1;\n", 4, "expected VALUES" },
    { "transaction a\n DROP TABLE t;\n", 4, "expected SELECT, INSERT, UPDATE or DELETE" },
    { "transaction a read only\n DELETE FROM t;\n", 4, "the transaction is read only" },
};

TEST(test_workload_file__says_what_is_wrong_and_where)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_workload_file file;
        struct esse_error err = { 0 };
        const char *text = esse_arena_format(arena, "%s%s", head, wrong[i].text);
        CHECK(!esse_workload_file_parse(arena, text, &file, &err));
        if (!strstr(err.text, wrong[i].says) || err.line != wrong[i].line)
            fprintf(stderr, "%s: line %u: %s\n", wrong[i].text, (unsigned)err.line, err.text);
        CHECK_EQ(err.code, ESSE_EINPUT);
        CHECK_EQ(err.line, wrong[i].line);
        CHECK(strstr(err.text, wrong[i].says));
        esse_arena_free(arena);
    }
}

/* Whatever the text is, it is read to its end or refused with a line of it: a good file, cut off
 * and changed at random. */
TEST(test_workload_file__survives_any_text)
{
    struct esse_rng rng = { 7 };
    const unsigned rounds = test_rounds(5000);
    for (unsigned i = 0; i < rounds; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_workload_file file;
        struct esse_error err = { 0 };
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (unsigned n = esse_rng_below(&rng, 4); n > 0; n--)
            text[esse_rng_below(&rng, (sizeof good - 1))] =
                "\n'\"();:,# x"[esse_rng_below(&rng, 12)];
        if (esse_rng_below(&rng, 2))
            text[esse_rng_below(&rng, sizeof good)] = 0;
        if (!esse_workload_file_parse(arena, text, &file, &err)) {
            CHECK_EQ(err.code, ESSE_EINPUT);
            CHECK(err.line >= 1 && err.line <= 30);
        }
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workload_file__takes_statements_apart),
        cmocka_unit_test(test_workload_file__says_what_is_wrong_and_where),
        cmocka_unit_test(test_workload_file__survives_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
