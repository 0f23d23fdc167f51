#include "collect/driver/wire.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- hosts ---- */

struct esse_wire_host *esse_wire_hosts(struct esse_arena *arena, const struct esse_url *url,
                                       unsigned default_port, size_t *count)
{
    static const struct esse_host local = { "localhost", 0 };
    *count = url->host_count ? url->host_count : 1;
    struct esse_wire_host *hosts = esse_arena_alloc(arena, *count, sizeof *hosts);
    for (size_t i = 0; i < *count; i++) {
        hosts[i].host = url->host_count && *url->hosts[i].name ? &url->hosts[i] : &local;
        hosts[i].port = url->host_count && url->hosts[i].port ? url->hosts[i].port : default_port;
        const char *name = hosts[i].host->name;
        hosts[i].name =
            esse_arena_format(arena, strchr(name, ':') ? "[%s]:%u" : "%s:%u", name, hosts[i].port);
    }
    return hosts;
}

bool esse_wire_seconds(const struct esse_url *url, double *seconds, struct esse_error *err)
{
    const char *text = esse_url_parameter(url, "connect_seconds");
    char *end = NULL;
    *seconds = text ? strtod(text, &end) : 10;
    if (text && (end == text || *end || !(*seconds > 0 && *seconds < 1e6)))
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: connect_seconds must be seconds, not '%.60s'", text);
    return true;
}

void esse_wire_said(const struct esse_wire_host *host, const char *text, char said[ESSE_SAID])
{
    const size_t length = strlen(host->name);
    const bool is_named = strncmp(text, host->name, length) == 0 && text[length] == ':';
    snprintf(said, ESSE_SAID, "%s", is_named ? text + length + 2 : text);
}

/* Finds an address that answers; if none does, it has the first, if there is any. */
static bool reach(struct esse_wire_host *host, unsigned number, esse_greets *greets, void *context,
                  char said[ESSE_SAID])
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    struct esse_address first = { .length = 0 };
    char port[12];
    bool ok = false;
    snprintf(port, sizeof port, "%u", host->port);
    const int code = getaddrinfo(host->host->name, port, &hints, &found);
    if (code)
        snprintf(said, ESSE_SAID, "%s", gai_strerror(code));
    for (const struct addrinfo *at = found; at && !ok; at = at->ai_next) {
        memcpy(&host->address.at, at->ai_addr, at->ai_addrlen);
        host->address.length = at->ai_addrlen;
        host->is_found = true;
        if (!first.length)
            first = host->address;
        ok = greets(context, number, said);
    }
    if (!ok && host->is_found)
        host->address = first;
    if (found)
        freeaddrinfo(found);
    return ok;
}

bool esse_wire_reach(struct esse_wire_host *hosts, size_t count, esse_greets *greets, void *context,
                     struct esse_error *err)
{
    char all[600] = "", said[ESSE_SAID] = "";
    size_t first = count;
    for (size_t i = 0; i < count; i++) {
        if (reach(&hosts[i], (unsigned)i, greets, context, said))
            first = first == count ? i : first;
        else
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s: %s", *all ? "; " : "",
                     hosts[i].name, said);
    }
    if (first == count)
        return esse_fail(err, ESSE_EUNAVAILABLE, "%s", all);
    return first + 1 == count || greets(context, (unsigned)first, said) ||
           esse_fail(err, ESSE_EUNAVAILABLE, "%s: %s", hosts[first].name, said);
}

/* ---- one connection ---- */

void esse_wire_init(struct esse_wire *wire, struct esse_arena *arena)
{
    *wire = (struct esse_wire){ .fd = -1 };
    esse_out_init_memory(&wire->out, arena);
    esse_out_init_memory(&wire->in, arena);
}

static enum esse_wire_news lost(struct esse_wire *wire, const char *why)
{
    snprintf(wire->problem, sizeof wire->problem, "%s", why);
    return ESSE_WIRE_LOST;
}

void esse_wire_open(struct esse_wire *wire, const struct esse_address *address)
{
    const int on = 1;
    wire->is_connected = false;
    wire->events = POLLOUT;
    wire->in.count = 0;
    *wire->problem = '\0';
    esse_wire_next(wire);
    wire->fd =
        socket(address->at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (wire->fd < 0) {
        lost(wire, strerror(errno));
        return;
    }
    setsockopt(wire->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(wire->fd, (const struct sockaddr *)&address->at, address->length) == 0 ||
        errno == EINPROGRESS)
        return;
    lost(wire, strerror(errno));
    esse_wire_close(wire);
}

void esse_wire_close(struct esse_wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    wire->fd = -1;
    wire->is_connected = false;
}

void esse_wire_next(struct esse_wire *wire)
{
    wire->out.count = wire->sent = 0;
}

/* Has the connection been made?  False if it is not there yet, or never will be: 'news' says. */
static bool connects(struct esse_wire *wire, enum esse_wire_news *news)
{
    struct pollfd poll_one = { wire->fd, POLLOUT, 0 };
    int error = 0;
    socklen_t size = sizeof error;
    *news = ESSE_WIRE_WAIT;
    wire->events = POLLOUT;
    if (poll(&poll_one, 1, 0) <= 0)
        return false;
    getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        *news = lost(wire, strerror(error));
    wire->is_connected = !error;
    return wire->is_connected;
}

/* False if the connection is lost. */
static bool send_out(struct esse_wire *wire)
{
    while (wire->sent < wire->out.count) {
        const ssize_t done = send(wire->fd, wire->out.buffer + wire->sent,
                                  wire->out.count - wire->sent, MSG_NOSIGNAL);
        if (done >= 0)
            wire->sent += (size_t)done;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            break;
        else if (errno != EINTR) {
            lost(wire, strerror(errno));
            return false;
        }
    }
    wire->events = wire->sent < wire->out.count ? POLLIN | POLLOUT : POLLIN;
    return true;
}

enum esse_wire_news esse_wire_step(struct esse_wire *wire)
{
    enum { AT_ONCE = 16 << 10 };
    enum esse_wire_news news;
    if (wire->fd < 0)
        return *wire->problem ? ESSE_WIRE_LOST : lost(wire, "the connection is closed");
    if (!wire->is_connected && !connects(wire, &news))
        return news;
    if (!send_out(wire))
        return ESSE_WIRE_LOST;
    ssize_t got;
    do
        got = recv(wire->fd, esse_out_room(&wire->in, AT_ONCE), AT_ONCE, 0);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        wire->in.count += (size_t)got;
        return ESSE_WIRE_CAME;
    }
    if (got == 0)
        return lost(wire, "the server closed the connection");
    return errno == EAGAIN || errno == EWOULDBLOCK ? ESSE_WIRE_WAIT : lost(wire, strerror(errno));
}

int64_t esse_wire_deadline(double seconds)
{
    return esse_clock_ns() + (int64_t)(seconds * 1e9);
}

bool esse_wire_wait(const struct esse_wire *wire, int64_t deadline)
{
    const int64_t left = deadline - esse_clock_ns();
    if (left <= 0)
        return false;
    struct pollfd poll_one = { wire->fd, wire->events, 0 };
    poll(&poll_one, 1, (int)(left / 1000000) + 1);
    return true;
}
