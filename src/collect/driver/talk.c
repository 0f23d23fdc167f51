#include "collect/driver/talk.h"

#include <stdio.h>
#include <string.h>

struct esse_talk *esse_talk_open(struct esse_arena *arena, const struct esse_talker *kind,
                                 const struct esse_url *url, const char *database,
                                 struct esse_error *err)
{
    struct esse_talk *talk = esse_arena_zeros(arena, 1, struct esse_talk);
    talk->kind = kind;
    talk->arena = arena;
    talk->url = url;
    if (!kind->load(err))
        return NULL;
    if (kind->open(talk, database, err))
        return talk;
    esse_talk_close(talk);
    return NULL;
}

void esse_talk_send(struct esse_talk *talk, const char *text)
{
    talk->is_sent = true;
    talk->kind->send(talk, text);
}

bool esse_talk_wait(struct esse_talk *talk, double seconds, struct esse_talk_answer *answer)
{
    *answer = (struct esse_talk_answer){ .rows = "" };
    if (!talk->kind->wait(talk, seconds, answer))
        return false;
    talk->is_sent = false;
    return true;
}

void esse_talk_ask(struct esse_talk *talk, const char *text, struct esse_talk_answer *answer)
{
    esse_talk_send(talk, text);
    if (!esse_talk_wait(talk, 60, answer))
        esse_talk_fail(talk, answer, "", "the server does not answer");
}

void esse_talk_close(struct esse_talk *talk)
{
    talk->kind->close(talk);
}

void esse_talk_fail(const struct esse_talk *talk, struct esse_talk_answer *answer, const char *code,
                    const char *said)
{
    answer->is_error = true;
    snprintf(answer->code, sizeof answer->code, "%s", code ? code : "");
    esse_url_tell(talk->url, said, answer->text);
}

void esse_talk_row(struct esse_talk *talk, struct esse_talk_answer *answer,
                   const char *const *values, unsigned count)
{
    enum { SHOWN_MOST = 20 };
    if (!answer->count && count && values[0])
        answer->first = esse_arena_text(talk->arena, values[0], strlen(values[0]));
    if (answer->count++ >= SHOWN_MOST)
        return;
    const char *row = "";
    for (unsigned i = 0; i < count; i++)
        row = esse_arena_format(talk->arena, "%s%s%s", row, i ? ", " : "",
                                values[i] ? values[i] : "NULL");
    answer->rows =
        esse_arena_format(talk->arena, "%s%s(%s)", answer->rows, answer->count > 1 ? " " : "", row);
}
