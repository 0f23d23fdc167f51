#ifndef ESSE_TESTS_UNIT_RANDOM_GEN_H
#define ESSE_TESTS_UNIT_RANDOM_GEN_H

#include "base/rng.h"
#include "generate/gen.h"

/* Options for small histories with whatever the generator can put into one. */
static struct esse_gen_options random_gen_options(struct esse_rng *rng)
{
    static const enum esse_certificate_kind kinds[] = { ESSE_CERTIFICATE_NONE,
                                                        ESSE_CERTIFICATE_TIMESTAMPS,
                                                        ESSE_CERTIFICATE_COMMIT_ORDER,
                                                        ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS };
    const enum esse_gen_workload workload = (enum esse_gen_workload)esse_rng_below(rng, 3);
    struct esse_gen_options options = esse_gen_defaults(esse_gen_workload_names[workload]);
    options.txns = 3 + esse_rng_below(rng, 16);
    options.work.ops = 1 + esse_rng_below(rng, 4);
    options.work.keys = 1 + esse_rng_below(rng, 4);
    options.work.sessions = 1 + esse_rng_below(rng, 4);
    options.level = ESSE_STORE_SERIALIZABLE;
    options.work.seed = esse_rng_next(rng);
    options.work.abort_share = esse_rng_below(rng, 2) * 0.2;
    options.work.delete_share = 0.5;
    options.work.predicate_share = 0.4;
    options.work.rows_matching = 2;
    options.has_vsets = workload == ESSE_GEN_PREDICATE && !esse_rng_below(rng, 4);
    options.certifies = kinds[esse_rng_below(rng, 4)];
    options.has_certificate = esse_rng_below(rng, 2) || options.certifies != ESSE_CERTIFICATE_NONE;
    options.has_header = false;
    return options;
}

#endif
