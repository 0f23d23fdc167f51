#include "workload/workload_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sections.  A line that begins in the first column begins one; indented lines belong to it and
 * hold its statements, each up to a semicolon.
 */
ESSE_VEC(table_vec, struct esse_own_table)
ESSE_VEC(param_vec, struct esse_param)
ESSE_VEC(txn_vec, struct esse_file_txn)
ESSE_VEC(template_vec, struct esse_template)
ESSE_VEC(word_vec, const char *)

struct parsing {
    struct esse_arena *arena;
    struct esse_error *err;
    struct esse_workload_file *file;
    const char *at; /* the rest of the text ... */
    unsigned line;  /* ... which begins in this line */
    unsigned where; /* the line of what is being read */
    struct table_vec tables;
    struct param_vec params;
    struct txn_vec txns;
    struct word_vec setup, teardown, statements;
};

/* ---- words of a line ---- */

/* What is left of the first line of a section. */
struct words {
    const char *at, *end;
};

static const char *copy(struct parsing *p, const char *at, size_t length)
{
    return esse_arena_format(p->arena, "%.*s", (int)length, at);
}

/* The next word, a quoted text or one of ( ) , ; NULL at the end of the line. */
static const char *next_word(struct parsing *p, struct words *words)
{
    while (words->at < words->end && isspace((unsigned char)*words->at))
        words->at++;
    const char *from = words->at;
    if (from == words->end)
        return NULL;
    if (*from == '\'') {
        do { /* two quotes are one that is meant */
            words->at++;
            while (words->at < words->end && *words->at != '\'')
                words->at++;
            words->at += words->at < words->end;
        } while (words->at < words->end && *words->at == '\'');
    } else if (strchr("(),", *from)) {
        words->at++;
    } else {
        while (words->at < words->end && !isspace((unsigned char)*words->at) &&
               !strchr("(),", *words->at))
            words->at++;
    }
    return copy(p, from, (size_t)(words->at - from));
}

static bool is_name(const char *word)
{
    if (!word || (!isalpha((unsigned char)*word) && *word != '_'))
        return false;
    while (isalnum((unsigned char)*word) || *word == '_')
        word++;
    return !*word;
}

static bool wrong(struct parsing *p, const char *expected, const char *found)
{
    return esse_fail_at(p->err, p->where, 0, "expected %s, found %s%s%s", expected,
                        found ? "'" : "the end of the line", found ? found : "", found ? "'" : "");
}

static bool ends(struct parsing *p, struct words *words)
{
    const char *word = next_word(p, words);
    return !word || wrong(p, "the end of the line", word);
}

static bool read_number(struct parsing *p, struct words *words, const char *what, int64_t *number)
{
    const char *word = next_word(p, words);
    char *end = NULL;
    errno = 0;
    if (word)
        *number = strtoll(word, &end, 10);
    return (word && *word && !*end && !errno) || wrong(p, what, word);
}

/* ---- table NAME (KEY, COLUMN, ...), or table NAME ((KEY, KEY, ...), COLUMN, ...) ---- */

static bool is_sign(const char *word, char sign)
{
    return word && *word == sign;
}

/* Names with commas between, up to a bracket; 'word' is the first of them. */
static bool read_columns(struct parsing *p, struct words *words, const char *word,
                         struct word_vec *columns)
{
    for (;; word = next_word(p, words)) {
        if (!is_name(word))
            return wrong(p, "the name of a column", word);
        word_vec_push(columns, p->arena, word);
        word = next_word(p, words);
        if (!is_sign(word, ','))
            return is_sign(word, ')') || wrong(p, "',' or ')'", word);
    }
}

/* The columns of the key, in brackets of their own, and what stands between them and the others:
 * 'word' is then the first of those, or the bracket that ends the table. */
static bool read_key(struct parsing *p, struct words *words, const char **word,
                     struct word_vec *columns)
{
    if (!read_columns(p, words, next_word(p, words), columns))
        return false;
    *word = next_word(p, words);
    if (!is_sign(*word, ','))
        return is_sign(*word, ')') || wrong(p, "',' or ')'", *word);
    *word = next_word(p, words);
    return is_name(*word) || wrong(p, "the name of a column", *word);
}

static void list_columns(struct parsing *p, const struct word_vec *columns,
                         struct esse_own_table *table)
{
    table->list = columns->at[0];
    for (size_t i = 1; i < columns->count; i++)
        table->list = esse_arena_format(p->arena, "%s, %s", table->list, columns->at[i]);
    table->columns = columns->at;
    table->column_count = (uint32_t)columns->count;
}

static bool read_table(struct parsing *p, struct words *words)
{
    struct esse_own_table table = { .name = next_word(p, words), .key_count = 1 };
    struct word_vec columns = { 0 };
    if (!is_name(table.name))
        return wrong(p, "the name of a table", table.name);
    const char *word = next_word(p, words);
    if (!is_sign(word, '('))
        return wrong(p, "'(' and the table's columns, its primary key first", word);
    word = next_word(p, words);
    if (is_sign(word, '(')) {
        if (!read_key(p, words, &word, &columns))
            return false;
        table.key_count = (uint32_t)columns.count;
    }
    if (!is_sign(word, ')') && !read_columns(p, words, word, &columns))
        return false;
    if (!columns.count)
        return wrong(p, "the name of a column", word);
    list_columns(p, &columns, &table);
    table_vec_push(&p->tables, p->arena, table);
    return ends(p, words);
}

/* ---- param NAME KIND ... ---- */

static bool read_range(struct parsing *p, struct words *words, struct esse_param *param)
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
        return ends(p, words);
    const char *word = next_word(p, words);
    char *end = NULL;
    const double theta = word ? strtod(word, &end) : 0.99;
    if (word && (*end || !(theta >= 0 && theta <= 10)))
        return wrong(p, "the skew, a number from 0 to 10", word);
    param->zipf = esse_zipf_new(p->arena, (uint32_t)(param->high - param->low + 1), theta);
    return ends(p, words);
}

static bool is_literal(const char *word)
{
    char *end;
    const size_t length = word ? strlen(word) : 0;
    if (length >= 2 && *word == '\'')
        return word[length - 1] == '\'';
    if (length)
        strtod(word, &end);
    return length && !*end;
}

static bool read_choices(struct parsing *p, struct words *words, bool is_one,
                         struct esse_param *param)
{
    struct word_vec choices = { 0 };
    const char *word;
    do {
        if (!is_literal(word = next_word(p, words)))
            return wrong(p, "a number or a 'text'", word);
        word_vec_push(&choices, p->arena, word);
        word = next_word(p, words);
    } while (!is_one && word && *word == ',');
    param->choices = choices.at;
    param->choice_count = (uint32_t)choices.count;
    return !word || wrong(p, is_one ? "the end of the line" : "',' and another choice", word);
}

static bool read_param(struct parsing *p, struct words *words)
{
    static const char *const kinds[] = { "uniform", "zipf",    "unique",
                                         "choice",  "session", "constant" };
    struct esse_param param = { .name = next_word(p, words) };
    unsigned kind = 0;
    bool ok;
    if (!is_name(param.name))
        return wrong(p, "the name of a parameter", param.name);
    const char *word = next_word(p, words);
    while (word && kind < sizeof kinds / sizeof *kinds && strcmp(word, kinds[kind]) != 0)
        kind++;
    if (!word || kind == sizeof kinds / sizeof *kinds)
        return wrong(p, "uniform, zipf, unique, choice, session or constant", word);
    const bool is_constant = strcmp(word, "constant") == 0;
    param.kind = is_constant ? ESSE_PARAM_CHOICE : (enum esse_param_kind)kind;
    if (param.kind <= ESSE_PARAM_ZIPF)
        ok = read_range(p, words, &param);
    else if (param.kind == ESSE_PARAM_CHOICE)
        ok = read_choices(p, words, is_constant, &param);
    else if (param.kind == ESSE_PARAM_SESSION && words->at < words->end)
        ok = read_number(p, words, "the first session's number, an integer", &param.low) &&
             ends(p, words);
    else
        ok = ends(p, words);
    param_vec_push(&p->params, p->arena, param);
    return ok;
}

/* ---- statements ---- */

/* The end of a statement: its semicolon outside of quotes and remarks, or where the text ends. */
static const char *end_of_statement(const char *at, const char *end, unsigned *lines)
{
    char quote = 0;
    for (; at < end && (quote || *at != ';'); at++) {
        *lines += *at == '\n';
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
    }
    return at;
}

static bool is_indented(const char *line)
{
    return *line == ' ' || *line == '\t';
}

/* The indented lines, and empty ones among them. */
static const char *end_of_section(const char *at)
{
    while (*at && (is_indented(at) || *at == '\n')) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

/* The next statement of the section; false if there is none, or if it has no semicolon. */
static bool next_statement(struct parsing *p, const char *end, const char **from, size_t *length,
                           bool *ok)
{
    while (p->at < end && isspace((unsigned char)*p->at))
        p->line += *p->at++ == '\n';
    if (p->at == end)
        return false;
    p->where = p->line;
    unsigned lines = 0;
    const char *stop = end_of_statement(p->at, end, &lines);
    *from = p->at;
    *length = (size_t)(stop - p->at);
    *ok = stop < end || esse_fail_at(p->err, p->where, 0, "the statement has no ';' at its end");
    p->at = stop + (stop < end);
    p->line += lines;
    return *ok;
}

static bool read_script(struct parsing *p, struct words *words, struct word_vec *script)
{
    const char *end = end_of_section(p->at), *from;
    size_t length;
    bool ok = ends(p, words);
    while (ok && next_statement(p, end, &from, &length, &ok))
        word_vec_push(script, p->arena, copy(p, from, length));
    return ok;
}

/* ---- transaction NAME [weight N] [read only] ---- */

static bool read_head(struct parsing *p, struct words *words, struct esse_file_txn *txn)
{
    int64_t weight = 1;
    if (!is_name(txn->name = next_word(p, words)))
        return wrong(p, "the name of a transaction", txn->name);
    for (const char *word; (word = next_word(p, words));) {
        if (strcmp(word, "weight") == 0) {
            if (!read_number(p, words, "a weight, an integer from 1 on", &weight))
                return false;
        } else if (strcmp(word, "read") == 0) {
            word = next_word(p, words);
            if (!word || strcmp(word, "only") != 0)
                return wrong(p, "'only' after 'read'", word);
            txn->is_read_only = true;
        } else {
            return wrong(p, "weight N, or read only", word);
        }
    }
    txn->weight = (uint64_t)weight;
    return (weight >= 1 && weight <= 1000000) ||
           esse_fail_at(p->err, p->where, 0, "a weight must be from 1 to 1000000");
}

/* As it stands there, for the history. */
static uint32_t keep_statement(struct parsing *p, const char *from, size_t length)
{
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    word_vec_push(&p->statements, p->arena, copy(p, from, length));
    return (uint32_t)p->statements.count;
}

static bool read_statements(struct parsing *p, struct esse_file_txn *txn)
{
    struct template_vec templates = { 0 };
    const char *end = end_of_section(p->at), *from;
    size_t length;
    bool ok = true;
    while (next_statement(p, end, &from, &length, &ok)) {
        struct esse_template template;
        ok = esse_template_parse(p->arena, p->file, from, length, p->where, &template, p->err);
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

static bool read_transaction(struct parsing *p, struct words *words)
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
    txn_vec_push(&p->txns, p->arena, txn);
    return true;
}

/* ---- the file ---- */

static bool read_section(struct parsing *p)
{
    struct words words = { p->at, p->at + strcspn(p->at, "\n") };
    p->where = p->line++;
    p->at = words.end + (*words.end == '\n');
    const char *word = next_word(p, &words);
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
    return wrong(p, "table, param, setup, teardown or transaction", word);
}

static const char *const *finish_script(struct parsing *p, struct word_vec *script)
{
    word_vec_push(script, p->arena, NULL);
    return script->at;
}

bool esse_workload_file_parse(struct esse_arena *arena, const char *text,
                              struct esse_workload_file *file, struct esse_error *err)
{
    struct parsing p = { .arena = arena, .err = err, .file = file, .at = text, .line = 1 };
    *file = (struct esse_workload_file){ 0 };
    while (*p.at)
        if (!read_section(&p))
            return false;
    p.where = p.line;
    if (!p.txns.count)
        return esse_fail_at(err, p.where, 0, "the file has no transaction");
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
