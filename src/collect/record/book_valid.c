#include "collect/record/page.h"

/* What book.h says of a book. */

static bool is_line_valid(const struct esse_lines *lines, size_t begin, size_t length)
{
    return length <= lines->bytes.count - begin &&
           (!length || lines->bytes.buffer[begin + length - 1] == '\n');
}

static bool are_lines_valid(const struct esse_lines *lines)
{
    size_t byte = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < lines->lines.count; i++) {
        const struct esse_line *line = &lines->lines.at[i];
        ok = is_line_valid(lines, byte, line->length) &&
             (!i || lines->lines.at[i - 1].stamp <= line->stamp);
        byte += line->length;
    }
    return ok && byte == lines->bytes.count;
}

bool esse_front_valid(const struct esse_front *front)
{
    return front->filled < 2 && are_lines_valid(&front->at[0]) && are_lines_valid(&front->at[1]);
}

bool esse_book_valid(const struct esse_book *book)
{
    bool ok = esse_front_valid(&book->front) && book->last >= book->epoch &&
              book->named.count <= book->tally.committed + book->tally.unknown;
    for (const struct esse_page *page = book->pages; ok && page; page = page->next)
        ok = page->book == book && !(page->is_open && page->is_idle);
    return ok;
}
