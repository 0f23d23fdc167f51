#include "cli/rundir.h"

#include "base/arena.h"
#include "base/outfile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char home[] = "esse-runs";

const char *esse_rundir_base(struct esse_arena *arena, const char *target, const char *workload)
{
    char date[32];
    time_t now = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%Y%m%dT%H%M%S", gmtime_r(&now, &parts));
    const char *name = esse_arena_format(arena, "%s/%s-%s-%s", home, date, target, workload);
    const char *path = name;
    for (unsigned i = 2; access(path, F_OK) == 0; i++)
        path = esse_arena_format(arena, "%s-%u", name, i);
    return path;
}

const char *esse_rundir_file(struct esse_arena *arena, const struct esse_rundir *dir,
                             const char *name)
{
    return esse_arena_format(arena, "%s/%s", dir->path, name);
}

void esse_rundir_name(struct esse_arena *arena, const char *base, uint64_t number,
                      struct esse_rundir *dir)
{
    assert(base);
    dir->path =
        number ? esse_arena_format(arena, "%s/%llu", base, (unsigned long long)number) : base;
    dir->history = esse_rundir_file(arena, dir, "history.jsonl");
    dir->certificate = esse_rundir_file(arena, dir, "certificate.jsonl");
    dir->trace = esse_rundir_file(arena, dir, "trace.jsonl");
}

/* Makes the directories above, which may be there. */
static void make_parents(const char *path)
{
    assert(*path);
    char *copy = strdup(path);
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777);
        *slash = '/';
    }
    free(copy);
}

static bool make_file(const char *path, int *fd, struct esse_error *err)
{
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    return *fd >= 0 || esse_fail(err, ESSE_EIO, "cannot make '%s': %s", path, strerror(errno));
}

bool esse_rundir_make(const struct esse_rundir *dir, int *history, int *trace,
                      struct esse_error *err)
{
    make_parents(dir->path);
    if (mkdir(dir->path, 0777) != 0)
        return esse_fail(err, ESSE_EIO, "cannot make the directory '%s': %s", dir->path,
                         errno == EEXIST ? "it is there already, and runs are not overwritten"
                                         : strerror(errno));
    return make_file(dir->history, history, err) && (!trace || make_file(dir->trace, trace, err));
}

bool esse_rundir_scratch(int *history, struct esse_error *err)
{
    char name[] = "esse-scratch-XXXXXX";
    *history = mkostemp(name, O_APPEND | O_CLOEXEC);
    if (*history < 0)
        return esse_fail(err, ESSE_EIO, "cannot make a file in the working directory: %s",
                         strerror(errno));
    unlink(name);
    return true;
}

/* ---- what describes it ---- */

static void put_text(struct esse_out *out, const char *name, const char *text)
{
    esse_out_f(out, ",\n \"%s\": ", name);
    esse_out_json_text(out, text);
}

static void put_config(struct esse_out *out, const struct esse_live *live, const char *level)
{
    const struct esse_live_options *options = live->options;
    const struct esse_workload_options *work = &options->work;
    esse_out_f(out, "{\"esse\": \"%s\"", esse_version());
    put_text(out, "target", options->url->shown);
    put_text(out, "database", live->description.product);
    put_text(out, "isolation", options->isolation->setting);
    put_text(out, "claims", options->isolation->level);
    put_text(out, "source", options->isolation->source);
    put_text(out, "level", level);
    put_text(out, "workload", options->workload->name);
    if (work->file)
        put_text(out, "workload_file", work->file);
    esse_out_f(out,
               ",\n \"sessions\": %llu, \"txns\": %llu, \"duration\": %g, \"keys\": %llu, "
               "\"ops\": %llu, \"max_writes_per_key\": %llu, \"zipf_theta\": %g, \"read_share\": "
               "%g, \"predicate_share\": %g, \"abort_share\": %g, \"think\": %g, \"timeout\": %g, "
               "\"seed\": %llu,\n \"settings\": {",
               (unsigned long long)work->sessions, (unsigned long long)options->txns,
               options->seconds, (unsigned long long)work->keys, (unsigned long long)work->ops,
               (unsigned long long)work->max_writes, work->zipf_theta, work->read_share,
               work->predicate_share, work->abort_share, options->think, options->timeout,
               (unsigned long long)work->seed);
    for (size_t i = 0; i < live->description.setting_count; i++) {
        const struct esse_setting *setting = &live->description.settings[i];
        esse_out_text(out, i ? ", " : "");
        esse_out_json_text(out, setting->name);
        esse_out_text(out, ": ");
        esse_out_json_text(out, setting->value);
    }
    esse_out_text(out, "}}\n");
}

static void put_readme(struct esse_out *out, const struct esse_live *live, const char *again,
                       const char *check)
{
    char date[40];
    time_t now = time(NULL);
    struct tm parts;
    const struct esse_url *url = live->options->url;
    /* A server that --spawn starts again has no secrets. */
    const bool lacks = strcmp(url->text, url->shown) != 0 && strstr(again, url->shown);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &parts));
    esse_out_f(out,
               "%s at %s, recorded by esse %s on %s.\n\n"
               "The run again%s:\n\n%s\n\n"
               "The check again, in this directory:\n\n%s\n\n"
               "What it found, for a browser: report.html\n",
               live->description.product, live->options->isolation->setting, esse_version(), date,
               lacks ? " (user and password must be added)" : "", again, check);
}

bool esse_rundir_describe(struct esse_arena *arena, const struct esse_rundir *dir,
                          const struct esse_live *live, const char *level, const char *again,
                          const char *check, struct esse_error *err)
{
    struct esse_outfile file;
    if (!esse_outfile_open(&file, arena, esse_rundir_file(arena, dir, "config.json"), err))
        return false;
    put_config(&file.out, live, level);
    if (!esse_outfile_commit(&file, err) ||
        !esse_outfile_open(&file, arena, esse_rundir_file(arena, dir, "README"), err))
        return false;
    put_readme(&file.out, live, again, check);
    return esse_outfile_commit(&file, err);
}

/* ---- the commands that repeat it ---- */

const char *esse_shell_quoted(struct esse_arena *arena, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=,@%+";
    if (*word && strspn(word, plain) == strlen(word))
        return word;
    const char *text = "'";
    for (; *word; word++)
        text = *word == '\'' ? esse_arena_format(arena, "%s'\\''", text)
                             : esse_arena_format(arena, "%s%c", text, *word);
    return esse_arena_format(arena, "%s'", text);
}

static const char *with(struct esse_arena *arena, const char *line, const char *name, double value)
{
    return value > 0 ? esse_arena_format(arena, "%s --%s %g", line, name, value) : line;
}

/* Its name, as the shell takes it; of sql with the file. */
static const char *workload_again(struct esse_arena *arena, const struct esse_live_options *live)
{
    if (!live->work.file)
        return live->workload->name;
    return esse_shell_quoted(arena, esse_arena_format(arena, "sql:%s", live->work.file));
}

const char *esse_rundir_again(struct esse_arena *arena, const struct esse_live_options *live,
                              const char *target, const char *level,
                              const struct esse_assuming *assuming)
{
    assert(live->isolation);
    const struct esse_workload_options *work = &live->work;
    const char *line = esse_arena_format(
        arena, "esse %s %s --workload %s --isolation %s --sessions %" PRIu64 " --seed %" PRIu64,
        level ? "run" : "collect", target, workload_again(arena, live), live->isolation->setting,
        work->sessions, work->seed);
    if (level)
        line = esse_arena_format(arena, "%s --level %s%s", line, level,
                                 esse_session_assuming(arena, assuming));
    if (live->txns)
        line = esse_arena_format(arena, "%s --txns %" PRIu64, line, live->txns);
    if (live->seconds > 0)
        line = esse_arena_format(arena, "%s --duration %gs", line, live->seconds);
    line = esse_arena_format(
        arena,
        "%s --keys %" PRIu64 " --ops %" PRIu64 " --max-writes-per-key %" PRIu64
        " --distribution %s --abort-share %g --read-share %g "
        "--predicate-share %g --timeout %gs --patience %gs",
        line, work->keys, work->ops, work->max_writes, work->zipf_theta > 0 ? "zipf" : "uniform",
        work->abort_share, work->read_share, work->predicate_share, live->timeout, live->patience);
    line = with(arena, line, "zipf-theta", work->zipf_theta);
    if (live->think > 0)
        line = esse_arena_format(arena, "%s --think %gs", line, live->think);
    return live->no_certificate ? esse_arena_format(arena, "%s --no-certificate", line) : line;
}

const char *esse_rundir_check(struct esse_arena *arena, const char *level, bool has_certificate,
                              const struct esse_assuming *assuming)
{
    return esse_arena_format(arena, "esse check --level %s%s%s history.jsonl", level,
                             esse_session_assuming(arena, assuming),
                             has_certificate ? " --certificate certificate.jsonl" : "");
}
