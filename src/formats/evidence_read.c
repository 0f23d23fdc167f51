#include "formats/evidence_read.h"

#include "base/vec.h"
#include "formats/json.h"

#include <string.h>

ESSE_VEC(verdict_vec, struct esse_verdict)
ESSE_VEC(anomaly_vec, struct esse_anomaly)
ESSE_VEC(step_vec, struct esse_step)
ESSE_VEC(edge_vec, struct esse_edge)
ESSE_VEC(number_vec, uint32_t)
ESSE_VEC(choice_vec, struct esse_choice)
ESSE_VEC(clause_vec, struct esse_clause)
ESSE_VEC(name_vec, const char *)
ESSE_VEC(way_vec, struct esse_way)
ESSE_VEC(source_vec, struct esse_read_source)
ESSE_VEC(supposition_vec, struct esse_supposition)

struct evidence_reader {
    struct esse_json json;
    struct esse_arena *arena;
};

static bool is(struct esse_span name, const char *text)
{
    return name.length == strlen(text) && memcmp(name.at, text, name.length) == 0;
}

static bool unknown(struct evidence_reader *r, struct esse_span name)
{
    return esse_json_fail(&r->json, r->json.at, "unknown member \"%.*s\" in an evidence file",
                          (int)(name.length < 60 ? name.length : 60), name.at);
}

/* A number of something in a history, or null. */
static bool number(struct evidence_reader *r, uint32_t *ix)
{
    int64_t value;
    if (esse_json_peek(&r->json) == 'n') {
        *ix = ESSE_NO_OP;
        return esse_json_skip(&r->json);
    }
    const char *place = r->json.at;
    if (!esse_json_int(&r->json, &value))
        return false;
    if (value < 0 || value >= UINT32_MAX)
        return esse_json_fail(&r->json, place,
                              "found %lld, expected the number of a transaction, "
                              "operation or key",
                              (long long)value);
    *ix = (uint32_t)value;
    return true;
}

static bool text(struct evidence_reader *r, const char **out)
{
    struct esse_span span;
    if (!esse_json_string(&r->json, &span))
        return false;
    *out = esse_arena_text(r->arena, span.at, span.length);
    return true;
}

static bool read_names(struct evidence_reader *r, const char *const **out, uint32_t *count)
{
    struct name_vec names = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of names");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        const char *name;
        if (!text(r, &name))
            return false;
        name_vec_push(&names, r->arena, name);
    }
    *out = names.at;
    *count = (uint32_t)names.count;
    return ok;
}

/* Numbers, none of them null. */
static bool read_numbers(struct evidence_reader *r, const uint32_t **out, uint32_t *count)
{
    struct number_vec numbers = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of numbers");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        uint32_t value;
        if (!number(r, &value))
            return false;
        if (value == ESSE_NO_OP)
            return esse_json_fail(&r->json, r->json.at, "found null, expected a number");
        number_vec_push(&numbers, r->arena, value);
    }
    *out = numbers.at;
    *count = (uint32_t)numbers.count;
    return ok;
}

/* A word of a list that ends with NULL, by its position. */
static bool read_word(struct evidence_reader *r, const char *const *words, const char *expected,
                      unsigned *at)
{
    const char *word;
    if (!text(r, &word))
        return false;
    for (*at = 0; words[*at]; ++*at)
        if (strcmp(word, words[*at]) == 0)
            return true;
    return esse_json_fail(&r->json, r->json.at, "found \"%.40s\", expected %s", word, expected);
}

static bool read_step(struct evidence_reader *r, struct esse_step *step)
{
    bool ok = esse_json_char(&r->json, '{', "a step {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        ok = esse_json_name(&r->json, &name) && (is(name, "txn")     ? number(r, &step->txn.ix)
                                                 : is(name, "op")    ? number(r, &step->op.ix)
                                                 : is(name, "why")   ? text(r, &step->why)
                                                 : is(name, "basis") ? text(r, &step->basis)
                                                                     : unknown(r, name));
        if (!ok)
            return false;
    }
    return ok;
}

static bool read_edges(struct evidence_reader *r, const struct esse_edge **at, uint32_t *count,
                       bool nested);

static bool read_edge(struct evidence_reader *r, struct esse_edge *edge, bool nested)
{
    bool ok = esse_json_char(&r->json, '{', "an edge {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        if (!esse_json_name(&r->json, &name))
            return false;
        edge->has_key |= is(name, "key");
        ok = is(name, "dep")             ? text(r, &edge->dep)
             : is(name, "from")          ? number(r, &edge->from.ix)
             : is(name, "to")            ? number(r, &edge->to.ix)
             : is(name, "key")           ? number(r, &edge->key.ix)
             : is(name, "from_op")       ? number(r, &edge->from_op.ix)
             : is(name, "to_op")         ? number(r, &edge->to_op.ix)
             : is(name, "witness")       ? number(r, &edge->witness.ix)
             : is(name, "why")           ? text(r, &edge->why)
             : is(name, "basis")         ? text(r, &edge->basis)
             : is(name, "later_witness") ? number(r, &edge->later_witness.ix)
             : is(name, "because") && !nested
                 ? read_edges(r, &edge->because, &edge->because_count, true)
                 : unknown(r, name);
        if (!ok)
            return false;
    }
    return ok && (edge->dep || esse_json_fail(&r->json, r->json.at, "an edge has no dep"));
}

static bool read_steps(struct evidence_reader *r, struct esse_anomaly *anomaly)
{
    struct step_vec steps = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of steps");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_step step = { { ESSE_NO_OP }, { ESSE_NO_OP }, "", NULL };
        if (!read_step(r, &step))
            return false;
        step_vec_push(&steps, r->arena, step);
    }
    anomaly->steps = steps.at;
    anomaly->step_count = (uint32_t)steps.count;
    return ok;
}

static bool read_edges(struct evidence_reader *r, const struct esse_edge **at, uint32_t *count,
                       bool nested)
{
    struct edge_vec edges = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of edges");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_edge edge = { .from_op = { ESSE_NO_OP },
                                  .to_op = { ESSE_NO_OP },
                                  .witness = { ESSE_NO_OP },
                                  .later_witness = { ESSE_NO_OP },
                                  .why = "" };
        if (!read_edge(r, &edge, nested))
            return false;
        edge_vec_push(&edges, r->arena, edge);
    }
    *at = edges.at;
    *count = (uint32_t)edges.count;
    return ok;
}

/* ---- refutations ---- */

static bool read_parts(struct evidence_reader *r, struct esse_choice *choice)
{
    const uint32_t *parts;
    uint32_t count;
    if (!read_numbers(r, &parts, &count))
        return false;
    if (count != 2)
        return esse_json_fail(&r->json, r->json.at, "found %u parts, expected two", count);
    choice->parts[0] = parts[0];
    choice->parts[1] = parts[1];
    return true;
}

/* Which members there are, a bit each: every kind has its own, and all of them. */
enum member {
    KIND = 1,
    KEY = 2,
    FIRST = 4,
    SECOND = 8,
    PARTS = 16,
    LITERALS = 32,
    EDGES = 64,
    READ = 128
};

static bool check_members(struct evidence_reader *r, unsigned found, unsigned wanted,
                          const char *what)
{
    return found == wanted ||
           esse_json_fail(&r->json, r->json.at, "%s does not have the members of its kind", what);
}

static bool read_choice(struct evidence_reader *r, struct esse_choice *choice)
{
    static const char *const kinds[] = { "order", "source", "both", NULL };
    static const unsigned members[] = { KIND | KEY | FIRST | SECOND, KIND | KEY | FIRST | SECOND,
                                        KIND | PARTS };
    bool ok = esse_json_char(&r->json, '{', "a choice {...}");
    struct esse_span name;
    unsigned kind = 0, found = 0;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        if (!esse_json_name(&r->json, &name))
            return false;
        found |= is(name, "kind")     ? KIND
                 : is(name, "key")    ? KEY
                 : is(name, "first")  ? FIRST
                 : is(name, "second") ? SECOND
                                      : PARTS;
        ok = is(name, "kind")     ? read_word(r, kinds, "order, source or both", &kind)
             : is(name, "key")    ? number(r, &choice->key.ix)
             : is(name, "first")  ? number(r, &choice->first.ix)
             : is(name, "second") ? number(r, &choice->second.ix)
             : is(name, "parts")  ? read_parts(r, choice)
                                  : unknown(r, name);
        if (!ok)
            return false;
    }
    choice->kind = (enum esse_choice_kind)kind;
    return ok && check_members(r, found, members[kind], "a choice");
}

static bool read_clause(struct evidence_reader *r, struct esse_clause *clause)
{
    static const char *const kinds[] = { "cycle", "sources", "both", "follows", NULL };
    static const unsigned members[] = { KIND | LITERALS | EDGES, KIND | LITERALS | READ | KEY,
                                        KIND | LITERALS, KIND | LITERALS };
    bool ok = esse_json_char(&r->json, '{', "a clause {...}");
    struct esse_span name;
    unsigned kind = 0, found = 0;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        if (!esse_json_name(&r->json, &name))
            return false;
        found |= is(name, "kind")       ? KIND
                 : is(name, "literals") ? LITERALS
                 : is(name, "edges")    ? EDGES
                 : is(name, "read")     ? READ
                                        : KEY;
        ok = is(name, "kind")       ? read_word(r, kinds, "cycle, sources, both or follows", &kind)
             : is(name, "literals") ? read_numbers(r, &clause->literals, &clause->count)
             : is(name, "edges")    ? read_edges(r, &clause->edges, &clause->edge_count, true)
             : is(name, "read")     ? number(r, &clause->read.ix)
             : is(name, "key")      ? number(r, &clause->key.ix)
                                    : unknown(r, name);
        if (!ok)
            return false;
    }
    clause->kind = (enum esse_clause_kind)kind;
    return ok && check_members(r, found, members[kind], "a clause");
}

static bool read_choices(struct evidence_reader *r, struct esse_refutation *refutation)
{
    struct choice_vec choices = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of choices");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_choice choice = { .first = { ESSE_NO_OP }, .second = { ESSE_NO_OP } };
        if (!read_choice(r, &choice))
            return false;
        choice_vec_push(&choices, r->arena, choice);
    }
    refutation->choices = choices.at;
    refutation->choice_count = (uint32_t)choices.count;
    return ok;
}

static bool read_clauses(struct evidence_reader *r, struct esse_refutation *refutation)
{
    struct clause_vec clauses = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of clauses");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_clause clause = { .read = { ESSE_NO_OP } };
        if (!read_clause(r, &clause))
            return false;
        clause_vec_push(&clauses, r->arena, clause);
    }
    refutation->clauses = clauses.at;
    refutation->clause_count = (uint32_t)clauses.count;
    return ok;
}

static bool check_literals(struct evidence_reader *r, const struct esse_refutation *refutation)
{
    for (uint32_t c = 0; c < refutation->clause_count; c++)
        for (uint32_t i = 0; i < refutation->clauses[c].count; i++)
            if (refutation->clauses[c].literals[i] >> 1 >= refutation->choice_count)
                return esse_json_fail(
                    &r->json, r->json.at, "found literal %u of %u choices in clause %u",
                    refutation->clauses[c].literals[i], refutation->choice_count, c);
    return true;
}

static bool read_refutation(struct evidence_reader *r, const struct esse_refutation **out)
{
    struct esse_refutation *refutation = esse_arena_alloc(r->arena, 1, sizeof *refutation);
    bool ok = esse_json_char(&r->json, '{', "a refutation {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        ok = esse_json_name(&r->json, &name) && (is(name, "choices")   ? read_choices(r, refutation)
                                                 : is(name, "clauses") ? read_clauses(r, refutation)
                                                                       : unknown(r, name));
        if (!ok)
            return false;
    }
    *out = refutation;
    return ok && check_literals(r, refutation);
}

/* ---- anomalies and verdicts ---- */

static bool read_truth(struct evidence_reader *r, bool *out)
{
    const char found = esse_json_peek(&r->json);
    *out = found == 't';
    return found == 't' || found == 'f'
               ? esse_json_skip(&r->json)
               : esse_json_fail(&r->json, r->json.at, "expected true or false");
}

static bool read_supposition(struct evidence_reader *r, struct esse_supposition *supposed)
{
    bool ok = esse_json_char(&r->json, '{', "a supposed outcome {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);)
        if (!esse_json_name(&r->json, &name) ||
            !(is(name, "txn")         ? number(r, &supposed->txn.ix)
              : is(name, "committed") ? read_truth(r, &supposed->committed)
                                      : unknown(r, name)))
            return false;
    return ok;
}

static bool read_supposed(struct evidence_reader *r, struct esse_anomaly *anomaly)
{
    struct supposition_vec supposed = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of supposed outcomes");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_supposition one = { { ESSE_NO_TXN }, false };
        if (!read_supposition(r, &one))
            return false;
        supposition_vec_push(&supposed, r->arena, one);
    }
    anomaly->supposed = supposed.at;
    anomaly->supposed_count = (uint32_t)supposed.count;
    return ok;
}

static bool read_anomaly(struct evidence_reader *r, struct esse_anomaly *anomaly)
{
    bool ok = esse_json_char(&r->json, '{', "an anomaly {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        if (!esse_json_name(&r->json, &name))
            return false;
        anomaly->has_key |= is(name, "key");
        ok = is(name, "type")         ? text(r, &anomaly->type)
             : is(name, "key")        ? number(r, &anomaly->key.ix)
             : is(name, "steps")      ? read_steps(r, anomaly)
             : is(name, "edges")      ? read_edges(r, &anomaly->edges, &anomaly->edge_count, false)
             : is(name, "refutation") ? read_refutation(r, &anomaly->refutation)
             : is(name, "order_by")   ? text(r, &anomaly->order_by)
             : is(name, "supposed")   ? read_supposed(r, anomaly)
                                      : unknown(r, name);
        if (!ok)
            return false;
    }
    return ok && (anomaly->type || esse_json_fail(&r->json, r->json.at, "an anomaly has no type"));
}

static bool read_anomalies(struct evidence_reader *r, const struct esse_anomaly **out,
                           uint32_t *count)
{
    struct anomaly_vec anomalies = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of anomalies");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_anomaly anomaly = { .description = "" };
        if (!read_anomaly(r, &anomaly))
            return false;
        anomaly_vec_push(&anomalies, r->arena, anomaly);
    }
    *out = anomalies.at;
    *count = (uint32_t)anomalies.count;
    return ok;
}

/* Operations; null where it is nobody's. */
static bool read_by(struct evidence_reader *r, struct esse_way *way)
{
    struct number_vec by = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of operations");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        uint32_t op;
        if (!number(r, &op))
            return false;
        number_vec_push(&by, r->arena, op);
    }
    way->by = by.at;
    way->count = (uint32_t)by.count;
    return ok;
}

static bool read_way(struct evidence_reader *r, struct esse_way *way)
{
    bool ok = esse_json_char(&r->json, '{', "a way {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);)
        ok = esse_json_name(&r->json, &name) &&
             (is(name, "by")          ? read_by(r, way)
              : is(name, "anomalies") ? read_anomalies(r, &way->anomalies, &way->anomaly_count)
                                      : unknown(r, name));
    return ok;
}

static bool read_ways(struct evidence_reader *r, struct esse_verdict *verdict)
{
    struct way_vec ways = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of ways");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_way way = { 0 };
        if (!read_way(r, &way))
            return false;
        way_vec_push(&ways, r->arena, way);
    }
    verdict->ways = ways.at;
    verdict->way_count = (uint32_t)ways.count;
    return ok;
}

static bool read_source(struct evidence_reader *r, struct esse_read_source *source)
{
    bool ok = esse_json_char(&r->json, '{', "a source {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        ok = esse_json_name(&r->json, &name) && (is(name, "read")    ? number(r, &source->read.ix)
                                                 : is(name, "key")   ? number(r, &source->key.ix)
                                                 : is(name, "write") ? number(r, &source->write.ix)
                                                                     : unknown(r, name));
        if (!ok)
            return false;
    }
    return ok;
}

static bool read_sources(struct evidence_reader *r, struct esse_order *order)
{
    struct source_vec sources = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of sources");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_read_source source = { { ESSE_NO_OP }, { ESSE_NO_OP }, { ESSE_NO_OP } };
        if (!read_source(r, &source))
            return false;
        source_vec_push(&sources, r->arena, source);
    }
    order->sources = sources.at;
    order->source_count = (uint32_t)sources.count;
    return ok;
}

static bool read_bool(struct evidence_reader *r, bool *value)
{
    const char *at = r->json.at;
    *value = esse_json_peek(&r->json) == 't';
    return *value || esse_json_peek(&r->json) == 'f'
               ? esse_json_skip(&r->json)
               : esse_json_fail(&r->json, at, "expected true or false");
}

static bool read_order(struct evidence_reader *r, struct esse_order *order)
{
    bool ok = esse_json_char(&r->json, '{', "an order {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        if (!esse_json_name(&r->json, &name))
            return false;
        ok = is(name, "starts")     ? read_bool(r, &order->has_starts)
             : is(name, "accesses") ? read_bool(r, &order->of_accesses)
             : is(name, "proves")   ? text(r, &order->proves)
             : is(name, "events")   ? read_numbers(r, &order->events, &order->count)
             : is(name, "sources")  ? read_sources(r, order)
                                    : unknown(r, name);
        if (!ok)
            return false;
    }
    return ok;
}

static bool read_outcome(struct evidence_reader *r, struct esse_verdict *verdict)
{
    static const char *const words[] = { "holds", "violated", "unknown", NULL };
    unsigned at;
    if (!read_word(r, words, "holds, violated or unknown", &at))
        return false;
    verdict->outcome = (enum esse_outcome)at;
    return true;
}

static bool read_verdict(struct evidence_reader *r, struct esse_verdict *verdict)
{
    bool ok = esse_json_char(&r->json, '{', "a result {...}");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        if (!esse_json_name(&r->json, &name))
            return false;
        ok = is(name, "level")     ? text(r, &verdict->level)
             : is(name, "verdict") ? read_outcome(r, verdict)
             : is(name, "anomalies")
                 ? read_anomalies(r, &verdict->anomalies, &verdict->anomaly_count)
             : is(name, "ways")        ? read_ways(r, verdict)
             : is(name, "order")       ? read_order(r, &verdict->order)
             : is(name, "assumed")     ? read_names(r, &verdict->assumed, &verdict->assumed_count)
             : is(name, "named")       ? read_names(r, &verdict->named, &verdict->named_count)
             : is(name, "certificate") ? text(r, &verdict->certificate)
                                       : unknown(r, name);
        if (!ok)
            return false;
    }
    return ok && (verdict->level || esse_json_fail(&r->json, r->json.at, "a result has no level"));
}

static bool read_results(struct evidence_reader *r, struct esse_evidence *out)
{
    struct verdict_vec verdicts = { 0 };
    bool ok = esse_json_char(&r->json, '[', "a list of results");
    for (bool first = true; ok && esse_json_more(&r->json, &first, ']', &ok);) {
        struct esse_verdict verdict = { .outcome = ESSE_UNKNOWN };
        if (!read_verdict(r, &verdict))
            return false;
        verdict_vec_push(&verdicts, r->arena, verdict);
    }
    out->verdicts = verdicts.at;
    out->verdict_count = (uint32_t)verdicts.count;
    return ok;
}

static bool read_count(struct evidence_reader *r, uint64_t *count)
{
    uint32_t value = 0;
    bool ok = number(r, &value);
    *count = value;
    return ok;
}

enum { EVIDENCE_VERSION = 1 };

static bool read_version(struct evidence_reader *r)
{
    int64_t version;
    const char *at = r->json.at;
    return esse_json_int(&r->json, &version) &&
           (version == EVIDENCE_VERSION ||
            esse_json_fail(&r->json, at, "found version %lld, expected %d", (long long)version,
                           EVIDENCE_VERSION));
}

static bool read_magic(struct evidence_reader *r)
{
    const char *word;
    return text(r, &word) &&
           (strcmp(word, "evidence") == 0 ||
            esse_json_fail(&r->json, r->json.at, "found \"%.40s\", expected \"evidence\"", word));
}

static bool read_file(struct evidence_reader *r, struct esse_evidence *out)
{
    bool ok = esse_json_char(&r->json, '{', "an evidence file, as esse check --evidence writes it");
    struct esse_span name;
    for (bool first = true; ok && esse_json_more(&r->json, &first, '}', &ok);) {
        ok = esse_json_name(&r->json, &name) &&
             (is(name, "esse")           ? read_magic(r)
              : is(name, "version")      ? read_version(r)
              : is(name, "history")      ? esse_json_skip(&r->json)
              : is(name, "transactions") ? read_count(r, &out->transactions)
              : is(name, "operations")   ? read_count(r, &out->operations)
              : is(name, "results")      ? read_results(r, out)
                                         : unknown(r, name));
        if (!ok)
            return false;
    }
    return ok;
}

bool esse_evidence_parse(struct esse_arena *arena, struct esse_source *source,
                         struct esse_evidence *out, struct esse_error *err)
{
    struct esse_evidence evidence = { 0 };
    struct evidence_reader reader = { .arena = arena };
    struct esse_arena *scratch = esse_arena_new();
    esse_json_init(&reader.json, source, esse_values_new(scratch), false, err);
    const bool ok = read_file(&reader, &evidence);
    esse_arena_free(scratch);
    if (ok)
        *out = evidence;
    return ok;
}

/* The file is one form, so the whole of it must be in the window. */
static bool fill_window(struct esse_source *source, struct esse_error *err)
{
    while (!source->last)
        if (!esse_source_more(source, err))
            return false;
    return true;
}

bool esse_evidence_read(struct esse_arena *arena, const char *path, struct esse_evidence *out,
                        struct esse_error *err)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_source source;
    bool ok = esse_source_open(&source, scratch, path, NULL, err);
    if (ok) {
        ok = fill_window(&source, err) && esse_evidence_parse(arena, &source, out, err);
        esse_source_close(&source);
    }
    esse_arena_free(scratch);
    return ok;
}
