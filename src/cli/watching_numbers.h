#ifndef ESSE_CLI_WATCHING_NUMBERS_H
#define ESSE_CLI_WATCHING_NUMBERS_H

#include "cli/session.h"
#include "cli/watching.h"

/*
 * What has been counted, told once a second and at the end: as a line on the terminal, or as JSON
 * lines.  Both go through the table of counters.
 */
struct esse_numbers {
    const struct esse_watching *watching;
    struct esse_session *session;
    struct esse_out *out;
    double started, told;
    struct esse_mirror_counters before; /* as of 'told' */
};

void esse_numbers_start(struct esse_numbers *numbers, struct esse_session *session,
                        struct esse_out *out, const struct esse_watching *watching);
/* Is a second over?  Cheap enough to be asked at every event. */
bool esse_numbers_are_due(const struct esse_numbers *numbers);
void esse_numbers_every_second(struct esse_numbers *numbers, const struct esse_mirror_counters *now,
                               const struct esse_mirror *mirror);
void esse_numbers_at_the_end(struct esse_numbers *numbers, const struct esse_mirror_counters *now,
                             const struct esse_mirror *mirror);

#endif
