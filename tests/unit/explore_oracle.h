#ifndef ESSE_TESTS_UNIT_EXPLORE_ORACLE_H
#define ESSE_TESTS_UNIT_EXPLORE_ORACLE_H

/*
 * Random transactional programs, and all of their histories by brute force: transactions run one at
 * a time in every order, each read from every committed writer there is; then every commit order is
 * held against the axioms as they are written (semantics 4).  Shares nothing with src/explore.
 */

#include "test.h"

enum {
    XO_SESSIONS = 3,
    XO_TXNS = 5, /* in all */
    XO_VARS = 4, /* x, y, z[0], z[1] */
    XO_LOCALS = 3,
    XO_EVENTS = 64,
    XO_NODES = 40,
    XO_HISTORIES = 300,
    XO_MET = 3000, /* partial ones: a program with more is left out */
    XO_INIT = XO_TXNS,
};

enum xo_level { XO_TRUE, XO_RC, XO_RA, XO_CC, XO_PC, XO_SI, XO_SER, XO_LEVELS };
static const char *const xo_level_names[] = { "true", "rc", "ra", "cc", "pc", "si", "ser" };

/* ---- programs ---- */

enum xo_node_kind {
    XO_READ,
    XO_READ_AT,
    XO_WRITE,
    XO_WRITE_AT,
    XO_SET,
    XO_IF,
    XO_FOR,
    XO_ABORT,
    XO_BUMP
};

/* The value is local 'a', plus local 'b' if it is one, plus 'constant'. */
struct xo_node {
    enum xo_node_kind kind;
    int to, variable, a, b, constant, index; /* -1: no local */
    int test;                                /* IF: local 'index' == , < or != constant */
    int body, body_end;                      /* nodes of IF, FOR */
    int other_end;                           /* IF: the else goes from body_end to there */
};

struct xo_program {
    int sessions, txns;
    int session[XO_TXNS];
    enum xo_level level[XO_TXNS];
    int begin[XO_TXNS], end[XO_TXNS];
    struct xo_node nodes[XO_NODES * XO_TXNS];
    int node_count;
    int invariant; /* x + y != this */
};

static int xo_below(struct esse_rng *rng, int bound)
{
    return (int)esse_rng_below(rng, (uint32_t)bound);
}

static int xo_add_node(struct xo_program *p, struct esse_rng *rng, int depth)
{
    struct xo_node *n = &p->nodes[p->node_count];
    const int at = p->node_count++;
    *n = (struct xo_node){ .to = xo_below(rng, XO_LOCALS),
                           .variable = xo_below(rng, 2),
                           .a = xo_below(rng, XO_LOCALS + 1) - 1,
                           .b = xo_below(rng, XO_LOCALS + 2) - 2,
                           .constant = xo_below(rng, 3),
                           .index = xo_below(rng, XO_LOCALS + depth),
                           .test = xo_below(rng, 3) };
    const int dice = xo_below(rng, 20);
    n->kind = dice < 6    ? XO_READ
              : dice < 8  ? XO_READ_AT
              : dice < 13 ? XO_WRITE
              : dice < 15 ? XO_WRITE_AT
              : dice < 16 ? XO_SET
              : dice < 17 ? XO_BUMP
              : dice < 19 ? XO_IF
                          : XO_FOR;
    if (depth > 0 && dice == 5)
        n->kind = XO_ABORT;
    if (depth > 1 && n->kind >= XO_IF)
        n->kind = XO_READ;
    if (n->kind == XO_FOR)
        n->to = XO_LOCALS + depth;
    if (n->kind != XO_IF && n->kind != XO_FOR)
        return at;
    const int inner = n->kind == XO_FOR ? 1 : 1 + xo_below(rng, 2);
    n->body = p->node_count;
    for (int i = 0; i < inner; i++)
        xo_add_node(p, rng, depth + 1);
    p->nodes[at].body_end = p->node_count;
    if (p->nodes[at].kind == XO_IF && xo_below(rng, 2))
        xo_add_node(p, rng, depth + 1);
    p->nodes[at].other_end = p->node_count;
    return at;
}

static struct xo_program xo_random(struct esse_rng *rng)
{
    struct xo_program p = { .sessions = 2 + xo_below(rng, XO_SESSIONS - 1) };
    int left = 3 + xo_below(rng, XO_TXNS - 2);
    for (int s = 0; s < p.sessions; s++) {
        int count = s + 1 == p.sessions ? left : 1 + xo_below(rng, left - (p.sessions - 1 - s));
        left -= count;
        while (count--) {
            const int t = p.txns++, size = 1 + xo_below(rng, 3);
            p.session[t] = s;
            p.level[t] = (enum xo_level)xo_below(rng, XO_LEVELS);
            p.begin[t] = p.node_count;
            for (int i = 0; i < size; i++)
                xo_add_node(&p, rng, 0);
            p.end[t] = p.node_count;
        }
    }
    p.invariant = xo_below(rng, 5);
    return p;
}

/* ---- as text ---- */

static void xo_put_value(FILE *out, const struct xo_node *n)
{
    fprintf(out, "%d", n->constant);
    if (n->a >= 0)
        fprintf(out, " + l%d", n->a);
    if (n->b >= 0)
        fprintf(out, " + l%d", n->b);
}

static void xo_put_nodes(FILE *out, const struct xo_program *p, int from, int to);

static void xo_put_node(FILE *out, const struct xo_program *p, const struct xo_node *n)
{
    static const char *const tests[] = { "==", "<", "!=" };
    switch (n->kind) {
    case XO_READ:
        fprintf(out, "l%d := read(%c)\n", n->to, "xy"[n->variable]);
        break;
    case XO_READ_AT:
        fprintf(out, "l%d := read(z[l%d %% 2])\n", n->to, n->index);
        break;
    case XO_WRITE:
    case XO_WRITE_AT:
        n->kind == XO_WRITE ? fprintf(out, "write(%c, ", "xy"[n->variable])
                            : fprintf(out, "write(z[l%d %% 2], ", n->index);
        xo_put_value(out, n);
        fprintf(out, ")\n");
        break;
    case XO_SET:
        fprintf(out, "l%d := ", n->to);
        xo_put_value(out, n);
        fprintf(out, ";\n");
        break;
    case XO_BUMP:
        fprintf(out, "bump(l%d)\n", n->index);
        break;
    case XO_IF:
        fprintf(out, "if (l%d %s %d) {\n", n->index, tests[n->test], n->constant);
        xo_put_nodes(out, p, n->body, n->body_end);
        fprintf(out, "}");
        if (n->other_end > n->body_end) {
            fprintf(out, " else {\n");
            xo_put_nodes(out, p, n->body_end, n->other_end);
            fprintf(out, "}");
        }
        fprintf(out, "\n");
        break;
    case XO_FOR:
        fprintf(out, "for l%d in 0..1 {\n", n->to);
        xo_put_nodes(out, p, n->body, n->body_end);
        fprintf(out, "}\n");
        break;
    default:
        fprintf(out, "abort\n");
    }
}

/* The node after this one and all that is in it. */
static int xo_next(const struct xo_program *p, int at)
{
    return p->nodes[at].kind == XO_IF || p->nodes[at].kind == XO_FOR ? p->nodes[at].other_end
                                                                     : at + 1;
}

static void xo_put_nodes(FILE *out, const struct xo_program *p, int from, int to)
{
    for (int i = from; i < to; i = xo_next(p, i))
        xo_put_node(out, p, &p->nodes[i]);
}

/* Sessions in their order or in the reverse one; levels named or not.  To be freed. */
static char *xo_text(const struct xo_program *p, int is_reversed, int has_levels)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "program random vars x=0 y=1 z[2]=[0, 2]\n"
                 "procedure bump(by) { had := read(x) write(x, had + by + 1) }\n");
    for (int k = 0; k < p->sessions; k++) {
        const int s = is_reversed ? p->sessions - 1 - k : k;
        fprintf(out, "session s%d {\n", s);
        for (int t = 0; t < p->txns; t++) {
            if (p->session[t] != s)
                continue;
            fprintf(out, "begin t%d %s%s\n", t, has_levels ? "level " : "",
                    has_levels ? xo_level_names[p->level[t]] : "");
            xo_put_nodes(out, p, p->begin[t], p->end[t]);
            fprintf(out, "commit\n");
        }
        fprintf(out, "}\n");
    }
    fprintf(out, "invariant x + y != %d\n", p->invariant);
    fclose(out);
    return text;
}

/* ---- histories ---- */

struct xo_event {
    char kind; /* r, o, w */
    int variable, source;
    int64_t value;
};

struct xo_log {
    int done, committed, count;
    struct xo_event events[XO_EVENTS];
};

struct xo_history {
    struct xo_log logs[XO_TXNS];
};

static const int64_t xo_initial[XO_VARS] = { 0, 1, 0, 2 };

static int64_t xo_written(const struct xo_log *log, int variable, int *found)
{
    int64_t value = 0;
    *found = 0;
    for (int i = 0; i < log->count; i++)
        if (log->events[i].kind == 'w' && log->events[i].variable == variable) {
            value = log->events[i].value;
            *found = 1;
        }
    return value;
}

static int64_t xo_value(const struct xo_history *h, int source, int variable)
{
    int found;
    return source == XO_INIT ? xo_initial[variable]
                             : xo_written(&h->logs[source], variable, &found);
}

/* A transaction run with given sources for its reads, as far as they reach. */
struct xo_run {
    const struct xo_program *p;
    const struct xo_history *h;
    const int *choices;
    int choice_count, used, wants; /* 'wants': the variable for which one more is needed */
    int64_t locals[XO_LOCALS + 2]; /* the last two count loops */
    struct xo_log log;
};

enum xo_went { XO_ON, XO_STOPPED, XO_ABORTED };

static enum xo_went xo_read(struct xo_run *run, int variable, int64_t *to)
{
    int is_own;
    const int64_t own = xo_written(&run->log, variable, &is_own);
    struct xo_event *event = &run->log.events[run->log.count];
    if (is_own) {
        run->log.count++;
        *event = (struct xo_event){ 'o', variable, 0, own };
        *to = own;
        return XO_ON;
    }
    if (run->used == run->choice_count) {
        run->wants = variable;
        return XO_STOPPED;
    }
    const int source = run->choices[run->used++];
    run->log.count++;
    *to = xo_value(run->h, source, variable);
    *event = (struct xo_event){ 'r', variable, source, *to };
    return XO_ON;
}

static void xo_write(struct xo_run *run, int variable, int64_t value)
{
    run->log.events[run->log.count++] = (struct xo_event){ 'w', variable, 0, value };
}

static enum xo_went xo_run_nodes(struct xo_run *run, int from, int to);

static enum xo_went xo_run_node(struct xo_run *run, const struct xo_node *n)
{
    int64_t *locals = run->locals, had;
    const int64_t value =
        n->constant + (n->a >= 0 ? locals[n->a] : 0) + (n->b >= 0 ? locals[n->b] : 0);
    const int64_t tested = locals[n->index];
    switch (n->kind) {
    case XO_READ:
        return xo_read(run, n->variable, &locals[n->to]);
    case XO_READ_AT:
        return xo_read(run, 2 + (int)(tested % 2), &locals[n->to]);
    case XO_WRITE:
        xo_write(run, n->variable, value);
        return XO_ON;
    case XO_WRITE_AT:
        xo_write(run, 2 + (int)(tested % 2), value);
        return XO_ON;
    case XO_SET:
        locals[n->to] = value;
        return XO_ON;
    case XO_BUMP:
        if (xo_read(run, 0, &had) == XO_STOPPED)
            return XO_STOPPED;
        xo_write(run, 0, had + tested + 1);
        return XO_ON;
    case XO_IF:
        if (n->test == 0   ? tested == n->constant
            : n->test == 1 ? tested < n->constant
                           : tested != n->constant)
            return xo_run_nodes(run, n->body, n->body_end);
        return xo_run_nodes(run, n->body_end, n->other_end);
    case XO_FOR:
        for (locals[n->to] = 0; locals[n->to] <= 1; locals[n->to]++) {
            const enum xo_went went = xo_run_nodes(run, n->body, n->body_end);
            if (went != XO_ON)
                return went;
        }
        return XO_ON;
    default:
        return XO_ABORTED;
    }
}

static enum xo_went xo_run_nodes(struct xo_run *run, int from, int to)
{
    for (int i = from; i < to; i = xo_next(run->p, i)) {
        const enum xo_went went = xo_run_node(run, &run->p->nodes[i]);
        if (went != XO_ON)
            return went;
    }
    return XO_ON;
}

/* ---- all of them ---- */

struct xo_all {
    const struct xo_program *p;
    struct xo_history *at; /* complete ones */
    int count;
    char **met; /* partial ones, as texts */
    int met_count, met_room;
    int is_too_many;
};

/* By names of transactions, so that it does not depend on the order of sessions. */
static char *xo_show(const struct xo_program *p, const struct xo_history *h)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (int t = 0; t < p->txns; t++) {
        const struct xo_log *log = &h->logs[t];
        fprintf(out, "t%d%s:", t, !log->done ? "?" : log->committed ? "" : "!");
        for (int i = 0; i < log->count; i++) {
            const struct xo_event *e = &log->events[i];
            if (e->kind == 'r' && e->source == XO_INIT)
                fprintf(out, " r%d init", e->variable);
            else if (e->kind == 'r')
                fprintf(out, " r%d t%d", e->variable, e->source);
            else
                fprintf(out, " %c%d %d", e->kind, e->variable, (int)e->value);
        }
        fprintf(out, "\n");
    }
    fclose(out);
    return text;
}

static int xo_is_met(struct xo_all *all, const struct xo_history *h)
{
    char *text = xo_show(all->p, h);
    for (int i = 0; i < all->met_count; i++)
        if (strcmp(all->met[i], text) == 0) {
            free(text);
            return 1;
        }
    if (all->met_count == all->met_room) {
        all->met_room = all->met_room ? 2 * all->met_room : 64;
        all->met = realloc(all->met, (size_t)all->met_room * sizeof *all->met);
    }
    all->met[all->met_count++] = text;
    return 0;
}

static void xo_go_on(struct xo_all *all, const struct xo_history *h);

static void xo_run_txn(struct xo_all *all, const struct xo_history *h, int txn, int *choices,
                       int count)
{
    struct xo_run run = { .p = all->p, .h = h, .choices = choices, .choice_count = count };
    const enum xo_went went = xo_run_nodes(&run, all->p->begin[txn], all->p->end[txn]);
    if (went != XO_STOPPED) {
        struct xo_history next = *h;
        next.logs[txn] = run.log;
        next.logs[txn].done = 1;
        next.logs[txn].committed = went == XO_ON;
        xo_go_on(all, &next);
        return;
    }
    for (int source = 0; source <= XO_INIT; source++) {
        int writes = source == XO_INIT;
        if (source < all->p->txns && h->logs[source].committed)
            xo_written(&h->logs[source], run.wants, &writes);
        if (!writes)
            continue;
        choices[count] = source;
        xo_run_txn(all, h, txn, choices, count + 1);
    }
}

static void xo_go_on(struct xo_all *all, const struct xo_history *h)
{
    if (all->met_count > XO_MET)
        all->is_too_many = 1;
    if (all->is_too_many || xo_is_met(all, h))
        return;
    int is_complete = 1;
    for (int t = 0; t < all->p->txns; t++) {
        int choices[XO_EVENTS];
        if (h->logs[t].done)
            continue;
        is_complete = 0;
        if (t == 0 || all->p->session[t - 1] != all->p->session[t] || h->logs[t - 1].done)
            xo_run_txn(all, h, t, choices, 0);
    }
    if (!is_complete)
        return;
    if (all->count == XO_HISTORIES)
        all->is_too_many = 1;
    else
        all->at[all->count++] = *h;
}

static struct xo_all xo_enumerate(const struct xo_program *p)
{
    struct xo_all all = { .p = p, .at = calloc(XO_HISTORIES, sizeof(struct xo_history)) };
    const struct xo_history empty = { 0 };
    xo_go_on(&all, &empty);
    return all;
}

static void xo_free(struct xo_all *all)
{
    for (int i = 0; i < all->met_count; i++)
        free(all->met[i]);
    free(all->met);
    free(all->at);
}

/* ---- the axioms ---- */

struct xo_relations {
    int direct[XO_TXNS][XO_TXNS]; /* so or wr */
    int past[XO_TXNS][XO_TXNS];   /* (so or wr)+ */
    int writes[XO_TXNS][XO_VARS];
};

static struct xo_relations xo_relate(const struct xo_program *p, const struct xo_history *h)
{
    struct xo_relations r = { 0 };
    for (int t = 0; t < p->txns; t++) {
        for (int u = 0; u < t; u++)
            r.direct[u][t] = p->session[u] == p->session[t];
        for (int i = 0; i < h->logs[t].count; i++) {
            const struct xo_event *e = &h->logs[t].events[i];
            if (e->kind == 'w' && h->logs[t].committed)
                r.writes[t][e->variable] = 1;
        }
    }
    for (int t = 0; t < p->txns; t++)
        for (int i = 0; i < h->logs[t].count; i++)
            if (h->logs[t].events[i].kind == 'r' && h->logs[t].events[i].source != XO_INIT)
                r.direct[h->logs[t].events[i].source][t] = 1;
    memcpy(r.past, r.direct, sizeof r.past);
    for (int k = 0; k < p->txns; k++)
        for (int a = 0; a < p->txns; a++)
            for (int b = 0; b < p->txns; b++)
                r.past[a][b] |= r.past[a][k] && r.past[k][b];
    return r;
}

/* phi(t2, t3) for the read at 'at' of t3, in the commit order place[]. */
static int xo_phi(const struct xo_program *p, const struct xo_history *h,
                  const struct xo_relations *r, const int *place, enum xo_level level, int t2,
                  int t3, int at)
{
    int prefix = 0, conflict = 0;
    switch (level) {
    case XO_TRUE:
        return 0;
    case XO_RC:
        for (int i = 0; i < at; i++)
            if (h->logs[t3].events[i].kind == 'r' && h->logs[t3].events[i].source == t2)
                return 1;
        return 0;
    case XO_RA:
        return r->direct[t2][t3];
    case XO_CC:
        return r->past[t2][t3];
    case XO_SER:
        return place[t2] < place[t3];
    default:
        for (int t4 = 0; t4 < p->txns; t4++) {
            if (place[t2] > place[t4])
                continue;
            prefix |= r->direct[t4][t3];
            for (int v = 0; v < XO_VARS; v++)
                conflict |= r->writes[t3][v] && r->writes[t4][v] && place[t4] < place[t3];
        }
        return prefix || (level == XO_SI && conflict);
    }
}

static int xo_order_keeps(const struct xo_program *p, const struct xo_history *h,
                          const struct xo_relations *r, const int *place,
                          const enum xo_level *levels)
{
    for (int a = 0; a < p->txns; a++)
        for (int b = 0; b < p->txns; b++)
            if (r->direct[a][b] && place[a] > place[b])
                return 0;
    for (int t3 = 0; t3 < p->txns; t3++)
        for (int i = 0; i < h->logs[t3].count; i++) {
            const struct xo_event *e = &h->logs[t3].events[i];
            for (int t2 = 0; e->kind == 'r' && t2 < p->txns; t2++)
                if (t2 != e->source && r->writes[t2][e->variable] &&
                    xo_phi(p, h, r, place, levels[t3], t2, t3, i) &&
                    (e->source == XO_INIT || place[t2] > place[e->source]))
                    return 0;
        }
    return 1;
}

static int xo_breaks(const struct xo_program *p, const struct xo_history *h,
                     const struct xo_relations *r, const int *place)
{
    int64_t sum = 0;
    for (int v = 0; v < 2; v++) {
        int last = XO_INIT;
        for (int t = 0; t < p->txns; t++)
            if (r->writes[t][v] && (last == XO_INIT || place[t] > place[last]))
                last = t;
        sum += xo_value(h, last, v);
    }
    return sum == p->invariant;
}

/* Bit 0: some commit order keeps the axioms; bit 1: one that breaks the invariant. */
static int xo_permute(const struct xo_program *p, const struct xo_history *h,
                      const struct xo_relations *r, int *place, int at, int used,
                      const enum xo_level *levels)
{
    if (at == p->txns)
        return xo_order_keeps(p, h, r, place, levels) * (1 + 2 * xo_breaks(p, h, r, place));
    int found = 0;
    for (int t = 0; t < p->txns; t++)
        if (!(used >> t & 1)) {
            place[t] = at;
            found |= xo_permute(p, h, r, place, at + 1, used | 1 << t, levels);
        }
    return found;
}

static int xo_allows(const struct xo_program *p, const struct xo_history *h,
                     const enum xo_level *levels)
{
    const struct xo_relations r = xo_relate(p, h);
    int place[XO_TXNS] = { 0 };
    return xo_permute(p, h, &r, place, 0, 0, levels);
}

#endif
