#include "explore/search_state.h"

/*
 * What the axioms of the base level put before what, as each read is added: see "Consistency, kept
 * up to date" in docs/design/explore.md.
 */

/* All of 'first' come before 'then': false if that is a cycle. */
static inline bool all_before(before_row *rows, txn_set present, txn_set first, uint32_t then)
{
    first &= ~rows[then];
    if (!first)
        return true;
    txn_set added = first;
    for (txn_set left = first; left;)
        added |= rows[txn_take(&left)];
    const txn_set bit = txn_bit(then);
    if (added & bit)
        return false;
    for (txn_set left = present; left;) {
        const uint32_t txn = txn_take(&left);
        if (txn == then || rows[txn] & bit)
            rows[txn] |= added;
    }
    return true;
}

/* Other writers that a reader of 'source' must have before it. */
static inline bool force(before_row *rows, txn_set present, txn_set seen, txn_set writers,
                         uint32_t source)
{
    if (source == ESSE_NO_SOURCE)
        return !(seen & writers);
    return all_before(rows, present, seen & writers & ~txn_bit(source), source);
}

/* What the reader knows more than before counts for its earlier reads, too. */
static bool force_earlier(const struct esse_search *search, before_row *rows, txn_set present,
                          const struct esse_unit *unit, uint32_t steps, txn_set seen)
{
    for (uint32_t i = 0; i < steps; i++) {
        const struct esse_search_step *step = &unit->steps[i];
        if (step->kind == ESSE_STEP_READ &&
            !force(rows, present, seen, search->writers[step->variable], step->source))
            return false;
    }
    return true;
}

static bool add_read(const struct esse_search *search, before_row *rows, txn_set present,
                     uint32_t txn, const struct esse_unit *steps_of, uint32_t steps,
                     struct esse_unit *unit, uint32_t variable, uint32_t source)
{
    const enum esse_axiom axiom = search->base[txn];
    const txn_set writers = search->writers[variable];
    const txn_set direct = search->session_before[txn] | unit->sources;
    txn_set bit = 0, news = 0, seen = 0, known = 0;
    if (source != ESSE_NO_SOURCE) {
        bit = txn_bit(source);
        news = (bit | search->units[source].past) & ~unit->past;
        rows[txn] |= rows[source] | bit;
    }
    if (axiom == ESSE_AXIOM_COMMITTED) {
        seen = unit->sources;
    } else if (axiom == ESSE_AXIOM_ATOMIC) {
        seen = direct | bit;
        known = bit & ~direct;
    } else if (axiom == ESSE_AXIOM_CAUSAL) {
        seen = unit->past | news;
        known = news;
    }
    unit->sources |= bit;
    unit->past |= news;
    return force(rows, present, seen, writers, source) &&
           (!known || force_earlier(search, rows, present, steps_of, steps, known));
}

bool esse_before_read(const struct esse_search *search, before_row *rows, txn_set present,
                      uint32_t txn, struct esse_unit *unit, uint32_t variable, uint32_t source)
{
    return add_read(search, rows, present, txn, unit, unit->count, unit, variable, source);
}

void esse_before_begin(const struct esse_search *search, before_row *rows, uint32_t txn)
{
    txn_set first = search->session_before[txn];
    rows[txn] = first;
    while (first)
        rows[txn] |= rows[txn_take(&first)];
}

bool esse_before_again(const struct esse_search *search, before_row *rows, txn_set present,
                       uint32_t txn, const struct esse_unit *from, uint32_t steps,
                       struct esse_unit *unit)
{
    esse_before_begin(search, rows, txn);
    unit->sources = 0;
    unit->past = search->session_before[txn];
    for (txn_set left = unit->past; left;)
        unit->past |= search->units[txn_take(&left)].past;
    for (uint32_t i = 0; i < steps; i++) {
        const struct esse_search_step *step = &from->steps[i];
        if (step->kind == ESSE_STEP_READ &&
            !add_read(search, rows, present, txn, from, i, unit, step->variable, step->source))
            return false;
    }
    return true;
}
