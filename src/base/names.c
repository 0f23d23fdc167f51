#include "base/names.h"

#include <assert.h>

const char *const esse_outcome_names[] = { "holds", "violated", "unknown", NULL };

const char *esse_outcome_name(enum esse_outcome outcome)
{
    assert(outcome <= ESSE_UNKNOWN);
    return esse_outcome_names[outcome];
}

const char *const esse_dep_names[] = {
    [ESSE_DEP_WW] = "ww",           [ESSE_DEP_WR] = "wr",
    [ESSE_DEP_RW] = "rw",           [ESSE_DEP_WWP] = "wwp",
    [ESSE_DEP_WRP] = "wrp",         [ESSE_DEP_RWP] = "rwp",
    [ESSE_DEP_PROCESS] = "process", [ESSE_DEP_REALTIME] = "realtime",
    [ESSE_DEP_START] = "start",     [ESSE_DEP_OVERLAP] = "overlap",
    [ESSE_DEP_CO] = "co",           [ESSE_DEP_END] = NULL,
};

const char *esse_dep_name(enum esse_dep dep)
{
    assert(dep < ESSE_DEP_END);
    return esse_dep_names[dep];
}

const char *const esse_basis_names[] = {
    "", "wfr-keys", "sequential-keys", "linearizable-keys", "initial-state", NULL
};

const char *esse_basis_name(enum esse_basis basis)
{
    assert(basis < ESSE_BASIS_END);
    return esse_basis_names[basis];
}

const char *esse_basis_words(enum esse_basis basis)
{
    static const char *const words[ESSE_BASIS_END] = {
        [ESSE_BASIS_WFR_KEYS] = "writes follow reads",
        [ESSE_BASIS_SEQUENTIAL_KEYS] = "no session sees a key go back",
        [ESSE_BASIS_LINEARIZABLE_KEYS] = "every key is linearizable",
    };
    assert(basis < ESSE_BASIS_END);
    return words[basis];
}

const char *const esse_order_by_names[] = {
    "", "order", "commit_ts", "start_ts", "timestamps", NULL
};

const char *esse_order_by_name(enum esse_order_by by)
{
    assert(by < ESSE_ORDER_BY_END);
    return esse_order_by_names[by];
}

const char *const esse_certificate_names[] = {
    "", "order", "commit_ts", "start_ts", "timestamps", "commit-order", "postgresql-snapshots", NULL
};

const char *esse_certificate_name(enum esse_certificate_kind kind)
{
    assert(kind < ESSE_CERTIFICATE_END);
    return esse_certificate_names[kind];
}

const char *esse_spent_name(enum esse_spent spent)
{
    static const char *const names[] = { "nothing", "time", "memory", "interrupted" };
    assert(spent <= ESSE_SPENT_INTERRUPTED);
    return names[spent];
}

const char *esse_evidence_name(enum esse_evidence_kind kind)
{
    static const char *const names[ESSE_EVIDENCE_END] = {
        [ESSE_EVIDENCE_NONE] = "none",     [ESSE_EVIDENCE_ANOMALY] = "anomaly",
        [ESSE_EVIDENCE_CYCLE] = "cycle",   [ESSE_EVIDENCE_ORDER] = "order",
        [ESSE_EVIDENCE_REPLAY] = "replay", [ESSE_EVIDENCE_REFUTATION] = "refutation",
        [ESSE_EVIDENCE_CASES] = "cases",
    };
    assert(kind < ESSE_EVIDENCE_END);
    return names[kind];
}
