#include "report/report_plain.h"

#include "base/arena.h"
#include "history/show.h"
#include "level/plain.h"
#include "report/report_words.h"

#include <string.h>
#include <strings.h>

enum { COLUMNS = 100, DATABASES = 3 };

/* ---- which databases prevent it ---- */

/* Does an entry of the table speak of the product that the history was recorded from?  The header
 * says "postgresql 15.3", the entry "PostgreSQL: REPEATABLE READ". */
static bool is_about(const char *entry, struct esse_span product)
{
    const size_t length = strcspn(entry, ":");
    size_t word = 0;
    while (word < product.length && product.at[word] != ' ')
        word++;
    for (size_t i = 0; word && i + word <= length; i++)
        if (strncasecmp(entry + i, product.at, word) == 0)
            return true;
    return false;
}

static void put_databases(struct esse_out *out, const struct esse_history *history,
                          const struct esse_level *level)
{
    const struct esse_level_notes *notes = esse_level_notes_of(level);
    const esse_value db = history ? history->header.db : ESSE_NONE;
    char room[8];
    const struct esse_span product = history && !esse_value_eq(db, ESSE_NONE)
                                         ? esse_value_text(history->values, db, room)
                                         : (struct esse_span){ "", 0 };
    unsigned shown = 0;
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; notes->databases[i] && shown < DATABASES; i++)
            if (is_about(notes->databases[i], product) == (first == 1))
                esse_out_f(out, "%s%s", shown++ ? "; " : " (", notes->databases[i]);
    esse_out_text(out, shown ? ")" : "");
}

/* "It must not happen at snapshot-isolation (PostgreSQL: REPEATABLE READ; ...) or above." */
static void put_prevention(struct esse_out *out, const struct esse_history *history,
                           const struct esse_anomaly_type *type)
{
    const struct esse_level *level = esse_anomaly_prevented_by(type);
    if (!level) {
        esse_out_text(out, " No level forbids it.");
        return;
    }
    esse_out_f(out, " It must not happen at %s", level->friendly);
    put_databases(out, history, level);
    esse_out_text(out, " or above.");
}

/* ---- the paragraph ---- */

const char *esse_plain_words(struct esse_arena *arena, const struct esse_history *history,
                             enum esse_anomaly_id type)
{
    const struct esse_anomaly_type *found = esse_anomaly_get(type);
    struct esse_plain plain;
    struct esse_out out;
    if (!esse_anomaly_plain(found, &plain))
        return NULL;
    esse_out_init_memory(&out, arena);
    esse_out_f(&out, "In plain words: %s%s", plain.happened, plain.also);
    put_prevention(&out, history, found);
    esse_out_f(&out, " What to do: %s", plain.remedy);
    return esse_out_memory(&out);
}

void esse_plain_put(struct esse_out *out, const char *words, unsigned indent)
{
    const char *line;
    while ((line = esse_words_line(out->arena, &words, COLUMNS - indent)))
        esse_out_f(out, "%*s%s\n", (int)indent, "", line);
}

/* ---- repeatable read ---- */

static bool is_repeatable_read(const char *name)
{
    const struct esse_level *level = esse_level_find(name);
    return level && level->id == ESSE_LEVEL_REPEATABLE_READ;
}

const char *esse_plain_note(const struct esse_result *result)
{
    bool is_met = false;
    for (uint32_t i = 0; i < result->verdict_count; i++)
        is_met |= result->verdicts[i].level == ESSE_LEVEL_REPEATABLE_READ;
    for (uint32_t i = 0; i < result->not_count; i++)
        is_met |= is_repeatable_read(result->not_levels[i]);
    return is_met ? esse_repeatable_read_note : NULL;
}
