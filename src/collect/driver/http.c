#include "collect/driver/http.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

enum { LONGEST_LINE = 16 << 10, LONGEST_BODY = 256 << 20 };

void esse_http_answer_init(struct esse_http_answer *answer, struct esse_arena *arena)
{
    *answer = (struct esse_http_answer){ 0 };
    esse_out_init_memory(&answer->line, arena);
    esse_out_init_memory(&answer->body, arena);
}

void esse_http_answer_begin(struct esse_http_answer *answer)
{
    const struct esse_out line = answer->line, body = answer->body;
    *answer = (struct esse_http_answer){ .line = line, .body = body };
    answer->line.count = answer->body.count = 0;
}

static void broken(struct esse_http_answer *answer, const char *why)
{
    answer->state = ESSE_HTTP_BROKEN;
    answer->problem = why;
}

/* ---- lines ---- */

/* A number of digits only; false if it is none, or beyond any answer. */
static bool parse_number(const char *text, unsigned base, uint64_t *number)
{
    const char *at = text;
    *number = 0;
    for (; *at; at++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, tolower((unsigned char)*at));
        if (!digit || (unsigned)(digit - digits) >= base || *number > LONGEST_BODY)
            return false;
        *number = *number * base + (unsigned)(digit - digits);
    }
    return at > text && *number <= LONGEST_BODY;
}

static void take_status(struct esse_http_answer *answer, const char *line)
{
    int minor = 0;
    if (sscanf(line, "HTTP/1.%1d %3d", &minor, &answer->status) < 2 || answer->status < 100)
        broken(answer, "the answer is not HTTP/1.1");
    answer->closes = minor == 0;
}

static void take_header(struct esse_http_answer *answer, char *line)
{
    char *value = strchr(line, ':');
    if (!value) {
        broken(answer, "a line of the answer's head has no colon");
        return;
    }
    *value++ = '\0';
    value += strspn(value, " \t");
    for (size_t end = strlen(value); end && strchr(" \t", value[end - 1]);)
        value[--end] = '\0';
    if (strcasecmp(line, "content-length") == 0) {
        answer->has_length = parse_number(value, 10, &answer->left);
        if (!answer->has_length)
            broken(answer, "the answer's Content-Length is not a length");
    } else if (strcasecmp(line, "transfer-encoding") == 0) {
        answer->is_chunked = strcasecmp(value, "chunked") == 0;
        if (!answer->is_chunked)
            broken(answer, "the answer is encoded in a way that is not known");
    } else if (strcasecmp(line, "connection") == 0 && strcasecmp(value, "close") == 0) {
        answer->closes = true;
    }
}

static void end_head(struct esse_http_answer *answer)
{
    if (answer->status < 200) /* "100 Continue": the answer is still to come */
        esse_http_answer_begin(answer);
    else if (answer->status == 204 || answer->status == 304)
        answer->state = ESSE_HTTP_WHOLE;
    else if (answer->is_chunked)
        answer->state = ESSE_HTTP_CHUNK_SIZE;
    else if (answer->has_length)
        answer->state = answer->left ? ESSE_HTTP_BODY : ESSE_HTTP_WHOLE;
    else
        answer->state = ESSE_HTTP_BODY_TO_END;
    if (answer->state == ESSE_HTTP_BODY_TO_END)
        answer->closes = true;
}

static void take_chunk_size(struct esse_http_answer *answer, char *line)
{
    line[strcspn(line, "; \t")] = '\0'; /* extensions mean nothing to us */
    if (!parse_number(line, 16, &answer->left))
        broken(answer, "a chunk of the answer has no length");
    else
        answer->state = answer->left ? ESSE_HTTP_CHUNK : ESSE_HTTP_TRAILER;
}

static void take_line(struct esse_http_answer *answer)
{
    if (answer->line.count && answer->line.buffer[answer->line.count - 1] == '\r')
        answer->line.count--;
    esse_out_char(&answer->line, '\0');
    char *line = answer->line.buffer;
    const bool is_empty = answer->line.count == 1;
    answer->line.count = 0;
    if (answer->state == ESSE_HTTP_CHUNK_SIZE)
        take_chunk_size(answer, line);
    else if (answer->state == ESSE_HTTP_TRAILER && is_empty)
        answer->state = ESSE_HTTP_WHOLE;
    else if (answer->state == ESSE_HTTP_CHUNK_END && is_empty)
        answer->state = ESSE_HTTP_CHUNK_SIZE;
    else if (answer->state == ESSE_HTTP_CHUNK_END)
        broken(answer, "a chunk of the answer is longer than its length");
    else if (answer->state == ESSE_HTTP_HEAD && !answer->status)
        take_status(answer, line);
    else if (answer->state == ESSE_HTTP_HEAD && is_empty)
        end_head(answer);
    else if (answer->state == ESSE_HTTP_HEAD)
        take_header(answer, line);
}

/* ---- pieces ---- */

static size_t take_part_of_line(struct esse_http_answer *answer, const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    const size_t part = end ? (size_t)(end - bytes) : length;
    if (memchr(bytes, '\0', part) || answer->line.count + part > LONGEST_LINE) {
        broken(answer, "a line of the answer's head is too long, or not text");
        return 0;
    }
    esse_out_bytes(&answer->line, bytes, part);
    if (end)
        take_line(answer);
    return end ? part + 1 : part;
}

static size_t take_part_of_body(struct esse_http_answer *answer, const char *bytes, size_t length)
{
    const bool has_end = answer->state != ESSE_HTTP_BODY_TO_END;
    const size_t part = has_end && length > answer->left ? (size_t)answer->left : length;
    if (answer->body.count + part > LONGEST_BODY) {
        broken(answer, "the answer is too long");
        return 0;
    }
    esse_out_bytes(&answer->body, bytes, part);
    answer->left -= has_end ? part : 0;
    if (has_end && !answer->left)
        answer->state = answer->state == ESSE_HTTP_CHUNK ? ESSE_HTTP_CHUNK_END : ESSE_HTTP_WHOLE;
    return part;
}

size_t esse_http_answer_take(struct esse_http_answer *answer, const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && answer->state < ESSE_HTTP_WHOLE) {
        const bool is_body = answer->state == ESSE_HTTP_BODY || answer->state == ESSE_HTTP_CHUNK ||
                             answer->state == ESSE_HTTP_BODY_TO_END;
        at += is_body ? take_part_of_body(answer, bytes + at, length - at)
                      : take_part_of_line(answer, bytes + at, length - at);
    }
    return at;
}

void esse_http_answer_end(struct esse_http_answer *answer)
{
    if (answer->state == ESSE_HTTP_BODY_TO_END)
        answer->state = ESSE_HTTP_WHOLE;
    else if (answer->state < ESSE_HTTP_WHOLE)
        broken(answer, "the connection ended in the middle of an answer");
}

/* ---- the client ---- */

void esse_http_init(struct esse_http *http, struct esse_arena *arena)
{
    *http = (struct esse_http){ 0 };
    esse_wire_init(&http->wire, arena);
    esse_http_answer_init(&http->answer, arena);
}

void esse_http_ask(struct esse_http *http, const char *path, const char *token, const char *body,
                   size_t length)
{
    struct esse_out *out = &http->wire.out;
    esse_wire_next(&http->wire);
    esse_http_answer_begin(&http->answer);
    esse_out_f(out, "%s %s HTTP/1.1\r\nHost: %s\r\n", body ? "POST" : "GET", path, http->host);
    if (token) {
        esse_out_text(out, "Authorization: ");
        esse_out_text(out, token);
        esse_out_text(out, "\r\n");
    }
    if (body) {
        esse_out_f(out, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n", length);
        esse_out_bytes(out, body, length);
    } else {
        esse_out_text(out, "\r\n");
    }
}

static enum esse_progress fail(struct esse_http *http, const char *why)
{
    snprintf(http->problem, sizeof http->problem, "%s", why);
    esse_wire_close(&http->wire);
    return ESSE_PROGRESS_FAILED;
}

enum esse_progress esse_http_step(struct esse_http *http)
{
    struct esse_http_answer *answer = &http->answer;
    struct esse_out *in = &http->wire.in;
    const enum esse_wire_news news = esse_wire_step(&http->wire);
    if (news == ESSE_WIRE_WAIT)
        return ESSE_PROGRESS_WAIT;
    if (news == ESSE_WIRE_LOST) {
        if (answer->state == ESSE_HTTP_BODY_TO_END)
            esse_http_answer_end(answer);
        if (answer->state != ESSE_HTTP_WHOLE)
            return fail(http, http->wire.problem);
    }
    const size_t took = esse_http_answer_take(answer, in->buffer, in->count);
    const bool has_more = took < in->count;
    in->count = 0;
    if (answer->state == ESSE_HTTP_BROKEN)
        return fail(http, answer->problem);
    if (answer->state != ESSE_HTTP_WHOLE)
        return ESSE_PROGRESS_WAIT;
    if (has_more) /* it was not asked for */
        return fail(http, "the server sent more than one answer");
    if (answer->closes || news == ESSE_WIRE_LOST)
        esse_wire_close(&http->wire);
    return ESSE_PROGRESS_DONE;
}

enum esse_progress esse_http_wait(struct esse_http *http, int64_t deadline)
{
    enum esse_progress progress;
    while ((progress = esse_http_step(http)) == ESSE_PROGRESS_WAIT)
        if (!esse_wire_wait(&http->wire, deadline))
            break;
    return progress;
}
