#ifndef ESSE_ENGINE_DSG_DSG_EXPLAIN_H
#define ESSE_ENGINE_DSG_DSG_EXPLAIN_H

#include "base/out.h"
#include "engine/dsg/dsg_component.h"

/* "the 5 that t3 appended", "the 5 that t3 wrote", "t3's delete" */
void dsg_show_written(struct esse_out *out, const struct versions *versions, key_access_id at);

/* One edge in words and operations. */
struct esse_edge dsg_explain_edge(struct known *known, const struct dsg_component *component,
                                  const struct dsg_edge *edge);

/* Puts a cycle into words and operations, and keeps it with the scan's anomalies. */
void dsg_explain(struct known *known, const struct dsg_component *component,
                 enum esse_anomaly_id type, const struct dsg_edge *const *cycle, uint32_t length);

#endif
