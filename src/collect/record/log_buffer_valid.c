#include "collect/record/session_buffer.h"

/* What log_buffer.h says of a log buffer. */

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

bool esse_log_buffer_valid(const struct esse_log_buffer *log_buffer)
{
    bool ok = esse_front_valid(&log_buffer->front) && log_buffer->last >= log_buffer->epoch &&
              log_buffer->named.count <= log_buffer->tally.committed + log_buffer->tally.unknown;
    for (const struct esse_session_buffer *session_buffer = log_buffer->session_buffers;
         ok && session_buffer; session_buffer = session_buffer->next)
        ok = session_buffer->log_buffer == log_buffer &&
             !(session_buffer->is_open && session_buffer->is_idle);
    return ok;
}
