#ifndef ESSE_COLLECT_DRIVER_MYSQL_MYSQL_ERROR_H
#define ESSE_COLLECT_DRIVER_MYSQL_MYSQL_ERROR_H

#include "collect/driver.h"

/*
 * What an error of MariaDB, MySQL, Galera, TiDB or the client library means for the transaction:
 * fills fate, is_lost and is_fatal, and nothing else.  Only where the number says nothing, as 1105
 * of older versions of TiDB, the server's words are looked at.
 */
enum esse_mysql_during { ESSE_DURING_CONNECT, ESSE_DURING_STATEMENT, ESSE_DURING_COMMIT };

void esse_mysql_classify(unsigned code, const char *words, enum esse_mysql_during during,
                         struct esse_failure *failure);

#endif
