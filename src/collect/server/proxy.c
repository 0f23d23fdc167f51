#include "collect/server/proxy.h"

#include "base/threads.h"
#include "base/vec.h"
#include "collect/server/spawn.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 65536, NAP_MS = 20, NO_NODE = ESSE_MOST_NODES };

/* A port of ours, and where it leads. */
struct door {
    int fd;
    unsigned own, node, port;
};

/* One way of a connection: what was read from 'from' and not yet written to 'to'. */
struct way {
    size_t begin, end;
    bool is_over; /* nothing more will come */
    char bytes[PIECE];
};

struct link {
    int fds[2];            /* of the caller, and of the called node */
    unsigned caller, node; /* NO_NODE: a client */
    struct way *ways[2];   /* from the one to the other */
};

ESSE_VEC(door_vec, struct door)
ESSE_VEC(link_vec, struct link)
ESSE_VEC(poll_vec, struct pollfd)

struct esse_proxy {
    struct esse_arena *arena; /* until run(), then the thread's own is used */
    struct door_vec doors;
    struct link_vec links;
    struct poll_vec polls;
    struct esse_arena *own;
    pthread_t thread;
    bool is_running;
    _Atomic bool stop;
    _Atomic bool cut[ESSE_MOST_NODES];
    _Atomic int pids[ESSE_MOST_NODES];
};

struct esse_proxy *esse_proxy_new(struct esse_arena *arena)
{
    struct esse_proxy *proxy = esse_arena_alloc(arena, 1, sizeof *proxy);
    proxy->arena = arena;
    return proxy;
}

static struct sockaddr_in loopback(unsigned port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

unsigned esse_proxy_add(struct esse_proxy *proxy, unsigned node, unsigned port)
{
    struct sockaddr_in at = loopback(0);
    socklen_t length = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, length) != 0 || listen(fd, 1000) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &length) != 0) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    door_vec_push(&proxy->doors, proxy->arena, (struct door){ fd, ntohs(at.sin_port), node, port });
    return ntohs(at.sin_port);
}

/* ---- the process at the other end, as Linux shows it in /proc ---- */

/* The number of the socket that has the one port as its own and is connected to the other; 0 if
 * there is none: "0: 0100007F:1F90 0100007F:C350 01 queue timer retransmit uid timeout inode ..."
 */
static unsigned long socket_of(unsigned own, unsigned other)
{
    char line[300];
    unsigned long found = 0;
    FILE *file = fopen("/proc/net/tcp", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        unsigned from, to;
        unsigned long inode;
        if (sscanf(line, "%*d: %*x:%x %*x:%x %*x %*x:%*x %*x:%*x %*x %*u %*d %lu", &from, &to,
                   &inode) == 3 &&
            from == own && to == other)
            found = inode;
    }
    if (file)
        fclose(file);
    return found;
}

/* Whether a process has it open. */
static bool holds(pid_t pid, unsigned long socket_number)
{
    char folder[40], wanted[40], path[320], is[40];
    bool found = false;
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
    snprintf(wanted, sizeof wanted, "socket:[%lu]", socket_number);
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && !found && (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const ssize_t length = readlink(path, is, sizeof is - 1);
        is[length > 0 ? length : 0] = '\0';
        found = strcmp(is, wanted) == 0;
    }
    if (directory)
        closedir(directory);
    return found;
}

/* ---- connections ---- */

static void close_link(struct esse_proxy *proxy, size_t index)
{
    struct link *link = &proxy->links.at[index];
    for (unsigned i = 0; i < 2; i++) {
        close(link->fds[i]);
        free(link->ways[i]);
    }
    *link = proxy->links.at[--proxy->links.count];
}

static unsigned caller_of(struct esse_proxy *proxy, unsigned port, const struct door *door)
{
    const unsigned long number = socket_of(port, door->own);
    for (unsigned i = 0; number && i < ESSE_MOST_NODES; i++) {
        const int pid = atomic_load(&proxy->pids[i]);
        if (pid > 0 && holds(pid, number))
            return i;
    }
    return NO_NODE;
}

/* The server may be away: the caller then finds the connection closed. */
static void take_call(struct esse_proxy *proxy, const struct door *door)
{
    struct sockaddr_in from, to = loopback(door->port);
    socklen_t length = sizeof from;
    struct link link = { .node = door->node };
    link.fds[0] =
        accept4(door->fd, (struct sockaddr *)&from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (link.fds[0] < 0)
        return;
    link.fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    link.ways[0] = calloc(1, sizeof *link.ways[0]);
    link.ways[1] = calloc(1, sizeof *link.ways[1]);
    link.caller = caller_of(proxy, ntohs(from.sin_port), door);
    link_vec_push(&proxy->links, proxy->own, link);
    /* On loopback it is done or refused at once. */
    if (link.fds[1] < 0 || !link.ways[0] || !link.ways[1] ||
        connect(link.fds[1], (struct sockaddr *)&to, sizeof to) != 0)
        close_link(proxy, proxy->links.count - 1);
    else
        fcntl(link.fds[1], F_SETFL, O_NONBLOCK);
}

static bool is_cut(struct esse_proxy *proxy, const struct link *link)
{
    return atomic_load(&proxy->cut[link->node]) ||
           (link->caller != NO_NODE && atomic_load(&proxy->cut[link->caller]));
}

/* Reads what there is room for and writes what there is; false if the connection is broken. */
static bool move(struct way *way, int from, int to)
{
    if (!way->is_over && way->begin == way->end) {
        const ssize_t count = read(from, way->bytes, PIECE);
        way->begin = 0;
        way->end = count > 0 ? (size_t)count : 0;
        way->is_over = count == 0;
        if (count == 0)
            shutdown(to, SHUT_WR);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return false;
    }
    if (way->begin == way->end)
        return true;
    const ssize_t count = send(to, way->bytes + way->begin, way->end - way->begin, MSG_NOSIGNAL);
    way->begin += count > 0 ? (size_t)count : 0;
    return count >= 0 || errno == EAGAIN || errno == EINTR;
}

static bool serve(struct link *link)
{
    return move(link->ways[0], link->fds[0], link->fds[1]) &&
           move(link->ways[1], link->fds[1], link->fds[0]) &&
           !(link->ways[0]->is_over && link->ways[1]->is_over);
}

/* ---- rounds ---- */

static short wanted(const struct link *link, unsigned side)
{
    const struct way *out = link->ways[!side], *in = link->ways[side];
    return (short)((out->begin < out->end ? POLLOUT : 0) |
                   (in->begin == in->end && !in->is_over ? POLLIN : 0));
}

static void wait_for_news(struct esse_proxy *proxy)
{
    proxy->polls.count = 0;
    for (size_t i = 0; i < proxy->doors.count; i++)
        poll_vec_push(&proxy->polls, proxy->own,
                      (struct pollfd){ proxy->doors.at[i].fd, POLLIN, 0 });
    for (size_t i = 0; i < proxy->links.count; i++) {
        const struct link *link = &proxy->links.at[i];
        for (unsigned side = 0; side < 2 && !is_cut(proxy, link); side++)
            if (wanted(link, side))
                poll_vec_push(&proxy->polls, proxy->own,
                              (struct pollfd){ link->fds[side], wanted(link, side), 0 });
    }
    poll(proxy->polls.at, proxy->polls.count, NAP_MS);
}

static void *work(void *context)
{
    struct esse_proxy *proxy = context;
    while (!atomic_load(&proxy->stop)) {
        wait_for_news(proxy);
        for (size_t i = 0; i < proxy->doors.count; i++)
            take_call(proxy, &proxy->doors.at[i]);
        for (size_t i = proxy->links.count; i > 0; i--)
            if (!is_cut(proxy, &proxy->links.at[i - 1]) && !serve(&proxy->links.at[i - 1]))
                close_link(proxy, i - 1);
    }
    return NULL;
}

bool esse_proxy_run(struct esse_proxy *proxy, struct esse_error *err)
{
    proxy->own = esse_arena_new();
    proxy->is_running = esse_thread_start(&proxy->thread, work, proxy);
    return proxy->is_running || esse_fail(err, ESSE_EIO, "cannot start a thread");
}

void esse_proxy_who(struct esse_proxy *proxy, unsigned node, pid_t pid)
{
    atomic_store(&proxy->pids[node], (int)pid);
}

void esse_proxy_cut(struct esse_proxy *proxy, unsigned node, bool is_on)
{
    atomic_store(&proxy->cut[node], is_on);
}

void esse_proxy_stop(struct esse_proxy *proxy)
{
    atomic_store(&proxy->stop, true);
    if (proxy->is_running)
        pthread_join(proxy->thread, NULL);
    while (proxy->links.count)
        close_link(proxy, proxy->links.count - 1);
    for (size_t i = 0; i < proxy->doors.count; i++)
        close(proxy->doors.at[i].fd);
    if (proxy->own)
        esse_arena_free(proxy->own);
}
