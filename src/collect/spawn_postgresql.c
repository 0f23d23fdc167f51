#include "collect/client_libpq.h"
#include "collect/spawn.h"

#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct esse_spawned {
    struct esse_account account;
    const char *directory, *data, *log, *server, *url, *ping;
    pid_t pid; /* 0: not running */
};

enum { ANSWER_MS = 20000, PAUSE_MS = 20 };

/* The newest that is installed; Debian keeps each version in a folder of its own. */
static const char *find_bin(struct esse_arena *arena)
{
    glob_t found;
    const char *bin = getenv("ESSE_POSTGRESQL_BIN");
    if (bin && *bin)
        return bin;
    if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) != 0)
        return NULL;
    int best = -1;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int version = atoi(found.gl_pathv[i] + sizeof "/usr/lib/postgresql/" - 1);
        if (version > best) {
            best = version;
            bin = esse_arena_format(arena, "%s", found.gl_pathv[i]);
        }
    }
    globfree(&found);
    return bin;
}

static bool write_settings(const struct esse_spawned *s, const char *path, unsigned port)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return false;
    fprintf(file,
            "listen_addresses = '127.0.0.1'\nport = %u\nunix_socket_directories = '%s'\n"
            "wal_level = logical\nmax_replication_slots = 10\nmax_connections = 200\n"
            "track_commit_timestamp = on\nfsync = off\nfull_page_writes = off\n"
            "deadlock_timeout = 20ms\n",
            port, s->data);
    return fclose(file) == 0;
}

/* A kill -9 of the server loses nothing although fsync is off: what was written is the kernel's. */
static bool restart(struct esse_spawned *s)
{
    const char *const arguments[] = { s->server, "-D", s->data, NULL };
    pid_t pid = esse_spawn_program(&s->account, s->log, SIGQUIT, arguments);
    s->pid = pid > 0 ? pid : 0;
    return pid > 0;
}

static bool answers(struct esse_spawned *s)
{
    for (int waited = 0; waited < ANSWER_MS; waited += PAUSE_MS) {
        if (PQping(s->ping) == PQPING_OK)
            return true;
        if (waitpid(s->pid, NULL, WNOHANG) == s->pid) {
            s->pid = 0;
            return false;
        }
        poll(NULL, 0, PAUSE_MS);
    }
    return false;
}

static void reap(struct esse_spawned *s)
{
    while (s->pid && waitpid(s->pid, NULL, 0) < 0)
        ;
    s->pid = 0;
}

static void kill_server(struct esse_spawned *s)
{
    if (!s->pid)
        return;
    esse_spawn_signal(s->pid, SIGKILL);
    reap(s);
}

static void pause_server(struct esse_spawned *s, bool is_on)
{
    if (s->pid)
        esse_spawn_signal(s->pid, is_on ? SIGSTOP : SIGCONT);
}

static void stop(struct esse_spawned *s)
{
    if (s->pid) {
        esse_spawn_signal(s->pid, SIGCONT);
        kill(s->pid, SIGQUIT); /* nothing of it is needed any more */
        reap(s);
    }
    esse_spawn_remove(s->directory);
}

static bool initialise(struct esse_arena *arena, struct esse_spawned *s, const char *bin)
{
    const char *const arguments[] = { esse_arena_format(arena, "%s/initdb", bin),
                                      "-D",
                                      s->data,
                                      "-A",
                                      "trust",
                                      "-U",
                                      "postgres",
                                      "--no-sync",
                                      NULL };
    const unsigned port = esse_spawn_port();
    s->url = esse_arena_format(arena, "postgresql://postgres@127.0.0.1:%u/postgres", port);
    s->ping =
        esse_arena_format(arena, "host=127.0.0.1 port=%u user=postgres dbname=postgres", port);
    return port && esse_spawn_wait(&s->account, s->log, arguments) &&
           write_settings(s, esse_arena_format(arena, "%s/postgresql.conf", s->data), port);
}

static bool start(struct esse_arena *arena, struct esse_spawned **out, struct esse_error *err)
{
    struct esse_spawned *s = esse_arena_alloc(arena, 1, sizeof *s);
    const char *bin = find_bin(arena);
    if (!bin)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "--spawn postgresql: no server in /usr/lib/postgresql; Debian's package "
                         "is postgresql, or set ESSE_POSTGRESQL_BIN");
    if (!esse_client_load(&esse_client_libpq, err) ||
        !esse_account_find("postgres", &s->account, err) ||
        !esse_spawn_directory(arena, "postgresql", &s->account, &s->directory, err))
        return false;
    s->data = esse_arena_format(arena, "%s/data", s->directory);
    s->log = esse_arena_format(arena, "%s/log", s->directory);
    s->server = esse_arena_format(arena, "%s/postgres", bin);
    if (initialise(arena, s, bin) && restart(s) && answers(s)) {
        *out = s;
        return true;
    }
    stop(s);
    return esse_fail(err, ESSE_EUNAVAILABLE,
                     "--spawn postgresql: the server in %s cannot be started", bin);
}

static const char *url(const struct esse_spawned *s)
{
    return s->url;
}

const struct esse_spawner esse_spawner_postgresql = {
    .name = "postgresql",
    .summary = "a private PostgreSQL in a temporary directory, removed afterwards",
    .start = start,
    .url = url,
    .kill = kill_server,
    .restart = restart,
    .pause = pause_server,
    .stop = stop,
};
