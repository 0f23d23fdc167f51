#include "workload/sql_text.h"
#include "workload/workload_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * One statement of a workload file, taken apart just as far as recording it needs: its kind, its
 * table, what it sets, and everything from WHERE on.  What stands in the parts is the database's
 * and the SQL parser's business.
 */
ESSE_VEC(piece_vec, struct esse_piece)

struct taking {
    struct esse_arena *arena;
    const struct esse_workload_file *file;
    unsigned line;
    struct esse_error *err;
};

static bool wrong(struct taking *t, const char *expected, struct esse_part found)
{
    const int length = (int)(found.end - found.at > 40 ? 40 : found.end - found.at);
    return esse_fail_at(t->err, t->line, 0, "expected %s, found %s%.*s%s", expected,
                        length ? "'" : "the end of the statement", length, found.at,
                        length ? "'" : "");
}

static bool expect(struct taking *t, struct esse_part *part, const char *word)
{
    const struct esse_part found = esse_part_take_word(part);
    return esse_part_is(found, word) || wrong(t, word, found.at < found.end ? found : *part);
}

/* ---- parameters ---- */

static int find_param(const struct esse_workload_file *file, struct esse_part name)
{
    for (uint32_t i = 0; i < file->param_count; i++)
        if (esse_part_is(name, file->params[i].name))
            return (int)i;
    return ESSE_NO_PARAM;
}

/* Where the next :name stands; two colons are a cast. */
static const char *find_colon(struct esse_part part)
{
    char quote = 0;
    for (const char *at = part.at; at < part.end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else if (*at == ':' && at + 1 < part.end && at[1] == ':')
            at++;
        else if (*at == ':' && at + 1 < part.end && (isalpha((unsigned char)at[1]) || at[1] == '_'))
            return at;
    }
    return NULL;
}

static bool cut(struct taking *t, struct esse_part part, struct esse_pieces *out)
{
    struct piece_vec pieces = { 0 };
    for (const char *colon; (colon = find_colon(part));) {
        struct esse_part rest = { colon + 1, part.end };
        const struct esse_part name = esse_part_take_word(&rest);
        const int param = find_param(t->file, name);
        if (param == ESSE_NO_PARAM)
            return esse_fail_at(t->err, t->line, 0,
                                "there is no parameter '%.*s'; a line 'param %.*s ...' before the "
                                "transaction makes one",
                                (int)(name.end - name.at), name.at, (int)(name.end - name.at),
                                name.at);
        piece_vec_push(&pieces, t->arena,
                       (struct esse_piece){ part.at, (size_t)(colon - part.at), param });
        part.at = rest.at;
    }
    piece_vec_push(&pieces, t->arena,
                   (struct esse_piece){ part.at, (size_t)(part.end - part.at), ESSE_NO_PARAM });
    *out = (struct esse_pieces){ pieces.at, (uint32_t)pieces.count };
    return true;
}

/* ---- the parts ---- */

static bool take_table(struct taking *t, struct esse_part *part, uint32_t *table)
{
    const struct esse_part name = esse_part_take_word(part);
    if (name.at == name.end)
        return wrong(t, "the name of a table", *part);
    for (*table = 0; *table < t->file->schema.count; ++*table)
        if (esse_part_is(name, t->file->schema.tables[*table].name))
            return true;
    return esse_fail_at(t->err, t->line, 0,
                        "the table '%.*s' is not declared; a line 'table %.*s (KEY, COLUMN, ...)' "
                        "before the transaction does it",
                        (int)(name.end - name.at), name.at, (int)(name.end - name.at), name.at);
}

/* Which column of the key it is; their number if it is none of them. */
static uint32_t find_key_column(const struct esse_own_table *table, struct esse_part name)
{
    uint32_t i = 0;
    while (i < table->key_count && !esse_part_is(name, table->columns[i]))
        i++;
    return i;
}

/* Takes a literal or a parameter. */
static struct esse_part take_value(struct esse_part *part)
{
    struct esse_part value = *part = esse_part_trim(*part);
    if (part->at < part->end && *part->at == '\'') {
        do /* two quotes are one that is meant */
            part->at = esse_part_pass(part->at, part->end);
        while (part->at < part->end && *part->at == '\'');
    } else {
        const bool is_signed = part->at < part->end && (*part->at == ':' || *part->at == '-');
        part->at += is_signed;
        /* The name of a column is no value. */
        if ((is_signed && *value.at == ':') ||
            (part->at < part->end && isdigit((unsigned char)*part->at)))
            esse_part_take_word(part);
    }
    value.end = part->at;
    return value;
}

/* WHERE key = VALUE, of each column of the key once, and nothing else: the values, by column. */
static bool is_point(const struct esse_own_table *table, struct esse_part rest,
                     struct esse_part *values)
{
    for (uint32_t taken = 0; taken < table->key_count; taken++) {
        if (!esse_part_is(esse_part_take_word(&rest), taken ? "AND" : "WHERE"))
            return false;
        const uint32_t column = find_key_column(table, esse_part_take_word(&rest));
        rest = esse_part_trim(rest);
        if (column == table->key_count || values[column].at || rest.at == rest.end ||
            *rest.at++ != '=')
            return false;
        values[column] = take_value(&rest);
        if (values[column].at == values[column].end)
            return false;
    }
    rest = esse_part_trim(rest);
    return rest.at == rest.end;
}

static bool take_point(struct taking *t, struct esse_part rest, struct esse_template *out)
{
    const struct esse_own_table *table = &t->file->schema.tables[out->table];
    struct esse_part *values = esse_arena_alloc(t->arena, table->key_count, sizeof *values);
    if (out->kind == ESSE_OWN_AGGREGATE || !is_point(table, rest, values))
        return true;
    struct esse_pieces *point = esse_arena_alloc(t->arena, table->key_count, sizeof *point);
    for (uint32_t i = 0; i < table->key_count; i++)
        if (!cut(t, values[i], &point[i]))
            return false;
    out->point = point;
    return true;
}

/* Everything from WHERE on. */
static bool take_rest(struct taking *t, struct esse_part rest, struct esse_template *out)
{
    struct esse_part first = rest = esse_part_trim(rest), word = esse_part_take_word(&first);
    const bool is_select = out->kind <= ESSE_OWN_AGGREGATE;
    if (rest.at < rest.end && !esse_part_is(word, "WHERE") &&
        !(is_select && (esse_part_is(word, "ORDER") || esse_part_is(word, "LIMIT"))))
        return wrong(t, "WHERE", rest);
    return take_point(t, rest, out) && cut(t, rest, &out->rest);
}

static bool take_select(struct taking *t, struct esse_part part, struct esse_template *out)
{
    const char *from = esse_part_find(part, "FROM");
    if (!from)
        return wrong(t, "FROM", (struct esse_part){ part.end, part.end });
    struct esse_part list = esse_part_trim((struct esse_part){ part.at, from });
    part.at = from + strlen("FROM");
    if (list.at == list.end)
        return wrong(t, "* or columns or aggregates", (struct esse_part){ from, part.at });
    out->kind =
        memchr(list.at, '(', (size_t)(list.end - list.at)) ? ESSE_OWN_AGGREGATE : ESSE_OWN_SELECT;
    return take_table(t, &part, &out->table) && cut(t, list, &out->list) && take_rest(t, part, out);
}

static bool take_insert(struct taking *t, struct esse_part part, struct esse_template *out)
{
    if (!expect(t, &part, "INTO") || !take_table(t, &part, &out->table))
        return false;
    part = esse_part_trim(part);
    if (esse_part_find(part, "RETURNING"))
        return esse_fail_at(t->err, t->line, 0, "RETURNING is added by itself; leave it out");
    return cut(t, part, &out->rest) && (esse_part_find(part, "VALUES") || wrong(t, "VALUES", part));
}

/* The key of a row is its name in the history: it must not change. */
static bool check_set(struct taking *t, struct esse_part set, const struct esse_own_table *table)
{
    bool begins = true;
    for (const char *at = set.at; at < set.end; at = esse_part_pass(at, set.end)) {
        struct esse_part word = { at, set.end };
        const uint32_t column =
            begins ? find_key_column(table, esse_part_take_word(&word)) : UINT32_MAX;
        if (column < table->key_count)
            return esse_fail_at(t->err, t->line, 0, "the key '%s' of a row cannot be set",
                                table->columns[column]);
        begins = *at == ',' || (begins && isspace((unsigned char)*at));
    }
    return set.at < set.end || wrong(t, "columns to set", set);
}

static bool take_update(struct taking *t, struct esse_part part, struct esse_template *out)
{
    if (!take_table(t, &part, &out->table) || !expect(t, &part, "SET"))
        return false;
    const char *where = esse_part_find(part, "WHERE");
    struct esse_part set = esse_part_trim((struct esse_part){ part.at, where ? where : part.end });
    part.at = where ? where : part.end;
    return check_set(t, set, &t->file->schema.tables[out->table]) && cut(t, set, &out->set) &&
           take_rest(t, part, out);
}

bool esse_template_parse(struct esse_arena *arena, const struct esse_workload_file *file,
                         const char *text, size_t length, unsigned line, struct esse_template *out,
                         struct esse_error *err)
{
    struct taking t = { arena, file, line, err };
    struct esse_part part = { text, text + length };
    const struct esse_part verb = esse_part_take_word(&part);
    *out = (struct esse_template){ .line = line };
    if (esse_part_is(verb, "SELECT"))
        return take_select(&t, part, out);
    if (esse_part_is(verb, "INSERT")) {
        out->kind = ESSE_OWN_INSERT;
        return take_insert(&t, part, out);
    }
    if (esse_part_is(verb, "UPDATE")) {
        out->kind = ESSE_OWN_UPDATE;
        return take_update(&t, part, out);
    }
    if (esse_part_is(verb, "DELETE")) {
        out->kind = ESSE_OWN_DELETE;
        return expect(&t, &part, "FROM") && take_table(&t, &part, &out->table) &&
               take_rest(&t, part, out);
    }
    return wrong(&t, "SELECT, INSERT, UPDATE or DELETE", verb.at < verb.end ? verb : part);
}

bool esse_template_whole(struct esse_arena *arena, const struct esse_workload_file *file,
                         const char *text, size_t length, unsigned line, struct esse_template *out,
                         struct esse_error *err)
{
    struct taking t = { arena, file, line, err };
    *out = (struct esse_template){ .line = line };
    return cut(&t, (struct esse_part){ text, text + length }, &out->whole);
}
