#include "base/error.h"
#include "history/building.h"

const char *const esse_fault_names[] = { "kill", "pause", "partition", "restart", NULL };

/* The last fault of this kind and node that has no end. */
static struct esse_fault_record *going_on(struct esse_builder *builder,
                                          const struct esse_fault_record *like)
{
    for (size_t i = builder->faults.count; i-- > 0;) {
        struct esse_fault_record *fault = &builder->faults.at[i];
        if (fault->kind == like->kind && fault->node == like->node && fault->end == ESSE_NO_TIME)
            return fault;
    }
    return NULL;
}

bool esse_builder_fault(struct esse_sink *sink, const struct esse_fault_record *record,
                        struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    struct esse_fault_record *fault;
    if (record->start != ESSE_NO_TIME) {
        fault = esse_fault_vec_extend(&builder->faults, builder->arena, 1);
        *fault = *record;
    } else {
        fault = going_on(builder, record);
        if (!fault)
            return esse_fail_at(err, sink->line, 1,
                                "a %s ends that nobody began: no line before has its start",
                                esse_fault_names[record->kind]);
        fault->end = record->end;
    }
    if (fault->end != ESSE_NO_TIME && fault->end < fault->start)
        return esse_fail_at(err, sink->line, 1, "the %s ends before it starts",
                            esse_fault_names[record->kind]);
    return true;
}
