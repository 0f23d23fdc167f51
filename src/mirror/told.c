#include "mirror/mirror_state.h"

/* Findings on their way out. */

const char *const esse_mechanism_names[] = { "CR", "ME", "FUW", "OCC", "SC", "Joint", NULL };

const char *const esse_mechanism_titles[] = { "consistent read",
                                              "mutual exclusion",
                                              "first updater wins",
                                              "validation at commit",
                                              "serialization certifier",
                                              "all together",
                                              NULL };

const char *const esse_mirror_rule_words[] = {
    [ESSE_RULE_NO_VERSION] = "no version of this value can have been in the snapshot",
    [ESSE_RULE_ABORTED] = "only an aborted transaction wrote this value",
    [ESSE_RULE_FUTURE] = "the writer of this value committed only after the snapshot",
    [ESSE_RULE_FOREIGN] = "no transaction wrote this value",
    [ESSE_RULE_INTERNAL] = "the transaction itself had written another value before",
    [ESSE_RULE_TWO_VERSIONS] = "a predicate returned two versions of one row",
    [ESSE_RULE_MISSED_ROW] = "every version that the snapshot can hold matches the predicate",
    [ESSE_RULE_BOTH_HELD] = "two transactions surely held conflicting locks at the same time",
    [ESSE_RULE_BOTH_WROTE] = "each surely had its snapshot before the other committed",
    [ESSE_RULE_OVERTAKEN] = "what was read was surely overwritten before the commit",
    [ESSE_RULE_CYCLE] = "a cycle of dependencies",
    [ESSE_RULE_PIVOT] = "two anti-dependencies in a row, of which the last committed first",
    [ESSE_RULE_BACKWARDS] = "a dependency against the order of the timestamps",
    [ESSE_RULE_NO_INSTANTS] = "no choice of instants explains what these transactions saw",
};

/* The whole database is no key that could be shown. */
struct esse_finding esse_mirror_finding(enum esse_mechanism mechanism, enum esse_mirror_rule rule,
                                        uint64_t key)
{
    return (struct esse_finding){ .mechanism = mechanism,
                                  .rule = rule,
                                  .key = key == MIRROR_DATABASE ? 0 : key };
}

void esse_mirror_finding_add(struct esse_finding *finding, const struct mirror_txn *txn)
{
    for (uint32_t i = 0; i < finding->txn_count; i++)
        if (finding->txns[i].number == txn->number)
            return;
    if (finding->txn_count == ESSE_FINDING_TXNS) {
        finding->more_txns = true;
        return;
    }
    finding->txns[finding->txn_count++] =
        (struct esse_finding_txn){ txn->number, txn->session, txn->name, txn->s, txn->c };
}

void esse_mirror_tell(struct esse_mirror *m, struct esse_finding *finding)
{
    enum { REMEMBERED = 1024 };
    finding->serial = ++m->findings;
    esse_window_told(m, finding);
    m->counters.broken[finding->mechanism]++;
    if (m->told.count < REMEMBERED)
        mirror_finding_vec_push(&m->told, m->arena, *finding);
    if (m->options.found)
        m->options.found(m->options.context, finding);
}

/* A late event wrote the key: nothing that was told of it, or of no single key, is certain any
 * more.
 */
void esse_mirror_withdraw(struct esse_mirror *m, uint64_t key)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->told.count; i++) {
        const struct esse_finding *finding = &m->told.at[i];
        if (finding->key && finding->key != key && finding->mechanism != ESSE_MECHANISM_JOINT) {
            m->told.at[kept++] = *finding;
            continue;
        }
        m->counters.broken[finding->mechanism]--;
        if (m->options.withdrawn)
            m->options.withdrawn(m->options.context, finding);
    }
    m->told.count = kept;
}
