#ifndef ESSE_CLI_WATCHING_LEVEL_H
#define ESSE_CLI_WATCHING_LEVEL_H

#include "base/out.h"
#include "mirror/mirror.h"

/* Whether there is something to say of a window: a violation that was not told before, or what it
 * means for findings of mechanisms. */
bool esse_watching_has_level(const struct esse_window_verdict *verdict);

/* Says it, as text or JSON. */
void esse_watching_put_level(struct esse_out *out, const struct esse_window_verdict *verdict,
                             bool as_json);

#endif
