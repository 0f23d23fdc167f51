#include "collect/server/spawn.h"

#include "collect/driver/client_libmariadb.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* MariaDB: one server, and a Galera cluster of them.  As tests/live/servers.sh starts them. */

static const char *const libraries[] = { "/usr/lib/galera/libgalera_smm.so",
                                         "/usr/lib64/galera-4/libgalera_smm.so",
                                         "/usr/lib/libgalera_smm.so", NULL };

/* A silent node is given up sooner than usual (5 s), since runs are short. */
static const char provider_options[] = "gcache.size=32M;evs.keepalive_period=PT0.5S;evs.suspect_"
                                       "timeout=PT2S;evs.inactive_timeout=PT5S";

/* ---- asking a node ---- */

/* Runs a statement as root; the first value of its answer goes to 'answer', if that is not NULL. */
static bool ask(const struct esse_spawned *s, unsigned node, const char *sql, char answer[40])
{
    const unsigned seconds = 1;
    MYSQL *mysql = mysql_init(NULL);
    if (!mysql)
        return false;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &seconds);
    bool ok =
        mysql_real_connect(mysql, "127.0.0.1", "root", NULL, NULL, s->nodes[node].port, NULL, 0) &&
        !mysql_query(mysql, sql);
    MYSQL_RES *result = ok ? mysql_store_result(mysql) : NULL;
    MYSQL_ROW row = result && answer ? mysql_fetch_row(result) : NULL;
    if (answer)
        snprintf(answer, 40, "%s", row && row[0] ? row[0] : "");
    if (result)
        mysql_free_result(result);
    mysql_close(mysql);
    return ok;
}

static bool answers(struct esse_spawned *s, unsigned node)
{
    return ask(s, node, "SELECT 1", NULL);
}

static bool is_in_group(struct esse_spawned *s, unsigned node)
{
    char state[40];
    return ask(s, node,
               "SELECT GROUP_CONCAT(variable_value ORDER BY variable_name) "
               "FROM information_schema.global_status "
               "WHERE variable_name IN ('wsrep_local_state_comment', 'wsrep_ready')",
               state) &&
           strcmp(state, "Synced,ON") == 0;
}

/* Made for tests of the group's protocol: the node neither sends to the others nor hears them. */
static void cut(struct esse_spawned *s, unsigned node, bool is_on)
{
    ask(s, node,
        is_on ? "SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'"
              : "SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'",
        NULL);
}

/* ---- making nodes ---- */

/* The database 'test' is made too. */
static bool initialise(struct esse_spawned *s, const char *data, struct esse_error *err)
{
    const char *program = esse_spawn_find(s->arena, "mariadb-install-db");
    const char *const arguments[] = { program, "--no-defaults",
                                      esse_arena_format(s->arena, "--datadir=%s", data),
                                      "--auth-root-authentication-method=normal", NULL };
    if (!program || !data || !esse_spawn_wait(&s->account, s->nodes[0].log, arguments))
        return esse_fail(err, ESSE_EUNAVAILABLE, "--spawn %s: %s", s->kind->name,
                         program ? "mariadb-install-db failed"
                                 : "no mariadb-install-db; Debian's package is mariadb-server");
    return true;
}

static bool add_server(struct esse_spawned *s, unsigned node, struct esse_error *err)
{
    const char *program = esse_spawn_find(s->arena, "mariadbd");
    char name[20];
    snprintf(name, sizeof name, "data%u", node);
    const char *data = esse_spawn_folder(s, name);
    const unsigned port = esse_spawn_port();
    if (!esse_client_load(&esse_client_libmariadb, err))
        return false;
    if (!program || !data)
        return esse_fail(err, ESSE_EUNAVAILABLE, "--spawn %s: %s", s->kind->name,
                         data ? "no mariadbd; Debian's package is mariadb-server"
                              : "cannot make a directory");
    esse_spawn_argument(s, node, "%s", program);
    esse_spawn_argument(s, node, "--no-defaults");
    esse_spawn_argument(s, node, "--datadir=%s", data);
    esse_spawn_argument(s, node, "--socket=%s/socket", data);
    esse_spawn_argument(s, node, "--pid-file=%s/pid", data);
    esse_spawn_argument(s, node, "--port=%u", port);
    esse_spawn_argument(s, node, "--bind-address=127.0.0.1");
    esse_spawn_argument(s, node, "--server-id=1");
    esse_spawn_argument(s, node, "--log-bin=binlog");
    esse_spawn_argument(s, node, "--binlog-format=ROW");
    esse_spawn_argument(s, node, "--binlog-row-image=FULL");
    esse_spawn_argument(s, node, "--max-connections=300");
    esse_spawn_argument(s, node, "--innodb-buffer-pool-size=64M");
    esse_spawn_argument(s, node, "--innodb-log-file-size=16M");
    s->nodes[node].port = esse_spawn_through(s, node, port);
    return node > 0 || initialise(s, data, err);
}

static bool prepare(struct esse_spawned *s, struct esse_error *err)
{
    if (!add_server(s, 0, err))
        return false;
    esse_spawn_argument(s, 0, "--gtid-strict-mode=1");
    esse_spawn_argument(s, 0, "--innodb-flush-log-at-trx-commit=1");
    s->url = esse_spawn_url(s, "mysql", "root", "/test");
    return true;
}

/* ---- Galera ---- */

static void add_group(struct esse_spawned *s, unsigned node, const char *library,
                      const unsigned *ports)
{
    const char *all = "";
    for (unsigned i = 0; i < s->count; i++)
        all = esse_arena_format(s->arena, "%s%s127.0.0.1:%u", all, i ? "," : "", ports[i]);
    esse_spawn_argument(s, node, "--log-slave-updates");
    esse_spawn_argument(s, node, "--innodb-flush-log-at-trx-commit=0");
    esse_spawn_argument(s, node, "--innodb-autoinc-lock-mode=2");
    esse_spawn_argument(s, node, "--wsrep-on=ON");
    esse_spawn_argument(s, node, "--wsrep-provider=%s", library);
    esse_spawn_argument(s, node, "--wsrep-cluster-name=esse");
    esse_spawn_argument(s, node, "--wsrep-node-name=n%u", node);
    esse_spawn_argument(s, node, "--wsrep-node-address=127.0.0.1:%u", ports[node]);
    esse_spawn_argument(s, node, "--wsrep-cluster-address=gcomm://%s", all);
    esse_spawn_argument(s, node,
                        "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%u;"
                        "ist.recv_addr=127.0.0.1:%u;%s",
                        ports[node], esse_spawn_port(), provider_options);
    esse_spawn_argument(s, node, "--wsrep-sst-method=rsync");
    esse_spawn_argument(s, node, "--wsrep-sst-receive-address=127.0.0.1:%u", esse_spawn_port());
    esse_spawn_argument(s, node, "--wsrep-gtid-mode=ON");
    esse_spawn_argument(s, node, "--wsrep-gtid-domain-id=7");
}

static bool prepare_group(struct esse_spawned *s, struct esse_error *err)
{
    unsigned ports[ESSE_MOST_NODES];
    size_t at = 0;
    while (libraries[at] && access(libraries[at], R_OK) != 0)
        at++;
    if (!libraries[at] || !esse_spawn_find(s->arena, "rsync"))
        return esse_fail(err, ESSE_EUNAVAILABLE, "--spawn galera: no %s; Debian's package is %s",
                         libraries[at] ? "rsync" : "libgalera_smm.so",
                         libraries[at] ? "rsync" : "galera-4");
    for (unsigned i = 0; i < s->count; i++)
        ports[i] = esse_spawn_port();
    for (unsigned i = 0; i < s->count; i++) {
        if (!add_server(s, i, err))
            return false;
        add_group(s, i, libraries[at], ports);
    }
    s->url = esse_spawn_url(s, "galera", "root", "/test");
    return true;
}

const struct esse_spawner esse_spawner_mariadb = {
    .name = "mariadb",
    .summary = "MariaDB, one server",
    .user = "mysql",
    .nodes = 1,
    .most_nodes = 1,
    .goodbye = SIGTERM,
    .death = SIGKILL,
    .prepare = prepare,
    .answers = answers,
};

const struct esse_spawner esse_spawner_galera = {
    .name = "galera",
    .summary = "a Galera cluster of MariaDB servers",
    .user = "mysql",
    .nodes = 3,
    .most_nodes = ESSE_MOST_NODES,
    .first = "--wsrep-new-cluster",
    .is_in_turn = true,
    .goodbye = SIGTERM,
    .death = SIGKILL,
    .prepare = prepare_group,
    .answers = is_in_group,
    .cut = cut,
};
