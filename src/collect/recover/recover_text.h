#ifndef ESSE_COLLECT_RECOVER_RECOVER_TEXT_H
#define ESSE_COLLECT_RECOVER_RECOVER_TEXT_H

#include "collect/recover/change.h"

/* Numbers that servers write as texts, for the decoders and for drivers. */

/* An integer if the text is one of 64 bits as Esse prints them, else the text. */
esse_value esse_value_of_digits(struct esse_values *values, const char *text, size_t length);

/* CockroachDB's hybrid clock, "1700000000000000000.0000000001": nanoseconds and a counter.  A
 * question mark at the end, which old versions print for synthetic timestamps, is passed over. */
bool esse_hlc_parse(struct esse_span text, struct esse_stamp *stamp, struct esse_error *err);

#endif
