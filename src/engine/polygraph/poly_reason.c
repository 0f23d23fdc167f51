#include "engine/polygraph/poly_reason.h"

struct reasoning {
    const struct poly *poly;
    const struct poly_clause *clause;
    struct poly_reason *reason;
    esse_node from, to; /* the nodes of the step */
};

/* ---- accesses ---- */

/* Where the transaction read the version; ESSE_NO_KEY_ACCESS if it did not. */
static key_access_id find_read(const struct poly *poly, version_id version, uint32_t txn)
{
    const struct poly_reads *reads = poly->reads;
    for (uint32_t i = reads->reader_first[version.ix]; i < reads->reader_first[version.ix + 1]; i++)
        if (versions_key_access(poly->versions, reads->reader[i])->txn == txn)
            return reads->reader[i];
    return (key_access_id){ ESSE_NO_KEY_ACCESS };
}

/* An access by which the transaction installed a version of the key. */
static key_access_id find_write(const struct poly *poly, uint32_t key, uint32_t txn)
{
    const struct versions *versions = poly->versions;
    key_access_id begin, end;
    esse_run_find(&versions->sources->by_key, key, txn, &begin.ix, &end.ix);
    while (end.ix-- > begin.ix)
        if (versions_key_access(versions, end)->kind != ESSE_OP_READ &&
            versions->of[end.ix].ix != NO_VERSION)
            return end;
    return (key_access_id){ ESSE_NO_KEY_ACCESS };
}

/* A dependency explains the step if it would be drawn between the same nodes. */
static bool give(struct reasoning *r, enum esse_dep dep, uint32_t key, key_access_id from_at,
                 key_access_id to_at)
{
    if (poly_leaves(r->poly, r->reason->from, dep).ix != r->from.ix ||
        poly_enters(r->poly, r->reason->to, dep).ix != r->to.ix)
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
static bool by_open_read(struct reasoning *r, version_id version)
{
    const struct poly_reads *reads = r->poly->reads;
    for (size_t o = 0; o < reads->open.count; o++) {
        const struct poly_open *open = &reads->open.at[o];
        for (uint32_t i = 0; open->txn == r->reason->from && i < open->count; i++) {
            if (reads->sources.at[open->first + i] != version.ix || !rests_on(r, o, i))
                continue;
            r->reason->op = open->op;
            return give(r, open->predicate ? ESSE_DEP_RWP : ESSE_DEP_RW, open->key,
                        (key_access_id){ ESSE_NO_KEY_ACCESS },
                        find_write(r->poly, open->key, r->reason->to));
        }
    }
    return false;
}

static bool by_order(struct reasoning *r, version_id a, version_id b)
{
    const struct versions *versions = r->poly->versions;
    const uint32_t key = r->poly->reads->version_key[a.ix];
    if (version_txn(versions, a) == r->reason->from)
        return give(r, ESSE_DEP_WW, key, versions->write[a.ix], versions->write[b.ix]);
    key_access_id read = find_read(r->poly, a, r->reason->from);
    return read.ix == ESSE_NO_KEY_ACCESS ? by_open_read(r, a)
                                         : give(r, ESSE_DEP_RW, key, read, versions->write[b.ix]);
}

static bool by_source(struct reasoning *r, const struct poly_open *open, version_id version)
{
    const struct versions *versions = r->poly->versions;
    r->reason->op = open->op;
    if (open->txn == r->reason->to && version_txn(versions, version) == r->reason->from)
        return give(r, open->predicate ? ESSE_DEP_WRP : ESSE_DEP_WR, open->key,
                    versions->write[version.ix], (key_access_id){ ESSE_NO_KEY_ACCESS });
    return give(r, open->predicate ? ESSE_DEP_RWP : ESSE_DEP_RW, open->key,
                (key_access_id){ ESSE_NO_KEY_ACCESS },
                find_write(r->poly, open->key, r->reason->to));
}

static bool by_choice(struct reasoning *r, esse_lit guard)
{
    const struct poly_choice *choices = r->poly->choices.at;
    const struct poly_choice *choice = &choices[esse_lit_var(guard)];
    r->reason->chosen = true;
    if (choice->kind == POLY_ORDER)
        return esse_lit_negated(guard)
                   ? by_order(r, (version_id){ choice->b }, (version_id){ choice->a })
                   : by_order(r, (version_id){ choice->a }, (version_id){ choice->b });
    if (choice->kind == POLY_BOTH)
        choice = &choices[esse_lit_var(choice->a)];
    return by_source(r, &r->poly->reads->open.at[choice->a], (version_id){ choice->b });
}

/* ---- by knowledge ---- */

/* The version before which nothing can come between it and 'version', as far as is known. */
static version_id known_before(const struct versions *versions, uint32_t key, version_id version)
{
    if (version.ix == versions->first[key].ix)
        return (version_id){ NO_VERSION };
    if (!is_unordered(versions, key, version))
        return (version_id){ version.ix - 1 };
    return versions->gaps[key] ? versions->first[key]
                               : (version_id){ versions->unordered[key].ix - 1 };
}

/* A read of a version that is known to come before 'version'. */
static bool by_missed(struct reasoning *r, uint32_t key, version_id version, key_access_id at)
{
    const struct versions *versions = r->poly->versions;
    for (version_id before = known_before(versions, key, version); before.ix != NO_VERSION;
         before = known_before(versions, key, before)) {
        key_access_id read = find_read(r->poly, before, r->reason->from);
        if (read.ix == ESSE_NO_KEY_ACCESS ? by_open_read(r, before)
                                          : give(r, ESSE_DEP_RW, key, read, at))
            return true;
    }
    return false;
}

static bool by_access(struct reasoning *r, enum esse_dep dep, uint32_t key, key_access_id at)
{
    const struct versions *versions = r->poly->versions;
    const version_id version = versions->of[at.ix];
    if (version.ix == NO_VERSION ||
        (versions_key_access(versions, at)->kind == ESSE_OP_READ) != (dep == ESSE_DEP_WR))
        return false;
    if (dep == ESSE_DEP_RW)
        return by_missed(r, key, version, at);
    const version_id other = dep == ESSE_DEP_WR ? version : known_before(versions, key, version);
    return other.ix != NO_VERSION && version_txn(versions, other) == r->reason->from &&
           give(r, dep, key, versions->write[other.ix], at);
}

/* Something that 'to' did to a key. */
static bool by_data(struct reasoning *r, enum esse_dep dep)
{
    const struct versions *versions = r->poly->versions;
    struct esse_access_walk walk = esse_accesses_of(versions->history, r->reason->to);
    while (esse_access_next(&walk)) {
        const uint32_t key = walk.access.key.ix;
        key_access_id at, end;
        for (esse_run_find(&versions->sources->by_key, key, r->reason->to, &at.ix, &end.ix);
             at.ix < end.ix; at.ix++)
            if (by_access(r, dep, key, at))
                return true;
    }
    return false;
}

static bool by_session(struct reasoning *r)
{
    const uint32_t *session = r->poly->versions->history->txn_session;
    return r->poly->sessions && session[r->reason->from] == session[r->reason->to] &&
           r->reason->from < r->reason->to &&
           give(r, ESSE_DEP_PROCESS, 0, (key_access_id){ ESSE_NO_KEY_ACCESS },
                (key_access_id){ ESSE_NO_KEY_ACCESS });
}

static bool by_knowledge(struct reasoning *r, const struct esse_guarded_edge *first)
{
    const struct poly *poly = r->poly;
    if (first->to >= poly->time_nodes_at && first->to < poly->aux_nodes_at)
        return give(r, ESSE_DEP_REALTIME, 0, (key_access_id){ ESSE_NO_KEY_ACCESS },
                    (key_access_id){ ESSE_NO_KEY_ACCESS });
    /* Where no ww may be beside a rw, session order is told before it. */
    return by_data(r, ESSE_DEP_WR) || (poly->level->cycle < ESSE_CYCLE_ONE_RW && by_session(r)) ||
           by_data(r, ESSE_DEP_WW) || by_session(r) || by_data(r, ESSE_DEP_RW);
}

/* ---- cycles ---- */

/* A step may lead through auxiliary nodes. */
static void find_reason(struct reasoning *r, const struct esse_guarded_edge *first,
                        const struct esse_guarded_edge *last)
{
    const struct poly *poly = r->poly;
    *r->reason = (struct poly_reason){ .from = poly_txn(poly, (esse_node){ first->from }),
                                       .to = poly_txn(poly, (esse_node){ last->to }),
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
    while (begin < count && poly_txn(poly, (esse_node){ edges[begin].from }) == ESSE_NO_TXN)
        begin++;
    for (uint32_t i = 0; i < count;) {
        const struct esse_guarded_edge *first = &edges[(begin + i) % count], *last = first;
        for (i++; poly_txn(poly, (esse_node){ last->to }) == ESSE_NO_TXN; i++)
            last = &edges[(begin + i) % count];
        if (poly_txn(poly, (esse_node){ first->from }) == poly_txn(poly, (esse_node){ last->to }))
            continue;
        struct reasoning r = { poly, clause, &reasons[found++], { first->from }, { last->to } };
        find_reason(&r, first, last);
    }
    return found;
}
