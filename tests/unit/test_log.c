#include "formats/log_read.h"
#include "test.h"

/* Logs of SQL transactions, written with single quotes. */

static struct esse_sql_log *read_text(struct esse_arena *arena, const char *text,
                                      struct esse_error *err)
{
    struct esse_source source;
    struct esse_sql_log *log = NULL;
    const char *bytes = json(arena, text);
    *err = (struct esse_error){ 0 };
    esse_source_memory(&source, arena, bytes, strlen(bytes));
    if (!esse_log_read(arena, &source, &log, err))
        log = NULL;
    esse_source_close(&source);
    return log;
}

static const char example[] =
    "{'esse':'log','version':1,'dialect':'mysql','db':'MariaDB','found_rows':true}\n"
    "{'schema':['CREATE TABLE a (id int PRIMARY KEY, b numeric)','CREATE TABLE c (d int)']}\n"
    "{'table':'a','columns':['id','b'],'rows':[[1,100],[2,3.50]]}\n"
    "\n"
    "{'statement':'dep','q':'UPDATE a SET b = b + $1 WHERE id = $2'}\n"
    "{'session':0,'txn':'t1','start':100,'end':140,'commit_ts':9001,'sql':["
    "{'s':'dep','args':[10,2],'count':1,'t':[101,102]},"
    "{'q':'SELECT b FROM a','columns':['b'],'rows':[['310.00'],[null]]},'DELETE FROM a',"
    "{'q':'INSERT','error':'23505'},{'q':'CALL p()','results':[[[1]],[]],'out':{'x':true}}]}\n"
    "{'session':'s','status':'unknown','xid':7,'sql':[]}\n"
    "{'session':'s','wrote':false,'sql':[{'q':'SELECT 1','rows':[]}]}\n"
    "{'order':['s/0','t1']}\n"
    "{'certificate':'commit-order'}";

TEST(test_log__members_are_what_the_line_says)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err;
    const struct esse_sql_log *log = read_text(arena, example, &err);
    char room[8];
    CHECK(log != NULL);
    CHECK_EQ(log->dialect, ESSE_LOG_MYSQL);
    CHECK(log->found_rows);
    CHECK_EQ(log->schema.count, 2);
    CHECK_TEXT(log->schema.at[1].text.at, "CREATE TABLE c (d int)");
    CHECK_EQ(log->tables.at[0].rows.count, 2);
    const esse_value part = esse_log_row(log, &log->tables.at[0].rows, 1)[1];
    CHECK_EQ(esse_value_kind(log->values, part), ESSE_KIND_NUMBER);
    CHECK_EQ(esse_value_text(log->values, part, room).length, 4);
    CHECK_EQ(log->txns.count, 3);
    CHECK_EQ(log->txns.at[0].line, 6);
    CHECK_EQ(log->txns.at[0].commit_ts, 9001);
    CHECK_EQ(log->txns.at[0].statements.count, 5);
    const struct esse_log_statement *s = log->statements.at;
    CHECK_TEXT(s[0].text.at, "UPDATE a SET b = b + $1 WHERE id = $2");
    CHECK_EQ(s[0].has, ESSE_LOG_ARGS | ESSE_LOG_COUNT | ESSE_LOG_TIMES);
    CHECK_EQ(s[0].args.count, 2);
    CHECK_EQ(s[1].has, ESSE_LOG_ROWS | ESSE_LOG_COLUMNS);
    CHECK_EQ(log->results.at[s[1].results.first].count, 2);
    CHECK_EQ(s[2].has, 0);
    CHECK_EQ(s[3].has, ESSE_LOG_ERROR);
    CHECK_EQ(s[4].has, ESSE_LOG_ROWS | ESSE_LOG_OUT);
    CHECK_EQ(s[4].results.count, 2);
    CHECK_EQ(log->results.at[s[4].results.first + 1].count, 0);
    CHECK_EQ(log->txns.at[1].status, ESSE_UNKNOWN_OUTCOME);
    CHECK_EQ(log->txns.at[1].wrote, ESSE_LOG_WROTE);
    CHECK_EQ(log->txns.at[2].wrote, ESSE_LOG_WROTE_NOT);
    CHECK_EQ(log->certificate, ESSE_CERTIFICATE_COMMIT_ORDER);
    CHECK_EQ(log->order.count, 2);
    CHECK_EQ(log->order.at[0], 1);
    esse_arena_free(arena);
}

TEST(test_log__numbers_are_exact)
{
    static const struct {
        const char *text, *kept; /* NULL: an integer */
        int64_t number;
    } cases[] = {
        { "9223372036854775807", NULL, INT64_MAX },
        { "-9223372036854775808", NULL, INT64_MIN },
        { "9223372036854775808", "9223372036854775808", 0 },
        { "1.50", "1.50", 0 },
        { "-1e3", "-1e3", 0 },
        { "0", NULL, 0 },
        { "-7", NULL, -7 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_error err;
        int64_t number;
        char room[8];
        const struct esse_sql_log *log = read_text(
            arena,
            esse_arena_format(arena, "{'session':1,'sql':[{'q':'x','args':[%s]}]}", cases[i].text),
            &err);
        CHECK(log != NULL);
        const esse_value value = log->cells.at[0];
        if (cases[i].kept) {
            const struct esse_span text = esse_value_text(log->values, value, room);
            CHECK(esse_span_is(text, cases[i].kept));
        } else {
            CHECK(esse_value_as_int(log->values, value, &number));
            CHECK(number == cases[i].number);
        }
        esse_arena_free(arena);
    }
}

TEST(test_log__what_is_wrong_is_said_with_its_place)
{
    static const struct {
        const char *text;
        unsigned line, column;
        const char *said;
    } cases[] = {
        { "{'session':1,'sql':[", 1, 21, "expected a statement" },
        { "{'session':1,'sql':[],'ops':[]}", 1, 23, "unknown member \"ops\"" },
        { "{'session':1,'sql':[{'q':'x','row':[]}]}", 1, 30, "unknown member \"row\"" },
        { "{'session':1,'sql':[{'rows':[]}]}", 1, 21, "either q" },
        { "{'session':1,'sql':[{'q':'x','s':'y'}]}", 1, 34, "no statement line before" },
        { "{'session':1,'sql':[{'q':'x','error':'23505','count':1}]}", 1, 21, "that failed" },
        { "{'session':1,'sql':[{'q':'x','rows':[[1],[1,2]]}]}", 1, 42, "a row of 2 values" },
        { "{'session':1,'sql':[{'q':'x','rows':[[[1]]]}]}", 1, 39, "expected a value" },
        { "{'session':1,'sql':[{'q':'x','count':-1}]}", 1, 38, "not negative" },
        { "{'session':1,'sql':[{'q':'x','t':[2,1]}]}", 1, 37, "ends before" },
        { "{'session':1,'sql':[{'q':'x','columns':['a'],'rows':[[1,2]]}]}", 1, 21, "1 columns" },
        { "{'session':1}", 1, 1, "needs session and sql" },
        { "{'session':1,'start':5,'end':4,'sql':[]}", 1, 1, "ends before it starts" },
        { "{'session':1,'xid':5,'wrote':false,'sql':[]}", 1, 1, "wrote something" },
        { "{'session':1,'txn':1,'sql':[]}\n{'session':2,'txn':'1','sql':[]}", 2, 1, "two" },
        { "{'esse':'history','version':1}", 1, 9, "expected \"log\"" },
        { "{'esse':'log','version':2}", 1, 25, "version 2" },
        { "{'esse':'log','version':1,'dialect':'oracle'}", 1, 37, "postgresql or mysql" },
        { "{'session':1,'sql':[]}\n{'esse':'log','version':1}", 2, 1, "only the first line" },
        { "{'order':['x']}", 1, 0, "no transaction of this log" },
        { "{'session':1,'txn':'x','sql':[]}\n{'order':['x','x']}", 2, 0, "twice" },
        { "{'session':1,'txn':'x','status':'aborted','sql':[]}\n{'order':['x']}", 2, 0, "aborted" },
        { "{'table':'x'}", 1, 1, "a table line" },
        { "{'certificate':'postgresql-snapshots'}", 1, 16, "timestamps or commit-order" },
        { "{'schema':['x\\u0000']}", 1, 12, "zero bytes" },
        { "{'session':1,'sql':[]} x", 1, 24, "the end of the line" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_error err;
        const struct esse_sql_log *log = read_text(arena, cases[i].text, &err);
        if (log || !strstr(err.text, cases[i].said) || err.line != cases[i].line ||
            err.column != cases[i].column)
            fail_msg("%s: %d:%d: %s", cases[i].text, (int)err.line, (int)err.column, err.text);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log__members_are_what_the_line_says),
        cmocka_unit_test(test_log__numbers_are_exact),
        cmocka_unit_test(test_log__what_is_wrong_is_said_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
