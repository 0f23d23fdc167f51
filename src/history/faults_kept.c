#include "history/faults_kept.h"

#include "base/error.h"

const char *const esse_fault_names[] = { "kill", "pause", "partition", "restart", NULL };

/* The last fault of this kind and node that has no end. */
static struct esse_fault_record *going_on(struct esse_fault_vec *faults,
                                          const struct esse_fault_record *like)
{
    for (size_t i = faults->count; i-- > 0;) {
        struct esse_fault_record *fault = &faults->at[i];
        if (fault->kind == like->kind && fault->node == like->node && fault->end == ESSE_NO_TIME)
            return fault;
    }
    return NULL;
}

bool esse_faults_keep(struct esse_fault_vec *faults, struct esse_arena *arena,
                      const struct esse_fault_record *record, uint64_t line, struct esse_error *err)
{
    struct esse_fault_record *fault;
    if (record->start != ESSE_NO_TIME) {
        fault = esse_fault_vec_extend(faults, arena, 1);
        *fault = *record;
    } else {
        fault = going_on(faults, record);
        if (!fault)
            return esse_fail_at(err, line, 1,
                                "a %s ends that did not begin: no line before has its start",
                                esse_fault_names[record->kind]);
        fault->end = record->end;
    }
    if (fault->end != ESSE_NO_TIME && fault->end < fault->start)
        return esse_fail_at(err, line, 1, "the %s ends before it starts",
                            esse_fault_names[record->kind]);
    return true;
}
