#include "engine/replay/replay_stream_state.h"

#include "base/hash.h"

enum { FEW = 1 << 16 };

/*
 * A stream's pool of values only grows, and so does its list of keys.  From time to time what is
 * alive moves into a new pool: the rest of the old one, and keys that hold nothing, are gone.
 */

struct moving {
    struct esse_replay_stream *stream;
    struct esse_values *from, *to;
};

static void move_value(const struct moving *m, esse_value *value)
{
    if (esse_value_tag(*value) == ESSE_TAG_ATOM)
        *value = esse_value_carry(m->to, m->from, *value);
}

static void move_name(const struct moving *m, struct replay_name *name)
{
    move_value(m, &name->name);
    move_value(m, &name->session);
}

/* Absent, and no state that is remembered knows otherwise. */
static bool is_gone(const struct esse_replay_stream *stream, const struct replay_key *key)
{
    return !key->item_count && esse_value_eq(key->last.value, ESSE_NIL) &&
           (stream->is_serial || key->last.commit <= stream->state.horizon);
}

static void move_key(const struct moving *m, struct replay_key *key)
{
    key->mark = 0;
    move_value(m, &key->last.value);
    for (uint32_t v = 0; key->versions && v < key->version_count; v++)
        move_value(m, &key->versions[v].value);
    for (uint32_t i = 0; i < key->item_count; i++)
        move_value(m, &key->items[i]);
}

/* 'place' becomes, by old number, the new one. */
static void move_keys(const struct moving *m, uint32_t *place)
{
    struct esse_replay_stream *stream = m->stream;
    struct replay_window *window = &stream->window;
    struct replay_state *state = &stream->state;
    const uint32_t count = window->history.keys;
    uint32_t kept = 0;
    esse_index_drop(&window->key_index, window->arena);
    for (uint32_t k = 0; k < count; k++) {
        struct replay_key *key = &state->keys[k];
        place[k] = kept;
        if (is_gone(stream, key)) {
            esse_arena_drop(state->arena, key->versions);
            esse_arena_drop(state->arena, key->items);
            continue;
        }
        move_key(m, key);
        move_value(m, &window->key_name.at[k]);
        move_name(m, &stream->writers.at[k]);
        state->keys[kept] = *key;
        window->key_name.at[kept] = window->key_name.at[k];
        stream->writers.at[kept] = stream->writers.at[k];
        esse_index_add(&window->key_index, window->arena,
                       esse_hash_word(window->key_name.at[kept].word), kept);
        kept++;
    }
    window->key_name.count = stream->writers.count = window->history.keys = kept;
}

static void move_sessions(const struct moving *m)
{
    struct replay_window *window = &m->stream->window;
    esse_index_drop(&window->session_index, window->arena);
    for (uint32_t s = 0; s < window->history.sessions; s++) {
        move_value(m, &window->session_name.at[s]);
        move_name(m, &window->sessions.at[s].last);
        esse_index_add(&window->session_index, window->arena,
                       esse_hash_word(window->session_name.at[s].word), s);
    }
}

static void move_all(const struct moving *m)
{
    struct esse_replay_stream *stream = m->stream;
    struct esse_arena *scratch = esse_arena_new();
    uint32_t *place = esse_arena_alloc(scratch, stream->window.history.keys + 1u, sizeof *place);
    move_keys(m, place);
    move_sessions(m);
    for (size_t i = 0; i < stream->state.changes.count; i++)
        stream->state.changes.at[i] = place[stream->state.changes.at[i]];
    for (size_t i = 0; i < stream->commits.count; i++)
        move_name(m, &stream->commits.at[i].name);
    move_name(m, &stream->at_place);
    move_name(m, &stream->latest);
    move_name(m, &stream->unplaced);
    esse_arena_free(scratch);
}

static bool is_worth_it(const struct esse_replay_stream *stream)
{
    return esse_values_atoms(stream->sink.values) > stream->atom_limit ||
           stream->window.history.keys > stream->key_limit || stream->state.rows.plans.count > FEW;
}

void esse_replay_stream_tidy(struct esse_replay_stream *stream)
{
    if (!is_worth_it(stream))
        return;
    struct esse_arena *pool = esse_arena_new();
    const struct moving m = { stream, stream->sink.values, esse_values_new(pool) };
    move_all(&m);
    esse_arena_free(stream->pool);
    esse_arena_free(stream->scratch);
    stream->pool = pool;
    stream->scratch = esse_arena_new();
    stream->sink.values = stream->window.history.values = m.to;
    replay_rows_init(&stream->state, stream->scratch);
    stream->atom_limit = 4 * esse_values_atoms(m.to) + FEW;
    stream->key_limit = 2 * stream->window.history.keys + FEW;
}
