#include "collect/server/spawn.h"

#include "collect/record/crash_handler.h"
#include "collect/server/proxy.h"
#include "collect/server/spawn_process.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const struct esse_spawner esse_spawner_postgresql, esse_spawner_mariadb, esse_spawner_galera,
    esse_spawner_etcd;
const struct esse_spawner *const esse_spawners[] = { &esse_spawner_postgresql,
                                                     &esse_spawner_mariadb, &esse_spawner_galera,
                                                     &esse_spawner_etcd, NULL };

enum { ANSWER_MS = 60000, PAUSE_MS = 20 };

const struct esse_spawner *esse_spawner_find(const char *name)
{
    for (size_t i = 0; esse_spawners[i]; i++)
        if (strcmp(esse_spawners[i]->name, name) == 0)
            return esse_spawners[i];
    return NULL;
}

/* ---- what spawn_*.c make their nodes of ---- */

const char *esse_spawn_folder(const struct esse_spawned *s, const char *name)
{
    const char *path = esse_arena_format(s->arena, "%s/%s", s->directory, name);
    if (mkdir(path, 0700) != 0 ||
        (s->account.is_changed && chown(path, s->account.user, s->account.group) != 0))
        return NULL;
    return path;
}

void esse_spawn_argument(struct esse_spawned *s, unsigned node, const char *format, ...)
{
    char text[1000];
    va_list args;
    size_t count = 0;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    while (s->nodes[node].arguments[count])
        count++;
    s->nodes[node].arguments[count] = esse_arena_format(s->arena, "%s", text);
}

unsigned esse_spawn_through(struct esse_spawned *s, unsigned node, unsigned port)
{
    return s->proxy ? esse_proxy_add(s->proxy, node, port) : port;
}

const char *esse_spawn_url(const struct esse_spawned *s, const char *scheme, const char *user,
                           const char *path)
{
    const char *text = esse_arena_format(s->arena, "%s://%s%s", scheme, user, *user ? "@" : "");
    for (unsigned i = 0; i < s->count; i++)
        text =
            esse_arena_format(s->arena, "%s%s127.0.0.1:%u", text, i ? "," : "", s->nodes[i].port);
    return esse_arena_format(s->arena, "%s%s", text, path);
}

/* ---- faults ---- */

bool esse_spawned_begin(struct esse_spawned *s, unsigned node)
{
    struct esse_node *n = &s->nodes[node];
    const pid_t pid = esse_spawn_program(&s->account, n->log, s->kind->death, n->arguments);
    n->pid = pid > 0 ? pid : 0;
    if (s->proxy)
        esse_proxy_who(s->proxy, node, n->pid);
    return pid > 0;
}

bool esse_spawned_is_gone(struct esse_spawned *s, unsigned node)
{
    struct esse_node *n = &s->nodes[node];
    if (n->pid && waitpid(n->pid, NULL, WNOHANG) == n->pid)
        n->pid = 0;
    return !n->pid;
}

static void reap(struct esse_node *n)
{
    while (n->pid && waitpid(n->pid, NULL, 0) < 0)
        ;
    n->pid = 0;
}

void esse_spawned_kill(struct esse_spawned *s, unsigned node)
{
    if (!s->nodes[node].pid)
        return;
    esse_spawn_signal(s->nodes[node].pid, SIGKILL);
    reap(&s->nodes[node]);
}

void esse_spawned_pause(struct esse_spawned *s, unsigned node, bool is_on)
{
    if (s->nodes[node].pid)
        esse_spawn_signal(s->nodes[node].pid, is_on ? SIGSTOP : SIGCONT);
}

void esse_spawned_leave(struct esse_spawned *s, unsigned node)
{
    if (s->nodes[node].pid)
        kill(s->nodes[node].pid, s->kind->goodbye);
}

void esse_spawned_cut(struct esse_spawned *s, unsigned node, bool is_on)
{
    if (s->kind->cut)
        s->kind->cut(s, node, is_on);
    else
        esse_proxy_cut(s->proxy, node, is_on);
}

bool esse_spawned_answers(struct esse_spawned *s, unsigned node)
{
    return s->nodes[node].pid && s->kind->answers(s, node);
}

/* ---- start and stop ---- */

static bool wait_for(struct esse_spawned *s, unsigned node)
{
    for (int waited = 0; waited < ANSWER_MS; waited += PAUSE_MS) {
        if (esse_spawned_is_gone(s, node))
            return false;
        if (s->kind->answers(s, node))
            return true;
        poll(NULL, 0, PAUSE_MS);
    }
    return false;
}

/* An argument for the first start only is the last, and is taken away again. */
static bool begin_first(struct esse_spawned *s, unsigned node)
{
    const char **arguments = s->nodes[node].arguments;
    size_t count = 0;
    while (arguments[count])
        count++;
    if (!node)
        arguments[count] = s->kind->first;
    const bool ok = esse_spawned_begin(s, node);
    arguments[count] = NULL;
    return ok;
}

/* The first that does not; their count if all do. */
static unsigned begin_all(struct esse_spawned *s)
{
    for (unsigned i = 0; i < s->count; i++)
        if (!begin_first(s, i) || (s->kind->is_in_turn && !wait_for(s, i)))
            return i;
    for (unsigned i = 0; i < s->count; i++)
        if (!wait_for(s, i))
            return i;
    return s->count;
}

/* It did not come up, or does not answer: in its own words. */
static void tell_failure(struct esse_spawned *s, const struct esse_node *node,
                         struct esse_error *err)
{
    const char *words = esse_spawn_last_words(s->arena, node->log);
    esse_fail(err, ESSE_EUNAVAILABLE, "--spawn %s: %s %s%s%.300s", s->kind->name,
              node->arguments[0], node->pid ? "does not answer" : "cannot be started",
              *words ? ": " : "", words);
}

void esse_spawn_stop(struct esse_spawned *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (!s->nodes[i].pid)
            continue;
        esse_spawn_signal(s->nodes[i].pid, SIGCONT);
        kill(s->nodes[i].pid, s->kind->death); /* nothing of it is needed any more */
        reap(&s->nodes[i]);
    }
    if (s->proxy)
        esse_proxy_stop(s->proxy);
    esse_spawn_remove(s->directory);
    esse_crash_handler_dismiss(s->crash_handler);
}

/* If this process is killed its nodes die too; when they have, the crash handler removes their
 * directory.  The last of their children may still write into it for a moment. */
static void on_crash(void *context)
{
    const struct esse_spawned *s = context;
    static const char script[] =
        "for i in 1 2 3 4 5 6 7 8 9; do rm -rf \"$0\" && exit; sleep 1; done";
    char *const arguments[] = { (char *)"sh", (char *)"-c", (char *)script, (char *)s->directory,
                                NULL };
    const struct timespec pause = { 0, PAUSE_MS * 1000000L };
    for (unsigned i = 0; i < s->count; i++) {
        if (s->nodes[i].pid)
            kill(s->nodes[i].pid, SIGCONT); /* a paused one has its death before it */
        for (int waited = 0; s->nodes[i].pid && waited < ANSWER_MS; waited += PAUSE_MS) {
            if (kill(s->nodes[i].pid, 0) != 0)
                break;
            nanosleep(&pause, NULL);
        }
    }
    execv("/bin/sh", arguments);
}

/* '*died': a node came to its end by itself. */
static bool prepare(struct esse_spawned *s, bool may_cut, bool *died, struct esse_error *err)
{
    if (!esse_account_find(s->kind->user, &s->account, err) ||
        !esse_spawn_directory(s->arena, s->kind->name, &s->account, &s->directory, err))
        return false;
    s->crash_handler = esse_crash_handler_start(s->arena, on_crash, s);
    if (may_cut && !s->kind->cut)
        s->proxy = esse_proxy_new(s->arena);
    for (unsigned i = 0; i < s->count; i++)
        s->nodes[i].log = esse_arena_format(s->arena, "%s/log%u", s->directory, i);
    if (s->kind->prepare(s, err) && (!s->proxy || esse_proxy_run(s->proxy, err))) {
        const unsigned failed = begin_all(s);
        if (failed == s->count)
            return true;
        tell_failure(s, &s->nodes[failed], err);
        *died = !s->nodes[failed].pid;
    }
    esse_spawn_stop(s);
    return false;
}

bool esse_spawn_start(struct esse_arena *arena, const struct esse_spawner *kind, uint64_t nodes,
                      bool may_cut, struct esse_spawned **out, struct esse_error *err)
{
    enum { ATTEMPTS = 2 }; /* a port that was free may have been taken meanwhile */
    struct esse_spawned *s = esse_arena_alloc(arena, 1, sizeof *s);
    bool died = true;
    if (nodes > kind->most_nodes)
        return esse_fail(err, ESSE_EUSAGE, "--nodes: %s has %u at most", kind->name,
                         kind->most_nodes);
    for (int i = 0; died && i < ATTEMPTS; i++) {
        *s = (struct esse_spawned){ .kind = kind, .arena = arena };
        s->count = nodes ? (unsigned)nodes : kind->nodes;
        died = false;
        if (prepare(s, may_cut, &died, err)) {
            *out = s;
            return true;
        }
    }
    return false;
}
