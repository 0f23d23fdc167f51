#ifndef ESSE_GENERATE_PLANT_H
#define ESSE_GENERATE_PLANT_H

#include "generate/gen.h"

/* An anomaly of the generator's table without the generator: for a store that plays it. */

/* NULL on an unknown name. */
const struct esse_gen_anomaly *esse_plant_find(const char *name);
/* The row of the table that the workload can express; NULL if it has none. */
const struct esse_gen_anomaly *esse_plant_of(const char *name, enum esse_gen_workload workload);

/* Where they go: sinks of the history and of the certificate (NULL if there is none), the first
 * session number that is free, and what time it is there. */
struct esse_played {
    struct esse_sink *history, *certificate;
    int64_t session, now;
};

/* Sends its transactions, in keys far from those of real rows, and the order of its versions. */
bool esse_plant_play(const struct esse_gen_anomaly *anomaly, enum esse_gen_workload workload,
                     const struct esse_played *played, struct esse_error *err);

#endif
