#include "attack.h"

#include <string.h>

/* One history: what Esse says against what is true, against itself, and against what it says of
 * histories that mean the same. */

/* Whatever satisfies the first satisfies the second: docs/levels.md. */
static const struct {
    enum level stronger, weaker;
} implications[] = {
    { STRICT_SERIALIZABLE, LINEARIZABLE },
    { STRICT_SERIALIZABLE, SESSION_SERIALIZABLE },
    { STRICT_SERIALIZABLE, STRONG_SESSION_SERIALIZABLE },
    { STRICT_SERIALIZABLE, STRONG_SNAPSHOT_ISOLATION },
    { STRONG_SNAPSHOT_ISOLATION, STRONG_SESSION_SNAPSHOT_ISOLATION },
    { STRONG_SNAPSHOT_ISOLATION, STRONG_READ_COMMITTED },
    { STRONG_READ_COMMITTED, STRONG_SESSION_READ_COMMITTED },
    { STRONG_READ_COMMITTED, STRONG_READ_UNCOMMITTED },
    { STRONG_READ_UNCOMMITTED, STRONG_SESSION_READ_UNCOMMITTED },
    { STRONG_SESSION_SERIALIZABLE, SERIALIZABLE },
    { STRONG_SESSION_SERIALIZABLE, STRONG_SESSION_SNAPSHOT_ISOLATION },
    { STRONG_SESSION_SNAPSHOT_ISOLATION, SNAPSHOT_ISOLATION },
    { STRONG_SESSION_SNAPSHOT_ISOLATION, STRONG_SESSION_READ_COMMITTED },
    { STRONG_SESSION_SNAPSHOT_ISOLATION, PARALLEL_SNAPSHOT_ISOLATION },
    { STRONG_SESSION_SNAPSHOT_ISOLATION, PREFIX },
    { STRONG_SESSION_READ_COMMITTED, READ_COMMITTED },
    { STRONG_SESSION_READ_COMMITTED, STRONG_SESSION_READ_UNCOMMITTED },
    { STRONG_SESSION_READ_UNCOMMITTED, READ_UNCOMMITTED },
    { SERIALIZABLE, REPEATABLE_READ },
    { SERIALIZABLE, UPDATE_SERIALIZABLE },
    { SERIALIZABLE, SNAPSHOT_ISOLATION },
    { SERIALIZABLE, VIEW_SERIALIZABLE },
    { REPEATABLE_READ, CURSOR_STABILITY },
    { REPEATABLE_READ, MONOTONIC_ATOMIC_VIEW },
    { SNAPSHOT_ISOLATION, FORWARD_CONSISTENT_VIEW },
    { SNAPSHOT_ISOLATION, MONOTONIC_SNAPSHOT_READ },
    { SNAPSHOT_ISOLATION, MONOTONIC_ATOMIC_VIEW },
    { PARALLEL_SNAPSHOT_ISOLATION, CAUSAL_CERONE },
    { PARALLEL_SNAPSHOT_ISOLATION, UPDATE_ATOMIC },
    { PREFIX, CAUSAL_CERONE },
    { UPDATE_ATOMIC, READ_ATOMIC },
    { CAUSAL_CERONE, READ_ATOMIC },
    { READ_ATOMIC, AXIOMATIC_READ_COMMITTED },
    { AXIOMATIC_READ_COMMITTED, MONOTONIC_ATOMIC_VIEW },
    { MONOTONIC_ATOMIC_VIEW, READ_COMMITTED },
    { UPDATE_SERIALIZABLE, FORWARD_CONSISTENT_VIEW },
    { FORWARD_CONSISTENT_VIEW, CONSISTENT_VIEW },
    { CONSISTENT_VIEW, CURSOR_STABILITY },
    { CONSISTENT_VIEW, MONOTONIC_VIEW },
    { MONOTONIC_VIEW, READ_COMMITTED },
    { CURSOR_STABILITY, READ_COMMITTED },
    { MONOTONIC_SNAPSHOT_READ, READ_COMMITTED },
    { READ_COMMITTED, READ_UNCOMMITTED },
    { SESSION_SERIALIZABLE, ONE_COPY_SERIALIZABLE },
    { LINEARIZABLE, SEQUENTIAL },
    { SEQUENTIAL, CAUSAL },
    { CAUSAL, PRAM },
    { CAUSAL, WRITES_FOLLOW_READS },
    { PRAM, MONOTONIC_READS },
    { PRAM, MONOTONIC_WRITES },
    { PRAM, READ_YOUR_WRITES },
};

struct leniency leniency;

static const char *const words[] = { "holds", "violated", "unknown", "failed" };

struct case_of {
    const struct history *history;
    enum feature feature;
    struct tally *tally;
    struct failure *failure;
    struct truth truth;
};

static bool fail(struct case_of *at, int kind, int level, const struct question *question,
                 const char *what)
{
    at->failure->kind = kind;
    at->failure->level = level;
    at->failure->question = *question;
    at->failure->change = -1;
    snprintf(at->failure->what, sizeof at->failure->what, "%s", what);
    return true;
}

/* An engine that is asked for by name may have no answer; the planner should have one. */
static void count(struct case_of *at, const struct question *question,
                  const struct answers *answers)
{
    if (!at->tally)
        return;
    at->tally->refused += answers->refused;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (answers->refused || answers->of[i] == FAILED)
            continue;
        if (question->engine && answers->of[i] == NO_ANSWER) {
            at->tally->unanswered++;
            continue;
        }
        at->tally->answers[at->feature][i][answers->of[i]]++;
        at->tally->verdicts++;
    }
}

/* The worst there is to say against the truths: one for what may hold, one for what may be
 * violated (they differ where an assumption rules out version orders). */
static bool is_wrong(struct case_of *at, const struct question *question,
                     const struct answers *answers, struct truth may_hold, struct truth may_fail)
{
    char what[200];
    for (int i = 0; i < LEVEL_COUNT; i++) {
        bool is_true = may_hold.holds >> i & 1;
        if (answers->of[i] == FAILED)
            return fail(at, BROKEN, -1, question, answers->what);
        if (answers->of[i] == HOLDS && (may_hold.defined >> i & 1) && !is_true) {
            snprintf(what, sizeof what, "says that %s holds; it is violated", level_names[i]);
            return fail(at, WRONG_HOLDS, i, question, what);
        }
        if (answers->of[i] == VIOLATED && (may_fail.defined >> i & 1) &&
            (may_fail.holds >> i & 1)) {
            snprintf(what, sizeof what, "says that %s is violated; it holds", level_names[i]);
            return fail(at, WRONG_VIOLATED, i, question, what);
        }
    }
    return false;
}

/* What is named beside the verdicts: levels that are ruled out, and the strongest that hold. */
static bool is_wrong_beside(struct case_of *at, const struct question *question,
                            const struct answers *answers, struct truth may_hold,
                            struct truth may_fail)
{
    char what[200];
    for (int i = 0; i < LEVEL_COUNT; i++) {
        bool is_not = answers->said_not >> i & 1, is_strongest = answers->said_strongest >> i & 1;
        if ((is_not && answers->of[i] == HOLDS) ||
            (is_not && (may_fail.defined & may_fail.holds) >> i & 1)) {
            snprintf(what, sizeof what, "says in not or also_not that %s is ruled out; it holds",
                     level_names[i]);
            return fail(at, INCONSISTENT, i, question, what);
        }
        if (is_strongest &&
            (answers->of[i] == VIOLATED || (may_hold.defined & ~may_hold.holds) >> i & 1)) {
            snprintf(what, sizeof what, "says that %s is among the strongest; it is violated",
                     level_names[i]);
            return fail(at, INCONSISTENT, i, question, what);
        }
    }
    return false;
}

static bool is_inconsistent(struct case_of *at, const struct question *question,
                            const struct answers *answers)
{
    char what[200];
    for (size_t i = 0; i < sizeof implications / sizeof *implications; i++) {
        enum answer stronger = answers->of[implications[i].stronger];
        enum answer weaker = answers->of[implications[i].weaker];
        if ((stronger == HOLDS && weaker == VIOLATED) ||
            (!question->engine && !leniency.gaps &&
             ((stronger == HOLDS && weaker != HOLDS) ||
              (weaker == VIOLATED && stronger != VIOLATED)))) {
            snprintf(what, sizeof what, "says %s %s beside %s %s", words[stronger],
                     level_names[implications[i].stronger], words[weaker],
                     level_names[implications[i].weaker]);
            return fail(at, INCONSISTENT, (int)implications[i].weaker, question, what);
        }
    }
    return false;
}

static bool ask_and_judge(struct case_of *at, const struct question *question,
                          struct truth may_hold, struct truth may_fail, struct answers *answers)
{
    ask(at->history, question, answers);
    count(at, question, answers);
    if (answers->refused) {
        if (leniency.show_refused)
            printf("%s\n", answers->what);
        return false;
    }
    return is_wrong(at, question, answers, may_hold, may_fail) ||
           is_wrong_beside(at, question, answers, may_hold, may_fail) ||
           is_inconsistent(at, question, answers);
}

/* ---- the questions ---- */

static bool is_wrong_by_engine(struct case_of *at, struct dice *dice)
{
    static const char *const engines[] = { "scan", "replay", "saturate", "dsg", "polygraph" };
    struct question question = { .engine = engines[roll(dice, 5)] };
    struct answers answers;
    struct truth truth = at->truth;
    if (strcmp(question.engine, "replay") == 0)
        truth = (struct truth){ 0, 0 }; /* it believes an order: see below */
    return ask_and_judge(at, &question, truth, truth, &answers);
}

static bool is_wrong_by_assumption(struct case_of *at, struct dice *dice)
{
    struct question question = { .assume = (unsigned)(1 + roll(dice, 7)) };
    struct answers answers;
    return ask_and_judge(at, &question, at->truth, truth_of(at->history, question.assume),
                         &answers);
}

static bool is_wrong_by_order(struct case_of *at)
{
    struct question question = { .order_by = true };
    struct answers answers;
    struct truth truth = at->truth, replayed = truth_in_order(at->history);
    if (!at->history->order_count || has_version_sets(at->history))
        return false;
    for (int t = 0; t < at->history->txn_count; t++) {
        bool named = false;
        for (int i = 0; i < at->history->order_count; i++)
            named |= at->history->order[i] == t;
        if (at->history->txns[t].status == UNKNOWN && !named)
            return false; /* it may explain what does not fit */
    }
    truth.defined &= ~replayed.defined;
    replayed.defined |= truth.defined;
    replayed.holds |= truth.holds & truth.defined;
    return ask_and_judge(at, &question, replayed, replayed, &answers);
}

static bool is_wrong_after_change(struct case_of *at, struct dice *dice,
                                  const struct answers *before)
{
    struct history changed;
    struct question question = { 0 };
    struct answers after;
    char what[200];
    bool only_towards_holds;
    int change = roll(dice, CHANGE_COUNT);
    if (!changed_history(at->history, change, dice, &changed, &only_towards_holds))
        return false;
    ask(&changed, &question, &after);
    count(at, &question, &after);
    if (after.refused != before->refused)
        return !after.refused ? false : fail(at, CHANGED, -1, &question, after.what);
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (after.of[i] == FAILED)
            return fail(at, CHANGED, -1, &question, after.what);
        bool differs =
            after.of[i] != before->of[i] && after.of[i] != NO_ANSWER && before->of[i] != NO_ANSWER;
        if (only_towards_holds)
            differs = before->of[i] == HOLDS && after.of[i] == VIOLATED;
        if (differs) {
            snprintf(what, sizeof what, "%s is %s, and %s after change %d", level_names[i],
                     words[before->of[i]], words[after.of[i]], change);
            fail(at, CHANGED, i, &question, what);
            at->failure->change = change;
            return true;
        }
    }
    return false;
}

bool judge(const struct history *history, enum feature feature, struct dice dice,
           struct tally *tally, struct failure *failure)
{
    struct case_of at = { history, feature, tally, failure, { 0, 0 } };
    struct question plain = { 0 };
    struct answers answers;
    if (leniency.twice && has_elements_twice(history))
        return false;
    at.truth = truth_of(history, 0);
    if (tally) {
        tally->histories++;
        for (int i = 0; i < LEVEL_COUNT; i++)
            tally->undefined[feature] += !(at.truth.defined >> i & 1);
    }
    if (ask_and_judge(&at, &plain, at.truth, at.truth, &answers))
        return true;
    if (is_wrong_by_engine(&at, &dice))
        return true;
    if (chance(&dice, 25) && is_wrong_by_assumption(&at, &dice))
        return true;
    if (is_wrong_by_order(&at))
        return true;
    return chance(&dice, 50) && is_wrong_after_change(&at, &dice, &answers);
}
