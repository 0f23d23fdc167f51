#include "mirror/claim_choose.h"

#include <stdlib.h>

/*
 * A claim about a read needs all versions of its key from the pivot on, and the readers that show
 * what became of writers of unknown outcome.  Claims about several transactions, SC and Joint, need
 * the versions of the keys that these share, from before the first of them to the end of the last.
 */

enum { MOST_KEYS = 32 };

/* A writer of the shared keys: which of them, and when it committed. */
struct writer {
    uint32_t txn, keys; /* a bit each */
    bool is_committed;
    struct esse_instant c;
};
ESSE_VEC(writer_vec, struct writer)

struct choosing {
    const struct esse_finding *finding;
    struct claim_choice *to;
    struct mirror_u32_vec touched[MOST_KEYS]; /* by shared key: the finding's that touch it */
    struct mirror_u64_vec keys;               /* of all that these touch */
    struct writer_vec writers;
    struct esse_index index; /* of the writers, by their transaction */
};

static bool has(const struct mirror_u32_vec *list, uint32_t txn)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == txn)
            return true;
    return false;
}

static bool has_key(const struct esse_mirror_event *event)
{
    return (event->kind >= ESSE_MIRROR_READ && event->kind <= ESSE_MIRROR_DELETE) ||
           event->kind == ESSE_MIRROR_ROW || event->kind == ESSE_MIRROR_NEW;
}

/* ---- of a read ---- */

static void choose_of_key(void *context, const struct esse_mirror_event *event)
{
    struct choosing *c = context;
    if (has_key(event) && event->key == c->finding->key && !has(&c->to->txns, event->txn))
        mirror_u32_vec_push(&c->to->txns, c->to->arena, event->txn);
}

/* Those that had ended before the pivot began to commit can be left out. */
static void drop_old(void *context, const struct esse_mirror_event *event)
{
    struct choosing *c = context;
    struct mirror_u32_vec *txns = &c->to->txns;
    if (event->kind != ESSE_MIRROR_COMMIT || event->after > c->finding->since ||
        event->flags & ESSE_MIRROR_ENDLESS)
        return;
    for (size_t i = c->finding->txn_count; i < txns->count; i++)
        if (txns->at[i] == event->txn)
            txns->at[i] = txns->at[--txns->count];
}

/* ---- of several transactions ---- */

static bool is_named(const struct choosing *c, uint32_t txn)
{
    for (uint32_t i = 0; i < c->finding->txn_count; i++)
        if (c->finding->txns[i].number == txn)
            return true;
    return false;
}

static size_t place_of(const struct mirror_u64_vec *keys, uint64_t key)
{
    size_t at = 0;
    while (at < keys->count && keys->at[at] != key)
        at++;
    return at;
}

static void note_touch(void *context, const struct esse_mirror_event *event)
{
    struct choosing *c = context;
    if (!has_key(event) || !is_named(c, event->txn))
        return;
    const size_t at = place_of(&c->keys, event->key);
    if (at == MOST_KEYS)
        return;
    if (at == c->keys.count)
        mirror_u64_vec_push(&c->keys, c->to->arena, event->key);
    if (!has(&c->touched[at], event->txn))
        mirror_u32_vec_push(&c->touched[at], c->to->arena, event->txn);
}

static struct writer *writer_of(struct choosing *c, uint32_t txn, bool is_new)
{
    struct esse_probe probe = esse_index_probe(&c->index, esse_hash_word(txn));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (c->writers.at[id].txn == txn)
            return &c->writers.at[id];
    if (!is_new)
        return NULL;
    esse_index_add(&c->index, c->to->arena, esse_hash_word(txn), (uint32_t)c->writers.count);
    writer_vec_push(&c->writers, c->to->arena,
                    (struct writer){ .txn = txn, .c = { INT64_MIN, INT64_MAX } });
    return &c->writers.at[c->writers.count - 1];
}

static void note_writer(void *context, const struct esse_mirror_event *event)
{
    struct choosing *c = context;
    if (event->kind == ESSE_MIRROR_COMMIT) {
        struct writer *writer = writer_of(c, event->txn, false);
        if (writer && !(event->flags & ESSE_MIRROR_ENDLESS)) {
            writer->is_committed = true;
            writer->c = (struct esse_instant){ event->before, event->after };
        }
        return;
    }
    if (!has_key(event) || event->kind == ESSE_MIRROR_READ || event->kind == ESSE_MIRROR_ROW)
        return;
    const size_t at = place_of(&c->to->keys, event->key);
    if (at < c->to->keys.count)
        writer_of(c, event->txn, true)->keys |= 1u << at;
}

/* Of each shared key: what was installed before this is gone for all of the finding's. */
static void find_kills(const struct choosing *c, int64_t from, int64_t kills[MOST_KEYS])
{
    for (size_t k = 0; k < MOST_KEYS; k++)
        kills[k] = INT64_MIN;
    for (size_t i = 0; i < c->writers.count; i++) {
        const struct writer *w = &c->writers.at[i];
        for (size_t k = 0; k < c->to->keys.count; k++)
            if (w->keys >> k & 1 && w->is_committed && w->c.a <= from && w->c.b > kills[k])
                kills[k] = w->c.b;
    }
}

static void choose_writers(struct choosing *c)
{
    int64_t kills[MOST_KEYS], from = INT64_MAX, to = INT64_MIN;
    for (uint32_t i = 0; i < c->finding->txn_count; i++) {
        const struct esse_finding_txn *t = &c->finding->txns[i];
        from = t->s.b < from ? t->s.b : from;
        to = t->c.a > to ? t->c.a : to;
    }
    find_kills(c, from, kills);
    for (size_t i = 0; i < c->writers.count; i++) {
        const struct writer *w = &c->writers.at[i];
        bool counts = false;
        for (size_t k = 0; k < c->to->keys.count; k++)
            counts |= w->keys >> k & 1 && w->c.a > kills[k] && w->c.b < to;
        if (counts && !has(&c->to->txns, w->txn))
            mirror_u32_vec_push(&c->to->txns, c->to->arena, w->txn);
    }
}

static void choose_of_several(const struct esse_mirror *m, struct choosing *c)
{
    esse_pipeline_kept(m->pipeline, note_touch, c);
    for (size_t i = 0; i < c->keys.count; i++)
        if (c->touched[i].count > 1 || c->keys.at[i] == c->finding->key)
            mirror_u64_vec_push(&c->to->keys, c->to->arena, c->keys.at[i]);
    esse_pipeline_kept(m->pipeline, note_writer, c);
    choose_writers(c);
}

/* ---- all ---- */

static void take_chosen(void *context, const struct esse_mirror_event *event)
{
    struct choosing *c = context;
    if (event->kind == ESSE_MIRROR_GAP || !has(&c->to->txns, event->txn))
        return;
    mirror_event_vec_push(&c->to->events, c->to->arena, *event);
    c->to->ended += event->kind == ESSE_MIRROR_ABORT ||
                    (event->kind == ESSE_MIRROR_COMMIT && !(event->flags & ESSE_MIRROR_ENDLESS));
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

void esse_claim_choose(const struct esse_mirror *m, const struct esse_finding *finding,
                       struct claim_choice *choice)
{
    struct choosing c = { .finding = finding, .to = choice };
    for (uint32_t i = 0; i < finding->txn_count; i++)
        mirror_u32_vec_push(&choice->txns, choice->arena, finding->txns[i].number);
    if (finding->mechanism == ESSE_MECHANISM_CR) {
        esse_pipeline_kept(m->pipeline, choose_of_key, &c);
        esse_pipeline_kept(m->pipeline, drop_old, &c);
    } else if (finding->mechanism >= ESSE_MECHANISM_SC) {
        choose_of_several(m, &c);
    }
    /* Numbers rise along a session, and so must the times of its events. */
    if (choice->txns.count)
        qsort(choice->txns.at, choice->txns.count, sizeof *choice->txns.at, compare_numbers);
    esse_pipeline_kept(m->pipeline, take_chosen, &c);
}
