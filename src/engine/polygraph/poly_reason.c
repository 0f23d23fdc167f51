#include "engine/polygraph/poly_reason.h"

struct reasoning {
    const struct poly *poly;
    const struct poly_clause *clause;
    struct poly_reason *reason;
    uint32_t from, to; /* the nodes of the step */
};

/* ---- accesses ---- */

/* Where the transaction read the version; ESSE_NO_TOUCH if it did not. */
static uint32_t find_read(const struct poly *poly, uint32_t version, uint32_t txn)
{
    const struct poly_reads *reads = poly->reads;
    for (uint32_t i = reads->reader_first[version]; i < reads->reader_first[version + 1]; i++)
        if (versions_touch(poly->versions, reads->reader[i])->txn == txn)
            return reads->reader[i];
    return ESSE_NO_TOUCH;
}

/* An access by which the transaction installed a version of the key. */
static uint32_t find_write(const struct poly *poly, uint32_t key, uint32_t txn)
{
    const struct versions *versions = poly->versions;
    uint32_t begin, end;
    esse_run_find(&versions->sources->by_key, key, txn, &begin, &end);
    while (end-- > begin)
        if (versions_touch(versions, end)->kind != ESSE_OP_READ && versions->of[end] != NO_VERSION)
            return end;
    return ESSE_NO_TOUCH;
}

/* A dependency explains the step if it would be drawn between the same nodes. */
static bool give(struct reasoning *r, enum dsg_dep dep, uint32_t key, uint32_t from_at,
                 uint32_t to_at)
{
    if (poly_leaves(r->poly, r->reason->from, dep) != r->from ||
        poly_enters(r->poly, r->reason->to, dep) != r->to)
        return false;
    r->reason->dep = dep;
    r->reason->key = key;
    r->reason->from_at = from_at;
    r->reason->to_at = to_at;
    return true;
}

/* ---- by choice ---- */

/* Is "open read o is of its i-th source" a choice that the clause's cycle rests on?  A cycle of
 * what was inferred is found before there are any such choices. */
static bool rests_on(const struct reasoning *r, size_t o, uint32_t i)
{
    const uint32_t choice = r->poly->reads->open.at[o].choice + i;
    if (choice >= r->poly->choices.count || r->poly->choices.at[choice].kind != POLY_SOURCE ||
        r->poly->choices.at[choice].a != o)
        return false;
    const esse_lit *lits = &r->poly->proof.lits.at[r->clause->lits];
    for (uint32_t l = 0; l < r->clause->lit_count; l++)
        if (lits[l] == esse_lit_of(choice, true))
            return true;
    return false;
}

/* The open read by which 'from' saw the version, as far as the cycle rests on that. */
static bool by_open_read(struct reasoning *r, uint32_t version)
{
    const struct poly_reads *reads = r->poly->reads;
    for (size_t o = 0; o < reads->open.count; o++) {
        const struct poly_open *open = &reads->open.at[o];
        for (uint32_t i = 0; open->txn == r->reason->from && i < open->count; i++) {
            if (reads->sources.at[open->first + i] != version || !rests_on(r, o, i))
                continue;
            r->reason->op = open->op;
            return give(r, open->predicate ? DSG_RWP : DSG_RW, open->key, ESSE_NO_TOUCH,
                        find_write(r->poly, open->key, r->reason->to));
        }
    }
    return false;
}

static bool by_order(struct reasoning *r, uint32_t a, uint32_t b)
{
    const struct versions *versions = r->poly->versions;
    const uint32_t key = r->poly->reads->version_key[a];
    if (version_txn(versions, a) == r->reason->from)
        return give(r, DSG_WW, key, versions->write[a], versions->write[b]);
    uint32_t read = find_read(r->poly, a, r->reason->from);
    return read == ESSE_NO_TOUCH ? by_open_read(r, a)
                                 : give(r, DSG_RW, key, read, versions->write[b]);
}

static bool by_source(struct reasoning *r, const struct poly_open *open, uint32_t version)
{
    const struct versions *versions = r->poly->versions;
    r->reason->op = open->op;
    if (open->txn == r->reason->to && version_txn(versions, version) == r->reason->from)
        return give(r, open->predicate ? DSG_WRP : DSG_WR, open->key, versions->write[version],
                    ESSE_NO_TOUCH);
    return give(r, open->predicate ? DSG_RWP : DSG_RW, open->key, ESSE_NO_TOUCH,
                find_write(r->poly, open->key, r->reason->to));
}

static bool by_choice(struct reasoning *r, esse_lit guard)
{
    const struct poly_choice *choices = r->poly->choices.at;
    const struct poly_choice *choice = &choices[esse_lit_var(guard)];
    r->reason->chosen = true;
    if (choice->kind == POLY_ORDER)
        return esse_lit_negated(guard) ? by_order(r, choice->b, choice->a)
                                       : by_order(r, choice->a, choice->b);
    if (choice->kind == POLY_BOTH)
        choice = &choices[esse_lit_var(choice->a)];
    return by_source(r, &r->poly->reads->open.at[choice->a], choice->b);
}

/* ---- by knowledge ---- */

/* The version before which nothing can come between it and 'version', as far as is known. */
static uint32_t known_before(const struct versions *versions, uint32_t key, uint32_t version)
{
    if (version == versions->first[key])
        return NO_VERSION;
    if (!is_loose(versions, key, version))
        return version - 1;
    return versions->gaps[key] ? versions->first[key] : versions->loose[key] - 1;
}

/* A read of a version that is known to come before 'version'. */
static bool by_missed(struct reasoning *r, uint32_t key, uint32_t version, uint32_t at)
{
    const struct versions *versions = r->poly->versions;
    for (uint32_t before = known_before(versions, key, version); before != NO_VERSION;
         before = known_before(versions, key, before)) {
        uint32_t read = find_read(r->poly, before, r->reason->from);
        if (read == ESSE_NO_TOUCH ? by_open_read(r, before) : give(r, DSG_RW, key, read, at))
            return true;
    }
    return false;
}

static bool by_access(struct reasoning *r, enum dsg_dep dep, uint32_t key, uint32_t at)
{
    const struct versions *versions = r->poly->versions;
    const uint32_t version = versions->of[at];
    if (version == NO_VERSION ||
        (versions_touch(versions, at)->kind == ESSE_OP_READ) != (dep == DSG_WR))
        return false;
    if (dep == DSG_RW)
        return by_missed(r, key, version, at);
    const uint32_t other = dep == DSG_WR ? version : known_before(versions, key, version);
    return other != NO_VERSION && version_txn(versions, other) == r->reason->from &&
           give(r, dep, key, versions->write[other], at);
}

/* Something that 'to' did to a key. */
static bool by_data(struct reasoning *r, enum dsg_dep dep)
{
    const struct versions *versions = r->poly->versions;
    const struct esse_history *history = versions->history;
    const uint32_t *ops = &history->txn_op[r->reason->to];
    for (uint32_t op = ops[0]; op < ops[1]; op++) {
        for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
            uint32_t key = esse_access_at(history, op, i).key.ix, at, end;
            for (esse_run_find(&versions->sources->by_key, key, r->reason->to, &at, &end); at < end;
                 at++)
                if (by_access(r, dep, key, at))
                    return true;
        }
    }
    return false;
}

static bool by_session(struct reasoning *r)
{
    const uint32_t *session = r->poly->versions->history->txn_session;
    return r->poly->sessions && session[r->reason->from] == session[r->reason->to] &&
           r->reason->from < r->reason->to && give(r, DSG_SO, 0, ESSE_NO_TOUCH, ESSE_NO_TOUCH);
}

static bool by_knowledge(struct reasoning *r, const struct esse_guarded_edge *first)
{
    const struct poly *poly = r->poly;
    if (first->to >= poly->moments_at && first->to < poly->helpers_at)
        return give(r, DSG_RT, 0, ESSE_NO_TOUCH, ESSE_NO_TOUCH);
    /* Where no ww may be beside a rw, session order is given before it. */
    return by_data(r, DSG_WR) || (poly->level->cycle < ESSE_CYCLE_ONE_RW && by_session(r)) ||
           by_data(r, DSG_WW) || by_session(r) || by_data(r, DSG_RW);
}

/* ---- cycles ---- */

/* A step may lead through helpers. */
static void find_reason(struct reasoning *r, const struct esse_guarded_edge *first,
                        const struct esse_guarded_edge *last)
{
    const struct poly *poly = r->poly;
    *r->reason = (struct poly_reason){ .from = poly_txn(poly, first->from),
                                       .to = poly_txn(poly, last->to),
                                       .op = ESSE_NO_OP };
    if (first->guard != ESSE_LIT_NONE && by_choice(r, first->guard))
        return;
    r->reason->chosen = false;
    by_knowledge(r, first);
}

uint32_t poly_reasons(const struct poly *poly, const struct poly_clause *clause,
                      struct poly_reason *reasons)
{
    const struct esse_guarded_edge *edges = &poly->proof.edges.at[clause->edges];
    const uint32_t count = clause->edge_count;
    uint32_t found = 0, begin = 0;
    while (begin < count && poly_txn(poly, edges[begin].from) == ESSE_NO_TXN)
        begin++;
    for (uint32_t i = 0; i < count;) {
        const struct esse_guarded_edge *first = &edges[(begin + i) % count], *last = first;
        for (i++; poly_txn(poly, last->to) == ESSE_NO_TXN; i++)
            last = &edges[(begin + i) % count];
        if (poly_txn(poly, first->from) == poly_txn(poly, last->to))
            continue;
        struct reasoning r = { poly, clause, &reasons[found++], first->from, last->to };
        find_reason(&r, first, last);
    }
    return found;
}
