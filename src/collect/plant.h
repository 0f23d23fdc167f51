#ifndef ESSE_COLLECT_PLANT_H
#define ESSE_COLLECT_PLANT_H

#include "collect/driver.h"
#include "collect/gen.h"

/* An anomaly of the generator's table without the generator: for a store that plays it. */

/* NULL on an unknown name. */
const struct esse_gen_anomaly *esse_plant_find(const char *name);
/* The row of the table that the workload can express; NULL if it has none. */
const struct esse_gen_anomaly *esse_plant_of(const char *name, enum esse_gen_workload workload);

/* Sends its transactions, in keys far from those of real rows, and the order of its versions. */
bool esse_plant_play(const struct esse_gen_anomaly *anomaly, enum esse_gen_workload workload,
                     const struct esse_played *played, struct esse_error *err);

#endif
