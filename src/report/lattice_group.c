#include "report/lattice.h"

const struct esse_lattice_group esse_lattice_groups[] = {
    { "Dependency graphs with real time",
      "A transaction that ended before another started must come first.", ESSE_FAMILY_DEPENDENCY,
      .has_sessions = true, .has_time = true },
    { "Dependency graphs with session order",
      "The transactions of a session must come in the order in which it ran them.",
      ESSE_FAMILY_DEPENDENCY, .has_sessions = true },
    { "Dependency graphs", "Only reads and writes count, not sessions or times.",
      ESSE_FAMILY_DEPENDENCY },
    { "Commit orders", "One total order that agrees with session order and with reads-from.",
      ESSE_FAMILY_COMMIT_ORDER },
    { "Other notions", "Further phenomena from the literature, and equivalence to a serial run.",
      ESSE_FAMILY_OTHER },
    { "Single operations", "Each read and write by itself, whatever transaction it is part of.",
      ESSE_FAMILY_OPERATIONS },
    { 0 },
};

bool esse_lattice_group_has(const struct esse_lattice_group *group, const struct esse_level *level)
{
    return level->family == group->family && (level->family != ESSE_FAMILY_DEPENDENCY ||
                                              (level->needs_session_order == group->has_sessions &&
                                               level->needs_real_time == group->has_time));
}
