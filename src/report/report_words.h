#ifndef ESSE_REPORT_REPORT_WORDS_H
#define ESSE_REPORT_REPORT_WORDS_H

#include "base/out.h"

/*
 * Texts that must fit: their width in columns, and shortening in the middle.  A text is UTF-8 as it
 * came from the user; what no character is counts as one column and is never cut apart.
 */

/* Columns of a terminal or a fixed-width font; the wide characters of East Asia take two. */
size_t esse_words_width(const char *text);

/* The text, or its beginning and end with "…" between them if it is wider than 'most'. */
const char *esse_words_fit(struct esse_arena *arena, const char *text, size_t most);

/* The next line of at most 'most' columns, cut at a space if there is one; NULL at the end. */
const char *esse_words_line(struct esse_arena *arena, const char **rest, size_t most);

/* "14,201" */
void esse_words_count(char text[32], uint64_t count);

/* As the contents of an XML element or attribute.  What XML cannot hold becomes "·". */
void esse_words_xml(struct esse_out *out, const char *text);
/* The same of a text in lines, which stay lines. */
void esse_words_xml_lines(struct esse_out *out, const char *text);

#endif
