#include "explore/tx_code.h"

#include <assert.h>
#include <string.h>

/* Running compiled transactions, and showing their values. */

enum { STEPS_MOST = 20000000 }; /* from one event to the next */

void esse_tx_begin(const struct esse_program *seam, uint32_t txn, void *at)
{
    const struct tx_program *program = (const struct tx_program *)seam;
    memset(at, 0, seam->state_bytes);
    ((struct tx_state *)at)->at = program->starts[txn];
}

static inline int64_t get(const struct tx_program *program, const struct tx_state *state,
                          uint16_t operand)
{
    return operand & TX_CONSTANT ? program->constants[operand & TX_OPERANDS_MOST]
                                 : state->registers[operand];
}

/* An error: the transaction ends here, as if it had aborted. */
static bool fault(struct tx_state *state, enum tx_fault kind)
{
    state->fault = (state->at - 1) * 8 + (uint32_t)kind;
    state->broken |= UINT64_C(1) << ESSE_CLAIM_FAULTS;
    return false;
}

static bool divide(struct tx_state *state, struct tx_code code, int64_t a, int64_t b)
{
    if (b == 0)
        return fault(state, TX_FAULT_DIVISION);
    if (b == -1 && a == INT64_MIN)
        return fault(state, TX_FAULT_RANGE);
    state->registers[code.to] = code.op == TX_DIVIDE ? a / b : a % b;
    return true;
}

static bool arithmetic(struct tx_state *state, struct tx_code code, int64_t a, int64_t b)
{
    int64_t *to = &state->registers[code.to];
    const bool is_lost = code.op == TX_ADD        ? __builtin_add_overflow(a, b, to)
                         : code.op == TX_SUBTRACT ? __builtin_sub_overflow(a, b, to)
                                                  : __builtin_mul_overflow(a, b, to);
    return is_lost ? fault(state, TX_FAULT_RANGE) : true;
}

static bool of_sets(struct tx_state *state, struct tx_code code, int64_t a, int64_t b)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    uint64_t to = 0;
    if ((code.op == TX_SINGLE || code.op == TX_IN) && (a < 0 || a > 63)) {
        if (code.op == TX_SINGLE)
            return fault(state, TX_FAULT_ELEMENT);
    } else if (code.op == TX_SINGLE) {
        to = UINT64_C(1) << a;
    } else if (code.op == TX_IN) {
        to = y >> a & 1;
    } else {
        to = code.op == TX_UNION    ? x | y
             : code.op == TX_COMMON ? x & y
             : code.op == TX_SIZE   ? (uint64_t)__builtin_popcountll(x)
                                    : x & ~y;
    }
    state->registers[code.to] = (int64_t)to;
    return true;
}

/* An instruction that only computes; false after an error. */
static bool compute(const struct tx_program *program, struct tx_state *state, struct tx_code code)
{
    const int64_t a = get(program, state, code.a), b = get(program, state, code.b);
    int64_t *to = &state->registers[code.to];
    switch (code.op) {
    case TX_MOVE:
        *to = a;
        return true;
    case TX_NOT:
        *to = !a;
        return true;
    case TX_NEGATE:
        return __builtin_sub_overflow(0, a, to) ? fault(state, TX_FAULT_RANGE) : true;
    case TX_EQUAL:
        *to = a == b;
        return true;
    case TX_DIFFERENT:
        *to = a != b;
        return true;
    case TX_LESS:
        *to = a < b;
        return true;
    case TX_AT_MOST:
        *to = a <= b;
        return true;
    case TX_ADD:
    case TX_SUBTRACT:
    case TX_MULTIPLY:
        return arithmetic(state, code, a, b);
    case TX_DIVIDE:
    case TX_MODULO:
        return divide(state, code, a, b);
    default:
        return of_sets(state, code, a, b);
    }
}

/* Jumps, bounds and assertions; false if a bound is reached. */
static bool control(const struct tx_program *program, struct tx_state *state, struct tx_code code)
{
    switch (code.op) {
    case TX_JUMP:
        state->at = tx_wide(code);
        return true;
    case TX_UNLESS:
        if (!get(program, state, code.to))
            state->at = tx_wide(code);
        return true;
    case TX_BOUND:
        if (++state->registers[code.to] <= get(program, state, code.a))
            return true;
        state->broken |= UINT64_C(1) << ESSE_CLAIM_BOUNDS;
        return false;
    default:
        assert(code.op == TX_ASSERT);
        if (!get(program, state, code.b))
            state->broken |= UINT64_C(1) << code.a;
        return true;
    }
}

/* The variable that an instruction reads or writes; false after an error. */
static bool variable_of(const struct tx_program *program, struct tx_state *state,
                        struct tx_code code, bool is_array, uint32_t *variable)
{
    *variable = tx_wide(code);
    if (!is_array)
        return true;
    const struct tx_array array = program->arrays[code.a];
    const int64_t index = get(program, state, code.b);
    if (index < 0 || index >= array.length)
        return fault(state, TX_FAULT_INDEX);
    *variable = array.first + (uint32_t)index;
    return true;
}

static bool is_read(uint8_t op)
{
    return op == TX_READ || op == TX_READ_AT;
}

void esse_tx_next(const struct esse_program *seam, void *at, int64_t read, struct esse_event *event)
{
    const struct tx_program *program = (const struct tx_program *)seam;
    struct tx_state *state = at;
    const struct tx_code last = program->code[state->at - 1];
    if (is_read(last.op))
        state->registers[last.to] = read;
    *event = (struct esse_event){ .kind = ESSE_EVENT_ABORT };
    for (uint32_t steps = 0; steps < STEPS_MOST; steps++) {
        const struct tx_code code = program->code[state->at++];
        if (is_read(code.op) || code.op == TX_WRITE || code.op == TX_WRITE_AT) {
            const bool is_array = code.op == TX_READ_AT || code.op == TX_WRITE_AT;
            if (!variable_of(program, state, code, is_array, &event->variable))
                return;
            event->kind = is_read(code.op) ? ESSE_EVENT_READ : ESSE_EVENT_WRITE;
            event->value = is_read(code.op) ? 0 : get(program, state, code.to);
            return;
        }
        if (code.op == TX_COMMIT || code.op == TX_ABORT) {
            event->kind = code.op == TX_COMMIT ? ESSE_EVENT_COMMIT : ESSE_EVENT_ABORT;
            return;
        }
        if (!(code.op >= TX_MOVE ? compute(program, state, code) : control(program, state, code)))
            return;
    }
    state->broken |= UINT64_C(1) << ESSE_CLAIM_BOUNDS;
}

struct esse_txn_end esse_tx_end(const struct esse_program *program, const void *at)
{
    (void)program;
    const struct tx_state *state = at;
    return (struct esse_txn_end){ state->broken, state->fault };
}

/* ---- invariants ---- */

/* Where the final state is looked at; false after an error. */
static bool look(const struct tx_program *program, struct tx_state *state, struct tx_code code,
                 const int64_t *finals, const void *const *ends)
{
    uint32_t variable;
    if (code.op == TX_OF) {
        state->registers[code.to] = ((const struct tx_state *)ends[code.a])->registers[code.b];
        return true;
    }
    if (!variable_of(program, state, code, code.op == TX_FINAL_AT, &variable))
        return false;
    state->registers[code.to] = finals[variable];
    return true;
}

/* An invariant that cannot be evaluated is broken. */
static bool invariant_holds(const struct tx_program *program, struct tx_state *state,
                            const int64_t *finals, const void *const *ends)
{
    for (;;) {
        const struct tx_code code = program->code[state->at++];
        if (code.op == TX_ASSERT)
            return get(program, state, code.b) != 0;
        if (code.op >= TX_OF     ? !look(program, state, code, finals, ends)
            : code.op >= TX_MOVE ? !compute(program, state, code)
                                 : !control(program, state, code))
            return false;
    }
}

uint64_t esse_tx_broken(const struct esse_program *seam, const int64_t *finals,
                        const void *const *ends)
{
    const struct tx_program *program = (const struct tx_program *)seam;
    /* An invariant's temporaries are registers, of which a program has at most 2^15. */
    uint64_t room[1 + sizeof(struct tx_state) / 8 + TX_OPERANDS_MOST];
    struct tx_state *state = (struct tx_state *)(void *)room;
    uint64_t broken = 0;
    for (uint32_t i = 0; i < seam->claim_count; i++) {
        if (!seam->claims[i].is_invariant)
            continue;
        *state = (struct tx_state){ .at = program->invariant_starts[i] };
        if (!invariant_holds(program, state, finals, ends))
            broken |= UINT64_C(1) << i;
    }
    return broken;
}

/* ---- showing ---- */

static void put_word(const struct tx_program *program, struct esse_out *out, struct tx_kind kind,
                     int64_t value)
{
    if (kind.type == TX_TYPE_WORDS)
        esse_out_json_text(out, program->texts[value]);
    else if (kind.type == TX_TYPE_BOOLEAN && (value == 0 || value == 1))
        esse_out_text(out, value ? "true" : "false");
    else
        esse_out_i64(out, value);
}

void esse_tx_put_value(const struct esse_program *seam, struct esse_out *out, uint32_t variable,
                       int64_t value)
{
    const struct tx_program *program = (const struct tx_program *)seam;
    const struct tx_kind kind = program->kinds[variable];
    if (kind.type != TX_TYPE_SET) {
        put_word(program, out, kind, value);
        return;
    }
    const struct tx_kind element = { .type = kind.has_texts ? TX_TYPE_WORDS : TX_TYPE_NUMBER };
    esse_out_char(out, '{');
    for (uint64_t left = (uint64_t)value; left; left &= left - 1) {
        if (left != (uint64_t)value)
            esse_out_text(out, ", ");
        put_word(program, out, element, __builtin_ctzll(left));
    }
    esse_out_char(out, '}');
}

const char *esse_tx_fault_text(const struct esse_program *seam, uint32_t fault, uint32_t *line)
{
    static const char *const texts[] = {
        [TX_FAULT_NONE] = "no error",
        [TX_FAULT_DIVISION] = "a division by zero",
        [TX_FAULT_INDEX] = "an index outside of its array",
        [TX_FAULT_RANGE] = "a number of more than 64 bits",
        [TX_FAULT_ELEMENT] = "an element of a set that is not from 0 to 63",
    };
    *line = ((const struct tx_program *)seam)->lines[fault / 8];
    return texts[fault % 8];
}
