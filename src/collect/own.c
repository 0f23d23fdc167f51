#include "collect/own.h"

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

void esse_cells_copy(struct esse_cells *cells, const struct esse_own_cell *cell)
{
    esse_cells_add(cells, cell->kind, cell->number, cell->text, cell->length);
}

void esse_cells_done(struct esse_cells *cells)
{
    for (size_t i = 0; i < cells->at.count; i++)
        if (cells->at.at[i].kind == ESSE_CELL_TEXT)
            cells->at.at[i].text = cells->texts.at + cells->at.at[i].number;
}

void esse_own_put_select(struct esse_out *out, const struct esse_own_schema *schema,
                         const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    esse_out_f(out, "SELECT %s FROM %s %s",
               statement->kind == ESSE_OWN_AGGREGATE ? statement->list : table->list, table->name,
               statement->rest);
}
