#include "base/outfile.h"
#include "history/value_json.h"
#include "mirror/claim_choose.h"

#include <errno.h>
#include <sys/stat.h>

/* A finding as files, made from the events that are kept. */

/* ---- events as they came ---- */

struct writing {
    const struct esse_mirror *m;
    struct esse_values *values;
    struct esse_trace_sink *sink;
    struct esse_arena *arena;
    const struct claim_choice *c;   /* the transaction at hand */
    const struct claim_choice *all; /* of the finding */
    esse_value session;
    struct esse_row rows[256];
    esse_value items[256];
};

static esse_value value_of(const struct writing *w, uint64_t word)
{
    return esse_word_value(w->m->words, word, w->values);
}

/* The value of an event, with the columns that follow it; '*at' moves past them. */
static esse_value whole_value(struct writing *w, size_t *at)
{
    const struct esse_mirror_event *event = &w->c->events.at[*at];
    if (!(event->flags & ESSE_MIRROR_COLUMNS))
        return value_of(w, event->value);
    const size_t count = (size_t)event->value;
    esse_value *parts = esse_arena_array(w->arena, 2 * count + 1, esse_value);
    for (size_t i = 0; i < count; i++) {
        const struct esse_mirror_event *column = &w->c->events.at[++*at];
        parts[2 * i] = value_of(w, column->key);
        parts[2 * i + 1] = value_of(w, column->value);
    }
    return esse_value_compound(w->values, ESSE_KIND_MAP, parts, 2 * count);
}

static void fill_rows(struct writing *w, struct esse_trace_event *to, size_t *at)
{
    const struct mirror_event_vec *events = &w->c->events;
    to->rows = w->rows;
    while (*at + 1 < events->count && to->op.count < 256 &&
           events->at[*at + 1].kind == ESSE_MIRROR_ROW) {
        struct esse_row *row = &w->rows[to->op.count++];
        ++*at;
        row->key = value_of(w, events->at[*at].key);
        row->value = whole_value(w, at);
        row->next = ESSE_NONE;
        if (*at + 1 < events->count && events->at[*at + 1].kind == ESSE_MIRROR_NEW) {
            ++*at;
            row->next = whole_value(w, at);
        }
    }
}

static void fill_list(struct writing *w, struct esse_trace_event *to, size_t *at)
{
    const struct mirror_event_vec *events = &w->c->events;
    to->op.is_list = true;
    to->items = w->items;
    while (*at + 1 < events->count && to->op.count < 256 &&
           events->at[*at + 1].kind == ESSE_MIRROR_ITEM)
        w->items[to->op.count++] = value_of(w, events->at[++*at].value);
}

static void fill_op(struct writing *w, struct esse_trace_event *to, size_t *at)
{
    static const enum esse_op_kind kinds[] = {
        [ESSE_MIRROR_READ] = ESSE_OP_READ,
        [ESSE_MIRROR_WRITE] = ESSE_OP_WRITE,
        [ESSE_MIRROR_APPEND] = ESSE_OP_APPEND,
        [ESSE_MIRROR_INSERT] = ESSE_OP_WRITE,
        [ESSE_MIRROR_DELETE] = ESSE_OP_DELETE,
        [ESSE_MIRROR_PREDICATE] = ESSE_OP_PREDICATE_READ,
        [ESSE_MIRROR_UPDATE] = ESSE_OP_PREDICATE_UPDATE,
    };
    const struct esse_mirror_event *event = &w->c->events.at[*at];
    to->kind = ESSE_TRACE_OP;
    to->op.kind = kinds[event->kind];
    to->op.key = value_of(w, event->key);
    to->is_insert = event->kind == ESSE_MIRROR_INSERT;
    to->lock = (enum esse_trace_lock)event->lock;
    to->cursor = event->flags & ESSE_MIRROR_CURSOR;
    to->op.no_rows = to->op.has_result = event->flags & ESSE_MIRROR_BLIND;
    if (esse_op_is_predicate(to->op.kind))
        fill_rows(w, to, at);
    else if (event->flags & ESSE_MIRROR_LIST)
        fill_list(w, to, at);
    else
        to->op.value = whole_value(w, at);
}

static void fill_other(struct writing *w, struct esse_trace_event *to,
                       const struct esse_mirror_event *event)
{
    static const enum esse_trace_kind kinds[] = {
        [ESSE_MIRROR_COMMIT] = ESSE_TRACE_COMMIT,
        [ESSE_MIRROR_ABORT] = ESSE_TRACE_ABORT,
        [ESSE_MIRROR_SAVEPOINT] = ESSE_TRACE_SAVEPOINT,
        [ESSE_MIRROR_ROLLBACK_TO] = ESSE_TRACE_ROLLBACK_TO,
        [ESSE_MIRROR_OPAQUE] = ESSE_TRACE_OPAQUE,
    };
    to->kind = event->kind == ESSE_MIRROR_BEGIN ? ESSE_TRACE_BEGIN : kinds[event->kind];
    to->name = event->kind == ESSE_MIRROR_BEGIN ? (esse_value){ 0 } : value_of(w, event->key);
    if (event->kind == ESSE_MIRROR_BEGIN && event->value)
        to->name = value_of(w, event->value);
    if (event->flags & ESSE_MIRROR_HAS_TS)
        to->commit_ts = (int64_t)event->value;
}

static bool write_event(struct writing *w, size_t *at, esse_value name, struct esse_error *err)
{
    const struct esse_mirror_event *event = &w->c->events.at[*at];
    struct esse_trace_event to = { .session = w->session,
                                   .txn = name,
                                   .commit_ts = ESSE_NO_TIME,
                                   .before = event->before + w->m->skew,
                                   .after = event->after - w->m->skew - w->m->resolution,
                                   .failed = event->flags & ESSE_MIRROR_FAILED };
    if (event->flags & ESSE_MIRROR_ENDLESS)
        to.after = ESSE_NO_TIME;
    if (event->kind >= ESSE_MIRROR_READ && event->kind <= ESSE_MIRROR_UPDATE)
        fill_op(w, &to, at);
    else
        fill_other(w, &to, event);
    return w->sink->event(w->sink, &to, err);
}

/* Was another transaction of its session open at the same time?  Then they are in no order, and
 * each is written as a session of its own. */
static bool is_interleaved(const struct writing *w, uint32_t txn)
{
    const struct mirror_event_vec *events = &w->all->events;
    size_t first = events->count, last = 0;
    for (size_t i = 0; i < events->count; i++) {
        if (events->at[i].txn == txn) {
            first = i < first ? i : first;
            last = i;
        }
    }
    for (size_t i = first; i < last; i++)
        if (events->at[i].txn != txn && events->at[i].session == events->at[first].session)
            return true;
    return false;
}

/* The events of one transaction, in their order. */
static bool write_txn(struct writing *w, uint32_t txn, struct esse_error *err)
{
    struct mirror_event_vec own = { 0 };
    for (size_t i = 0; i < w->all->events.count; i++)
        if (w->all->events.at[i].txn == txn)
            mirror_event_vec_push(&own, w->arena, w->all->events.at[i]);
    struct claim_choice only = { .events = own };
    esse_value name = esse_value_small(txn); /* if its BEGIN is not kept any more */
    bool ok = true;
    w->c = &only;
    w->session = esse_value_small(own.count ? own.at[0].session : 0);
    if (is_interleaved(w, txn)) {
        const char *text = esse_arena_format(w->arena, "(session of %u)", txn);
        w->session = esse_value_string(w->values, text, strlen(text));
    }
    for (size_t i = 0; ok && i < own.count; i++) {
        if (own.at[i].kind == ESSE_MIRROR_BEGIN)
            name = value_of(w, own.at[i].key);
        if (own.at[i].flags & ESSE_MIRROR_FIRST || esse_mirror_is_part(&own.at[i]))
            continue;
        ok = write_event(w, &i, name, err);
    }
    return ok;
}

static struct mirror_entry *entry_of(const struct esse_mirror *m, uint64_t key)
{
    struct esse_probe probe = esse_index_probe(&m->index, esse_hash_word(key));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (mirror_entry_at(m, id)->key == key)
            return mirror_entry_at(m, id);
    return NULL;
}

static const struct mirror_version *initial_version(const struct esse_mirror *m,
                                                    const struct mirror_entry *entry)
{
    for (unsigned i = 0; i < 2; i++)
        if (entry->at[i].flags && entry->at[i].c.a == MIRROR_INITIAL.a)
            return &entry->at[i];
    for (uint32_t at = entry->more; at; at = m->versions.at[at].next)
        if (m->versions.at[at].c.a == MIRROR_INITIAL.a)
            return &m->versions.at[at];
    return NULL;
}

/* Adds the initial version of the key; false if it is not known. */
static bool add_init(struct writing *w, struct esse_trace_header *header, uint64_t key)
{
    const struct mirror_entry *entry = entry_of(w->m, key);
    if (!entry || !entry->init || header->init_count == 256)
        return false;
    const struct mirror_version *first = initial_version(w->m, entry);
    if (!first && entry->init == WORD_NIL)
        return true;
    struct esse_row *row = &w->rows[header->init_count++];
    *row = (struct esse_row){ value_of(w, key), ESSE_NONE, ESSE_NONE };
    row->value = value_of(w, first ? first->value : entry->init);
    if (first && first->columns) {
        const struct mirror_columns *columns = &w->m->columns.at[first->columns];
        esse_value *parts = esse_arena_array(w->arena, 2 * columns->count + 1, esse_value);
        for (uint32_t i = 0; i < columns->count; i++) {
            parts[2 * i] = value_of(w, columns->at[i].name);
            parts[2 * i + 1] = value_of(w, columns->at[i].value);
        }
        row->value = esse_value_compound(w->values, ESSE_KIND_MAP, parts, 2 * columns->count);
    }
    return true;
}

/* Initial versions are either all in the header, or none. */
static void fill_init(struct writing *w, struct esse_trace_header *header, uint64_t key)
{
    header->init = w->rows;
    header->has_init = key == 0 || add_init(w, header, key);
    for (size_t i = 0; i < w->all->keys.count && header->has_init; i++)
        if (w->all->keys.at[i] != key)
            header->has_init = add_init(w, header, w->all->keys.at[i]);
    if (!header->has_init)
        header->init_count = 0;
}

static bool write_trace(const struct esse_mirror *m, const struct claim_choice *c, uint64_t key,
                        struct esse_out *out, struct esse_error *err)
{
    struct writing *w = esse_arena_alloc(c->arena, 1, sizeof *w);
    struct esse_trace_header header = { .resolution = m->resolution,
                                        .skew = m->skew,
                                        .exclusive = m->exclusive };
    *w = (struct writing){ .m = m, .arena = c->arena, .all = c };
    w->values = esse_values_new(c->arena);
    w->sink = esse_trace_writer(c->arena, w->values, out);
    fill_init(w, &header, key);
    bool ok = w->sink->header(w->sink, &header, err);
    for (size_t i = 0; ok && i < c->txns.count; i++)
        ok = write_txn(w, c->txns.at[i], err);
    return ok;
}

/* As the trace has it: transactions, keys and columns are texts there, also if they are numbers. */
static void put_name(const struct esse_mirror *m, struct esse_arena *arena, struct esse_out *out,
                     const char *member, uint64_t word)
{
    struct esse_values *values = esse_values_new(arena);
    esse_out_f(out, ",\n \"%s\":", member);
    esse_value_put_json_name(out, values, esse_word_value(m->words, word, values));
}

static void put_value(const struct esse_mirror *m, struct esse_arena *arena, struct esse_out *out,
                      uint64_t word)
{
    struct esse_values *values = esse_values_new(arena);
    esse_out_text(out, ",\n \"value\":");
    esse_value_put_json(out, values, esse_word_value(m->words, word, values));
}

static void put_list(const struct esse_mirror *m, struct esse_arena *arena, struct esse_out *out,
                     const char *member, const uint64_t *words, size_t count)
{
    struct esse_values *values = esse_values_new(arena);
    esse_out_f(out, ",\n \"%s\":[", member);
    for (size_t i = 0; i < count; i++) {
        esse_out_text(out, i ? "," : "");
        esse_value_put_json_name(out, values, esse_word_value(m->words, words[i], values));
    }
    esse_out_char(out, ']');
}

static void put_several(const struct esse_mirror *m, const struct esse_finding *finding,
                        const struct claim_choice *c, struct esse_out *out)
{
    uint64_t names[ESSE_FINDING_TXNS];
    for (uint32_t i = 0; i < finding->txn_count; i++)
        names[i] = finding->txns[i].name;
    put_list(m, c->arena, out, "txns", names, finding->txn_count);
    put_list(m, c->arena, out, "keys", c->keys.at, c->keys.count);
}

static void write_claim(const struct esse_mirror *m, const struct esse_finding *finding,
                        const struct claim_choice *c, struct esse_out *out)
{
    char room[ESSE_PROFILE_ROOM];
    const char *profile = m->options.profile->name;
    if (!esse_profile_find(profile))
        profile = esse_profile_row(m->options.profile, room);
    esse_out_f(out, "{\"esse\":\"claim\",\"version\":1,\n \"mechanism\":\"%s\",\n \"profile\":",
               esse_mechanism_names[finding->mechanism]);
    esse_out_json_text(out, profile);
    esse_out_text(out, ",\n \"why\":");
    esse_out_json_text(out, esse_mirror_rule_words[finding->rule]);
    put_name(m, c->arena, out, "txn", finding->txns[0].name);
    if (finding->txn_count > 1)
        put_name(m, c->arena, out, "with", finding->txns[1].name);
    if (finding->mechanism >= ESSE_MECHANISM_SC)
        put_several(m, finding, c, out);
    if (finding->key)
        put_name(m, c->arena, out, "key", finding->key);
    if (finding->column)
        put_name(m, c->arena, out, "column", finding->column);
    if (finding->mechanism == ESSE_MECHANISM_CR)
        put_value(m, c->arena, out, finding->value);
    esse_out_text(out, "}\n");
}

static bool begin_file(struct esse_outfile *file, struct esse_arena *arena, const char *folder,
                       const char *name, struct esse_error *err)
{
    return esse_outfile_open(file, arena, esse_arena_format(arena, "%s/%s", folder, name), err);
}

static bool write_files(const struct esse_mirror *m, const struct esse_finding *finding,
                        const struct claim_choice *c, const char *folder, struct esse_error *err)
{
    struct esse_outfile file;
    if (!begin_file(&file, c->arena, folder, "trace.jsonl", err))
        return false;
    if (!write_trace(m, c, finding->key, &file.out, err)) {
        esse_outfile_discard(&file);
        return false;
    }
    if (!esse_outfile_commit(&file, err) || !begin_file(&file, c->arena, folder, "claim.json", err))
        return false;
    write_claim(m, finding, c, &file.out);
    if (!esse_outfile_commit(&file, err) || !begin_file(&file, c->arena, folder, "README", err))
        return false;
    esse_out_f(
        &file.out,
        "%s: %s.\n\ntrace.jsonl  the events of the transactions concerned, and of the writers "
        "of the keys\nclaim.json   what is claimed of them\n\nesse verify %s  holds the one "
        "against the other.\n",
        esse_mechanism_titles[finding->mechanism], esse_mirror_rule_words[finding->rule], folder);
    return esse_outfile_commit(&file, err);
}

bool esse_mirror_write_claim(const struct esse_mirror *m, const struct esse_finding *finding,
                             const char *folder, bool *is_rechecked, struct esse_error *err)
{
    struct claim_choice c = { .arena = esse_arena_new() };
    const char *told;
    bool ok = mkdir(folder, 0777) == 0 || errno == EEXIST ||
              esse_fail(err, ESSE_EIO, "cannot make '%s': %s", folder, strerror(errno));
    esse_claim_choose(m, finding, &c);
    ok = ok && write_files(m, finding, &c, folder, err);
    /* The kernel does not work out outcomes that were not learnt for several transactions. */
    const bool is_known = finding->mechanism < ESSE_MECHANISM_SC || (size_t)c.ended == c.txns.count;
    const bool is_of_rows =
        finding->rule == ESSE_RULE_TWO_VERSIONS || finding->rule == ESSE_RULE_MISSED_ROW;
    *is_rechecked = !is_of_rows && !finding->more_txns && is_known;
    if (ok && *is_rechecked && !esse_claim_verify(c.arena, folder, &told, err)) {
        /* What it needs may have been too long ago: then it cannot be rechecked. */
        *is_rechecked = false;
        ok = esse_pipeline_has_forgotten(m->pipeline);
        err->code = ok ? ESSE_OK : ESSE_EBUG;
    }
    esse_arena_free(c.arena);
    return ok;
}
