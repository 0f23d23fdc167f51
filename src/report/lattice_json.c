#include "report/lattice.h"

/*
 * The JSON of 'esse levels --json'.  A list of names is on one line, everything else on its own,
 * so that two versions of it can be compared with diff.
 */

/* A member's comma, line, indent and name. */
static void member(struct esse_out *out, bool first, const char *name)
{
    esse_out_text(out, first ? "\n      " : ",\n      ");
    esse_out_json_text(out, name);
    esse_out_text(out, ": ");
}

static void text(struct esse_out *out, const char *value)
{
    if (value)
        esse_out_json_text(out, value);
    else
        esse_out_text(out, "null");
}

static void text_member(struct esse_out *out, const char *name, const char *value)
{
    member(out, false, name);
    text(out, value);
}

static void bool_member(struct esse_out *out, const char *name, bool value)
{
    member(out, false, name);
    esse_out_text(out, value ? "true" : "false");
}

static void names_member(struct esse_out *out, const char *name, const char *const *names,
                         size_t most)
{
    member(out, false, name);
    esse_out_char(out, '[');
    for (size_t i = 0; i < most && names[i]; i++) {
        esse_out_text(out, i ? ", " : "");
        text(out, names[i]);
    }
    esse_out_char(out, ']');
}

/* Names of levels or of anomalies on their way to a list. */
struct names {
    const char *at[ESSE_LEVEL_END + ESSE_ANOMALY_END];
    size_t count;
};

static void levels_member(struct esse_out *out, const char *name, const struct esse_level *level,
                          bool (*implies)(const struct esse_level *, const struct esse_level *))
{
    struct names names = { .count = 0 };
    for (size_t i = 0; i < esse_level_count(); i++)
        if (implies(level, esse_level_at(i)))
            names.at[names.count++] = esse_level_at(i)->name;
    names_member(out, name, names.at, names.count);
}

static void example_member(struct esse_out *out, const char *name, struct esse_example example)
{
    member(out, false, name);
    esse_out_text(out, "{ \"history\": ");
    text(out, example.history);
    esse_out_text(out, ", \"why\": ");
    text(out, example.why);
    esse_out_text(out, " }");
}

static const char *family_name(enum esse_level_family family)
{
    static const char *const names[] = {
        [ESSE_FAMILY_DEPENDENCY] = "dependency-graph",
        [ESSE_FAMILY_COMMIT_ORDER] = "commit-order",
        [ESSE_FAMILY_OPERATIONS] = "operations",
        [ESSE_FAMILY_OTHER] = "other",
    };
    return names[family];
}

static void implies_members(struct esse_out *out, const struct esse_level *level)
{
    member(out, false, "implies");
    esse_out_char(out, '[');
    for (size_t i = 0; level->implies[i].to; i++) {
        esse_out_text(out, i ? ", { \"level\": " : "{ \"level\": ");
        text(out, esse_level_get(level->implies[i].to)->name);
        const bool always = level->implies[i].kind == ESSE_IMPLIES_ALWAYS;
        esse_out_f(out, ", \"kind\": \"%s\", \"cover\": %s }", always ? "always" : "plain",
                   esse_level_is_cover(level, i) ? "true" : "false");
    }
    esse_out_char(out, ']');

    levels_member(out, "implies_closure", level, esse_level_implies);
    levels_member(out, "implies_elle_closure", level, esse_level_implies_elle);
}

static void forbids_members(struct esse_out *out, const struct esse_level *level)
{
    struct names direct = { .count = 0 }, all = { .count = 0 };
    enum esse_anomaly_id id;
    for (size_t at = 0; (id = esse_level_names(level, at)) != ESSE_ANOMALY_NONE; at++)
        direct.at[direct.count++] = esse_anomaly_get(id)->name;
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        if (esse_level_forbids(level, esse_anomaly_at(i)))
            all.at[all.count++] = esse_anomaly_at(i)->name;
    names_member(out, "forbids", direct.at, direct.count);
    names_member(out, "forbids_closure", all.at, all.count);
}

static void level_object(struct esse_out *out, const struct esse_level *level)
{
    const struct esse_level_notes *notes = esse_level_notes_of(level);
    esse_out_char(out, '{');
    member(out, true, "name");
    text(out, level->name);
    text_member(out, "friendly", level->friendly);
    text_member(out, "elle_name", level->is_own ? NULL : esse_level_elle_name(level));
    names_member(out, "aliases", level->aliases, sizeof level->aliases / sizeof *level->aliases);
    text_member(out, "family", family_name(level->family));
    bool_member(out, "own", level->is_own);
    bool_member(out, "needs_session_order", level->needs_session_order);
    bool_member(out, "needs_real_time", level->needs_real_time);
    text_member(out, "base", esse_level_base(level) ? esse_level_base(level)->name : NULL);
    implies_members(out, level);
    forbids_members(out, level);
    text_member(out, "definition", level->definition);
    text_member(out, "source", level->source);
    example_member(out, "forbidden_example", notes->forbidden);
    example_member(out, "allowed_example", notes->allowed);
    names_member(out, "databases", notes->databases,
                 sizeof notes->databases / sizeof *notes->databases);
    esse_out_text(out, "\n    }");
}

static void anomaly_object(struct esse_out *out, const struct esse_anomaly_type *type)
{
    const char *const *not_levels, *const *also_not;
    uint32_t not_count, also_count;
    esse_level_boundary(out->arena, &type, 1, NULL, 0, &not_levels, &not_count, &also_not,
                        &also_count);

    esse_out_char(out, '{');
    member(out, true, "name");
    text(out, type->name);
    names_member(out, "aliases", type->aliases, sizeof type->aliases / sizeof *type->aliases);
    bool_member(out, "own", type->is_own);
    bool_member(out, "umbrella", type->shown_by == ESSE_SHOWN_BY_NOTHING);
    bool_member(out, "points", type->is_about_points);
    struct names direct = { .count = 0 }, all = { .count = 0 };
    for (const enum esse_anomaly_id *id = type->implies; *id; id++)
        direct.at[direct.count++] = esse_anomaly_get(*id)->name;
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        if (esse_anomaly_implies(type, esse_anomaly_at(i)))
            all.at[all.count++] = esse_anomaly_at(i)->name;
    names_member(out, "implies", direct.at, direct.count);
    names_member(out, "implies_closure", all.at, all.count);
    names_member(out, "not", not_levels, not_count);
    names_member(out, "also_not", also_not, also_count);
    text_member(out, "definition", type->definition);
    text_member(out, "source", type->source);
    example_member(out, "example", type->example);
    esse_out_text(out, "\n    }");
}

void esse_lattice_json(struct esse_out *out)
{
    esse_out_text(out, "{\n  \"levels\": [\n    ");
    for (size_t i = 0; i < esse_level_count(); i++) {
        esse_out_text(out, i ? ",\n    " : "");
        level_object(out, esse_level_at(i));
    }
    esse_out_text(out, "\n  ],\n  \"anomalies\": [\n    ");
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        esse_out_text(out, i ? ",\n    " : "");
        anomaly_object(out, esse_anomaly_at(i));
    }
    esse_out_text(out, "\n  ]\n}\n");
}

void esse_lattice_level_json(struct esse_out *out, const struct esse_level *level)
{
    esse_out_text(out, "{\n  \"level\":\n    ");
    level_object(out, level);
    esse_out_text(out, "\n}\n");
}

void esse_lattice_anomaly_json(struct esse_out *out, const struct esse_anomaly_type *type)
{
    esse_out_text(out, "{\n  \"anomaly\":\n    ");
    anomaly_object(out, type);
    esse_out_text(out, "\n}\n");
}
