#ifndef ESSE_LEVEL_LEVEL_H
#define ESSE_LEVEL_LEVEL_H

#include "esse/esse.h"

/*
 * Isolation levels and anomalies: two tables, and the few questions everything else asks of them.
 * The names, implications and forbidden anomalies are those of Elle; what Esse adds is marked
 * 'is_own'.  Help, docs, JSON and the picture of the lattice are all made from here.
 *
 * Life: the tables are constant data.  Their closures are computed once, by whichever thread asks
 * first; every function here may be called from any thread at any time.
 *
 * Cost: implies and forbids are one bit test; find and suggest walk the names, of which there are
 * a few dozen; boundary is O(levels squared).
 */

/* Bitset widths.  The tables are checked against them when compiling. */
enum { ESSE_LEVEL_MAX = 64, ESSE_ANOMALY_MAX = 96 };

_Static_assert((int)ESSE_LEVEL_END <= (int)ESSE_LEVEL_MAX, "a level is a bit of one word");

_Static_assert((int)ESSE_ANOMALY_END <= (int)ESSE_ANOMALY_MAX, "an anomaly is a bit of a set");

/* Which kind of definition a level has, and so which engines can decide it. */
enum esse_level_family {
    ESSE_FAMILY_DEPENDENCY,   /* a forbidden cycle of ww, wr, rw (and so, rt): semantics 3 */
    ESSE_FAMILY_COMMIT_ORDER, /* a total order that contains so and wr: semantics 4 */
    ESSE_FAMILY_OPERATIONS,   /* the same with single reads and writes in place of transactions */
    ESSE_FAMILY_OTHER,        /* a phenomenon of its own, or equivalence to a serial run */
};

/*
 * The φ of semantics 4: what makes a writer t2 visible to a reader t3.  Some total order of the
 * units, co ⊇ wr, with so if the level counts sessions, has t2 co t1 whenever t3 reads x from t1,
 * t2 ≠ t1 writes x and φ(t2, t3).
 */
enum esse_phi {
    ESSE_PHI_NONE,         /* the level is not defined in this way, or no engine uses it */
    ESSE_PHI_READ_EARLIER, /* wr ; po: t3 read from t2 before the read at hand */
    ESSE_PHI_ATOMIC,       /* so ∪ wr */
    ESSE_PHI_CAUSAL,       /* (so ∪ wr)⁺ */
    ESSE_PHI_PIPED,        /* so ∪ so* ; wr ; so* */
    ESSE_PHI_OWN,          /* so */
    ESSE_PHI_SEEN,         /* wr ; so */
    ESSE_PHI_WRITTEN,      /* so ; wr */
    ESSE_PHI_ANSWERED,     /* wr ; so* ; wr */
    /* These speak of the commit order itself. */
    ESSE_PHI_PREFIX,   /* co* ; (so ∪ wr) */
    ESSE_PHI_PARALLEL, /* (so ∪ wr ∪ ww)⁺, where ww is co between two that write the same key */
    ESSE_PHI_UPDATES, /* so ∪ wr ∪ ww */
};

/*
 * The cycles of semantics 3 that some version order must leave out.  so and rt count like wr, as
 * far as the level counts sessions and time; rw is that of items and of predicates.  Of two that
 * can be compared the stronger comes later.
 */
enum esse_cycle {
    ESSE_CYCLE_NONE,            /* the level is not defined in this way */
    ESSE_CYCLE_WW,              /* ww alone */
    ESSE_CYCLE_WR,              /* ww and wr */
    ESSE_CYCLE_RW_AND_ONE_READ, /* ww and wr; or one rw and one wr or so */
    ESSE_CYCLE_RW_AND_READS,    /* ww and wr; or one rw, and all else wr or so */
    ESSE_CYCLE_ONE_RW,          /* ww, wr and at most one rw */
    ESSE_CYCLE_RW_AFTER_READ,   /* ww, wr and rw, where every rw follows a wr or so */
    ESSE_CYCLE_ITEM_RW,         /* ww, wr and rw, where what a predicate missed is no rw */
    ESSE_CYCLE_NO_TWO_RW,       /* ww, wr and rw without two rw in a row: (ww ∪ wr) ; rw? */
    ESSE_CYCLE_ANY,             /* ww, wr and rw */
};

enum esse_implies_kind {
    ESSE_IMPLIES_ALWAYS = 1, /* true of every history under Esse's definitions */
    ESSE_IMPLIES_PLAIN,      /* Elle's; true only if every transaction is its own session */
};

struct esse_implication {
    enum esse_level_id to; /* ESSE_LEVEL_NONE ends the list */
    enum esse_implies_kind kind;
};

/*
 * A small history in one line: "T1: r(x,0) w(y,1); T2 (s1): r(y,0)".  Keys start at 0, lists at
 * []; a(x,1) appends; p(v>0,{}) reads by predicate.  Transactions are committed and alone in their
 * session unless the parenthesis says otherwise; clauses after the last one say what is known of
 * time and version order.
 */
struct esse_example {
    const char *history;
    const char *why; /* one sentence */
};

/*
 * A level is one row.  A history satisfies it iff none of the anomalies that it forbids is there,
 * some version order leaves no cycle of the kind 'cycle', and some commit order keeps the axiom
 * 'phi', as far as the row has these.  A row with both has two definitions that say the same; one
 * with neither is decided only by what it implies and forbids.  The engines and the kernel read
 * the definition here and have no table of their own.
 */
struct esse_level {
    enum esse_level_id id;
    const char *name;       /* canonical, as in Elle: "PL-3" */
    const char *friendly;   /* what reports print: "serializable" */
    const char *elle_name;  /* what Elle prints, where that is yet another name; else NULL */
    const char *aliases[3]; /* further accepted names, null-terminated */
    bool is_own;            /* Esse's, unknown to Elle */

    enum esse_level_family family; /* with it the unit: transactions, or single operations */
    enum esse_phi phi;
    enum esse_cycle cycle;
    bool needs_session_order; /* so counts: in cycles, and as a part of the commit order */
    bool needs_real_time;     /* rt counts in cycles */
    bool has_points;          /* start and commit points that a certificate gives count */

    /* What a history is said to have that does not satisfy the level, or NONE where no engine
     * says so.  The level forbids these. */
    enum esse_anomaly_id no_order;        /* every version order leaves a cycle */
    enum esse_anomaly_id no_commit_order; /* no commit order keeps the axiom */
    enum esse_anomaly_id mismatch;        /* the order that was given does not replay */

    struct esse_implication implies[7]; /* direct */
    enum esse_anomaly_id forbids[9];    /* direct; those of implied levels come on top */
    const char *definition, *source;    /* one formal paragraph, and where it comes from */
};

/* What 'esse levels NAME' shows beside the definition. */
struct esse_level_notes {
    struct esse_example forbidden, allowed;
    const char *databases[10]; /* "product: what it is called there", null-terminated */
};

/* What shows an anomaly of a type, and so how the kernel rechecks it. */
enum esse_shown_by {
    ESSE_SHOWN_BY_NOTHING,      /* a name of the lattice that is never reported itself */
    ESSE_SHOWN_BY_STEPS,        /* a few operations */
    ESSE_SHOWN_BY_CYCLE,        /* a cycle of dependencies */
    ESSE_SHOWN_BY_FORCED_CYCLE, /* a cycle in every commit order that keeps a level's axiom */
    ESSE_SHOWN_BY_REFUTATION,   /* a cycle whatever is chosen */
    ESSE_SHOWN_BY_ORDER,        /* the order that was given does not replay, or its points are
                                   against a dependency */
    ESSE_SHOWN_BY_POINTS,       /* points that are against a dependency */
};

struct esse_anomaly_type {
    enum esse_anomaly_id id;
    const char *name;
    const char *aliases[3]; /* older and other names, accepted as input; null-terminated */
    bool is_own;            /* Esse's, unknown to Elle */
    enum esse_shown_by shown_by;
    bool is_about_points;            /* it holds start and commit points that were given against
                                        the reads: only levels of snapshots know of these */
    enum esse_anomaly_id implies[5]; /* a history with this one has those as well */
    const char *definition, *source;
    struct esse_example example;
};

size_t esse_level_count(void);
const struct esse_level *esse_level_at(size_t at);
const struct esse_level *esse_level_get(enum esse_level_id id);
const struct esse_level_notes *esse_level_notes_of(const struct esse_level *level);

/* Not in the table, and never found by its name: the level that allows everything. */
extern const struct esse_level esse_level_none;

/* By any accepted name, in any case, with any separator, or as a peer spells it; NULL if there is
 * none such. */
const struct esse_level *esse_level_find(const char *name);

/* What else people call by this name, in a clause about which level was taken; NULL if nothing. */
const char *esse_level_also_means(const char *name);

/* The level whose failure has this name: it is its 'no_order', 'no_commit_order' or 'mismatch';
 * NULL if there is none such. */
const struct esse_level *esse_level_failing_by(enum esse_anomaly_id type);

/* The accepted name that looks most like 'name', or NULL if none is near. */
const char *esse_level_suggest(const char *name);

/* The level of this name; NULL with ESSE_EUSAGE if there is none, and what was perhaps meant. */
const struct esse_level *esse_level_named(const char *name, struct esse_error *err);

const char *esse_anomaly_suggest(const char *name);

/* The same among the names of levels and of anomalies. */
const char *esse_level_suggest_any(const char *name);

/* The name by which Elle prints the level. */
const char *esse_level_elle_name(const struct esse_level *level);

/* Are single reads and writes the units of its commit order, and not transactions? */
static inline bool esse_level_is_of_operations(const struct esse_level *level)
{
    return level->family == ESSE_FAMILY_OPERATIONS;
}

/* Is it proved by replaying an order, and not by holding one against its axiom alone? */
static inline bool esse_level_is_replayed(const struct esse_level *level)
{
    return level->cycle != ESSE_CYCLE_NONE && level->cycle != ESSE_CYCLE_RW_AND_ONE_READ &&
           level->cycle != ESSE_CYCLE_RW_AND_READS;
}

/* Is an order that proves it one of starts and commits, and not of transactions? */
static inline bool esse_level_has_starts(const struct esse_level *level)
{
    return level->cycle == ESSE_CYCLE_NO_TWO_RW || level->cycle == ESSE_CYCLE_RW_AFTER_READ;
}

/* Must a transaction read its own writes?  Must it also read again what it has read before?  The
 * level says so by forbidding own-write-missed and internal. */
bool esse_level_sees_own_writes(const struct esse_level *level);
bool esse_level_is_repeatable(const struct esse_level *level);

/* The levels defined by cycles that a replay proves: of the strongest kind first, and of one kind
 * those first that count time, then sessions.  NULL after the last. */
const struct esse_level *esse_level_by_cycle(size_t at);

/* The level with the same kind of cycle that counts these; NULL if there is none. */
const struct esse_level *esse_level_with(const struct esse_level *level, bool sessions, bool time);

/* X of strong-X and strong-session-X; NULL for others. */
const struct esse_level *esse_level_base(const struct esse_level *level);

/* The anomalies that the level itself names, one after the other; ESSE_ANOMALY_NONE after the
 * last. */
enum esse_anomaly_id esse_level_names(const struct esse_level *level, size_t at);

/* Does every history that satisfies 'a' satisfy 'b'?  Only by the implications that are true under
 * Esse's definitions, so that "holds" may be passed on along it.  Every level implies itself. */
bool esse_level_implies(const struct esse_level *a, const struct esse_level *b);

/* The same in Elle's lattice, where the levels that need session order lie below plain snapshot
 * isolation.  For naming what is ruled out, never for passing on "holds". */
bool esse_level_implies_elle(const struct esse_level *a, const struct esse_level *b);

/* Is the implication 'at' of 'level' one that the others do not yield already? */
bool esse_level_is_cover(const struct esse_level *level, size_t at);

size_t esse_anomaly_count(void);
const struct esse_anomaly_type *esse_anomaly_at(size_t at);
const struct esse_anomaly_type *esse_anomaly_get(enum esse_anomaly_id id);
enum esse_shown_by esse_anomaly_shown_by(enum esse_anomaly_id id); /* NONE: nothing */
const struct esse_anomaly_type *esse_anomaly_find(const char *name);

/* Is 'b' present wherever 'a' is?  Every anomaly implies itself. */
bool esse_anomaly_implies(const struct esse_anomaly_type *a, const struct esse_anomaly_type *b);

/* Is a history with 'anomaly' outside of 'level'?  'anomaly' implies one that the level names, or a
 * level that it implies under Esse's definitions.  What is about points (see there)
 * counts for levels that have them, and not for those that imply them. */
bool esse_level_forbids(const struct esse_level *level, const struct esse_anomaly_type *anomaly);

/*
 * What is ruled out by the anomalies present, and with these levels, which are violated whatever
 * the anomaly was (none: NULL): the weakest levels, and the rest, in the order of their
 * names, which are Elle's but for strict-serializable.  Esse's own levels are left out, because
 * these lists are there to be compared with Elle's, and a level below 'read-atomic' would push that
 * out of the weakest; ask esse_level_forbids about them.
 */
void esse_level_boundary(struct esse_arena *arena, const struct esse_anomaly_type *const *present,
                         size_t count, const struct esse_level *const *violated,
                         size_t violated_count, const char *const **not_levels, uint32_t *not_count,
                         const char *const **also_not, uint32_t *also_count);

/* Are the tables sound: ids in place, no name twice, implications downwards?  For the tests. */
bool esse_level_valid(void);

/* The tables themselves, by id; entry 0 is empty.  Use the functions above. */
extern const struct esse_level esse_level_table[ESSE_LEVEL_END];
extern const struct esse_level_notes esse_level_notes_table[ESSE_LEVEL_END];
extern const struct esse_anomaly_type esse_anomaly_table[ESSE_ANOMALY_END];

/* Short names, and how Elle, AWDIT, Plume, IsoVista, PolySI, Cobra, DBCop and VeriStrong spell
 * levels.  Where others mean another level by the same name, 'also' says which was taken. */
struct esse_level_alias {
    const char *name; /* NULL ends the table */
    enum esse_level_id level;
    const char *also;
};
extern const struct esse_level_alias esse_level_alias_table[];

#endif
