#include "collect/server/proxy.h"

#include "base/arena.h"
#include "test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

/* A server that says what it hears, one client at a time after the other; 'X' ends it. */
struct echo {
    pthread_t thread;
    int fd;
    unsigned port;
};

static struct sockaddr_in loopback(unsigned port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void *serve(void *context)
{
    struct echo *echo = context;
    for (char byte = 0; byte != 'X';) {
        const int fd = accept(echo->fd, NULL, NULL);
        while (read(fd, &byte, 1) == 1 && write(fd, &byte, 1) == 1 && byte != 'X')
            ;
        close(fd);
    }
    return NULL;
}

static void echo_start(struct echo *echo)
{
    struct sockaddr_in at = loopback(0);
    socklen_t length = sizeof at;
    echo->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(echo->fd, (struct sockaddr *)&at, length), 0);
    assert_int_equal(listen(echo->fd, 10), 0);
    getsockname(echo->fd, (struct sockaddr *)&at, &length);
    echo->port = ntohs(at.sin_port);
    pthread_create(&echo->thread, NULL, serve, echo);
}

static int call(unsigned port)
{
    const struct sockaddr_in at = loopback(port);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void say(int fd, char byte)
{
    assert_int_equal(write(fd, &byte, 1), 1);
}

static void hears(int fd, char expected)
{
    char byte = 0;
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, expected);
}

static bool is_silent(int fd)
{
    struct pollfd news = { fd, POLLIN, 0 };
    return poll(&news, 1, 150) == 0;
}

/* Node 0 is the server; this process, which calls, is node 1 if 'is_node'. */
static void cut_and_mend(bool is_node)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_proxy *proxy = esse_proxy_new(arena);
    struct esse_error err = { 0 };
    struct echo echo;
    echo_start(&echo);
    const unsigned port = esse_proxy_add(proxy, 0, echo.port);
    assert_true(port);
    esse_proxy_who(proxy, 1, is_node ? getpid() : 0);
    assert_true(esse_proxy_run(proxy, &err));
    const int fd = call(port);
    say(fd, 'a');
    hears(fd, 'a');
    esse_proxy_cut(proxy, 0, true); /* the node that is called */
    say(fd, 'b');
    assert_true(is_silent(fd));
    esse_proxy_cut(proxy, 0, false);
    hears(fd, 'b');
    esse_proxy_cut(proxy, 1, true); /* ourselves, if we are a node */
    say(fd, 'c');
    assert_int_equal(is_silent(fd), is_node);
    esse_proxy_cut(proxy, 1, false);
    hears(fd, 'c');
    say(fd, 'X');
    hears(fd, 'X');
    char byte;
    assert_int_equal(read(fd, &byte, 1), 0); /* the server has hung up, and we hear it */
    pthread_join(echo.thread, NULL);
    close(fd);
    close(echo.fd);
    esse_proxy_stop(proxy);
    esse_arena_free(arena);
}

static void test_proxy__what_is_cut_waits_and_is_not_lost(void **state)
{
    (void)state;
    cut_and_mend(false);
}

static void test_proxy__a_node_that_calls_is_known_by_its_process(void **state)
{
    (void)state;
    cut_and_mend(true);
}

static void test_proxy__much_goes_through(void **state)
{
    enum { BYTES = 300000 };
    (void)state;
    struct esse_arena *arena = esse_arena_new();
    struct esse_proxy *proxy = esse_proxy_new(arena);
    struct esse_error err = { 0 };
    struct sockaddr_in at = loopback(0);
    socklen_t length = sizeof at;
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&at, length), 0);
    assert_int_equal(listen(server, 1), 0);
    getsockname(server, (struct sockaddr *)&at, &length);
    const unsigned port = esse_proxy_add(proxy, 0, ntohs(at.sin_port));
    assert_true(esse_proxy_run(proxy, &err));
    const int from = call(port), to = accept(server, NULL, NULL);
    size_t sent = 0, came = 0;
    while (came < BYTES) {
        unsigned char piece[1000];
        for (size_t i = 0; i < sizeof piece; i++)
            piece[i] = (unsigned char)((sent + i) % 251);
        if (sent < BYTES)
            sent += (size_t)write(from, piece, sizeof piece);
        const ssize_t count = read(to, piece, sizeof piece);
        assert_true(count > 0);
        for (ssize_t i = 0; i < count; i++)
            assert_int_equal(piece[i], (came + (size_t)i) % 251);
        came += (size_t)count;
    }
    close(from);
    char byte;
    assert_int_equal(read(to, &byte, 1), 0);
    close(to);
    close(server);
    esse_proxy_stop(proxy);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proxy__what_is_cut_waits_and_is_not_lost),
        cmocka_unit_test(test_proxy__a_node_that_calls_is_known_by_its_process),
        cmocka_unit_test(test_proxy__much_goes_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
