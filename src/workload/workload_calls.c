#include "workload/workload_reading.h"

#include "base/out.h"
#include "workload/sql_text.h"

#include <string.h>

/*
 * The sections that only `esse explore` looks at: what a session calls, and what must be true in
 * the end.  When a file is run they are passed over.
 */
ESSE_VEC(call_vec, struct esse_script_call)

/* ---- the values of a call ---- */

static int find_param(const struct workload_reading *p, const char *name)
{
    for (size_t i = 0; i < p->params.count; i++)
        if (strcmp(p->params.at[i].name, name) == 0)
            return (int)i;
    return ESSE_NO_PARAM;
}

/* NAME VALUE, NAME VALUE) */
static bool read_values(struct workload_reading *p, struct workload_words *words,
                        const char **values)
{
    const char *word = workload_word(p, words);
    while (!workload_is_sign(word, ')')) {
        const int param = word ? find_param(p, word) : ESSE_NO_PARAM;
        if (param == ESSE_NO_PARAM)
            return workload_wrong(p, "the name of a parameter, or ')'", word);
        if (values[param])
            return workload_wrong(p, "each parameter once", word);
        word = workload_word(p, words);
        if (!workload_is_literal(word))
            return workload_wrong(p, "a number or a 'text'", word);
        values[param] = word;
        word = workload_word(p, words);
        if (workload_is_sign(word, ','))
            word = workload_word(p, words);
        else if (!workload_is_sign(word, ')'))
            return workload_wrong(p, "',' or ')'", word);
    }
    return true;
}

/* What stands for a parameter: what the call says, a fresh number, or its only choice. */
static const char *value_of(struct workload_reading *p, const char *const *values, int param)
{
    const struct esse_param *of = &p->params.at[param];
    if (values[param])
        return values[param];
    if (of->kind == ESSE_PARAM_UNIQUE)
        return esse_arena_format(p->arena, "%llu", (unsigned long long)++p->fresh);
    if (of->kind == ESSE_PARAM_CHOICE && of->choice_count == 1)
        return of->choices[0];
    esse_fail_at(p->err, p->where, 0, "the call must give a value for '%s': %s VALUE", of->name,
                 of->name);
    return NULL;
}

static bool put_values(struct workload_reading *p, const struct esse_template *template,
                       const char *const *values, struct esse_script_statement *statement)
{
    struct esse_out out;
    esse_out_init_memory(&out, p->arena);
    for (uint32_t i = 0; i < template->whole.count; i++) {
        const struct esse_piece *piece = &template->whole.at[i];
        esse_out_bytes(&out, piece->text, piece->length);
        if (piece->param == ESSE_NO_PARAM)
            continue;
        const char *value = value_of(p, values, piece->param);
        if (!value)
            return false;
        esse_out_text(&out, value);
    }
    *statement = (struct esse_script_statement){ esse_out_memory(&out), template->line };
    return true;
}

/* ---- procedure NAME(PARAMETER TYPE, ...) ---- */

static void pass_section(struct workload_reading *p)
{
    for (const char *end = workload_section_end(p->at); p->at < end; p->at++)
        p->line += *p->at == '\n';
}

/* The names of the parameters: the first words between the commas of the list. */
static bool read_names(struct workload_reading *p, struct esse_part list,
                       struct workload_texts *names)
{
    while (esse_part_trim(list).at < list.end) {
        struct esse_part one = { list.at, list.at };
        while (one.end < list.end && *one.end != ',')
            one.end = esse_part_pass(one.end, list.end);
        list.at = one.end + (one.end < list.end);
        const struct esse_part word = esse_part_take_word(&one);
        const char *name = workload_copy(p, word.at, (size_t)(word.end - word.at));
        if (!workload_is_name(name))
            return workload_wrong(p, "the name of a parameter and its type", name);
        workload_texts_push(names, p->arena, name);
        if (find_param(p, name) == ESSE_NO_PARAM)
            workload_params_push(&p->params, p->arena,
                                 (struct esse_param){ .name = name, .kind = ESSE_PARAM_CHOICE });
    }
    return true;
}

/* The transaction that calls it, and nothing else. */
static bool add_calling(struct workload_reading *p, const char *name,
                        const struct workload_texts *names)
{
    struct esse_out text;
    struct esse_template *template = esse_arena_alloc(p->arena, 1, sizeof *template);
    esse_out_init_memory(&text, p->arena);
    esse_out_f(&text, "CALL %s(", name);
    for (size_t i = 0; i < names->count; i++)
        esse_out_f(&text, "%s:%s", i ? ", " : "", names->at[i]);
    esse_out_char(&text, ')');
    const char *call = esse_out_memory(&text);
    p->file->params = p->params.at;
    p->file->param_count = (uint32_t)p->params.count;
    if (!esse_template_whole(p->arena, p->file, call, strlen(call), p->where, template, p->err))
        return false;
    workload_txns_push(&p->txns, p->arena,
                       (struct esse_file_txn){ .name = name, .templates = template, .count = 1 });
    return true;
}

bool workload_read_procedure(struct workload_reading *p, struct workload_words *words)
{
    const char *name = workload_word(p, words), *body = p->at;
    struct workload_texts names = { 0 };
    if (!workload_is_name(name))
        return workload_wrong(p, "the name of a procedure", name);
    const struct esse_part head = esse_part_trim((struct esse_part){ words->at, words->end });
    if (head.at == head.end || *head.at != '(' || head.end[-1] != ')')
        return workload_wrong(p, "'(', parameters with their types, and ')' at the end of the line",
                              workload_word(p, words));
    pass_section(p);
    if (!p->script)
        return true;
    if (!read_names(p, (struct esse_part){ head.at + 1, head.end - 1 }, &names))
        return false;
    const char *create = esse_arena_format(
        p->arena, "CREATE OR REPLACE PROCEDURE %s%.*s LANGUAGE plpgsql AS $esse$%.*s$esse$", name,
        (int)(head.end - head.at), head.at, (int)(p->at - body), body);
    workload_texts_push(&p->setup, p->arena, create);
    esse_u32_vec_push(&p->setup_lines, p->arena, p->where);
    return add_calling(p, name, &names);
}

/* ---- session NAME ---- */

static const struct esse_file_txn *find_txn(const struct workload_reading *p, const char *name)
{
    for (size_t i = 0; i < p->txns.count; i++)
        if (strcmp(p->txns.at[i].name, name) == 0)
            return &p->txns.at[i];
    return NULL;
}

static bool read_call(struct workload_reading *p, struct workload_words *words,
                      struct esse_script_call *call)
{
    const char *name = workload_word(p, words), *word;
    const struct esse_file_txn *txn = name ? find_txn(p, name) : NULL;
    const char **values = esse_arena_zeros(p->arena, p->params.count + 1, const char *);
    if (!txn)
        return workload_wrong(p, "the name of a transaction that stands above", name);
    word = workload_word(p, words);
    if (word && !workload_is_sign(word, '('))
        return workload_wrong(p, "'(' and the values of the transaction's parameters", word);
    if (word && (!read_values(p, words, values) || !workload_ends(p, words)))
        return false;
    struct esse_script_statement *statements =
        esse_arena_array(p->arena, txn->count, struct esse_script_statement);
    *call = (struct esse_script_call){ name, statements, txn->count, p->where };
    for (uint32_t i = 0; i < txn->count; i++)
        if (!put_values(p, &txn->templates[i], values, &statements[i]))
            return false;
    return true;
}

/* The next line of the section that says something. */
static bool next_line(struct workload_reading *p, const char *end, struct workload_words *words)
{
    while (p->at < end) {
        *words = (struct workload_words){ p->at, p->at + strcspn(p->at, "\n") };
        p->where = p->line++;
        p->at = words->end + (*words->end == '\n');
        struct workload_words look = *words;
        const char *first = workload_word(p, &look);
        if (first && *first != '#')
            return true;
    }
    return false;
}

bool workload_read_session(struct workload_reading *p, struct workload_words *words)
{
    struct esse_script_session session = { .name = workload_word(p, words) };
    struct workload_words line;
    struct call_vec calls = { 0 };
    if (!workload_is_name(session.name))
        return workload_wrong(p, "the name of a session", session.name);
    for (size_t i = 0; i < p->sessions.count; i++)
        if (strcmp(p->sessions.at[i].name, session.name) == 0)
            return workload_wrong(p, "a name that no other session has", session.name);
    if (!workload_ends(p, words))
        return false;
    workload_sessions_push(&p->sessions, p->arena, session);
    if (!p->script) {
        pass_section(p);
        return true;
    }
    for (const char *end = workload_section_end(p->at); next_line(p, end, &line);) {
        struct esse_script_call call = { 0 };
        if (!read_call(p, &line, &call))
            return false;
        call_vec_push(&calls, p->arena, call);
    }
    struct esse_script_session *kept = &p->sessions.at[p->sessions.count - 1];
    kept->calls = calls.at;
    kept->count = (uint32_t)calls.count;
    return calls.count || esse_fail_at(p->err, p->where, 0,
                                       "the session has no calls; they stand below it, indented");
}

/* ---- invariant NAME ---- */

bool workload_read_invariant(struct workload_reading *p, struct workload_words *words)
{
    struct esse_script_invariant invariant = { .name = workload_word(p, words) };
    const char *end = workload_section_end(p->at), *from;
    size_t length;
    bool ok = true;
    invariant.line = p->where;
    if (!workload_is_name(invariant.name))
        return workload_wrong(p, "the name of an invariant", invariant.name);
    if (!workload_ends(p, words))
        return false;
    if (!workload_statement(p, end, &from, &length, &ok))
        return ok && esse_fail_at(p->err, p->where, 0,
                                  "the invariant has no query; it stands below it, indented");
    invariant.text = workload_copy(p, from, length);
    workload_invariants_push(&p->invariants, p->arena, invariant);
    if (workload_statement(p, end, &from, &length, &ok))
        return esse_fail_at(p->err, p->where, 0, "an invariant is one query");
    return ok;
}

/* ---- the script ---- */

static bool is_complete(struct workload_reading *p)
{
    if (!p->sessions.count)
        return esse_fail_at(p->err, p->line, 0,
                            "the file has no session; a line 'session NAME', and below it, "
                            "indented, the calls that it makes, says what is explored");
    return p->setup.count || esse_fail_at(p->err, p->line, 0,
                                          "the file has no setup, whose CREATE TABLE say what the "
                                          "tables are");
}

bool esse_script_parse(struct esse_arena *arena, const char *text, struct esse_script *script,
                       struct esse_error *err)
{
    struct esse_workload_file file;
    struct workload_reading p = {
        .arena = arena, .err = err, .file = &file, .script = script, .at = text, .line = 1
    };
    if (!workload_read(&p) || !is_complete(&p))
        return false;
    struct esse_script_statement *setup =
        esse_arena_array(arena, p.setup.count, struct esse_script_statement);
    for (size_t i = 0; i < p.setup.count; i++)
        setup[i] = (struct esse_script_statement){ p.setup.at[i], p.setup_lines.at[i] };
    *script = (struct esse_script){ .setup = setup,
                                    .setup_count = (uint32_t)p.setup.count,
                                    .sessions = p.sessions.at,
                                    .session_count = (uint32_t)p.sessions.count,
                                    .invariants = p.invariants.at,
                                    .invariant_count = (uint32_t)p.invariants.count };
    return true;
}
