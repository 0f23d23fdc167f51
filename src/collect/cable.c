#include "collect/cable.h"

#include "base/threads.h"
#include "base/vec.h"
#include "collect/cable_caller.h"
#include "collect/spawn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 65536, NAP_MS = 20, NOBODY = ESSE_MOST_NODES };

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
    int fds[2];            /* who called, and whom */
    unsigned caller, node; /* NOBODY: a client */
    struct way *ways[2];   /* from the one to the other */
};

ESSE_VEC(door_vec, struct door)
ESSE_VEC(link_vec, struct link)
ESSE_VEC(poll_vec, struct pollfd)

struct esse_cable {
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

struct esse_cable *esse_cable_new(struct esse_arena *arena)
{
    struct esse_cable *cable = esse_arena_alloc(arena, 1, sizeof *cable);
    cable->arena = arena;
    return cable;
}

static struct sockaddr_in loopback(unsigned port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

unsigned esse_cable_add(struct esse_cable *cable, unsigned node, unsigned port)
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
    door_vec_push(&cable->doors, cable->arena, (struct door){ fd, ntohs(at.sin_port), node, port });
    return ntohs(at.sin_port);
}

/* ---- connections ---- */

static void close_link(struct esse_cable *cable, size_t index)
{
    struct link *link = &cable->links.at[index];
    for (unsigned i = 0; i < 2; i++) {
        close(link->fds[i]);
        free(link->ways[i]);
    }
    *link = cable->links.at[--cable->links.count];
}

static unsigned caller_of(struct esse_cable *cable, unsigned port, const struct door *door)
{
    const unsigned long number = esse_cable_socket(port, door->own);
    for (unsigned i = 0; number && i < ESSE_MOST_NODES; i++) {
        const int pid = atomic_load(&cable->pids[i]);
        if (pid > 0 && esse_cable_holds(pid, number))
            return i;
    }
    return NOBODY;
}

/* The server may be away: whoever called then hears that the connection is closed. */
static void take_call(struct esse_cable *cable, const struct door *door)
{
    struct sockaddr_in who, to = loopback(door->port);
    socklen_t length = sizeof who;
    struct link link = { .node = door->node };
    link.fds[0] = accept4(door->fd, (struct sockaddr *)&who, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (link.fds[0] < 0)
        return;
    link.fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    link.ways[0] = calloc(1, sizeof *link.ways[0]);
    link.ways[1] = calloc(1, sizeof *link.ways[1]);
    link.caller = caller_of(cable, ntohs(who.sin_port), door);
    link_vec_push(&cable->links, cable->own, link);
    /* On loopback it is done or refused at once. */
    if (link.fds[1] < 0 || !link.ways[0] || !link.ways[1] ||
        connect(link.fds[1], (struct sockaddr *)&to, sizeof to) != 0)
        close_link(cable, cable->links.count - 1);
    else
        fcntl(link.fds[1], F_SETFL, O_NONBLOCK);
}

static bool is_cut(struct esse_cable *cable, const struct link *link)
{
    return atomic_load(&cable->cut[link->node]) ||
           (link->caller != NOBODY && atomic_load(&cable->cut[link->caller]));
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

static void wait_for_news(struct esse_cable *cable)
{
    cable->polls.count = 0;
    for (size_t i = 0; i < cable->doors.count; i++)
        poll_vec_push(&cable->polls, cable->own,
                      (struct pollfd){ cable->doors.at[i].fd, POLLIN, 0 });
    for (size_t i = 0; i < cable->links.count; i++) {
        const struct link *link = &cable->links.at[i];
        for (unsigned side = 0; side < 2 && !is_cut(cable, link); side++)
            if (wanted(link, side))
                poll_vec_push(&cable->polls, cable->own,
                              (struct pollfd){ link->fds[side], wanted(link, side), 0 });
    }
    poll(cable->polls.at, cable->polls.count, NAP_MS);
}

static void *work(void *context)
{
    struct esse_cable *cable = context;
    while (!atomic_load(&cable->stop)) {
        wait_for_news(cable);
        for (size_t i = 0; i < cable->doors.count; i++)
            take_call(cable, &cable->doors.at[i]);
        for (size_t i = cable->links.count; i > 0; i--)
            if (!is_cut(cable, &cable->links.at[i - 1]) && !serve(&cable->links.at[i - 1]))
                close_link(cable, i - 1);
    }
    return NULL;
}

bool esse_cable_run(struct esse_cable *cable, struct esse_error *err)
{
    cable->own = esse_arena_new();
    cable->is_running = esse_thread_start(&cable->thread, work, cable);
    return cable->is_running || esse_fail(err, ESSE_EIO, "cannot start a thread");
}

void esse_cable_who(struct esse_cable *cable, unsigned node, pid_t pid)
{
    atomic_store(&cable->pids[node], (int)pid);
}

void esse_cable_cut(struct esse_cable *cable, unsigned node, bool is_on)
{
    atomic_store(&cable->cut[node], is_on);
}

void esse_cable_stop(struct esse_cable *cable)
{
    atomic_store(&cable->stop, true);
    if (cable->is_running)
        pthread_join(cable->thread, NULL);
    while (cable->links.count)
        close_link(cable, cable->links.count - 1);
    for (size_t i = 0; i < cable->doors.count; i++)
        close(cable->doors.at[i].fd);
    if (cable->own)
        esse_arena_free(cable->own);
}
