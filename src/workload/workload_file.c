#include "workload/workload_reading.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sections.  A line that begins in the first column begins one; indented lines belong to it and
 * hold its statements, each up to a semicolon.
 */
ESSE_VEC(template_vec, struct esse_template)

static bool read_number(struct workload_reading *p, struct workload_words *words, const char *what,
                        int64_t *number)
{
    const char *word = workload_word(p, words);
    char *end = NULL;
    errno = 0;
    if (word)
        *number = strtoll(word, &end, 10);
    return (word && *word && !*end && !errno) || workload_wrong(p, what, word);
}

/* ---- table NAME (KEY, COLUMN, ...), or table NAME ((KEY, KEY, ...), COLUMN, ...) ---- */

/* Names with commas between, up to a bracket; 'word' is the first of them. */
static bool read_columns(struct workload_reading *p, struct workload_words *words, const char *word,
                         struct workload_texts *columns)
{
    for (;; word = workload_word(p, words)) {
        if (!workload_is_name(word))
            return workload_wrong(p, "the name of a column", word);
        workload_texts_push(columns, p->arena, word);
        word = workload_word(p, words);
        if (!workload_is_sign(word, ','))
            return workload_is_sign(word, ')') || workload_wrong(p, "',' or ')'", word);
    }
}

/* The columns of the key, in brackets of their own, and what stands between them and the others:
 * 'word' is then the first of those, or the bracket that ends the table. */
static bool read_key(struct workload_reading *p, struct workload_words *words, const char **word,
                     struct workload_texts *columns)
{
    if (!read_columns(p, words, workload_word(p, words), columns))
        return false;
    *word = workload_word(p, words);
    if (!workload_is_sign(*word, ','))
        return workload_is_sign(*word, ')') || workload_wrong(p, "',' or ')'", *word);
    *word = workload_word(p, words);
    return workload_is_name(*word) || workload_wrong(p, "the name of a column", *word);
}

static void list_columns(struct workload_reading *p, const struct workload_texts *columns,
                         struct esse_own_table *table)
{
    table->list = columns->at[0];
    for (size_t i = 1; i < columns->count; i++)
        table->list = esse_arena_format(p->arena, "%s, %s", table->list, columns->at[i]);
    table->columns = columns->at;
    table->column_count = (uint32_t)columns->count;
}

static bool read_table(struct workload_reading *p, struct workload_words *words)
{
    struct esse_own_table table = { .name = workload_word(p, words), .key_count = 1 };
    struct workload_texts columns = { 0 };
    if (!workload_is_name(table.name))
        return workload_wrong(p, "the name of a table", table.name);
    const char *word = workload_word(p, words);
    if (!workload_is_sign(word, '('))
        return workload_wrong(p, "'(' and the table's columns, its primary key first", word);
    word = workload_word(p, words);
    if (workload_is_sign(word, '(')) {
        if (!read_key(p, words, &word, &columns))
            return false;
        table.key_count = (uint32_t)columns.count;
    }
    if (!workload_is_sign(word, ')') && !read_columns(p, words, word, &columns))
        return false;
    if (!columns.count)
        return workload_wrong(p, "the name of a column", word);
    list_columns(p, &columns, &table);
    workload_tables_push(&p->tables, p->arena, table);
    return workload_ends(p, words);
}

/* ---- param NAME KIND ... ---- */

static bool read_range(struct workload_reading *p, struct workload_words *words,
                       struct esse_param *param)
{
    enum { MOST = 100000000 };
    if (!read_number(p, words, "the least value, an integer", &param->low) ||
        !read_number(p, words, "the greatest value, an integer", &param->high))
        return false;
    if (param->low > param->high || (uint64_t)param->high - (uint64_t)param->low >= MOST)
        return esse_fail_at(p->err, p->where, 0,
                            "the greatest value must not be below the least, nor more than %d "
                            "above it",
                            MOST);
    if (param->kind == ESSE_PARAM_UNIFORM)
        return workload_ends(p, words);
    const char *word = workload_word(p, words);
    char *end = NULL;
    const double theta = word ? strtod(word, &end) : 0.99;
    if (word && (*end || !(theta >= 0 && theta <= 10)))
        return workload_wrong(p, "the skew, a number from 0 to 10", word);
    param->zipf = esse_zipf_new(p->arena, (uint32_t)(param->high - param->low + 1), theta);
    return workload_ends(p, words);
}

static bool read_choices(struct workload_reading *p, struct workload_words *words, bool is_one,
                         struct esse_param *param)
{
    struct workload_texts choices = { 0 };
    const char *word;
    do {
        if (!workload_is_literal(word = workload_word(p, words)))
            return workload_wrong(p, "a number or a 'text'", word);
        workload_texts_push(&choices, p->arena, word);
        word = workload_word(p, words);
    } while (!is_one && word && *word == ',');
    param->choices = choices.at;
    param->choice_count = (uint32_t)choices.count;
    return !word ||
           workload_wrong(p, is_one ? "the end of the line" : "',' and another choice", word);
}

static bool read_param(struct workload_reading *p, struct workload_words *words)
{
    static const char *const kinds[] = { "uniform", "zipf",    "unique",
                                         "choice",  "session", "constant" };
    struct esse_param param = { .name = workload_word(p, words) };
    unsigned kind = 0;
    bool ok;
    if (!workload_is_name(param.name))
        return workload_wrong(p, "the name of a parameter", param.name);
    const char *word = workload_word(p, words);
    while (word && kind < sizeof kinds / sizeof *kinds && strcmp(word, kinds[kind]) != 0)
        kind++;
    if (!word || kind == sizeof kinds / sizeof *kinds)
        return workload_wrong(p, "uniform, zipf, unique, choice, session or constant", word);
    const bool is_constant = strcmp(word, "constant") == 0;
    param.kind = is_constant ? ESSE_PARAM_CHOICE : (enum esse_param_kind)kind;
    if (param.kind <= ESSE_PARAM_ZIPF)
        ok = read_range(p, words, &param);
    else if (param.kind == ESSE_PARAM_CHOICE)
        ok = read_choices(p, words, is_constant, &param);
    else if (param.kind == ESSE_PARAM_SESSION && words->at < words->end)
        ok = read_number(p, words, "the first session's number, an integer", &param.low) &&
             workload_ends(p, words);
    else
        ok = workload_ends(p, words);
    workload_params_push(&p->params, p->arena, param);
    return ok;
}

/* ---- setup and teardown ---- */

static bool read_script(struct workload_reading *p, struct workload_words *words,
                        struct workload_texts *script)
{
    const char *end = workload_section_end(p->at), *from;
    size_t length;
    bool ok = workload_ends(p, words);
    while (ok && workload_statement(p, end, &from, &length, &ok)) {
        workload_texts_push(script, p->arena, workload_copy(p, from, length));
        if (script == &p->setup)
            esse_u32_vec_push(&p->setup_lines, p->arena, p->where);
    }
    return ok;
}

/* ---- transaction NAME [weight N] [read only] ---- */

static bool read_head(struct workload_reading *p, struct workload_words *words,
                      struct esse_file_txn *txn)
{
    int64_t weight = 1;
    if (!workload_is_name(txn->name = workload_word(p, words)))
        return workload_wrong(p, "the name of a transaction", txn->name);
    for (const char *word; (word = workload_word(p, words));) {
        if (strcmp(word, "weight") == 0) {
            if (!read_number(p, words, "a weight, an integer from 1 on", &weight))
                return false;
        } else if (strcmp(word, "read") == 0) {
            word = workload_word(p, words);
            if (!word || strcmp(word, "only") != 0)
                return workload_wrong(p, "'only' after 'read'", word);
            txn->is_read_only = true;
        } else {
            return workload_wrong(p, "weight N, or read only", word);
        }
    }
    txn->weight = (uint64_t)weight;
    return (weight >= 1 && weight <= 1000000) ||
           esse_fail_at(p->err, p->where, 0, "a weight must be from 1 to 1000000");
}

/* As it stands there, for the history. */
static uint32_t keep_statement(struct workload_reading *p, const char *from, size_t length)
{
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    workload_texts_push(&p->statements, p->arena, workload_copy(p, from, length));
    return (uint32_t)p->statements.count;
}

static bool read_statements(struct workload_reading *p, struct esse_file_txn *txn)
{
    struct template_vec templates = { 0 };
    const char *end = workload_section_end(p->at), *from;
    size_t length;
    bool ok = true;
    while (workload_statement(p, end, &from, &length, &ok)) {
        struct esse_template template;
        ok =
            p->script
                ? esse_template_whole(p->arena, p->file, from, length, p->where, &template, p->err)
                : esse_template_parse(p->arena, p->file, from, length, p->where, &template, p->err);
        if (ok && txn->is_read_only && template.kind >= ESSE_OWN_INSERT)
            ok = esse_fail_at(p->err, p->where, 0, "the transaction is read only, and this writes");
        if (!ok)
            break;
        template.number = keep_statement(p, from, length);
        template_vec_push(&templates, p->arena, template);
    }
    txn->templates = templates.at;
    txn->count = (uint32_t)templates.count;
    return ok;
}

static bool read_transaction(struct workload_reading *p, struct workload_words *words)
{
    struct esse_file_txn txn = { 0 };
    p->file->schema.tables = p->tables.at;
    p->file->schema.count = (uint32_t)p->tables.count;
    p->file->params = p->params.at;
    p->file->param_count = (uint32_t)p->params.count;
    if (!read_head(p, words, &txn) || !read_statements(p, &txn))
        return false;
    if (!txn.count)
        return esse_fail_at(p->err, p->where, 0,
                            "the transaction has no statements; they stand below it, indented");
    p->file->weight += txn.weight;
    workload_txns_push(&p->txns, p->arena, txn);
    return true;
}

/* ---- the file ---- */

static bool read_section(struct workload_reading *p)
{
    struct workload_words words = { p->at, p->at + strcspn(p->at, "\n") };
    p->where = p->line++;
    p->at = words.end + (*words.end == '\n');
    const char *word = workload_word(p, &words);
    if (!word || *word == '#')
        return true;
    if (strcmp(word, "table") == 0)
        return read_table(p, &words);
    if (strcmp(word, "param") == 0)
        return read_param(p, &words);
    if (strcmp(word, "setup") == 0)
        return read_script(p, &words, &p->setup);
    if (strcmp(word, "teardown") == 0)
        return read_script(p, &words, &p->teardown);
    if (strcmp(word, "transaction") == 0)
        return read_transaction(p, &words);
    if (strcmp(word, "procedure") == 0)
        return workload_read_procedure(p, &words);
    if (strcmp(word, "session") == 0)
        return workload_read_session(p, &words);
    if (strcmp(word, "invariant") == 0)
        return workload_read_invariant(p, &words);
    return workload_wrong(
        p, "table, param, setup, teardown, transaction, procedure, session or invariant", word);
}

static const char *const *finish_script(struct workload_reading *p, struct workload_texts *script)
{
    workload_texts_push(script, p->arena, NULL);
    return script->at;
}

bool workload_read(struct workload_reading *p)
{
    *p->file = (struct esse_workload_file){ 0 };
    while (*p->at)
        if (!read_section(p))
            return false;
    p->where = p->line;
    return p->txns.count || esse_fail_at(p->err, p->where, 0, "the file has no transaction");
}

bool esse_workload_file_parse(struct esse_arena *arena, const char *text,
                              struct esse_workload_file *file, struct esse_error *err)
{
    struct workload_reading p = { .arena = arena, .err = err, .file = file, .at = text, .line = 1 };
    if (!workload_read(&p))
        return false;
    file->txns = p.txns.at;
    file->txn_count = (uint32_t)p.txns.count;
    file->schema.statements = p.statements.at;
    file->schema.statement_count = (uint32_t)p.statements.count;
    file->schema.setup = finish_script(&p, &p.setup);
    file->schema.teardown = finish_script(&p, &p.teardown);
    return true;
}

bool esse_workload_file_load(struct esse_arena *arena, const char *path,
                             struct esse_workload_file *file, struct esse_error *err)
{
    enum { MOST = 1 << 20 };
    FILE *from = fopen(path, "r");
    if (!from)
        return esse_fail(err, ESSE_EIO, "cannot open '%s': %s", path, strerror(errno));
    char *text = esse_arena_alloc(arena, MOST + 1, 1);
    const size_t length = fread(text, 1, MOST, from);
    const bool is_whole = !ferror(from) && length < MOST;
    fclose(from);
    if (!is_whole)
        return esse_fail(err, ESSE_EIO, "cannot read '%s', or it has more than %d bytes", path,
                         MOST);
    if (strlen(text) != length)
        return esse_fail_at(err, 1, 0, "expected a text, found a byte 0");
    return esse_workload_file_parse(arena, text, file, err);
}
