#include "collect/driver/client_libpq.h"
#include "collect/server/spawn.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

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

/* A kill -9 of the server loses nothing although fsync is off: what was written is the kernel's.
 * Pages that a kill tore in two (the kernel stops between its own, which are half as large) need
 * the full ones in the log. */
static bool write_settings(const char *data, unsigned port)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/postgresql.conf", data);
    FILE *file = fopen(path, "a");
    if (!file)
        return false;
    fprintf(file,
            "listen_addresses = '127.0.0.1'\nport = %u\nunix_socket_directories = '%s'\n"
            "wal_level = logical\nmax_replication_slots = 10\nmax_connections = 200\n"
            "track_commit_timestamp = on\nfsync = off\n"
            "deadlock_timeout = 20ms\n",
            port, data);
    return fclose(file) == 0;
}

static bool initialise(struct esse_spawned *s, const char *bin, const char *data)
{
    const char *const arguments[] = { esse_arena_format(s->arena, "%s/initdb", bin),
                                      "-D",
                                      data,
                                      "-A",
                                      "trust",
                                      "-U",
                                      "postgres",
                                      "--no-sync",
                                      NULL };
    return esse_spawn_wait(&s->account, s->nodes[0].log, arguments);
}

static bool prepare(struct esse_spawned *s, struct esse_error *err)
{
    const char *bin = find_bin(s->arena);
    if (!esse_client_load(&esse_client_libpq, err))
        return false;
    if (!bin)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "--spawn postgresql: no server in /usr/lib/postgresql; Debian's package "
                         "is postgresql, or set ESSE_POSTGRESQL_BIN");
    const char *data = esse_arena_format(s->arena, "%s/data", s->directory);
    const unsigned port = esse_spawn_port();
    if (!initialise(s, bin, data) || !write_settings(data, port))
        return esse_fail(err, ESSE_EUNAVAILABLE, "--spawn postgresql: %s/initdb failed", bin);
    esse_spawn_argument(s, 0, "%s/postgres", bin);
    esse_spawn_argument(s, 0, "-D");
    esse_spawn_argument(s, 0, "%s", data);
    s->nodes[0].port = esse_spawn_through(s, 0, port);
    s->url = esse_spawn_url(s, "postgresql", "postgres", "/postgres");
    return true;
}

static bool answers(struct esse_spawned *s, unsigned node)
{
    char ping[200];
    snprintf(ping, sizeof ping,
             "host=127.0.0.1 port=%u user=postgres dbname=postgres connect_timeout=2",
             s->nodes[node].port);
    return PQping(ping) == PQPING_OK;
}

const struct esse_spawner esse_spawner_postgresql = {
    .name = "postgresql",
    .summary = "PostgreSQL, one server",
    .user = "postgres",
    .nodes = 1,
    .most_nodes = 1,
    .goodbye = SIGINT, /* clients are sent away */
    .death = SIGQUIT,
    .prepare = prepare,
    .answers = answers,
};
