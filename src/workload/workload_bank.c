#include "workload/workload_parts.h"

/*
 * Banks.  "bank" is Jepsen's: money moves between accounts, and readers look at all of them.
 * "smallbank" is that of Alomari and others: customers with a savings and a checking account, and
 * five transactions that are not serializable under snapshot isolation, with the sixth that
 * Cahill added (a payment between two customers).
 */
enum { CHECKING, SAVINGS, TABLES };
enum { FIRST_AMOUNT = 1000, MOST_STEPS = 4, MOST_MOVED = 100 };

struct shared {
    struct esse_table tables[TABLES];
    struct esse_keys keys;
};

enum deal { BALANCE, DEPOSIT, SAVE, AMALGAMATE, CHECK, PAY, TRANSFER, LOOK };

/* The rows that a deal reads, in its order, and then writes: 'from' and 'to' are customers. */
struct session {
    struct esse_draw_state draw_state;
    enum deal deal;
    int64_t from, to, moved;
    uint64_t step;
    int64_t read[MOST_STEPS]; /* amounts */
};

static struct shared *shared_of(const struct session *session)
{
    return session->draw_state.shared;
}

static bool open_bank(struct esse_arena *arena, const struct esse_live_workload *workload,
                      const struct esse_workload_options *options, void **out,
                      struct esse_schema *schema, struct esse_error *err)
{
    struct shared *shared = esse_arena_alloc(arena, 1, sizeof *shared);
    const bool is_small = workload == &esse_workload_smallbank;
    if (!esse_keys_open(&shared->keys, arena, options->keys, options->zipf_theta, err))
        return false;
    if (options->keys < 2)
        return esse_fail(err, ESSE_EUSAGE, "a bank needs two accounts: --keys 2 or more");
    for (unsigned t = 0; t < TABLES; t++)
        shared->tables[t] =
            (struct esse_table){ .name = !is_small ? "accounts"
                                         : t       ? "savings"
                                                   : "checking",
                                 .rows = options->keys,
                                 .in_use = options->keys,
                                 .initial = esse_amounts(arena, options->keys, FIRST_AMOUNT) };
    *schema = (struct esse_schema){ .tables = shared->tables, .count = is_small ? TABLES : 1 };
    *out = shared;
    return true;
}

static void draw_deal(struct session *session)
{
    struct esse_draw_state *draw_state = &session->draw_state;
    const struct esse_keys *keys = &shared_of(session)->keys;
    session->from = esse_keys_draw(keys, draw_state);
    do
        session->to = esse_keys_draw(keys, draw_state);
    while (session->to == session->from);
    session->moved = 1 + esse_rng_below(&draw_state->rng, MOST_MOVED);
    session->step = 0;
}

static void begin_bank(struct esse_draw_state *draw_state, bool is_again)
{
    struct session *session = (struct session *)draw_state;
    (void)is_again;
    draw_deal(session);
    session->deal =
        esse_drawn(draw_state, session->draw_state.options->read_share) ? LOOK : TRANSFER;
    draw_state->is_read_only = session->deal == LOOK;
}

static void begin_smallbank(struct esse_draw_state *draw_state, bool is_again)
{
    struct session *session = (struct session *)draw_state;
    draw_deal(session);
    if (!is_again)
        session->deal = (enum deal)esse_rng_below(&draw_state->rng, PAY + 1);
    draw_state->is_read_only = session->deal == BALANCE;
}

static bool ask_read(struct esse_request *request, uint32_t table, int64_t row)
{
    request->ask = ESSE_ASK_READ;
    request->table = table;
    request->row = row;
    return true;
}

static bool ask_write(struct session *session, struct esse_request *request, uint32_t table,
                      int64_t row, int64_t amount)
{
    request->ask = ESSE_ASK_WRITE;
    request->table = table;
    request->row = row;
    request->value = esse_amount_value(&session->draw_state, amount);
    return true;
}

/* What 'step' asks for; steps that read are followed by their amounts in 'read'. */
static bool ask_step(struct session *session, struct esse_request *request, uint64_t step)
{
    const int64_t *read = session->read, moved = session->moved;
    const int64_t from = session->from, to = session->to;
    switch (session->deal) {
    case BALANCE:
        return step < 2 ? ask_read(request, (uint32_t)step, from) : false;
    case DEPOSIT:
        return step == 0   ? ask_read(request, CHECKING, from)
               : step == 1 ? ask_write(session, request, CHECKING, from, read[0] + moved)
                           : false;
    case SAVE:
        return step == 0   ? ask_read(request, SAVINGS, from)
               : step == 1 ? ask_write(session, request, SAVINGS, from, read[0] + moved)
                           : false;
    case AMALGAMATE: /* all that 'from' has goes to the checking account of 'to' */
        return step < 2    ? ask_read(request, (uint32_t)step, from)
               : step == 2 ? ask_read(request, CHECKING, to)
               : step == 3 ? ask_write(session, request, CHECKING, from, 0)
               : step == 4 ? ask_write(session, request, SAVINGS, from, 0)
               : step == 5 ? ask_write(session, request, CHECKING, to, read[0] + read[1] + read[2])
                           : false;
    case CHECK: /* covered by both accounts, or else with a penalty */
        return step < 2    ? ask_read(request, (uint32_t)step, from)
               : step == 2 ? ask_write(session, request, CHECKING, from,
                                       read[0] - moved - (read[0] + read[1] < moved))
                           : false;
    case PAY:
    case TRANSFER:
        return step == 0                     ? ask_read(request, CHECKING, from)
               : step == 1                   ? ask_read(request, CHECKING, to)
               : step > 3 || read[0] < moved ? false /* not enough there: nothing moves */
               : step == 2 ? ask_write(session, request, CHECKING, from, read[0] - moved)
                           : ask_write(session, request, CHECKING, to, read[1] + moved);
    case LOOK:
        break;
    }
    return step < session->draw_state.options->keys ? ask_read(request, CHECKING, (int64_t)step)
                                                    : false;
}

static bool next(struct esse_draw_state *draw_state, int64_t read, struct esse_request *request)
{
    struct session *session = (struct session *)draw_state;
    const uint64_t step = session->step++;
    if (step && step <= MOST_STEPS)
        session->read[step - 1] = esse_amount_of(read);
    return ask_step(session, request, step);
}

const struct esse_live_workload esse_workload_bank = {
    .name = "bank",
    .meaning = "Jepsen's: transfers between accounts, and readers of all of them",
    .defaults = { .keys = 8, .ops = 4, .read_share = 0.3 },
    .open = open_bank,
    .session_size = sizeof(struct session),
    .begin = begin_bank,
    .next = next,
};

const struct esse_live_workload esse_workload_smallbank = {
    .name = "smallbank",
    .meaning = "savings and checking accounts; not serializable under snapshot isolation",
    .defaults = { .keys = 100, .ops = 6 },
    .open = open_bank,
    .session_size = sizeof(struct session),
    .begin = begin_smallbank,
    .next = next,
};
