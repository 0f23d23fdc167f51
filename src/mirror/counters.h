#ifndef ESSE_MIRROR_COUNTERS_H
#define ESSE_MIRROR_COUNTERS_H

#include <stdint.h>

enum esse_mechanism {
    ESSE_MECHANISM_CR,
    ESSE_MECHANISM_ME,
    ESSE_MECHANISM_FUW,
    ESSE_MECHANISM_OCC,
    ESSE_MECHANISM_SC,
    ESSE_MECHANISM_JOINT, /* each alone may have worked; together they cannot */
    ESSE_MECHANISMS
};
extern const char *const esse_mechanism_names[];  /* "CR" */
extern const char *const esse_mechanism_titles[]; /* "consistent read" */

/*
 * What the mirror has counted: for the line on a terminal, JSON lines, pages and scrapers, which
 * all go through this table.  TOTAL only grows (but for late events, which belong to no second);
 * NOW is how much of it there is.
 */
/* clang-format off */
#define ESSE_MIRROR_COUNTERS(TOTAL, NOW) \
    TOTAL(events, "events of the trace that were looked at") \
    TOTAL(committed, "transactions that committed") \
    TOTAL(aborted, "transactions that aborted") \
    TOTAL(unknown, "transactions of unknown outcome") \
    TOTAL(late, "events that came after their time, and were not verified") \
    TOTAL(gaps, "gaps of the trace") \
    TOTAL(opaque, "writes of rows that are not known") \
    TOTAL(unverified, "transactions with late events, which were not verified") \
    TOTAL(reads, "reads that were checked") \
    TOTAL(reads_slow, "reads for which more than the newest version had to be looked at") \
    TOTAL(reads_foreign, "reads of values of no known writer") \
    TOTAL(reads_not_checked, "reads whose snapshot is not known, because BEGIN is missing") \
    TOTAL(predicates_not_checked, "predicates of which only the rows that came back were checked") \
    TOTAL(by_time, "dependencies that are certain by time alone") \
    TOTAL(by_value, "dependencies deduced from the value read") \
    TOTAL(by_me, "dependencies deduced from locks") \
    TOTAL(by_fuw, "dependencies deduced from first updater wins") \
    TOTAL(uncertain, "dependencies that stay uncertain") \
    TOTAL(pivots, "pivots of which it is not certain that they are dangerous") \
    TOTAL(components, "parts of the graph of instants that were solved") \
    TOTAL(windows_held, "windows of the trace that satisfy the level") \
    TOTAL(windows_violated, "windows that violate it") \
    TOTAL(windows_unknown, "windows of which that was not decided") \
    TOTAL(windows_left_out, "reads that windows left out: too little is known of their sources") \
    TOTAL(levels_broken, "violations of the level that windows have shown") \
    TOTAL(levels_strong, "violations of its strong form alone, which is not promised") \
    TOTAL(given_up, "parts of the graph of instants that grew too large") \
    TOTAL(cut_off, "events behind sessions that were not heard again when watching was stopped") \
    NOW(largest_component, "instants in the largest part of the graph so far") \
    NOW(waiting, "transactions whose reads wait for what may explain them") \
    NOW(live, "transactions that are kept, open ones among them") \
    NOW(keys, "keys that were met") \
    NOW(versions, "versions that are kept beyond two a key") \
    NOW(bytes, "memory of the whole process, as far as Esse allots it itself")
/* clang-format on */

struct esse_mirror_counters {
#define FIELD(name, help) uint64_t name;
    ESSE_MIRROR_COUNTERS(FIELD, FIELD)
#undef FIELD
    uint64_t broken[ESSE_MECHANISMS];
    int64_t done, floor, horizon; /* W_a, W_b, H; INT64_MAX: everything was sent */
    int64_t decided_until;        /* W_level: every window that ended before this was looked at */
    int64_t newest;               /* the greatest 'after' that was sent; INT64_MIN: none was */
    uint64_t held_by; /* the name, a word, of the session that holds W_a back; 0: none does */
    uint32_t slowest; /* its number; UINT32_MAX: none */
};

uint64_t esse_mirror_broken(const struct esse_mirror_counters *counters);
uint64_t esse_mirror_dependencies(const struct esse_mirror_counters *counters);
/* What could not be decided, so that "nothing is broken" is not all that can be said. */
uint64_t esse_mirror_undecided(const struct esse_mirror_counters *counters);

#endif
