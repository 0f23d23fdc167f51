#include "exec/exec_run.h"

/* Does the state with this transaction's writes keep every constraint? */

static bool unique_kept(struct exec_run *run, const struct esse_write *write,
                        const struct esse_datum *row)
{
    const struct esse_table *table = write->table;
    for (uint32_t i = 0; i < table->indexes.count; i++) {
        struct esse_found twin;
        bool is_found;
        if (!table->indexes.at[i].is_unique || table->indexes.at[i].is_dropped ||
            (i == 0 && table->has_key))
            continue;
        if (!exec_find_twin(run, table, i, row, write->key, &twin, &is_found))
            return false;
        if (is_found)
            return esse_fault(run->eval.fault, "23505", 0,
                              "two rows have the same in unique constraint \"%s\"",
                              table->indexes.at[i].name ? table->indexes.at[i].name : "");
    }
    return true;
}

bool exec_verify(struct exec_run *run)
{
    const struct esse_store *store = run->overlay->store;
    const struct esse_write *write;
    const struct esse_datum *row;
    for (uint32_t at = 0; esse_overlay_next(run->overlay, &at, &write, &row);) {
        const struct esse_datum *old = store->get(store->context, write->table, write->key);
        if ((row && !unique_kept(run, write, row)) ||
            !exec_foreign_kept(run, write->table, old, row))
            return false;
    }
    return true;
}
