#include "workload/workload_reading.h"

#include "base/out.h"

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

static void pass_section(struct workload_reading *p)
{
    for (const char *end = workload_section_end(p->at); p->at < end; p->at++)
        p->line += *p->at == '\n';
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
