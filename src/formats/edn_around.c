#include "formats/edn_around.h"

#include <stdio.h>

static bool at_end(struct esse_edn *edn, const struct esse_edn_around *around, bool *ended)
{
    char text[80];
    if (around->close && !around->done) {
        snprintf(text, sizeof text, "an operation or '%c'; the %s began at %llu:%llu",
                 around->close, around->close == ']' ? "vector" : "list",
                 (unsigned long long)around->open_line, (unsigned long long)around->open_column);
        return esse_edn_expected(edn, text);
    }
    edn->hungry = !edn->source->last;
    *ended = edn->source->last;
    return false;
}

bool esse_edn_at_operation(struct esse_edn *edn, struct esse_edn_around *around, bool is_first,
                           bool *ended)
{
    const char c = esse_edn_peek(edn);
    if (edn->failed || edn->hungry)
        return false;
    if (c == '\0' && edn->at >= edn->source->end)
        return at_end(edn, around, ended);
    if (around->done)
        return esse_edn_expected(edn, "nothing after the history");
    if (around->close && c == around->close) {
        around->done = true;
        edn->at++;
        return false;
    }
    if ((c == '[' || c == '(') && !around->close && is_first) {
        around->close = c == '[' ? ']' : ')';
        around->open_line = esse_source_line(edn->source, edn->at);
        around->open_column = edn->source->mark_column;
        edn->at++;
        return false;
    }
    return true;
}
