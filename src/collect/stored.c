#include "collect/stored.h"

#include <stdlib.h>
#include <string.h>

void esse_live_parse_list(struct esse_live_items *items, struct esse_arena *arena, const char *text)
{
    for (const char *at = text; *at;) {
        char *end;
        esse_live_items_push(items, arena, strtoll(at, &end, 10));
        at = *end == ',' ? end + 1 : "";
    }
}

int64_t esse_live_last_item(const char *text, size_t length)
{
    size_t from = length;
    while (from > 0 && text[from - 1] != ',')
        from--;
    char digits[24];
    const size_t count = length - from;
    if (!count || count >= sizeof digits)
        return ESSE_ABSENT;
    memcpy(digits, text + from, count);
    digits[count] = 0;
    return strtoll(digits, NULL, 10);
}

bool esse_live_find_table(const struct esse_schema *schema, struct esse_span name, uint32_t *table)
{
    static const char prefix[] = "esse_";
    const size_t before = sizeof prefix - 1;
    *table = schema->count;
    if (name.length <= before || memcmp(name.at, prefix, before) != 0)
        return false;
    for (uint32_t t = 0; t < schema->count && *table == schema->count; t++)
        if (strlen(schema->tables[t].name) == name.length - before &&
            !memcmp(schema->tables[t].name, name.at + before, name.length - before))
            *table = t;
    return *table < schema->count;
}
