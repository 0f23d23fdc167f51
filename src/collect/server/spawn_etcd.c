#include "collect/driver/http.h"
#include "collect/server/spawn.h"

#include <arpa/inet.h>
#include <signal.h>
#include <string.h>

/* A linearizable read: a node that does not know its leader has no answer. */
static bool answers(struct esse_spawned *s, unsigned node)
{
    static const char question[] = "{\"key\":\"AA==\"}";
    struct esse_address address = { .length = sizeof(struct sockaddr_in) };
    struct sockaddr_in *at = (struct sockaddr_in *)&address.at;
    struct esse_arena *arena = esse_arena_new();
    struct esse_http http;
    *at = (struct sockaddr_in){ .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)s->nodes[node].port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    esse_http_init(&http, arena);
    http.host = "127.0.0.1";
    esse_wire_open(&http.wire, &address);
    esse_http_ask(&http, "/v3/kv/range", NULL, question, strlen(question));
    const bool ok = esse_http_wait(&http, esse_wire_deadline(1)) == ESSE_PROGRESS_DONE &&
                    http.answer.status == 200;
    esse_wire_close(&http.wire);
    esse_arena_free(arena);
    return ok;
}

struct places {
    const char *all; /* "n0=http://127.0.0.1:1,..." */
    unsigned listen[ESSE_MOST_NODES], reach[ESSE_MOST_NODES];
};

/* Peers come through the proxy if there are any, otherwise clients do. */
static void find_places(struct esse_spawned *s, struct places *places)
{
    places->all = "";
    for (unsigned i = 0; i < s->count; i++) {
        places->listen[i] = esse_spawn_port();
        places->reach[i] =
            s->count > 1 ? esse_spawn_through(s, i, places->listen[i]) : places->listen[i];
        places->all = esse_arena_format(s->arena, "%s%sn%u=http://127.0.0.1:%u", places->all,
                                        i ? "," : "", i, places->reach[i]);
    }
}

static void add_node(struct esse_spawned *s, unsigned node, const char *program,
                     const struct places *places)
{
    const unsigned port = esse_spawn_port();
    esse_spawn_argument(s, node, "%s", program);
    esse_spawn_argument(s, node, "--name=n%u", node);
    esse_spawn_argument(s, node, "--data-dir=%s/data%u", s->directory, node);
    esse_spawn_argument(s, node, "--listen-client-urls=http://127.0.0.1:%u", port);
    esse_spawn_argument(s, node, "--advertise-client-urls=http://127.0.0.1:%u", port);
    esse_spawn_argument(s, node, "--listen-peer-urls=http://127.0.0.1:%u", places->listen[node]);
    esse_spawn_argument(s, node, "--initial-advertise-peer-urls=http://127.0.0.1:%u",
                        places->reach[node]);
    esse_spawn_argument(s, node, "--initial-cluster=%s", places->all);
    esse_spawn_argument(s, node, "--unsafe-no-fsync");
    s->nodes[node].port = s->count > 1 ? port : esse_spawn_through(s, node, port);
}

static bool prepare(struct esse_spawned *s, struct esse_error *err)
{
    const char *program = esse_spawn_find(s->arena, "etcd");
    struct places places;
    if (!program)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "--spawn etcd: no etcd; Debian's package is etcd-server");
    find_places(s, &places);
    for (unsigned i = 0; i < s->count; i++)
        add_node(s, i, program, &places);
    s->url = esse_spawn_url(s, "etcd", "", "");
    return true;
}

const struct esse_spawner esse_spawner_etcd = {
    .name = "etcd",
    .summary = "etcd, one node or --nodes of them",
    .user = "etcd",
    .nodes = 1,
    .most_nodes = ESSE_MOST_NODES,
    .goodbye = SIGTERM,
    .death = SIGKILL,
    .prepare = prepare,
    .answers = answers,
};
