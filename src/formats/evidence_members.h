#ifndef ESSE_FORMATS_EVIDENCE_MEMBERS_H
#define ESSE_FORMATS_EVIDENCE_MEMBERS_H

#include "formats/evidence_file.h"
#include "formats/json.h"

#include <stddef.h>

/*
 * The members of an evidence file, object by object.  The reader and the writer are driven by this
 * table and know of no member by themselves.  Private to formats/evidence_*.
 *
 * A member is written in the order of the table, and read in any.
 */
enum evidence_kind {
    EVIDENCE_CONSTANT,  /* the text words[0] */
    EVIDENCE_VERSION,   /* ESSE_EVIDENCE_VERSION */
    EVIDENCE_REMARK,    /* const char *; whatever it is, it is not read */
    EVIDENCE_TEXT,      /* const char *; NULL: left out */
    EVIDENCE_WORD,      /* an enum, by its 'words' */
    EVIDENCE_ANOMALY,   /* enum esse_anomaly_id */
    EVIDENCE_LEVEL,     /* enum esse_level_id */
    EVIDENCE_TRUTH,     /* bool */
    EVIDENCE_NUMBER,    /* uint32_t, or an id; ESSE_NO_OP is null */
    EVIDENCE_PAIR,      /* uint32_t[2] */
    EVIDENCE_NUMBERS,   /* const uint32_t *, counted; none of them null */
    EVIDENCE_OPS,       /* const uint32_t *, counted; ESSE_NO_OP is null */
    EVIDENCE_SET,       /* unsigned: a bit for each of 'words', but the first */
    EVIDENCE_ANOMALIES, /* const enum esse_anomaly_id *, counted */
    EVIDENCE_OBJECT,    /* of 'shape' */
    EVIDENCE_POINTER,   /* to an object of 'shape'; NULL: left out */
    EVIDENCE_LIST,      /* pointer to objects of 'shape', counted */
};

/* Where lists have new lines. */
enum evidence_lines { EVIDENCE_NO_LINES, EVIDENCE_BETWEEN, EVIDENCE_A_LINE_EACH };

struct evidence_member {
    const char *name;
    enum evidence_kind kind;
    enum evidence_lines lines;
    size_t at, count_at; /* offsets, the second of a list's count */
    size_t flag_at;      /* of the bool that says that the member is there; 0: none */
    const struct evidence_shape *shape; /* of objects */
    const char *const *words;           /* up to NULL */
    const char *expected;               /* the words for people */
    bool is_needed;                     /* an object without it is refused */
    bool if_any;       /* an empty list, an empty set, the first word, no level: is left out */
    size_t instead_at; /* of the count of those that are written instead: the list is empty then */
    bool (*is_told)(const void *object); /* if not, it is left out; NULL: it always is */
    unsigned kinds; /* of objects that begin with a kind and have all members of that and no other:
                       a bit for each kind that has this one; 0: the object is of another sort */
};

struct evidence_shape {
    const char *one, *many; /* "an edge", "edges" */
    size_t size;
    const void *blank; /* what it is before its members are read; NULL: zeros */
    const struct evidence_member *members;
    unsigned count;
    bool (*check)(struct esse_json *json, const void *object); /* after it was read, or NULL */
};

extern const struct evidence_shape evidence_file_shape;

/* What stands at a place in an object: pointers of all types, and enums, are copied as bytes. */
static inline const void *evidence_pointer(const void *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static inline uint32_t evidence_number(const void *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

/* Has an object of this kind the member? */
static inline bool evidence_is_of_kind(const struct evidence_shape *shape, const void *object,
                                       const struct evidence_member *member)
{
    const uint32_t kind = evidence_number((const char *)object + shape->members[0].at);
    return !member->kinds || (member->kinds & 1u << kind) != 0;
}

#endif
