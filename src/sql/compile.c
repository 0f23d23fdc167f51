#include "sql/sql_compile.h"
#include "sql/sql_mysql.h"
#include "sql/sql_token.h"

#include "base/hash.h"
#include "base/index.h"

#include <pg_query.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* libpg_query recurses without a limit: docs/design/sql.md says how these were measured. */
enum { MOST_BYTES = 64 << 10, MOST_OPERATORS = 1000, MOST_BRACKETS = 700 };

struct known {
    const char *text;
    size_t length;
    bool is_shape;
    uint32_t changes; /* of the schema, when it was compiled */
    const struct esse_statement *statement;
};
ESSE_VEC(known_vec, struct known)

struct esse_compiler {
    struct esse_schema *schema;
    struct esse_arena *parse; /* of the parse tree at hand; emptied each time */
    struct known_vec known;
    struct esse_index index;
    struct sql_literals literals; /* of the text at hand */
    uint64_t shapes;
};

struct esse_compiler *esse_compiler_new(struct esse_schema *schema)
{
    struct esse_compiler *compiler = esse_arena_alloc(schema->arena, 1, sizeof *compiler);
    compiler->schema = schema;
    compiler->parse = esse_arena_new();
    compiler->literals.arena = esse_arena_new();
    return compiler;
}

void esse_compiler_free(struct esse_compiler *compiler)
{
    esse_arena_free(compiler->parse);
    esse_arena_free(compiler->literals.arena);
}

uint64_t esse_compiler_shapes(const struct esse_compiler *compiler)
{
    return compiler->shapes;
}

/* ---- parsing ---- */

static void *arena_alloc(void *arena, size_t size)
{
    return esse_arena_alloc(arena, size, 1);
}

static void arena_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

static const char *too_much(const char *text, size_t length)
{
    unsigned operators = 0, brackets = 0;
    for (size_t i = 0; i < length; i++) {
        operators += text[i] && strchr("+-*/<>=~!@#%^&|`?:", text[i]) != NULL;
        brackets += text[i] == '(' || text[i] == '[';
    }
    return length > MOST_BYTES          ? "a text of more than 64 KiB is not supported"
           : operators > MOST_OPERATORS ? "more than 1000 operators are not supported"
           : brackets > MOST_BRACKETS   ? "more than 700 brackets are not supported"
           : memchr(text, 0, length)    ? "a text with zero bytes is not supported"
                                        : NULL;
}

/* The tree of a text of one statement, in the arena.  NULL of an empty one. */
static bool parse(struct sql_compile *c, struct esse_arena *arena, const char *text,
                  const PgQuery__Node **node)
{
    ProtobufCAllocator allocator = { arena_alloc, arena_free, arena };
    const char *problem = too_much(text, strlen(text));
    if (problem)
        return sql_unsupported(c, -1, "%s", problem);
    PgQueryProtobufParseResult result = pg_query_parse_protobuf(text);
    *node = NULL;
    if (result.error) {
        sql_error(c, result.error->cursorpos - 1, "42601", "%s", result.error->message);
    } else {
        const PgQuery__ParseResult *tree = pg_query__parse_result__unpack(
            &allocator, result.parse_tree.len, (const uint8_t *)result.parse_tree.data);
        if (!tree)
            sql_unsupported(c, -1, "the parser's answer is damaged");
        else if (tree->n_stmts > 1)
            sql_error(c, tree->stmts[1]->stmt_location, "42601",
                      "expected one statement, found several");
        else if (tree->n_stmts)
            *node = tree->stmts[0]->stmt;
    }
    pg_query_free_protobuf_parse_result(result);
    return c->fault->kind == ESSE_FAULT_NONE;
}

/* ---- the kinds of statements ---- */

static bool compile_transaction(struct sql_compile *c, const PgQuery__TransactionStmt *node,
                                struct esse_statement *statement)
{
    statement->name = esse_arena_text(c->arena, node->savepoint_name, strlen(node->savepoint_name));
    if (node->chain)
        return sql_unsupported(c, -1, "AND CHAIN is not supported");
    switch (node->kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
        statement->kind = ESSE_STATEMENT_BEGIN;
        return true;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
        statement->kind = ESSE_STATEMENT_COMMIT;
        return true;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
        statement->kind = ESSE_STATEMENT_ROLLBACK;
        return true;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
        statement->kind = ESSE_STATEMENT_SAVEPOINT;
        return true;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
        statement->kind = ESSE_STATEMENT_RELEASE;
        return true;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
        statement->kind = ESSE_STATEMENT_ROLLBACK_TO;
        return true;
    default:
        return sql_unsupported(c, -1, "two-phase commit is not supported");
    }
}

static bool compile_truncate(struct sql_compile *c, const PgQuery__TruncateStmt *node,
                             struct esse_statement *statement)
{
    statement->kind = ESSE_STATEMENT_TRUNCATE;
    statement->flag = node->behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
    for (size_t i = 0; i < node->n_relations; i++)
        if (!sql_table(c, node->relations[i]->range_var))
            return false;
    return true;
}

static bool compile_select(struct sql_compile *c, const PgQuery__SelectStmt *node,
                           struct esse_statement *statement)
{
    statement->kind = ESSE_STATEMENT_QUERY;
    statement->query = sql_compile_query(c, node);
    return statement->query != NULL;
}

static bool compile_statement(struct sql_compile *c, const PgQuery__Node *node,
                              struct esse_statement *statement)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
        return compile_select(c, node->select_stmt, statement);
    case PG_QUERY__NODE__NODE_INSERT_STMT:
        statement->kind = ESSE_STATEMENT_INSERT;
        return sql_compile_insert(c, node->insert_stmt, statement);
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
        statement->kind = ESSE_STATEMENT_UPDATE;
        return sql_compile_update(c, node->update_stmt, statement);
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        statement->kind = ESSE_STATEMENT_DELETE;
        return sql_compile_delete(c, node->delete_stmt, statement);
    case PG_QUERY__NODE__NODE_CREATE_STMT:
        return sql_compile_create_table(c, node->create_stmt, statement);
    case PG_QUERY__NODE__NODE_INDEX_STMT:
        return sql_compile_create_index(c, node->index_stmt, statement);
    case PG_QUERY__NODE__NODE_DROP_STMT:
        return sql_compile_drop(c, node->drop_stmt, statement);
    case PG_QUERY__NODE__NODE_VIEW_STMT:
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
        return sql_compile_schema(c, node, statement);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
        return sql_compile_create_routine(c, node->create_function_stmt, statement);
    case PG_QUERY__NODE__NODE_DO_STMT:
        return sql_compile_do(c, node->do_stmt, statement);
    case PG_QUERY__NODE__NODE_CALL_STMT:
        return sql_compile_call_statement(c, node->call_stmt, statement);
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
        return compile_truncate(c, node->truncate_stmt, statement);
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
        return compile_transaction(c, node->transaction_stmt, statement);
    case PG_QUERY__NODE__NODE_CONSTRAINTS_SET_STMT:
        statement->kind = ESSE_STATEMENT_CONSTRAINTS;
        statement->flag = node->constraints_set_stmt->deferred;
        return !node->constraints_set_stmt->n_constraints ||
               sql_unsupported(c, -1, "SET CONSTRAINTS of some constraints is not supported");
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
        statement->kind = ESSE_STATEMENT_NOTHING;
        return true;
    default:
        return sql_unsupported(c, -1, "a statement of this kind is not supported");
    }
}

/* A text of MySQL's dialect becomes one that the parser reads. */
static bool translate(struct sql_compile *c, const char **text)
{
    struct sql_rewritten *rewritten = esse_arena_alloc(c->arena, 1, sizeof *rewritten);
    if (!c->is_mysql)
        return true;
    if (!sql_mysql_rewrite(c->arena, *text, strlen(*text), rewritten, c->fault))
        return false;
    c->rewritten = rewritten;
    c->text = *text = rewritten->text;
    return true;
}

/* A place in the text as it was before. */
static void place_fault(const struct sql_compile *c)
{
    const struct sql_rewritten *rewritten = c->rewritten;
    if (rewritten && c->fault->at && c->fault->at <= rewritten->length)
        c->fault->at = rewritten->from[c->fault->at - 1] + 1;
}

static struct sql_compile start(struct esse_compiler *compiler, struct esse_fault *fault)
{
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    return (struct sql_compile){ .compiler = compiler,
                                 .schema = compiler->schema,
                                 .arena = compiler->schema->arena,
                                 .fault = fault,
                                 .is_mysql = compiler->schema->dialect == ESSE_DIALECT_MYSQL };
}

static struct esse_statement *compile_text(struct sql_compile *c, const char *text)
{
    struct esse_statement *statement = esse_arena_alloc(c->arena, 1, sizeof *statement);
    struct esse_arena *scratch = c->compiler->parse;
    const PgQuery__Node *node;
    esse_arena_clear(scratch);
    bool is_routine = false;
    if (c->is_mysql && !c->embedding &&
        (!sql_compile_mysql_routine(c, text, statement, &is_routine) || is_routine))
        return c->fault->kind == ESSE_FAULT_NONE ? statement : NULL;
    bool ok = translate(c, &text) && parse(c, scratch, text, &node);
    /* The tree of a view is kept. */
    if (ok && node && node->node_case == PG_QUERY__NODE__NODE_VIEW_STMT)
        ok = parse(c, c->arena, text, &node);
    statement->kind = ESSE_STATEMENT_NOTHING;
    ok = ok && (!node || compile_statement(c, node, statement));
    if (ok && c->has_quotient && c->query_count > 1)
        ok = sql_unsupported(c, -1, "a quotient beside a sub-select is not supported");
    if (!ok)
        place_fault(c);
    statement->query_count = c->query_count;
    statement->param_count = c->param_count;
    statement->calls_routines = c->calls_routines;
    statement->tables = c->tables.at;
    statement->table_count = (uint32_t)c->tables.count;
    return ok ? statement : NULL;
}

/* ---- texts within routines ---- */

const struct esse_schema *sql_compiler_schema(const struct esse_compiler *compiler)
{
    return compiler->schema;
}

const struct esse_statement *sql_compile_with(struct esse_compiler *compiler, const char *text,
                                              struct sql_embedding *embedding,
                                              struct esse_fault *fault)
{
    struct sql_compile c = start(compiler, fault);
    c.text = text;
    c.embedding = embedding;
    return compile_text(&c, text);
}

bool sql_check_grammar(struct sql_compile *c, const char *text)
{
    const PgQuery__Node *node;
    struct esse_arena *arena = esse_arena_new();
    const struct sql_rewritten *before = c->rewritten;
    const char *whole = c->text;
    const bool ok = translate(c, &text) && parse(c, arena, text, &node);
    if (!ok)
        place_fault(c);
    c->rewritten = before;
    c->text = whole;
    esse_arena_free(arena);
    return ok;
}

bool sql_type_from_text(struct sql_compile *c, const char *text, uint32_t at,
                        struct esse_type *type)
{
    struct esse_arena *arena = esse_arena_new();
    const char *query =
        esse_arena_format(arena, c->is_mysql ? "SELECT CAST(NULL AS %s)" : "SELECT NULL::%s", text);
    const PgQuery__Node *node, *value = NULL;
    const struct sql_rewritten *before = c->rewritten;
    const char *whole = c->text;
    bool ok = translate(c, &query) && parse(c, arena, query, &node);
    if (ok && node && node->node_case == PG_QUERY__NODE__NODE_SELECT_STMT &&
        node->select_stmt->n_target_list == 1 && !node->select_stmt->n_from_clause)
        value = node->select_stmt->target_list[0]->res_target->val;
    if (ok && (!value || value->node_case != PG_QUERY__NODE__NODE_TYPE_CAST ||
               value->type_cast->arg->node_case != PG_QUERY__NODE__NODE_A_CONST))
        ok = sql_error(c, (int32_t)at - 1, "42601", "expected a type, found \"%s\"", text);
    ok = ok && sql_type_of(c, value->type_cast->type_name, type);
    if (!ok)
        c->fault->at = at;
    c->rewritten = before;
    c->text = whole;
    esse_arena_free(arena);
    return ok;
}

/* ---- what is known ---- */

static struct known *find(struct esse_compiler *compiler, bool is_shape, const char *text,
                          size_t length, uint32_t hash)
{
    struct esse_probe probe = esse_index_probe(&compiler->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);) {
        struct known *known = &compiler->known.at[id];
        if (known->is_shape == is_shape && known->length == length &&
            memcmp(known->text, text, length) == 0)
            return known;
    }
    return NULL;
}

/* A statement of NULL: this shape is not shared. */
static void note(struct esse_compiler *compiler, struct known *known, bool is_shape,
                 const char *text, size_t length, uint32_t hash,
                 const struct esse_statement *statement)
{
    struct esse_arena *arena = compiler->schema->arena;
    if (!known) {
        esse_index_add(&compiler->index, arena, hash, (uint32_t)compiler->known.count);
        known_vec_push(&compiler->known, arena,
                       (struct known){ .text = esse_arena_text(arena, text, length),
                                       .length = length,
                                       .is_shape = is_shape });
        known = &compiler->known.at[compiler->known.count - 1];
    }
    known->changes = compiler->schema->changes;
    known->statement = statement;
}

/* With the literals of the text as slots.  NULL if its shape cannot be shared; then the text is
 * compiled as it stands, which says what is wrong, if something is. */
static const struct esse_statement *compile_shape(struct esse_compiler *compiler, const char *text,
                                                  size_t length)
{
    const struct sql_literals *literals = &compiler->literals;
    const char *shape = (const char *)literals->shape.at;
    const uint32_t hash = esse_hash_bytes(shape, literals->shape.count);
    struct known *known = find(compiler, true, shape, literals->shape.count, hash);
    if (known && known->changes == compiler->schema->changes)
        return known->statement;
    struct esse_fault fault;
    struct sql_compile c = start(compiler, &fault);
    c.literals = literals;
    c.text = esse_arena_text(c.arena, text, length);
    const struct esse_statement *statement = compile_text(&c, c.text);
    if (c.keeps_literal)
        statement = NULL;
    compiler->shapes += statement != NULL;
    note(compiler, known, true, shape, literals->shape.count, hash, statement);
    return statement;
}

static const struct esse_statement *compile_exactly(struct esse_compiler *compiler,
                                                    const char *text, size_t length,
                                                    struct esse_fault *fault)
{
    const uint32_t hash = esse_hash_bytes(text, length);
    struct known *known = find(compiler, false, text, length, hash);
    struct sql_compile c = start(compiler, fault);
    if (known && known->changes == compiler->schema->changes)
        return known->statement;
    c.text = esse_arena_text(c.arena, text, length);
    const struct esse_statement *statement = compile_text(&c, c.text);
    if (!statement)
        return NULL;
    compiler->shapes++;
    note(compiler, known, false, text, length, hash, statement);
    return statement;
}

bool esse_compile(struct esse_compiler *compiler, const char *text, size_t length,
                  struct esse_compiled *compiled, struct esse_fault *fault)
{
    struct sql_literals *literals = &compiler->literals;
    *compiled = (struct esse_compiled){ 0 };
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    if (sql_take_apart(literals, compiler->schema->dialect, text, length) && literals->at.count) {
        compiled->statement = compile_shape(compiler, text, length);
        compiled->slots = literals->values.at;
        compiled->slot_count = (uint32_t)literals->values.count;
    }
    if (!compiled->statement)
        compiled->statement = compile_exactly(compiler, text, length, fault);
    return compiled->statement != NULL;
}

/* BEGIN and CASE are open until END; END IF and its like close nothing that was counted. */
static void count_blocks(struct sql_tokens *tokens, struct sql_token token, unsigned *depth)
{
    static const char *const others[] = { "IF", "WHILE", "LOOP", "REPEAT" };
    *depth += sql_token_is(tokens, token, "BEGIN") || sql_token_is(tokens, token, "CASE");
    if (!sql_token_is(tokens, token, "END"))
        return;
    const uint32_t before = tokens->at;
    const struct sql_token next = sql_token_next(tokens);
    bool closes = *depth > 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        closes &= !sql_token_is(tokens, next, others[i]);
    *depth -= closes;
    if (!sql_token_is(tokens, next, "CASE"))
        tokens->at = before;
}

static bool makes_routine(struct sql_tokens tokens)
{
    if (!sql_token_is(&tokens, sql_token_next(&tokens), "CREATE"))
        return false;
    struct sql_token token = sql_token_next(&tokens);
    if (sql_token_is(&tokens, token, "OR")) {
        sql_token_next(&tokens);
        token = sql_token_next(&tokens);
    }
    return sql_token_is(&tokens, token, "PROCEDURE") || sql_token_is(&tokens, token, "FUNCTION");
}

size_t esse_statement_end(enum esse_dialect dialect, const char *text, size_t length)
{
    struct sql_tokens tokens = { .text = text,
                                 .length = (uint32_t)length,
                                 .is_mysql = dialect == ESSE_DIALECT_MYSQL };
    const bool has_blocks = tokens.is_mysql && makes_routine(tokens);
    unsigned depth = 0;
    for (;;) {
        const struct sql_token token = sql_token_next(&tokens);
        if (token.kind == SQL_TOKEN_END || token.kind == SQL_TOKEN_BROKEN)
            return length;
        if (has_blocks)
            count_blocks(&tokens, token, &depth);
        if (sql_token_is(&tokens, token, ";") && !depth)
            return tokens.at;
    }
}
