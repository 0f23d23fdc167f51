#ifndef ESSE_SQL_SQL_FUNCTION_H
#define ESSE_SQL_SQL_FUNCTION_H

#include "sql/eval.h"

/* The functions on values that are neither NULL (except of concat) nor holes.  Private to sql/. */
bool sql_function(struct esse_eval *eval, const struct esse_expr *call,
                  const struct esse_datum *args, struct esse_datum *value);

#endif
