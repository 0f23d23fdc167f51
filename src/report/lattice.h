#ifndef ESSE_REPORT_LATTICE_H
#define ESSE_REPORT_LATTICE_H

#include "base/out.h"
#include "level/level.h"

/*
 * The levels and anomalies for people and programs: as text for a terminal, JSON, a DOT graph, a
 * picture drawn here, and the page docs/levels.md.  All of it is made from the tables in level/,
 * and the same bytes come out every time.
 *
 * Memory goes to the arena of 'out'.  Cost: the picture takes some milliseconds to lay out, the
 * rest is as fast as it can be written.
 */

void esse_lattice_text(struct esse_out *out);
void esse_lattice_json(struct esse_out *out);
void esse_lattice_dot(struct esse_out *out);
void esse_lattice_svg(struct esse_out *out);
/* The drawing alone, for a page that gives the colours: each level is a <g class="level STATE"
 * data-level="NAME"> that can be chosen, with the state at its place in the table of levels. */
void esse_lattice_svg_of(struct esse_out *out, const char *const *states);
void esse_lattice_markdown(struct esse_out *out);

/* One level, one anomaly. */
void esse_lattice_level_text(struct esse_out *out, const struct esse_level *level);
void esse_lattice_level_json(struct esse_out *out, const struct esse_level *level);
void esse_lattice_anomaly_text(struct esse_out *out, const struct esse_anomaly_type *type);
void esse_lattice_anomaly_json(struct esse_out *out, const struct esse_anomaly_type *type);

/* The sections in which the levels are listed.  Each level is in exactly one. */
struct esse_lattice_group {
    const char *title;
    const char *about; /* a sentence */
    enum esse_level_family family;
    bool has_sessions, has_time; /* of dependency graphs: what counts in them */
};
extern const struct esse_lattice_group esse_lattice_groups[]; /* ends with a null title */
bool esse_lattice_group_has(const struct esse_lattice_group *group, const struct esse_level *level);

#endif
