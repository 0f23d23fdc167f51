#include "base/error.h"
#include "base/guard.h"
#include "base/radix.h"
#include "base/vec.h"
#include "base/word_map.h"
#include "evidence/commit_order_state.h"

#include <string.h>

/*
 * An axiom holds in a commit order: one walk along it, with the versions of every key so far at
 * hand.  A read returns one of them, and no visible writer is between that and the reader.  Units
 * go by their places in the order.
 *
 * With duplicate values the writer of a read is a choice: the order names it, or it is the newest
 * that wrote the value, so wr is one choice throughout.  A read after an own write depends on no
 * unit.  (Of two reads of a key that differ, the one of the older version passes over a writer that
 * was read from: where φ contains wr, what is read twice is the same, unless it is read after an
 * own append.)
 */

#define CO_NOTHING (UINT32_MAX - 1)
#define CO_NOWHERE UINT32_MAX

/* The unit at hand read a version older than that of t2. */
struct passed {
    uint32_t t2;
    size_t read; /* the sources of its earlier reads are before this one */
};
ESSE_VEC(passed_vec, struct passed)
ESSE_VEC(place_vec, uint32_t)

struct walking {
    struct replay *replay;
    struct co_predicates predicates;
    struct esse_error *err;
    enum esse_phi phi; /* NONE: no unit is visible, unless all are */
    bool all_visible, sees_own, is_repeatable;
    bool asks_predicates; /* here, and not operation by operation */
    bool looks_between;   /* at the versions between that read and the reader */
    uint32_t now;         /* the place of the unit at hand */
    struct place_vec
        sources;      /* that were read from, place by place; with ww in φ, or overwritten */
    size_t *first;    /* by place: sources.at[first[i] .. first[i + 1]) are its own */
    uint32_t *before; /* by place: the one before it in its session, if sessions count */
    uint32_t *last;   /* by session: the last place so far */
    struct passed_vec passed;      /* by the unit at hand, unless φ is transitive */
    struct esse_word_map readers;  /* session and writer: the first place there that read from it */
    uint32_t noted;                /* the sources up to here are in it */
    struct esse_pair_vec to_sweep; /* if φ is transitive: see sweep() */
    size_t at_once;
    uint32_t lanes;
    uint32_t *seen; /* by place and lane */
};

static bool wrong(const struct walking *w, uint32_t place, const char *what)
{
    return replay_wrong(w->replay, replay_txn(w->replay, w->replay->order->events[place]), what,
                        w->err);
}

static uint32_t session_at(const struct walking *w, uint32_t place)
{
    return w->replay->history->txn_session[replay_txn(w->replay, w->replay->order->events[place])];
}

/* ---- which version was read ---- */

/* The commit whose version the order names for a read, or CO_NOTHING; CO_NOWHERE is of none. */
static uint32_t named_commit(const struct walking *w, uint32_t op, esse_key key)
{
    const struct esse_read_source *source =
        w->replay->order->source_count ? co_named(w->replay->order, op, key) : NULL;
    if (!source || source->write.ix == ESSE_NO_OP)
        return source ? 0 : CO_NOTHING;
    if (source->write.ix >= w->replay->history->ops)
        return CO_NOWHERE;
    const uint32_t writer = esse_op_txn(w->replay->history, source->write.ix).ix;
    return w->replay->in[writer] ? w->replay->position[writer] + 1 : CO_NOWHERE;
}

/* By number; CO_NOWHERE if it is none of those so far.  Lists only grow: of an older version than
 * one that is too short none is as long. */
static uint32_t version_read(const struct walking *w, uint32_t op, struct esse_access read)
{
    const struct replay_key *key = &w->replay->state.keys[read.key.ix];
    const esse_value value = esse_value_state(read.value);
    const bool is_list = esse_value_is_list(value);
    const uint32_t length = is_list ? (uint32_t)(value.word >> 32) : 0;
    const uint32_t named = named_commit(w, op, read.key);
    for (uint32_t v = key->version_count; v-- > 0 && key->versions[v].count >= length;)
        if ((named == CO_NOTHING || named == key->versions[v].commit) &&
            key->versions[v].count == length &&
            (is_list ? replay_state_is_list(&w->replay->state, read.key.ix, value, length)
                     : esse_value_eq(value, key->versions[v].value)))
            return v;
    return CO_NOWHERE;
}

/* Was no earlier read of the key of an older version than what is before the own appends? */
static bool is_repeated(const struct walking *w, uint32_t op, esse_key key)
{
    const struct replay_key *state = &w->replay->state.keys[key.ix];
    const uint32_t shown = state->versions[state->version_count - 2].count;
    esse_value read;
    for (uint32_t o = w->replay->history->txn_op[w->replay->order->events[w->now]]; o < op; o++)
        if (esse_op_read_of(w->replay->history, o, key, &read) && !esse_value_eq(read, ESSE_NONE) &&
            (esse_value_is_list(read) ? read.word >> 32 : 0) < shown)
            return false;
    return true;
}

/* A list shows the versions before the own ones too.  Where all are visible and own writes need not
 * be, one with own appends in it proves nothing: more than was ever claimed of repeatable read. */
static bool reads_own(struct walking *w, uint32_t op, struct esse_access read)
{
    struct replay_state *state = &w->replay->state;
    const struct replay_key *key = &state->keys[read.key.ix];
    const bool is_list = esse_value_is_list(read.value);
    const uint32_t length = (uint32_t)(read.value.word >> 32);
    if (w->sees_own)
        return replay_state_reads_newest(state, read) &&
               (!is_list || !w->is_repeatable || is_repeated(w, op, read.key));
    return !is_list ||
           ((!w->all_visible || length <= key->versions[key->version_count - 2].count) &&
            replay_state_is_list(state, read.key.ix, read.value, length));
}

static bool is_transitive(enum esse_phi phi)
{
    return phi == ESSE_PHI_CAUSAL || phi == ESSE_PHI_PIPED || phi == ESSE_PHI_PARALLEL;
}

/* What an axiom counts visible by: the sessions, or else each unit by itself. */
static uint32_t line_of(const struct walking *w, uint32_t place)
{
    return w->replay->level->needs_session_order ? session_at(w, place) : place;
}

static void pass_over(struct walking *w, uint32_t t2)
{
    if (!is_transitive(w->phi)) {
        passed_vec_push(&w->passed, w->replay->arena, (struct passed){ t2, w->sources.count });
        return;
    }
    const uint64_t lines = line_of(w, t2) / w->lanes;
    esse_pair_vec_push(&w->to_sweep, w->replay->arena,
                       (struct esse_pair){ lines << 32 | t2, w->now });
}

/* With ww in φ the next version is visible if a later one is. */
static bool take_version(struct walking *w, const struct replay_key *key, uint32_t version)
{
    const bool next = w->phi == ESSE_PHI_PARALLEL && version + 2 < key->version_count;
    const uint32_t end = next ? version + 2 : key->version_count;
    for (uint32_t v = version + 1; v < end; v++) {
        esse_guard_poll();
        pass_over(w, key->versions[v].commit - 1);
    }
    if (key->versions[version].commit)
        place_vec_push(&w->sources, w->replay->arena, key->versions[version].commit - 1);
    return true;
}

static __attribute__((noinline)) bool take_some_version(struct walking *w, uint32_t op,
                                                        struct esse_access read)
{
    const struct replay_key *key = &w->replay->state.keys[read.key.ix];
    const uint32_t version = version_read(w, op, read);
    if (version == CO_NOWHERE)
        return wrong(w, w->now, "read what was not committed before it");
    return !w->looks_between || take_version(w, key, version);
}

/* Mostly it is the newest version of a register. */
static inline bool take_read(struct walking *w, uint32_t op, struct esse_access read)
{
    const struct replay_key *key = &w->replay->state.keys[read.key.ix];
    if (esse_value_eq(read.value, ESSE_NONE))
        return true;
    if (key->last.commit == w->now + 1)
        return reads_own(w, op, read) || wrong(w, w->now, "contradicts itself");
    if (w->replay->order->source_count || key->last.count ||
        !esse_value_eq(read.value, key->last.value))
        return take_some_version(w, op, read);
    if (w->looks_between && key->last.commit)
        place_vec_push(&w->sources, w->replay->arena, key->last.commit - 1);
    return true;
}

static bool take_write(struct walking *w, struct esse_access write)
{
    const struct replay_key *key = &w->replay->state.keys[write.key.ix];
    if (w->phi == ESSE_PHI_PARALLEL && key->last.commit && key->last.commit != w->now + 1)
        place_vec_push(&w->sources, w->replay->arena, key->last.commit - 1);
    replay_state_write(&w->replay->state, write);
    return true;
}

/* ---- φ, literally ---- */

static bool is_earlier(const struct walking *w, uint32_t a, uint32_t b)
{
    return a < b && session_at(w, a) == session_at(w, b);
}

/* Did the session of 'place' read from 'writer', there or earlier? */
static bool has_read(struct walking *w, uint32_t place, uint32_t writer)
{
    if (!w->readers.slots)
        esse_word_map_clear(&w->readers, w->replay->arena, w->replay->units);
    for (; w->noted <= w->now; w->noted++)
        for (size_t s = w->first[w->noted]; s < w->first[w->noted + 1]; s++) {
            bool fresh;
            const uint64_t word = (uint64_t)session_at(w, w->noted) << 32 | w->sources.at[s];
            uint32_t *reader = esse_word_map_put(&w->readers, word, &fresh);
            *reader = fresh ? w->noted : *reader;
        }
    const uint64_t word = (uint64_t)session_at(w, place) << 32 | writer;
    return esse_word_map_get(&w->readers, word, UINT32_MAX) <= place;
}

static bool writes_same(const struct walking *w, uint32_t t2, uint32_t t3)
{
    struct esse_access_walk walk =
        esse_accesses_of(w->replay->history, w->replay->order->events[t3]);
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ &&
            replay_state_at(&w->replay->state, walk.access.key.ix, t2 + 1).commit == t2 + 1)
            return true;
    return false;
}

/* Does some read of t3 before 'end' make t2 visible? */
static bool some_read(struct walking *w, uint32_t t2, uint32_t t3, size_t end)
{
    for (size_t s = w->first[t3]; s < end; s++) {
        const uint32_t source = w->sources.at[s];
        if (w->phi == ESSE_PHI_WRITTEN    ? is_earlier(w, t2, source)
            : w->phi == ESSE_PHI_ANSWERED ? has_read(w, source, t2)
            : w->phi == ESSE_PHI_PREFIX   ? source >= t2
                                          : source == t2)
            return true;
    }
    return false;
}

static bool phi(struct walking *w, uint32_t t2, uint32_t t3, size_t read)
{
    const uint32_t before = w->before[t3];
    const size_t end = w->first[t3 + 1];
    switch (w->phi) {
    case ESSE_PHI_READ_EARLIER:
        return some_read(w, t2, t3, read);
    case ESSE_PHI_ATOMIC:
        return is_earlier(w, t2, t3) || some_read(w, t2, t3, end);
    case ESSE_PHI_UPDATES:
        return is_earlier(w, t2, t3) || some_read(w, t2, t3, end) || writes_same(w, t2, t3);
    case ESSE_PHI_OWN:
        return is_earlier(w, t2, t3);
    case ESSE_PHI_SEEN:
        return before != CO_NOWHERE && has_read(w, before, t2);
    case ESSE_PHI_PREFIX:
        return (before != CO_NOWHERE && before >= t2) || some_read(w, t2, t3, end);
    case ESSE_PHI_WRITTEN:
    case ESSE_PHI_ANSWERED:
        return some_read(w, t2, t3, end);
    case ESSE_PHI_CAUSAL:
    case ESSE_PHI_PIPED:
    case ESSE_PHI_PARALLEL:
    case ESSE_PHI_NONE:
        break;
    }
    return true;
}

/* ---- φ that is transitive ---- */

/*
 * Where sessions count, the units of a session that a unit sees are those up to some place, and
 * otherwise each unit is a line of its own.  For some lines at a time, sweeps along the order find
 * for each of them one more than its newest place that is seen from each place; 0: none.  A place
 * of a line counts as seen from itself: if a t3 is one, its t2 is earlier in the line, and is seen
 * too.  A sweep begins at a t2 and ends at the last t3 that passed over it, or over another one on
 * the way.
 *
 *   1) to_sweep holds (lines << 32 | t2, t3) for each version that a read passed over since the
 *      last sweeps.
 *   2) Between two units there are less than 'at_once' of them: what is seen from a unit follows
 *      from the units before it, so that the sweeps need not wait for those to come.
 *   3) 'seen' has the right numbers from the begin to the end of the sweep at hand, and only there.
 */
enum {
    AHEAD = 8,     /* units */
    LANES = 8,     /* lines in a sweep; one */
    MANY = 4 << 20 /* where there are so many places, which needs less memory */
};

/* What is seen from a place, by line of the sweep. */
static uint32_t *seen_from(const struct walking *w, uint32_t place)
{
    return w->seen + (size_t)place * w->lanes;
}

static void see_all(uint32_t *restrict seen, const uint32_t *restrict from)
{
    for (unsigned i = 0; i < LANES; i++)
        seen[i] = from[i] > seen[i] ? from[i] : seen[i];
}

static void see(struct walking *w, uint32_t place, uint32_t other)
{
    uint32_t *seen = seen_from(w, place);
    const uint32_t *from = seen_from(w, other);
    if (w->lanes == LANES)
        see_all(seen, from);
    else if (*from > *seen)
        *seen = *from;
}

/* Of the lines 'lines' * lanes and those after it, a place is seen from itself. */
static void see_itself(struct walking *w, uint32_t lines, uint32_t place, uint32_t source)
{
    const uint32_t line = line_of(w, source);
    uint32_t *seen = seen_from(w, place) + line % w->lanes;
    if (line / w->lanes == lines && *seen <= source)
        *seen = source + 1;
}

static void sweep(struct walking *w, uint32_t lines, uint32_t begin, uint32_t end)
{
    for (uint32_t place = begin; place <= end; place++) {
        const uint32_t before = w->before[place];
        esse_guard_poll();
        memset(seen_from(w, place), 0, w->lanes * sizeof *w->seen);
        if (before != CO_NOWHERE && before >= begin)
            see(w, place, before);
        for (size_t s = w->first[place]; s < w->first[place + 1]; s++) {
            const uint32_t source = w->sources.at[s];
            if (source >= begin && w->phi == ESSE_PHI_PIPED)
                see_itself(w, lines, place, source);
            else if (source >= begin)
                see(w, place, source);
        }
        see_itself(w, lines, place, place);
    }
}

static bool is_seen(const struct walking *w, uint32_t t2, uint32_t t3)
{
    return seen_from(w, t3)[line_of(w, t2) % w->lanes] > t2;
}

static bool sweep_lines(struct walking *w)
{
    const struct esse_pair *at = w->to_sweep.at;
    const size_t count = w->to_sweep.count;
    if (!w->seen)
        w->seen = esse_arena_grow(w->replay->arena, NULL,
                                  w->replay->order->count * sizeof *w->seen * w->lanes);
    esse_radix_sort(w->to_sweep.at, count, w->replay->arena);
    for (size_t i = 0, next; i < count; i = next) {
        const uint32_t lines = (uint32_t)(at[i].key >> 32);
        uint32_t end = 0;
        for (next = i; next < count && at[next].key >> 32 == lines &&
                       (next == i || (uint32_t)at[next].key <= end);
             next++)
            end = at[next].id > end ? at[next].id : end;
        sweep(w, lines, (uint32_t)at[i].key, end);
        for (; i < next; i++)
            if (is_seen(w, (uint32_t)at[i].key, at[i].id))
                return wrong(w, at[i].id, "could see a newer version than it read");
    }
    w->to_sweep.count = 0;
    return true;
}

/* ---- the walk ---- */

static bool keeps_axiom(struct walking *w)
{
    if (is_transitive(w->phi))
        return (w->to_sweep.count < w->at_once && w->now + 1 < w->replay->order->count) ||
               sweep_lines(w);
    for (size_t i = 0; i < w->passed.count; i++) {
        esse_guard_poll();
        if (w->all_visible || phi(w, w->passed.at[i].t2, w->now, w->passed.at[i].read))
            return wrong(w, w->now, "could see a newer version than it read");
    }
    w->passed.count = 0;
    return true;
}

static bool take_access(struct walking *w, uint32_t op, struct esse_access access)
{
    return access.kind == ESSE_OP_READ ? take_read(w, op, access) : take_write(w, access);
}

/* What the operation returned and wrote, or one access of that.  Where levels are defined by
 * cycles, what it left out is looked at here. */
static bool take_predicate(struct walking *w, uint32_t txn, uint32_t op,
                           const struct replay_access *one)
{
    const struct esse_history *history = w->replay->history;
    const uint32_t end = one ? one->at + 1 : esse_access_count(history, op);
    bool ok =
        w->replay->level->phi ||
        (replay_is_selected(w->replay, txn, op) && replay_misses_are_committed(w->replay, op)) ||
        wrong(w, w->now, "read what was not committed before it");
    for (uint32_t i = one ? one->at : 0; ok && i < end; i++)
        ok = take_access(w, op, esse_access_at(history, op, i));
    return ok;
}

static bool take_left_out(struct walking *w, struct co_left_out read)
{
    const struct replay_key *key = &w->replay->state.keys[read.key];
    for (uint32_t v = key->version_count; v-- > 0;)
        if (key->versions[v].commit == read.commit)
            return take_version(w, key, v);
    return wrong(w, w->now, "comes before one that it read from");
}

static bool selects(struct walking *w, uint32_t txn)
{
    return co_explains(&w->predicates, txn) ||
           replay_wrong(w->replay, txn, "has a predicate that may have seen other rows", w->err);
}

static bool take_unit(struct walking *w, uint32_t unit)
{
    const struct esse_history *history = w->replay->history;
    const struct replay_access *access = w->replay->accesses ? &w->replay->accesses[unit] : NULL;
    const uint32_t begin = access ? access->op : history->txn_op[unit];
    const uint32_t end = access ? begin + 1 : history->txn_op[unit + 1];
    uint32_t *last = &w->last[session_at(w, w->now)];
    esse_guard_poll();
    replay_state_begin(&w->replay->state);
    w->before[w->now] = w->replay->level->needs_session_order ? *last : CO_NOWHERE;
    *last = w->now;
    if (!access && w->asks_predicates && !selects(w, unit))
        return false;
    for (size_t i = 0; i < w->predicates.left_out.count; i++) /* none of accesses */
        if (!take_left_out(w, w->predicates.left_out.at[i]))
            return false;
    for (uint32_t op = begin; op < end; op++)
        if (esse_op_is_predicate(history->op_kind[op])
                ? !take_predicate(w, unit, op, access)
                : !take_access(w, op, esse_access_at(history, op, 0)))
            return false;
    return true;
}

/* Where units are accesses, a predicate that returned nothing is in none. */
static bool explains_predicates(struct walking *w)
{
    bool ok = true;
    if ((w->replay->history->has & ESSE_HAS_PREDICATES) && !w->replay->level->phi &&
        w->replay->level->cycle == ESSE_CYCLE_ONE_RW)
        return esse_fail(w->err, ESSE_EBUG, "an order does not show which rows predicates saw");
    for (uint32_t txn = 0;
         ok && w->asks_predicates && w->replay->accesses && txn < w->replay->history->txns; txn++)
        ok = !w->replay->in[txn] || selects(w, txn);
    return ok;
}

static void *room(const struct walking *w, uint32_t count)
{
    return esse_arena_grow(w->replay->arena, NULL, (count + (size_t)2) * sizeof(uint32_t));
}

/* What a unit did that comes soon: the order leads all over the history. */
static void fetch(const struct walking *w, uint32_t place)
{
    const struct esse_history *history = w->replay->history;
    if (place + 2 * AHEAD < w->replay->order->count && !w->replay->accesses)
        __builtin_prefetch(&history->txn_op[w->replay->order->events[place + 2 * AHEAD]]);
    if (place + AHEAD >= w->replay->order->count || w->replay->accesses)
        return;
    const uint32_t op = history->txn_op[w->replay->order->events[place + AHEAD]];
    __builtin_prefetch(&history->op_kind[op]);
    __builtin_prefetch(&history->op_key[op]);
    __builtin_prefetch(&history->op_value[op]);
}

bool replay_commit_order(struct replay *replay, size_t at_once, struct esse_error *err)
{
    const struct esse_level *level = replay->level;
    const uint32_t count = replay->order->count;
    struct walking w = {
        .replay = replay, .predicates = { .replay = replay }, .err = err, .at_once = at_once
    };
    w.phi = level->phi == ESSE_PHI_NONE && level->cycle == ESSE_CYCLE_ONE_RW ? ESSE_PHI_PARALLEL
                                                                             : level->phi;
    w.all_visible = level->phi == ESSE_PHI_NONE && level->cycle == ESSE_CYCLE_ITEM_RW;
    w.asks_predicates = level->phi && (replay->history->has & ESSE_HAS_PREDICATES);
    w.looks_between = w.phi != ESSE_PHI_NONE || w.all_visible;
    w.sees_own = esse_level_sees_own_writes(level);
    w.is_repeatable = esse_level_is_repeatable(level);
    w.lanes = count < MANY ? LANES : 1;
    w.first = esse_arena_grow(replay->arena, NULL, (count + (size_t)2) * sizeof *w.first);
    w.before = room(&w, count);
    w.last = room(&w, replay->history->sessions);
    memset(w.last, 0xff, (replay->history->sessions + (size_t)2) * sizeof *w.last);
    bool ok = explains_predicates(&w);
    w.first[0] = 0;
    for (w.now = 0; ok && w.now < count; w.now++) {
        fetch(&w, w.now);
        ok = take_unit(&w, replay->order->events[w.now]);
        w.first[w.now + 1] = w.sources.count;
        ok = ok && keeps_axiom(&w);
    }
    return ok;
}
