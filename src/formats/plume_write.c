#include "base/arena.h"
#include "formats/plume.h"
#include "formats/registers.h"

/* Transactions are written whole, at once, in the order in which they come. */
struct writer {
    struct esse_registers registers; /* first: its sink is this writer's */
    struct esse_out *out;
};

static void put_op(struct writer *w, const struct esse_register_op *op, int64_t txn)
{
    const int64_t numbers[] = { op->key, op->value, w->registers.session, txn };
    esse_out_bytes(w->out, op->is_write ? "w(" : "r(", 2);
    for (size_t i = 0; i < 4; i++) {
        if (i)
            esse_out_char(w->out, ',');
        esse_out_i64(w->out, numbers[i]);
    }
    esse_out_bytes(w->out, ")\n", 2);
}

/* Aborted operations stand alone, without an id. */
static bool aborted_id(struct writer *w, const struct esse_txn_record *txn, int64_t *id,
                       struct esse_error *err)
{
    *id = ESSE_PLUME_ABORTED;
    if (!esse_value_eq(txn->name, ESSE_NONE) &&
        !esse_lossy_drops(&w->registers.to, "the id of an aborted transaction", err))
        return false;
    return w->registers.ops.count < 2 ||
           esse_lossy_drops(&w->registers.to,
                            "which operations of aborted transactions belong together", err);
}

static bool committed_id(struct writer *w, const struct esse_txn_record *txn, int64_t *id,
                         struct esse_error *err)
{
    if (!esse_registers_id(&w->registers, txn, id, err))
        return false;
    if (*id != ESSE_PLUME_ABORTED)
        return true;
    *id = INT64_MIN; /* far from the numbers in use */
    return esse_lossy_drops(&w->registers.to,
                            "the transaction id -1, which stands for an aborted one", err);
}

static bool put_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    int64_t id;
    if (!esse_registers_take(&w->registers, txn, err))
        return false;
    if (!w->registers.ops.count &&
        !esse_lossy_drops(&w->registers.to, "transactions without operations", err))
        return false;
    if (!(txn->status == ESSE_ABORTED ? aborted_id : committed_id)(w, txn, &id, err))
        return false;
    for (size_t i = 0; i < w->registers.ops.count; i++)
        put_op(w, &w->registers.ops.at[i], id);
    return true;
}

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    return esse_registers_check_initial(&((struct writer *)sink)->registers, err);
}

struct esse_sink *esse_plume_writer(struct esse_arena *arena, struct esse_values *values,
                                    struct esse_out *out, bool lossy)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    esse_registers_init(&w->registers, arena, values, "Plume text", ESSE_INITIAL_BY_UNWRITTEN_0,
                        lossy);
    w->registers.to.sink.txn = put_txn;
    w->registers.to.sink.finish = finish;
    w->out = out;
    return &w->registers.to.sink;
}

static bool looks_like_plume(const char *at, const char *end)
{
    return end - at >= 3 && (*at == 'r' || *at == 'w') && at[1] == '(' &&
           ((at[2] >= '0' && at[2] <= '9') || at[2] == '-');
}

const struct esse_format esse_format_plume = {
    .name = "plume",
    .summary =
        "the text of Plume, PolySI and AWDIT: r(KEY,VALUE,SESSION,TXN), one operation a line",
    .extensions = ".txt",
    .sniff = looks_like_plume,
    .in_portions = true,
    .read = esse_plume_read,
    .writer = esse_plume_writer,
};
