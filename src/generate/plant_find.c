#include "base/error.h"
#include "generate/plant.h"

#include <stdlib.h>
#include <string.h>

/* Plants as users name them. */

const struct esse_gen_anomaly *esse_plant_find(const char *name)
{
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

const struct esse_gen_anomaly *esse_plant_of(const char *name, enum esse_gen_workload workload)
{
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
        if (strcmp(row->name, name) == 0 && row->workloads & 1u << workload)
            return row;
    return NULL;
}

static bool find_anomaly(const char *name, enum esse_gen_workload workload,
                         const struct esse_gen_anomaly **out, struct esse_error *err)
{
    unsigned others = 0;
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++) {
        if (strcmp(row->name, name) != 0)
            continue;
        if (row->workloads & 1u << workload) {
            *out = row;
            return true;
        }
        others |= row->workloads;
    }
    if (!others)
        return esse_fail(err, ESSE_EUSAGE, "unknown anomaly '%s'; --anomaly help lists them", name);
    char list[80] = "";
    for (unsigned i = 0; i < ESSE_GEN_WORKLOADS; i++)
        if (others & 1u << i) {
            strcat(list, *list ? ", " : "");
            strcat(list, esse_gen_workload_names[i]);
        }
    return esse_fail(err, ESSE_EUSAGE, "%s cannot express %s; these can: %s",
                     esse_gen_workload_names[workload], name, list);
}

/* "50%", "0.5" or "1234". */
static bool read_position(const char *text, uint64_t txns, uint64_t *at, struct esse_error *err)
{
    char *end;
    double number = strtod(text, &end);
    const bool is_percent = *end == '%' && end[1] == '\0', is_number = *end == '\0';
    if (end == text || !(is_percent || is_number) || !(number >= 0))
        return esse_fail(err, ESSE_EUSAGE, "'%s' is not a position: 0.5, 50%% or a number", text);
    if (is_percent)
        number = number / 100 * (double)txns;
    else if (strchr(text, '.'))
        number *= (double)txns;
    if (number > (double)txns)
        return esse_fail(err, ESSE_EUSAGE, "position '%s' is beyond the last transaction", text);
    *at = (uint64_t)number;
    return true;
}

/* Keeps the plants by position; those at one position stay in the order given. */
static void insert_plant(struct esse_gen_plant *plants, size_t count, struct esse_gen_plant plant)
{
    for (; count > 0 && plants[count - 1].at > plant.at; count--)
        plants[count] = plants[count - 1];
    plants[count] = plant;
}

bool esse_gen_plants_parse(struct esse_arena *arena, const char *text,
                           struct esse_gen_options *options, struct esse_error *err)
{
    size_t most = 1, count = 0;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    struct esse_gen_plant *plants = esse_arena_alloc(arena, most, sizeof *plants);
    char *rest = esse_arena_text(arena, text, strlen(text));
    for (char *name; (name = strsep(&rest, ","));) {
        char *position = strchr(name, '@');
        if (position)
            *position++ = '\0';
        struct esse_gen_plant plant = { 0 };
        if (!find_anomaly(name, esse_gen_data(options->workload), &plant.anomaly, err) ||
            !read_position(position ? position : "50%", options->txns, &plant.at, err))
            return false;
        insert_plant(plants, count++, plant);
    }
    options->plants = plants;
    options->plant_count = count;
    return true;
}
