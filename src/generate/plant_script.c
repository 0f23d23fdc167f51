#include "generate/plant_script.h"

#include <assert.h>
#include <string.h>

static uint8_t read_key(struct plant_script *script, const char **at)
{
    uint8_t key = (uint8_t)(*(*at)++ - 'x');
    assert(key < PLANT_KEYS);
    if (key >= script->keys)
        script->keys = (uint8_t)(key + 1);
    return key;
}

static void read_digits(const char **at, struct plant_op *op)
{
    while (**at >= '0' && **at <= '9') {
        assert(op->count < PLANT_DIGITS);
        op->digits[op->count++] = (uint8_t)(*(*at)++ - '0');
    }
}

static void read_op(struct plant_script *script, const char **at, struct plant_op *op)
{
    *op = (struct plant_op){ .kind = *(*at)++ };
    if (op->kind != 'p') {
        op->key = read_key(script, at);
        read_digits(at, op);
        return;
    }
    while (**at >= 'x' && **at <= 'z') {
        op->row_keys[op->count] = read_key(script, at);
        read_digits(at, op);
    }
}

/* "@01", "#01" */
static void read_ticks(const char **at, uint8_t *from, uint8_t *to)
{
    *from = (uint8_t)((*at)[1] - '0');
    *to = (uint8_t)((*at)[2] - '0');
    assert(*from < PLANT_TICKS && *to < PLANT_TICKS);
    *at += 3;
}

/* The head of a transaction: letter, status, times, points, colon. */
static struct plant_txn *read_head(struct plant_script *script, const char **at)
{
    char session = *(*at)++;
    struct plant_txn *txn = session == '*' ? &script->init : &script->txns[script->txn_count++];
    assert(script->txn_count <= PLANT_TXNS);
    *txn = (struct plant_txn){ .session = session, .end = PLANT_TICKS - 1 };
    if (session != '*' && session - 'a' >= script->sessions)
        script->sessions = (uint8_t)(session - 'a' + 1);
    if (**at == '!' || **at == '?' || **at == '~')
        txn->status = *(*at)++;
    if (**at == '@')
        read_ticks(at, &txn->begin, &txn->end);
    txn->has_points = **at == '#';
    if (txn->has_points)
        read_ticks(at, &txn->snapshot, &txn->commit);
    assert(**at == ':');
    ++*at;
    return txn;
}

static void read_orders(struct plant_script *script, const char **at)
{
    while (**at) {
        assert(**at == ' ');
        ++*at;
        uint8_t key = read_key(script, at);
        read_digits(at, &script->orders[key]);
    }
}

struct plant_script plant_script_read(const char *text)
{
    struct plant_script script = { 0 };
    struct plant_txn *txn = NULL;
    for (const char *at = text; *at;) {
        if (*at == ' ') {
            at++;
        } else if (*at == '/') {
            at++;
            read_orders(&script, &at);
        } else if (at[1] && strchr(":!?~@#", at[1])) {
            txn = read_head(&script, &at);
        } else {
            assert(txn);
            assert(txn->op_count < PLANT_OPS);
            read_op(&script, &at, &txn->ops[txn->op_count++]);
        }
    }
    return script;
}
