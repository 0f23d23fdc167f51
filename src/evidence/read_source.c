#include "evidence/read_source.h"

const struct esse_read_source *esse_named_source(const struct esse_order *order, uint32_t op,
                                                 esse_key key)
{
    uint32_t low = 0, high = order->source_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct esse_read_source *source = &order->sources[middle];
        if (source->read.ix < op || (source->read.ix == op && source->key.ix < key.ix))
            low = middle + 1;
        else
            high = middle;
    }
    const struct esse_read_source *found = low < order->source_count ? &order->sources[low] : NULL;
    return found && found->read.ix == op && found->key.ix == key.ix ? found : NULL;
}
