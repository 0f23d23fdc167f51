#include "generate/execute.h"

#include <assert.h>

static enum esse_store_answer write_row(struct esse_store *store, uint32_t session,
                                        const struct esse_request *request, uint32_t slot,
                                        struct esse_executed *executed)
{
    const bool is_delete = request->ask == ESSE_ASK_DELETE;
    const enum esse_store_answer answer = esse_store_lock(store, session, slot);
    if (answer != ESSE_STORE_DONE)
        return answer;
    if (is_delete || request->ask == ESSE_ASK_INSERT) {
        executed->is_absent = esse_store_read(store, session, slot) == ESSE_ABSENT;
        if (executed->is_absent == is_delete)
            return ESSE_STORE_DONE;
    }
    esse_store_write(store, session, slot, is_delete ? ESSE_ABSENT : request->value);
    return ESSE_STORE_DONE;
}

static enum esse_store_answer change_rows(struct esse_store *store, uint32_t session,
                                          const struct esse_request *request,
                                          const struct esse_executed *executed)
{
    enum esse_store_answer answer = ESSE_STORE_DONE;
    for (size_t i = 0; answer == ESSE_STORE_DONE && i < executed->row_count; i++)
        answer = esse_store_lock(store, session, executed->rows[i].slot);
    for (size_t i = 0; answer == ESSE_STORE_DONE && i < executed->row_count; i++)
        esse_store_write(store, session, executed->rows[i].slot, request->value);
    return answer;
}

static int64_t fold(enum esse_aggregate which, int64_t all, int64_t value)
{
    switch (which) {
    case ESSE_AGGREGATE_COUNT:
        return all + 1;
    case ESSE_AGGREGATE_SUM:
        return all + value;
    case ESSE_AGGREGATE_MIN:
        return value < all ? value : all;
    default:
        return value > all ? value : all;
    }
}

static int64_t aggregate(enum esse_aggregate which, const struct esse_executed *executed)
{
    const bool is_one = which == ESSE_AGGREGATE_MIN || which == ESSE_AGGREGATE_MAX;
    if (!executed->row_count)
        return which == ESSE_AGGREGATE_COUNT ? 0 : ESSE_ABSENT;
    int64_t all = is_one ? executed->rows[0].value : 0;
    for (size_t i = 0; i < executed->row_count; i++)
        all = fold(which, all, executed->rows[i].value);
    return all;
}

enum esse_store_answer esse_execute(struct esse_store *store, uint32_t session,
                                    const struct esse_request *request, uint32_t slot,
                                    struct esse_executed *executed)
{
    executed->value = ESSE_ABSENT;
    switch (request->ask) {
    case ESSE_ASK_READ:
        if (esse_store_is_list(store))
            executed->items = esse_store_read_list(store, session, slot, &executed->item_count);
        else
            executed->value = esse_store_read(store, session, slot);
        return ESSE_STORE_DONE;
    case ESSE_ASK_MATCH:
    case ESSE_ASK_CHANGE:
    case ESSE_ASK_AGGREGATE:
        assert(request->is_range);
        executed->rows =
            esse_store_match(store, session, request->low, request->high, &executed->row_count);
        if (request->ask == ESSE_ASK_AGGREGATE)
            executed->value = aggregate(request->aggregate, executed);
        return request->ask == ESSE_ASK_CHANGE ? change_rows(store, session, request, executed)
                                               : ESSE_STORE_DONE;
    default:
        return write_row(store, session, request, slot, executed);
    }
}
