#ifndef ESSE_BASE_BASE64_H
#define ESSE_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* RFC 4648, the alphabet with + and /, with padding. */

/* Bytes that 'length' bytes become, and the most that 'length' characters can be. */
#define ESSE_BASE64_ROOM(length)  (((length) + 2) / 3 * 4)
#define ESSE_BASE64_BYTES(length) ((length) / 4 * 3)

/* Writes ESSE_BASE64_ROOM(length) characters and no zero. */
void esse_base64_encode(const void *bytes, size_t length, char *text);

/* False if it is not base64. */
bool esse_base64_decode(const char *text, size_t length, void *bytes, size_t *count);

#endif
