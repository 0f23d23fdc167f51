#include "base/arena.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "formats/binary.h"
#include "formats/cobra.h"
#include "formats/registers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Sessions are kept as the bytes of their logs.  A read names the transaction that wrote what it
 * read, which may come later; so that number is put in at the end, when all writes are known.
 *
 * Where two transactions wrote the same value to a key, no ids can show which one a read returned;
 * nor can a value be an id that the format gives another meaning.  Then the logs are written as
 * those of clients that kept no ids.
 */
struct write {
    int64_t key, id, txn;
};
ESSE_VEC(write_vec, struct write)

struct writer {
    struct esse_registers registers; /* first: its sink is this writer's */
    const char *path;
    struct write_vec writes;
    struct esse_index write_index;
    bool without_ids;
};

static uint32_t hash_write(int64_t key, int64_t id)
{
    return esse_hash_word(esse_hash_mix((uint64_t)key ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u) +
                          (uint64_t)id);
}

/* ---- records ---- */

static void put_number(struct esse_out *out, int64_t number)
{
    const uint64_t word = htobe64((uint64_t)number);
    char bytes[8];
    memcpy(bytes, &word, sizeof bytes);
    esse_out_bytes(out, bytes, sizeof bytes);
}

static void put_id(struct esse_out *out, char letter, int64_t id)
{
    esse_out_char(out, letter);
    put_number(out, id);
}

/* The first write of the version; NULL if there is none. */
static const struct write *find_write(const struct writer *w, int64_t key, int64_t id)
{
    struct esse_probe probe = esse_index_probe(&w->write_index, hash_write(key, id));
    for (uint32_t at; esse_probe_next(&probe, &at);)
        if (w->writes.at[at].key == key && w->writes.at[at].id == id)
            return &w->writes.at[at];
    return NULL;
}

static void keep_write(struct writer *w, const struct esse_register_op *op, int64_t txn)
{
    const struct write *first = find_write(w, op->key, op->value);
    if (first) {
        w->without_ids = w->without_ids || first->txn != txn;
        return;
    }
    esse_index_add(&w->write_index, w->registers.arena, hash_write(op->key, op->value),
                   (uint32_t)w->writes.count);
    write_vec_push(&w->writes, w->registers.arena, (struct write){ op->key, op->value, txn });
}

/* The hash of a value is the value: no other is known. */
static void put_op(struct writer *w, struct esse_out *out, const struct esse_register_op *op,
                   int64_t txn)
{
    const int64_t id = op->is_initial ? ESSE_COBRA_INITIAL : op->value;
    if (!op->is_initial && (esse_cobra_is_initial(id) || id == ESSE_COBRA_NO_ID))
        w->without_ids = true;
    if (op->is_write) {
        keep_write(w, op, txn);
        put_id(out, 'W', id);
    } else {
        put_id(out, 'R', op->is_initial ? ESSE_COBRA_INITIAL : ESSE_COBRA_ABSENT);
        put_number(out, id);
    }
    put_number(out, op->key);
    put_number(out, op->value);
}

static bool put_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    int64_t id;
    if (!esse_registers_take(&w->registers, txn, err) ||
        !esse_registers_id(&w->registers, txn, &id, err))
        return false;
    struct esse_register_log *log = esse_registers_log(&w->registers);
    put_id(&log->out, 'S', id);
    for (size_t i = 0; i < w->registers.ops.count; i++)
        put_op(w, &log->out, &w->registers.ops.at[i], id);
    if (txn->status != ESSE_ABORTED)
        put_id(&log->out, 'C', id);
    return true;
}

static void set_number(char *at, int64_t number)
{
    const uint64_t word = htobe64((uint64_t)number);
    memcpy(at, &word, sizeof word);
}

static void name_writers(const struct writer *w, struct esse_out *log)
{
    for (char *at = log->buffer, *end = at + log->count; at < end; at += esse_cobra_bytes(*at)) {
        if (*at != 'R' || esse_binary_be64(at + 1) == ESSE_COBRA_INITIAL)
            continue;
        const struct write *write =
            find_write(w, esse_binary_be64(at + 17), esse_binary_be64(at + 9));
        if (write)
            set_number(at + 1, write->txn);
    }
}

static void drop_ids(struct esse_out *log)
{
    for (char *at = log->buffer, *end = at + log->count; at < end; at += esse_cobra_bytes(*at)) {
        const bool names = *at == 'R' && esse_binary_be64(at + 1) != ESSE_COBRA_INITIAL;
        if (*at == 'W' || names)
            set_number(at + 1, ESSE_COBRA_NO_ID);
        if (names)
            set_number(at + 9, ESSE_COBRA_NO_ID);
    }
}

/* ---- the directory ---- */

static char *log_path(const struct writer *w, const char *directory, size_t log)
{
    return esse_arena_format(w->registers.arena, "%s/T%" PRId64 ".log", directory,
                             w->registers.logs.at[log].session);
}

static bool write_log(struct writer *w, const char *directory, size_t log, struct esse_error *err)
{
    struct esse_outfile file;
    struct esse_out *bytes = &w->registers.logs.at[log].out;
    if (!esse_outfile_open(&file, w->registers.arena, log_path(w, directory, log), err))
        return false;
    if (w->without_ids)
        drop_ids(bytes);
    else
        name_writers(w, bytes);
    esse_out_bytes(&file.out, bytes->buffer, bytes->count);
    esse_arena_drop(w->registers.arena, bytes->buffer);
    const bool ok = esse_outfile_commit(&file, err);
    esse_arena_drop(w->registers.arena, file.out.buffer);
    return ok;
}

static void discard(struct writer *w, const char *directory)
{
    for (size_t i = 0; i < w->registers.logs.count; i++)
        unlink(log_path(w, directory, i));
    rmdir(directory);
}

/* Written under a temporary name beside its place; an empty directory may be there already. */
static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    size_t length = strlen(w->path);
    while (length > 1 && w->path[length - 1] == '/')
        length--;
    char *temporary = esse_arena_format(w->registers.arena, "%.*s.XXXXXX", (int)length, w->path);
    const mode_t mask = umask(0);
    umask(mask);
    if (!mkdtemp(temporary) || chmod(temporary, 0777 & ~mask) != 0)
        return esse_fail(err, ESSE_EIO, "cannot create '%s': %s", w->path, strerror(errno));
    bool ok = esse_registers_check_initial(&w->registers, err);
    esse_registers_sort_logs(&w->registers);
    for (size_t i = 0; ok && i < w->registers.logs.count; i++)
        ok = write_log(w, temporary, i, err);
    if (ok && rename(temporary, w->path) != 0)
        ok = esse_fail(err, ESSE_EIO, "cannot create '%s': %s", w->path, strerror(errno));
    if (!ok)
        discard(w, temporary);
    return ok;
}

struct esse_sink *esse_cobra_writer(struct esse_arena *arena, struct esse_values *values,
                                    const char *path, bool lossy)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    esse_registers_init(&w->registers, arena, values, "the format of Cobra's logs",
                        ESSE_INITIAL_BY_MARK, lossy);
    w->registers.to.sink.txn = put_txn;
    w->registers.to.sink.finish = finish;
    w->path = path;
    return &w->registers.to.sink;
}
