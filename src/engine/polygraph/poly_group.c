#include "engine/polygraph/poly_state.h"

static void draw(const struct poly *poly, struct esse_csr *installed, struct esse_csr *read,
                 bool counting)
{
    const struct versions *versions = poly->versions;
    const struct poly_reads *reads = poly->reads;
    for (version_id v = { 0 }; v.ix < versions->count; v.ix++) {
        uint32_t writer = version_txn(versions, v);
        if (writer != ESSE_NO_TXN)
            counting ? esse_csr_count(installed, writer) : esse_csr_add(installed, writer, v.ix);
        for (uint32_t i = reads->reader_first[v.ix]; i < reads->reader_first[v.ix + 1]; i++) {
            uint32_t reader = versions_key_access(versions, reads->reader[i])->txn;
            counting ? esse_csr_count(read, reader) : esse_csr_add(read, reader, v.ix);
        }
    }
}

void poly_group_versions(const struct poly *poly, struct esse_arena *arena,
                         struct esse_csr *installed, struct esse_csr *read)
{
    const uint32_t txns = poly->versions->history->txns;
    esse_csr_init(installed, arena, txns);
    esse_csr_init(read, arena, txns);
    draw(poly, installed, read, true);
    esse_csr_start(installed);
    esse_csr_start(read);
    draw(poly, installed, read, false);
    esse_csr_finish(installed);
    esse_csr_finish(read);
}
