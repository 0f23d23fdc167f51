#include "collect/driver/drivers.h"
#include "collect/driver/live_rows.h"

#include "test.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

/* The driver of SQLite, request by request. */

static const int64_t initial[] = { 10, 20, 30 };
static const struct esse_table tables[] = {
    { .name = "rows", .has_ranges = true, .rows = 3, .initial = initial, .in_use = 3 }
};
static const struct esse_schema schema = { .tables = tables, .count = 1, .sessions = 2 };

struct opened {
    struct esse_arena *arena;
    const struct esse_driver *driver;
    struct esse_target *target;
    char path[40];
};

static struct opened open_file(const char *parameters)
{
    struct opened o = { .arena = esse_arena_new(), .driver = &esse_driver_sqlite };
    struct esse_url *url = esse_arena_alloc(o.arena, 1, sizeof *url);
    struct esse_error err = { 0 };
    strcpy(o.path, "/tmp/esse-test-sqlite-XXXXXX");
    const int fd = mkstemp(o.path);
    CHECK(fd >= 0);
    close(fd);
    CHECK(esse_url_parse(o.arena, esse_arena_format(o.arena, "sqlite:%s?%s", o.path, parameters),
                         url, &err));
    CHECK(o.driver->open(o.arena, o.driver, url, o.driver->claims, &o.target, &err));
    CHECK(o.driver->prepare(o.target, &schema, &err));
    return o;
}

static void close_file(struct opened *o)
{
    o->driver->clean(o->target);
    o->driver->close(o->target);
    unlink(o->path);
    esse_arena_free(o->arena);
}

static enum esse_progress ask(struct opened *o, struct esse_conn *conn, struct esse_request request,
                              struct esse_reply *reply)
{
    esse_reply_clear(reply);
    return o->driver->start(conn, &request, reply);
}

static void ask_done(struct opened *o, struct esse_conn *conn, struct esse_request request,
                     struct esse_reply *reply)
{
    CHECK_EQ(ask(o, conn, request, reply), ESSE_PROGRESS_DONE);
}

static void commit_write(struct opened *o, struct esse_conn *conn, int64_t value)
{
    struct esse_reply reply;
    ask_done(o, conn, (struct esse_request){ .ask = ESSE_ASK_BEGIN }, &reply);
    ask_done(o, conn, (struct esse_request){ .ask = ESSE_ASK_WRITE, .row = 1, .value = value },
             &reply);
    ask_done(o, conn, (struct esse_request){ .ask = ESSE_ASK_COMMIT }, &reply);
}

/* A connection made while a commit is being written learns no less than others: the schema cannot
 * be read then, and what counts commits must be prepared later. */
TEST(test_driver_sqlite__connects_while_the_file_is_locked)
{
    static const char *const journals[] = { "journal=delete", "journal=wal" };
    for (unsigned i = 0; i < 2; i++) {
        struct opened o = open_file(journals[i]);
        struct esse_conn *first = o.driver->conn(o.target, o.arena, 0);
        struct esse_conn *second = o.driver->conn(o.target, o.arena, 1);
        const struct esse_request all = { .ask = ESSE_ASK_MATCH, .is_range = true, .high = 1000 };
        struct esse_reply reply;
        sqlite3 *other;
        CHECK_EQ(sqlite3_open(o.path, &other), SQLITE_OK);
        ask_done(&o, first, (struct esse_request){ .ask = ESSE_ASK_CONNECT }, &reply);
        commit_write(&o, first, 21);
        CHECK_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
        ask_done(&o, second, (struct esse_request){ .ask = ESSE_ASK_CONNECT }, &reply);
        CHECK_EQ(ask(&o, second, (struct esse_request){ .ask = ESSE_ASK_BEGIN }, &reply),
                 ESSE_PROGRESS_AGAIN);
        CHECK_EQ(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
        CHECK_EQ(o.driver->step(second, &reply), ESSE_PROGRESS_DONE);
        ask_done(&o, second, all, &reply);
        CHECK_EQ(reply.row_count, 3);
        CHECK_EQ(reply.snapshot_at, 1);
        ask_done(&o, second, (struct esse_request){ .ask = ESSE_ASK_COMMIT }, &reply);
        commit_write(&o, second, 22);
        ask_done(&o, first, (struct esse_request){ .ask = ESSE_ASK_BEGIN }, &reply);
        ask_done(&o, first, all, &reply);
        CHECK_EQ(reply.snapshot_at, 2);
        sqlite3_close(other);
        o.driver->drop(first);
        o.driver->drop(second);
        close_file(&o);
    }
}

/* What could not be written may be there all the same. */
TEST(test_sqlite__a_commit_that_cannot_be_written_is_in_doubt)
{
    struct opened o = open_file("");
    struct esse_conn *conn = o.driver->conn(o.target, o.arena, 0);
    struct esse_reply reply;
    struct rlimit before, none;
    ask_done(&o, conn, (struct esse_request){ .ask = ESSE_ASK_CONNECT }, &reply);
    ask_done(&o, conn, (struct esse_request){ .ask = ESSE_ASK_BEGIN }, &reply);
    ask_done(&o, conn, (struct esse_request){ .ask = ESSE_ASK_WRITE, .row = 1, .value = 7 },
             &reply);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){ 1, before.rlim_max };
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    const enum esse_progress progress =
        ask(&o, conn, (struct esse_request){ .ask = ESSE_ASK_COMMIT }, &reply);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQ(progress, ESSE_PROGRESS_FAILED);
    CHECK_EQ(reply.failure.fate, ESSE_FATE_UNKNOWN);
    CHECK(reply.failure.is_fatal);
    o.driver->drop(conn);
    close_file(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sqlite__a_commit_that_cannot_be_written_is_in_doubt),
        cmocka_unit_test(test_driver_sqlite__connects_while_the_file_is_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
