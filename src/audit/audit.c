#include "audit/audit_state.h"

#include "base/hash.h"

#include <string.h>

/*
 * The search: writers get places one after the other, in a depth-first walk; a transaction that
 * only reads takes no place, it is settled as soon as some state that there is explains it.  What
 * was found not to lead on is remembered by what is placed and what the rows are.
 */
const char *const audit_level_names[] = { "serializable",
                                          "strict-serializable",
                                          "snapshot-isolation",
                                          "strong-snapshot-isolation",
                                          "monotonic-snapshot-read",
                                          "read-committed",
                                          NULL };
const char *const audit_order_names[] = { "",      "commit-order", "timestamps",
                                          "order", "commit_ts",    "end" };

enum {
    FEW = 64,              /* of so many transactions everything is tried at once */
    MOST_RUNS = 20000,     /* of statements, for one transaction at one place */
    MOST_FAILED = 4 << 20, /* nodes that are remembered */
    WINDOW = 256,          /* of a large log so many candidates are tried for a place */
    MOST_BACK = 2000,      /* of a large log: so often a place is taken back */
};

struct frame {
    uint32_t cursor, outcome; /* what is tried next */
    uint32_t txn;             /* that was placed */
    uint32_t first_open;      /* the first writer that is not placed */
    uint32_t first_end;
    uint32_t settled, due; /* readers */
    uint32_t holes;
    struct esse_schema_mark schema;
    int64_t last_start; /* the greatest start of all that is placed */
    uint32_t state;     /* that it saw, if its views were one */
};
ESSE_VEC(frame_vec, struct frame)

struct reader {
    uint32_t txn;
    bool is_settled, was_tried;
    uint32_t tried; /* up to this state */
    uint32_t state;
};

struct failed {
    uint64_t a, b;
};
ESSE_VEC(failed_vec, struct failed)

struct search {
    struct esse_arena *arena, *scratch;
    struct audit_world *world;
    const struct audit_question *question;
    struct audit_plan plan;
    struct audit_answer *answer;
    struct frame_vec frames;
    bool *is_placed;
    uint32_t required_left, readers_left;
    struct reader *readers;
    struct esse_u32_vec settled, pending; /* readers */
    uint32_t due;
    uint64_t placed_hash;
    struct failed_vec failed;
    struct esse_index failed_index;
    bool is_small, gave_up;
    uint32_t taken_back;
    struct audit_attempt attempt;
};

static struct frame *top(struct search *s)
{
    return &s->frames.at[s->frames.count - 1];
}

static uint32_t newest(const struct search *s)
{
    return audit_versions_newest(s->world->versions);
}

static bool is_real_time(const struct search *s)
{
    return s->plan.has_real_time;
}

/* ---- real time ---- */

/* Has something that is not placed ended before this one started? */
static bool waits(struct search *s, uint32_t txn)
{
    struct frame *frame = top(s);
    if (!is_real_time(s))
        return false;
    while (frame->first_end < s->plan.end_count && s->is_placed[s->plan.ends[frame->first_end]])
        frame->first_end++;
    if (frame->first_end == s->plan.end_count)
        return false;
    const uint32_t first = s->plan.ends[frame->first_end];
    return first != txn && audit_end_of(s->world, first) < audit_start_of(s->world, txn);
}

/* The newest place of what had ended before it started; a reader stands right behind its state. */
static uint32_t least_state(const struct search *s, uint32_t txn)
{
    const int64_t start = audit_start_of(s->world, txn);
    uint32_t least = 0;
    if (!is_real_time(s))
        return 0;
    for (uint32_t place = newest(s); place > 0 && !least; place--)
        if (audit_end_of(s->world, s->frames.at[place - 1].txn) < start)
            least = place;
    for (size_t i = 0; i < s->settled.count; i++) {
        const struct reader *other = &s->readers[s->settled.at[i]];
        if (audit_end_of(s->world, other->txn) < start && other->state > least)
            least = other->state;
    }
    return least;
}

/* The last state before anything that started after it had ended. */
static uint32_t greatest_state(const struct search *s, uint32_t txn)
{
    const int64_t end = audit_end_of(s->world, txn);
    uint32_t low = 0, high = newest(s);
    if (!is_real_time(s))
        return high;
    while (low < high) { /* frames.at[p].last_start: of the places 1 .. p */
        const uint32_t middle = low + (high - low + 1) / 2;
        if (s->frames.at[middle].last_start > end)
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

/* ---- attempts ---- */

static uint32_t timestamp_state(const struct search *s, uint32_t txn)
{
    const int64_t start = s->world->log->txns.at[txn].start_ts;
    uint32_t low = 0, high = newest(s);
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (s->world->log->txns.at[s->frames.at[middle - 1].txn].commit_ts > start)
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

static bool has_exact_snapshots(const struct search *s)
{
    return s->question->order == AUDIT_ORDER_TIMESTAMPS &&
           (s->question->level == AUDIT_SNAPSHOT_ISOLATION ||
            s->question->level == AUDIT_STRONG_SNAPSHOT_ISOLATION);
}

static void prepare(struct search *s, uint32_t txn)
{
    const enum audit_level level = s->question->level;
    const bool is_snapshot =
        level == AUDIT_SNAPSHOT_ISOLATION || level == AUDIT_STRONG_SNAPSHOT_ISOLATION;
    struct audit_attempt *a = &s->attempt;
    a->txn = txn;
    a->low = least_state(s, txn);
    a->high = newest(s);
    a->upwards = false;
    a->conflicts = !is_snapshot            ? AUDIT_CONFLICTS_NONE
                   : s->question->by_value ? AUDIT_CONFLICTS_VALUES
                                           : AUDIT_CONFLICTS_VERSIONS;
    a->views = level == AUDIT_READ_COMMITTED            ? AUDIT_VIEWS_ANY
               : level == AUDIT_MONOTONIC_SNAPSHOT_READ ? AUDIT_VIEWS_MONOTONE
               : is_snapshot                            ? AUDIT_VIEWS_ONE
                                                        : AUDIT_VIEWS_NEWEST;
    if (has_exact_snapshots(s) && s->world->log->txns.at[txn].start_ts != ESSE_NO_TIME)
        a->low = a->high = timestamp_state(s, txn);
}

static bool attempt(struct search *s, uint32_t outcome)
{
    s->answer->attempts++;
    const bool ok = audit_attempt(&s->attempt, outcome);
    s->gave_up = s->gave_up || s->attempt.gave_up;
    return ok;
}

/* The longest prefix that was explained counts. */
static void remember_failure(struct search *s, uint32_t prefix)
{
    struct audit_answer *answer = s->answer;
    if (answer->txn != AUDIT_NONE && prefix <= answer->prefix)
        return;
    answer->prefix = prefix;
    answer->txn = s->attempt.txn;
    answer->statement = s->attempt.stopped;
    answer->why = s->attempt.why;
    memcpy(answer->fault, s->attempt.fault, sizeof answer->fault);
}

/* Of a reader: real time leaves no state that explains it. */
static void remember_stale(struct search *s, uint32_t txn)
{
    s->attempt.txn = txn;
    s->attempt.stopped = s->world->log->txns.at[txn].statements.count;
    s->attempt.why = AUDIT_WHY_STALE;
    *s->attempt.fault = '\0';
    remember_failure(s, newest(s));
}

/* ---- readers ---- */

static bool settle(struct search *s, uint32_t number)
{
    struct reader *reader = &s->readers[number];
    const bool is_exact = has_exact_snapshots(s);
    if (waits(s, reader->txn))
        return false;
    prepare(s, reader->txn);
    struct audit_attempt *a = &s->attempt;
    a->high = is_exact ? a->high : greatest_state(s, reader->txn);
    if (a->views == AUDIT_VIEWS_NEWEST) {
        a->views = AUDIT_VIEWS_ONE;
    }
    a->upwards = is_real_time(s); /* the oldest state leaves most to what starts later */
    if (a->views == AUDIT_VIEWS_ONE && reader->was_tried && reader->tried + 1 > a->low && !is_exact)
        a->low = reader->tried + 1;
    reader->was_tried = true;
    reader->tried = newest(s);
    if (a->low > a->high)
        return false;
    if (!attempt(s, 0)) {
        if (s->required_left == 0)
            remember_failure(s, newest(s) + 1);
        return false;
    }
    reader->is_settled = true;
    reader->state = a->views == AUDIT_VIEWS_ONE ? a->state : newest(s);
    s->is_placed[reader->txn] = true;
    s->placed_hash += esse_hash_mix(reader->txn + 1, 0xd6e8feb86659fd93u);
    esse_u32_vec_push(&s->settled, s->arena, number);
    s->readers_left--;
    return true;
}

/* All states that it may see are there, and none of them explains it. */
static bool is_dead(struct search *s, uint32_t number)
{
    const struct reader *reader = &s->readers[number];
    return is_real_time(s) && reader->was_tried && greatest_state(s, reader->txn) < newest(s) &&
           !waits(s, reader->txn);
}

/* False if some reader can no longer be explained. */
static bool settle_readers(struct search *s)
{
    const uint32_t placed = top(s)->first_open;
    while (s->due < s->plan.reader_count &&
           (s->is_small || s->plan.due[s->due] <= placed || s->required_left == 0)) {
        esse_u32_vec_push(&s->pending, s->arena, s->due++);
    }
    bool again = true;
    while (again) {
        again = false;
        uint32_t kept = 0;
        for (size_t i = 0; i < s->pending.count; i++) {
            const uint32_t number = s->pending.at[i];
            if (s->readers[number].is_settled)
                continue;
            const bool is_new =
                !s->readers[number].was_tried || s->readers[number].tried != newest(s);
            if (is_new && settle(s, number)) {
                again = again || is_real_time(s); /* others may have waited for it */
                continue;
            }
            s->pending.at[kept++] = number;
        }
        s->pending.count = kept;
    }
    for (size_t i = 0; i < s->pending.count; i++)
        if (is_dead(s, s->pending.at[i])) {
            remember_stale(s, s->readers[s->pending.at[i]].txn);
            return false;
        }
    return true;
}

static void unsettle(struct search *s, uint32_t count)
{
    while (s->settled.count > count) {
        const uint32_t number = s->settled.at[--s->settled.count];
        struct reader *reader = &s->readers[number];
        reader->is_settled = reader->was_tried = false;
        s->is_placed[reader->txn] = false;
        s->placed_hash -= esse_hash_mix(reader->txn + 1, 0xd6e8feb86659fd93u);
        s->readers_left++;
        esse_u32_vec_push(&s->pending, s->arena, number);
    }
    for (size_t i = 0; i < s->pending.count; i++) {
        struct reader *reader = &s->readers[s->pending.at[i]];
        if (reader->was_tried && reader->tried > newest(s))
            reader->tried = newest(s);
    }
}

/* ---- what is known to lead nowhere ---- */

static struct failed node(const struct search *s)
{
    const struct audit_hashes hashes = audit_versions_hashes(s->world->versions);
    const enum audit_level level = s->question->level;
    uint64_t rows = hashes.states;
    if (!s->plan.positions && !is_real_time(s) && !s->world->has_constraint_errors) {
        if (level == AUDIT_SERIALIZABLE)
            rows = hashes.newest;
        else if (level == AUDIT_READ_COMMITTED)
            rows = hashes.chains;
    }
    return (struct failed){ s->placed_hash, rows };
}

static bool has_failed(const struct search *s)
{
    const struct failed one = node(s);
    struct esse_probe probe = esse_index_probe(&s->failed_index, esse_hash_word(one.a ^ one.b));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (s->failed.at[id].a == one.a && s->failed.at[id].b == one.b)
            return true;
    return false;
}

static void fail_node(struct search *s)
{
    const struct failed one = node(s);
    if (!s->is_small || s->world->holes.count || s->failed.count >= MOST_FAILED)
        return;
    esse_index_add(&s->failed_index, s->arena, esse_hash_word(one.a ^ one.b),
                   (uint32_t)s->failed.count);
    failed_vec_push(&s->failed, s->arena, one);
}

/* ---- the walk ---- */

/* The next candidate of this frame; AUDIT_NONE: there is none. */
static uint32_t candidate(struct search *s)
{
    struct frame *frame = top(s);
    const struct audit_plan *plan = &s->plan;
    while (frame->first_open < plan->required && s->is_placed[plan->writers[frame->first_open]])
        frame->first_open++;
    if (frame->cursor < frame->first_open)
        frame->cursor = frame->first_open;
    for (; frame->cursor < plan->writer_count; frame->cursor++, frame->outcome = 0) {
        const uint32_t txn = plan->writers[frame->cursor];
        if (!s->is_small && frame->cursor > frame->first_open + WINDOW &&
            frame->cursor < plan->required) {
            s->gave_up = true;
            frame->cursor = plan->required;
            frame->cursor--;
            continue;
        }
        if (s->is_placed[txn] || waits(s, txn) ||
            (frame->cursor < plan->fixed && frame->cursor != frame->first_open))
            continue;
        if (frame->cursor >= plan->required && is_real_time(s) &&
            frame->last_start > audit_end_of(s->world, txn))
            continue;
        return txn;
    }
    return AUDIT_NONE;
}

static void open_frame(struct search *s)
{
    struct frame frame = { .txn = AUDIT_NONE,
                           .last_start = ESSE_NO_TIME,
                           .schema = esse_schema_mark(s->world->schema) };
    if (s->frames.count) {
        const struct frame *last = top(s);
        const int64_t start = audit_start_of(s->world, last->txn);
        frame.first_open = frame.cursor = last->first_open;
        frame.first_end = last->first_end;
        frame.last_start = start > last->last_start ? start : last->last_start;
    }
    frame_vec_push(&s->frames, s->arena, frame);
}

static void mark_made(struct search *s, size_t tables)
{
    struct audit_world *world = s->world;
    while (world->made.count < world->schema->tables.count)
        esse_u32_vec_push(&world->made, world->arena, 0);
    for (size_t i = tables; i < world->schema->tables.count; i++)
        world->made.at[i] = newest(s);
}

/* Places the candidate if one more of its outcomes fits. */
static bool place(struct search *s, uint32_t txn)
{
    struct frame *frame = top(s);
    const size_t tables = s->world->schema->tables.count;
    frame->holes = audit_world_mark(s->world);
    prepare(s, txn);
    if (!attempt(s, frame->outcome)) {
        if (frame->outcome == 0 && txn == s->plan.writers[frame->first_open])
            remember_failure(s, newest(s));
        return false;
    }
    frame->outcome++;
    frame->txn = txn;
    frame->state = s->attempt.state;
    frame->settled = (uint32_t)s->settled.count;
    frame->due = s->due;
    s->is_placed[txn] = true;
    s->placed_hash += esse_hash_mix(txn + 1, 0xd6e8feb86659fd93u);
    s->required_left -= frame->cursor < s->plan.required;
    audit_versions_push(s->world->versions, esse_exec_overlay(s->world->exec), txn);
    mark_made(s, tables);
    open_frame(s);
    return true;
}

/* Takes back what the frame under the top placed, and the top. */
static void unplace(struct search *s)
{
    s->frames.count--;
    struct frame *frame = top(s);
    audit_versions_pop(s->world->versions);
    audit_world_back(s->world, frame->holes);
    esse_schema_back(s->world->schema, frame->schema);
    s->is_placed[frame->txn] = false;
    s->placed_hash -= esse_hash_mix(frame->txn + 1, 0xd6e8feb86659fd93u);
    s->required_left += frame->cursor < s->plan.required;
    unsettle(s, frame->settled);
    /* A transaction that sees the newest state has one outcome only. */
    if (s->attempt.views == AUDIT_VIEWS_NEWEST ||
        (s->question->level == AUDIT_SERIALIZABLE ||
         s->question->level == AUDIT_STRICT_SERIALIZABLE)) {
        frame->cursor++;
        frame->outcome = 0;
    }
}

static bool is_complete(const struct search *s)
{
    return s->required_left == 0 && s->readers_left == 0;
}

/* True: everything is explained.  False: nothing is, or the budget is spent. */
static bool walk(struct search *s)
{
    open_frame(s);
    bool may_lead_on = settle_readers(s);
    for (;;) {
        if (is_complete(s))
            return true;
        if (!esse_budget_poll(s->question->budget, s->world->runs))
            return false;
        const uint32_t txn = may_lead_on ? candidate(s) : AUDIT_NONE;
        if (txn == AUDIT_NONE) {
            if (may_lead_on)
                fail_node(s);
            if (s->frames.count == 1)
                return false;
            if (!s->is_small && ++s->taken_back > MOST_BACK) {
                s->gave_up = true;
                return false;
            }
            unplace(s);
            may_lead_on = true;
            continue;
        }
        if (!place(s, txn)) {
            struct frame *frame = top(s);
            frame->cursor++;
            frame->outcome = 0;
            continue;
        }
        may_lead_on = settle_readers(s) && !(s->is_small && has_failed(s));
    }
}

/* ---- the answer ---- */

/* Each place, and behind it the readers that saw the state after it. */
static void list_places(struct search *s)
{
    struct audit_answer *answer = s->answer;
    const uint32_t count = newest(s);
    uint32_t *first = esse_arena_alloc(s->arena, count + 3, sizeof *first);
    answer->place_count = count + (uint32_t)s->settled.count;
    answer->places = esse_arena_alloc(s->arena, answer->place_count + 1, sizeof *answer->places);
    for (uint32_t state = 1; state <= count; state++)
        first[state + 1]++;
    for (size_t i = 0; i < s->settled.count; i++)
        first[s->readers[s->settled.at[i]].state + 1]++;
    for (uint32_t state = 0; state <= count; state++)
        first[state + 1] += first[state];
    for (uint32_t state = 1; state <= count; state++)
        answer->places[first[state]++] = (struct audit_place){ s->frames.at[state - 1].txn, state,
                                                               s->frames.at[state - 1].state };
    for (size_t i = 0; i < s->settled.count; i++) {
        const struct reader *reader = &s->readers[s->settled.at[i]];
        answer->places[first[reader->state]++] =
            (struct audit_place){ reader->txn, 0, reader->state };
    }
}

static void conclude(struct search *s, bool is_explained)
{
    struct audit_answer *answer = s->answer;
    answer->outcome = ESSE_VIOLATED;
    if (is_explained) {
        answer->outcome = ESSE_HOLDS;
        list_places(s);
    } else if (s->question->budget &&
               esse_budget_spent(s->question->budget) != ESSE_SPENT_NOTHING) {
        answer->outcome = ESSE_UNKNOWN;
        answer->reason = esse_spent_name(esse_budget_spent(s->question->budget));
    } else if (s->gave_up) {
        answer->outcome = ESSE_UNKNOWN;
        answer->reason = "too many choices";
    } else if (s->world->doubt || audit_versions_doubt(s->world->versions)) {
        answer->outcome = ESSE_UNKNOWN;
        answer->reason = s->attempt.why == AUDIT_WHY_UNSUPPORTED
                             ? "a statement is not supported"
                             : "something that the log does not determine was guessed";
    }
}

/* As before the question. */
static void clean(struct search *s)
{
    while (newest(s))
        audit_versions_pop(s->world->versions);
    esse_schema_back(s->world->schema, s->frames.at[0].schema);
    audit_world_back(s->world, 0);
}

/* Of a large log whose guess leads nowhere: by the graph.  What holds at snapshot isolation holds
 * at the levels below it. */
static bool graph_holds(struct search *s)
{
    struct audit_question question = *s->question;
    if (s->is_small || question.by_value ||
        (question.order != AUDIT_ORDER_ANY && question.order != AUDIT_ORDER_VERSIONS))
        return false;
    if (question.level > AUDIT_STRONG_SNAPSHOT_ISOLATION)
        question.level = AUDIT_SNAPSHOT_ISOLATION;
    return audit_graph_holds(s->arena, s->world, &question, &s->plan, s->answer);
}

static bool is_refuted(struct search *s)
{
    const struct audit_question *question = s->question;
    return s->plan.positions && !question->by_value && !s->is_small &&
           question->level <= AUDIT_STRONG_SNAPSHOT_ISOLATION &&
           audit_refutes(s->arena, s->world, question, &s->plan, s->answer);
}

bool audit_ask(struct esse_arena *arena, struct audit_world *world,
               const struct audit_question *question, struct audit_answer *answer,
               struct esse_error *err)
{
    struct search s = { .arena = arena, .world = world, .question = question, .answer = answer };
    *answer = (struct audit_answer){ .txn = AUDIT_NONE };
    if (!audit_plan_make(arena, world, question, &s.plan, err))
        return false;
    world->doubt = false;
    s.is_placed = esse_arena_alloc(arena, world->log->txns.count + 1, sizeof *s.is_placed);
    s.readers = esse_arena_alloc(arena, s.plan.reader_count + 1, sizeof *s.readers);
    for (uint32_t i = 0; i < s.plan.reader_count; i++)
        s.readers[i].txn = s.plan.readers[i];
    s.required_left = s.plan.required;
    s.readers_left = s.plan.reader_count;
    s.is_small = s.plan.writer_count + s.plan.reader_count <= FEW;
    s.attempt = (struct audit_attempt){ .world = world,
                                        .positions = s.plan.positions,
                                        .most_runs = MOST_RUNS,
                                        .budget = question->budget,
                                        .arena = esse_arena_new() };
    const bool is_explained = walk(&s);
    conclude(&s, is_explained);
    clean(&s);
    if (!is_explained && graph_holds(&s))
        answer->outcome = ESSE_HOLDS;
    else if (answer->outcome == ESSE_UNKNOWN && is_refuted(&s))
        answer->outcome = ESSE_VIOLATED;
    if (answer->outcome == ESSE_HOLDS)
        answer->rechecked = audit_recheck(world, question, &s.plan, answer);
    esse_arena_free(s.attempt.arena);
    return true;
}
