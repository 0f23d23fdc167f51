#include "collect/record/session_buffer.h"
#include "engine/polygraph/poly_layout.h"
#include "engine/scan/scan.h"
#include "evidence/replay_state.h"
#include "graph/reach_state.h"
#include "graph/topo.h"
#include "level/level.h"
#include "load_text.h"

/*
 * Every _valid() says yes to what was built, and no when one of the numbered invariants of its
 * header is broken: one BREAKS a line, with the number of the invariant.
 */
#define BREAKS(place, wrong, valid)                                                                \
    do {                                                                                           \
        const __typeof__(place) kept = (place);                                                    \
        (place) = (__typeof__(place))(wrong);                                                      \
        CHECK(!(valid));                                                                           \
        (place) = kept;                                                                            \
        CHECK(valid);                                                                              \
    } while (0)

/* ---- graphs ---- */

/* 0 -> 1 -> 2, 0 -> 3 -> 4, and 5 for itself. */
static void small_graph(struct esse_csr *csr, struct esse_arena *arena)
{
    static const uint32_t edges[][2] = { { 0, 1 }, { 1, 2 }, { 0, 3 }, { 3, 4 } };
    esse_csr_init(csr, arena, 6);
    for (int e = 0; e < 4; e++)
        esse_csr_count(csr, edges[e][0]);
    esse_csr_start(csr);
    for (int e = 0; e < 4; e++)
        esse_csr_add(csr, edges[e][0], edges[e][1]);
    esse_csr_finish(csr);
}

TEST(test_csr_valid__sees_every_broken_invariant)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_csr csr;
    small_graph(&csr, arena);
    CHECK(esse_csr_valid(&csr, 6));
    BREAKS(csr.first[0], 1, esse_csr_valid(&csr, 6)); /* 1 */
    BREAKS(csr.first[1], 4, esse_csr_valid(&csr, 6)); /* 1 */
    BREAKS(csr.first[7], 5, esse_csr_valid(&csr, 6)); /* 2 */
    BREAKS(csr.to[3], 6, esse_csr_valid(&csr, 6));    /* 3 */
    CHECK(!esse_csr_valid(&csr, 4));
    esse_arena_free(arena);
}

static struct esse_reach *small_reach(struct esse_arena *arena, bool by_chain)
{
    static const uint32_t chain[] = { 0, 0, 0, 1, 1, ESSE_REACH_NONE };
    struct esse_csr *csr = esse_arena_alloc(arena, 1, sizeof *csr);
    uint32_t *order = esse_arena_alloc(arena, 6, sizeof *order);
    small_graph(csr, arena);
    CHECK_EQ(esse_topo_order(csr, order, arena, NULL), 6);
    const struct esse_reach_graph graph = { csr, order, NULL };
    /* As windows the backbone is 0 -> 1 -> 2, and 5 is not asked for. */
    struct esse_reach *reach = by_chain ? esse_reach_chains(&graph, chain, 2, 1 << 20)
                                        : esse_reach_windows(&graph, 0, 3, 5, 1 << 20);
    CHECK(esse_reach_add(reach, (esse_node){ 4 }, (esse_node){ by_chain ? 2 : 5 }));
    CHECK(esse_reach_valid(reach));
    return reach;
}

TEST(test_reach_valid__sees_every_broken_invariant_of_chains)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_reach *reach = small_reach(arena, true);
    BREAKS(reach->back.to[0], 4, esse_reach_valid(reach));                      /* 1 */
    BREAKS(reach->out[4], ESSE_REACH_NONE, esse_reach_valid(reach));            /* 2 */
    BREAKS(reach->in[2], 0, esse_reach_valid(reach));                           /* 2 */
    BREAKS(reach->links.at[0].next, 0, esse_reach_valid(reach));                /* 2 */
    BREAKS(reach->work.count, 1, esse_reach_valid(reach));                      /* 3 */
    BREAKS(reach->place[1], 0, esse_reach_valid(reach));                        /* 4 */
    BREAKS(reach->firsts[0 * 2 + 1], ESSE_REACH_NONE, esse_reach_valid(reach)); /* 5 */
    BREAKS(reach->firsts[4 * 2 + 0], ESSE_REACH_NONE, esse_reach_valid(reach)); /* 5: added edge */
    esse_reach_free(reach);
    esse_arena_free(arena);
}

TEST(test_reach_valid__sees_every_broken_invariant_of_windows)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_reach *reach = small_reach(arena, false);
    BREAKS(reach->begin[1], 1, esse_reach_valid(reach));                /* 6 */
    BREAKS(reach->column[1], 0, esse_reach_valid(reach));               /* 6 */
    BREAKS(reach->column[3], ESSE_REACH_NONE, esse_reach_valid(reach)); /* 6 */
    BREAKS(reach->begin[4], 0, esse_reach_valid(reach));                /* 7 */
    BREAKS(reach->end[4], 1, esse_reach_valid(reach));                  /* 7 */
    BREAKS(reach->bits[reach->rows[3].at], 0, esse_reach_valid(reach)); /* 7 */
    esse_reach_free(reach);
    esse_arena_free(arena);
}

/* ---- histories ---- */

static const char lists[] = "{'session':1,'ops':[{'a':'x','v':1},{'a':'y','v':1}]}\n"
                            "{'session':2,'ops':[{'r':'x','v':[1]},{'a':'x','v':2}]}\n"
                            "{'session':1,'ops':[{'r':'x','v':[1,2]},{'r':'y','v':[1]}]}\n"
                            "{'session':2,'status':'aborted','ops':[{'a':'y','v':9}]}\n";

/* Two blind writes of x in an order that is not known, and a read of nothing that may be of two
 * versions of y. */
static const char registers[] = "{'session':1,'ops':[{'w':'x','v':1},{'w':'y','v':1}]}\n"
                                "{'session':2,'ops':[{'w':'x','v':2},{'d':'y'}]}\n"
                                "{'session':3,'ops':[{'r':'x','v':2},{'r':'y','v':null}]}\n"
                                "{'session':4,'ops':[{'r':'x','v':2},{'w':'x','v':3}]}\n";

/* The columns are const, but for a test that breaks them. */
#define COLUMN(type, column) ((type *)(uintptr_t)(column))

TEST(test_history_valid__sees_every_broken_invariant)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *h = load_text(arena, "native", lists);
    CHECK(esse_history_valid(h));
    BREAKS(COLUMN(uint32_t, h->txn_op)[1], 7, esse_history_valid(h)); /* 1 */
    BREAKS(h->ops, 6, esse_history_valid(h));                         /* 1 */
    BREAKS(COLUMN(uint8_t, h->op_kind)[0], 9, esse_history_valid(h)); /* 2 */
    BREAKS(COLUMN(uint32_t, h->op_key)[0], 2, esse_history_valid(h)); /* 2 */
    BREAKS(COLUMN(esse_value, h->op_value)[4].word, esse_value_list(0, 3).word,
           esse_history_valid(h));                                           /* 3 */
    BREAKS(COLUMN(uint32_t, h->txn_session)[0], 2, esse_history_valid(h));   /* 4 */
    BREAKS(COLUMN(uint8_t, h->txn_status)[0], 3, esse_history_valid(h));     /* 4 */
    BREAKS(COLUMN(uint32_t, h->session_txn)[1], 0, esse_history_valid(h));   /* 5 */
    BREAKS(COLUMN(uint32_t, h->session_first)[1], 1, esse_history_valid(h)); /* 5 */
    BREAKS(h->has, h->has | ESSE_HAS_XIDS, esse_history_valid(h));           /* 6 */
    const struct esse_version_order order = { .key = { 2 } };
    const esse_txn twice[] = { { 1 }, { 1 } };
    h->version_orders = &order;
    BREAKS(h->version_order_count, 1, esse_history_valid(h)); /* 7 */
    h->order = h->lost = twice;
    BREAKS(h->order_count, 2, esse_history_valid(h)); /* 8 */
    BREAKS(h->lost_count, 2, esse_history_valid(h));  /* 8 */
    const struct esse_txn_extra extras[2] = { { .txn = { 1 } }, { .txn = { 0 } } };
    h->extras = extras;
    BREAKS(h->extra_count, 2, esse_history_valid(h)); /* 8 */
    esse_arena_free(arena);
}

#define BREAKS_FIELD(field, wrong, valid) /* of a bit field */                                     \
    do {                                                                                           \
        const unsigned kept = (field);                                                             \
        (field) = (wrong)&3u;                                                                      \
        CHECK(!(valid));                                                                           \
        (field) = kept & 3u;                                                                       \
        CHECK(valid);                                                                              \
    } while (0)

TEST(test_by_key_valid__sees_every_broken_invariant)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *h = load_text(arena, "native", lists);
    struct esse_by_key k;
    esse_by_key_make(&k, arena, h);
    CHECK(esse_by_key_valid(&k, h));
    BREAKS(k.first[0], 1, esse_by_key_valid(&k, h));                     /* 1 */
    BREAKS(k.first[1], 5, esse_by_key_valid(&k, h));                     /* 1 */
    BREAKS(k.count, 6, esse_by_key_valid(&k, h));                        /* 1 */
    BREAKS(k.at[1].access, 0, esse_by_key_valid(&k, h));                 /* 2 */
    BREAKS(k.at[3].access, 9, esse_by_key_valid(&k, h));                 /* 3 */
    BREAKS(k.at[0].value.word, ESSE_NIL.word, esse_by_key_valid(&k, h)); /* 3 */
    BREAKS_FIELD(k.at[0].kind, ESSE_OP_WRITE, esse_by_key_valid(&k, h)); /* 3 */
    BREAKS_FIELD(k.at[0].txn, 1, esse_by_key_valid(&k, h));              /* 3 */
    BREAKS(k.accesses, 6, esse_by_key_valid(&k, h));                     /* 4 */
    uint32_t number = 0;
    k.op_access = &number;
    CHECK(!esse_by_key_valid(&k, h)); /* 4 */
    esse_arena_free(arena);
}

/* ---- versions and the polygraph ---- */

struct fixture {
    struct esse_arena *arena;
    struct esse_job job;
    struct known known;
    struct versions versions;
    struct dsg_time time;
    struct poly_reads reads;
    struct esse_verdict verdict;
};

static void find_versions(struct fixture *f, const char *text)
{
    static const struct esse_level *level;
    *f = (struct fixture){ .arena = esse_arena_new() };
    level = esse_level_find("serializable");
    f->job = (struct esse_job){ .history = load_text(f->arena, "native", text),
                                .arena = f->arena,
                                .levels = &level,
                                .level_count = 1,
                                .verdicts = &f->verdict,
                                .threads = 1 };
    CHECK(scan_open(&f->known, &f->job, NULL));
    CHECK(versions_find(&f->versions, &f->known, false));
}

static void close_fixture(struct fixture *f)
{
    known_close(&f->known);
    esse_arena_free(f->arena);
}

TEST(test_versions_valid__sees_every_broken_invariant)
{
    struct fixture f;
    find_versions(&f, lists);
    struct versions *v = &f.versions;
    CHECK(versions_valid(v));
    CHECK_EQ(v->first[1].ix, 3); /* x: the initial version and two; y: the initial one and one */
    BREAKS(v->first[0].ix, 1, versions_valid(v));                    /* 1 */
    BREAKS(v->count, 6, versions_valid(v));                          /* 1 */
    BREAKS(v->write[3].ix, 0, versions_valid(v));                    /* 1 */
    BREAKS(v->unordered[0].ix, 0, versions_valid(v));                /* 2 */
    BREAKS(v->unordered[1].ix, 6, versions_valid(v));                /* 2 */
    BREAKS(v->write[1].ix, ESSE_NO_KEY_ACCESS, versions_valid(v));   /* 3 */
    BREAKS(v->write[1].ix, v->write[2].ix, versions_valid(v));       /* 3 */
    BREAKS(v->of[v->write[1].ix].ix, NO_VERSION, versions_valid(v)); /* 3 */
    BREAKS(v->of[1].ix, 4, versions_valid(v));         /* 4: a read of another key's */
    BREAKS(v->of[6].ix, 4, versions_valid(v));         /* 4: an aborted write */
    BREAKS(v->key_reader[0].ix, 5, versions_valid(v)); /* 5 */
    uint32_t first[8] = { 0, 0, 1, 1, 1, 1 };
    struct version_edge edge = { { 1 }, { 2 }, v->write[1], v->write[2], 0 };
    v->after_first = first;
    v->after = &edge;
    CHECK(versions_valid(v));
    BREAKS(edge.from.ix, 2, versions_valid(v));               /* 6 */
    BREAKS(edge.to.ix, 1, versions_valid(v));                 /* 6 */
    BREAKS(edge.to_at.ix, v->write[1].ix, versions_valid(v)); /* 6 */
    close_fixture(&f);
}

TEST(test_poly_valid__sees_every_broken_invariant)
{
    struct fixture f;
    find_versions(&f, registers);
    dsg_time_find(&f.time, &f.versions);
    CHECK(poly_reads_find(&f.reads, &f.versions, false, NULL, &f.job.error));
    CHECK(f.reads.open.count > 0);
    BREAKS(f.reads.version_key[0], 1, poly_reads_valid(&f.reads));         /* 1 */
    BREAKS(f.reads.reader[0].ix, 0, poly_reads_valid(&f.reads));           /* 1 */
    BREAKS(f.reads.open.at[0].count, 99, poly_reads_valid(&f.reads));      /* 2 */
    BREAKS(f.reads.sources.at[0], 0, poly_reads_valid(&f.reads));          /* 2 */
    BREAKS(f.reads.open.at[0].optional, true, poly_reads_valid(&f.reads)); /* 3 */
    uint8_t retracted[8] = { 0 };
    struct poly_layout layout;
    poly_layout_find(&layout, &f.reads, 0);
    struct poly p = { .ablate = ESSE_ABLATE_LAZINESS | ESSE_ABLATE_PRUNING,
                      .layout = &layout,
                      .versions = &f.versions,
                      .reads = &f.reads,
                      .time_line = &f.time,
                      .level = esse_level_find("serializable"),
                      .retracted = retracted };
    CHECK_EQ(poly_solve(&p), ESSE_SOLVER_SAT);
    CHECK(poly_valid(&p));
    BREAKS(p.time_nodes_at, 5, poly_valid(&p));      /* 1 */
    BREAKS(p.nodes, p.nodes + 1, poly_valid(&p));    /* 1 */
    BREAKS(p.key_aux_node[0].ix, 0, poly_valid(&p)); /* 1 */
    BREAKS(p.known.to[0], p.nodes, poly_valid(&p));  /* 2 */
    poly_inferred_vec_push(&p.inferred, p.graph_arena, (struct poly_inferred){ { 1 }, { 2 }, 0 });
    CHECK(poly_valid(&p));
    BREAKS(p.inferred.at[0].b.ix, p.versions->first[1].ix, poly_valid(&p)); /* 3 */
    const uint32_t source = f.reads.open.at[0].choice;
    uint32_t order = 0;
    while (p.choices.at[order].kind != POLY_ORDER)
        order++;
    BREAKS(p.choices.at[order].a, p.choices.at[order].b, poly_valid(&p));        /* 4 */
    BREAKS(p.choices.at[source].b, 0, poly_valid(&p));                           /* 4 */
    BREAKS(p.choices.at[source].kind, 3, poly_valid(&p));                        /* 4 */
    BREAKS(p.choices.count, p.choices.count - 1, poly_valid(&p));                /* 4 */
    BREAKS(p.proof.lits.at[p.proof.clauses.at[0].lits], 2 * 99, poly_valid(&p)); /* 5 */
    BREAKS(p.proof.clauses.at[0].lit_count, 99, poly_valid(&p));                 /* 5 */
    poly_close(&p);
    close_fixture(&f);
}

/* ---- the replayed store ---- */

TEST(test_replay_state_valid__sees_every_broken_invariant)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *h = load_text(arena, "native", lists);
    const uint8_t in[] = { 1, 1, 1, 0 };
    struct replay_state s;
    replay_state_init(&s, arena, h, in, true);
    s.keeps_changes = true;
    for (uint32_t txn = 0; txn < 3; txn++)
        replay_state_commit(&s, txn);
    CHECK(replay_state_valid(&s));
    struct replay_key *x = &s.keys[0];
    CHECK_EQ(x->version_count, 3);
    BREAKS(x->version_count, 0, replay_state_valid(&s));      /* 1 */
    BREAKS(x->versions[1].commit, 2, replay_state_valid(&s)); /* 1 */
    BREAKS(x->versions[1].count, 3, replay_state_valid(&s));  /* 1 */
    BREAKS(x->last.commit, 1, replay_state_valid(&s));        /* 1 */
    BREAKS(s.commits, 1, replay_state_valid(&s));             /* 2 */
    BREAKS(x->item_count, 3, replay_state_valid(&s));         /* 2 */
    BREAKS(x->compared, 3, replay_state_valid(&s));           /* 3 */
    BREAKS(s.change_first.at[0], 3, replay_state_valid(&s));  /* 5 */
    BREAKS(s.changes.at[0], 2, replay_state_valid(&s));       /* 5 */
    BREAKS(s.horizon, 1, replay_state_valid(&s));             /* 5 */
    s.grows = true;
    s.keys[0].item_room = s.keys[1].item_room = 2;
    s.keys[0].version_room = s.keys[1].version_room = 4;
    CHECK(replay_state_valid(&s));
    BREAKS(x->item_room, 1, replay_state_valid(&s));    /* 4 */
    BREAKS(x->version_room, 2, replay_state_valid(&s)); /* 4 */
    esse_arena_free(arena);
}

/* ---- the recorder's log buffer ---- */

TEST(test_log_buffer_valid__sees_every_broken_invariant)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_table table = { .name = "t", .rows = 0 };
    const struct esse_schema schema = { .tables = &table, .count = 1 };
    struct esse_error err;
    struct esse_log_buffer *log_buffer = esse_log_buffer_new(arena, &schema, 0);
    CHECK(esse_log_buffer_open(log_buffer, "db", "serializable", &err));
    struct esse_session_buffer *session_buffer = esse_session_buffer_new(log_buffer, 1);
    for (int i = 0; i < 2; i++) {
        esse_session_buffer_begin(session_buffer);
        session_buffer->xid = 7;
        esse_session_buffer_end(session_buffer, ESSE_COMMITTED);
    }
    esse_session_buffer_begin(session_buffer);
    CHECK(esse_log_buffer_valid(log_buffer));
    struct esse_lines *lines = esse_front_lines(&log_buffer->front);
    BREAKS(log_buffer->front.filled, 2, esse_log_buffer_valid(log_buffer));                /* 1 */
    BREAKS(lines->bytes.count, lines->bytes.count - 1, esse_log_buffer_valid(log_buffer)); /* 2 */
    BREAKS(lines->lines.count, lines->lines.count - 1, esse_log_buffer_valid(log_buffer)); /* 2 */
    BREAKS(lines->bytes.buffer[lines->bytes.count - 1], ' ',
           esse_log_buffer_valid(log_buffer));                                      /* 2 */
    BREAKS(lines->lines.at[1].stamp, INT64_MAX, esse_log_buffer_valid(log_buffer)); /* 3 */
    BREAKS(log_buffer->last, -1, esse_log_buffer_valid(log_buffer));                /* 4 */
    BREAKS(log_buffer->tally.committed, 1, esse_log_buffer_valid(log_buffer));      /* 5 */
    BREAKS(session_buffer->log_buffer, NULL, esse_log_buffer_valid(log_buffer));    /* 6 */
    BREAKS(session_buffer->is_idle, true, esse_log_buffer_valid(log_buffer));       /* 6 */
    esse_log_buffer_release(log_buffer);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_valid__sees_every_broken_invariant),
        cmocka_unit_test(test_reach_valid__sees_every_broken_invariant_of_chains),
        cmocka_unit_test(test_reach_valid__sees_every_broken_invariant_of_windows),
        cmocka_unit_test(test_history_valid__sees_every_broken_invariant),
        cmocka_unit_test(test_by_key_valid__sees_every_broken_invariant),
        cmocka_unit_test(test_versions_valid__sees_every_broken_invariant),
        cmocka_unit_test(test_poly_valid__sees_every_broken_invariant),
        cmocka_unit_test(test_replay_state_valid__sees_every_broken_invariant),
        cmocka_unit_test(test_log_buffer_valid__sees_every_broken_invariant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
