#include "base/arena.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "formats/binary.h"
#include "formats/cobra.h"
#include "formats/registers.h"

#include <stdio.h>

/*
 * One log is one session.  The writer's transaction and the write id together name the version,
 * and the hash of the value that the client wrote says no more; unless clients kept no ids, and
 * then that hash is all that names it, and may repeat.
 *
 * The version becomes one value: the write id, or of the second writer that used this id for the
 * key, and every further one, the text "ID of WRITER".
 */
ESSE_VEC(op_vec, struct esse_op_record)

/* The writer whose versions of a key have their bare ids. */
struct owner {
    int64_t key, id, writer;
};
ESSE_VEC(owner_vec, struct owner)

/* Of all logs. */
struct names {
    struct owner_vec owners;
    struct esse_index index;
};

struct reader {
    struct esse_reading *reading;
    struct esse_source *source;
    struct esse_error *err;
    esse_value session;
    struct op_vec ops;
    struct names *names;
    bool is_open;
    int64_t txn;
};

/* T12.log is session 12, other.log is session "other". */
static esse_value session_of(const struct esse_source *source, struct esse_values *values)
{
    const char *slash = strrchr(source->path, '/');
    const char *name = slash ? slash + 1 : source->path, *dot = strchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : strlen(name);
    int64_t number;
    if (length > 1 && *name == 'T' && esse_text_is_int(name + 1, length - 1, &number))
        return esse_value_int(values, number);
    return esse_value_string(values, name, length);
}

static bool end_txn(struct reader *r, enum esse_status status)
{
    struct esse_sink *sink = r->reading->sink;
    struct esse_txn_record txn = esse_txn_record_empty();
    txn.session = r->session;
    txn.name = esse_value_int(sink->values, r->txn);
    txn.status = status;
    txn.ops = r->ops.at;
    txn.op_count = r->ops.count;
    r->ops.count = 0;
    r->is_open = false;
    return sink->txn(sink, &txn, r->err);
}

/* What starts before its predecessor has committed: that one never did. */
static bool start_txn(struct reader *r, int64_t id)
{
    if (r->is_open && !end_txn(r, ESSE_ABORTED))
        return false;
    r->is_open = true;
    r->txn = id;
    return true;
}

static bool commit_txn(struct reader *r, int64_t id)
{
    if (id != r->txn)
        return esse_binary_fail(
            r->source, r->err, r->source->at,
            "found the commit of transaction %" PRId64 ", expected that of %" PRId64, id, r->txn);
    return end_txn(r, ESSE_COMMITTED);
}

static const struct owner *owner_of(struct reader *r, int64_t key, int64_t id, int64_t writer)
{
    struct names *names = r->names;
    const uint32_t hash = esse_hash_pair(esse_hash_word((uint64_t)key), (uint64_t)id);
    struct esse_probe probe = esse_index_probe(&names->index, hash);
    for (uint32_t at; esse_probe_next(&probe, &at);)
        if (names->owners.at[at].key == key && names->owners.at[at].id == id)
            return &names->owners.at[at];
    esse_index_add(&names->index, r->source->arena, hash, (uint32_t)names->owners.count);
    owner_vec_push(&names->owners, r->source->arena, (struct owner){ key, id, writer });
    return &names->owners.at[names->owners.count - 1];
}

static esse_value version(struct reader *r, int64_t key, int64_t id, int64_t writer)
{
    struct esse_values *values = r->reading->sink->values;
    char text[64];
    if (owner_of(r, key, id, writer)->writer == writer)
        return esse_value_int(values, id);
    const int length = snprintf(text, sizeof text, "%" PRId64 " of %" PRId64, id, writer);
    return esse_value_string(values, text, (size_t)length);
}

/* W write-id key value, R writer write-id key value */
static bool add_op(struct reader *r, const char *record)
{
    const bool is_read = *record == 'R';
    const char *at = record + 1 + (is_read ? 8 : 0);
    const int64_t id = esse_binary_be64(at), key = esse_binary_be64(at + 8);
    const int64_t writer = is_read ? esse_binary_be64(record + 1) : r->txn;
    const bool has_id = id != ESSE_COBRA_NO_ID;
    struct esse_op_record op = { .kind = is_read ? ESSE_OP_READ : ESSE_OP_WRITE,
                                 .key = esse_value_int(r->reading->sink->values, key),
                                 .begin = ESSE_NO_TIME,
                                 .end = ESSE_NO_TIME };
    if (is_read && !has_id && writer != ESSE_COBRA_NO_ID)
        return esse_binary_fail(r->source, r->err, record,
                                "a read of a version without a write id (0xabddefee) that names a "
                                "writer; expected 0xabddefee for it too");
    if (is_read && esse_cobra_is_initial(id) && esse_cobra_is_initial(writer))
        op.value = ESSE_NIL;
    else
        op.value = has_id ? version(r, key, id, writer)
                          : version(r, key, esse_binary_be64(at + 16), ESSE_COBRA_NO_ID);
    op_vec_push(&r->ops, r->source->arena, op);
    return true;
}

static bool read_record(struct reader *r)
{
    static const char *const names[] = { ['S'] = "a record S (start)",
                                         ['C'] = "a record C (commit)",
                                         ['W'] = "a record W (write)",
                                         ['R'] = "a record R (read)" };
    char room[24];
    const char letter = *r->source->at;
    const size_t bytes = esse_cobra_bytes(letter);
    if (!bytes)
        return esse_binary_fail(r->source, r->err, r->source->at,
                                "found %s, expected a record: S, W, R or C",
                                esse_source_found(r->source, r->source->at, room));
    if (!esse_binary_need(r->source, bytes, names[(unsigned char)letter], r->err))
        return false;
    const char *at = r->source->at;
    if (!r->is_open && letter != 'S')
        return esse_binary_fail(r->source, r->err, at, "found %s, expected a start (S)",
                                names[(unsigned char)letter]);
    bool ok = true;
    if (letter == 'S')
        ok = start_txn(r, esse_binary_be64(at + 1));
    else if (letter == 'C')
        ok = commit_txn(r, esse_binary_be64(at + 1));
    else
        ok = add_op(r, at);
    r->source->at += bytes;
    return ok;
}

static bool read_log(struct esse_reading *reading, struct esse_error *err)
{
    struct reader r = { .reading = reading, .source = reading->source, .err = err };
    bool ok;
    r.session = session_of(r.source, reading->sink->values);
    if (!reading->kept)
        reading->kept = esse_arena_alloc(r.source->arena, 1, sizeof *r.names);
    r.names = reading->kept;
    while (!esse_binary_at_end(r.source, &ok, err))
        if (!read_record(&r))
            return false;
    return ok && (!r.is_open || end_txn(&r, ESSE_ABORTED));
}

static bool looks_like_cobra(const char *at, const char *end)
{
    return end - at >= ESSE_COBRA_S_BYTES && *at == 'S' &&
           (end - at == ESSE_COBRA_S_BYTES || esse_cobra_bytes(at[ESSE_COBRA_S_BYTES]));
}

const struct esse_format esse_format_cobra = {
    .name = "cobra",
    .summary = "the logs of Cobra and PolySI: a directory of T<n>.log, one for every client",
    .extensions = "",
    .in_directory = "*.log",
    .is_binary = true,
    .many_files = true,
    .sniff = looks_like_cobra,
    .read = read_log,
    .directory_writer = esse_cobra_writer,
};
