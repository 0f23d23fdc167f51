#include "base/outfile.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Something that exists and is not a regular file (a pipe, /dev/null) cannot be renamed over. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool esse_outfile_open(struct esse_outfile *file, struct esse_arena *arena, const char *path,
                       struct esse_error *err)
{
    *file = (struct esse_outfile){ .path = path };
    int fd;
    if (strcmp(path, "-") == 0) {
        fd = STDOUT_FILENO;
    } else if (is_special(path)) {
        fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        file->temporary = esse_arena_format(arena, "%s.XXXXXX", path);
        fd = mkstemp(file->temporary);
        mode_t mask = umask(0);
        umask(mask);
        if (fd >= 0)
            fchmod(fd, 0666 & ~mask);
    }
    if (fd < 0)
        return esse_fail(err, ESSE_EIO, "cannot create '%s': %s", path, strerror(errno));
    esse_out_init_fd(&file->out, arena, fd);
    return true;
}

static bool close_file(struct esse_outfile *file)
{
    return file->out.fd == STDOUT_FILENO || close(file->out.fd) == 0;
}

bool esse_outfile_commit(struct esse_outfile *file, struct esse_error *err)
{
    bool ok = esse_out_finish(&file->out, err);
    if (!ok)
        esse_fail(err, ESSE_EIO, "cannot write '%s': %s", file->path, strerror(file->out.failed));
    if (!close_file(file) && ok)
        ok = esse_fail(err, ESSE_EIO, "cannot write '%s': %s", file->path, strerror(errno));
    if (ok && file->temporary && rename(file->temporary, file->path) != 0)
        ok = esse_fail(err, ESSE_EIO, "cannot create '%s': %s", file->path, strerror(errno));
    if (!ok && file->temporary)
        unlink(file->temporary);
    return ok;
}

void esse_outfile_discard(struct esse_outfile *file)
{
    close_file(file);
    if (file->temporary)
        unlink(file->temporary);
}
