#include "collect/driver/draft.h"
#include "collect/driver/etcd/etcd_answer.h"
#include "collect/driver/http.h"
#include "collect/driver/redis/redis.h"

#include "test.h"

/* The parts of the drivers of etcd and Redis that need no server. */

/* ---- HTTP ---- */

struct http_case {
    const char *text;
    enum esse_http_state state; /* after all of it and the end of the connection */
    int status;
    const char *body;
    bool closes;
};

#define OK_LINE "HTTP/1.1 200 OK\r\n"

static const struct http_case http_cases[] = {
    { OK_LINE "Content-Length: 5\r\n\r\nhello", ESSE_HTTP_WHOLE, 200, "hello", false },
    { OK_LINE "content-length:5\nX: y\n\nhello", ESSE_HTTP_WHOLE, 200, "hello", false },
    { OK_LINE "Content-Length: 0\r\n\r\n", ESSE_HTTP_WHOLE, 200, "", false },
    { OK_LINE "Connection: close\r\nContent-Length: 1\r\n\r\nx", ESSE_HTTP_WHOLE, 200, "x", true },
    { "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", ESSE_HTTP_WHOLE, 200, "x", true },
    { OK_LINE "\r\nto the end", ESSE_HTTP_WHOLE, 200, "to the end", true },
    { "HTTP/1.1 204 No Content\r\n\r\n", ESSE_HTTP_WHOLE, 204, "", false },
    { "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\nok",
      ESSE_HTTP_WHOLE, 201, "ok", false },
    { OK_LINE "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n, 89 world\r\n0\r\n\r\n",
      ESSE_HTTP_WHOLE, 200, "hello, 89 world", false },
    { "HTTP/1.1 400 Bad Request\r\nTrailer: T\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "2\r\n{}\r\n0\r\nT: application/grpc\r\n\r\n",
      ESSE_HTTP_WHOLE, 400, "{}", false },
    { "", ESSE_HTTP_BROKEN, 0, "", false },
    { "nonsense\r\n\r\n", ESSE_HTTP_BROKEN, 0, "", false },
    { "HTTP/2 200\r\n\r\n", ESSE_HTTP_BROKEN, 0, "", false },
    { "HTTP/1.1 2\r\n\r\n", ESSE_HTTP_BROKEN, 0, "", false },
    { OK_LINE "no colon\r\n\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Content-Length: x\r\n\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Content-Length: -1\r\n\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Content-Length: 99999999999999999999\r\n\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Content-Length: 5\r\n\r\nhell", ESSE_HTTP_BROKEN, 200, "hell", false },
    { OK_LINE "Transfer-Encoding: gzip\r\n\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Transfer-Encoding: chunked\r\n\r\nz\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Transfer-Encoding: chunked\r\n\r\n\r\n", ESSE_HTTP_BROKEN, 200, "", false },
    { OK_LINE "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", ESSE_HTTP_BROKEN, 200, "ab",
      false },
    { OK_LINE "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", ESSE_HTTP_BROKEN, 200, "ab", false },
    { OK_LINE "Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n", ESSE_HTTP_BROKEN, 200, "", false },
};

static void feed_in_pieces(struct esse_http_answer *answer, const struct http_case *c,
                           struct esse_rng *rng, uint32_t most)
{
    const size_t length = strlen(c->text);
    esse_http_answer_begin(answer);
    for (size_t at = 0; at < length && answer->state < ESSE_HTTP_WHOLE;) {
        size_t piece = 1 + (size_t)esse_rng_below(rng, most);
        piece = piece > length - at ? length - at : piece;
        char *copy = malloc(piece); /* so that a byte too many is noticed */
        memcpy(copy, c->text + at, piece);
        at += esse_http_answer_take(answer, copy, piece);
        free(copy);
    }
    esse_http_answer_end(answer);
}

TEST(test_http__an_answer_is_the_same_however_it_is_cut)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 1 };
    struct esse_http_answer answer;
    esse_http_answer_init(&answer, arena);
    for (unsigned round = 0; round < test_rounds(200); round++)
        for (size_t i = 0; i < sizeof http_cases / sizeof *http_cases; i++) {
            const struct http_case *c = &http_cases[i];
            feed_in_pieces(&answer, c, &rng, round ? 1 + round % 40 : 1000);
            CHECK_EQ(answer.state, c->state);
            if (c->status)
                CHECK_EQ(answer.status, c->status);
            CHECK_TEXT(esse_out_memory(&answer.body), c->body);
            if (c->state == ESSE_HTTP_WHOLE)
                CHECK_EQ(answer.closes, c->closes);
            else
                CHECK(answer.problem != NULL);
        }
    esse_arena_free(arena);
}

TEST(test_http__what_follows_an_answer_is_left)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_http_answer answer;
    const char text[] = OK_LINE "Content-Length: 2\r\n\r\nokHTTP";
    esse_http_answer_init(&answer, arena);
    esse_http_answer_begin(&answer);
    CHECK_EQ(esse_http_answer_take(&answer, text, strlen(text)), strlen(text) - 4);
    CHECK_EQ(answer.state, ESSE_HTTP_WHOLE);
    esse_arena_free(arena);
}

/* ---- etcd ---- */

static bool read_answer(struct esse_etcd_answer *answer, const char *text)
{
    struct esse_error err = { 0 };
    return esse_etcd_answer_read(answer, text, strlen(text), &err);
}

TEST(test_etcd__answers_are_read)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_etcd_answer answer;
    esse_etcd_answer_init(&answer, arena);
    CHECK(read_answer(&answer, "{\"header\":{\"cluster_id\":\"15118495548433857066\",\"revision\":"
                               "\"7\"},\"kvs\":[{\"key\":\"YQ==\",\"create_revision\":\"2\","
                               "\"mod_revision\":\"5\",\"value\":\"MTIsMTM=\"}],\"count\":\"1\"}"));
    CHECK(answer.is_there && !answer.is_error);
    CHECK_EQ(answer.revision, 7);
    CHECK_EQ(answer.mod_revision, 5);
    CHECK_TEXT(esse_out_memory(&answer.value), "12,13");
    CHECK(read_answer(&answer, "{\"header\":{\"revision\":\"8\"}}"));
    CHECK(!answer.is_there && !answer.succeeded);
    CHECK_EQ(answer.value.count, 0);
    CHECK(read_answer(&answer, "{\"header\":{\"revision\":\"9\"},\"succeeded\":true,\"responses\":"
                               "[{\"response_put\":{\"header\":{\"revision\":\"9\"}}}]}"));
    CHECK(answer.succeeded && answer.has_written);
    CHECK(read_answer(&answer, "{\"succeeded\":true,\"responses\":[{\"response_delete_range\":"
                               "{\"header\":{\"revision\":\"9\"}}}]}"));
    CHECK(answer.succeeded && !answer.has_written); /* it deleted nothing */
    CHECK(read_answer(&answer, "{\"succeeded\":true,\"responses\":[{\"response_delete_range\":"
                               "{\"deleted\":\"1\"}}]}"));
    CHECK(answer.has_written);
    CHECK(read_answer(&answer, "{\"error\":\"etcdserver: x\",\"message\":\"y\",\"code\":14}"));
    CHECK(answer.is_error);
    CHECK_EQ(answer.code, 14);
    CHECK_TEXT(answer.text, "etcdserver: x");
    CHECK(read_answer(&answer, "{\"token\":\"abc.5\",\"version\":\"3.4.23\"}"));
    CHECK_TEXT(esse_out_memory(&answer.token), "abc.5");
    CHECK_TEXT(answer.version, "3.4.23");
    esse_arena_free(arena);
}

TEST(test_etcd__what_is_no_answer_is_refused)
{
    static const char *const texts[] = {
        "",
        "Not Found\n",
        "[]",
        "{\"header\":5}",
        "{\"header\":{\"revision\":\"x\"}}",
        "{\"header\":{\"revision\":\"123456789012345678901\"}}",
        "{\"kvs\":[{\"value\":\"***\"}]}",
        "{\"kvs\":[{\"value\":5}]}",
        "{\"kvs\":{}}",
        "{} {}",
        "{\"error\":5}",
    };
    struct esse_arena *arena = esse_arena_new();
    struct esse_etcd_answer answer;
    struct esse_error err;
    const char whole[] = "{\"header\":{\"revision\":\"7\"},\"kvs\":[{\"mod_revision\":\"5\","
                         "\"value\":\"MTI=\"}],\"succeeded\":true,\"responses\":[{\"response_put\":"
                         "{}}],\"code\":3}";
    esse_etcd_answer_init(&answer, arena);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(!esse_etcd_answer_read(&answer, texts[i], strlen(texts[i]), &err));
    CHECK(esse_etcd_answer_read(&answer, whole, strlen(whole), &err));
    for (size_t length = 0; length < strlen(whole); length++)
        CHECK(!esse_etcd_answer_read(&answer, whole, length, &err));
    esse_arena_free(arena);
}

TEST(test_etcd__an_outcome_is_known_only_if_etcd_says_so)
{
    struct esse_arena *arena = esse_arena_new();
    for (int code = 0; code <= 20; code++) {
        static const int definite[] = { 3, 5, 7, 9, 11, 12, 16 };
        struct esse_etcd_answer answer;
        struct esse_failure failure;
        bool is_definite = false;
        for (size_t i = 0; i < sizeof definite / sizeof *definite; i++)
            is_definite |= definite[i] == code;
        esse_etcd_answer_init(&answer, arena);
        answer.code = code;
        esse_etcd_classify(&answer, true, &failure);
        CHECK_EQ(failure.fate, is_definite ? ESSE_FATE_ABORTED : ESSE_FATE_UNKNOWN);
        CHECK(is_definite || (failure.is_lost && !failure.is_fatal));
        esse_etcd_classify(&answer, false, &failure);
        CHECK_EQ(failure.fate, ESSE_FATE_ABORTED);
        CHECK_EQ(failure.is_fatal, code == 3 || code == 5 || code == 7 || code == 9 || code == 12);
        snprintf(answer.text, sizeof answer.text, "etcdserver: revision of auth store is old");
        esse_etcd_classify(&answer, true, &failure);
        CHECK(!failure.is_fatal && failure.is_lost);
    }
    esse_arena_free(arena);
}

/* ---- Redis ---- */

TEST(test_redis__errors_are_told_apart)
{
    static const struct {
        const char *error, *code;
        bool is_fatal, is_lost;
    } cases[] = {
        { "NOAUTH Authentication required.", "NOAUTH", true, false },
        { "ERR unknown command", "ERR", true, false },
        { "LOADING Redis is loading the dataset in memory", "LOADING", false, true },
        { "EXECABORT Transaction discarded", "EXECABORT", false, false },
        { "OOM command not allowed", "OOM", false, false },
        { "AVERYLONGFIRSTWORDINDEED x", "AVERYLONGFIRSTW", false, false },
        { "", "", false, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_failure failure;
        esse_redis_classify(cases[i].error, &failure);
        CHECK_TEXT(failure.code, cases[i].code);
        CHECK_TEXT(failure.text, cases[i].error);
        CHECK_EQ(failure.fate, ESSE_FATE_ABORTED);
        CHECK_EQ(failure.is_fatal, cases[i].is_fatal);
        CHECK_EQ(failure.is_lost, cases[i].is_lost);
    }
}

/* ---- drafts ---- */

/* Against a row that is kept plainly. */
TEST(test_draft__shows_what_the_transaction_did)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 7 };
    struct esse_draft draft;
    esse_draft_init(&draft, arena);
    for (unsigned round = 0; round < test_rounds(500); round++) {
        enum { ROWS = 5 };
        int64_t values[ROWS];
        esse_draft_begin(&draft);
        for (int64_t r = 0; r < ROWS; r++) { /* what the server has */
            struct esse_draft_row *row = esse_draft_row(&draft, 0, r);
            CHECK(!esse_draft_sees(row));
            row->is_known = row->is_held = true;
            row->is_there = esse_rng_below(&rng, 2);
            values[r] = row->value = row->is_there ? r : ESSE_ABSENT;
        }
        for (int64_t step = 0; step < 10; step++) {
            const int64_t at = (int64_t)esse_rng_below(&rng, ROWS);
            const bool is_delete = esse_rng_below(&rng, 3) == 0;
            const struct esse_request request = {
                .ask = is_delete ? ESSE_ASK_DELETE : ESSE_ASK_WRITE,
                .row = at,
                .value = 100 + step,
            };
            esse_draft_change(&draft, esse_draft_row(&draft, 0, at), &request);
            values[at] = is_delete ? ESSE_ABSENT : 100 + step;
        }
        for (int64_t r = 0; r < ROWS; r++) {
            struct esse_reply reply;
            esse_reply_clear(&reply);
            esse_draft_show(&draft, esse_draft_row(&draft, 0, r), false, &reply);
            CHECK(reply.value == values[r]);
            CHECK_EQ(esse_draft_has(esse_draft_row(&draft, 0, r)), values[r] != ESSE_ABSENT);
        }
        CHECK_EQ(draft.count, ROWS);
        CHECK(esse_draft_writes(&draft));
    }
    esse_arena_free(arena);
}

TEST(test_draft__appends_come_after_what_the_server_has)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_draft draft;
    struct esse_request request = { .ask = ESSE_ASK_APPEND, .value = 9 };
    struct esse_reply reply;
    esse_draft_init(&draft, arena);
    esse_draft_begin(&draft);
    struct esse_draft_row *row = esse_draft_row(&draft, 1, -3);
    CHECK(!esse_draft_is_changed(row) && !esse_draft_writes(&draft));
    esse_draft_change(&draft, row, &request);
    CHECK(!esse_draft_sees(row)); /* only its own part */
    esse_live_items_push(&row->items, arena, 4);
    row->is_known = row->is_held = true;
    CHECK(esse_draft_sees(row));
    esse_draft_show(&draft, row, true, &reply);
    CHECK_EQ(reply.item_count, 2);
    CHECK(reply.items[0] == 4 && reply.items[1] == 9);
    request.ask = ESSE_ASK_DELETE;
    esse_draft_change(&draft, row, &request);
    CHECK(!esse_draft_has(row));
    request.ask = ESSE_ASK_APPEND;
    esse_draft_change(&draft, row, &request);
    esse_draft_show(&draft, row, true, &reply);
    CHECK_EQ(reply.item_count, 1);
    CHECK(reply.items[0] == 9);
    esse_draft_begin(&draft);
    CHECK(!esse_draft_is_changed(esse_draft_row(&draft, 1, -3)));
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_http__an_answer_is_the_same_however_it_is_cut),
        cmocka_unit_test(test_http__what_follows_an_answer_is_left),
        cmocka_unit_test(test_etcd__answers_are_read),
        cmocka_unit_test(test_etcd__what_is_no_answer_is_refused),
        cmocka_unit_test(test_etcd__an_outcome_is_known_only_if_etcd_says_so),
        cmocka_unit_test(test_redis__errors_are_told_apart),
        cmocka_unit_test(test_draft__shows_what_the_transaction_did),
        cmocka_unit_test(test_draft__appends_come_after_what_the_server_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
