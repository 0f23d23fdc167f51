#include "base/error.h"
#include "generate/gen_state.h"

#include <assert.h>
#include <string.h>

/* Options that make sense. */

static bool validate_counts(const struct esse_gen_options *options, struct esse_error *err)
{
    const struct {
        const char *name;
        uint64_t value, least, most;
    } limits[] = {
        { "txns", options->txns, 1, 1000000000 },
        { "ops", options->ops, 1, 1000000 },
        { "ops-spread", options->ops_spread, 0, options->ops - 1 },
        { "keys", options->keys, 1, 100000000 },
        { "sessions", options->sessions, 1, 1000000 },
        { "rows-matching", options->rows_matching, options->workload == ESSE_GEN_PREDICATE,
          100000000 },
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].value < limits[i].least || limits[i].value > limits[i].most)
            return esse_fail(err, ESSE_EUSAGE, "--%s must be from %llu to %llu", limits[i].name,
                             (unsigned long long)limits[i].least,
                             (unsigned long long)limits[i].most);
    return true;
}

static bool validate_shares(const struct esse_gen_options *options, struct esse_error *err)
{
    const struct {
        const char *name;
        double value;
    } shares[] = {
        { "read-share", options->read_share },     { "rmw-share", options->rmw_share },
        { "abort-share", options->abort_share },   { "crash-share", options->crash_share },
        { "stale-share", options->stale_share },   { "predicate-share", options->predicate_share },
        { "delete-share", options->delete_share },
    };
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (!(shares[i].value >= 0 && shares[i].value <= 1))
            return esse_fail(err, ESSE_EUSAGE, "--%s must be from 0 to 1", shares[i].name);
    if (!(options->zipf_theta >= 0 && options->zipf_theta <= 10))
        return esse_fail(err, ESSE_EUSAGE, "--zipf-theta must be from 0 to 10");
    if (options->drop_aborted && options->abort_share > 0.99)
        return esse_fail(err, ESSE_EUSAGE,
                         "--drop-aborted with --abort-share %g would never find its transactions",
                         options->abort_share);
    return true;
}

static bool validate_mix(const struct esse_gen_options *options, struct esse_error *err)
{
    if (!options->mix || (options->ops == esse_mix_ops(options->mix) && !options->ops_spread &&
                          !options->is_pure && options->read_share == 0 && options->rmw_share == 0))
        return true;
    return esse_fail(err, ESSE_EUSAGE,
                     "the transactions of this workload have shapes of their own; --ops, "
                     "--ops-spread, --read-share, --rmw-share and --pure say nothing about them");
}

static bool validate_plant(const struct esse_gen_options *options,
                           const struct esse_gen_anomaly *anomaly, struct esse_error *err)
{
    const char *name = anomaly->name;
    const bool has_timestamps = options->certifies == ESSE_CERTIFICATE_TIMESTAMPS;
    if (anomaly->needs & ESSE_GEN_NEEDS_ORDER && !options->has_certificate)
        return esse_fail(err, ESSE_EUSAGE,
                         "%s in %s needs --certificate: nothing but the version order shows it",
                         name, esse_gen_workload_names[options->workload]);
    if (options->certifies != ESSE_CERTIFICATE_NONE && strchr(anomaly->script, '/'))
        return esse_fail(err, ESSE_EUSAGE,
                         "%s has versions against the order of the commits, which --certify "
                         "promises",
                         name);
    if (anomaly->needs & ESSE_GEN_NEEDS_TIMES && !options->has_times)
        return esse_fail(err, ESSE_EUSAGE, "%s needs --times", name);
    if (anomaly->needs & ESSE_GEN_NEEDS_TIMESTAMPS && !has_timestamps)
        return esse_fail(err, ESSE_EUSAGE,
                         "%s needs --certify timestamps: it contradicts nothing else", name);
    if (anomaly->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP && !options->has_one_timestamp)
        return esse_fail(err, ESSE_EUSAGE,
                         "%s needs --one-timestamp: it contradicts the serial order", name);
    return true;
}

bool esse_gen_validate(const struct esse_gen_options *options, struct esse_error *err)
{
    if (!validate_counts(options, err) || !validate_shares(options, err) ||
        !validate_mix(options, err))
        return false;
    if (options->has_op_times && !options->has_times)
        return esse_fail(err, ESSE_EUSAGE, "--op-times needs --times");
    if (options->certifies != ESSE_CERTIFICATE_NONE && esse_store_traits[options->level].has_dirty)
        return esse_fail(err, ESSE_EUSAGE,
                         "--certify needs a level at which operations see nothing but commits");
    if (options->has_vsets && options->workload != ESSE_GEN_PREDICATE)
        return esse_fail(err, ESSE_EUSAGE, "--vsets needs the workload predicate");
    if (options->has_one_timestamp && (options->certifies != ESSE_CERTIFICATE_TIMESTAMPS ||
                                       !esse_store_traits[options->level].has_order))
        return esse_fail(err, ESSE_EUSAGE,
                         "--one-timestamp needs --certify timestamps, and a level that is "
                         "serializable");
    for (size_t i = 0; i < options->plant_count; i++) {
        assert(options->plants[i].anomaly->workloads & 1u << options->workload);
        assert(i == 0 || options->plants[i - 1].at <= options->plants[i].at);
        if (!validate_plant(options, options->plants[i].anomaly, err))
            return false;
    }
    return true;
}
