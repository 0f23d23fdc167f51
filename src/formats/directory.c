#include "formats/directory.h"

#include "base/arena.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

ESSE_VEC(name_vec, const char *)

bool esse_is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool list_names(struct name_vec *names, struct esse_arena *arena, const char *path,
                       struct esse_error *err)
{
    DIR *directory = opendir(path);
    if (!directory)
        return esse_fail(err, ESSE_EIO, "cannot open: %s", strerror(errno));
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry)
            break;
        name_vec_push(names, arena, esse_arena_text(arena, entry->d_name, strlen(entry->d_name)));
    }
    const int error = errno;
    closedir(directory);
    return !error || esse_fail(err, ESSE_EIO, "cannot read: %s", strerror(error));
}

/* By the numbers in the names, and never by the place in the directory. */
static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strverscmp(*x, *y);
}

static bool choose(struct esse_directory *directory, struct esse_arena *arena,
                   const struct name_vec *names, const struct esse_format *format)
{
    struct name_vec chosen = { 0 };
    for (size_t i = 0; format->in_directory && i < names->count; i++)
        if (fnmatch(format->in_directory, names->at[i], FNM_PERIOD) == 0)
            name_vec_push(&chosen, arena, names->at[i]);
    if (!chosen.count)
        return false;
    qsort(chosen.at, chosen.count, sizeof *chosen.at, by_name);
    *directory = (struct esse_directory){ format, chosen.at, chosen.count };
    return true;
}

/* One file that is the history, packed or not. */
static bool choose_file(struct esse_directory *directory, struct esse_arena *arena,
                        const struct name_vec *names, const struct esse_format *format)
{
    static const char *const known[] = { "history.jsonl", "history.edn", "history.json" };
    static const char *const endings[] = { "", ".gz", ".zst" };
    for (size_t k = 0; k < 9; k++) {
        const char *wanted = esse_arena_format(arena, "%s%s", known[k / 3], endings[k % 3]);
        for (size_t i = 0; i < names->count; i++) {
            if (strcmp(names->at[i], wanted) == 0) {
                const char **chosen = esse_arena_alloc(arena, 1, sizeof *chosen);
                *chosen = wanted;
                *directory = (struct esse_directory){ format, chosen, 1 };
                return true;
            }
        }
    }
    return false;
}

bool esse_directory_list(struct esse_directory *directory, struct esse_arena *arena,
                         const char *path, const struct esse_format *format, struct esse_error *err)
{
    struct name_vec names = { 0 };
    if (!list_names(&names, arena, path, err))
        return false;
    if (format && choose(directory, arena, &names, format))
        return true;
    if ((!format || !format->in_directory) && choose_file(directory, arena, &names, format))
        return true;
    for (size_t i = 0; !format && esse_formats[i]; i++)
        if (choose(directory, arena, &names, esse_formats[i]))
            return true;
    if (format && !format->in_directory)
        return esse_fail(err, ESSE_EIO, "a directory; expected a file in the format %s",
                         format->name);
    return esse_fail(err, ESSE_EIO, "a directory without a history; expected %s",
                     format
                         ? format->in_directory
                         : "history.jsonl, history.edn, *.log (Cobra) or history.bincode (DBCop)");
}
