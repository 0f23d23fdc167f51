#ifndef ESSE_HISTORY_VALUE_JSON_H
#define ESSE_HISTORY_VALUE_JSON_H

#include "base/out.h"
#include "history/values.h"

/* Prints any value but a list as JSON.  Where JSON has no such kind: keywords, symbols, characters
 * and odd numbers become strings of their text, sets become lists, a tagged value the value. */
void esse_value_put_json(struct esse_out *out, const struct esse_values *values, esse_value value);

/* Prints a value as the text of a JSON string with its quotes: keys of objects. */
void esse_value_put_json_name(struct esse_out *out, const struct esse_values *values,
                              esse_value value);

#endif
