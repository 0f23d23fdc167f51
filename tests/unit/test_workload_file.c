#include "base/out.h"
#include "base/rng.h"
#include "test.h"
#include "workload/workload_file.h"

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
    CHECK_TEXT(text_of(arena, at[0].point[0]), "<0>");
    CHECK_EQ(at[1].kind, ESSE_OWN_AGGREGATE);
    CHECK_EQ(at[1].line, 13);
    CHECK_TEXT(text_of(arena, at[1].rest), "where a > <0> and b = ':x'");
    CHECK_EQ(at[2].kind, ESSE_OWN_UPDATE);
    CHECK_TEXT(text_of(arena, at[2].set), "a = (a + <1>),\n        b = id");
    CHECK(!at[2].point);
    CHECK(file.txns[1].is_read_only);
    CHECK_EQ(file.schema.statement_count, 4);
    CHECK_TEXT(file.schema.statements[0], "SELECT a FROM t WHERE id = :x");
    CHECK_TEXT(file.schema.statements[at[2].number - 1],
               "UPDATE t SET a = (a + :u),\n        b = id WHERE a > 3");
    CHECK_EQ(file.txns[1].templates[0].number, 4);
    esse_arena_free(arena);
}

static const char tuples[] = "table t ((night, seat), a)\n"
                             "param x uniform 5 5\n"
                             "transaction one\n"
                             "    SELECT * FROM t WHERE seat = 'it''s' AND night = :x;\n"
                             "    DELETE FROM t WHERE night = -4 and seat = 'b';\n"
                             "    SELECT * FROM t WHERE seat = 'b';\n"
                             "    SELECT * FROM t WHERE seat = 'b' AND seat = 'c';\n"
                             "    SELECT * FROM t WHERE seat = 'b' AND night = 1 AND a = 2;\n"
                             "    SELECT * FROM t WHERE seat = 'b' OR night = 1;\n"
                             "    SELECT * FROM t WHERE seat = 'b' AND night = a;\n"
                             "    SELECT count(*) FROM t WHERE seat = 'b' AND night = 1;\n";

/* One row is meant if all columns of the key are given, each once, and nothing else is. */
TEST(test_workload_file__takes_keys_of_several_columns)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_workload_file file;
    struct esse_error err = { 0 };
    CHECK(esse_workload_file_parse(arena, tuples, &file, &err));
    CHECK_EQ(file.schema.tables[0].key_count, 2);
    CHECK_EQ(file.schema.tables[0].column_count, 3);
    CHECK_TEXT(file.schema.tables[0].list, "night, seat, a");
    const struct esse_template *at = file.txns[0].templates;
    CHECK_TEXT(text_of(arena, at[0].point[0]), "<0>");
    CHECK_TEXT(text_of(arena, at[0].point[1]), "'it''s'");
    CHECK_TEXT(text_of(arena, at[1].point[0]), "-4");
    CHECK_TEXT(text_of(arena, at[1].point[1]), "'b'");
    for (uint32_t i = 2; i < file.txns[0].count; i++)
        CHECK(!at[i].point);
    CHECK(esse_workload_file_parse(arena, "table t ((a))\ntransaction b\n SELECT * FROM t;\n",
                                   &file, &err));
    CHECK_EQ(file.schema.tables[0].key_count, 1);
    CHECK_EQ(file.schema.tables[0].column_count, 1);
    esse_arena_free(arena);
}

static const char *key_text(struct esse_arena *arena, const char parts[3][4], uint32_t count)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (uint32_t i = 0; i < count; i++)
        esse_own_put_key(&out, i, count, parts[i], strlen(parts[i]));
    return esse_out_memory(&out);
}

/* Two keys of as many columns have the same text if and only if they are the same. */
TEST(test_workload_file__tells_keys_apart)
{
    struct esse_rng rng = { 11 };
    const unsigned rounds = test_rounds(20000);
    for (unsigned i = 0; i < rounds; i++) {
        struct esse_arena *arena = esse_arena_new();
        char parts[2][3][4] = { 0 };
        const uint32_t count = 1 + esse_rng_below(&rng, 3);
        bool same = true;
        for (uint32_t p = 0; p < count; p++) {
            for (unsigned side = 0; side < 2; side++)
                for (unsigned n = esse_rng_below(&rng, 4), at = 0; at < n; at++)
                    parts[side][p][at] = "a,\\"[esse_rng_below(&rng, 3)];
            same = same && strcmp(parts[0][p], parts[1][p]) == 0;
        }
        const char *a = key_text(arena, (const char(*)[4])parts[0], count);
        const char *b = key_text(arena, (const char(*)[4])parts[1], count);
        CHECK_EQ(strcmp(a, b) == 0, same);
        esse_arena_free(arena);
    }
    struct esse_arena *arena = esse_arena_new();
    CHECK_TEXT(key_text(arena, (const char[3][4]){ "a,b" }, 1), "a,b");
    CHECK_TEXT(key_text(arena, (const char[3][4]){ "12", "a,b" }, 2), "12,a\\,b");
    esse_arena_free(arena);
}

static const char *const head = "table t (id, a)\nparam x uniform 1 9\n";

static const struct {
    const char *text; /* after the head, which has two lines */
    unsigned line;
    const char *says;
} wrong[] = {
    { "", 3, "the file has no transaction" },
    { "tabel u (id)\n", 3,
      "expected table, param, setup, teardown, transaction, procedure, session or invariant, found "
      "'tabel'" },
    { "session s\n    one(x 1)\ninvariant i\n SELECT 1\n", 6, "the statement has no ';'" },
    { "  SELECT 1;\n", 3,
      "expected table, param, setup, teardown, transaction, procedure, session or invariant" },
    { "table u\n", 3,
      "expected '(' and the table's columns, its primary key first, found the end" },
    { "table u (id; a)\n", 3, "expected the name of a column, found 'id;'" },
    { "table u (id a)\n", 3, "expected ',' or ')', found 'a'" },
    { "table u ()\n", 3, "expected the name of a column, found ')'" },
    { "table u ((id, a)\n", 3, "expected ',' or ')', found the end" },
    { "table u ((id, a) b)\n", 3, "expected ',' or ')', found 'b'" },
    { "table u ((id, a), )\n", 3, "expected the name of a column, found ')'" },
    { "table u ((), a)\n", 3, "expected the name of a column, found ')'" },
    { "table u (a, (id))\n", 3, "expected the name of a column, found '('" },
    { "table u ((n, m), a)\ntransaction a\n UPDATE u SET a = 1, m = 2;\n", 5,
      "the key 'm' of a row cannot be set" },
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

/* Rows in any order, against a look at all that came before. */
TEST(test_workload_file__finds_rows_of_one_key)
{
    static const char *const columns[] = { "a", "b", "v" };
    const struct esse_own_table table = { "t", columns, 3, 2, "a, b, v" };
    static const char *const texts[] = { "", "x", "xy", "y" };
    enum { WIDTH = 3, ROWS = 12 };
    struct esse_rng rng = { 3 };
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct esse_own_cell cells[ROWS * WIDTH] = { 0 };
        uint32_t a[ROWS], b[ROWS];
        size_t highest = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            a[i] = esse_rng_below(&rng, 4), b[i] = esse_rng_below(&rng, 4);
            cells[i * WIDTH] = (struct esse_own_cell){ ESSE_CELL_INTEGER, a[i], NULL, 0 };
            cells[i * WIDTH + 1] =
                (struct esse_own_cell){ ESSE_CELL_TEXT, 0, texts[b[i]], strlen(texts[b[i]]) };
            bool found = false;
            for (uint32_t j = 0; j < i; j++)
                found |= a[j] == a[i] && b[j] == b[i];
            CHECK_EQ(esse_own_is_twin(cells, i * WIDTH, WIDTH, &table, &highest), found);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workload_file__takes_statements_apart),
        cmocka_unit_test(test_workload_file__takes_keys_of_several_columns),
        cmocka_unit_test(test_workload_file__tells_keys_apart),
        cmocka_unit_test(test_workload_file__says_what_is_wrong_and_where),
        cmocka_unit_test(test_workload_file__survives_any_text),
        cmocka_unit_test(test_workload_file__finds_rows_of_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
