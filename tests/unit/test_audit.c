#include "audit/audit.h"
#include "formats/log_read.h"
#include "test.h"

/*
 * Small logs with what each level says of them: a letter for each of serializable, strict
 * serializable, snapshot isolation, strong snapshot isolation, monotonic snapshot read and read
 * committed; h holds, v violated, u unknown.
 */
#define ACCOUNTS                                                                                   \
    "{'schema':['CREATE TABLE a (id int PRIMARY KEY, b int)']}\n"                                  \
    "{'table':'a','rows':[[1,100],[2,100]]}\n"

static const char *ask_levels(struct esse_arena *arena, const char *text, enum audit_order order)
{
    struct esse_source source;
    struct esse_sql_log *log = NULL;
    struct esse_error err = { 0 };
    struct audit_world *world;
    const char *bytes = json(arena, text);
    char *said = esse_arena_alloc(arena, AUDIT_LEVELS + 1, 1);
    esse_source_memory(&source, arena, bytes, strlen(bytes));
    if (!esse_log_read(arena, &source, &log, &err))
        fail_msg("%s", err.text);
    esse_source_close(&source);
    if (!audit_world_new(arena, log, &world, &err))
        fail_msg("%s", err.text);
    for (unsigned level = 0; level < AUDIT_LEVELS; level++) {
        struct audit_answer answer;
        const struct audit_question question = { .level = (enum audit_level)level, .order = order };
        if (!audit_ask(arena, world, &question, &answer, &err))
            fail_msg("%s", err.text);
        said[level] = "hvu"[answer.outcome];
        if (answer.outcome == ESSE_HOLDS)
            CHECK_EQ(answer.rechecked, level <= AUDIT_STRONG_SNAPSHOT_ISOLATION
                                           ? AUDIT_RECHECKED
                                           : AUDIT_NOT_RECHECKED);
    }
    audit_world_free(world);
    return said;
}

TEST(test_audit__levels_are_what_they_are_defined_to_be)
{
    static const struct {
        const char *what, *text, *said;
    } cases[] = {
        { "an answer that is right",
          ACCOUNTS "{'session':1,'sql':['UPDATE a SET b = b - 10 WHERE id = 1']}\n"
                   "{'session':2,'sql':[{'q':'SELECT sum(b) FROM a','rows':[[190]]}]}\n",
          "hhhhhh" },
        { "a sum that no state has",
          ACCOUNTS "{'session':1,'sql':['UPDATE a SET b = b - 10 WHERE id = 1']}\n"
                   "{'session':2,'sql':[{'q':'SELECT sum(b) FROM a','rows':[[195]]}]}\n",
          "vvvvvv" },
        { "a stale read",
          ACCOUNTS "{'session':1,'start':1,'end':2,'sql':['UPDATE a SET b = 0 WHERE id = 1']}\n"
                   "{'session':2,'start':3,'end':4,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "1','rows':[[100]]}]}\n",
          "hvhvhh" },
        { "two readers, of which the later one sees less",
          ACCOUNTS "{'session':1,'start':1,'end':8,'sql':['UPDATE a SET b = 0 WHERE id = 1']}\n"
                   "{'session':2,'start':2,'end':4,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "1','rows':[[0]]}]}\n"
                   "{'session':3,'start':6,'end':9,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "1','rows':[[100]]}]}\n",
          "hvhvhh" },
        { "write skew",
          ACCOUNTS "{'session':1,'start':1,'end':9,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "1','rows':[[100]]},'UPDATE a SET b = 0 WHERE id = 2']}\n"
                   "{'session':2,'start':1,'end':9,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "2','rows':[[100]]},'UPDATE a SET b = 0 WHERE id = 1']}\n",
          "vvhhhh" },
        { "a lost update that a later read shows",
          ACCOUNTS "{'session':1,'start':1,'end':5,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "1','rows':[[100]]},'UPDATE a SET b = 110 WHERE id = 1']}\n"
                   "{'session':2,'start':1,'end':5,'sql':[{'q':'SELECT b FROM a WHERE id = "
                   "1','rows':[[100]]},'UPDATE a SET b = 120 WHERE id = 1']}\n",
          "vvvvhh" },
        { "two steps that see two states",
          ACCOUNTS
          "{'session':1,'sql':['UPDATE a SET b = 0']}\n"
          "{'session':2,'sql':[{'q':'SELECT b FROM a WHERE id = 1','rows':[[100]]},{'q':'SELECT b "
          "FROM a WHERE id = 2','rows':[[0]]}]}\n",
          "vvvvhh" },
        { "two steps that go back",
          ACCOUNTS
          "{'session':1,'sql':['UPDATE a SET b = 0']}\n"
          "{'session':2,'sql':[{'q':'SELECT b FROM a WHERE id = 1','rows':[[0]]},{'q':'SELECT b "
          "FROM a WHERE id = 2','rows':[[100]]}]}\n",
          "vvvvvh" },
        { "one step that mixes states",
          ACCOUNTS "{'session':1,'sql':['UPDATE a SET b = 0']}\n"
                   "{'session':2,'sql':[{'q':'SELECT sum(b) FROM a','rows':[[100]]}]}\n",
          "vvvvvh" },
        { "own writes are no reads",
          ACCOUNTS
          "{'session':1,'sql':['UPDATE a SET b = 7 WHERE id = 1',{'q':'SELECT b FROM a WHERE id = "
          "1','rows':[[7]]}]}\n",
          "hhhhhh" },
        { "a phantom",
          ACCOUNTS
          "{'session':1,'sql':['INSERT INTO a VALUES (3, 1)']}\n"
          "{'session':2,'sql':[{'q':'SELECT count(*) FROM a','rows':[[2]]},{'q':'SELECT count(*) "
          "FROM a','rows':[[3]]}]}\n",
          "vvvvhh" },
        { "a key twice",
          ACCOUNTS "{'session':1,'sql':['INSERT INTO a VALUES (3, 1)']}\n"
                   "{'session':2,'sql':['INSERT INTO a VALUES (3, 2)']}\n",
          "vvvvvv" },
        { "an error that the constraint explains",
          ACCOUNTS "{'session':1,'sql':['INSERT INTO a VALUES (3, 1)']}\n"
                   "{'session':2,'sql':[{'q':'INSERT INTO a VALUES (3, 2)','error':'23505'}]}\n",
          "hhhhhh" },
        { "an error that nothing explains",
          ACCOUNTS "{'session':2,'sql':[{'q':'INSERT INTO a VALUES (3, 2)','error':'23505'}]}\n",
          "vvvvvv" },
        { "an unknown outcome that must have committed",
          ACCOUNTS "{'session':1,'status':'unknown','sql':['UPDATE a SET b = 5 WHERE id = 1']}\n"
                   "{'session':2,'sql':[{'q':'SELECT b FROM a WHERE id = 1','rows':[[5]]}]}\n",
          "hhhhhh" },
        { "an aborted transaction has no effect",
          ACCOUNTS "{'session':1,'status':'aborted','sql':['UPDATE a SET b = 5 WHERE id = 1']}\n"
                   "{'session':2,'sql':[{'q':'SELECT b FROM a WHERE id = 1','rows':[[5]]}]}\n",
          "vvvvvv" },
        { "a savepoint takes writes back, not reads",
          ACCOUNTS
          "{'session':1,'sql':['SAVEPOINT s','UPDATE a SET b = 5 WHERE id = 1','ROLLBACK TO "
          "s',{'q':'SELECT b FROM a WHERE id = 1','rows':[[100]]}]}\n",
          "hhhhhh" },
        { "a count of an update that matched nothing",
          ACCOUNTS "{'session':1,'sql':[{'q':'UPDATE a SET b = 5 WHERE id = 9','count':0}]}\n",
          "hhhhhh" },
        { "rows in the wrong order",
          ACCOUNTS
          "{'session':1,'sql':[{'q':'SELECT id FROM a ORDER BY id DESC','rows':[[1],[2]]}]}\n",
          "vvvvvv" },
        { "rows without an order in any order",
          ACCOUNTS "{'session':1,'sql':[{'q':'SELECT id FROM a','rows':[[2],[1]]}]}\n", "hhhhhh" },
        { "LIMIT among equals",
          ACCOUNTS
          "{'session':1,'sql':[{'q':'SELECT id FROM a ORDER BY b LIMIT 1','rows':[[2]]}]}\n",
          "hhhhhh" },
        { "xid says that it wrote",
          ACCOUNTS "{'session':1,'xid':5,'sql':['UPDATE a SET b = 5 WHERE id = 9']}\n", "vvvvvv" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        const char *said = ask_levels(arena, cases[i].text, AUDIT_ORDER_ANY);
        if (strcmp(said, cases[i].said) != 0)
            print_error("%s\n", cases[i].what);
        CHECK_TEXT(said, cases[i].said);
        esse_arena_free(arena);
    }
}

TEST(test_audit__an_order_that_is_given_binds)
{
    static const char text[] = ACCOUNTS
        "{'session':1,'txn':'x','end':5,'commit_ts':1,'sql':['UPDATE a SET b = 1 WHERE id = 1']}\n"
        "{'session':2,'txn':'y','end':4,'commit_ts':2,'sql':['UPDATE a SET b = b + 1 WHERE id = "
        "1']}\n"
        "{'session':3,'txn':'z','end':9,'commit_ts':3,'sql':[{'q':'SELECT b FROM a WHERE id = "
        "1','rows':[[1]]},'UPDATE a SET b = 0 WHERE id = 2']}\n"
        "{'order':['y','x','z']}\n";
    struct esse_arena *arena = esse_arena_new();
    CHECK_TEXT(ask_levels(arena, text, AUDIT_ORDER_ANY), "hhhhhh");
    CHECK_TEXT(ask_levels(arena, text, AUDIT_ORDER_GIVEN), "hhhhhh");
    CHECK_TEXT(ask_levels(arena, text, AUDIT_ORDER_END), "hhhhhh");
    /* In the order of commits z reads an older state, or none that there is. */
    CHECK_TEXT(ask_levels(arena, text, AUDIT_ORDER_COMMIT_TS), "vvhhhh");
    CHECK_TEXT(ask_levels(arena, text, AUDIT_ORDER_VERSIONS), "hhhhhh");
    esse_arena_free(arena);
}

/* Pairs of commits that a reader saw in the other order: no snapshot is a prefix of commit_ts. */
TEST(test_audit__snapshots_need_not_be_prefixes_of_the_commits)
{
    enum { PAIRS = 40 };
    static char text[PAIRS * 600 + 1000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{'schema':['CREATE TABLE a (id int PRIMARY KEY, b int)']}\n"
                                 "{'table':'a','rows':[[0,0]");
    for (int i = 1; i < 2 * PAIRS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, ",[%d,0]", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "]}\n{'certificate':'commit-order'}\n");
    for (int i = 0; i < PAIRS; i++)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "{'session':1,'start':%d,'end':%d,'commit_ts':%d,'sql':['UPDATE a SET b = 1 WHERE id = "
            "%d']}\n{'session':2,'start':%d,'end':%d,'commit_ts':%d,'sql':['UPDATE a SET b = 1 "
            "WHERE id = %d']}\n{'session':3,'start':%d,'end':%d,'sql':[{'q':'SELECT id, b FROM a "
            "WHERE id BETWEEN %d AND %d','rows':[[%d,0],[%d,1]]}]}\n",
            10 * i, 10 * i + 9, 2 * i + 1, 2 * i, 10 * i, 10 * i + 9, 2 * i + 2, 2 * i + 1, 10 * i,
            10 * i + 9, 2 * i, 2 * i + 1, 2 * i, 2 * i + 1);
    struct esse_arena *arena = esse_arena_new();
    CHECK_TEXT(ask_levels(arena, text, AUDIT_ORDER_VERSIONS), "hhhhhh");
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_audit__levels_are_what_they_are_defined_to_be),
        cmocka_unit_test(test_audit__an_order_that_is_given_binds),
        cmocka_unit_test(test_audit__snapshots_need_not_be_prefixes_of_the_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
