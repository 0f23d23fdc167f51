#include "evidence_trial.h"

#include <limits.h>

#include "evidence/recheck.h"
#include "formats/evidence_file.h"
#include "json_tree.h"
#include "report/report.h"

/*
 * Evidence against the definitions.  Every verdict on random tiny histories is written and read
 * back, and must be accepted; and whatever is accepted, also after any change to any part of it,
 * must be true by brute force (truth_oracle.h).  The changes know JSON, and nothing of what
 * evidence is made of: a new member is covered when it is written.
 */

/* ---- verify, as the command does it ---- */

static bool is_accepted(struct esse_arena *arena, const struct esse_history *history,
                        const char *text, struct esse_evidence *evidence, struct esse_error *err)
{
    struct esse_source source;
    esse_source_memory(&source, arena, text, strlen(text));
    bool ok = esse_evidence_parse(arena, &source, evidence, err);
    esse_source_close(&source);
    ok = ok && evidence->transactions == history->txns && evidence->operations == history->ops;
    for (uint32_t i = 0; ok && i < evidence->verdict_count; i++) {
        const struct esse_level *level = level_of(&evidence->verdicts[i]);
        ok = level && esse_recheck_verdict(history, level, &evidence->verdicts[i], NULL, err);
    }
    return ok;
}

static const char *evidence_text(struct esse_arena *arena, const struct esse_history *history,
                                 const struct esse_verdict *verdict)
{
    const struct esse_result one = { .verdicts = verdict, .verdict_count = 1 };
    const struct esse_report report = { .history = history, .result = &one, .path = "h" };
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    esse_report_evidence(out, &report);
    return esse_out_memory(out);
}

struct tally {
    unsigned verdicts, changes, accepted, unknown, not_known;
    unsigned kinds[3]; /* of evidence: orders, anomalies, refutations */
};

static void tally_kind(struct tally *tally, const struct esse_verdict *verdict)
{
    tally->verdicts += verdict->outcome != ESSE_UNKNOWN;
    tally->unknown += verdict->outcome == ESSE_UNKNOWN;
    if (verdict->outcome != ESSE_UNKNOWN)
        tally->kinds[verdict->outcome == ESSE_HOLDS     ? 0
                     : verdict->anomalies[0].refutation ? 2
                                                        : 1]++;
}

/* ---- what is said is true, and verifies ---- */

static void check_verdict(struct trial *trial, const struct esse_verdict *verdict,
                          struct tally *tally)
{
    const char *text = evidence_text(trial->arena, trial->history, verdict);
    struct esse_evidence evidence;
    struct esse_error err = { 0 };
    tally_kind(tally, verdict);
    if (!is_true(&trial->truth, verdict))
        tell(trial, &trial->h, text, "the verdict is wrong");
    if (!is_accepted(trial->arena, trial->history, text, &evidence, &err))
        tell(trial, &trial->h, text, err.text);
}

TEST(test_evidence__every_verdict_is_true_and_verifies)
{
    struct tally tally = { 0 };
    struct trial trial;
    for (uint64_t seed = test_first(400), after = seed + test_rounds(400); seed < after; seed++) {
        if (open_trial(&trial, seed)) {
            const struct esse_result *result = check_all(&trial);
            for (uint32_t i = 0; i < result->verdict_count; i++)
                check_verdict(&trial, &result->verdicts[i], &tally);
            tally.not_known += trial.truth.of[ESSE_LEVEL_SERIALIZABLE] == T_NOT_KNOWN;
        }
        esse_arena_free(trial.arena);
    }
    print_message("%u verdicts: %u by orders, %u by anomalies, %u by refutations; %u unknown; %u "
                  "histories too large\n",
                  tally.verdicts, tally.kinds[0], tally.kinds[1], tally.kinds[2], tally.unknown,
                  tally.not_known);
}

/* ---- changes ---- */

/* Words that stood under the same name somewhere: what one text may be changed into. */
enum { WORDS = 400 };
struct words {
    const char *name[WORDS], *word[WORDS];
    int count;
};

static void learn_word(struct words *words, const char *name, const char *word)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->name[i], name) == 0 && strcmp(words->word[i], word) == 0)
            return;
    if (words->count == WORDS || strcmp(name, "why") == 0 || strcmp(name, "history") == 0)
        return;
    words->name[words->count] = strdup(name);
    words->word[words->count++] = strdup(word);
}

/* A text in an array stands under the array's name. */
static void learn(struct words *words, const struct j_node *node, const char *name)
{
    name = node->name ? node->name : name;
    if (node->kind == J_TEXT && name)
        learn_word(words, name, node->text);
    for (int i = 0; i < node->count; i++)
        learn(words, node->at[i], name);
}

static void learn_tables(struct words *words)
{
    for (size_t i = 0; i < esse_level_count(); i++) {
        learn_word(words, "level", esse_level_at(i)->friendly);
        learn_word(words, "proves", esse_level_at(i)->friendly);
    }
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        learn_word(words, "type", esse_anomaly_at(i)->name);
    const char *const others[][2] = { { "dep", "ww" },        { "dep", "wr" },
                                      { "dep", "rw" },        { "dep", "wrp" },
                                      { "dep", "rwp" },       { "dep", "wwp" },
                                      { "dep", "co" },        { "dep", "process" },
                                      { "dep", "realtime" },  { "dep", "start" },
                                      { "dep", "overlap" },   { "basis", "initial-state" },
                                      { "basis", "wfr-keys" } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        learn_word(words, others[i][0], others[i][1]);
}

/* Every change of every node is numbered; the one with this number is made. */
struct changing {
    const struct words *words;
    struct esse_arena *arena;
    long wanted, seen;
    long highest; /* of numbers worth trying */
};

static bool is_wanted(struct changing *c)
{
    return c->seen++ == c->wanted;
}

static void change_number(struct changing *c, struct j_node *node)
{
    for (long number = 0; number <= c->highest; number++)
        if (number != node->number && is_wanted(c))
            *node = (struct j_node){ .kind = J_NUMBER, .name = node->name, .number = number };
    if (node->kind == J_NUMBER && is_wanted(c))
        node->kind = J_NULL;
}

static void change_text(struct changing *c, struct j_node *node, const char *name)
{
    for (int i = 0; i < c->words->count; i++)
        if (strcmp(c->words->name[i], name) == 0 && strcmp(c->words->word[i], node->text) != 0 &&
            is_wanted(c))
            node->text = c->words->word[i];
}

/* Members come and go; they change places with their neighbours and with the last. */
static void change_members(struct changing *c, struct j_node *node)
{
    for (int i = 0; i < node->count; i++) {
        if (is_wanted(c)) {
            node->count--;
            memmove(node->at + i, node->at + i + 1, (size_t)(node->count - i) * sizeof *node->at);
            return;
        }
        if (node->kind == J_OBJECT)
            continue;
        if (is_wanted(c)) {
            memmove(node->at + i + 1, node->at + i, (size_t)(node->count - i) * sizeof *node->at);
            node->count++;
            return;
        }
        for (int j = i + 1; j < node->count; j++)
            if ((j == i + 1 || j == node->count - 1) && is_wanted(c)) {
                struct j_node *other = node->at[i];
                node->at[i] = node->at[j];
                node->at[j] = other;
                return;
            }
    }
    if (node->count > 1 && node->kind == J_ARRAY && is_wanted(c))
        node->count = 0;
}

static void change(struct changing *c, struct j_node *node, const char *name)
{
    name = node->name ? node->name : name;
    if (name && (strcmp(name, "why") == 0 || strcmp(name, "history") == 0))
        return;
    if (node->kind == J_NUMBER || node->kind == J_NULL)
        change_number(c, node);
    else if (node->kind == J_TEXT && name)
        change_text(c, node, name);
    else if (node->kind == J_BOOL && is_wanted(c))
        node->number = !node->number;
    for (int i = 0; i < node->count && c->seen <= c->wanted; i++)
        change(c, node->at[i], name);
    if (c->seen <= c->wanted)
        change_members(c, node);
}

/* The evidence with change number 'which'; NULL if there is no such. */
static struct j_node *changed(struct changing *c, const char *text, long which)
{
    struct j_reader reader = { c->arena, text };
    struct j_node *root = j_read(&reader);
    c->wanted = which;
    c->seen = 0;
    change(c, root, NULL);
    return c->seen > which ? root : NULL;
}

static const char *written(struct esse_arena *arena, const struct j_node *root)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    j_write(out, root);
    return esse_out_memory(out);
}

/* Accepted, so it must be true: of the history, and of the one that differs a little. */
static void hold_against(const struct trial *trial, const char *text, bool near,
                         struct esse_arena *arena, struct tally *tally)
{
    const struct esse_history *history = near ? trial->near_history : trial->history;
    struct esse_evidence evidence;
    struct esse_error err = { 0 };
    tally->changes++;
    if (!history || !is_accepted(arena, history, text, &evidence, &err))
        return;
    tally->accepted++;
    for (uint32_t i = 0; i < evidence.verdict_count; i++)
        if (!is_true(near ? &trial->near_truth : &trial->truth, &evidence.verdicts[i]))
            tell(trial, near ? &trial->near : &trial->h, text, "false evidence is accepted");
}

enum { CHANGES = 50 }; /* of one evidence: all, or so many of them */

static void change_verdict(struct trial *trial, const struct esse_verdict *verdict,
                           struct words *words, struct tally *tally)
{
    const char *text = evidence_text(trial->arena, trial->history, verdict);
    struct changing c = { .words = words, .arena = esse_arena_new(), .wanted = -1 };
    struct j_reader reader = { c.arena, text };
    learn(words, j_read(&reader), NULL);
    tally_kind(tally, verdict);
    c.highest = trial->history->ops + 1;
    hold_against(trial, text, true, c.arena, tally);
    changed(&c, text, LONG_MAX - 1);
    const long all = c.seen;
    for (long i = 0; i < all && i < CHANGES; i++) {
        const long which = all <= CHANGES ? i : (long)esse_rng_below(&trial->rng, (uint32_t)all);
        esse_arena_free(c.arena);
        c.arena = esse_arena_new();
        const char *one = written(c.arena, changed(&c, text, which));
        hold_against(trial, one, false, c.arena, tally);
        hold_against(trial, one, true, c.arena, tally);
        /* And a second change upon it. */
        const struct j_node *two =
            changed(&c, one, (long)esse_rng_below(&trial->rng, (uint32_t)all));
        if (two)
            hold_against(trial, written(c.arena, two), false, c.arena, tally);
    }
    esse_arena_free(c.arena);
}

TEST(test_evidence__what_is_accepted_is_true_whatever_is_changed)
{
    static struct words words;
    struct tally tally = { 0 };
    struct trial trial;
    learn_tables(&words);
    for (uint64_t seed = test_first(220), after = seed + test_rounds(220); seed < after; seed++) {
        if (open_trial(&trial, seed)) {
            const struct esse_result *result = check_all(&trial);
            for (uint32_t i = 0; i < result->verdict_count; i++)
                if (result->verdicts[i].outcome != ESSE_UNKNOWN &&
                    (result->verdicts[i].outcome == ESSE_VIOLATED || (seed + i) % 3 == 0))
                    change_verdict(&trial, &result->verdicts[i], &words, &tally);
        }
        esse_arena_free(trial.arena);
    }
    print_message("%u verdicts: %u by orders, %u by anomalies, %u by refutations; %u changes, %u "
                  "accepted\n",
                  tally.verdicts, tally.kinds[0], tally.kinds[1], tally.kinds[2], tally.changes,
                  tally.accepted);
    CHECK(tally.verdicts > test_least(2000) && tally.accepted > test_least(1000) &&
          tally.kinds[1] > test_least(500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evidence__every_verdict_is_true_and_verifies),
        cmocka_unit_test(test_evidence__what_is_accepted_is_true_whatever_is_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
