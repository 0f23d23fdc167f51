#include "workload/own.h"

#include "base/out.h"

#include <string.h>

void esse_cells_clear(struct esse_cells *cells)
{
    cells->at.count = cells->texts.count = 0;
}

/* Until done() 'number' of a text is where it begins: the buffer may move. */
void esse_cells_add(struct esse_cells *cells, enum esse_own_cell_kind kind, int64_t number,
                    const char *text, size_t length)
{
    struct esse_own_cell cell = { .kind = kind, .number = number };
    if (kind == ESSE_CELL_TEXT) {
        cell.number = (int64_t)cells->texts.count;
        cell.length = length;
        char *to = esse_own_text_vec_extend(&cells->texts, cells->arena, length + 1);
        memcpy(to, text, length);
        to[length] = 0;
    }
    esse_own_cell_vec_push(&cells->at, cells->arena, cell);
}

static void add_copy(struct esse_cells *cells, const struct esse_own_cell *cell)
{
    esse_cells_add(cells, cell->kind, cell->number, cell->text, cell->length);
}

void esse_cells_done(struct esse_cells *cells)
{
    for (size_t i = 0; i < cells->at.count; i++)
        if (cells->at.at[i].kind == ESSE_CELL_TEXT)
            cells->at.at[i].text = cells->texts.at + cells->at.at[i].number;
}

/* ---- rows before and after ---- */

static int compare_cells(const struct esse_own_cell *a, const struct esse_own_cell *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind != ESSE_CELL_TEXT)
        return (a->number > b->number) - (a->number < b->number);
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->text, b->text, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_keys(const struct esse_own_cell *a, const struct esse_own_cell *b,
                        const struct esse_own_table *table)
{
    int order = 0;
    for (uint32_t i = 0; !order && i < table->key_count; i++)
        order = compare_cells(&a[i], &b[i]);
    return order;
}

/* The row with this key as it was; perhaps it is the one at 'guess'. */
static const struct esse_own_cell *find_old(const struct esse_cells *old, size_t guess,
                                            const struct esse_own_cell *key,
                                            const struct esse_own_table *table)
{
    if (guess < old->at.count && compare_keys(&old->at.at[guess], key, table) == 0)
        return &old->at.at[guess];
    for (size_t i = 0; i < old->at.count; i += table->column_count)
        if (compare_keys(&old->at.at[i], key, table) == 0)
            return &old->at.at[i];
    return NULL;
}

bool esse_cells_join(struct esse_cells *to, const struct esse_cells *old,
                     const struct esse_cells *new, const struct esse_own_table *table)
{
    for (size_t i = 0; i < new->at.count; i += table->column_count) {
        const struct esse_own_cell *was = find_old(old, i, &new->at.at[i], table);
        if (!was)
            return false;
        for (size_t c = 0; c < table->column_count; c++)
            add_copy(to, &was[c]);
        for (size_t c = 0; c < table->column_count; c++)
            add_copy(to, &new->at.at[i + c]);
    }
    return true;
}

bool esse_own_is_twin(const struct esse_own_cell *cells, size_t at, uint32_t width,
                      const struct esse_own_table *table, size_t *highest)
{
    if (at == 0 || compare_keys(&cells[at], &cells[*highest], table) > 0) {
        *highest = at;
        return false;
    }
    for (size_t before = 0; before < at; before += width)
        if (compare_keys(&cells[at], &cells[before], table) == 0)
            return true;
    return false;
}

/* ---- how they are written ---- */

void esse_own_put_key(struct esse_out *out, uint32_t i, uint32_t count, const char *text,
                      size_t length)
{
    if (i)
        esse_out_char(out, ',');
    for (size_t at = 0; at < length; at++) {
        if (count > 1 && (text[at] == ',' || text[at] == '\\'))
            esse_out_char(out, '\\');
        esse_out_char(out, text[at]);
    }
}

void esse_own_put_select(struct esse_out *out, const struct esse_own_schema *schema,
                         const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    esse_out_f(out, "SELECT %s FROM %s %s",
               statement->kind == ESSE_OWN_AGGREGATE ? statement->list : table->list, table->name,
               statement->rest);
}
