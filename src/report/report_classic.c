#include "report/report_classic.h"

#include "base/arena.h"
#include "history/value_edn.h"
#include "history/value_json.h"

#include <string.h>

static const char *const outcome_words[] = { "valid", "invalid", "unknown" };
static const char *const outcome_colours[] = { "\033[32m", "\033[31m", "\033[33m" };

/* ---- text ---- */

/* EDN, shortened in the middle: a read of a set may have a hundred thousand elements. */
static void put_short(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    enum { MOST = 96 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_out whole;
    esse_out_init_memory(&whole, arena);
    esse_value_put_edn(&whole, values, value);
    const char *text = esse_out_memory(&whole);
    size_t head = whole.count, tail = whole.count;
    if (whole.count > MOST) {
        /* Cut between characters: a continuation byte is 10xxxxxx. */
        for (head = MOST * 2 / 3; head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80;)
            head--;
        for (tail = whole.count - MOST / 3; ((unsigned char)text[tail] & 0xc0) == 0x80;)
            tail++;
    }
    esse_out_bytes(out, text, head);
    if (tail > head)
        esse_out_text(out, " … ");
    esse_out_bytes(out, text + tail, whole.count - tail);
    esse_arena_free(arena);
}

/* "    line 12, process 3, at 1.250 s: :ok :read [1 2]   acknowledged it" */
static void put_witness(struct esse_out *out, const struct esse_oplog *log,
                        const struct esse_witness *witness)
{
    const uint32_t op = witness->op;
    esse_out_f(out, "    line %llu", (unsigned long long)log->line[op]);
    if (!esse_value_eq(log->process[op], ESSE_NONE)) {
        esse_out_text(out, ", process ");
        esse_value_put_edn(out, log->values, log->process[op]);
    }
    if (log->time[op] != ESSE_NO_TIME)
        esse_out_f(out, ", at %.3f s", (double)log->time[op] * 1e-9);
    esse_out_f(out, ": :%s", esse_oplog_type_names[log->type[op]]);
    if (!esse_value_eq(log->f[op], ESSE_NONE)) {
        esse_out_char(out, ' ');
        esse_value_put_edn(out, log->values, log->f[op]);
    }
    if (!esse_value_eq(log->value[op], ESSE_NIL)) {
        esse_out_char(out, ' ');
        put_short(out, log->values, log->value[op]);
    }
    if (witness->why)
        esse_out_f(out, "  (%s)", witness->why);
    esse_out_char(out, '\n');
}

static void put_findings(struct esse_out *out, const struct esse_findings *found)
{
    if (found->reason)
        esse_out_f(out, "  because %s\n", found->reason);
    if (found->outcome == ESSE_UNKNOWN)
        esse_out_f(out, "  what you can do: %s\n",
                   found->too_few_committed
                       ? "let more operations succeed, reads among them; --min-committed asks for "
                         "fewer"
                       : "let the workload read what it wrote, at last when all writes have ended");
    if (found->summary)
        esse_out_f(out, "  %s\n", found->summary);
    for (const struct esse_finding *finding = found->first; finding; finding = finding->next) {
        if (finding->text != found->reason)
            esse_out_f(out, "  %s\n", finding->text);
        for (uint32_t i = 0; i < finding->witness_count; i++)
            put_witness(out, found->log, &finding->witnesses[i]);
    }
}

static void put_verdict(struct esse_out *out, const struct esse_classic_report *report,
                        const struct esse_findings *found)
{
    esse_out_f(out, "%s: %s%s%s %s", report->path,
               report->colour ? outcome_colours[found->outcome] : "", outcome_words[found->outcome],
               report->colour ? "\033[0m" : "", report->checker);
}

void esse_report_classic_text(struct esse_out *out, const struct esse_classic_report *report)
{
    enum { KEYS = 8 };
    const struct esse_findings *found = report->found;
    uint32_t shown = 0;
    put_verdict(out, report, found);
    esse_out_char(out, '\n');
    put_findings(out, found);
    /* The worst keys: those that made the verdict. */
    for (uint32_t i = 0; i < found->part_count && found->outcome != ESSE_HOLDS; i++) {
        const struct esse_findings *part = &found->parts[i];
        if (part->outcome != found->outcome)
            continue;
        if (shown++ == KEYS) {
            esse_out_text(out, "… and more keys; --json lists all\n");
            return;
        }
        put_verdict(out, report, part);
        esse_out_text(out, ", key ");
        put_short(out, part->log->values, part->key);
        esse_out_char(out, '\n');
        put_findings(out, part);
    }
}

/* ---- JSON ---- */

static void put_op(struct esse_out *out, const struct esse_oplog *log, uint32_t op, bool brief)
{
    esse_out_f(out, "{\"index\":%lld,\"line\":%llu,\"process\":", (long long)log->index[op],
               (unsigned long long)log->line[op]);
    esse_value_put_json(out, log->values, log->process[op]);
    esse_out_f(out, ",\"type\":\"%s\",\"f\":", esse_oplog_type_names[log->type[op]]);
    esse_value_put_json(out, log->values, log->f[op]);
    if (log->time[op] != ESSE_NO_TIME)
        esse_out_f(out, ",\"time\":%lld", (long long)log->time[op]);
    if (!brief) {
        esse_out_text(out, ",\"value\":");
        esse_value_put_json(out, log->values, log->value[op]);
    }
    esse_out_char(out, '}');
}

static void put_values(struct esse_out *out, const struct esse_oplog *log,
                       const struct esse_fact *fact)
{
    esse_out_char(out, '[');
    for (size_t i = 0; i < fact->is.values.count; i++) {
        if (i)
            esse_out_char(out, ',');
        esse_value_put_json(out, log->values, fact->is.values.at[i]);
    }
    esse_out_char(out, ']');
}

static void put_ints(struct esse_out *out, const struct esse_fact *fact)
{
    const int64_t *at = fact->is.ints.at;
    esse_out_char(out, '[');
    for (size_t row = 0; row < fact->is.ints.rows; row++) {
        esse_out_text(out, row ? ",[" : "[");
        for (unsigned i = 0; i < fact->is.ints.width; i++) {
            if (i)
                esse_out_char(out, ',');
            esse_out_i64(out, *at++);
        }
        esse_out_char(out, ']');
    }
    esse_out_char(out, ']');
}

static void put_fact(struct esse_out *out, const struct esse_oplog *log,
                     const struct esse_fact *fact);

static void put_members(struct esse_out *out, const struct esse_oplog *log,
                        const struct esse_fact *fact, bool first)
{
    for (const struct esse_fact *member = fact->is.in.first; member; member = member->next) {
        if (!first)
            esse_out_char(out, ',');
        first = false;
        if (member->name) {
            esse_out_json_text(out, member->name);
            esse_out_char(out, ':');
        }
        put_fact(out, log, member);
    }
}

/* As deep as the checkers nest their facts: three or four levels. */
static void put_fact(struct esse_out *out, const struct esse_oplog *log,
                     const struct esse_fact *fact)
{
    switch (fact->kind) {
    case ESSE_FACT_OBJECT:
    case ESSE_FACT_ARRAY:
        esse_out_char(out, fact->kind == ESSE_FACT_OBJECT ? '{' : '[');
        put_members(out, log, fact, true);
        esse_out_char(out, fact->kind == ESSE_FACT_OBJECT ? '}' : ']');
        break;
    case ESSE_FACT_INT:
        esse_out_i64(out, fact->is.number);
        break;
    case ESSE_FACT_TEXT:
        esse_out_json_text(out, fact->is.text);
        break;
    case ESSE_FACT_VALUE:
        esse_value_put_json(out, log->values, fact->is.value);
        break;
    case ESSE_FACT_OP:
    case ESSE_FACT_OP_BRIEF:
        put_op(out, log, fact->is.op, fact->kind == ESSE_FACT_OP_BRIEF);
        break;
    case ESSE_FACT_VALUES:
        put_values(out, log, fact);
        break;
    case ESSE_FACT_INTS:
        put_ints(out, fact);
        break;
    }
}

/* The verdict and facts of a history or of one key. */
static void put_result(struct esse_out *out, const struct esse_findings *found)
{
    static const char *const valid[] = { "true", "false", "\"unknown\"" };
    esse_out_f(out, "{\"valid\":%s", valid[found->outcome]);
    if (found->reason)
        esse_out_json_member(out, "reason", found->reason);
    put_members(out, found->log, found->facts, false);
    if (found->parts) {
        esse_out_text(out, ",\"results\":[");
        for (uint32_t i = 0; i < found->part_count; i++) {
            esse_out_text(out, i ? ",{\"key\":" : "{\"key\":");
            esse_value_put_json(out, found->log->values, found->parts[i].key);
            esse_out_text(out, ",\"result\":");
            put_result(out, &found->parts[i]);
            esse_out_char(out, '}');
        }
        esse_out_char(out, ']');
    }
    esse_out_char(out, '}');
}

static void put_warnings(struct esse_out *out, const struct esse_oplog *log)
{
    bool first = true;
    esse_out_text(out, ",\"warnings\":[");
    for (int i = 0; i < ESSE_DOUBTS; i++) {
        if (!log->doubts[i])
            continue;
        esse_out_f(out, "%s{\"count\":%llu,\"first_line\":%llu", first ? "" : ",",
                   (unsigned long long)log->doubts[i], (unsigned long long)log->doubt_lines[i]);
        esse_out_json_member(out, "text", esse_oplog_doubt_texts[i]);
        esse_out_char(out, '}');
        first = false;
    }
    esse_out_char(out, ']');
}

void esse_report_classic_json(struct esse_out *out, const struct esse_classic_report *report)
{
    const struct esse_findings *found = report->found;
    esse_out_f(out, "{\"esse\":\"%s\",\"history\":{\"path\":", esse_version());
    esse_out_json_text(out, report->path);
    esse_out_json_member(out, "format", found->log->format);
    esse_out_f(out, ",\"operations\":%u", found->log->count);
    put_warnings(out, found->log);
    esse_out_char(out, '}');
    esse_out_json_member(out, "checker", report->checker);
    esse_out_json_member(out, "verdict", outcome_words[found->outcome]);
    esse_out_text(out, ",\"result\":");
    put_result(out, found);
    esse_out_text(out, "}\n");
}
