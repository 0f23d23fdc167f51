#include "collect/url.h"

#include "base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

ESSE_VEC(host_vec, struct esse_host)
ESSE_VEC(parameter_vec, struct esse_parameter)

static bool bad(struct esse_error *err, const char *what)
{
    return esse_fail(err, ESSE_EUSAGE, "the target's URL: %s", what);
}

static int hex(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

/* A part with its percent signs undone. */
static bool decode(struct esse_arena *arena, const char *at, size_t length, const char **out,
                   struct esse_error *err)
{
    char *text = esse_arena_text(arena, at, length);
    size_t to = 0;
    for (size_t i = 0; i < length; i++) {
        if (at[i] != '%') {
            text[to++] = at[i];
            continue;
        }
        int high = i + 1 < length ? hex(at[i + 1]) : -1;
        int low = i + 2 < length ? hex(at[i + 2]) : -1;
        if (high < 0 || low < 0 || !(high | low))
            return bad(err, "a percent sign must be followed by two hexadecimal digits, not 00");
        text[to++] = (char)(high << 4 | low);
        i += 2;
    }
    text[to] = '\0';
    *out = text;
    return true;
}

static bool is_secret(const char *name)
{
    static const char *const parts[] = { "pass", "user", "secret", "token", "key" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

/* ---- parts ---- */

static bool read_port(const char *text, size_t length, unsigned *port, struct esse_error *err)
{
    *port = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) ||
            (*port = *port * 10 + (unsigned)(text[i] - '0')) > 65535)
            return bad(err, "a port must be a number from 1 to 65535");
    }
    return *port || bad(err, "a port must be a number from 1 to 65535");
}

static bool read_host(struct esse_arena *arena, const char *at, size_t length,
                      struct esse_host *host, struct esse_error *err)
{
    size_t name = length;
    size_t from = 0, colon;
    if (length && *at == '[') {
        const char *close = memchr(at, ']', length);
        if (!close)
            return bad(err, "an address in brackets has no closing one");
        from = 1;
        name = (size_t)(close - at) - 1;
        colon = name + 2;
    } else {
        const char *found = memchr(at, ':', length);
        colon = found ? (size_t)(found - at) : length;
        name = colon;
    }
    *host = (struct esse_host){ 0 };
    if (!decode(arena, at + from, name, &host->name, err))
        return false;
    if (colon == length)
        return true;
    if (at[colon] != ':')
        return bad(err, "expected a colon and a port after an address in brackets");
    return read_port(at + colon + 1, length - colon - 1, &host->port, err);
}

static bool read_hosts(struct esse_arena *arena, const char *at, size_t length,
                       struct esse_url *url, struct esse_error *err)
{
    struct host_vec hosts = { 0 };
    const char *end = at + length;
    for (;;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        struct esse_host host;
        if (!read_host(arena, at, (size_t)(stop - at), &host, err))
            return false;
        host_vec_push(&hosts, arena, host);
        if (!comma)
            break;
        at = comma + 1;
    }
    url->hosts = hosts.at;
    url->host_count = hosts.count;
    return true;
}

static bool read_login(struct esse_arena *arena, const char *at, size_t length,
                       struct esse_url *url, struct esse_error *err)
{
    const char *colon = memchr(at, ':', length);
    size_t user = colon ? (size_t)(colon - at) : length;
    if (!decode(arena, at, user, &url->user, err))
        return false;
    return !colon || decode(arena, colon + 1, length - user - 1, &url->password, err);
}

static bool read_query(struct esse_arena *arena, const char *at, struct esse_url *url,
                       struct esse_error *err)
{
    struct parameter_vec parameters = { 0 };
    while (*at) {
        size_t length = strcspn(at, "&");
        const char *equals = memchr(at, '=', length);
        struct esse_parameter one;
        if (!equals || equals == at)
            return bad(err, "expected NAME=VALUE after ? and &");
        if (!decode(arena, at, (size_t)(equals - at), &one.name, err) ||
            !decode(arena, equals + 1, length - (size_t)(equals - at) - 1, &one.value, err))
            return false;
        parameter_vec_push(&parameters, arena, one);
        at += length + (at[length] == '&');
    }
    url->parameters = parameters.at;
    url->parameter_count = parameters.count;
    return true;
}

/* The URL without what must not be shown: put together again from its parts. */
static const char *show(struct esse_arena *arena, const struct esse_url *url, const char *hosts,
                        size_t host_length)
{
    char *shown = esse_arena_format(arena, "%s:%s%.*s", url->scheme, url->host_count ? "//" : "",
                                    (int)host_length, hosts);
    if (*url->path)
        shown = esse_arena_format(arena, "%s%s%s", shown, url->host_count ? "/" : "", url->path);
    for (size_t i = 0; i < url->parameter_count; i++)
        shown = esse_arena_format(arena, "%s%c%s=%s", shown, i ? '&' : '?', url->parameters[i].name,
                                  is_secret(url->parameters[i].name) ? "***"
                                                                     : url->parameters[i].value);
    return shown;
}

bool esse_url_parse(struct esse_arena *arena, const char *text, struct esse_url *url,
                    struct esse_error *err)
{
    *url = (struct esse_url){ .text = text, .path = "" };
    size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+");
    if (!scheme || text[scheme] != ':')
        return bad(err, "expected a scheme and a colon, such as sqlite: or postgresql://");
    url->scheme = esse_arena_text(arena, text, scheme);
    const char *at = text + scheme + 1, *hosts = at;
    size_t host_length = 0, rest = strcspn(at, "?");
    if (strncmp(at, "//", 2) == 0) {
        at += 2;
        size_t authority = strcspn(at, "/?");
        const char *login = memrchr(at, '@', authority);
        hosts = login ? login + 1 : at;
        host_length = (size_t)(at + authority - hosts);
        if (login && !read_login(arena, at, (size_t)(login - at), url, err))
            return false;
        if (!read_hosts(arena, hosts, host_length, url, err))
            return false;
        at += authority + (at[authority] == '/');
        rest = strcspn(at, "?");
    }
    if (!decode(arena, at, rest, &url->path, err) ||
        !read_query(arena, at[rest] ? at + rest + 1 : "", url, err))
        return false;
    url->shown = show(arena, url, hosts, host_length);
    return true;
}

/* ---- asking ---- */

const char *esse_url_parameter(const struct esse_url *url, const char *name)
{
    for (size_t i = 0; i < url->parameter_count; i++)
        if (strcmp(url->parameters[i].name, name) == 0)
            return url->parameters[i].value;
    return NULL;
}

bool esse_url_knows(const struct esse_url *url, const char *const *names, struct esse_error *err)
{
    for (size_t i = 0; i < url->parameter_count; i++) {
        const char *const *name = names;
        while (*name && strcmp(*name, url->parameters[i].name) != 0)
            name++;
        if (*name)
            continue;
        char list[200] = "";
        for (name = names; *name && strlen(list) + strlen(*name) + 3 < sizeof list; name++)
            strcat(strcat(list, *list ? ", " : ""), *name);
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: unknown parameter '%s'; %s: has %s",
                         url->parameters[i].name, url->scheme, *list ? list : "none");
    }
    return true;
}

/* The length of 'secret' if the text begins with it. */
static size_t begins_with(const char *text, const char *secret)
{
    enum { LEAST = 3 };
    const size_t length = secret ? strlen(secret) : 0;
    return length >= LEAST && strncmp(text, secret, length) == 0 ? length : 0;
}

/* The length of the longest secret that the text begins with. */
static size_t find_secret(const struct esse_url *url, const char *text)
{
    const size_t password = begins_with(text, url->password);
    size_t most = begins_with(text, url->user);
    most = password > most ? password : most;
    for (size_t i = 0; i < url->parameter_count; i++) {
        const struct esse_parameter *parameter = &url->parameters[i];
        const size_t length = is_secret(parameter->name) ? begins_with(text, parameter->value) : 0;
        most = length > most ? length : most;
    }
    return most;
}

void esse_url_tell(const struct esse_url *url, const char *said, char text[ESSE_SAID])
{
    size_t count = 0, hidden = 0;
    for (; *said && count + 1 < ESSE_SAID; said++) {
        const size_t secret = find_secret(url, said);
        hidden = secret > hidden ? secret : hidden;
        text[count++] = hidden ? '*' : *said == '\n' ? ' ' : *said;
        hidden -= hidden > 0;
    }
    while (count && text[count - 1] == ' ')
        count--;
    text[count] = '\0';
}

bool esse_url_fail(const struct esse_url *url, const char *before, const char *said,
                   struct esse_error *err)
{
    char text[ESSE_SAID];
    esse_url_tell(url, said, text);
    return esse_fail(err, ESSE_EUNAVAILABLE, "%s%s", before, text);
}
