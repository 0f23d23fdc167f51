#include "base/out.h"
#include "sql/sql_answer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Aggregates.  All but count(*) leave NULL out, and are NULL of nothing (count is 0). */

static const char *const names[] = { "count", "count", "sum", "min", "max" };

static bool refuse(const struct esse_answer *answer, const struct sql_output *output,
                   const struct sql_datum *datum, struct esse_error *err)
{
    char message[SQL_WHY];
    snprintf(message, sizeof message, "%s() of %s is not supported", names[output->kind],
             sql_type_name(datum->type));
    return answer_fail(answer, output->at, message, err);
}

/* Integers add up to what may not fit 64 bits: PostgreSQL's sum of bigint is numeric. */
static bool add(struct esse_answer *answer, const struct sql_output *output,
                struct answer_fold *fold, const struct sql_datum *datum, struct esse_error *err)
{
    if (!sql_datum_is_number(datum))
        return refuse(answer, output, datum, err);
    const struct sql_decimal number =
        datum->type == SQL_INTEGER ? sql_decimal_from_int(datum->is.number) : datum->is.decimal;
    if (fold->datum.type == SQL_NULL)
        fold->datum = (struct sql_datum){ .type = SQL_DECIMAL, .is.decimal = number };
    else if (!sql_decimal_calculate('+', fold->datum.is.decimal, number, &fold->datum.is.decimal))
        return answer_fail(answer, output->at, "the sum has more than 38 digits", err);
    return true;
}

static void keep(const struct sql_output *output, struct answer_fold *fold,
                 const struct sql_datum *datum)
{
    fold->datum = *datum;
    if (datum->type == SQL_TEXT && output->of->kind == SQL_CAST) {
        assert(datum->is.text.length <= sizeof fold->room);
        memcpy(fold->room, datum->is.text.at, datum->is.text.length);
        fold->datum.is.text.at = fold->room;
    }
}

static bool choose(struct esse_answer *answer, const struct sql_output *output,
                   struct answer_fold *fold, struct sql_datum *datum, struct esse_error *err)
{
    sql_why why;
    if (datum->type == SQL_BOOLEAN || datum->type == SQL_OTHER)
        return refuse(answer, output, datum, err);
    if (datum->type == SQL_LITERAL)
        datum->type = SQL_TEXT;
    if (fold->datum.type == SQL_NULL) {
        keep(output, fold, datum);
        return true;
    }
    struct sql_datum best = fold->datum, other = *datum;
    const char *problem = sql_datum_meet(&best, &other, why);
    if (problem)
        return answer_fail(answer, output->at, problem, err);
    const int order = sql_datum_compare(&other, &best);
    if (output->kind == SQL_MIN ? order < 0 : order > 0)
        keep(output, fold, datum);
    return true;
}

bool answer_fold_in(struct esse_answer *answer, const struct sql_tuple *tuple,
                    struct esse_error *err)
{
    for (uint32_t i = 0; i < answer->select->output_count; i++) {
        const struct sql_output *output = &answer->select->outputs[i];
        struct answer_fold *fold = &answer->folds[i];
        struct sql_datum datum;
        if (output->kind == SQL_COUNT_ROWS) {
            fold->count++;
            continue;
        }
        if (!sql_evaluate(answer->predicate, output->of, tuple, &datum, err))
            return false;
        if (datum.type == SQL_NULL)
            continue;
        fold->count++;
        if (output->kind == SQL_SUM && !add(answer, output, fold, &datum, err))
            return false;
        if (output->kind > SQL_SUM && !choose(answer, output, fold, &datum, err))
            return false;
    }
    return true;
}

/* ---- the result ---- */

/* LIMIT 0, or an OFFSET, leaves the only row out. */
static uint32_t result_count(const struct esse_answer *answer)
{
    const struct sql_select *select = answer->select;
    const bool none = select->has_limit && (!select->limit || select->offset);
    return none ? 0 : select->output_count;
}

static struct sql_datum result_of(const struct esse_answer *answer, uint32_t i)
{
    return answer->select->outputs[i].kind <= SQL_COUNT
               ? sql_datum_integer((int64_t)answer->folds[i].count)
               : answer->folds[i].datum;
}

static bool is_same(struct sql_datum ours, struct sql_datum theirs)
{
    sql_why why;
    if (ours.type == SQL_NULL || theirs.type == SQL_NULL)
        return ours.type == theirs.type;
    if (theirs.type == SQL_TEXT)
        theirs.type = SQL_LITERAL; /* a history has texts where JSON has no type */
    return !sql_datum_meet(&ours, &theirs, why) && sql_datum_compare(&ours, &theirs) == 0;
}

bool esse_answer_is(const struct esse_answer *answer, const esse_value *result, uint32_t count)
{
    if (count != result_count(answer))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!is_same(result_of(answer, i), sql_datum_of(answer->values, result[i])))
            return false;
    return true;
}

static void show(struct esse_out *out, struct sql_datum datum)
{
    char room[SQL_CAST_TEXT];
    sql_why why;
    if (datum.type == SQL_NULL) {
        esse_out_text(out, "nil");
        return;
    }
    const bool is_text = datum.type == SQL_TEXT;
    sql_datum_cast(&datum, SQL_TO_TEXT, room, why);
    const struct esse_span text = sql_datum_text(&datum);
    esse_out_text(out, is_text ? "\"" : "");
    esse_out_bytes(out, text.at, text.length);
    esse_out_text(out, is_text ? "\"" : "");
}

void esse_answer_show(struct esse_out *out, const struct esse_answer *answer)
{
    const uint32_t count = result_count(answer);
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? ", " : "");
        show(out, result_of(answer, i));
    }
    if (!count)
        esse_out_text(out, "nothing");
}
