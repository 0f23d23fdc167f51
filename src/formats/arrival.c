#include "formats/arrival.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 20, WAIT_MS = 100 };

static bool may_wait(const struct esse_arrival *arrival, struct esse_error *err)
{
    return !arrival->budget || !arrival->budget->cancel ||
           esse_fail(err, ESSE_ESTOPPED, "stopped while reading (interrupted)");
}

static void say_idle(const struct esse_arrival *arrival)
{
    if (arrival->idle)
        arrival->idle(arrival->context);
}

bool esse_arrival_wait(const struct esse_arrival *arrival, int fd, struct esse_error *err)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };
    int ready = poll(&one, 1, 0);
    while (ready == 0 || (ready < 0 && errno == EINTR)) {
        say_idle(arrival);
        if (!may_wait(arrival, err))
            return false;
        ready = poll(&one, 1, WAIT_MS);
    }
    return ready > 0 || esse_fail(err, ESSE_EIO, "cannot wait: %s", strerror(errno));
}

/* What there is to read of the file: 0 at its end. */
static bool read_some(int fd, char *to, size_t room, size_t *got, struct esse_error *err)
{
    for (;;) {
        const ssize_t count = read(fd, to, room);
        if (count >= 0) {
            *got = (size_t)count;
            return true;
        }
        if (errno != EINTR)
            return esse_fail(err, ESSE_EIO, "cannot read: %s", strerror(errno));
    }
}

enum change { SAME, CUT, REPLACED };

static enum change changed(const char *path, int fd)
{
    struct stat here, there;
    const off_t place = lseek(fd, 0, SEEK_CUR);
    if (fstat(fd, &here) != 0 || place < 0)
        return SAME;
    if (here.st_size < place)
        return CUT;
    if (stat(path, &there) != 0 || (there.st_dev == here.st_dev && there.st_ino == here.st_ino))
        return SAME;
    return there.st_size > 0 ? REPLACED : SAME;
}

/* Opens what has the name now, if anything has: the old file was read to its end. */
static bool turn_to(const char *path, int *fd, bool *has_turned, struct esse_error *err)
{
    const int next = open(path, O_RDONLY | O_CLOEXEC);
    *has_turned = next >= 0;
    if (next < 0)
        return errno == ENOENT || esse_fail(err, ESSE_EIO, "cannot open: %s", strerror(errno));
    close(*fd);
    *fd = next;
    return true;
}

/* At the end of the file: is there more, in it or in what took its place?  It begins a line. */
static bool read_beyond(const char *path, int *fd, char *to, size_t room, bool is_mid_line,
                        size_t *got, struct esse_error *err)
{
    bool is_another = false;
    switch (changed(path, *fd)) {
    case SAME:
        return true;
    case CUT:
        is_another = true;
        if (lseek(*fd, 0, SEEK_SET) < 0)
            return esse_fail(err, ESSE_EIO, "cannot go back: %s", strerror(errno));
        break;
    case REPLACED:
        /* Between the end that was read and the look at the name, more may have come. */
        if (!read_some(*fd, to, room, got, err))
            return false;
        if (*got)
            return true;
        if (!turn_to(path, fd, &is_another, err))
            return false;
    }
    if (!is_another || !is_mid_line)
        return true;
    *to = '\n';
    *got = 1;
    return true;
}

bool esse_arrival_follow(const struct esse_arrival *arrival, const char *path, int *fd, char *to,
                         size_t room, bool *is_mid_line, size_t *got, struct esse_error *err)
{
    static const struct timespec look = { .tv_nsec = LOOK_MS * 1000000L };
    assert(room);
    for (;;) {
        if (!read_some(*fd, to, room, got, err))
            return false;
        if (!*got && !read_beyond(path, fd, to, room, *is_mid_line, got, err))
            return false;
        if (*got) {
            *is_mid_line = to[*got - 1] != '\n';
            return true;
        }
        say_idle(arrival);
        if (!may_wait(arrival, err))
            return false;
        nanosleep(&look, NULL);
    }
}
