#include "engine/saturate/saturate_path.h"

#include <assert.h>
#include <string.h>

struct finding {
    const struct saturate_units *units;
    struct saturate_step_vec *path;
    uint32_t writer, reader;
    uint32_t end; /* accesses of the reader that may be the last step */
};

static bool is_earlier(const struct saturate_units *units, uint32_t a, uint32_t b)
{
    return a < b && saturate_session(units, a) == saturate_session(units, b);
}

static void add(struct finding *f, enum saturate_step_kind kind, uint32_t from, uint32_t to,
                uint32_t read)
{
    if (from != to)
        saturate_step_vec_push(f->path, f->units->arena,
                               (struct saturate_step){ kind, from, to, read });
}

/* A step of reads-from, with steps of session order before and after it where they may be. */
struct shape {
    bool own;                  /* session order alone will do */
    bool start_same, start_so; /* the writer is read itself, or something later of its session */
    bool end_same, end_so;     /* by the reader itself, or by something earlier of its session */
};

static bool find_shape(struct finding *f, struct shape shape)
{
    const struct saturate_units *units = f->units;
    if (shape.own && is_earlier(units, f->writer, f->reader)) {
        add(f, SATURATE_STEP_SO, f->writer, f->reader, 0);
        return true;
    }
    uint32_t at = shape.end_same ? f->reader : units->before[f->reader];
    for (; at != NO_UNIT; at = shape.end_so ? units->before[at] : NO_UNIT) {
        uint32_t end = at == f->reader ? f->end : saturate_end(units, at);
        for (uint32_t a = saturate_first(units, at); a < end; a++) {
            uint32_t source = units->access[a].source;
            if (!saturate_reads(units->access[a]) ||
                !((shape.start_same && source == f->writer) ||
                  (shape.start_so && is_earlier(units, f->writer, source))))
                continue;
            add(f, SATURATE_STEP_SO, f->writer, source, 0);
            add(f, SATURATE_STEP_WR, source, at, a);
            add(f, SATURATE_STEP_SO, at, f->reader, 0);
            return true;
        }
    }
    return false;
}

/* The reader read from one whose session had read from the writer. */
static bool find_answer(struct finding *f)
{
    const struct saturate_units *units = f->units;
    for (uint32_t a = saturate_first(units, f->reader); a < f->end; a++) {
        uint32_t source = units->access[a].source;
        if (!saturate_reads(units->access[a]))
            continue;
        for (uint32_t at = source; at != NO_UNIT; at = units->before[at]) {
            uint32_t read = saturate_read_from(units, at, f->writer);
            if (read == NO_ACCESS)
                continue;
            add(f, SATURATE_STEP_WR, f->writer, at, read);
            add(f, SATURATE_STEP_SO, at, source, 0);
            add(f, SATURATE_STEP_WR, source, f->reader, a);
            return true;
        }
    }
    return false;
}

/* ---- any path ---- */

struct search {
    struct finding *f;
    uint32_t *next; /* by unit: where the path goes on, or NO_UNIT */
    uint32_t *queue;
    uint32_t tail;
};

static void reach(struct search *s, uint32_t unit, uint32_t next)
{
    if (s->next[unit] != NO_UNIT || unit == s->f->reader)
        return;
    s->next[unit] = next;
    s->queue[s->tail++] = unit;
}

/* Writes the steps down; neighbouring steps of session order are one. */
static void lay_path(struct search *s)
{
    const struct saturate_units *units = s->f->units;
    for (uint32_t at = s->f->writer; at != s->f->reader; at = s->next[at]) {
        uint32_t to = s->next[at], read = saturate_read_from(units, to, at);
        struct saturate_step_vec *path = s->f->path;
        if (read != NO_ACCESS)
            add(s->f, SATURATE_STEP_WR, at, to, read);
        else if (path->count && path->at[path->count - 1].kind == SATURATE_STEP_SO)
            path->at[path->count - 1].to = to;
        else
            add(s->f, SATURATE_STEP_SO, at, to, 0);
    }
}

/* Backwards from the reader, breadth first. */
static bool find_any(struct finding *f)
{
    const struct saturate_units *units = f->units;
    struct search s = { .f = f };
    s.next = esse_arena_none(units->arena, units->count + (size_t)1, uint32_t);
    s.queue = esse_arena_array(units->arena, units->count + (size_t)1, uint32_t);
    s.queue[s.tail++] = f->reader;
    for (uint32_t head = 0; head < s.tail && s.next[f->writer] == NO_UNIT; head++) {
        uint32_t unit = s.queue[head];
        if (units->before[unit] != NO_UNIT)
            reach(&s, units->before[unit], unit);
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++)
            if (saturate_reads(units->access[a]))
                reach(&s, units->access[a].source, unit);
    }
    bool found = s.next[f->writer] != NO_UNIT;
    if (found)
        lay_path(&s);
    esse_arena_drop(units->arena, s.next);
    esse_arena_drop(units->arena, s.queue);
    return found;
}

bool saturate_path_find(struct saturate_step_vec *path, enum esse_phi phi,
                        const struct saturate_units *units, const struct saturate_forced *forced)
{
    static const struct shape shapes[] = {
        [ESSE_PHI_READ_EARLIER] = { .start_same = true, .end_same = true },
        [ESSE_PHI_ATOMIC] = { .own = true, .start_same = true, .end_same = true },
        [ESSE_PHI_PIPED] = { true, true, true, true, true },
        [ESSE_PHI_OWN] = { .own = true },
        [ESSE_PHI_SEEN] = { .start_same = true, .end_so = true },
        [ESSE_PHI_WRITTEN] = { .start_so = true, .end_same = true },
    };
    assert(forced->from < units->count);
    uint32_t reader = saturate_reader(units, forced->read);
    struct finding f = { units, path, forced->from, reader,
                         phi == ESSE_PHI_READ_EARLIER ? saturate_operation(units, forced->read)
                                                      : saturate_end(units, reader) };
    path->count = 0;
    switch (phi) {
    case ESSE_PHI_CAUSAL:
        return find_any(&f);
    case ESSE_PHI_ANSWERED:
        return find_answer(&f);
    default:
        return find_shape(&f, shapes[phi]);
    }
}
