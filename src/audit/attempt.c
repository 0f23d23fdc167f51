#include "audit/attempt.h"

#include "base/budget.h"

#include <stdio.h>
#include <string.h>

/* What one transaction can have done, view by view. */

struct trying {
    struct audit_attempt *attempt;
    struct audit_world *world;
    const struct esse_log_txn *txn;
    struct esse_arena *arena;
    uint32_t wanted;              /* the outcome that is asked for */
    struct esse_u8_vec *outcomes; /* those met before it, as bytes */
    uint32_t outcome_count, outcome_room;
    uint64_t runs;
    uint32_t base; /* values of holes known before */
    struct esse_schema_mark schema;
    bool is_again; /* what it writes is among the versions already */
};

static const struct esse_log_statement *statement_of(const struct trying *t, uint32_t number)
{
    return &t->world->log->statements.at[t->txn->statements.first + number];
}

static bool stop(struct trying *t, uint32_t number, enum audit_why why, const char *fault)
{
    struct audit_attempt *a = t->attempt;
    if (a->why == AUDIT_WHY_FITS || number > a->stopped) {
        a->stopped = number;
        a->why = why;
        snprintf(a->fault, sizeof a->fault, "%s", fault);
    }
    return false;
}

/* ---- one statement on the view that is set ---- */

static const struct esse_datum *args_of(struct trying *t,
                                        const struct esse_log_statement *statement)
{
    struct esse_datum *args =
        esse_arena_alloc(t->world->scratch, statement->args.count + 1, sizeof *args);
    for (uint32_t i = 0; i < statement->args.count; i++)
        audit_value(t->world, t->world->log->cells.at[statement->args.first + i],
                    ESSE_TYPE(UNKNOWN), &args[i]);
    return args;
}

/* That a table exists is a key too: at an older state it may not be there yet. */
static bool tables_are_there(struct trying *t, const struct esse_statement *statement,
                             struct esse_fault *fault)
{
    const struct audit_world *world = t->world;
    for (uint32_t i = 0; i < statement->table_count; i++) {
        const struct esse_table *table = statement->tables[i];
        const uint32_t made = table->number < world->made.count ? world->made.at[table->number] : 0;
        if (made && !audit_versions_needs(world->versions, made))
            return esse_fault(fault, "42P01", 0, "relation \"%s\" does not exist", table->name);
    }
    return true;
}

static bool run_text(struct trying *t, uint32_t number, struct esse_sql_result *result,
                     struct esse_fault *fault)
{
    struct audit_world *world = t->world;
    const struct esse_log_statement *statement = statement_of(t, number);
    struct esse_compiled compiled;
    t->runs++;
    world->runs++;
    world->running = statement;
    esse_arena_clear(world->scratch);
    return esse_compile(world->compiler, statement->text.at, statement->text.length, &compiled,
                        fault) &&
           tables_are_there(t, compiled.statement, fault) &&
           esse_exec_run(world->exec, &compiled, args_of(t, statement), statement->args.count,
                         result, fault);
}

/* A fault that is no error of SQL: nothing follows from it. */
static bool is_open(struct trying *t, uint32_t number, const struct esse_fault *fault)
{
    if (fault->kind == ESSE_FAULT_ERROR)
        return false;
    t->world->doubt = true;
    stop(t, number, AUDIT_WHY_UNSUPPORTED, fault->text);
    return true;
}

/* An INSERT of a key that the newest state has would have failed, whatever its view. */
static bool inserts_what_is_there(struct trying *t, struct esse_exec_mark mark)
{
    const struct esse_overlay *overlay = esse_exec_overlay(t->world->exec);
    for (size_t i = mark.writes; i < overlay->entries.count; i++) {
        const struct esse_overlay_entry *entry = &overlay->entries.at[i];
        const struct esse_write *write = &overlay->writes.at[entry->write];
        if (entry->before != UINT32_MAX || !entry->row)
            continue;
        const struct audit_version *top =
            audit_versions_top(t->world->versions, write->table, write->key);
        if (top && top->row &&
            !overlay->store->get(overlay->store->context, write->table, write->key))
            return true;
    }
    return false;
}

/* Does it fail as recorded on the view that is set? */
static bool fails_as_recorded(struct trying *t, uint32_t number, const char *state)
{
    const struct esse_exec_mark mark = esse_exec_mark(t->world->exec);
    struct esse_sql_result result;
    struct esse_fault fault;
    if (run_text(t, number, &result, &fault)) {
        esse_exec_back(t->world->exec, mark);
        return false;
    }
    return !is_open(t, number, &fault) && strcmp(fault.state, state) == 0;
}

/* Some state so far, with own writes, breaks the constraint. */
static bool constraint_fails(struct trying *t, uint32_t number, const char *state)
{
    struct audit_versions *versions = t->world->versions;
    for (uint32_t b = audit_versions_newest(versions);;) {
        audit_versions_look_at(versions, b);
        if (fails_as_recorded(t, number, state))
            return true;
        const struct audit_span seen = audit_versions_seen(versions);
        if (seen.low == 0)
            return stop(t, number, AUDIT_WHY_UNEXPECTED_ERROR, state);
        b = seen.low - 1;
    }
}

/* Errors that no view decides; 'is_decided' says so. */
static bool error_without_view(struct trying *t, uint32_t number, bool *is_decided)
{
    const struct esse_log_statement *statement = statement_of(t, number);
    char state[6];
    *is_decided = statement->has & ESSE_LOG_ERROR;
    if (!*is_decided)
        return true;
    switch (audit_error_class(t->world, statement->error, state)) {
    case AUDIT_ERROR_ALWAYS:
        return true;
    case AUDIT_ERROR_CONSTRAINT:
        return constraint_fails(t, number, state);
    case AUDIT_ERROR_DATA:
        *is_decided = false;
        return true;
    case AUDIT_ERROR_NEVER:
        break;
    }
    return stop(t, number, AUDIT_WHY_UNEXPECTED_ERROR, state);
}

/* The first rows of a result, or how many it changed. */
static const char *show_result(struct trying *t, const struct esse_log_statement *statement,
                               const struct esse_sql_result *result)
{
    enum { MOST_ROWS = 4 };
    struct esse_arena *arena = t->world->scratch;
    const char *text = "";
    if (!(statement->has & ESSE_LOG_ROWS) || !result->has_rows)
        return esse_arena_format(arena, "%llu", (unsigned long long)result->changed);
    if (!result->count)
        return "no rows";
    for (size_t row = 0; row < result->count && row < MOST_ROWS; row++)
        for (uint32_t i = 0; i < result->width; i++)
            text = esse_arena_format(arena, "%s%s%.40s", text,
                                     i     ? " | "
                                     : row ? ", "
                                           : "",
                                     esse_datum_show(arena, result->rows[row * result->width + i],
                                                     result->columns[i].type)
                                         .is.text);
    return result->count > MOST_ROWS
               ? esse_arena_format(arena, "%s, ... (%zu rows)", text, result->count)
               : text;
}

/* Showing it costs more than running it: only where it is new. */
static void stop_at_answer(struct trying *t, uint32_t number, const struct esse_sql_result *result)
{
    const struct esse_log_statement *statement = statement_of(t, number);
    const struct audit_attempt *a = t->attempt;
    if (a->why == AUDIT_WHY_FITS || number > a->stopped)
        stop(t, number, statement->has & ESSE_LOG_ROWS ? AUDIT_WHY_ROWS : AUDIT_WHY_COUNT,
             show_result(t, statement, result));
}

static bool fits_on_view(struct trying *t, uint32_t number)
{
    struct audit_world *world = t->world;
    const struct esse_log_statement *statement = statement_of(t, number);
    const struct esse_exec_mark mark = esse_exec_mark(world->exec);
    struct esse_sql_result result;
    struct esse_fault fault;
    char state[6];
    if (statement->has & ESSE_LOG_ERROR) {
        audit_error_class(world, statement->error, state);
        return fails_as_recorded(t, number, state) ||
               stop(t, number, AUDIT_WHY_UNEXPECTED_ERROR, state);
    }
    if (!run_text(t, number, &result, &fault)) {
        if (!is_open(t, number, &fault))
            stop(t, number, AUDIT_WHY_MISSING_ERROR, fault.text);
        return false;
    }
    if (!audit_answer_fits(world, statement, &result)) {
        stop_at_answer(t, number, &result);
        esse_exec_back(world->exec, mark);
        return false;
    }
    if (!t->is_again && inserts_what_is_there(t, mark)) {
        stop(t, number, AUDIT_WHY_MISSING_ERROR, "the row is there already");
        esse_exec_back(world->exec, mark);
        return false;
    }
    return true;
}

/* ---- the end of a transaction ---- */

static bool has_version_after(const struct audit_world *world, const struct esse_write *write,
                              uint32_t state)
{
    const struct audit_version *top = audit_versions_top(world->versions, write->table, write->key);
    return top && top->place > state;
}

static bool same_rows(const struct esse_table *table, const struct esse_datum *a,
                      const struct esse_datum *b)
{
    if (!a || !b)
        return a == b;
    for (uint32_t i = 0; i < table->column_count; i++)
        if (!esse_datum_same(a[i], b[i], false))
            return false;
    return true;
}

/* The published formula: the new row is that of the snapshot, or nothing changed it since. */
static bool value_conflicts(struct trying *t, const struct esse_write *write,
                            const struct esse_datum *row, uint32_t state)
{
    const struct esse_overlay *overlay = esse_exec_overlay(t->world->exec);
    struct audit_versions *versions = t->world->versions;
    audit_versions_look_at(versions, state);
    const struct esse_datum *then =
        overlay->store->get(overlay->store->context, write->table, write->key);
    audit_versions_look_at(versions, audit_versions_newest(versions));
    const struct esse_datum *now =
        overlay->store->get(overlay->store->context, write->table, write->key);
    return !same_rows(write->table, row, then) && !same_rows(write->table, then, now);
}

static bool has_conflict(struct trying *t, uint32_t state)
{
    const struct esse_overlay *overlay = esse_exec_overlay(t->world->exec);
    const struct esse_write *write;
    const struct esse_datum *row;
    if (t->attempt->conflicts == AUDIT_CONFLICTS_NONE)
        return false;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row);)
        if (t->attempt->conflicts == AUDIT_CONFLICTS_VERSIONS
                ? has_version_after(t->world, write, state)
                : value_conflicts(t, write, row, state))
            return true;
    return false;
}

/* Is a version of a transaction that is given a later position already there? */
static bool is_out_of_order(struct trying *t)
{
    const struct esse_overlay *overlay = esse_exec_overlay(t->world->exec);
    const int64_t *positions = t->attempt->positions;
    const struct esse_write *write;
    const struct esse_datum *row;
    if (!positions || positions[t->attempt->txn] == INT64_MIN)
        return false;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row);) {
        const struct audit_version *version =
            audit_versions_top(t->world->versions, write->table, write->key);
        /* Below one that has a position everything is in order. */
        while (version && version->writer != AUDIT_NONE && positions[version->writer] == INT64_MIN)
            version = audit_versions_under(t->world->versions, version);
        if (version && version->writer != AUDIT_NONE &&
            positions[version->writer] > positions[t->attempt->txn])
            return true;
    }
    return false;
}

static bool writes_something(const struct esse_overlay *overlay)
{
    const struct esse_write *write;
    const struct esse_datum *row;
    uint32_t at = 0;
    return esse_overlay_next(overlay, &at, &write, &row);
}

static bool can_commit(struct trying *t, uint32_t state)
{
    struct audit_world *world = t->world;
    const uint32_t last = t->txn->statements.count;
    const bool wrote = writes_something(esse_exec_overlay(world->exec));
    struct esse_fault fault;
    if (t->txn->wrote != ESSE_LOG_WROTE_NOT_SAID && wrote != (t->txn->wrote == ESSE_LOG_WROTE))
        return stop(t, last, AUDIT_WHY_WROTE, "");
    if (has_conflict(t, state))
        return stop(t, last, AUDIT_WHY_CONFLICT, "");
    if (is_out_of_order(t))
        return stop(t, last, AUDIT_WHY_ORDER, "");
    audit_versions_look_at(world->versions, audit_versions_newest(world->versions));
    if (!esse_exec_end(world->exec, &fault) || (wrote && t->attempt->views != AUDIT_VIEWS_NEWEST &&
                                                !esse_exec_verify(world->exec, &fault))) {
        if (!is_open(t, last, &fault))
            stop(t, last, AUDIT_WHY_CONSTRAINT, fault.text);
        return false;
    }
    return true;
}

/* ---- outcomes ---- */

static void put_datum(struct esse_u8_vec *bytes, struct esse_arena *arena, struct esse_datum datum)
{
    esse_u8_vec_push(bytes, arena, datum.kind);
    esse_u8_vec_push(bytes, arena, datum.scale);
    if (datum.kind == ESSE_DATUM_TEXT) {
        esse_u8_vec_append(bytes, arena, (const uint8_t *)&datum.length, sizeof datum.length);
        esse_u8_vec_append(bytes, arena, (const uint8_t *)datum.is.text, datum.length);
    } else if (datum.kind == ESSE_DATUM_DECIMAL && datum.is_wide) {
        esse_u8_vec_append(bytes, arena, (const uint8_t *)datum.is.wide, sizeof *datum.is.wide);
    } else if (datum.kind != ESSE_DATUM_NULL) {
        esse_u8_vec_append(bytes, arena, (const uint8_t *)&datum.is.number, sizeof datum.is.number);
    }
}

static struct esse_u8_vec overlay_bytes(struct trying *t)
{
    const struct esse_overlay *overlay = esse_exec_overlay(t->world->exec);
    struct esse_u8_vec bytes = { 0 };
    const struct esse_write *write;
    const struct esse_datum *row;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row);) {
        const uint32_t head[] = { write->table->number, write->key.length, row != NULL };
        esse_u8_vec_append(&bytes, t->arena, (const uint8_t *)head, sizeof head);
        esse_u8_vec_append(&bytes, t->arena, write->key.at, write->key.length);
        for (uint32_t i = 0; row && i < write->table->column_count; i++)
            put_datum(&bytes, t->arena, row[i]);
    }
    return bytes;
}

static bool is_among(const struct esse_u8_vec *all, uint32_t count, const struct esse_u8_vec *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].count == one->count &&
            (!one->count || memcmp(all[i].at, one->at, one->count) == 0))
            return true;
    return false;
}

/* An outcome was found: is it the one that is asked for? */
static bool take_outcome(struct trying *t)
{
    if (t->wanted == 0)
        return true;
    const struct esse_u8_vec bytes = overlay_bytes(t);
    if (is_among(t->outcomes, t->outcome_count, &bytes))
        return false;
    if (t->outcome_count == t->wanted)
        return true;
    if (t->outcome_count == t->outcome_room) {
        t->outcome_room = t->outcome_room ? 2 * t->outcome_room : 8;
        t->outcomes = esse_arena_grow(t->arena, t->outcomes, t->outcome_room * sizeof *t->outcomes);
    }
    t->outcomes[t->outcome_count++] = bytes;
    return false;
}

static void begin(struct trying *t)
{
    audit_world_back(t->world, t->base);
    t->world->now = 0;
    esse_exec_begin(t->world->exec);
    esse_schema_back(t->world->schema, t->schema);
}

static bool may_go_on(struct trying *t)
{
    if (t->runs <= t->attempt->most_runs && esse_budget_poll(t->attempt->budget, t->world->runs))
        return true;
    t->attempt->gave_up = true;
    return false;
}

/* ---- one state for all steps ---- */

static bool run_at(struct trying *t, uint32_t state, struct audit_span *span)
{
    struct audit_versions *versions = t->world->versions;
    *span = (struct audit_span){ 0, audit_versions_newest(versions) };
    begin(t);
    for (uint32_t s = 0; s < t->txn->statements.count; s++) {
        bool is_decided;
        if (!error_without_view(t, s, &is_decided)) {
            *span = (struct audit_span){ state, state };
            return false;
        }
        if (is_decided)
            continue;
        audit_versions_look_at(versions, state);
        const bool fits = fits_on_view(t, s);
        const struct audit_span seen = audit_versions_seen(versions);
        span->low = seen.low > span->low ? seen.low : span->low;
        span->high = seen.high < span->high ? seen.high : span->high;
        if (!fits)
            return false;
        t->attempt->steps[s] = (struct audit_view){ .state = state };
    }
    t->attempt->state = state;
    return can_commit(t, state) && take_outcome(t);
}

static bool one_state(struct trying *t, uint32_t low, uint32_t high)
{
    const struct audit_attempt *a = t->attempt;
    struct audit_span span;
    if (low > high)
        return stop(t, 0, AUDIT_WHY_ROWS, "");
    for (uint32_t state = a->upwards ? low : high; may_go_on(t);) {
        if (run_at(t, state, &span))
            return true;
        if (a->upwards ? span.high >= high : span.low <= low)
            return false;
        state = a->upwards ? span.high + 1 : span.low - 1;
    }
    return false;
}

/* ---- a version for each key ---- */

static bool writes_over_older(struct trying *t)
{
    const struct esse_overlay *overlay = esse_exec_overlay(t->world->exec);
    const struct esse_write *write;
    const struct esse_datum *row;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row);)
        if (audit_versions_chose_older(t->world->versions, write->table, write->key))
            return true;
    return false;
}

static bool run_choosing(struct trying *t)
{
    begin(t);
    for (uint32_t s = 0; s < t->txn->statements.count; s++) {
        bool is_decided;
        const bool fits = error_without_view(t, s, &is_decided);
        audit_versions_go_on_choosing(t->world->versions);
        if (!fits || (!is_decided && !fits_on_view(t, s)))
            return false;
    }
    return !writes_over_older(t);
}

static bool one_version_a_key(struct trying *t)
{
    struct audit_attempt *a = t->attempt;
    struct audit_versions *versions = t->world->versions;
    if (one_state(t, a->low, a->high)) {
        a->view = (struct audit_view){ .state = a->state };
        return true;
    }
    audit_versions_look_choosing_between(versions, a->low, a->high);
    do {
        const bool fits = run_choosing(t);
        a->view = audit_versions_view(versions, a->arena);
        if (fits && can_commit(t, audit_versions_newest(versions)))
            return true;
        audit_versions_look_as(versions, &a->view);
    } while (audit_versions_next_choice(versions) && may_go_on(t));
    return false;
}

bool audit_attempt_again(struct audit_attempt *attempt, const struct audit_view *view,
                         uint32_t beyond)
{
    struct audit_world *world = attempt->world;
    struct trying t = { .attempt = attempt,
                        .world = world,
                        .txn = &world->log->txns.at[attempt->txn],
                        .arena = attempt->arena,
                        .base = audit_world_mark(world),
                        .schema = esse_schema_mark(world->schema),
                        .is_again = true };
    begin(&t);
    for (uint32_t s = 0; s < t.txn->statements.count; s++) {
        bool is_decided;
        if (!error_without_view(&t, s, &is_decided))
            return false;
        if (view->is_choice)
            audit_versions_look_past(world->versions, beyond, view);
        else
            audit_versions_look_at(world->versions, view->state);
        if (!is_decided && !fits_on_view(&t, s))
            return false;
    }
    return true;
}

/* ---- what no version explains ---- */

static struct trying start_again(struct audit_attempt *attempt)
{
    struct audit_world *world = attempt->world;
    esse_arena_clear(attempt->arena);
    attempt->why = AUDIT_WHY_FITS;
    attempt->stopped = 0;
    attempt->gave_up = false;
    return (struct trying){ .attempt = attempt,
                            .world = world,
                            .txn = &world->log->txns.at[attempt->txn],
                            .arena = attempt->arena,
                            .base = audit_world_mark(world),
                            .schema = esse_schema_mark(world->schema),
                            .is_again = true };
}

/* Whether the statement may change something; what failed changed nothing. */
static bool may_change(struct trying *t, uint32_t number)
{
    const struct esse_log_statement *statement = statement_of(t, number);
    struct esse_compiled compiled;
    struct esse_fault fault;
    return !(statement->has & ESSE_LOG_ERROR) &&
           (!esse_compile(t->world->compiler, statement->text.at, statement->text.length, &compiled,
                          &fault) ||
            compiled.statement->kind != ESSE_STATEMENT_QUERY);
}

/* May rows of other tables follow what is done to these? */
static bool has_actions(const struct esse_statement *statement)
{
    const struct esse_change *change = &statement->change;
    const struct esse_table *table = change->table;
    if (statement->kind == ESSE_STATEMENT_DELETE)
        return table->referers.count > 0;
    for (size_t i = 0; i < table->referers.count; i++)
        for (uint32_t k = 0; k < table->referers.at[i]->count; k++)
            for (uint32_t set = 0; set < change->set_count; set++)
                if (change->sets[set].column == table->referers.at[i]->parent_columns[k])
                    return true;
    return false;
}

/*
 * Does this change the same in every execution?  In another one it sees, of each row that it
 * writes, the version that is the newest here: so it writes no row that does not match here, and
 * with the recorded count just as many, it writes the same ones.
 */
static bool is_determined(struct trying *t, uint32_t number, const struct esse_sql_result *result)
{
    const struct esse_log_statement *recorded = statement_of(t, number);
    const struct esse_statement *statement = result->statement;
    const struct esse_change *change = &statement->change;
    switch (statement->kind) {
    case ESSE_STATEMENT_SAVEPOINT:
    case ESSE_STATEMENT_RELEASE:
    case ESSE_STATEMENT_ROLLBACK_TO:
    case ESSE_STATEMENT_NOTHING:
        return true;
    case ESSE_STATEMENT_INSERT:
        return change->conflict == ESSE_CONFLICT_ERROR && change->table->has_key &&
               statement->query_count == 1 && change->query && change->query->is_values;
    case ESSE_STATEMENT_UPDATE:
    case ESSE_STATEMENT_DELETE:
        return statement->query_count == 1 && change->source_count == 1 &&
               !has_actions(statement) && recorded->has & ESSE_LOG_COUNT &&
               (uint64_t)recorded->count == result->changed;
    default:
        return false;
    }
}

bool audit_attempt_changes(struct audit_attempt *attempt)
{
    struct trying t = start_again(attempt);
    struct audit_versions *versions = attempt->world->versions;
    struct esse_sql_result result;
    struct esse_fault fault;
    begin(&t);
    for (uint32_t s = 0; s < t.txn->statements.count; s++) {
        if (!may_change(&t, s))
            continue;
        audit_versions_look_at(versions, audit_versions_newest(versions));
        if (!run_text(&t, s, &result, &fault) || !is_determined(&t, s, &result))
            return false;
    }
    return esse_exec_end(attempt->world->exec, &fault) && !attempt->world->doubt &&
           !attempt->world->holes.count;
}

/* A query that no version of any key explains. */
static bool is_unexplained(struct trying *t, uint32_t number)
{
    struct audit_versions *versions = t->world->versions;
    audit_versions_look_choosing(versions);
    do {
        const bool fits = fits_on_view(t, number);
        const struct audit_view view = audit_versions_view(versions, t->arena);
        if (fits)
            return false;
        audit_versions_look_as(versions, &view);
    } while (audit_versions_next_choice(versions) && may_go_on(t));
    return !t->attempt->gave_up;
}

bool audit_attempt_is_refuted(struct audit_attempt *attempt, uint32_t before)
{
    struct trying t = start_again(attempt);
    struct audit_versions *versions = attempt->world->versions;
    begin(&t);
    for (uint32_t s = 0; s < t.txn->statements.count; s++) {
        if (statement_of(&t, s)->has & ESSE_LOG_ERROR)
            continue;
        const bool changes = may_change(&t, s);
        audit_versions_look_at(versions, before);
        if (fits_on_view(&t, s))
            continue;
        if (attempt->why == AUDIT_WHY_UNSUPPORTED)
            return false;
        if (changes || is_unexplained(&t, s)) {
            attempt->stopped = s;
            return attempt->why == AUDIT_WHY_ROWS || attempt->why == AUDIT_WHY_COUNT;
        }
        attempt->why = AUDIT_WHY_FITS;
    }
    return false;
}

/* ---- a view for each step ---- */

static bool steps_from(struct trying *t, uint32_t number, uint32_t oldest);

/* The steps before 'number' once more: ROLLBACK TO takes back what a mark cannot bring again. */
static void run_again(struct trying *t, uint32_t number)
{
    begin(t);
    for (uint32_t s = 0; s < number; s++) {
        bool is_decided;
        if (!error_without_view(t, s, &is_decided) || is_decided)
            continue;
        audit_versions_look_as(t->world->versions, &t->attempt->steps[s]);
        fits_on_view(t, s);
    }
}

struct step {
    struct trying *t;
    uint32_t number, oldest;
    struct esse_exec_mark mark;
    uint32_t holes;
    struct esse_u8_vec *seen; /* overlays that the rest was tried on */
    uint32_t count, room;
};

/* The step fits: the rest, unless it was tried on the same writes. */
static bool go_on(struct step *step, uint32_t oldest)
{
    struct trying *t = step->t;
    const struct esse_u8_vec bytes = overlay_bytes(t);
    if (is_among(step->seen, step->count, &bytes))
        return false;
    if (step->count == step->room) {
        step->room = step->room ? 2 * step->room : 4;
        step->seen = esse_arena_grow(t->arena, step->seen, step->room * sizeof *step->seen);
    }
    step->seen[step->count++] = bytes;
    return steps_from(t, step->number + 1, oldest);
}

static void undo(struct step *step)
{
    struct trying *t = step->t;
    if (t->world->facts[t->attempt->txn].goes_back) {
        run_again(t, step->number);
        return;
    }
    esse_exec_back(t->world->exec, step->mark);
    audit_world_back(t->world, step->holes);
}

/* Older states first: with the same writes an older one leaves more to later steps. */
static bool monotone_step(struct step *step)
{
    struct trying *t = step->t;
    struct audit_versions *versions = t->world->versions;
    for (uint32_t state = step->oldest; may_go_on(t);) {
        audit_versions_look_at(versions, state);
        const bool fits = fits_on_view(t, step->number);
        const struct audit_span seen = audit_versions_seen(versions);
        t->attempt->steps[step->number] = (struct audit_view){ .state = state };
        if (fits && go_on(step, state))
            return true;
        if (fits)
            undo(step);
        audit_world_back(t->world, step->holes);
        if (seen.high >= t->attempt->high)
            return false;
        state = seen.high + 1;
    }
    return false;
}

/* The states that there were, newest first: databases nearly always give one of them. */
static bool whole_state_step(struct step *step)
{
    struct trying *t = step->t;
    struct audit_versions *versions = t->world->versions;
    for (uint32_t state = t->attempt->high; may_go_on(t);) {
        audit_versions_look_at(versions, state);
        const bool fits = fits_on_view(t, step->number);
        const struct audit_span seen = audit_versions_seen(versions);
        t->attempt->steps[step->number] = (struct audit_view){ .state = state };
        if (fits && go_on(step, 0))
            return true;
        if (fits)
            undo(step);
        audit_world_back(t->world, step->holes);
        if (seen.low == 0)
            return false;
        state = seen.low - 1;
    }
    return false;
}

static bool any_step(struct step *step)
{
    struct trying *t = step->t;
    struct audit_versions *versions = t->world->versions;
    if (whole_state_step(step))
        return true;
    audit_versions_look_choosing(versions);
    do {
        const bool fits = fits_on_view(t, step->number);
        struct audit_view *view = &t->attempt->steps[step->number];
        *view = audit_versions_view(versions, t->arena);
        if (fits && go_on(step, 0))
            return true;
        if (fits)
            undo(step);
        audit_world_back(t->world, step->holes);
        audit_versions_look_as(versions, view);
    } while (audit_versions_next_choice(versions) && may_go_on(t));
    return false;
}

static bool steps_from(struct trying *t, uint32_t number, uint32_t oldest)
{
    bool is_decided;
    if (number == t->txn->statements.count)
        return can_commit(t, 0) && take_outcome(t);
    if (!error_without_view(t, number, &is_decided))
        return false;
    if (is_decided)
        return steps_from(t, number + 1, oldest);
    struct step step = { .t = t,
                         .number = number,
                         .oldest = oldest,
                         .mark = esse_exec_mark(t->world->exec),
                         .holes = audit_world_mark(t->world) };
    return t->attempt->views == AUDIT_VIEWS_MONOTONE ? monotone_step(&step) : any_step(&step);
}

/* Most transactions saw the newest state in every step. */
static bool step_by_step(struct trying *t)
{
    struct audit_span span;
    if (run_at(t, t->attempt->high, &span))
        return true;
    begin(t);
    if (steps_from(t, 0, t->attempt->low))
        return true;
    /* The statements of a procedure have views of their own, which are not tried yet. */
    t->world->doubt = t->world->doubt || t->world->facts[t->attempt->txn].calls;
    return false;
}

bool audit_attempt(struct audit_attempt *attempt, uint32_t outcome)
{
    struct audit_world *world = attempt->world;
    const uint32_t newest = audit_versions_newest(world->versions);
    struct trying t = { .attempt = attempt,
                        .world = world,
                        .txn = &world->log->txns.at[attempt->txn],
                        .arena = attempt->arena,
                        .wanted = outcome,
                        .base = audit_world_mark(world),
                        .schema = esse_schema_mark(world->schema) };
    esse_arena_clear(attempt->arena);
    attempt->why = AUDIT_WHY_FITS;
    attempt->stopped = 0;
    attempt->gave_up = false;
    attempt->steps = esse_arena_alloc(t.arena, t.txn->statements.count + 1, sizeof *attempt->steps);
    bool ok = false;
    switch (attempt->views) {
    case AUDIT_VIEWS_NEWEST:
        ok = one_state(&t, newest, newest);
        break;
    case AUDIT_VIEWS_ONE:
        ok = one_state(&t, attempt->low, attempt->high);
        break;
    case AUDIT_VIEWS_KEYS:
        ok = one_version_a_key(&t);
        break;
    case AUDIT_VIEWS_MONOTONE:
    case AUDIT_VIEWS_ANY:
        ok = step_by_step(&t);
        break;
    }
    if (!ok)
        begin(&t);
    return ok;
}
