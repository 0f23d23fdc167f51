#include "history/oplog.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

const char *const esse_oplog_type_names[] = { "invoke", "ok", "fail", "info" };

const char *const esse_oplog_doubt_texts[] = {
    [ESSE_DOUBT_NOT_A_CLIENT] = "operations of non-client processes were skipped",
    [ESSE_DOUBT_DOUBLE_INVOKE] =
        "a process invoked while its last invocation was open; that one never completed",
    [ESSE_DOUBT_NO_INVOCATION] =
        "completions have no certain invocation: they may have begun at any time",
};

struct esse_oplog *esse_oplog_new(struct esse_arena *arena, struct esse_values *values)
{
    struct esse_oplog *log = esse_arena_alloc(arena, 1, sizeof *log);
    log->arena = arena;
    log->values = values;
    return log;
}

static void *grown(struct esse_oplog *log, void *column, size_t size)
{
    return esse_arena_grow(log->arena, column, log->room * size);
}

static void grow(struct esse_oplog *log, uint32_t room)
{
    log->room = room;
    log->type = grown(log, log->type, sizeof *log->type);
    log->verb = grown(log, log->verb, sizeof *log->verb);
    log->pair = grown(log, log->pair, sizeof *log->pair);
    log->process = grown(log, log->process, sizeof *log->process);
    log->f = grown(log, log->f, sizeof *log->f);
    log->value = grown(log, log->value, sizeof *log->value);
    log->index = grown(log, log->index, sizeof *log->index);
    log->time = grown(log, log->time, sizeof *log->time);
    log->line = grown(log, log->line, sizeof *log->line);
    log->column = grown(log, log->column, sizeof *log->column);
}

static enum esse_verb verb_of(const struct esse_values *values, esse_value f)
{
    static const char *const names[] = { "read", "add",     "write",  "transfer",
                                         "cas",  "acquire", "release" };
    char room[8];
    enum esse_value_kind kind = esse_value_kind(values, f);
    if (kind != ESSE_KIND_KEYWORD && kind != ESSE_KIND_STRING)
        return ESSE_VERB_OTHER;
    struct esse_span text = esse_value_text(values, f, room);
    for (int i = 0; i < ESSE_VERB_OTHER; i++)
        if (strlen(names[i]) == text.length && memcmp(names[i], text.at, text.length) == 0)
            return (enum esse_verb)i;
    return ESSE_VERB_OTHER;
}

void esse_oplog_add(struct esse_oplog *log, const struct esse_log_record *record)
{
    assert(!log->format);
    if (log->count == log->room) {
        assert(log->room < UINT32_MAX / 2);
        grow(log, (uint32_t)esse_vec_room(log->room, sizeof(esse_value)));
    }
    uint32_t op = log->count++;
    log->type[op] = (uint8_t)record->type;
    log->verb[op] = (uint8_t)verb_of(log->values, record->f);
    log->pair[op] = ESSE_NO_PAIR;
    log->process[op] = record->process;
    log->f[op] = record->f;
    log->value[op] = record->value;
    log->index[op] = record->index;
    log->time[op] = record->time;
    log->line[op] = record->line;
    log->column[op] = record->column < UINT32_MAX ? (uint32_t)record->column : UINT32_MAX;
}

void esse_oplog_doubt(struct esse_oplog *log, enum esse_oplog_doubt doubt, uint64_t line)
{
    if (!log->doubts[doubt]++)
        log->doubt_lines[doubt] = line;
}

/* ---- pairing ---- */

struct process {
    esse_value id;
    uint32_t open; /* its open invocation, or ESSE_NO_PAIR */
};

ESSE_VEC(process_vec, struct process)

struct pairing {
    struct esse_arena *arena;
    struct process_vec processes;
    struct esse_index index;
    uint32_t nameless; /* the open invocation without a process */
    bool doubtful;     /* there was more than one at a time */
};

static uint32_t *open_of(struct pairing *pairing, esse_value id)
{
    uint32_t hash = esse_hash_word(id.word), at;
    struct esse_probe probe = esse_index_probe(&pairing->index, hash);
    while (esse_probe_next(&probe, &at))
        if (esse_value_eq(pairing->processes.at[at].id, id))
            return &pairing->processes.at[at].open;
    at = (uint32_t)pairing->processes.count;
    process_vec_push(&pairing->processes, pairing->arena, (struct process){ id, ESSE_NO_PAIR });
    esse_index_add(&pairing->index, pairing->arena, hash, at);
    return &pairing->processes.at[at].open;
}

static void pair_one(struct pairing *pairing, struct esse_oplog *log, uint32_t op)
{
    const bool named = !esse_value_eq(log->process[op], ESSE_NONE);
    uint32_t *open = named ? open_of(pairing, log->process[op]) : &pairing->nameless;
    if (log->type[op] == ESSE_INVOKE) {
        if (*open != ESSE_NO_PAIR && named)
            esse_oplog_doubt(log, ESSE_DOUBT_DOUBLE_INVOKE, log->line[op]);
        else if (*open != ESSE_NO_PAIR)
            pairing->doubtful = true;
        *open = op;
        return;
    }
    if (*open == ESSE_NO_PAIR || (!named && pairing->doubtful)) {
        esse_oplog_doubt(log, ESSE_DOUBT_NO_INVOCATION, log->line[op]);
        return;
    }
    log->pair[op] = *open;
    log->pair[*open] = op;
    *open = ESSE_NO_PAIR;
}

void esse_oplog_freeze(struct esse_oplog *log, const char *format)
{
    struct pairing pairing = { .arena = esse_arena_new(), .nameless = ESSE_NO_PAIR };
    assert(!log->format);
    log->format = format;
    for (uint32_t op = 0; op < log->count; op++)
        pair_one(&pairing, log, op);
    esse_arena_free(pairing.arena);
}

bool esse_oplog_items(const struct esse_oplog *log, esse_value value, const esse_value **items,
                      uint32_t *count)
{
    enum esse_value_kind kind = esse_value_kind(log->values, value);
    if (kind != ESSE_KIND_SEQ && kind != ESSE_KIND_SET)
        return false;
    *items = esse_value_parts(log->values, value, count);
    return true;
}

/* ---- taking a log apart ---- */

struct splitting {
    const struct esse_oplog *log;
    struct esse_index index;
    struct esse_sublog *subs;
    uint32_t count, room;
    uint32_t *sub_of; /* which sub-log an operation belongs to ... */
    uint32_t *place;  /* ... and its number there */
};

static uint32_t sub_named(struct splitting *split, struct esse_arena *arena, esse_value key)
{
    uint32_t hash = esse_hash_word(key.word), at;
    struct esse_probe probe = esse_index_probe(&split->index, hash);
    while (esse_probe_next(&probe, &at))
        if (esse_value_eq(split->subs[at].key, key))
            return at;
    at = split->count++;
    if (at == split->room) {
        split->room = (uint32_t)esse_vec_room(split->room, sizeof *split->subs);
        split->subs = esse_arena_grow(arena, split->subs, split->room * sizeof *split->subs);
    }
    split->subs[at] = (struct esse_sublog){ key, esse_oplog_new(arena, split->log->values) };
    esse_index_add(&split->index, arena, hash, at);
    return at;
}

static bool take_key(struct splitting *split, struct esse_arena *arena, uint32_t op,
                     esse_value *inner, struct esse_error *err)
{
    const struct esse_oplog *log = split->log;
    uint32_t count = 0, before = esse_oplog_invocation(log, op);
    const esse_value *parts = NULL;
    const bool completes = before != ESSE_NO_PAIR && before != op;
    if (completes && esse_value_eq(log->value[op], ESSE_NIL)) {
        split->sub_of[op] = split->sub_of[before];
        *inner = ESSE_NIL;
        return true;
    }
    if (esse_value_kind(log->values, log->value[op]) == ESSE_KIND_SEQ)
        parts = esse_value_parts(log->values, log->value[op], &count);
    if (count != 2)
        return esse_fail_at(err, log->line[op], log->column[op],
                            "the value is not a pair, expected [key value] (--independent)");
    split->sub_of[op] = sub_named(split, arena, parts[0]);
    *inner = parts[1];
    if (completes && split->sub_of[before] != split->sub_of[op])
        return esse_fail_at(err, log->line[op], log->column[op],
                            "the key is not that of the invocation on line %llu",
                            (unsigned long long)log->line[before]);
    return true;
}

static void move_op(struct splitting *split, uint32_t op, esse_value inner)
{
    const struct esse_oplog *log = split->log;
    struct esse_oplog *sub = split->subs[split->sub_of[op]].log;
    struct esse_log_record record = { (enum esse_oplog_type)log->type[op],
                                      log->process[op],
                                      log->f[op],
                                      inner,
                                      log->index[op],
                                      log->time[op],
                                      log->line[op],
                                      log->column[op] };
    split->place[op] = sub->count;
    esse_oplog_add(sub, &record);
    if (log->type[op] != ESSE_INVOKE && log->pair[op] != ESSE_NO_PAIR) {
        uint32_t before = split->place[log->pair[op]];
        sub->pair[split->place[op]] = before;
        sub->pair[before] = split->place[op];
    }
}

bool esse_oplog_split(struct esse_arena *arena, const struct esse_oplog *log,
                      struct esse_sublog **subs, uint32_t *count, struct esse_error *err)
{
    struct splitting split = { .log = log };
    split.sub_of = esse_arena_alloc(arena, log->count, sizeof *split.sub_of);
    split.place = esse_arena_alloc(arena, log->count, sizeof *split.place);
    for (uint32_t op = 0; op < log->count; op++) {
        esse_value inner = ESSE_NIL;
        if (!take_key(&split, arena, op, &inner, err))
            return false;
        move_op(&split, op, inner);
    }
    for (uint32_t i = 0; i < split.count; i++)
        split.subs[i].log->format = log->format; /* frozen: its pairs are there */
    *subs = split.subs;
    *count = split.count;
    return true;
}
