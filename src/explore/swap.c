#include "explore/search_state.h"

#include <assert.h>
#include <string.h>

/*
 * Swapping: after a commit, which reads before it could have read from it, and are the ones to say
 * so.  One pass backwards over the reads that are not in its past, which ends at the first that
 * does not read from the latest: docs/design/explore.md, Lemma 2.
 */

static void put_order(struct esse_search *search, uint32_t place, uint32_t txn)
{
    search->order[place] = (uint8_t)txn;
    search->position[txn] = (uint8_t)place;
}

static bool writes_to(const struct esse_search *search, uint32_t txn, uint32_t variable)
{
    return search->writers[variable] >> txn & 1;
}

/* ---- reading from the latest ---- */

/* The rows of what stands before a place of the order, of its transaction's first steps, and of
 * what is kept behind it: all of it is part of the history at hand, so there is no cycle. */
static before_row *rows_of_part(struct esse_search *search, const struct search_frame *frame,
                                uint32_t place, uint32_t steps, struct esse_unit *unit,
                                txn_set *present)
{
    const uint32_t txn = search->order[place];
    const uint32_t count = search->program->txn_count;
    before_row *rows = esse_trail_take(&search->trail, count * sizeof *rows);
    memcpy(rows, search->units[txn].rows, count * sizeof *rows);
    *present = 0;
    for (uint32_t i = 0; i <= place; i++)
        *present |= txn_bit(search->order[i]);
    bool ok = esse_before_again(search, rows, *present, txn, &search->units[txn], steps, unit);
    for (uint32_t i = place + 1; ok && i < frame->length; i++) {
        const uint32_t kept = search->order[i];
        struct esse_unit again;
        if (!(frame->kept >> kept & 1))
            continue;
        *present |= txn_bit(kept);
        ok = esse_before_again(search, rows, *present, kept, &search->units[kept],
                               search->units[kept].count, &again);
    }
    assert(ok);
    return rows;
}

/* Could the read have had a later source, of those that it knew of? */
static bool has_later(struct esse_search *search, const struct search_frame *frame, uint32_t place,
                      uint32_t step, txn_set later)
{
    const uint32_t txn = search->order[place], count = search->program->txn_count;
    const struct esse_search_step *read = &search->units[txn].steps[step];
    const struct esse_trail_mark mark = esse_trail_top(&search->trail);
    struct esse_unit unit = search->units[txn];
    txn_set present;
    before_row *rows = rows_of_part(search, frame, place, step, &unit, &present);
    before_row *tried = esse_trail_take(&search->trail, count * sizeof *tried);
    bool found = false;
    unit.count = step;
    while (later && !found) {
        struct esse_unit trial = unit;
        memcpy(tried, rows, count * sizeof *rows);
        found =
            esse_before_read(search, tried, present, txn, &trial, read->variable, txn_take(&later));
    }
    esse_trail_back(&search->trail, mark);
    return found;
}

static bool reads_latest(struct esse_search *search, const struct search_frame *frame,
                         uint32_t place, uint32_t step)
{
    const struct esse_search_step *read = &search->units[search->order[place]].steps[step];
    txn_set later = 0, known = read->past & search->writers[read->variable];
    if (read->is_pinned)
        return false;
    while (known) {
        const uint32_t writer = txn_take(&known);
        if (read->source == ESSE_NO_SOURCE ||
            search->position[writer] > search->position[read->source])
            later |= txn_bit(writer);
    }
    return !later || !has_later(search, frame, place, step, later);
}

/* ---- the swapped history ---- */

/* Rows and units of the kept transactions behind 'place', and of the swapped one up to its read,
 * which now reads from the last of the order.  False if the base level does not allow that. */
static bool build(struct esse_search *search, const struct search_frame *frame, uint32_t place,
                  uint32_t step, before_row *rows, struct esse_unit *unit)
{
    const uint32_t txn = search->order[place], count = search->program->txn_count;
    const struct esse_unit *old = &search->units[txn];
    txn_set present = 0;
    for (uint32_t i = 0; i < place; i++)
        present |= txn_bit(search->order[i]);
    memcpy(rows, old->rows, count * sizeof *rows);
    for (uint32_t i = place + 1; i < frame->length; i++) {
        struct esse_unit again;
        const uint32_t kept = search->order[i];
        if (!(frame->kept >> kept & 1))
            continue;
        present |= txn_bit(kept);
        if (!esse_before_again(search, rows, present, kept, &search->units[kept],
                               search->units[kept].count, &again))
            return false;
    }
    present |= txn_bit(txn);
    *unit = *old;
    return esse_before_again(search, rows, present, txn, old, step, unit);
}

static void save(struct esse_search *search, struct search_frame *frame)
{
    const uint32_t count = search->program->txn_count;
    struct saved_history *saved = esse_trail_take(&search->trail, sizeof *saved);
    saved->length = search->length;
    saved->present = search->present;
    saved->committed = search->committed;
    memcpy(saved->order, search->order, sizeof saved->order);
    saved->units = esse_trail_take(&search->trail, count * sizeof *saved->units);
    memcpy(saved->units, search->units, count * sizeof *saved->units);
    frame->saved = saved;
}

/* The order of the swapped history; the rows that each kept transaction begins with are noted. */
static void reorder(struct esse_search *search, const struct search_frame *frame, uint32_t place)
{
    const uint32_t txn = frame->saved->order[place], count = search->program->txn_count;
    before_row *rows = search->before;
    memcpy(rows, search->units[txn].rows, count * sizeof *rows);
    search->length = place;
    search->present = search->committed = 0;
    for (uint32_t i = 0; i < place; i++) {
        search->present |= txn_bit(search->order[i]);
        if (search->units[search->order[i]].status == ESSE_UNIT_COMMITTED)
            search->committed |= txn_bit(search->order[i]);
    }
    for (uint32_t i = place + 1; i < frame->length; i++) {
        const uint32_t kept = frame->saved->order[i];
        struct esse_unit again;
        if (!(frame->kept >> kept & 1))
            continue;
        before_row *noted = esse_trail_take(&search->trail, count * sizeof *noted);
        memcpy(noted, rows, count * sizeof *noted);
        search->units[kept].rows = noted;
        search->present |= txn_bit(kept);
        if (search->units[kept].status == ESSE_UNIT_COMMITTED)
            search->committed |= txn_bit(kept);
        put_order(search, search->length++, kept);
        esse_before_again(search, rows, search->present, kept, &search->units[kept],
                          search->units[kept].count, &again);
    }
}

/* The swapped transaction as it stands before its read: its steps anew, as more will follow. */
static void cut_unit(struct esse_search *search, uint32_t txn, uint32_t step)
{
    struct esse_unit *unit = &search->units[txn];
    const struct esse_unit old = *unit;
    const uint32_t count = search->program->txn_count;
    enum { MORE = 8 };
    before_row *noted = esse_trail_take(&search->trail, count * sizeof *noted);
    memcpy(noted, search->before, count * sizeof *noted);
    unit->rows = noted;
    unit->room = step + MORE;
    unit->steps = esse_trail_take(&search->trail, unit->room * sizeof *unit->steps);
    memcpy(unit->steps, old.steps, step * sizeof *unit->steps);
    unit->count = step;
    unit->status = ESSE_UNIT_RUNNING;
    unit->writes = false;
    unit->fault = 0;
    unit->broken = 0;
    unit->end = NULL;
    unit->pinned = 0;
    unit->pinned_past = 0;
    search->present |= txn_bit(txn);
    put_order(search, search->length++, txn);
    esse_before_again(search, search->before, search->present, txn, &old, step, unit);
}

/* What of the transaction before the step is pinned; and its program, run up to there again. */
static void run_again(struct esse_search *search, uint32_t txn)
{
    const struct esse_program *program = search->program;
    struct esse_unit *unit = &search->units[txn];
    struct esse_event event;
    program->begin(program, txn, search->state);
    search->read = 0;
    for (uint32_t i = 0; i < unit->count; i++) {
        const struct esse_search_step *step = &unit->steps[i];
        program->next(program, search->state, search->read, &event);
        search->read = step->value;
        unit->writes |= step->kind == ESSE_STEP_WRITE;
        if (step->kind == ESSE_STEP_READ && step->is_pinned) {
            unit->pinned = i + 1;
            unit->pinned_past =
                step->past | txn_bit(step->source) | search->units[step->source].past;
        }
    }
    program->next(program, search->state, search->read, &event);
    assert(event.kind == ESSE_EVENT_READ);
}

static void read_from(struct esse_search *search, uint32_t txn, uint32_t variable, uint32_t source)
{
    struct esse_unit *unit = &search->units[txn];
    const txn_set past = unit->past;
    const bool ok =
        esse_before_read(search, search->before, search->present, txn, unit, variable, source);
    assert(ok);
    struct esse_search_step *step = esse_search_push(search, txn);
    *step = (struct esse_search_step){ .value = esse_search_value(search, source, variable),
                                       .past = past,
                                       .variable = variable,
                                       .kind = ESSE_STEP_READ,
                                       .source = (uint8_t)source,
                                       .is_pinned = true };
    unit->pinned = unit->count;
    unit->pinned_past = unit->past;
    search->read = step->value;
    search->running = txn;
}

static void swap(struct esse_search *search, struct search_frame *frame, uint32_t place,
                 uint32_t step)
{
    const uint32_t txn = search->order[place];
    const uint32_t source = search->order[frame->length - 1];
    const uint32_t variable = search->units[txn].steps[step].variable;
    save(search, frame);
    for (uint32_t i = place; i < frame->length; i++)
        if (!(frame->kept >> search->order[i] & 1))
            esse_search_set_writers(search, search->order[i], false);
    reorder(search, frame, place);
    cut_unit(search, txn, step);
    run_again(search, txn);
    read_from(search, txn, variable, source);
    frame->is_swapped = true;
    frame->swapped_length = search->length;
    search->is_cut_open = true;
    search->counts.calls++;
    search->counts.swaps++;
}

void esse_search_unswap(struct esse_search *search, struct search_frame *frame)
{
    const struct saved_history *saved = frame->saved;
    const uint32_t count = search->program->txn_count;
    memcpy(search->order, saved->order, sizeof saved->order);
    memcpy(search->units, saved->units, count * sizeof *saved->units);
    search->length = saved->length;
    search->present = saved->present;
    search->committed = saved->committed;
    for (uint32_t i = 0; i < search->length; i++)
        search->position[search->order[i]] = (uint8_t)i;
    for (uint32_t i = frame->place; i < frame->length; i++)
        if (!(frame->kept >> search->order[i] & 1))
            esse_search_set_writers(search, search->order[i], true);
    esse_trail_back(&search->trail, frame->mark);
    frame->is_swapped = false;
    search->running = NO_TXN;
}

/* May the read at the step be swapped with the last of the order? */
static bool is_swappable(struct esse_search *search, struct search_frame *frame, uint32_t place,
                         uint32_t step)
{
    const uint32_t source = search->order[frame->length - 1], txn = search->order[place];
    const struct esse_search_step *read = &search->units[txn].steps[step];
    if (!writes_to(search, source, read->variable))
        return false;
    const struct esse_trail_mark mark = esse_trail_top(&search->trail);
    const uint32_t count = search->program->txn_count;
    before_row *rows = esse_trail_take(&search->trail, count * sizeof *rows);
    struct esse_unit unit;
    txn_set present = txn_bit(txn);
    for (uint32_t i = 0; i < frame->length; i++)
        if (i < place || frame->kept >> search->order[i] & 1)
            present |= txn_bit(search->order[i]);
    bool ok = build(search, frame, place, step, rows, &unit);
    if (ok) {
        unit.steps = search->units[txn].steps;
        unit.count = step;
        ok = esse_before_read(search, rows, present, txn, &unit, read->variable, source);
    }
    esse_trail_back(&search->trail, mark);
    return ok;
}

bool esse_search_swap(struct esse_search *search, struct search_frame *frame)
{
    while (frame->place < frame->length) {
        const uint32_t txn = search->order[frame->place];
        if (frame->kept >> txn & 1 || frame->step == 0) {
            frame->place--; /* below 0 it is larger than the length */
            if (frame->place < frame->length)
                frame->step = search->units[search->order[frame->place]].count;
            continue;
        }
        const uint32_t step = --frame->step;
        if (search->units[txn].steps[step].kind != ESSE_STEP_READ)
            continue;
        if (!reads_latest(search, frame, frame->place, step)) {
            frame->place = frame->length;
            return false;
        }
        if (is_swappable(search, frame, frame->place, step)) {
            swap(search, frame, frame->place, step);
            return true;
        }
    }
    return false;
}
