#include "cli/watching_level.h"

#include "history/history.h"

bool esse_watching_has_level(const struct esse_window_verdict *verdict)
{
    return verdict->is_new || verdict->told_count;
}

static bool is_strong_only(const struct esse_window_verdict *verdict)
{
    return verdict->outcome == ESSE_VIOLATED && verdict->level != verdict->asked;
}

/* ---- JSON ---- */

static void put_names(struct esse_out *out, const struct esse_history *part)
{
    for (uint32_t t = 0; t < part->txns; t++) {
        char name[80];
        esse_txn_name(part, (esse_txn){ t }, name, sizeof name);
        esse_out_text(out, t ? "," : "");
        esse_out_json_text(out, name);
    }
}

static void put_json(struct esse_out *out, const struct esse_window_verdict *v)
{
    esse_out_f(out, "{\"level\":\"%s\",\"verdict\":\"%s\"", esse_level_name(v->level),
               esse_outcome_name(v->outcome));
    if (is_strong_only(v))
        esse_out_f(out, ",\"promised\":\"%s\",\"of_promised\":\"%s\"", esse_level_name(v->asked),
                   esse_outcome_name(v->promised));
    esse_out_f(out, ",\"window\":%u,\"left_out\":%u", v->window_txns, v->left_out);
    if (v->is_new) {
        esse_out_f(out, ",\"anomaly\":\"%s\",\"transactions\":[", esse_anomaly_name(v->type));
        put_names(out, v->part);
        esse_out_char(out, ']');
    }
    if (v->err.code != ESSE_OK)
        esse_out_json_member(out, "error", v->err.text);
    esse_out_text(out, ",\"findings\":[");
    for (size_t i = 0; i < v->told_count; i++)
        esse_out_f(out, "%s%llu", i ? "," : "", (unsigned long long)v->told[i].serial);
    esse_out_text(out, "]}\n");
}

/* ---- text ---- */

static void put_violation(struct esse_out *out, const struct esse_window_verdict *v)
{
    if (is_strong_only(v))
        esse_out_f(out, "%s broken: %s\n  the profile promises %s, which these transactions %s\n",
                   esse_level_name(v->level), esse_anomaly_name(v->type), esse_level_name(v->asked),
                   v->promised == ESSE_HOLDS ? "satisfy" : "may satisfy: that was not decided");
    else
        esse_out_f(out, "level broken: %s, %s\n", esse_level_name(v->level),
                   esse_anomaly_name(v->type));
    for (uint32_t t = 0; t < v->part->txns; t++) {
        char name[80];
        esse_txn_name(v->part, (esse_txn){ t }, name, sizeof name);
        esse_out_f(out, "  %s\n", name);
    }
}

static void put_satisfied(struct esse_out *out, const struct esse_window_verdict *v)
{
    esse_out_f(out, ": mechanism broken; these %u transactions satisfy %s", v->window_txns,
               esse_level_name(v->asked));
    if (v->left_out)
        esse_out_f(out, ", not counting %u read%s whose writers are not known for certain",
                   v->left_out, v->left_out == 1 ? "" : "s");
    esse_out_char(out, '\n');
}

static void put_findings(struct esse_out *out, const struct esse_window_verdict *v)
{
    const bool satisfies =
        v->outcome == ESSE_HOLDS || (is_strong_only(v) && v->promised == ESSE_HOLDS);
    esse_out_f(out, "finding%s %llu", v->told_count > 1 ? "s" : "",
               (unsigned long long)v->told[0].serial);
    if (v->told_count > 1)
        esse_out_f(out, " to %llu", (unsigned long long)v->told[v->told_count - 1].serial);
    if (satisfies)
        put_satisfied(out, v);
    else if (v->outcome == ESSE_VIOLATED && !is_strong_only(v))
        esse_out_f(out, ": among %u transactions that violate %s\n", v->window_txns,
                   esse_level_name(v->asked));
    else
        esse_out_f(out, ": whether these %u transactions satisfy %s was not decided%s%s\n",
                   v->window_txns, esse_level_name(v->asked), v->err.code != ESSE_OK ? ": " : "",
                   v->err.code != ESSE_OK ? v->err.text : "");
}

void esse_watching_put_level(struct esse_out *out, const struct esse_window_verdict *verdict,
                             bool as_json)
{
    if (as_json) {
        put_json(out, verdict);
        return;
    }
    if (verdict->is_new)
        put_violation(out, verdict);
    if (verdict->told_count)
        put_findings(out, verdict);
}
