#include "formats/lossy.h"

#include "base/error.h"

bool esse_lossy_drops(const struct esse_lossy *to, const char *what, struct esse_error *err)
{
    return to->is_lossy ||
           esse_fail(err, ESSE_EINPUT, "%s cannot hold %s; --lossy drops it", to->format, what);
}

static bool put_version_order(struct esse_sink *sink, esse_value key,
                              const struct esse_version_ref *versions, size_t count,
                              struct esse_error *err)
{
    (void)key;
    (void)versions;
    (void)count;
    return esse_lossy_drops((struct esse_lossy *)sink, "version orders", err);
}

static bool put_order(struct esse_sink *sink, const esse_value *names, size_t count,
                      struct esse_error *err)
{
    (void)names;
    (void)count;
    return esse_lossy_drops((struct esse_lossy *)sink, "a serialization order", err);
}

static bool put_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                     struct esse_error *err)
{
    (void)names;
    (void)count;
    return esse_lossy_drops((struct esse_lossy *)sink, "which commits the database lost", err);
}

static bool put_certificate(struct esse_sink *sink,
                            const struct esse_certificate_record *certificate,
                            struct esse_error *err)
{
    (void)certificate;
    return esse_lossy_drops((struct esse_lossy *)sink, "the kind of a certificate", err);
}

static bool put_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                      struct esse_error *err)
{
    (void)fault;
    (void)err;
    sink->dropped |= ESSE_TOLD_FAULTS;
    return true;
}

void esse_lossy_init(struct esse_lossy *to, struct esse_values *values, const char *format,
                     bool is_lossy)
{
    *to = (struct esse_lossy){ .format = format, .is_lossy = is_lossy };
    to->sink = (struct esse_sink){ .values = values,
                                   .fault = put_fault,
                                   .version_order = put_version_order,
                                   .order = put_order,
                                   .lost = put_lost,
                                   .certificate = put_certificate };
}
