#include "collect/live.h"
#include "collect/recover/learnt.h"
#include "workload/workload.h"

#include "test.h"

#include <unistd.h>

/* What a whole run owes to the server: whatever begin() of a certificate has made there is removed,
 * once, wherever the run ends. */

static struct {
    bool begins, polls, finishes;
    unsigned begun, ended;
} script;

static bool begin(struct esse_target *target, struct esse_error *err)
{
    (void)target;
    script.begun += script.begins;
    return script.begins || esse_fail(err, ESSE_EUNAVAILABLE, "no begin");
}

static bool poll_log(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err)
{
    (void)target, (void)learnt;
    return script.polls || esse_fail(err, ESSE_EUNAVAILABLE, "no poll");
}

static bool finish(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err)
{
    (void)target;
    esse_learnt_version(learnt, 0, 1, 2, 3);
    return script.finishes || esse_fail(err, ESSE_EUNAVAILABLE, "no finish");
}

static void end(struct esse_target *target)
{
    (void)target;
    script.ended++;
}

static const struct esse_certifying certifying = {
    .source = "the script", .begin = begin, .poll = poll_log, .finish = finish, .end = end
};

/* Runs some transactions; NULL, or why there is no certificate. */
static const char *run(struct esse_arena *arena, int history, const char *path, bool *ok)
{
    struct esse_driver driver = *esse_driver_find("memory");
    struct esse_url url;
    struct esse_error err = { 0 };
    struct esse_live live;
    struct esse_live_summary *summary = esse_arena_alloc(arena, 1, sizeof *summary);
    CHECK(esse_url_parse(arena, "memory:", &url, &err));
    driver.certificate = &certifying;
    struct esse_live_options options = { .driver = &driver,
                                         .url = &url,
                                         .isolation = driver.claims,
                                         .workload = esse_workload_find("rw-register"),
                                         .txns = script.polls ? 200 : 0,
                                         .seconds = script.polls ? 0 : 0.1, /* to be polled */
                                         .timeout = 5,
                                         .patience = 1,
                                         .threads = 1 };
    options.work = options.workload->defaults;
    options.work.sessions = 2;
    CHECK(esse_live_open(arena, &options, &live, &err));
    *ok = esse_live_collect(&live, history, -1, path, summary, &err);
    esse_live_close(&live);
    return summary->no_certificate;
}

TEST(test_live__what_a_certificate_began_is_ended_once)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        struct esse_arena *arena = esse_arena_new();
        char directory[] = "/tmp/esse-test-live-XXXXXX";
        CHECK(mkdtemp(directory) != NULL);
        const bool is_writable = bits & 8;
        const char *path =
            esse_arena_format(arena, is_writable ? "%s/file" : "%s/away/file", directory);
        FILE *history = tmpfile();
        bool ok;
        memset(&script, 0, sizeof script);
        script.begins = bits & 1;
        script.polls = bits & 2;
        script.finishes = bits & 4;
        const char *why = run(arena, fileno(history), path, &ok);
        const bool has_all = script.begins && script.polls && script.finishes;
        CHECK_EQ(script.ended, script.begun);
        CHECK_EQ(why == NULL, has_all);
        CHECK_EQ(ok, is_writable || !has_all);
        CHECK_EQ(access(path, F_OK) == 0, has_all && is_writable);
        unlink(path);
        CHECK_EQ(rmdir(directory), 0);
        fclose(history);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live__what_a_certificate_began_is_ended_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
