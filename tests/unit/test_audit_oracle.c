#include "audit/audit.h"
#include "audit_oracle.h"
#include "formats/log_read.h"

/*
 * Random logs against the definition: made by a random execution of a random level, with what it
 * answered, of which some is left out and some is changed.
 */
static const char *const texts[] = {
    "SELECT v FROM t WHERE k = 1",
    "SELECT v FROM t WHERE k = 2",
    "SELECT k, v FROM t",
    "SELECT sum(v) FROM t",
    "SELECT count(*) FROM t WHERE v > 1",
    "SELECT k FROM t ORDER BY v DESC, k LIMIT 2",
    "SELECT a.k, b.k FROM t a, t b WHERE a.v = b.v AND a.k < b.k",
    "UPDATE t SET v = v + 1 WHERE k = 1",
    "UPDATE t SET v = v + 1 WHERE k = 2",
    "UPDATE t SET v = v + 1",
    "UPDATE t SET v = 2 WHERE v < 2",
    "UPDATE t SET v = (SELECT max(v) FROM t) WHERE k = 3",
    "UPDATE t SET v = v WHERE k = 1",
    "DELETE FROM t WHERE k = 3",
    "DELETE FROM t WHERE v > 2",
    "INSERT INTO t VALUES (3, 1)",
    "INSERT INTO t VALUES (1, 0)",
    "INSERT INTO t VALUES (3, 2) ON CONFLICT DO NOTHING",
    "INSERT INTO t VALUES (2, 5) ON CONFLICT (k) DO UPDATE SET v = t.v + 10",
    "INSERT INTO t SELECT 3, v FROM t WHERE k = 1",
    "SAVEPOINT s",
    "ROLLBACK TO s",
};
enum { TEXTS = sizeof texts / sizeof *texts };

struct making {
    struct esse_rng *rng;
    struct oracle *oracle;
    struct rows states[MOST_TXNS + 1];
    int places, level;
};

static unsigned below(struct making *m, unsigned bound)
{
    return esse_rng_below(m->rng, bound);
}

static struct rows some_view(struct making *m, int b)
{
    struct rows view = m->states[m->level == S ? m->places : b];
    for (int k = 0; m->level == RC && k < KEYS; k++) {
        const struct rows *from = &m->states[below(m, (unsigned)m->places + 1)];
        view.has[k] = from->has[k];
        view.v[k] = from->v[k];
    }
    return view;
}

static void observe(struct making *m, struct step *step, const struct ran *ran)
{
    const bool is_query = strncmp(step->text, "SELECT", 6) == 0;
    memcpy(step->answer, ran->answer, sizeof step->answer);
    step->count = ran->count;
    step->seen = ran->has_failed ? ERROR_SEEN
                 : is_query      ? (below(m, 8) ? ROWS_SEEN : NOTHING_SEEN)
                 : below(m, 2)   ? COUNT_SEEN
                                 : NOTHING_SEEN;
}

static void make_txn(struct making *m, struct txn *txn)
{
    struct own own = { .is_written = { false } }, saved = own;
    const int b = (int)below(m, (unsigned)m->places + 1);
    bool has_savepoint = false;
    txn->count = 1 + below(m, 3);
    for (unsigned s = 0; s < txn->count; s++) {
        struct step *step = &txn->steps[s];
        step->text = texts[below(m, has_savepoint ? TEXTS : TEXTS - 1)];
        step->seen = NOTHING_SEEN;
        if (strcmp(step->text, "SAVEPOINT s") == 0) {
            has_savepoint = true;
            saved = own;
            continue;
        }
        if (strcmp(step->text, "ROLLBACK TO s") == 0) {
            own = saved;
            continue;
        }
        const struct rows view = some_view(m, b), before = seen_through(&view, &own);
        const struct ran ran = oracle_run(m->oracle, step->text, &before);
        observe(m, step, &ran);
        for (int k = 0; !ran.has_failed && k < KEYS; k++)
            if (ran.wrote[k]) {
                own.is_written[k] = true;
                own.rows.has[k] = ran.after.has[k];
                own.rows.v[k] = ran.after.v[k];
            }
    }
    bool wrote = false;
    for (int k = 0; k < KEYS; k++)
        wrote = wrote || own.is_written[k];
    txn->wrote = below(m, 10) ? 0 : wrote ? 1 : 2;
    txn->is_aborted = !below(m, 12);
    txn->is_unknown = !txn->is_aborted && !below(m, 7);
    if (txn->is_aborted || (txn->is_unknown && below(m, 2)))
        return;
    m->states[m->places + 1] = seen_through(&m->states[m->places], &own);
    m->places++;
}

/* An answer that another step of the same text had, or a count that is off. */
static void change(struct making *m, struct story *story)
{
    struct txn *txn = &story->txns[below(m, story->count)];
    struct step *step = &txn->steps[below(m, txn->count)];
    const struct rows before = m->states[below(m, (unsigned)m->places + 1)];
    if (step->seen & COUNT_SEEN)
        step->count = (int)below(m, 3);
    if (step->seen & ROWS_SEEN)
        memcpy(step->answer, oracle_run(m->oracle, step->text, &before).answer,
               sizeof step->answer);
}

static void make_story(struct esse_rng *rng, struct oracle *oracle, struct story *story)
{
    struct making m = { .rng = rng, .oracle = oracle };
    *story = (struct story){ .count = 1 + esse_rng_below(rng, MOST_TXNS) };
    for (int k = 0; k < KEYS; k++) {
        story->first.has[k] = below(&m, 4) != 0;
        story->first.v[k] = (int)below(&m, 3);
    }
    m.states[0] = story->first;
    m.level = (int)(below(&m, 3) == 0 ? S : below(&m, 2) ? SI : RC);
    for (unsigned t = 0; t < story->count; t++) {
        struct txn *txn = &story->txns[t];
        make_txn(&m, txn);
        txn->start = (int)(3 * t + below(&m, 6)) - 3;
        txn->end = txn->start + (int)below(&m, 8);
        txn->position = (int)t;
    }
    if (!below(&m, 2))
        change(&m, story);
    for (unsigned t = 0; t + 1 < story->count; t++) /* an order that is not quite that of making */
        if (!below(&m, 4)) {
            const int position = story->txns[t].position;
            story->txns[t].position = story->txns[t + 1].position;
            story->txns[t + 1].position = position;
        }
}

/* ---- the story as a log ---- */

struct text {
    char at[6000];
    size_t length;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->length +=
        (size_t)vsnprintf(text->at + text->length, sizeof text->at - text->length, format, args);
    va_end(args);
    assert_true(text->length < sizeof text->at);
}

static void put_step(struct text *text, const struct step *step)
{
    put(text, "{'q':'%s'", step->text);
    if (step->seen & ROWS_SEEN) {
        put(text, ",'rows':[");
        for (const char *at = step->answer; *at; at++)
            put(text, "%c%s", *at, *at == ']' && at[1] ? "," : "");
        put(text, "]");
    }
    if (step->seen & COUNT_SEEN)
        put(text, ",'count':%d", step->count);
    if (step->seen & ERROR_SEEN)
        put(text, ",'error':'23505'");
    put(text, "}");
}

static void put_txn(struct text *text, const struct txn *txn, unsigned number)
{
    put(text, "{'session':%u,'txn':'t%u','status':'%s','start':%d,'end':%d", number, number,
        txn->is_aborted   ? "aborted"
        : txn->is_unknown ? "unknown"
                          : "committed",
        txn->start, txn->end);
    if (txn->wrote)
        put(text, txn->wrote == 1 ? ",'xid':%u" : ",'wrote':false", number);
    put(text, ",'sql':[");
    for (unsigned s = 0; s < txn->count; s++) {
        put(text, s ? "," : "");
        put_step(text, &txn->steps[s]);
    }
    put(text, "]}\n");
}

static void put_story(struct text *text, const struct story *story)
{
    const char *comma = "";
    text->length = 0;
    put(text, "{'schema':['CREATE TABLE t (k int PRIMARY KEY, v int)']}\n{'table':'t','rows':[");
    for (int k = 0; k < KEYS; k++)
        if (story->first.has[k]) {
            put(text, "%s[%d,%d]", comma, k + 1, story->first.v[k]);
            comma = ",";
        }
    put(text, "]}\n");
    for (unsigned t = 0; t < story->count; t++)
        put_txn(text, &story->txns[t], t);
    put(text, "{'order':[");
    comma = "";
    for (int position = 0; position < (int)story->count; position++)
        for (unsigned t = 0; t < story->count; t++)
            if (story->txns[t].position == position && !story->txns[t].is_aborted &&
                !story->txns[t].is_unknown) {
                put(text, "%s't%u'", comma, t);
                comma = ",";
            }
    put(text, "]}\n");
}

/* ---- both ---- */

static const enum audit_order orders[] = { AUDIT_ORDER_ANY, AUDIT_ORDER_VERSIONS,
                                           AUDIT_ORDER_GIVEN };

static struct audit_world *world_of(struct esse_arena *arena, const char *text)
{
    struct esse_source source;
    struct esse_sql_log *log = NULL;
    struct audit_world *world = NULL;
    struct esse_error err = { 0 };
    const char *bytes = json(arena, text);
    esse_source_memory(&source, arena, bytes, strlen(bytes));
    if (!esse_log_read(arena, &source, &log, &err) || !audit_world_new(arena, log, &world, &err))
        fail_msg("%s\n%s", err.text, text);
    esse_source_close(&source);
    return world;
}

/* A version order names no transaction of unknown outcome: it may stand anywhere. */
static struct story as_asked(const struct story *story, int order)
{
    struct story asked = *story;
    for (unsigned t = 0; t < asked.count; t++)
        if (asked.txns[t].is_unknown && order == VERSION_ORDER)
            asked.txns[t].position = -1;
    return asked;
}

static unsigned verdicts[3], left_out; /* left out: brute force would take too long */

static bool agrees(struct oracle *oracle, const struct story *story, bool is_told)
{
    struct esse_arena *arena = esse_arena_new();
    struct text text;
    bool all = true;
    put_story(&text, story);
    struct audit_world *world = world_of(arena, text.at);
    for (int order = ANY_ORDER; order <= GIVEN_ORDER; order++) {
        const struct story asked = as_asked(story, order);
        for (int level = 0; level < LEVELS; level++) {
            struct audit_answer answer;
            struct esse_error err;
            const struct audit_question question = { .level = (enum audit_level)level,
                                                     .order = orders[order] };
            CHECK(audit_ask(arena, world, &question, &answer, &err));
            const bool holds = oracle_holds(oracle, &asked, level, order);
            if (!holds && oracle->steps > MOST_TRIED) {
                left_out++;
                continue;
            }
            verdicts[answer.outcome]++;
            if (answer.outcome == (holds ? ESSE_HOLDS : ESSE_VIOLATED) &&
                answer.rechecked != AUDIT_RECHECK_FAILED)
                continue;
            all = false;
            if (is_told)
                print_error("%s, order %d: %s, but %s\n", audit_level_names[level], order,
                            esse_outcome_name(answer.outcome), holds ? "holds" : "violated");
        }
    }
    if (is_told)
        print_error("%s\n", text.at);
    audit_world_free(world);
    esse_arena_free(arena);
    return all;
}

/* Leaves out whatever is not needed for the difference. */
static void shrink(struct oracle *oracle, struct story *story)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned t = 0; t < story->count && !again; t++) {
            struct story less = *story;
            memmove(&less.txns[t], &less.txns[t + 1], (less.count - t - 1) * sizeof less.txns[0]);
            less.count--;
            for (unsigned other = 0; other < less.count; other++)
                less.txns[other].position -= less.txns[other].position > story->txns[t].position;
            if ((again = less.count && !agrees(oracle, &less, false)))
                *story = less;
        }
        for (unsigned t = 0; t < story->count && !again; t++)
            for (unsigned s = 0; s < story->txns[t].count && !again; s++) {
                struct story less = *story;
                struct txn *txn = &less.txns[t];
                memmove(&txn->steps[s], &txn->steps[s + 1],
                        (txn->count - s - 1) * sizeof txn->steps[0]);
                txn->count--;
                if ((again = !agrees(oracle, &less, false)))
                    *story = less;
            }
    }
}

TEST(test_audit_oracle__every_verdict_is_that_of_the_definition)
{
    const unsigned rounds = test_rounds(700), first = test_first(700);
    struct oracle oracle;
    oracle_open(&oracle);
    for (unsigned seed = first; seed < first + rounds; seed++) {
        struct esse_rng rng = { seed };
        struct story story;
        make_story(&rng, &oracle, &story);
        if (!agrees(&oracle, &story, false)) {
            shrink(&oracle, &story);
            agrees(&oracle, &story, true);
            fail_msg("seed %u", seed);
        }
        if (oracle.count > 500)
            oracle.count = 0;
    }
    oracle_close(&oracle);
    CHECK(verdicts[ESSE_HOLDS] > test_least(1000));
    CHECK(verdicts[ESSE_VIOLATED] > test_least(1000));
    CHECK_EQ(verdicts[ESSE_UNKNOWN], 0);
    CHECK(left_out < (verdicts[ESSE_HOLDS] + verdicts[ESSE_VIOLATED]) / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_audit_oracle__every_verdict_is_that_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
