#include "formats/formats.h"

#include <string.h>

/* From a path to a frozen history. */

static bool find_workload(const char *name, enum esse_workload *workload, struct esse_error *err)
{
    *workload = ESSE_WORKLOAD_ANY;
    if (!name)
        return true;
    for (int w = ESSE_WORKLOAD_LIST_APPEND; w <= ESSE_WORKLOAD_CLOSED_PREDICATE; w++) {
        if (strcmp(esse_workload_names[w], name) == 0) {
            *workload = (enum esse_workload)w;
            return true;
        }
    }
    return esse_fail(err, ESSE_EUSAGE,
                     "unknown workload '%s'; known are list-append, rw-register and "
                     "closed-predicate",
                     name);
}

static const struct esse_format *choose_format(const struct esse_source *source, const char *name,
                                               struct esse_error *err)
{
    const struct esse_format *format = name ? esse_format_find(name) : esse_format_sniff(source);
    if (!format && name)
        esse_fail(err, ESSE_EUSAGE,
                  "unknown format '%s'; known are native, jepsen-edn and elle-json", name);
    if (!format && !name && source->at == source->end)
        return esse_formats[0]; /* nothing at all: an empty history in any format */
    if (!format && !name)
        esse_fail_at(
            err, 1, 1,
            "the format is not recognised; expected JSON Lines, Jepsen EDN or a JSON array "
            "(--format names one)");
    return format;
}

/* An operation that does not belong to the workload that the user named. */
static bool check_workload(const struct esse_history *history, enum esse_workload asked,
                           struct esse_error *err)
{
    static const unsigned foreign[] = {
        [ESSE_WORKLOAD_LIST_APPEND] = ESSE_HAS_WRITES | ESSE_HAS_DELETES | ESSE_HAS_PREDICATES,
        [ESSE_WORKLOAD_RW_REGISTER] = ESSE_HAS_APPENDS | ESSE_HAS_DELETES | ESSE_HAS_PREDICATES,
        [ESSE_WORKLOAD_CLOSED_PREDICATE] = ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS,
    };
    if (asked == ESSE_WORKLOAD_ANY || !(history->has & foreign[asked]))
        return true;
    unsigned has = history->has;
    const char *looks = has & ESSE_HAS_PREDICATES ? "closed-predicate"
                        : has & (ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS)
                            ? (has & ESSE_HAS_WRITES ? "a mixture" : "list-append")
                            : "rw-register";
    return esse_fail(err, ESSE_EINPUT,
                     "the operations do not fit the workload %s; this looks like %s",
                     esse_workload_names[asked], looks);
}

static bool read_source(struct esse_arena *arena, struct esse_source *source,
                        const struct esse_load_options *options, struct esse_history **out,
                        struct esse_error *err)
{
    enum esse_workload asked;
    if (!find_workload(options->workload, &asked, err))
        return false;
    const struct esse_format *format = choose_format(source, options->format, err);
    if (!format)
        return false;
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { source, builder, esse_builder_sink(builder), asked, asked };
    struct esse_history *history;
    if (!format->read(&reading, err) ||
        !esse_builder_freeze_as(builder, format->name, reading.found, &history, err) ||
        !check_workload(history, asked, err))
        return false;
    *out = history;
    return true;
}

bool esse_history_load(struct esse_arena *arena, const char *path,
                       const struct esse_load_options *options, struct esse_history **out,
                       struct esse_error *err)
{
    static const struct esse_load_options defaults;
    if (!options)
        options = &defaults;
    esse_budget_start(options->budget);
    struct esse_arena *scratch = esse_arena_new();
    struct esse_source source;
    bool ok = esse_source_open(&source, scratch, path, options->budget, err);
    if (ok) {
        ok = read_source(arena, &source, options, out, err);
        esse_source_close(&source);
    }
    esse_arena_free(scratch);
    return ok;
}
