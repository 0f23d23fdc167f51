#ifndef ESSE_HISTORY_BUILDER_H
#define ESSE_HISTORY_BUILDER_H

#include "history/history.h"

/*
 * The sink that makes a history.  It checks what needs the whole: names are unique, a key is not
 * both a register and a list, certificates name what exists.
 *
 * Life: new -> records -> freeze.  The values of the records are the builder's own
 * (esse_builder_sink(b)->values).  Cost: amortised O(1) an operation plus O(items) for a list
 * read; freeze O(transactions + keys).
 */
struct esse_sink *esse_builder_sink(struct esse_builder *builder);

/* Counts something dropped or assumed.  'text' must be a literal: it is kept and compared. */
void esse_builder_warn(struct esse_builder *builder, const char *text, uint64_t line);

/* Freezes under the name of a format.  'workload' is what the reader was given or found out;
 * ESSE_WORKLOAD_ANY lets the operations decide. */
bool esse_builder_freeze_as(struct esse_builder *builder, const char *format,
                            enum esse_workload workload, struct esse_history **out,
                            struct esse_error *err);

#endif
