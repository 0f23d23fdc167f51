#include "report/lattice.h"

/* Text for a terminal of at least 80 columns, the last of which is for a comma. */

enum { COLUMNS = 79, LABEL = 14, NAME = 34 };

/* A paragraph being filled: 'at' is the column reached, 'indent' where its lines begin. */
struct fill {
    struct esse_out *out;
    unsigned indent, at;
};

/* Columns that UTF-8 text takes: its bytes but the continuation bytes. */
static unsigned width_of(const char *text, size_t length)
{
    unsigned width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static void spaces(struct esse_out *out, unsigned count)
{
    while (count-- > 0)
        esse_out_char(out, ' ');
}

static void fill_word(struct fill *fill, const char *word, size_t length)
{
    const unsigned width = width_of(word, length);
    if (fill->at > fill->indent && fill->at + 1 + width > COLUMNS) {
        esse_out_char(fill->out, '\n');
        spaces(fill->out, fill->indent);
        fill->at = fill->indent;
    }
    if (fill->at > fill->indent) {
        esse_out_char(fill->out, ' ');
        fill->at++;
    }
    esse_out_bytes(fill->out, word, length);
    fill->at += width;
}

static void fill_text(struct fill *fill, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (length)
            fill_word(fill, text, length);
        text += length + (text[length] == ' ');
    }
}

/* One of a list; the comma belongs to the word before it. */
static void fill_item(struct fill *fill, unsigned *count, const char *text)
{
    if ((*count)++) {
        esse_out_char(fill->out, ',');
        fill->at++;
    }
    fill_text(fill, text);
}

/* A paragraph after a label that stands in the margin. */
static struct fill labelled(struct esse_out *out, const char *label)
{
    esse_out_text(out, label);
    spaces(out, LABEL - (unsigned)strlen(label));
    return (struct fill){ out, LABEL, LABEL };
}

static void labelled_text(struct esse_out *out, const char *label, const char *text)
{
    struct fill fill = labelled(out, label);
    fill_text(&fill, text);
    esse_out_char(out, '\n');
}

static void example(struct esse_out *out, const char *label, struct esse_example what)
{
    labelled_text(out, label, what.history);
    labelled_text(out, "", what.why);
}

/* The implications of one kind that the others do not yield; false if there are none. */
static bool implications(struct fill *fill, const struct esse_level *level,
                         enum esse_implies_kind kind, const char *before)
{
    unsigned count = 0;
    for (size_t i = 0; level->implies[i].to; i++) {
        if (level->implies[i].kind != kind || !esse_level_is_cover(level, i))
            continue;
        if (!count)
            fill_text(fill, before);
        fill_item(fill, &count, esse_level_get(level->implies[i].to)->friendly);
    }
    return count > 0;
}

/* The friendly name, and the canonical one where the column has room for it. */
static void level_name(struct esse_out *out, const struct esse_level *level)
{
    const char *mark = level->is_own ? "*" : "";
    size_t width = strlen(level->friendly) + strlen(mark);
    esse_out_f(out, "  %s%s", level->friendly, mark);
    if (strcmp(level->name, level->friendly) != 0 && width + strlen(level->name) + 3 <= NAME) {
        esse_out_f(out, " (%s)", level->name);
        width += strlen(level->name) + 3;
    }
    if (level->implies[0].to)
        spaces(out, NAME - (unsigned)width);
}

static void level_line(struct esse_out *out, const struct esse_level *level)
{
    level_name(out, level);
    if (level->implies[0].to)
        esse_out_text(out, " → ");
    struct fill fill = { out, NAME + 5, NAME + 5 };
    implications(&fill, level, ESSE_IMPLIES_ALWAYS, "");
    fill.at = COLUMNS; /* those of the other kind begin a line */
    fill.indent = NAME + 3;
    implications(&fill, level, ESSE_IMPLIES_PLAIN, "⇢");
    esse_out_char(out, '\n');
}

void esse_lattice_text(struct esse_out *out)
{
    esse_out_text(out, "Isolation levels, strongest first. An arrow leads to the levels that "
                       "hold as well,\nand from there on to whatever those lead to.\n");
    for (const struct esse_lattice_group *group = esse_lattice_groups; group->title; group++) {
        esse_out_f(out, "\n%s\n", group->title);
        for (size_t i = 0; i < esse_level_count(); i++)
            if (esse_lattice_group_has(group, esse_level_at(i)))
                level_line(out, esse_level_at(i));
    }
    esse_out_text(out, "\n⇢ only if every transaction is its own session      "
                       "* Esse's own, not in Elle\n"
                       "'esse levels NAME' explains a level or an anomaly.\n");
}

static void title(struct esse_out *out, const char *name, const char *second,
                  const char *const *aliases, size_t most)
{
    unsigned count = 0;
    struct fill fill = { out, 0, 0 };
    fill_text(&fill, name);
    if (second || aliases[0])
        esse_out_text(out, " (");
    fill.at = fill.indent;
    if (second)
        fill_item(&fill, &count, second);
    for (size_t i = 0; i < most && aliases[i]; i++)
        fill_item(&fill, &count, aliases[i]);
    esse_out_text(out, second || aliases[0] ? ")\n\n" : "\n\n");
}

static bool has_plain(const struct esse_level *level)
{
    bool found = false;
    for (const struct esse_implication *edge = level->implies; edge->to; edge++)
        found |= edge->kind == ESSE_IMPLIES_PLAIN;
    return found;
}

static void implied_by(struct esse_out *out, const struct esse_level *level)
{
    unsigned count = 0;
    struct fill fill = labelled(out, "Implied by");
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *other = esse_level_at(i);
        for (size_t at = 0; other->implies[at].to; at++)
            if (other->implies[at].to == level->id && esse_level_is_cover(other, at) &&
                other->implies[at].kind == ESSE_IMPLIES_ALWAYS)
                fill_item(&fill, &count, other->friendly);
    }
    esse_out_text(out, count ? "\n" : "nothing\n");
}

static void ruled_out_by(struct esse_out *out, const struct esse_level *level)
{
    unsigned count = 0;
    struct fill fill = labelled(out, "Ruled out by");
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const struct esse_anomaly_type *type = esse_anomaly_at(i);
        if (type->shown_by != ESSE_SHOWN_BY_NOTHING && esse_level_forbids(level, type))
            fill_item(&fill, &count, type->name);
    }
    esse_out_text(out, count ? "\n" : "no single anomaly; it is decided by its definition\n");
}

void esse_lattice_level_text(struct esse_out *out, const struct esse_level *level)
{
    const struct esse_level_notes *notes = esse_level_notes_of(level);
    const bool same = strcmp(level->name, level->friendly) == 0;
    title(out, level->friendly, same ? NULL : level->name, level->aliases,
          sizeof level->aliases / sizeof *level->aliases);
    struct fill fill = { out, 0, 0 };
    fill_text(&fill, level->definition);
    esse_out_text(out, "\n\n");
    labelled_text(out, "Source", level->source);

    struct fill implies = labelled(out, "Implies");
    const bool always = implications(&implies, level, ESSE_IMPLIES_ALWAYS, "");
    esse_out_text(out, always ? "\n" : "nothing else\n");
    if (has_plain(level)) {
        struct fill plain = labelled(out, "");
        implications(&plain, level, ESSE_IMPLIES_PLAIN,
                     "and, if every transaction is alone in its "
                     "session,");
        esse_out_char(out, '\n');
    }
    implied_by(out, level);
    ruled_out_by(out, level);

    esse_out_char(out, '\n');
    example(out, "Forbids", notes->forbidden);
    esse_out_char(out, '\n');
    example(out, "Allows", notes->allowed);
    if (notes->databases[0])
        esse_out_char(out, '\n');
    for (size_t i = 0; notes->databases[i]; i++)
        labelled_text(out, i ? "" : "Databases", notes->databases[i]);
}

static void names(struct esse_out *out, const char *label, const char *const *levels,
                  uint32_t count, const char *none)
{
    unsigned written = 0;
    struct fill fill = labelled(out, label);
    for (uint32_t i = 0; i < count; i++)
        fill_item(&fill, &written, levels[i]);
    esse_out_text(out, written ? "" : none);
    esse_out_char(out, '\n');
}

void esse_lattice_anomaly_text(struct esse_out *out, const struct esse_anomaly_type *type)
{
    const char *const *not_levels, *const *also_not;
    uint32_t not_count, also_count;
    esse_level_boundary(out->arena, &type, 1, NULL, 0, &not_levels, &not_count, &also_not,
                        &also_count);

    title(out, type->name, NULL, type->aliases, sizeof type->aliases / sizeof *type->aliases);
    struct fill fill = { out, 0, 0 };
    fill_text(&fill, type->definition);
    esse_out_text(out, "\n\n");
    labelled_text(out, "Source", type->source);
    names(out, "Rules out", not_levels, not_count, "no level");
    if (also_count)
        names(out, "and so also", also_not, also_count, "");
    esse_out_char(out, '\n');
    example(out, "Example", type->example);
}
