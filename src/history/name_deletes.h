#ifndef ESSE_HISTORY_NAME_DELETES_H
#define ESSE_HISTORY_NAME_DELETES_H

#include "history/history.h"

/*
 * A version order may have null for a delete, whose version has no value to name it by.  Where one
 * transaction alone can have made it, it is named: that did not abort, deletes the key for good,
 * and is not named elsewhere in the order.  Otherwise the order is that of the other versions.  A
 * key without a delete keeps its null, for esse_certificate_check to report.
 *
 * 'orders' are those of a history that is not shared yet.
 * Cost: O(operations + versions named) if there is a null, else O(versions named).
 */
void esse_name_deletes(const struct esse_history *history, struct esse_version_order *orders,
                       uint32_t count);

#endif
