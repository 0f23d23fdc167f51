#include "base/error.h"
#include "generate/gen_state.h"

#include <assert.h>
#include <string.h>

/* Options that make sense. */

/* What the workload says itself, of --keys and --ops, it says when it is opened. */
static bool validate_counts(const struct esse_gen_options *options, struct esse_error *err)
{
    if (options->txns < 1 || options->txns > 1000000000)
        return esse_fail(err, ESSE_EUSAGE, "--txns must be from 1 to 1000000000");
    return (options->work.sessions >= 1 && options->work.sessions <= 1000000) ||
           esse_fail(err, ESSE_EUSAGE, "--sessions must be from 1 to 1000000");
}

static bool validate_shares(const struct esse_gen_options *options, struct esse_error *err)
{
    const struct {
        const char *name;
        double value;
    } shares[] = {
        { "read-share", options->work.read_share },
        { "rmw-share", options->work.rmw_share },
        { "abort-share", options->work.abort_share },
        { "crash-share", options->crash_share },
        { "stale-share", options->stale_share },
        { "predicate-share", options->work.predicate_share },
        { "delete-share", options->work.delete_share },
        { "aggregate-share", options->work.aggregate_share },
    };
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (!(shares[i].value >= 0 && shares[i].value <= 1))
            return esse_fail(err, ESSE_EUSAGE, "--%s must be from 0 to 1", shares[i].name);
    if (!(options->work.zipf_theta >= 0 && options->work.zipf_theta <= 10))
        return esse_fail(err, ESSE_EUSAGE, "--zipf-theta must be from 0 to 10");
    if (options->drop_aborted && options->work.abort_share > 0.99)
        return esse_fail(err, ESSE_EUSAGE,
                         "--drop-aborted with --abort-share %g would never find its transactions",
                         options->work.abort_share);
    return true;
}

static bool validate_mix(const struct esse_gen_options *options, struct esse_error *err)
{
    const struct esse_workload_options *work = &options->work;
    if (!options->workload->mix ||
        (work->ops == options->workload->defaults.ops && !work->ops_spread && !work->is_pure &&
         work->read_share == 0 && work->rmw_share == 0))
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
                         name, esse_gen_workload_names[esse_gen_data(options->workload)]);
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

/* A version is named by its value in all that the generator writes about versions. */
static bool validate_values(const struct esse_gen_options *options, struct esse_error *err)
{
    if (!options->values)
        return true;
    if (esse_gen_data(options->workload) != ESSE_GEN_RW_REGISTER)
        return esse_fail(err, ESSE_EUSAGE, "--values needs a workload of registers");
    return (!options->has_certificate && !options->certifies && options->crash_share <= 0 &&
            !options->plant_count) ||
           esse_fail(err, ESSE_EUSAGE,
                     "--values goes with no certificate, crash or anomaly: there a value must name "
                     "its writer");
}

bool esse_gen_validate(const struct esse_gen_options *options, struct esse_error *err)
{
    if (!validate_counts(options, err) || !validate_shares(options, err) ||
        !validate_mix(options, err) || !validate_values(options, err))
        return false;
    if (options->has_op_times && !options->has_times)
        return esse_fail(err, ESSE_EUSAGE, "--op-times needs --times");
    if (options->certifies != ESSE_CERTIFICATE_NONE && esse_store_traits[options->level].has_dirty)
        return esse_fail(err, ESSE_EUSAGE,
                         "--certify needs a level at which operations see nothing but commits");
    if (options->has_vsets && esse_gen_data(options->workload) != ESSE_GEN_PREDICATE)
        return esse_fail(err, ESSE_EUSAGE, "--vsets needs a workload with predicates");
    if (options->has_one_timestamp && (options->certifies != ESSE_CERTIFICATE_TIMESTAMPS ||
                                       !esse_store_traits[options->level].has_order))
        return esse_fail(err, ESSE_EUSAGE,
                         "--one-timestamp needs --certify timestamps, and a level that is "
                         "serializable");
    for (size_t i = 0; i < options->plant_count; i++) {
        assert(options->plants[i].anomaly->workloads & 1u << esse_gen_data(options->workload));
        assert(i == 0 || options->plants[i - 1].at <= options->plants[i].at);
        if (!validate_plant(options, options->plants[i].anomaly, err))
            return false;
    }
    return true;
}
