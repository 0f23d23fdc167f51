#include "explore/placing.h"

#include "base/hash.h"
#include "explore/search_state.h"

#include <string.h>

enum { FAILED_ROOM = 1 << 10 };

struct failed_attempt {
    txn_set placed, stale;
    uint64_t attempt; /* of which question */
};

/*
 * 'victims[q][s]': transactions that read from s a variable which q writes, too, and so must not
 * find q between s and themselves; s + 1, and 0 for the initial version.
 */
struct esse_placing {
    struct esse_search *search;
    const enum esse_axiom *axioms;
    txn_set all, writing; /* to be placed; those of them whose writes count */
    txn_set serial, snapshots, conflicting;
    txn_set before[ESSE_PROGRAM_TXNS_MOST], direct[ESSE_PROGRAM_TXNS_MOST];
    txn_set conflicts[ESSE_PROGRAM_TXNS_MOST];
    txn_set any_victims[ESSE_PROGRAM_TXNS_MOST];
    /* Others that write what somebody reads from this one. */
    txn_set rivals[ESSE_PROGRAM_TXNS_MOST];
    txn_set victims[ESSE_PROGRAM_TXNS_MOST][ESSE_PROGRAM_TXNS_MOST + 1];
    bool is_impossible;
    uint64_t attempt;
    struct failed_attempt failed[FAILED_ROOM];
};

struct esse_placing *esse_placing_new(struct esse_arena *arena, struct esse_search *search)
{
    struct esse_placing *placing = esse_arena_zeros(arena, 1, struct esse_placing);
    placing->search = search;
    return placing;
}

/* ---- what is to be placed ---- */

static void start(struct esse_placing *p, const enum esse_axiom *axioms, txn_set all,
                  txn_set writing)
{
    p->axioms = axioms;
    p->all = all;
    p->writing = writing;
    p->serial = p->snapshots = p->conflicting = 0;
    p->is_impossible = false;
    p->attempt++;
    for (txn_set left = all; left;) {
        const uint32_t txn = txn_take(&left);
        p->any_victims[txn] = p->rivals[txn] = p->conflicts[txn] = p->before[txn] = 0;
        p->victims[txn][0] = 0;
        for (txn_set sources = all; sources;)
            p->victims[txn][txn_take(&sources) + 1] = 0;
    }
}

/* The first 'steps' steps of a transaction. */
static void add(struct esse_placing *p, uint32_t txn, uint32_t steps, txn_set before)
{
    const struct esse_search *search = p->search;
    const struct esse_unit *unit = &search->units[txn];
    const enum esse_axiom axiom = p->axioms[txn];
    const txn_set bit = txn_bit(txn), others = p->writing & ~bit;
    txn_set direct = search->session_before[txn];
    for (uint32_t i = 0; i < steps; i++) {
        const struct esse_search_step *step = &unit->steps[i];
        if (step->kind == ESSE_STEP_WRITE && p->writing & bit)
            p->conflicts[txn] |= search->writers[step->variable] & others;
        if (step->kind != ESSE_STEP_READ)
            continue;
        txn_set writers = search->writers[step->variable] & others;
        uint32_t source = 0;
        if (step->source != ESSE_NO_SOURCE) {
            source = step->source + 1u;
            direct |= txn_bit(step->source);
            writers &= ~txn_bit(step->source);
        }
        if (esse_axiom_is_base(axiom))
            continue;
        if (source)
            p->rivals[source - 1] |= writers;
        while (writers) {
            const uint32_t writer = txn_take(&writers);
            p->victims[writer][source] |= bit;
            p->any_victims[writer] |= bit;
        }
    }
    p->before[txn] |= before;
    p->direct[txn] = direct;
    p->serial |= axiom == ESSE_AXIOM_SERIAL ? bit : 0;
    p->snapshots |= axiom == ESSE_AXIOM_PREFIX || axiom == ESSE_AXIOM_SNAPSHOT ? bit : 0;
    p->conflicting |= axiom == ESSE_AXIOM_SNAPSHOT ? bit : 0;
}

/* What an axiom of the kind that a base can have puts before the sources of a reader, where the
 * search has not done so as it kept to a weaker one. */
static void add_forced(struct esse_placing *p, uint32_t txn)
{
    const struct esse_search *search = p->search;
    const struct esse_unit *unit = &search->units[txn];
    const enum esse_axiom axiom = p->axioms[txn];
    txn_set sources = 0;
    if (!esse_axiom_is_base(axiom) || axiom <= search->base[txn])
        return;
    for (uint32_t i = 0; i < unit->count; i++) {
        const struct esse_search_step *step = &unit->steps[i];
        if (step->kind != ESSE_STEP_READ)
            continue;
        const txn_set seen = axiom == ESSE_AXIOM_COMMITTED ? sources
                             : axiom == ESSE_AXIOM_ATOMIC  ? p->direct[txn]
                                                           : unit->past;
        const txn_set first = seen & search->writers[step->variable];
        if (step->source == ESSE_NO_SOURCE) {
            p->is_impossible |= first != 0;
            continue;
        }
        p->before[step->source] |= first & ~txn_bit(step->source);
        sources |= txn_bit(step->source);
    }
}

/* ---- placing ---- */

/* Those whose snapshot has been taken. */
static txn_set with_snapshot(const struct esse_placing *p, txn_set which, txn_set placed)
{
    txn_set taken = 0;
    while (which) {
        const uint32_t txn = txn_take(&which);
        if (!(p->direct[txn] & ~placed))
            taken |= txn_bit(txn);
    }
    return taken;
}

/* May 'txn' be placed next?  If so 'stale' grows by those whose snapshot it makes old. */
static bool may_place(const struct esse_placing *p, uint32_t txn, txn_set placed, txn_set *stale)
{
    const txn_set open = p->all & ~placed & ~txn_bit(txn);
    txn_set hit = 0;
    if (p->any_victims[txn] & open) {
        hit = p->victims[txn][0];
        for (txn_set left = placed; left;)
            hit |= p->victims[txn][txn_take(&left) + 1];
        hit &= open;
        if (hit & p->serial)
            return false;
        const txn_set taken = with_snapshot(p, hit, placed);
        if (hit & p->snapshots & ~taken)
            return false;
        *stale |= hit & p->conflicting;
    }
    return !(p->conflicts[txn] & p->conflicting & open & *stale);
}

/* Would placing it now be to nobody's disadvantage?  It must not come between a read and its
 * source, nor be a source that another writer must stay clear of from now on. */
static bool is_harmless(const struct esse_placing *p, uint32_t txn, txn_set placed, txn_set stale)
{
    const txn_set open = p->all & ~placed & ~txn_bit(txn);
    return !(p->any_victims[txn] & open) && !(p->rivals[txn] & open) &&
           !(p->conflicts[txn] & p->conflicting & open & stale);
}

static txn_set ready(const struct esse_placing *p, txn_set placed)
{
    txn_set found = 0;
    for (txn_set left = p->all & ~placed; left;) {
        const uint32_t txn = txn_take(&left);
        if (!(p->before[txn] & ~placed))
            found |= txn_bit(txn);
    }
    return found;
}

static struct failed_attempt *slot(struct esse_placing *p, txn_set placed, txn_set stale)
{
    return &p->failed[esse_hash_pair((uint32_t)stale, placed) % FAILED_ROOM];
}

static bool place(struct esse_placing *p, txn_set placed, txn_set stale)
{
    txn_set next;
    for (;;) {
        next = ready(p, placed);
        txn_set harmless = 0;
        for (txn_set left = next; left;) {
            const uint32_t txn = txn_take(&left);
            if (is_harmless(p, txn, placed | harmless, stale))
                harmless |= txn_bit(txn);
        }
        if (!harmless)
            break;
        placed |= harmless;
    }
    if (placed == p->all)
        return true;
    struct failed_attempt *tried = slot(p, placed, stale);
    if ((tried->attempt == p->attempt && tried->placed == placed && tried->stale == stale) ||
        !esse_search_goes_on(p->search))
        return false;
    while (next) {
        const uint32_t txn = txn_take(&next);
        txn_set then = stale;
        if (may_place(p, txn, placed, &then) && place(p, placed | txn_bit(txn), then))
            return true;
    }
    *slot(p, placed, stale) = (struct failed_attempt){ placed, stale, p->attempt };
    return false;
}

/* ---- the questions ---- */

bool esse_placing_all(struct esse_placing *p, const enum esse_axiom *axioms,
                      const struct esse_last_writer *last, uint32_t count)
{
    const struct esse_search *search = p->search;
    start(p, axioms, search->present, search->committed);
    for (txn_set left = search->present; left;) {
        const uint32_t txn = txn_take(&left);
        add(p, txn, search->units[txn].count, search->before[txn]);
        add_forced(p, txn);
    }
    for (uint32_t i = 0; i < count; i++)
        p->before[last[i].txn] |= search->writers[last[i].variable] & ~txn_bit(last[i].txn);
    return !p->is_impossible && place(p, 0, 0);
}

bool esse_placing_pinned(struct esse_placing *p, const enum esse_axiom *axioms)
{
    const struct esse_search *search = p->search;
    txn_set whole = 0, part = 0;
    for (txn_set left = search->present; left;) {
        const uint32_t txn = txn_take(&left);
        whole |= search->units[txn].pinned_past;
        part |= search->units[txn].pinned ? txn_bit(txn) : 0;
    }
    part &= ~whole;
    start(p, axioms, whole | part, whole & search->committed);
    for (txn_set left = whole; left;) {
        const uint32_t txn = txn_take(&left);
        add(p, txn, search->units[txn].count, search->units[txn].past);
    }
    for (txn_set left = part; left;) {
        const uint32_t txn = txn_take(&left);
        add(p, txn, search->units[txn].pinned, search->units[txn].pinned_past);
    }
    return place(p, 0, 0);
}
