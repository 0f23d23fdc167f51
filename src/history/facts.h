#ifndef ESSE_HISTORY_FACTS_H
#define ESSE_HISTORY_FACTS_H

#include "history/oplog.h"

/*
 * What a checker of a log of operations found: a verdict, facts for programs, findings for people.
 *
 * Facts are a tree that prints as JSON.  Long lists of numbers and values are kept as arrays, which
 * the tree points at, not as nodes.  Everything lives in the arena of the root.
 */
enum esse_fact_kind {
    ESSE_FACT_OBJECT,
    ESSE_FACT_ARRAY,
    ESSE_FACT_INT,
    ESSE_FACT_TEXT,
    ESSE_FACT_VALUE,
    ESSE_FACT_OP,       /* an operation of the log, whole */
    ESSE_FACT_OP_BRIEF, /* without its value, which may be long */
    ESSE_FACT_VALUES,   /* an array of values */
    ESSE_FACT_INTS,     /* an array of rows of 'width' numbers */
};

struct esse_fact {
    enum esse_fact_kind kind;
    const char *name; /* in objects */
    struct esse_fact *next;
    union {
        struct {
            struct esse_arena *arena;
            struct esse_fact *first, **end;
        } in;
        int64_t number;
        const char *text;
        esse_value value;
        uint32_t op;
        struct {
            const esse_value *at;
            size_t count;
        } values;
        struct {
            const int64_t *at;
            size_t rows;
            unsigned width;
        } ints;
    } is;
};

/* 'name' is not copied; it is NULL for members of arrays. */
struct esse_fact *esse_fact_object(struct esse_fact *in, const char *name);
struct esse_fact *esse_fact_array(struct esse_fact *in, const char *name);
void esse_fact_int(struct esse_fact *in, const char *name, int64_t number);
void esse_fact_text(struct esse_fact *in, const char *name, const char *text);
void esse_fact_value(struct esse_fact *in, const char *name, esse_value value);
void esse_fact_op(struct esse_fact *in, const char *name, uint32_t op);
void esse_fact_op_brief(struct esse_fact *in, const char *name, uint32_t op);
void esse_fact_values(struct esse_fact *in, const char *name, const esse_value *at, size_t count);
void esse_fact_ints(struct esse_fact *in, const char *name, const int64_t *at, size_t rows,
                    unsigned width);

/* One thing that went wrong, in a sentence, and the operations that prove it. */
struct esse_witness {
    uint32_t op;
    const char *why; /* a clause: "was acknowledged" */
};

enum { ESSE_WITNESSES = 3 };

struct esse_finding {
    const char *text;
    struct esse_witness witnesses[ESSE_WITNESSES];
    uint32_t witness_count;
    struct esse_finding *next;
};

struct esse_findings {
    enum esse_outcome outcome; /* holds: valid; violated: invalid */
    const char *reason;        /* if unknown */
    const char *summary;       /* the few numbers that matter, one line */
    const struct esse_oplog *log;
    struct esse_fact *facts;
    struct esse_finding *first, **end;
    esse_value key;              /* of a sub-history, else ESSE_NONE */
    struct esse_findings *parts; /* one a key, if the history was taken apart */
    uint32_t part_count;
    bool too_few_committed; /* or nothing was read: valid would say nothing */
};

void esse_findings_init(struct esse_findings *findings, struct esse_arena *arena,
                        const struct esse_oplog *log);

/* Adds a finding; the text must stay.  Witnesses beyond ESSE_WITNESSES are a bug. */
struct esse_finding *esse_finding_add(struct esse_findings *findings, const char *text);
void esse_finding_witness(struct esse_finding *finding, uint32_t op, const char *why);

#endif
