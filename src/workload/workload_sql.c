#include "base/out.h"
#include "history/builder.h"
#include "sql/predicate.h"
#include "workload/workload_file.h"
#include "workload/workload_parts.h"

#include <stdio.h>

/*
 * A user's own transactions.  Parameters other than unique ones are drawn when a transaction
 * begins; they are put into the texts as SQL writes them, so what is sent is what the history
 * shows.
 */
struct shared {
    struct esse_workload_file file;
};

struct session {
    struct esse_draw_state draw_state;
    const struct esse_file_txn *txn;
    uint32_t done;           /* statements of it */
    struct esse_out *values; /* by parameter: what was drawn */
    struct esse_out list, set, rest, point, part;
    struct esse_own_statement statement;
};

static struct shared *shared_of(const struct session *session)
{
    return session->draw_state.shared;
}

/* ---- drawing ---- */

static void draw_param(struct session *session, uint32_t number)
{
    const struct esse_param *param = &shared_of(session)->file.params[number];
    struct esse_out *value = &session->values[number];
    struct esse_rng *rng = &session->draw_state.rng;
    value->count = 0;
    switch (param->kind) {
    case ESSE_PARAM_UNIFORM:
        esse_out_i64(value,
                     param->low + esse_rng_below(rng, (uint32_t)(param->high - param->low + 1)));
        break;
    case ESSE_PARAM_ZIPF:
        esse_out_i64(value, param->low + esse_zipf_draw(param->zipf, rng));
        break;
    case ESSE_PARAM_UNIQUE:
        esse_out_i64(value, esse_drawn_value(&session->draw_state));
        break;
    case ESSE_PARAM_CHOICE:
        esse_out_text(value, param->choices[esse_rng_below(rng, param->choice_count)]);
        break;
    case ESSE_PARAM_SESSION:
        esse_out_i64(value, param->low + session->draw_state.session);
        break;
    }
}

/* White space becomes a space, so that a text is one line. */
static void put_plain(struct esse_out *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        esse_out_char(out, text[i] == '\n' || text[i] == '\t' || text[i] == '\r' ? ' ' : text[i]);
}

/* 'draws' a fresh number wherever there is to be one. */
static const char *put_pieces(struct session *session, struct esse_out *out,
                              struct esse_pieces pieces, bool draws)
{
    const struct esse_workload_file *file = &shared_of(session)->file;
    out->count = 0;
    for (uint32_t i = 0; i < pieces.count; i++) {
        const struct esse_piece *piece = &pieces.at[i];
        put_plain(out, piece->text, piece->length);
        if (piece->param == ESSE_NO_PARAM)
            continue;
        if (draws && file->params[piece->param].kind == ESSE_PARAM_UNIQUE)
            draw_param(session, (uint32_t)piece->param);
        esse_out_bytes(out, session->values[piece->param].buffer,
                       session->values[piece->param].count);
    }
    return esse_out_memory(out);
}

/* A column of a key as the history has it: 'O''Brien' is O'Brien. */
static void unquote(struct esse_out *out)
{
    size_t to = 0;
    if (!out->count || out->buffer[0] != '\'')
        return;
    for (size_t i = 1; i + 1 < out->count; i++) {
        out->buffer[to++] = out->buffer[i];
        i += out->buffer[i] == '\'';
    }
    out->count = to;
}

static const char *put_point(struct session *session, const struct esse_template *template)
{
    const uint32_t count = shared_of(session)->file.schema.tables[template->table].key_count;
    session->point.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        put_pieces(session, &session->part, template->point[i], false);
        unquote(&session->part);
        esse_own_put_key(&session->point, i, count, session->part.buffer, session->part.count);
    }
    return esse_out_memory(&session->point);
}

static const struct esse_own_statement *draw_statement(struct session *session,
                                                       const struct esse_template *template)
{
    struct esse_own_statement *statement = &session->statement;
    *statement = (struct esse_own_statement){ .kind = template->kind,
                                              .table = template->table,
                                              .number = template->number };
    statement->list = put_pieces(session, &session->list, template->list, true);
    statement->set = put_pieces(session, &session->set, template->set, true);
    statement->rest = put_pieces(session, &session->rest, template->rest, true);
    if (template->point)
        statement->point = put_point(session, template);
    return statement;
}

/* ---- opening ---- */

static void make_buffers(struct esse_arena *arena, struct esse_draw_state *draw_state)
{
    struct session *session = (struct session *)draw_state;
    const uint32_t params = shared_of(session)->file.param_count;
    session->values = esse_arena_alloc(arena, params + 1, sizeof *session->values);
    for (uint32_t i = 0; i < params; i++)
        esse_out_init_memory(&session->values[i], arena);
    esse_out_init_memory(&session->list, arena);
    esse_out_init_memory(&session->set, arena);
    esse_out_init_memory(&session->rest, arena);
    esse_out_init_memory(&session->point, arena);
    esse_out_init_memory(&session->part, arena);
}

/* An empty history with the columns of all tables: what conditions are held against. */
static bool make_columns(struct esse_arena *arena, const struct esse_own_schema *schema,
                         struct esse_builder **builder, struct esse_error *err)
{
    esse_value columns[1000];
    struct esse_header_record header = { .columns = columns };
    *builder = esse_builder_new(arena);
    struct esse_sink *sink = esse_builder_sink(*builder);
    for (uint32_t t = 0; t < schema->count; t++)
        for (uint32_t c = 0; c < schema->tables[t].column_count && header.column_count < 1000;
             c++) {
            const char *name = schema->tables[t].columns[c];
            columns[header.column_count++] = esse_value_string(sink->values, name, strlen(name));
        }
    header.db = header.isolation = ESSE_NONE;
    return sink->header(sink, &header, err);
}

/* That the checker will understand what the statement ranges over, asked before a run begins; with
 * values that were drawn for this. */
static bool try_statement(struct esse_predicates *predicates, struct esse_sink *sink,
                          struct session *session, const struct esse_template *template,
                          struct esse_out *text, struct esse_error *err)
{
    if (template->kind == ESSE_OWN_INSERT)
        return true;
    text->count = 0;
    esse_own_put_select(text, &shared_of(session)->file.schema, draw_statement(session, template));
    if (esse_predicates_get(
            predicates, esse_value_string(sink->values, esse_out_memory(text), text->count), err))
        return true;
    err->line = template->line;
    err->column = 0;
    return false;
}

static bool try_statements(struct esse_arena *arena, struct shared *shared,
                           const struct esse_workload_options *options, struct esse_error *err)
{
    const struct esse_workload_file *file = &shared->file;
    struct session *session =
        (struct session *)esse_workload_session(&esse_workload_sql, arena, options, shared, 0);
    struct esse_builder *builder;
    struct esse_history *history;
    struct esse_out text;
    if (!make_columns(arena, &file->schema, &builder, err) ||
        !esse_builder_freeze(builder, &history, err))
        return false;
    struct esse_predicates *predicates = esse_predicates_new(arena, history);
    esse_out_init_memory(&text, arena);
    for (uint32_t p = 0; p < file->param_count; p++)
        draw_param(session, p);
    for (uint32_t i = 0; i < file->txn_count; i++)
        for (uint32_t s = 0; s < file->txns[i].count; s++)
            if (!try_statement(predicates, esse_builder_sink(builder), session,
                               &file->txns[i].templates[s], &text, err))
                return false;
    return true;
}

static bool open_shared(struct esse_arena *arena, const struct esse_live_workload *workload,
                        const struct esse_workload_options *options, void **out,
                        struct esse_schema *schema, struct esse_error *err)
{
    struct shared *shared = esse_arena_alloc(arena, 1, sizeof *shared);
    (void)workload;
    if (!options->file || !*options->file)
        return esse_fail(err, ESSE_EUSAGE, "the workload sql needs a file: --workload sql:FILE");
    if (!esse_workload_file_load(arena, options->file, &shared->file, err) ||
        !try_statements(arena, shared, options, err))
        return false;
    *schema = (struct esse_schema){ .own = &shared->file.schema };
    *out = shared;
    return true;
}

/* ---- sessions ---- */

/* What was refused is tried again, with other values: so a rare transaction is not left out. */
static void begin(struct esse_draw_state *draw_state, bool is_again)
{
    struct session *session = (struct session *)draw_state;
    const struct esse_workload_file *file = &shared_of(session)->file;
    if (!is_again || !session->txn) {
        uint64_t at = esse_rng_below(&draw_state->rng, (uint32_t)file->weight);
        session->txn = file->txns;
        while (at >= session->txn->weight)
            at -= session->txn++->weight;
    }
    session->done = 0;
    for (uint32_t p = 0; p < file->param_count; p++)
        if (file->params[p].kind != ESSE_PARAM_UNIQUE)
            draw_param(session, p);
    draw_state->is_read_only = session->txn->is_read_only;
    draw_state->txn = session->txn->name;
}

static bool next(struct esse_draw_state *draw_state, int64_t read, struct esse_request *request)
{
    struct session *session = (struct session *)draw_state;
    (void)read;
    if (session->done == session->txn->count)
        return false;
    request->ask = ESSE_ASK_OWN;
    request->own = draw_statement(session, &session->txn->templates[session->done++]);
    return true;
}

const struct esse_live_workload esse_workload_sql = {
    .name = "sql",
    .meaning = "sql:FILE, your own transactions on your own tables (docs/workload-files.md)",
    .needs = ESSE_CAN_OWN,
    .open = open_shared,
    .session_size = sizeof(struct session),
    .session = make_buffers,
    .begin = begin,
    .next = next,
};
