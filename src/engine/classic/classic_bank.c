#include "base/error.h"
#include "engine/classic/classic.h"

#include <stdio.h>
#include <string.h>

/* Reads of all accounts: money is neither made nor lost.  In the order in which they are tested. */
enum error_type { UNEXPECTED_KEY, NIL_BALANCE, WRONG_TOTAL, NEGATIVE_VALUE, ERROR_TYPES, FINE };

static const char *const error_names[] = { "unexpected-key", "nil-balance", "wrong-total",
                                           "negative-value" };

struct errors {
    uint32_t count, first, last, worst, lowest, highest; /* operations */
    uint64_t worst_badness;
    int64_t lowest_total, highest_total;
};

struct bank {
    struct esse_classic_run *run;
    const struct esse_oplog *log;
    struct esse_elements accounts, strangers;
    bool has_accounts, has_total;
    int64_t total;
    uint32_t reads;
    struct errors errors[ERROR_TYPES];
};

/* What one read says. */
struct balances {
    const esse_value *parts; /* account, balance, account, balance ... */
    uint32_t count;
    uint32_t unexpected, nils;
    int64_t total, negative;
    bool has_negative;
};

static bool named_account(const struct bank *bank, esse_value account)
{
    const struct esse_values *values = bank->log->values;
    char room[8], number_room[64];
    int64_t number;
    struct esse_span text;
    enum esse_value_kind kind = esse_value_kind(values, account);
    if (esse_value_as_int(values, account, &number)) {
        text.length = (size_t)snprintf(number_room, sizeof number_room, "%lld", (long long)number);
        text.at = number_room;
    } else if (kind >= ESSE_KIND_NUMBER && kind <= ESSE_KIND_CHAR) {
        text = esse_value_text(values, account, room);
    } else {
        return false;
    }
    for (const char *const *name = bank->run->options->accounts; *name; name++)
        if (strlen(*name) == text.length && memcmp(*name, text.at, text.length) == 0)
            return true;
    return false;
}

static bool is_account(struct bank *bank, esse_value account)
{
    if (esse_elements_find(&bank->accounts, account) != ESSE_NO_ELEMENT)
        return true;
    if (!bank->run->options->accounts ||
        esse_elements_find(&bank->strangers, account) != ESSE_NO_ELEMENT)
        return false;
    bool is = named_account(bank, account);
    esse_elements_add(is ? &bank->accounts : &bank->strangers, bank->run->arena, account);
    return is;
}

static bool take_balance(struct bank *bank, struct balances *sum, uint32_t op, esse_value balance,
                         struct esse_error *err)
{
    int64_t amount;
    if (esse_value_eq(balance, ESSE_NIL)) {
        sum->nils++;
        return true;
    }
    if (!esse_value_as_int(bank->log->values, balance, &amount))
        return esse_classic_refuse(bank->run, op, err, "found balance %s, expected an integer",
                                   esse_classic_text(bank->run, balance));
    if (__builtin_add_overflow(sum->total, amount, &sum->total))
        return esse_classic_refuse(bank->run, op, err, "the balances add up to more than 64 bits");
    sum->has_negative = sum->has_negative || amount < 0;
    if (amount < 0 && __builtin_add_overflow(sum->negative, amount, &sum->negative))
        sum->negative = INT64_MIN;
    return true;
}

/* The first read that tells gives the accounts and the total, where they are not given. */
static void infer(struct bank *bank, const struct balances *sum)
{
    for (uint32_t i = 0; i < sum->count && !bank->has_accounts; i += 2)
        esse_elements_add(&bank->accounts, bank->run->arena, sum->parts[i]);
    if (!bank->has_total && !sum->nils)
        bank->total = sum->total;
    bank->has_accounts = true;
    bank->has_total = bank->has_total || !sum->nils;
}

static bool read_balances(struct bank *bank, uint32_t op, struct balances *sum,
                          struct esse_error *err)
{
    const struct esse_values *values = bank->log->values;
    const esse_value value = bank->log->value[op];
    enum esse_value_kind kind = esse_value_kind(values, value);
    *sum = (struct balances){ 0 };
    if (kind == ESSE_KIND_NIL)
        return true;
    if (kind != ESSE_KIND_MAP)
        return esse_classic_refuse(bank->run, op, err,
                                   "the :read returned %s, expected a map of accounts",
                                   esse_classic_text(bank->run, value));
    sum->parts = esse_value_parts(values, value, &sum->count);
    for (uint32_t i = 0; i + 1 < sum->count; i += 2)
        if (!take_balance(bank, sum, op, sum->parts[i + 1], err))
            return false;
    infer(bank, sum);
    for (uint32_t i = 0; i + 1 < sum->count; i += 2)
        sum->unexpected += !is_account(bank, sum->parts[i]);
    return true;
}

static enum error_type classify(const struct bank *bank, const struct balances *sum,
                                uint64_t *badness)
{
    const uint64_t total = (uint64_t)bank->total, found = (uint64_t)sum->total;
    if (sum->unexpected)
        return *badness = sum->unexpected, UNEXPECTED_KEY;
    if (sum->nils)
        return *badness = sum->nils, NIL_BALANCE;
    if (bank->has_total && sum->total != bank->total)
        return *badness = sum->total > bank->total ? found - total : total - found, WRONG_TOTAL;
    if (sum->has_negative && !bank->run->options->negative_balances)
        return *badness = 0 - (uint64_t)sum->negative, NEGATIVE_VALUE;
    return FINE;
}

static void count_error(struct errors *errors, uint32_t op, uint64_t badness, int64_t total)
{
    if (!errors->count++) {
        errors->first = errors->worst = errors->lowest = errors->highest = op;
        errors->worst_badness = badness;
        errors->lowest_total = errors->highest_total = total;
    }
    errors->last = op;
    if (badness > errors->worst_badness) {
        errors->worst = op;
        errors->worst_badness = badness;
    }
    if (total < errors->lowest_total) {
        errors->lowest = op;
        errors->lowest_total = total;
    }
    if (total > errors->highest_total) {
        errors->highest = op;
        errors->highest_total = total;
    }
}

/* ---- telling ---- */

/* An error in full; the read is looked at again. */
static void put_error(struct bank *bank, struct esse_fact *in, const char *name,
                      enum error_type type, uint32_t op)
{
    struct esse_error unused;
    struct balances sum;
    struct esse_fact *fact = esse_fact_object(in, name), *list;
    int64_t amount;
    read_balances(bank, op, &sum, &unused);
    esse_fact_text(fact, "type", error_names[type]);
    switch (type) {
    case UNEXPECTED_KEY:
        list = esse_fact_array(fact, "unexpected");
        for (uint32_t i = 0; i < sum.count; i += 2)
            if (!is_account(bank, sum.parts[i]))
                esse_fact_value(list, NULL, sum.parts[i]);
        break;
    case NIL_BALANCE:
        list = esse_fact_array(fact, "nils");
        for (uint32_t i = 0; i < sum.count; i += 2)
            if (esse_value_eq(sum.parts[i + 1], ESSE_NIL))
                esse_fact_value(list, NULL, sum.parts[i]);
        break;
    case NEGATIVE_VALUE:
        list = esse_fact_array(fact, "negative");
        for (uint32_t i = 0; i < sum.count; i += 2)
            if (esse_value_as_int(bank->log->values, sum.parts[i + 1], &amount) && amount < 0)
                esse_fact_int(list, NULL, amount);
        break;
    default:
        esse_fact_int(fact, "total", sum.total);
    }
    esse_fact_op(fact, "op", op);
}

static const char *describe(struct bank *bank, enum error_type type, uint32_t op)
{
    struct esse_error unused;
    struct balances sum;
    struct esse_arena *arena = bank->run->arena;
    read_balances(bank, op, &sum, &unused);
    switch (type) {
    case UNEXPECTED_KEY:
        for (uint32_t i = 0; i < sum.count; i += 2)
            if (!is_account(bank, sum.parts[i]))
                return esse_arena_format(arena, "account %s is not one of the bank's",
                                         esse_classic_text(bank->run, sum.parts[i]));
        return "";
    case NIL_BALANCE:
        return esse_arena_format(arena, "%u balances are nil", sum.nils);
    case WRONG_TOTAL:
        return esse_arena_format(arena, "the total is %lld instead of %lld", (long long)sum.total,
                                 (long long)bank->total);
    default:
        return esse_arena_format(arena, "negative balances of %lld in all",
                                 (long long)sum.negative);
    }
}

static void tell_type(struct bank *bank, struct esse_fact *in, enum error_type type)
{
    const struct errors *errors = &bank->errors[type];
    struct esse_fact *fact = esse_fact_object(in, error_names[type]);
    esse_fact_int(fact, "count", errors->count);
    put_error(bank, fact, "first", type, errors->first);
    put_error(bank, fact, "worst", type, errors->worst);
    put_error(bank, fact, "last", type, errors->last);
    if (type == WRONG_TOTAL) {
        put_error(bank, fact, "lowest", type, errors->lowest);
        put_error(bank, fact, "highest", type, errors->highest);
    }
    struct esse_finding *finding = esse_finding_add(
        bank->run->found, esse_arena_format(bank->run->arena, "%s: %s", error_names[type],
                                            describe(bank, type, errors->first)));
    esse_finding_witness(finding, errors->first, errors->count > 1 ? "the first such read" : NULL);
    if (errors->worst == errors->first)
        return;
    finding = esse_finding_add(bank->run->found,
                               esse_arena_format(bank->run->arena, "%s: %s", error_names[type],
                                                 describe(bank, type, errors->worst)));
    esse_finding_witness(finding, errors->worst, "the worst such read");
}

static void tell(struct bank *bank)
{
    struct esse_findings *found = bank->run->found;
    uint32_t count = 0, first = FINE;
    for (uint32_t type = 0; type < ERROR_TYPES; type++) {
        count += bank->errors[type].count;
        if (bank->errors[type].count &&
            (first == FINE || bank->errors[type].first < bank->errors[first].first))
            first = type;
    }
    found->outcome = count ? ESSE_VIOLATED : ESSE_HOLDS;
    esse_fact_int(found->facts, "read-count", bank->reads);
    esse_fact_int(found->facts, "error-count", count);
    if (first != FINE)
        put_error(bank, found->facts, "first-error", (enum error_type)first,
                  bank->errors[first].first);
    struct esse_fact *errors = esse_fact_object(found->facts, "errors");
    for (uint32_t type = 0; type < ERROR_TYPES; type++)
        if (bank->errors[type].count)
            tell_type(bank, errors, (enum error_type)type);
    esse_fact_int(found->facts, "account-count", bank->accounts.count);
    if (bank->has_total)
        esse_fact_int(found->facts, "total", bank->total);
    found->summary =
        esse_arena_format(bank->run->arena, "%u of %u reads are wrong; %u accounts, total %lld",
                          count, bank->reads, bank->accounts.count, (long long)bank->total);
}

static bool check_bank(struct esse_classic_run *run, struct esse_error *err)
{
    struct bank bank = { .run = run,
                         .log = run->log,
                         .has_accounts = run->options->accounts != NULL,
                         .has_total = run->options->has_total,
                         .total = run->options->total };
    for (uint32_t op = 0; op < run->log->count; op++) {
        struct balances sum;
        uint64_t badness = 0;
        if (!esse_oplog_is(run->log, op, ESSE_DONE_OK, ESSE_VERB_READ))
            continue;
        if (!read_balances(&bank, op, &sum, err))
            return false;
        bank.reads++;
        enum error_type type = classify(&bank, &sum, &badness);
        if (type != FINE)
            count_error(&bank.errors[type], op, badness, sum.total);
    }
    tell(&bank);
    return true;
}

const struct esse_classic esse_classic_bank = {
    .name = "bank",
    .summary = "transfers between accounts: every read of all balances has the same total",
    .operations = ":read or :transfer operations",
    .options = "accounts total negative-balances independent ",
    .run = check_bank,
    .verbs = 1u << ESSE_VERB_READ | 1u << ESSE_VERB_TRANSFER,
};
