#include "base/budget.h"
#include "formats/evidence_file.h"
#include "formats/save.h"
#include "mirror/window_state.h"

#include <errno.h>
#include <sys/stat.h>

/* A violation of a level as files: the history, and the evidence that a check of it yields. */

static bool write_history(struct esse_arena *arena, const struct esse_history *part,
                          const char *folder, struct esse_error *err)
{
    struct esse_save save;
    const char *path = esse_arena_format(arena, "%s/history.jsonl", folder);
    if (!esse_save_open(&save, arena, esse_format_find("native"), part->values, path, false, err))
        return false;
    if (esse_history_emit(part, save.sink, err))
        return esse_save_commit(&save, err);
    esse_save_discard(&save);
    return false;
}

static bool write_evidence(struct esse_arena *arena, const struct esse_window_verdict *verdict,
                           const char *folder, struct esse_error *err)
{
    const char *name = esse_level_name(verdict->level);
    const struct esse_check_options check = { .levels = &name, .level_count = 1, .threads = 1 };
    const struct esse_result *result;
    struct esse_outfile file;
    if (!esse_check(arena, verdict->part, &check, &result, err) ||
        !esse_outfile_open(&file, arena, esse_arena_format(arena, "%s/evidence.json", folder), err))
        return false;
    const struct esse_evidence evidence = { "history.jsonl", verdict->part->txns,
                                            verdict->part->ops, result->verdicts,
                                            result->verdict_count };
    esse_evidence_write(&file.out, &evidence);
    return esse_outfile_commit(&file, err);
}

static bool write_readme(struct esse_arena *arena, const struct esse_window_verdict *verdict,
                         const char *folder, struct esse_error *err)
{
    struct esse_outfile file;
    if (!esse_outfile_open(&file, arena, esse_arena_format(arena, "%s/README", folder), err))
        return false;
    esse_out_f(&file.out,
               "These transactions violate %s: %s.\n\nhistory.jsonl  what they did, each from its "
               "snapshot to the end of its COMMIT; a \"(source N)\" is\n               a writer "
               "outside of this part, with the one write that was read\nevidence.json  why it is "
               "violated\n\nesse verify %s  holds the one against the other.\n",
               esse_level_name(verdict->level), esse_anomaly_name(verdict->type), folder);
    return esse_outfile_commit(&file, err);
}

bool esse_window_write(const struct esse_window_verdict *verdict, const char *folder,
                       struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    const bool ok = (mkdir(folder, 0777) == 0 || errno == EEXIST ||
                     esse_fail(err, ESSE_EIO, "cannot make '%s': %s", folder, strerror(errno))) &&
                    write_history(arena, verdict->part, folder, err) &&
                    write_evidence(arena, verdict, folder, err) &&
                    write_readme(arena, verdict, folder, err);
    esse_arena_free(arena);
    return ok;
}
