#include "report/lattice.h"

static bool is_dependency(const struct esse_level *level)
{
    return level->family == ESSE_FAMILY_DEPENDENCY;
}

static bool in_real_time(const struct esse_level *level)
{
    return is_dependency(level) && level->needs_real_time;
}

static bool in_sessions(const struct esse_level *level)
{
    return is_dependency(level) && level->needs_session_order && !level->needs_real_time;
}

static bool in_dependencies(const struct esse_level *level)
{
    return is_dependency(level) && !level->needs_session_order;
}

static bool in_commit_orders(const struct esse_level *level)
{
    return level->family == ESSE_FAMILY_COMMIT_ORDER;
}

static bool in_others(const struct esse_level *level)
{
    return level->family == ESSE_FAMILY_OTHER;
}

static bool in_operations(const struct esse_level *level)
{
    return level->family == ESSE_FAMILY_OPERATIONS;
}

const struct esse_lattice_group esse_lattice_groups[] = {
    { "Dependency graphs with real time",
      "A transaction that ended before another started must come first.", in_real_time },
    { "Dependency graphs with session order",
      "The transactions of a session must come in the order in which it ran them.", in_sessions },
    { "Dependency graphs", "Only reads and writes count, not sessions or times.", in_dependencies },
    { "Commit orders", "One total order that agrees with session order and with reads-from.",
      in_commit_orders },
    { "Other notions", "Further phenomena from the literature, and equivalence to a serial run.",
      in_others },
    { "Single operations", "Each read and write by itself, whatever transaction it is part of.",
      in_operations },
    { NULL, NULL, NULL },
};
