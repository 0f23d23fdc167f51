#ifndef ESSE_ENGINE_DSG_DSG_EXPLAIN_H
#define ESSE_ENGINE_DSG_DSG_EXPLAIN_H

#include "engine/dsg/dsg_component.h"

/* One edge in words and operations. */
struct esse_edge dsg_explain_edge(struct known *known, const struct dsg_component *component,
                                  const struct dsg_edge *edge);

/* Puts a cycle into words and operations, and keeps it with the scan's anomalies. */
void dsg_explain(struct known *known, const struct dsg_component *component,
                 enum esse_anomaly_id type, const struct dsg_edge *const *cycle, uint32_t length);

#endif
