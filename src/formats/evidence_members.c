#include "formats/evidence_members.h"

#include "base/names.h"

#define PLACE(s, m)       .name = #m, .at = offsetof(struct s, m)
#define COUNTED(s, m, c)  PLACE(s, m), .count_at = offsetof(struct s, c)
#define NUMBER(s, m)      PLACE(s, m), .kind = EVIDENCE_NUMBER
#define TEXT(s, m)        PLACE(s, m), .kind = EVIDENCE_TEXT
#define LIST(s, m, c, of) COUNTED(s, m, c), .kind = EVIDENCE_LIST, .shape = &of
#define BASES                                                                                      \
    .words = esse_basis_names, .if_any = true,                                                     \
    .expected = "wfr-keys, sequential-keys, linearizable-keys or initial-state"
#define SHAPE(one, many, type, blank, m)                                                           \
    {                                                                                              \
        one, many, sizeof(struct type), blank, m, sizeof m / sizeof *m, NULL                       \
    }

/* ---- steps and edges ---- */

static const struct evidence_member step_members[] = {
    { NUMBER(esse_step, txn) },
    { NUMBER(esse_step, op) },
    { PLACE(esse_step, basis), .kind = EVIDENCE_WORD, BASES },
    { TEXT(esse_step, why) },
};

static const struct esse_step blank_step = { { ESSE_NO_OP }, { ESSE_NO_OP }, "", ESSE_BASIS_NONE };
static const struct evidence_shape step_shape =
    SHAPE("a step", "steps", esse_step, &blank_step, step_members);

static bool has_basis(const void *edge)
{
    return ((const struct esse_edge *)edge)->basis;
}

static const struct evidence_shape reason_shape;

static const struct evidence_member edge_members[] = {
    { PLACE(esse_edge, dep), .kind = EVIDENCE_WORD, .words = esse_dep_names,
      .expected = "a dependency such as ww", .is_needed = true },
    { NUMBER(esse_edge, from) },
    { NUMBER(esse_edge, to) }, /* null: the initial version */
    { NUMBER(esse_edge, key), .flag_at = offsetof(struct esse_edge, has_key) },
    { NUMBER(esse_edge, from_op) },
    { NUMBER(esse_edge, to_op) },
    { NUMBER(esse_edge, witness) },
    { PLACE(esse_edge, basis), .kind = EVIDENCE_WORD, BASES },
    { NUMBER(esse_edge, later_witness), .is_told = has_basis },
    { TEXT(esse_edge, why) },
    { LIST(esse_edge, because, because_count, reason_shape), .if_any = true },
};

static const struct esse_edge blank_edge = {
    .from_op = { ESSE_NO_OP },
    .to_op = { ESSE_NO_OP },
    .witness = { ESSE_NO_OP },
    .later_witness = { ESSE_NO_OP },
    .why = "",
};

static const struct evidence_shape edge_shape =
    SHAPE("an edge", "edges", esse_edge, &blank_edge, edge_members);

/* Edges are nested once: this one has no 'because', which is the last member. */
static const struct evidence_shape reason_shape = {
    "an edge",   "edges",      sizeof(struct esse_edge),
    &blank_edge, edge_members, sizeof edge_members / sizeof *edge_members - 1,
};

/* ---- refutations ---- */

static const char *const choice_kinds[] = { "order", "source", "both", NULL };
enum {
    OF_TWO = 1 << ESSE_CHOICE_ORDER | 1 << ESSE_CHOICE_SOURCE,
    OF_BOTH = 1 << ESSE_CHOICE_BOTH,
    ANY_CHOICE = OF_TWO | OF_BOTH,
};

static const struct evidence_member choice_members[] = {
    { PLACE(esse_choice, kind), .kind = EVIDENCE_WORD, .words = choice_kinds,
      .expected = "order, source or both", .kinds = ANY_CHOICE },
    { PLACE(esse_choice, parts), .kind = EVIDENCE_PAIR, .kinds = OF_BOTH },
    { NUMBER(esse_choice, key), .kinds = OF_TWO },
    { NUMBER(esse_choice, first), .kinds = OF_TWO },
    { NUMBER(esse_choice, second), .kinds = OF_TWO },
};

static const struct esse_choice blank_choice = { .first = { ESSE_NO_OP },
                                                 .second = { ESSE_NO_OP } };
static const struct evidence_shape choice_shape =
    SHAPE("a choice", "choices", esse_choice, &blank_choice, choice_members);

static const char *const clause_kinds[] = { "cycle", "sources", "both", "follows", NULL };
enum {
    OF_CYCLE = 1 << ESSE_CLAUSE_CYCLE,
    OF_SOURCES = 1 << ESSE_CLAUSE_SOURCES,
    ANY_CLAUSE = OF_CYCLE | OF_SOURCES | 1 << ESSE_CLAUSE_BOTH | 1 << ESSE_CLAUSE_FOLLOWS,
};

static const struct evidence_member clause_members[] = {
    { PLACE(esse_clause, kind), .kind = EVIDENCE_WORD, .words = clause_kinds,
      .expected = "cycle, sources, both or follows", .kinds = ANY_CLAUSE },
    { COUNTED(esse_clause, literals, count), .kind = EVIDENCE_NUMBERS, .kinds = ANY_CLAUSE },
    { LIST(esse_clause, edges, edge_count, reason_shape), .kinds = OF_CYCLE },
    { NUMBER(esse_clause, read), .kinds = OF_SOURCES },
    { NUMBER(esse_clause, key), .kinds = OF_SOURCES },
};

static const struct esse_clause blank_clause = { .read = { ESSE_NO_OP } };
static const struct evidence_shape clause_shape =
    SHAPE("a clause", "clauses", esse_clause, &blank_clause, clause_members);

static const struct evidence_member refutation_members[] = {
    { LIST(esse_refutation, choices, choice_count, choice_shape), .lines = EVIDENCE_A_LINE_EACH },
    { LIST(esse_refutation, clauses, clause_count, clause_shape), .lines = EVIDENCE_A_LINE_EACH },
};

static bool check_literals(struct esse_json *json, const void *object)
{
    const struct esse_refutation *refutation = object;
    for (uint32_t c = 0; c < refutation->clause_count; c++)
        for (uint32_t i = 0; i < refutation->clauses[c].count; i++)
            if (refutation->clauses[c].literals[i] >> 1 >= refutation->choice_count)
                return esse_json_fail(json, json->at, "found literal %u of %u choices in clause %u",
                                      refutation->clauses[c].literals[i], refutation->choice_count,
                                      c);
    return true;
}

static const struct evidence_shape refutation_shape = {
    "a refutation", NULL, sizeof(struct esse_refutation), NULL, refutation_members, 2,
    check_literals,
};

/* ---- anomalies ---- */

static const struct evidence_member supposition_members[] = {
    { NUMBER(esse_supposition, txn) },
    { PLACE(esse_supposition, committed), .kind = EVIDENCE_TRUTH },
};

static const struct esse_supposition blank_supposition = { { ESSE_NO_TXN }, false };
static const struct evidence_shape supposition_shape =
    SHAPE("a supposed outcome", "supposed outcomes", esse_supposition, &blank_supposition,
          supposition_members);

static const struct evidence_member anomaly_members[] = {
    { PLACE(esse_anomaly, type), .kind = EVIDENCE_ANOMALY, .is_needed = true },
    { PLACE(esse_anomaly, order_by), .kind = EVIDENCE_WORD, .words = esse_order_by_names,
      .expected = "order, commit_ts, start_ts or timestamps", .if_any = true },
    { LIST(esse_anomaly, supposed, supposed_count, supposition_shape), .if_any = true },
    { NUMBER(esse_anomaly, key), .flag_at = offsetof(struct esse_anomaly, has_key) },
    { LIST(esse_anomaly, steps, step_count, step_shape) },
    { LIST(esse_anomaly, edges, edge_count, edge_shape) },
    { PLACE(esse_anomaly, refutation), .kind = EVIDENCE_POINTER, .shape = &refutation_shape },
};

static const struct esse_anomaly blank_anomaly = { .description = "" };
static const struct evidence_shape anomaly_shape =
    SHAPE("an anomaly", "anomalies", esse_anomaly, &blank_anomaly, anomaly_members);

/* ---- orders ---- */

static const struct evidence_member source_members[] = {
    { NUMBER(esse_read_source, read) },
    { NUMBER(esse_read_source, key) },
    { NUMBER(esse_read_source, write) }, /* null: the initial version */
};

static const struct esse_read_source blank_source = { { ESSE_NO_OP },
                                                      { ESSE_NO_OP },
                                                      { ESSE_NO_OP } };
static const struct evidence_shape source_shape =
    SHAPE("a source", "sources", esse_read_source, &blank_source, source_members);

static const struct evidence_member order_members[] = {
    { PLACE(esse_order, proves), .kind = EVIDENCE_LEVEL, .if_any = true },
    { "starts", EVIDENCE_TRUTH, .at = offsetof(struct esse_order, has_starts) },
    { "accesses", EVIDENCE_TRUTH, .at = offsetof(struct esse_order, of_accesses) },
    { COUNTED(esse_order, events, count), .kind = EVIDENCE_NUMBERS },
    { LIST(esse_order, sources, source_count, source_shape), .if_any = true },
};

static const struct evidence_shape order_shape =
    SHAPE("an order", NULL, esse_order, NULL, order_members);

/* ---- verdicts ---- */

static const struct evidence_member way_members[] = {
    { COUNTED(esse_way, by, count), .kind = EVIDENCE_OPS },
    { LIST(esse_way, anomalies, anomaly_count, anomaly_shape), .lines = EVIDENCE_BETWEEN },
};

static const struct evidence_shape way_shape = SHAPE("a way", "ways", esse_way, NULL, way_members);

static bool holds(const void *verdict)
{
    return ((const struct esse_verdict *)verdict)->outcome == ESSE_HOLDS;
}

static const struct evidence_member verdict_members[] = {
    { PLACE(esse_verdict, level), .kind = EVIDENCE_LEVEL, .is_needed = true },
    { "verdict", EVIDENCE_WORD, .at = offsetof(struct esse_verdict, outcome),
      .words = esse_outcome_names, .expected = "holds, violated or unknown" },
    { PLACE(esse_verdict, assumed), .kind = EVIDENCE_SET, BASES },
    { COUNTED(esse_verdict, named, named_count), .kind = EVIDENCE_ANOMALIES, .if_any = true },
    { PLACE(esse_verdict, certificate), .kind = EVIDENCE_WORD, .words = esse_certificate_names,
      .if_any = true,
      .expected = "order, commit_ts, start_ts, timestamps, commit-order or postgresql-snapshots" },
    { LIST(esse_verdict, anomalies, anomaly_count, anomaly_shape), .lines = EVIDENCE_BETWEEN,
      .instead_at = offsetof(struct esse_verdict, way_count) },
    { LIST(esse_verdict, ways, way_count, way_shape), .lines = EVIDENCE_A_LINE_EACH,
      .if_any = true },
    { PLACE(esse_verdict, order), .kind = EVIDENCE_OBJECT, .shape = &order_shape,
      .is_told = holds },
};

static const struct esse_verdict blank_verdict = { .outcome = ESSE_UNKNOWN };
static const struct evidence_shape verdict_shape =
    SHAPE("a result", "results", esse_verdict, &blank_verdict, verdict_members);

/* ---- the file ---- */

static const char *const magic[] = { "evidence", NULL };

static const struct evidence_member file_members[] = {
    { "esse", EVIDENCE_CONSTANT, .words = magic, .expected = "\"evidence\"" },
    { "version", EVIDENCE_VERSION },
    { PLACE(esse_evidence, history), .kind = EVIDENCE_REMARK },
    { NUMBER(esse_evidence, transactions) },
    { NUMBER(esse_evidence, operations) },
    { "results", EVIDENCE_LIST, .at = offsetof(struct esse_evidence, verdicts),
      .count_at = offsetof(struct esse_evidence, verdict_count), .shape = &verdict_shape,
      .lines = EVIDENCE_A_LINE_EACH },
};

const struct evidence_shape evidence_file_shape =
    SHAPE("an evidence file, as esse check --evidence writes it", NULL, esse_evidence, NULL,
          file_members);
