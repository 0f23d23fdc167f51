#ifndef ESSE_FORMATS_NATIVE_EDN_H
#define ESSE_FORMATS_NATIVE_EDN_H

#include "base/vec.h"
#include "formats/json.h"
#include "history/record.h"

/*
 * The member "edn" of a native transaction: what Jepsen's operation had beside the members that
 * Esse uses, {":error":":timeout"}.  Names and texts are EDN, each one form.  They are copied,
 * because the next string may take the place of the last.
 */
struct esse_native_edn_member {
    size_t name, text; /* how many of the bytes */
};
ESSE_VEC(esse_native_edn_members, struct esse_native_edn_member)
ESSE_VEC(esse_native_edn_bytes, char)
ESSE_VEC(esse_native_edn_vec, struct esse_extra)

struct esse_native_edn {
    struct esse_native_edn_members members;
    struct esse_native_edn_bytes bytes;
    struct esse_native_edn_vec extras;
};

bool esse_native_edn_read(struct esse_native_edn *edn, struct esse_json *json,
                          struct esse_arena *arena);

/* What was read last, for a record; good until the next reading. */
const struct esse_extra *esse_native_edn_extras(struct esse_native_edn *edn,
                                                struct esse_arena *arena, size_t *count);

#endif
