#include "base/guard.h"
#include "base/threads.h"
#include "formats/directory.h"
#include "formats/native.h"
#include "formats/portions.h"
#include "history/certificate.h"

#include <stdio.h>
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

/* The format of this name; NULL, if it is unknown, with the error. */
static const struct esse_format *named_format(struct esse_arena *scratch, const char *name,
                                              struct esse_error *err)
{
    const struct esse_format *format = esse_format_find(name);
    if (!format)
        esse_fail(err, ESSE_EUSAGE, "unknown format '%s'; known are %s", name,
                  esse_format_names(scratch, false));
    return format;
}

static const struct esse_format *choose_format(const struct esse_source *source, const char *name,
                                               struct esse_error *err)
{
    if (name)
        return named_format(source->arena, name, err);
    const struct esse_format *format = esse_format_sniff(source);
    if (!format && source->at == source->end)
        return &esse_format_native; /* nothing at all: an empty history in any format */
    if (!format)
        esse_fail_at(err, 1, 1,
                     "the format is not recognised; expected JSON Lines, Jepsen EDN, a JSON array "
                     "or a format of docs/formats.md (--format names one)");
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

/* What is wrong in a certificate, by its own name and line. */
static bool fail_in_certificate(const char *path, struct esse_error *err)
{
    static const char said[] = "certificate: "; /* that it is one is said by its name */
    char text[sizeof err->text], place[24] = "";
    memcpy(text, err->text, sizeof text);
    const size_t skip = strncmp(text, said, sizeof said - 1) == 0 ? sizeof said - 1 : 0;
    if (err->line)
        snprintf(place, sizeof place, ":%llu", (unsigned long long)err->line);
    snprintf(err->text, sizeof err->text, "certificate %.120s%s: %.300s", path, place, text + skip);
    err->line = err->column = 0;
    err->in_certificate = false;
    return false;
}

static bool read_certificate(struct esse_reading *reading, struct esse_arena *scratch,
                             const struct esse_load_options *options, struct esse_error *err)
{
    struct esse_source source;
    struct esse_reading certificate = { &source, reading->builder,
                                        esse_certificate_sink(reading->builder), ESSE_WORKLOAD_ANY,
                                        ESSE_WORKLOAD_ANY };
    if (!options->certificate)
        return true;
    if (!esse_source_open(&source, scratch, options->certificate, options->budget, err))
        return fail_in_certificate(options->certificate, err);
    const bool ok = esse_native_read(&certificate, err);
    esse_source_close(&source);
    return ok || fail_in_certificate(options->certificate, err);
}

static bool freeze(struct esse_reading *reading, const struct esse_format *format,
                   const struct esse_load_options *options, struct esse_history **out,
                   struct esse_error *err)
{
    struct esse_history *history;
    /* What was given is checked before the rest is derived: that agrees by construction. */
    const bool ok =
        esse_builder_freeze_as(reading->builder, format->name, reading->found, &history, err) &&
        check_workload(history, reading->asked, err) && esse_certificate_check(history, err) &&
        ((!options->transaction_order && history->certificate.kind == ESSE_CERTIFICATE_NONE) ||
         esse_certificate_by_order(history, err));
    if (ok)
        *out = history;
    else if (err->in_certificate)
        fail_in_certificate(options->certificate, err);
    return ok;
}

/* Where lines can be read in portions, the threads share decompressing too; elsewhere one of them
 * does that ahead of the reader. */
static bool read_with(struct esse_reading *reading, const struct esse_format *format,
                      unsigned asked, struct esse_error *err)
{
    const unsigned threads = esse_thread_count(asked);
    const bool in_portions = format->in_portions && esse_source_is_long(reading->source);
    reading->threads = in_portions ? threads : 1;
    reading->portion = ESSE_PORTION_BYTES;
    if (threads > 1 && !in_portions)
        esse_source_read_ahead(reading->source);
    return format->read(reading, err);
}

/* ---- held to the budget ---- */

struct guarded {
    struct esse_reading *reading;
    const struct esse_format *format;
    const struct esse_load_options *options;
    struct esse_history **out;
    struct esse_error *err;
    bool ok;
};

static void read_in_guard(void *context)
{
    struct guarded *g = context;
    g->ok = read_with(g->reading, g->format, g->options->threads, g->err);
}

static void freeze_in_guard(void *context)
{
    struct guarded *g = context;
    g->ok = freeze(g->reading, g->format, g->options, g->out, g->err);
}

static bool run_guarded(struct guarded *g, void (*work)(void *context))
{
    if (!esse_guard_run(g->options->budget, work, g))
        return esse_fail(g->err, ESSE_ESTOPPED, "stopped while reading (%s)",
                         esse_spent_name(esse_budget_spent(g->options->budget)));
    return g->ok;
}

static bool load_file(struct esse_reading *reading, struct esse_arena *scratch, const char *path,
                      const struct esse_load_options *options, const struct esse_format **format,
                      struct esse_error *err)
{
    struct esse_source source;
    if (!(options->salvage ? esse_source_salvage : esse_source_open)(&source, scratch, path,
                                                                     options->budget, err))
        return false;
    reading->source = &source;
    if (!*format)
        *format = choose_format(&source, options->format, err);
    bool ok = *format != NULL;
    if (ok && options->salvage && (*format)->is_binary)
        ok = esse_fail(err, ESSE_EUSAGE, "--salvage takes whole lines; the format %s has none",
                       (*format)->name);
    struct guarded guarded = { reading, *format, options, NULL, err, false };
    ok = ok && run_guarded(&guarded, read_in_guard);
    if (ok && source.lost)
        esse_builder_warn(reading->builder, "unfinished line at the end was left out (--salvage)",
                          0);
    esse_source_close(&source);
    return ok;
}

/* Errors name the file: the path that the user gave is that of the directory. */
static bool fail_in(const char *name, struct esse_error *err)
{
    char text[sizeof err->text];
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%.60s: %.170s", name, text);
    return false;
}

static bool load_directory(struct esse_reading *reading, struct esse_arena *scratch,
                           const char *path, const struct esse_load_options *options,
                           const struct esse_format **format, struct esse_error *err)
{
    struct esse_directory directory;
    if (options->format && !(*format = named_format(scratch, options->format, err)))
        return false;
    if (!esse_directory_list(&directory, scratch, path, *format, err))
        return false;
    *format = directory.format; /* NULL: the file's bytes show it */
    for (size_t i = 0; i < directory.count; i++) {
        const char *file = esse_arena_format(scratch, "%s/%s", path, directory.names[i]);
        if (!load_file(reading, scratch, file, options, format, err))
            return fail_in(directory.names[i], err);
    }
    return true;
}

bool esse_history_load(struct esse_arena *arena, const char *path,
                       const struct esse_load_options *options, struct esse_history **out,
                       struct esse_error *err)
{
    static const struct esse_load_options defaults;
    if (!options)
        options = &defaults;
    enum esse_workload asked;
    if (!find_workload(options->workload, &asked, err))
        return false;
    esse_budget_start(options->budget);
    struct esse_arena *scratch = esse_arena_new();
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { NULL, builder, esse_builder_sink(builder), asked, asked };
    const struct esse_format *format = NULL;
    bool ok = (esse_is_directory(path) ? load_directory : load_file)(&reading, scratch, path,
                                                                     options, &format, err);
    if (ok && format->many_files)
        ok = reading.sink->finish(reading.sink, err);
    struct guarded guarded = { &reading, format, options, out, err, false };
    ok = ok && read_certificate(&reading, scratch, options, err) &&
         run_guarded(&guarded, freeze_in_guard);
    esse_arena_free(scratch);
    return ok;
}

/* ---- records as they are read ---- */

struct streaming {
    struct esse_reading reading; /* first: 'between' is given this one */
    void (*tidy)(struct esse_sink *sink);
};

static bool tidy_up(struct esse_reading *reading)
{
    ((struct streaming *)reading)->tidy(reading->sink);
    return true;
}

static bool read_stream(struct streaming *streaming, const struct esse_load_options *options,
                        struct esse_error *err)
{
    struct esse_reading *reading = &streaming->reading;
    const struct esse_format *format = choose_format(reading->source, options->format, err);
    if (!format)
        return false;
    if (!format->is_streamed)
        return esse_fail(err, ESSE_EUSAGE, "a stream is read in the native format, not %s",
                         format->name);
    return format->read(reading, err);
}

bool esse_records_read(const char *path, const struct esse_load_options *options,
                       struct esse_sink *sink, void (*tidy)(struct esse_sink *sink),
                       struct esse_error *err)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_source source;
    struct streaming streaming = {
        { &source, NULL, sink, ESSE_WORKLOAD_ANY, ESSE_WORKLOAD_ANY, tidy_up }, tidy
    };
    esse_budget_start(options->budget);
    bool ok = esse_source_open(&source, scratch, path, options->budget, err);
    if (ok) {
        ok = read_stream(&streaming, options, err);
        esse_source_close(&source);
    }
    esse_arena_free(scratch);
    return ok;
}
