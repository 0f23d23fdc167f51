#ifndef ESSE_TESTS_UNIT_AUDIT_ORACLE_H
#define ESSE_TESTS_UNIT_AUDIT_ORACLE_H

#include "test.h"

#include <sqlite3.h>
#include <stdarg.h>

/*
 * The definition of what esse audit decides, by brute force: every order of the transactions, every
 * view that the level allows, and SQLite runs the statements.  One table t(k, v) with the keys 1 to
 * 3; states are arrays.
 */
enum { KEYS = 3, MOST_TXNS = 4, MOST_STEPS = 5, MOST_ANSWER = 64 };
enum { S, SS, SI, SSI, MSR, RC, LEVELS };
enum { MOST_TRIED = 200000 };
enum { ANY_ORDER, VERSION_ORDER, GIVEN_ORDER };

struct rows {
    bool has[KEYS];
    int v[KEYS];
};

struct ran {
    const char *text;
    struct rows before, after;
    char answer[MOST_ANSWER]; /* rows, sorted unless the text does */
    int count;
    bool has_failed, wrote[KEYS], inserted[KEYS];
};

enum { NOTHING_SEEN = 0, ROWS_SEEN = 1, COUNT_SEEN = 2, ERROR_SEEN = 4 };

struct step {
    const char *text;
    unsigned seen;
    char answer[MOST_ANSWER];
    int count;
};

struct txn {
    struct step steps[MOST_STEPS];
    unsigned count;
    int start, end;
    bool is_unknown, is_aborted;
    int position; /* in the order line; below 0: it has none */
    int wrote;    /* 0: not said, 1: it did, 2: it did not */
};

struct story {
    struct rows first;
    struct txn txns[MOST_TXNS];
    unsigned count;
};

struct oracle {
    sqlite3 *db;
    struct ran *ran; /* what was run before: the same text on the same rows does the same */
    unsigned count, room;
    struct ran *running;
    unsigned long steps; /* of the question at hand; beyond MOST_TRIED nothing is known */
};

/* ---- running a text ---- */

static void note_change(void *context, int op, const char *db, const char *table, sqlite3_int64 row)
{
    struct oracle *oracle = context;
    (void)db;
    (void)table;
    if (!oracle->running || row < 1 || row > KEYS)
        return;
    oracle->running->wrote[row - 1] = true;
    if (op == SQLITE_INSERT)
        oracle->running->inserted[row - 1] = true;
}

static void oracle_open(struct oracle *oracle)
{
    *oracle = (struct oracle){ 0 };
    CHECK_EQ(sqlite3_open(":memory:", &oracle->db), SQLITE_OK);
    CHECK_EQ(
        sqlite3_exec(oracle->db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v int)", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_update_hook(oracle->db, note_change, oracle);
}

static void oracle_close(struct oracle *oracle)
{
    sqlite3_close(oracle->db);
    free(oracle->ran);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Rows of a statement as a text. */
static void take_rows(sqlite3_stmt *statement, bool is_sorted, char answer[MOST_ANSWER])
{
    char lines[8][16];
    unsigned count = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        size_t at = 0;
        assert_true(count < 8);
        memset(lines[count], 0, sizeof lines[count]);
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            at +=
                (size_t)snprintf(lines[count] + at, sizeof lines[count] - at, "%s%s", i ? "," : "",
                                 sqlite3_column_type(statement, i) == SQLITE_NULL
                                     ? "null"
                                     : (const char *)sqlite3_column_text(statement, i));
        count++;
    }
    if (!is_sorted)
        qsort(lines, count, sizeof lines[0], compare_lines);
    answer[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        snprintf(answer + strlen(answer), MOST_ANSWER - strlen(answer), "[%s]", lines[i]);
}

static void set_rows(struct oracle *oracle, const struct rows *rows)
{
    char text[200] = "DELETE FROM t;";
    for (int k = 0; k < KEYS; k++)
        if (rows->has[k])
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "INSERT INTO t VALUES (%d, %d);", k + 1, rows->v[k]);
    CHECK_EQ(sqlite3_exec(oracle->db, text, NULL, NULL, NULL), SQLITE_OK);
}

static struct rows get_rows(struct oracle *oracle)
{
    struct rows rows = { .has = { false } };
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(oracle->db, "SELECT k, v FROM t", -1, &statement, NULL);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const int k = sqlite3_column_int(statement, 0) - 1;
        rows.has[k] = true;
        rows.v[k] = sqlite3_column_int(statement, 1);
    }
    sqlite3_finalize(statement);
    return rows;
}

static bool same_content(const struct rows *a, const struct rows *b)
{
    for (int k = 0; k < KEYS; k++)
        if (a->has[k] != b->has[k] || (a->has[k] && a->v[k] != b->v[k]))
            return false;
    return true;
}

static struct ran run_in_sqlite(struct oracle *oracle, const char *text, const struct rows *before)
{
    struct ran ran = { .text = text, .before = *before };
    sqlite3_stmt *statement;
    oracle->running = NULL;
    set_rows(oracle, before);
    oracle->running = &ran;
    if (sqlite3_prepare_v2(oracle->db, text, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(oracle->db));
    take_rows(statement, strstr(text, "ORDER BY") != NULL, ran.answer);
    ran.has_failed = sqlite3_finalize(statement) != SQLITE_OK;
    ran.count = strncmp(text, "SELECT", 6) == 0 ? 0 : sqlite3_changes(oracle->db);
    oracle->running = NULL;
    ran.after = get_rows(oracle);
    return ran;
}

static struct ran oracle_run(struct oracle *oracle, const char *text, const struct rows *before)
{
    for (unsigned i = 0; i < oracle->count; i++)
        if (oracle->ran[i].text == text && same_content(&oracle->ran[i].before, before))
            return oracle->ran[i];
    if (oracle->count == oracle->room) {
        oracle->room = oracle->room ? 2 * oracle->room : 64;
        oracle->ran = realloc(oracle->ran, oracle->room * sizeof *oracle->ran);
    }
    oracle->ran[oracle->count] = run_in_sqlite(oracle, text, before);
    return oracle->ran[oracle->count++];
}

/* ---- executions ---- */

struct own {
    bool is_written[KEYS];
    struct rows rows;
};

struct execution {
    struct oracle *oracle;
    const struct story *story;
    int level, order;
    struct rows states[MOST_TXNS + 1];
    bool wrote[MOST_TXNS + 1][KEYS]; /* by place */
    unsigned at[MOST_TXNS + 1];      /* by place: the transaction */
    bool is_placed[MOST_TXNS];
    int place_of[MOST_TXNS];
    int places;
};

static struct rows seen_through(const struct rows *view, const struct own *own)
{
    struct rows rows = *view;
    for (int k = 0; k < KEYS; k++)
        if (own->is_written[k]) {
            rows.has[k] = own->rows.has[k];
            rows.v[k] = own->rows.v[k];
        }
    return rows;
}

static bool oracle_places(struct execution *e);
static bool oracle_steps(struct execution *e, unsigned txn, unsigned step, struct own own,
                         struct own saved, int b, int oldest);

static bool real_time_counts(const struct execution *e)
{
    return e->level == SS || e->level == SSI;
}

static bool ended_before(const struct execution *e, unsigned j, unsigned i)
{
    const struct txn *a = &e->story->txns[j];
    return !a->is_unknown && a->end < e->story->txns[i].start;
}

static bool may_commit(const struct execution *e, unsigned txn, const struct own *own, int b)
{
    const struct txn *one = &e->story->txns[txn];
    bool wrote = false;
    for (int k = 0; k < KEYS; k++) {
        wrote = wrote || own->is_written[k];
        for (int j = 1; own->is_written[k] && j <= e->places; j++)
            if (e->wrote[j][k] && (((e->level == SI || e->level == SSI) && j > b) ||
                                   (e->order == VERSION_ORDER && one->position >= 0 &&
                                    e->story->txns[e->at[j]].position > one->position)))
                return false;
    }
    return one->wrote == 0 || wrote == (one->wrote == 1);
}

static bool oracle_commit(struct execution *e, unsigned txn, struct own own, int b)
{
    if (!may_commit(e, txn, &own, b))
        return false;
    const int place = ++e->places;
    e->states[place] = seen_through(&e->states[place - 1], &own);
    memcpy(e->wrote[place], own.is_written, sizeof own.is_written);
    e->at[place] = txn;
    e->place_of[txn] = place;
    e->is_placed[txn] = true;
    const bool ok = oracle_places(e);
    e->is_placed[txn] = false;
    e->places--;
    return ok;
}

/* The step on this view, and what follows. */
static bool oracle_step(struct execution *e, unsigned txn, unsigned step, struct own own,
                        struct own saved, int b, int oldest, const struct rows *view)
{
    const struct step *one = &e->story->txns[txn].steps[step];
    if (++e->oracle->steps > MOST_TRIED)
        return false;
    const struct rows before = seen_through(view, &own);
    const struct ran ran = oracle_run(e->oracle, one->text, &before);
    if (ran.has_failed || ((one->seen & ROWS_SEEN) && strcmp(ran.answer, one->answer) != 0) ||
        ((one->seen & COUNT_SEEN) && ran.count != one->count))
        return false;
    for (int k = 0; k < KEYS; k++) {
        if (ran.inserted[k] && !own.is_written[k] && e->states[e->places].has[k])
            return false;
        if (!ran.wrote[k])
            continue;
        own.is_written[k] = true;
        own.rows.has[k] = ran.after.has[k];
        own.rows.v[k] = ran.after.v[k];
    }
    return oracle_steps(e, txn, step + 1, own, saved, b, oldest);
}

/* Does an older state have the same of this key? */
static bool is_repeated(const struct execution *e, int state, int k)
{
    for (int older = 0; older < state; older++)
        if (e->states[older].has[k] == e->states[state].has[k] &&
            (!e->states[state].has[k] || e->states[older].v[k] == e->states[state].v[k]))
            return true;
    return false;
}

/* Each key from a state of its own; those that give the same row count once. */
static bool any_view(struct execution *e, unsigned txn, unsigned step, struct own own,
                     struct own saved, struct rows view, int key)
{
    if (key == KEYS)
        return oracle_step(e, txn, step, own, saved, 0, 0, &view);
    for (int state = 0; state <= e->places; state++) {
        if (is_repeated(e, state, key))
            continue;
        view.has[key] = e->states[state].has[key];
        view.v[key] = e->states[state].v[key];
        if (any_view(e, txn, step, own, saved, view, key + 1))
            return true;
    }
    return false;
}

static bool some_state_fails(struct execution *e, const char *text, const struct own *own)
{
    for (int j = 0; j <= e->places; j++) {
        const struct rows before = seen_through(&e->states[j], own);
        if (oracle_run(e->oracle, text, &before).has_failed)
            return true;
    }
    return false;
}

static bool oracle_steps(struct execution *e, unsigned txn, unsigned step, struct own own,
                         struct own saved, int b, int oldest)
{
    const struct txn *one = &e->story->txns[txn];
    if (step == one->count)
        return oracle_commit(e, txn, own, b);
    const char *text = one->steps[step].text;
    if (strcmp(text, "SAVEPOINT s") == 0)
        return oracle_steps(e, txn, step + 1, own, own, b, oldest);
    if (strcmp(text, "ROLLBACK TO s") == 0)
        return oracle_steps(e, txn, step + 1, saved, saved, b, oldest);
    if (one->steps[step].seen & ERROR_SEEN)
        return some_state_fails(e, text, &own) &&
               oracle_steps(e, txn, step + 1, own, saved, b, oldest);
    if (e->level == RC)
        return any_view(e, txn, step, own, saved, e->states[0], 0);
    if (e->level != MSR)
        return oracle_step(e, txn, step, own, saved, b, oldest, &e->states[b]);
    for (int state = oldest; state <= e->places; state++)
        if (oracle_step(e, txn, step, own, saved, b, state, &e->states[state]))
            return true;
    return false;
}

static bool oracle_txn(struct execution *e, unsigned txn)
{
    const struct own none = { .is_written = { false } };
    int least = 0;
    if (e->level != SI && e->level != SSI)
        return oracle_steps(e, txn, 0, none, none, e->places, 0);
    for (unsigned j = 0; e->level == SSI && j < e->story->count; j++)
        if (e->is_placed[j] && ended_before(e, j, txn) && e->place_of[j] > least)
            least = e->place_of[j];
    for (int b = least; b <= e->places; b++)
        if (oracle_steps(e, txn, 0, none, none, b, 0))
            return true;
    return false;
}

static bool may_be_next(const struct execution *e, unsigned txn)
{
    for (unsigned j = 0; j < e->story->count; j++) {
        const struct txn *other = &e->story->txns[j];
        if (e->is_placed[j] || j == txn || other->is_aborted)
            continue;
        if (real_time_counts(e) && ended_before(e, j, txn))
            return false;
        if (e->order == GIVEN_ORDER && !other->is_unknown && !e->story->txns[txn].is_unknown &&
            other->position < e->story->txns[txn].position)
            return false;
    }
    return true;
}

static bool oracle_places(struct execution *e)
{
    bool is_complete = true;
    for (unsigned t = 0; t < e->story->count; t++)
        is_complete = is_complete && (e->is_placed[t] || e->story->txns[t].is_unknown ||
                                      e->story->txns[t].is_aborted);
    if (is_complete)
        return true;
    for (unsigned t = 0; t < e->story->count; t++)
        if (!e->is_placed[t] && !e->story->txns[t].is_aborted && may_be_next(e, t) &&
            oracle_txn(e, t))
            return true;
    return false;
}

static bool oracle_holds(struct oracle *oracle, const struct story *story, int level, int order)
{
    struct execution e = { .oracle = oracle, .story = story, .level = level, .order = order };
    e.states[0] = story->first;
    oracle->steps = 0;
    return oracle_places(&e);
}

#endif
