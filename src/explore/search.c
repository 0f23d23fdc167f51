#include "explore/search_state.h"

#include "base/checked.h"
#include "explore/placing.h"

#include <assert.h>
#include <string.h>

/* The walk: forward to an end, back to the last place with another way on, and so on. */

static bool is_on_path(const struct esse_search *search)
{
    return search->on_path < search->path_length;
}

/* ---- steps ---- */

struct esse_search_step *esse_search_push(struct esse_search *search, uint32_t txn)
{
    struct esse_unit *unit = &search->units[txn];
    if (unit->count == unit->room) {
        struct esse_search_step *old = unit->steps;
        unit->room = unit->room * 2 + 8;
        unit->steps = esse_trail_take(&search->trail, unit->room * sizeof *unit->steps);
        memcpy(unit->steps, old, unit->count * sizeof *old);
    }
    return &unit->steps[unit->count++];
}

void esse_search_set_writers(struct esse_search *search, uint32_t txn, bool are_there)
{
    const struct esse_unit *unit = &search->units[txn];
    const txn_set bit = txn_bit(txn);
    if (unit->status != ESSE_UNIT_COMMITTED || !unit->writes)
        return;
    for (uint32_t i = 0; i < unit->count; i++)
        if (unit->steps[i].kind == ESSE_STEP_WRITE) {
            txn_set *writers = &search->writers[unit->steps[i].variable];
            *writers = are_there ? *writers | bit : *writers & ~bit;
        }
}

int64_t esse_search_value(const struct esse_search *search, uint32_t source, uint32_t variable)
{
    if (source == ESSE_NO_SOURCE)
        return search->program->initial[variable];
    const struct esse_unit *unit = &search->units[source];
    uint32_t i = unit->count;
    do
        assert(i > 0);
    while (unit->steps[--i].kind != ESSE_STEP_WRITE || unit->steps[i].variable != variable);
    return unit->steps[i].value;
}

/* The last write of the running transaction to the variable, or NULL. */
static const struct esse_search_step *own_write(const struct esse_unit *unit, uint32_t variable)
{
    if (unit->writes)
        for (uint32_t i = unit->count; i-- > 0;)
            if (unit->steps[i].kind == ESSE_STEP_WRITE && unit->steps[i].variable == variable)
                return &unit->steps[i];
    return NULL;
}

/* ---- frames ---- */

static struct search_frame *new_frame(struct esse_search *search, enum search_frame_kind kind)
{
    struct search_frame frame = { .kind = kind,
                                  .length = search->length,
                                  .present = search->present,
                                  .committed = search->committed,
                                  .mark = esse_trail_top(&search->trail) };
    search_frame_vec_push(&search->frames, search->arena, frame);
    return &search->frames.at[search->frames.count - 1];
}

/* Of a frame at the end of a known path only the way that the path takes counts. */
static bool is_wanted(struct esse_search *search, struct search_frame *frame)
{
    const uint32_t child = frame->child++;
    if (!is_on_path(search) || frame != &search->frames.at[search->on_path])
        return true;
    if (child != search->path[search->on_path])
        return false;
    frame->is_fixed = true;
    if (++search->on_path == search->path_length)
        search->counts = (struct esse_search_counts){ 0 };
    return true;
}

/* ---- going back ---- */

/* The transactions from a place of the order on are gone. */
static void shorten(struct esse_search *search, const struct search_frame *frame)
{
    for (uint32_t i = frame->length; i < search->length; i++)
        esse_search_set_writers(search, search->order[i], false);
    search->length = frame->length;
    search->present = frame->present;
    search->committed = frame->committed;
    search->running = NO_TXN;
}

/* ---- reading ---- */

static void note_read(struct esse_search *search, uint32_t txn, uint32_t variable, uint32_t source,
                      txn_set past)
{
    struct esse_unit *unit = &search->units[txn];
    struct esse_search_step *step = esse_search_push(search, txn);
    const bool is_pinned = source != ESSE_NO_SOURCE && !(past >> source & 1);
    *step = (struct esse_search_step){ .value = esse_search_value(search, source, variable),
                                       .past = past,
                                       .variable = variable,
                                       .kind = ESSE_STEP_READ,
                                       .source = (uint8_t)source,
                                       .is_pinned = is_pinned };
    search->read = step->value;
    if (is_pinned) {
        unit->pinned = unit->count;
        unit->pinned_past = unit->past;
        search->is_cut_open = true;
    }
}

/* The next source of the frame that the base level allows is read from; false: there is none. */
static bool read_next(struct esse_search *search, struct search_frame *frame)
{
    const uint32_t txn = search->order[frame->length - 1], count = search->program->txn_count;
    while (frame->initial_left || frame->left) {
        const bool is_initial = frame->initial_left;
        frame->initial_left = false;
        const uint32_t source = is_initial ? ESSE_NO_SOURCE : txn_take(&frame->left);
        const txn_set past = frame->unit.past;
        if (esse_before_read(search, search->before, search->present, txn, &search->units[txn],
                             frame->variable, source)) {
            search->counts.calls++;
            if (is_wanted(search, frame)) {
                note_read(search, txn, frame->variable, source, past);
                return true;
            }
        }
        search->units[txn] = frame->unit;
        memcpy(search->before, frame->rows, count * sizeof *frame->rows);
    }
    return false;
}

/* An external read.  False: it has no source, or none that is wanted. */
static bool read_external(struct esse_search *search, uint32_t txn, uint32_t variable)
{
    struct esse_unit *unit = &search->units[txn];
    const txn_set writers = search->writers[variable];
    if (!writers) {
        note_read(search, txn, variable, ESSE_NO_SOURCE, unit->past);
        search->counts.calls++;
        return true;
    }
    struct search_frame *frame = new_frame(search, FRAME_READ);
    const uint32_t count = search->program->txn_count;
    frame->unit = *unit;
    frame->variable = variable;
    frame->left = writers;
    frame->initial_left = true;
    frame->choices = 1 + (uint32_t)__builtin_popcountll(writers);
    frame->rows = esse_trail_take(&search->trail, count * sizeof *frame->rows);
    memcpy(frame->rows, search->before, count * sizeof *frame->rows);
    frame->state = esse_trail_take(&search->trail, search->program->state_bytes);
    memcpy(frame->state, search->state, search->program->state_bytes);
    /* What the unit writes from now on goes elsewhere: the way back must find these steps. */
    frame->mark = esse_trail_top(&search->trail);
    if (read_next(search, frame))
        return true;
    search->counts.blocked += frame->child == 0;
    return false;
}

static bool read_again(struct esse_search *search, struct search_frame *frame)
{
    const uint32_t txn = search->order[frame->length - 1], count = search->program->txn_count;
    if (!frame->initial_left && !frame->left)
        return false;
    esse_search_set_writers(search, txn, false);
    shorten(search, frame);
    search->units[txn] = frame->unit;
    search->running = txn;
    memcpy(search->before, frame->rows, count * sizeof *frame->rows);
    memcpy(search->state, frame->state, search->program->state_bytes);
    esse_trail_back(&search->trail, frame->mark);
    return read_next(search, frame);
}

/* ---- beginning and ending ---- */

static void begin(struct esse_search *search, uint32_t txn)
{
    const uint32_t count = search->program->txn_count;
    enum { STEPS = 8 };
    struct esse_unit *unit = &search->units[txn];
    *unit = (struct esse_unit){ .room = STEPS, .past = search->session_before[txn] };
    for (txn_set left = unit->past; left;)
        unit->past |= search->units[txn_take(&left)].past;
    before_row *noted = esse_trail_take(&search->trail, count * sizeof *noted);
    memcpy(noted, search->before, count * sizeof *noted);
    unit->rows = noted;
    unit->steps = esse_trail_take(&search->trail, STEPS * sizeof *unit->steps);
    search->order[search->length] = (uint8_t)txn;
    search->position[txn] = (uint8_t)search->length++;
    search->present |= txn_bit(txn);
    esse_before_begin(search, search->before, txn);
    search->running = txn;
    search->program->begin(search->program, txn, search->state);
    search->read = 0;
}

/* False: the way forward from the commit is not wanted. */
static bool push_swaps(struct esse_search *search, uint32_t txn)
{
    struct search_frame *frame = new_frame(search, FRAME_SWAPS);
    frame->place = frame->length - 1;
    frame->kept = search->units[txn].past | txn_bit(txn);
    frame->choices = 1;
    return is_wanted(search, frame);
}

static bool end(struct esse_search *search, enum esse_event_kind kind)
{
    const uint32_t txn = search->running;
    struct esse_unit *unit = &search->units[txn];
    const struct esse_program *program = search->program;
    const struct esse_txn_end said = program->end(program, search->state);
    unit->broken = said.broken;
    unit->fault = said.fault;
    if (program->has_invariants) {
        void *kept = esse_trail_take(&search->trail, program->state_bytes);
        unit->end = memcpy(kept, search->state, program->state_bytes);
    }
    search->running = NO_TXN;
    search->counts.calls++;
    unit->status = kind == ESSE_EVENT_COMMIT ? ESSE_UNIT_COMMITTED : ESSE_UNIT_ABORTED;
    if (kind != ESSE_EVENT_COMMIT)
        return true;
    search->committed |= txn_bit(txn);
    esse_search_set_writers(search, txn, true);
    const bool may_swap = unit->writes && search->length > 1;
    return !may_swap || search->options.algorithm != ESSE_SEARCH_SWAPPING ||
           push_swaps(search, txn);
}

/* ---- forward ---- */

static bool own_step(struct esse_search *search, uint32_t txn, const struct esse_event *event,
                     bool is_write, int64_t value)
{
    struct esse_search_step *step = esse_search_push(search, txn);
    *step = (struct esse_search_step){ .value = value,
                                       .variable = event->variable,
                                       .kind = is_write ? ESSE_STEP_WRITE : ESSE_STEP_OWN };
    search->units[txn].writes |= is_write;
    search->read = value;
    search->counts.calls++;
    return true;
}

/* The next event of the running transaction. */
static bool advance(struct esse_search *search)
{
    const uint32_t txn = search->running;
    struct esse_event event;
    search->program->next(search->program, search->state, search->read, &event);
    if (event.kind == ESSE_EVENT_COMMIT || event.kind == ESSE_EVENT_ABORT)
        return end(search, event.kind);
    if (event.kind == ESSE_EVENT_WRITE)
        return own_step(search, txn, &event, true, event.value);
    const struct esse_search_step *own = own_write(&search->units[txn], event.variable);
    return own ? own_step(search, txn, &event, false, own->value)
               : read_external(search, txn, event.variable);
}

/* A complete history: the filter, and then it is told. */
static void complete(struct esse_search *search)
{
    ESSE_SEAM(esse_search_valid(search));
    search->counts.end_states++;
    if (search->has_filter && !esse_placing_all(search->placing, search->options.axioms, NULL, 0)) {
        search->counts.filtered++;
        return;
    }
    search->counts.histories++;
    if (search->options.told && !search->options.told(search->options.context, search))
        search->is_stopped = true;
}

/* The transactions that may begin: all first ones, or the first of all. */
static txn_set beginners(const struct esse_search *search)
{
    const uint32_t count = search->program->txn_count;
    const txn_set all = count == 64 ? ~UINT64_C(0) : txn_bit(count) - 1;
    txn_set absent = all & ~search->present, first = 0;
    if (search->options.algorithm == ESSE_SEARCH_SWAPPING)
        return absent & -absent;
    while (absent) {
        const uint32_t txn = txn_take(&absent);
        if (!(search->session_before[txn] & ~search->present))
            first |= txn_bit(txn);
    }
    return first;
}

static bool begin_next(struct esse_search *search, struct search_frame *frame)
{
    while (frame->left) {
        const uint32_t txn = txn_take(&frame->left);
        search->counts.calls++;
        if (!is_wanted(search, frame))
            continue;
        begin(search, txn);
        return true;
    }
    return false;
}

static bool begin_any(struct esse_search *search, txn_set which)
{
    if (!(which & (which - 1))) {
        search->counts.calls++;
        begin(search, (uint32_t)__builtin_ctzll(which));
        return true;
    }
    struct search_frame *frame = new_frame(search, FRAME_BEGIN);
    frame->left = which;
    frame->choices = (uint32_t)__builtin_popcountll(which);
    const uint32_t count = search->program->txn_count;
    frame->rows = esse_trail_take(&search->trail, count * sizeof *frame->rows);
    memcpy(frame->rows, search->before, count * sizeof *frame->rows);
    frame->mark = esse_trail_top(&search->trail);
    return begin_next(search, frame);
}

/* Does nothing below pass the filter?  Asked anew when there is another pinned read. */
static bool is_cut(struct esse_search *search)
{
    if (!search->is_cut_open || !search->cuts)
        return false;
    search->is_cut_open = false;
    if (esse_placing_pinned(search->placing, search->options.axioms))
        return false;
    search->counts.cut++;
    return true;
}

/* The subtree here, or the leaf, gets the name that leads to it. */
static void name_subtree(struct esse_search *search)
{
    const uint32_t depth = search->naming->depth;
    assert(search->frames.count <= depth);
    uint16_t *choices = choice_vec_extend(&search->named, search->arena, depth);
    for (uint32_t i = 0; i < search->frames.count; i++)
        choices[i] = (uint16_t)(search->frames.at[i].child - 1);
    esse_u32_vec_push(&search->named_lengths, search->arena, (uint32_t)search->frames.count);
}

bool esse_search_goes_on(struct esse_search *search)
{
    const atomic_bool *stop = search->options.stop, *stale = search->program->is_stale;
    if (!esse_budget_poll(search->options.budget, search->counts.end_states) ||
        (stop && atomic_load_explicit(stop, memory_order_relaxed)) ||
        (stale && atomic_load_explicit(stale, memory_order_relaxed)))
        search->is_stopped = true;
    return !search->is_stopped;
}

/* The next event, or the next transaction.  False: this way ends here. */
static bool step_forward(struct esse_search *search)
{
    if (search->running != NO_TXN)
        return advance(search);
    const txn_set which = beginners(search);
    if (which)
        return begin_any(search, which);
    if (search->naming)
        name_subtree(search);
    else
        complete(search);
    return false;
}

/* Forward to a leaf, or to where nothing below passes the filter, or to a subtree that is named. */
static void forward(struct esse_search *search)
{
    while (esse_search_goes_on(search)) {
        if (is_cut(search))
            return;
        if (search->naming && search->frames.count >= search->naming->depth) {
            name_subtree(search);
            return;
        }
        if (!step_forward(search))
            return;
    }
}

/* ---- the walk ---- */

static bool swap_again(struct esse_search *search, struct search_frame *frame)
{
    if (frame->is_swapped) {
        for (uint32_t i = frame->swapped_length - 1; i < search->length; i++)
            esse_search_set_writers(search, search->order[i], false);
        esse_search_unswap(search, frame);
    } else {
        shorten(search, frame);
        esse_trail_back(&search->trail, frame->mark);
    }
    while (esse_search_swap(search, frame)) {
        if (is_wanted(search, frame))
            return true;
        esse_search_unswap(search, frame);
    }
    return false;
}

static bool begin_again(struct esse_search *search, struct search_frame *frame)
{
    const uint32_t count = search->program->txn_count;
    if (!frame->left)
        return false;
    shorten(search, frame);
    memcpy(search->before, frame->rows, count * sizeof *frame->rows);
    esse_trail_back(&search->trail, frame->mark);
    return begin_next(search, frame);
}

static bool again(struct esse_search *search, struct search_frame *frame)
{
    if (frame->is_fixed)
        return false;
    return frame->kind == FRAME_READ    ? read_again(search, frame)
           : frame->kind == FRAME_SWAPS ? swap_again(search, frame)
                                        : begin_again(search, frame);
}

/* Back to the last place with another way on, which is taken; what went forward from places
 * without one is undone by those below them.  False: there is none. */
static bool back(struct esse_search *search)
{
    while (search->frames.count) {
        struct search_frame *frame = &search->frames.at[search->frames.count - 1];
        if (again(search, frame))
            return true;
        search->frames.count--;
    }
    return false;
}

void esse_search_walk(struct esse_search *search)
{
    do
        forward(search);
    while (!search->is_stopped && back(search));
}
