#include "collect/driver/mysql/mysql.h"

#include <stdio.h>
#include <string.h>

/*
 * Galera.  Nodes agree on the order of commits, and each applies what the others wrote when it gets
 * there.  Two things follow for a run: what prepare() wrote must have arrived everywhere before the
 * first session reads, and one node's log has the order of all, provided that every node gives a
 * transaction the same id.
 */
bool esse_mysql_cluster_find(struct esse_target *target, struct esse_error *err)
{
    struct esse_error ignored;
    const char *is_on = esse_mysql_ask(target, target->main, "SELECT @@wsrep_on", &ignored);
    if (is_on && strcmp(is_on, "1") == 0) {
        target->cluster = esse_mysql_ask(
            target, target->main,
            "SELECT SUBSTRING_INDEX(variable_value, '(', 1) FROM information_schema.global_status "
            "WHERE variable_name = 'wsrep_provider_version'",
            err);
        return target->cluster != NULL;
    }
    return !target->dialect->is_cluster ||
           esse_fail(err, ESSE_EUNAVAILABLE, "the server is no node of a Galera cluster");
}

/* A read that waits for what was committed before it, wherever that was. */
static bool settle_node(struct esse_target *target, MYSQL *mysql, struct esse_error *err)
{
    const struct esse_schema *schema = target->schema;
    char sql[200];
    if (schema->own)
        snprintf(sql, sizeof sql, "SELECT 1 FROM %s LIMIT 1",
                 schema->own->tables[schema->own->count - 1].name);
    else
        snprintf(sql, sizeof sql, "SELECT 1 FROM esse_%s LIMIT 1",
                 schema->tables[schema->count - 1].name);
    return esse_mysql_run(target, mysql, "SET SESSION wsrep_sync_wait = 1", err) &&
           esse_mysql_run(target, mysql, sql, err);
}

bool esse_mysql_cluster_settle(struct esse_target *target, struct esse_error *err)
{
    char said[ESSE_SAID];
    bool ok = true;
    if (!target->cluster || !(target->schema->count || target->schema->own))
        return true;
    for (unsigned host = 0; ok && host < target->url->host_count; host++) {
        MYSQL *mysql = esse_mysql_connect_to(target, host, 0, said);
        if (!mysql)
            continue; /* sessions will find out, and go elsewhere */
        ok = settle_node(target, mysql, err);
        mysql_close(mysql);
    }
    return ok;
}

bool esse_mysql_cluster_logs(struct esse_target *target, MYSQL *mysql, struct esse_error *err)
{
    if (!target->cluster)
        return true;
    const char *same =
        esse_mysql_ask(target, mysql, "SELECT @@wsrep_gtid_mode AND @@log_slave_updates", err);
    if (!same)
        return false;
    return strcmp(same, "1") == 0 ||
           esse_fail(err, ESSE_EUNAVAILABLE,
                     "the nodes' logs name transactions differently; wsrep_gtid_mode and "
                     "log_slave_updates must be on");
}
