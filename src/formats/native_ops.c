#include "formats/native_ops.h"

#include "base/guard.h"

#include <string.h>

/* Which members an operation object had. */
enum {
    HAS_R = 1 << 0,
    HAS_W = 1 << 1,
    HAS_A = 1 << 2,
    HAS_D = 1 << 3,
    HAS_P = 1 << 4,
    HAS_U = 1 << 5,
    HAS_V = 1 << 6,
    HAS_T = 1 << 7,
    HAS_ROWS = 1 << 8,
    HAS_VSET = 1 << 9,
    HAS_RESULT = 1 << 10,
    HAS_SNAPSHOT = 1 << 11,
    HAS_STATEMENT = 1 << 12,
};
enum { KINDS = HAS_R | HAS_W | HAS_A | HAS_D | HAS_P | HAS_U };

/* A value of the kinds that the format knows: no fraction, no list inside a list. */
static bool scalar_or_row(struct esse_json *json, esse_value *value)
{
    const char *place = json->at;
    if (esse_json_peek(json) == '[')
        return esse_json_fail(json, json->at,
                              "found a list, expected an integer, string, boolean, null or row; a "
                              "list is only what a read of appended elements returns");
    if (!esse_json_value(json, value))
        return false;
    if (esse_value_tag(*value) != ESSE_TAG_ATOM ||
        esse_value_kind(json->values, *value) != ESSE_KIND_MAP)
        return true;
    uint32_t count;
    const esse_value *parts = esse_value_parts(json->values, *value, &count);
    for (uint32_t i = 1; i < count; i += 2)
        if (esse_value_kind(json->values, parts[i]) >= ESSE_KIND_SEQ)
            return esse_json_fail(json, place,
                                  "a row's columns must be integers, strings, "
                                  "booleans or null");
    return true;
}

static bool read_list(struct esse_native_ops *ops, struct esse_json *json,
                      struct esse_op_record *op)
{
    json->at++;
    op->is_list = true;
    op->first = ops->items.count;
    bool ok = true;
    for (bool first = true; esse_json_more(json, &first, ']', &ok);) {
        esse_value item;
        if (!esse_json_quick_int(&json->at, &item) && !scalar_or_row(json, &item))
            return false;
        esse_native_item_vec_push(&ops->items, ops->arena, item);
    }
    op->count = ops->items.count - op->first;
    return ok;
}

bool esse_native_value_read(struct esse_native_ops *ops, struct esse_json *json,
                            struct esse_op_record *op)
{
    if (esse_json_peek(json) == '[')
        return read_list(ops, json, op);
    return scalar_or_row(json, &op->value);
}

static bool interval(struct esse_json *json, struct esse_op_record *op)
{
    return esse_json_char(json, '[', "an interval [begin, end]") &&
           esse_json_int(json, &op->begin) && esse_json_char(json, ',', "','") &&
           esse_json_int(json, &op->end) && esse_json_char(json, ']', "']'");
}

static bool row_value(struct esse_json *json, bool pair, struct esse_row *row)
{
    if (!pair)
        return scalar_or_row(json, &row->value);
    return esse_json_char(json, '[', "a pair [old, new]") && scalar_or_row(json, &row->value) &&
           esse_json_char(json, ',', "',' and the new value") && scalar_or_row(json, &row->next) &&
           esse_json_char(json, ']', "']'");
}

/* A key has one row. */
static bool rows_differ(struct esse_native_ops *ops, struct esse_json *json, const char *open,
                        size_t first_row, size_t count)
{
    char room[64];
    if (count < 2)
        return true;
    esse_word_map_clear(&ops->row_keys, ops->arena, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        bool fresh;
        const esse_value key = ops->rows.at[first_row + i].key;
        esse_word_map_put(&ops->row_keys, key.word, &fresh);
        if (!fresh)
            return esse_json_fail(json, open, "the object has key \"%s\" twice",
                                  esse_value_brief(json->values, key, room));
    }
    return true;
}

bool esse_native_rows_read(struct esse_native_ops *ops, struct esse_json *json, bool pairs,
                           size_t *first_row, size_t *count)
{
    const char *open = json->at;
    if (!esse_json_char(json, '{', "an object of keys and values"))
        return false;
    *first_row = ops->rows.count;
    bool ok = true;
    for (bool first = true; esse_json_more(json, &first, '}', &ok);) {
        struct esse_row row = { .next = ESSE_NONE };
        if (!esse_json_string_value(json, &row.key) || !esse_json_char(json, ':', "':'") ||
            !row_value(json, pairs, &row))
            return false;
        esse_native_row_vec_push(&ops->rows, ops->arena, row);
    }
    *count = ops->rows.count - *first_row;
    return ok && rows_differ(ops, json, open, *first_row, *count);
}

/* Names are distinguished by length and first letter: this runs once for every operation. */
static unsigned member_bit(struct esse_span name)
{
    if (name.length == 1) {
        switch (name.at[0]) {
        case 'r':
            return HAS_R;
        case 'w':
            return HAS_W;
        case 'a':
            return HAS_A;
        case 'd':
            return HAS_D;
        case 'p':
            return HAS_P;
        case 'u':
            return HAS_U;
        case 'v':
            return HAS_V;
        case 't':
            return HAS_T;
        case 's':
            return HAS_STATEMENT;
        default:
            return 0;
        }
    }
    if (name.length == 6 && memcmp(name.at, "result", 6) == 0)
        return HAS_RESULT;
    if (name.length == 8 && memcmp(name.at, "snapshot", 8) == 0)
        return HAS_SNAPSHOT;
    if (name.length != 4)
        return 0;
    return memcmp(name.at, "rows", 4) == 0   ? HAS_ROWS
           : memcmp(name.at, "vset", 4) == 0 ? HAS_VSET
                                             : 0;
}

static bool unknown_member(struct esse_json *json, const char *place, struct esse_span name)
{
    return esse_json_fail(json, place,
                          "unknown member \"%.*s\" in an operation, expected one of "
                          "r, w, a, d, p, u, v, t, s, rows, vset, result, snapshot",
                          (int)(name.length < 60 ? name.length : 60), name.at);
}

bool esse_native_rows_are_pairs(struct esse_json *json)
{
    const char *saved = json->at;
    bool pairs = false;
    struct esse_span name;
    if (esse_json_peek(json) == '{') {
        json->at++;
        if (esse_json_peek(json) == '"' && esse_json_name(json, &name))
            pairs = esse_json_peek(json) == '[';
    }
    json->at = saved;
    json->err->code = ESSE_OK;
    return pairs;
}

/* One scalar for each column that a statement returned. */
bool esse_native_result_read(struct esse_native_ops *ops, struct esse_json *json,
                             struct esse_op_record *op)
{
    op->has_result = true;
    op->result_first = ops->items.count;
    bool ok = esse_json_char(json, '[', "a list of what each column returned");
    for (bool first = true; ok && esse_json_more(json, &first, ']', &ok);) {
        esse_value item;
        const char c = esse_json_peek(json);
        if (c == '[' || c == '{')
            return esse_json_expected(json, "an integer, string, boolean or null");
        if (!esse_json_value(json, &item))
            return false;
        esse_native_item_vec_push(&ops->items, ops->arena, item);
    }
    op->result_count = ops->items.count - op->result_first;
    return ok;
}

static bool snapshot(struct esse_json *json, struct esse_op_record *op)
{
    const char c = esse_json_peek(json);
    if (c != '"' && c != '-' && (c < '0' || c > '9'))
        return esse_json_expected(json, "a snapshot: an integer or a string");
    return esse_json_value(json, &op->snapshot);
}

static bool statement(const struct esse_native_ops *ops, struct esse_json *json,
                      struct esse_op_record *op)
{
    int64_t number;
    esse_json_peek(json);
    const char *place = json->at;
    if (!esse_json_int(json, &number))
        return false;
    if (number < 1 || (uint64_t)number > ops->statements)
        return esse_json_fail(json, place,
                              "found statement %lld, expected the number of one of the header's "
                              "statements, of which there are %zu, counted from 1",
                              (long long)number, ops->statements);
    op->statement = (uint32_t)number;
    return true;
}

static bool member(struct esse_native_ops *ops, struct esse_json *json, unsigned bit,
                   struct esse_op_record *op)
{
    switch (bit) {
    case HAS_V:
        return esse_native_value_read(ops, json, op);
    case HAS_T:
        return interval(json, op);
    case HAS_ROWS:
        return esse_native_rows_read(ops, json, esse_native_rows_are_pairs(json), &op->first,
                                     &op->count);
    case HAS_VSET:
        op->has_vset = true;
        return esse_native_rows_read(ops, json, false, &op->vset_first, &op->vset_count);
    case HAS_RESULT:
        return esse_native_result_read(ops, json, op);
    case HAS_SNAPSHOT:
        return snapshot(json, op);
    case HAS_STATEMENT:
        return statement(ops, json, op);
    default:
        op->kind = (enum esse_op_kind)__builtin_ctz(bit); /* the bits are in the enum's order */
        if (esse_json_peek(json) != '"')
            return esse_json_expected(json, op->kind < ESSE_OP_PREDICATE_READ
                                                ? "a key, a string"
                                                : "a predicate, a string");
        return esse_json_string_value(json, &op->key);
    }
}

static bool rows_match_kind(const struct esse_native_ops *ops, const struct esse_op_record *op)
{
    bool pairs = op->kind == ESSE_OP_PREDICATE_UPDATE;
    for (size_t i = 0; i < op->count; i++)
        if (esse_value_eq(ops->rows.at[op->first + i].next, ESSE_NONE) == pairs)
            return false;
    return true;
}

static bool check_predicate(struct esse_native_ops *ops, struct esse_json *json, const char *open,
                            unsigned has, struct esse_op_record *op)
{
    const char *name = op->kind == ESSE_OP_PREDICATE_READ ? "p" : "u";
    if (has & HAS_V)
        return esse_json_fail(json, open, "\"%s\" takes rows, not v", name);
    if (op->has_result && op->kind == ESSE_OP_PREDICATE_UPDATE)
        return esse_json_fail(json, open, "\"u\" takes rows, not result");
    op->no_rows = !(has & HAS_ROWS);
    if (op->no_rows && !op->has_result)
        return esse_json_fail(json, open, "\"%s\" needs rows: every row it %s", name,
                              op->kind == ESSE_OP_PREDICATE_READ ? "returned; or its result"
                                                                 : "changed");
    if (!rows_match_kind(ops, op))
        return esse_json_fail(json, open,
                              op->kind == ESSE_OP_PREDICATE_UPDATE
                                  ? "the rows of \"u\" must be pairs [old, new]"
                                  : "the rows of \"p\" must be single values");
    return true;
}

/* What each kind of operation must and must not have. */
static bool check_op(struct esse_native_ops *ops, struct esse_json *json, const char *open,
                     unsigned has, struct esse_op_record *op)
{
    unsigned kind = has & KINDS;
    if (!kind)
        return esse_json_fail(json, open,
                              "an operation needs one of r, w, a, d, p, u; this has none");
    if (kind & (kind - 1))
        return esse_json_fail(json, open, "an operation is one of r, w, a, d, p, u; this is two");
    if (esse_op_is_predicate(op->kind))
        return check_predicate(ops, json, open, has, op);
    if (has & (HAS_ROWS | HAS_VSET))
        return esse_json_fail(json, open, "rows and vset belong to p and u");
    if (has & HAS_RESULT)
        return esse_json_fail(json, open, "result belongs to p");
    if (op->kind == ESSE_OP_DELETE)
        return !(has & HAS_V) || esse_json_fail(json, open, "\"d\" takes no value");
    if (op->kind == ESSE_OP_READ) {
        if (!(has & HAS_V) && !ops->unread)
            ops->unread = open;
        return true;
    }
    if (!(has & HAS_V))
        return esse_json_fail(json, open, "a write or append needs its value, v");
    if (op->is_list)
        return esse_json_fail(json, open,
                              "a list is only what a read of appended elements "
                              "returns; it cannot be written or appended");
    if (esse_value_eq(op->value, ESSE_NIL))
        return esse_json_fail(json, open,
                              "null is \"absent\" and cannot be written; use d to "
                              "delete a key");
    return true;
}

/* A number of one or two digits, as most elements are; three and more are read eight at a time. */
static inline bool quick_item(const char **at, esse_value *value)
{
    const unsigned char *here = (const unsigned char *)*at;
    unsigned tens = here[0] - (unsigned)'0', ones = here[1] - (unsigned)'0';
    if (tens <= 9 && ones > 9) {
        *value = esse_value_small(tens);
        *at += 1;
        return true;
    }
    if (tens - 1 <= 8 && here[2] - (unsigned)'0' > 9) {
        *value = esse_value_small(tens * 10 + ones);
        *at += 2;
        return true;
    }
    return esse_json_quick_int(at, value);
}

/*
 * A list of small integers without white space, at its '['; nothing is added if it is anything
 * else.  The count stays in a register and the next number is found without looking at what stands
 * between: both are on the critical path of long lists.
 */
static bool quick_list(struct esse_native_ops *ops, const char **at)
{
    const char *here = *at + 1;
    size_t first = ops->items.count, count = first;
    char after = *here == ']' ? ']' : ',';
    here += after == ']';
    while (after == ',') {
        if (count == ops->items.room) {
            ops->items.count = count;
            esse_native_item_vec_extend(&ops->items, ops->arena, 1);
            ops->items.count = first;
        }
        if (!quick_item(&here, &ops->items.at[count++]))
            return false;
        after = *here++;
    }
    if (after != ']')
        return false;
    ops->items.count = count;
    *at = here;
    return true;
}

/* What an operation read or wrote; of a list, the items are added and the value is none. */
static inline bool quick_value(struct esse_native_ops *ops, const char **at, bool is_read,
                               esse_value *value)
{
    *value = ESSE_NONE;
    if (is_read && **at == '[')
        return quick_list(ops, at);
    if (!is_read || memcmp(*at, "null", 4) != 0)
        return esse_json_quick_int(at, value);
    *value = ESSE_NIL;
    *at += 4;
    return true;
}

/*
 * {"r":"x","v":1}, {"w":...}, {"a":...} with a short key and a small integer, {"r":"x","v":null},
 * {"r":"x","v":[1,2]}, exactly as Esse writes them: nearly all of a large file.  Anything else is
 * left to read_op, which gives the same record for the same text (tests/unit/test_native.c).
 *
 * The letter chooses without a branch, and the record is written once, where it stays: filling a
 * record on the stack and copying it waited, at every operation, for stores to be joined to a
 * wider load, which was a fifth of all reading.  All of its members are named, see
 * esse_txn_record_empty.
 */
static bool quick_op(struct esse_native_ops *ops, struct esse_json *json)
{
    const char *at = json->at, letter = at[2];
    const enum esse_op_kind kind = letter == 'w'   ? ESSE_OP_WRITE
                                   : letter == 'a' ? ESSE_OP_APPEND
                                                   : ESSE_OP_READ;
    if (memcmp(at, "{\"", 2) != 0 || memcmp(at + 3, "\":", 2) != 0 ||
        (kind == ESSE_OP_READ && letter != 'r'))
        return false;
    at += 5;
    esse_value key, value;
    const size_t first = ops->items.count;
    if (!esse_json_quick_string(&at, &key) || memcmp(at, ",\"v\":", 5) != 0)
        return false;
    at += 5;
    const bool is_list = kind == ESSE_OP_READ && *at == '[';
    if (!quick_value(ops, &at, kind == ESSE_OP_READ, &value))
        return false;
    if (*at != '}') {
        ops->items.count = first;
        return false;
    }
    json->at = at + 1;
    *esse_native_op_vec_extend(&ops->ops, ops->arena, 1) =
        (struct esse_op_record){ .kind = kind,
                                 .is_list = is_list,
                                 .has_vset = false,
                                 .no_rows = false,
                                 .has_result = false,
                                 .key = key,
                                 .value = value,
                                 .first = first,
                                 .count = ops->items.count - first,
                                 .vset_first = 0,
                                 .vset_count = 0,
                                 .result_first = 0,
                                 .result_count = 0,
                                 .begin = ESSE_NO_TIME,
                                 .end = ESSE_NO_TIME,
                                 .snapshot = ESSE_NONE,
                                 .statement = 0 };
    return true;
}

static bool read_op(struct esse_native_ops *ops, struct esse_json *json)
{
    struct esse_op_record op = { .begin = ESSE_NO_TIME, .end = ESSE_NO_TIME };
    esse_json_peek(json);
    const char *open = json->at;
    if (!esse_json_char(json, '{', "an operation {...}"))
        return false;
    unsigned has = 0;
    bool ok = true;
    for (bool first = true; esse_json_more(json, &first, '}', &ok);) {
        const char *place = json->at;
        struct esse_span name;
        if (!esse_json_name(json, &name))
            return false;
        unsigned bit = member_bit(name);
        if (!bit)
            return unknown_member(json, place, name);
        if (has & bit)
            return esse_json_fail(json, place, "member \"%.*s\" is given twice", (int)name.length,
                                  name.at);
        has |= bit;
        if (!member(ops, json, bit, &op))
            return false;
    }
    if (!ok || !check_op(ops, json, open, has, &op))
        return false;
    if (op.end < op.begin)
        return esse_json_fail(json, open, "the operation's interval t ends before it begins");
    esse_native_op_vec_push(&ops->ops, ops->arena, op);
    return true;
}

bool esse_native_ops_read(struct esse_native_ops *ops, struct esse_json *json)
{
    if (!esse_json_char(json, '[', "a list of operations"))
        return false;
    bool ok = true;
    for (bool first = true; esse_json_more(json, &first, ']', &ok);) {
        if (ops->ops.count % 16 == 0) /* a poll of each would be a tenth of reading it */
            esse_guard_poll();
        if (!quick_op(ops, json) && !read_op(ops, json))
            return false;
    }
    return ok;
}
