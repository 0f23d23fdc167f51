#ifndef ESSE_FORMATS_EDN_AROUND_H
#define ESSE_FORMATS_EDN_AROUND_H

#include "formats/edn.h"

/*
 * What stands around the operations of a history in EDN: nothing, or one vector or list.
 *
 * Life: a zeroed struct.
 */
struct esse_edn_around {
    char close; /* what ends the vector or list; 0 if there is none */
    bool done;  /* it has ended */
    uint64_t open_line, open_column;
};

/* Between operations: true if one follows; false if a bracket was passed, the input has ended, or
 * there was an error.  'is_first' before the first of them. */
bool esse_edn_at_operation(struct esse_edn *edn, struct esse_edn_around *around, bool is_first,
                           bool *ended);

#endif
