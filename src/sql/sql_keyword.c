#include "sql/sql_parsing.h"

#include <pg_query.h>

#include <string.h>
#include <strings.h>

/* The parse tree does not say where clauses stand; PostgreSQL's scanner does. */

static bool is_one_of(const char *at, size_t length, const char *words)
{
    while (*words) {
        const size_t word = strcspn(words, " ");
        if (word == length && strncasecmp(words, at, length) == 0)
            return true;
        words += word;
        words += strspn(words, " ");
    }
    return false;
}

uint32_t sql_keyword_at(const struct sql_parsing *p, const char *words)
{
    uint32_t at = 0;
    PgQueryScanResult result = pg_query_scan(p->statement);
    PgQuery__ScanResult *scan =
        result.error ? NULL
                     : pg_query__scan_result__unpack(NULL, result.pbuf.len,
                                                     (const uint8_t *)result.pbuf.data);
    for (size_t i = 0; scan && !at && i < scan->n_tokens; i++) {
        const PgQuery__ScanToken *token = scan->tokens[i];
        /* The first word may be the SELECT that nearly all begin with. */
        if ((i || strcmp(words, "WITH") == 0) &&
            token->keyword_kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD &&
            is_one_of(p->statement + token->start, (size_t)(token->end - token->start), words))
            at = sql_place(p, token->start);
    }
    if (scan)
        pg_query__scan_result__free_unpacked(scan, NULL);
    pg_query_free_scan_result(result);
    return at;
}
