#include "base/clock.h"
#include "collect/driver/mysql/mysql.h"
#include "collect/recover/binlog.h"
#include "collect/recover/learnt_rows.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The order of versions from the binary log, whose order is that of the commits
 * (docs/design/recovery.md), read as a replica reads it.
 *
 * The library waits until an event comes.  So the server is asked for a heartbeat whenever it has
 * had nothing to send for some milliseconds: reading then ends with one.  If not even that comes
 * there is nothing to read.
 *
 * After a crash the stream starts again behind the last transaction that came whole: of MariaDB by
 * its GTID, of MySQL, which may have none, by its place in the log's files.
 */
static const double wait_seconds = 30;
static const unsigned silence_seconds = 1; /* in the middle of an event, and the stream is lost */
static const int64_t slice_ns = 15 * 1000 * 1000; /* of one poll */

struct esse_mysql_log {
    struct esse_change_sink filter; /* first: it notes which transaction came last */
    struct esse_target *target;
    struct esse_learnt_rows *rows;
    MYSQL *main, *stream;
    MARIADB_RPL *replica;
    struct esse_binlog *binlog;
    char gtid[64], coming[64]; /* of MariaDB */
    char file[256], next_file[256];
    uint32_t position;
    bool is_whole; /* the event that was read last ended a transaction */
};

/* ---- which transaction came last ---- */

static bool filter_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                         struct esse_error *err)
{
    struct esse_mysql_log *log = (struct esse_mysql_log *)sink;
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    if (log->target->is_mariadb) {
        char room[8];
        const struct esse_span text = esse_value_text(sink->values, txn->id, room);
        snprintf(log->coming, sizeof log->coming, "%.*s", (int)text.length, text.at);
    }
    return to->begin(to, txn, err);
}

static bool filter_change(struct esse_change_sink *sink, const struct esse_change *change,
                          struct esse_error *err)
{
    struct esse_change_sink *to = esse_learnt_rows_sink(((struct esse_mysql_log *)sink)->rows);
    return to->change(to, change, err);
}

static bool filter_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    struct esse_mysql_log *log = (struct esse_mysql_log *)sink;
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    memcpy(log->gtid, log->coming, sizeof log->gtid);
    log->is_whole = true;
    return to->commit(to, err);
}

/* Of the user's own tables only the transactions that changed them count: they may have columns of
 * any type. */
static bool filter_wants(struct esse_change_sink *sink, struct esse_span table)
{
    struct esse_mysql_log *log = (struct esse_mysql_log *)sink;
    return !log->target->schema->own || esse_span_is(table, "esse_mark");
}

/* ---- beginning ---- */

static void close_stream(struct esse_mysql_log *log)
{
    if (log->replica)
        mariadb_rpl_close(log->replica);
    if (log->stream)
        mysql_close(log->stream);
    log->replica = NULL;
    log->stream = NULL;
}

static bool ask_for_stream(struct esse_mysql_log *log, struct esse_error *err)
{
    char position[128];
    const char *const statements[] = { "SET @master_binlog_checksum = 'NONE'",
                                       "SET @mariadb_slave_capability = 4",
                                       "SET @master_heartbeat_period = 5000000", /* 5 ms */
                                       "SET @slave_gtid_strict_mode = 1", position };
    snprintf(position, sizeof position, "SET @slave_connect_state = '%s'", log->gtid);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (!esse_mysql_run(log->target, log->stream, statements[i], err))
            return false;
    return true;
}

static bool open_stream(struct esse_mysql_log *log, struct esse_error *err)
{
    log->stream = esse_mysql_connect(log->target, silence_seconds, err);
    if (!log->stream || !ask_for_stream(log, err))
        return false;
    log->replica = mariadb_rpl_init(log->stream);
    if (!log->replica)
        return esse_fail(err, ESSE_EUNAVAILABLE, "the library cannot read binary logs");
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_FILENAME, log->file, strlen(log->file));
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_START, (unsigned long)log->position);
    memcpy(log->next_file, log->file, sizeof log->file);
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_SERVER_ID, (unsigned)(0x40000000 + getpid()));
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_FLAGS, 0U);
    log->binlog = esse_binlog_new(log->target->arena, &log->filter);
    return !mariadb_rpl_open(log->replica) ||
           esse_url_fail(log->target->url,
                         "the binary log cannot be read: ", mysql_error(log->stream), err);
}

static void end_log(struct esse_target *target)
{
    struct esse_mysql_log *log = target->log;
    struct esse_error ignored;
    if (!log)
        return;
    close_stream(log);
    if (esse_mysql_wake(target, &log->main)) {
        esse_mysql_run(target, log->main, "DROP TABLE IF EXISTS esse_mark", &ignored);
        mysql_close(log->main);
    }
    target->log = NULL;
}

/* The mark, and of MySQL a row a session for the names of transactions. */
static bool make_marks(struct esse_mysql_log *log, struct esse_error *err)
{
    struct esse_target *target = log->target;
    struct esse_out sql;
    esse_out_init_memory(&sql, target->arena);
    esse_out_text(&sql, "INSERT INTO esse_mark VALUES (1, 0)");
    for (uint32_t s = 0; !target->is_mariadb && s < target->schema->sessions; s++)
        esse_out_f(&sql, ", (%lld, 0)", (long long)esse_mysql_name_row(s));
    return esse_mysql_run(target, log->main, "DROP TABLE IF EXISTS esse_mark", err) &&
           esse_mysql_run(target, log->main,
                          "CREATE TABLE esse_mark(k BIGINT PRIMARY KEY, v BIGINT) ENGINE=InnoDB",
                          err) &&
           esse_mysql_run(target, log->main, esse_out_memory(&sql), err);
}

/* Where the log is now; newer servers of MySQL call the statement by its second name. */
static bool find_place(struct esse_mysql_log *log, struct esse_error *err)
{
    MYSQL *mysql = log->main;
    MYSQL_RES *result =
        !mysql_query(mysql, "SHOW MASTER STATUS") || !mysql_query(mysql, "SHOW BINARY LOG STATUS")
            ? mysql_store_result(mysql)
            : NULL;
    MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
    if (row) {
        snprintf(log->file, sizeof log->file, "%s", row[0]);
        log->position = (uint32_t)strtoul(row[1], NULL, 10);
    } else {
        char text[ESSE_SAID];
        esse_url_tell(log->target->url, mysql_error(mysql), text);
        esse_fail(
            err, ESSE_EUNAVAILABLE,
            "the position of the binary log is not reported%s%s; grant the user REPLICATION CLIENT",
            *text ? ": " : "", text);
    }
    if (result)
        mysql_free_result(result);
    return row != NULL;
}

static bool find_gtid(struct esse_mysql_log *log, struct esse_error *err)
{
    const char *gtid = esse_mysql_ask(log->target, log->main, "SELECT @@gtid_binlog_pos", err);
    log->position = 4;
    if (gtid)
        snprintf(log->gtid, sizeof log->gtid, "%s", gtid);
    return gtid != NULL;
}

static bool open_log(struct esse_mysql_log *log, struct esse_error *err)
{
    struct esse_target *target = log->target;
    log->main = esse_mysql_connect(target, 0, err);
    if (!log->main)
        return false;
    const char *is_on = esse_mysql_ask(target, log->main, "SELECT @@log_bin", err);
    if (!is_on)
        return false;
    if (strcmp(is_on, "1") != 0)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "the server writes no binary log; start it with --log-bin");
    const char *format = esse_mysql_ask(target, log->main, "SELECT @@binlog_format", err);
    if (!format)
        return false;
    if (strcmp(format, "ROW") != 0)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "the server's binlog_format is %.40s; SET GLOBAL binlog_format = 'ROW'",
                         format);
    if (!esse_mysql_cluster_logs(target, log->main, err))
        return false;
    target->is_naming = !target->is_mariadb;
    return make_marks(log, err) &&
           (target->is_mariadb ? find_gtid(log, err) : find_place(log, err)) &&
           open_stream(log, err);
}

static bool begin_log(struct esse_target *target, struct esse_error *err)
{
    struct esse_mysql_log *log = esse_arena_alloc(target->arena, 1, sizeof *log);
    log->target = target;
    log->rows = esse_learnt_rows_new(target->arena, target->schema);
    log->filter = (struct esse_change_sink){ esse_learnt_rows_sink(log->rows)->values, filter_begin,
                                             filter_change, filter_commit, filter_wants };
    target->log = log;
    if (open_log(log, err))
        return true;
    end_log(target);
    return false;
}

/* ---- reading ---- */

/* An event as it stands in the log: time (4 bytes), type, server (4), size (4), where the next one
 * stands (4), flags (2); of ROTATE then a position (8) and the name of the next file. */
enum {
    EVENT_TYPE = 4,
    EVENT_NEXT = 13,
    EVENT_HEADER = 19,
    ROTATE_NAME = EVENT_HEADER + 8,
    EVENT_ROTATE = 4,
    EVENT_HEARTBEAT = 27
};

struct event {
    const unsigned char *at;
    size_t length;
};

/* The library's own reading of events knows MariaDB's only; so the packets are taken as they are,
 * an event behind a byte that says that it is one.  False if the stream has ended. */
static bool fetch(struct esse_mysql_log *log, struct event *event)
{
    const unsigned long length = mysql_net_read_packet(log->stream);
    const unsigned char *packet = log->stream->net.read_pos;
    if (length == packet_error || length <= EVENT_HEADER || packet[0] != 0)
        return false;
    *event = (struct event){ packet + 1, length - 1 };
    return true;
}

static uint32_t next_position(const struct event *event)
{
    const unsigned char *at = event->at + EVENT_NEXT;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Where to go on after a crash, which is of use to MySQL only. */
static void note_place(struct esse_mysql_log *log, const struct event *event)
{
    if (event->at[EVENT_TYPE] == EVENT_ROTATE && event->length > ROTATE_NAME)
        snprintf(log->next_file, sizeof log->next_file, "%.*s", (int)(event->length - ROTATE_NAME),
                 (const char *)event->at + ROTATE_NAME);
    if (!log->is_whole || log->target->is_mariadb)
        return;
    memcpy(log->file, log->next_file, sizeof log->file);
    log->position = next_position(event);
}

/* 'is_idle' if it says that there is none. */
static bool take_event(struct esse_mysql_log *log, const struct event *event, bool *is_idle,
                       struct esse_error *err)
{
    *is_idle = event->at[EVENT_TYPE] == EVENT_HEARTBEAT;
    log->is_whole = false;
    if (!*is_idle &&
        !esse_binlog_event(log->binlog, event->at, event->length, next_position(event), err))
        return false;
    note_place(log, event);
    return true;
}

/* A server that is stopped or cut off sends no heartbeat either.  What the library has read ahead
 * is found when the next one comes. */
static bool has_news(const struct esse_mysql_log *log)
{
    enum { WAIT_MS = 10 };
    struct pollfd fd = { mysql_get_socket(log->stream), POLLIN, 0 };
    return poll(&fd, 1, WAIT_MS) > 0;
}

static bool poll_log(struct esse_target *target, struct esse_learnt *learnt, struct esse_error *err)
{
    struct esse_mysql_log *log = target->log;
    const int64_t began = esse_clock_ns();
    bool is_idle = false;
    esse_learnt_rows_to(log->rows, learnt);
    while (!is_idle && esse_clock_ns() - began < slice_ns) {
        struct esse_error ignored;
        if (!log->replica && !open_stream(log, &ignored)) {
            close_stream(log); /* it may be coming back: at the next poll again */
            return true;
        }
        if (!has_news(log))
            return true;
        struct event event;
        if (!fetch(log, &event)) {
            close_stream(log);
            return true;
        }
        if (!take_event(log, &event, &is_idle, err))
            return false;
    }
    return true;
}

/* ---- the end ---- */

static bool write_mark(struct esse_mysql_log *log, int64_t mark, struct esse_error *err)
{
    char sql[100];
    snprintf(sql, sizeof sql, "UPDATE esse_mark SET v = %lld", (long long)mark);
    if (log->main && esse_mysql_run(log->target, log->main, sql, err))
        return true;
    if (log->main)
        mysql_close(log->main);
    log->main = esse_mysql_connect(log->target, 0, err);
    return log->main && esse_mysql_run(log->target, log->main, sql, err);
}

/* A node that has just come back may refuse the mark for a while. */
static bool finish_log(struct esse_target *target, struct esse_learnt *learnt,
                       struct esse_error *err)
{
    struct esse_mysql_log *log = target->log;
    const int64_t began = esse_clock_ns(), mark = began;
    bool is_written = false;
    while (esse_learnt_rows_mark(log->rows) != mark) {
        const bool is_late = (double)(esse_clock_ns() - began) * 1e-9 > wait_seconds;
        if (is_late && is_written)
            return esse_fail(err, ESSE_EUNAVAILABLE,
                             "the binary log did not come to its end within %g s", wait_seconds);
        if (!is_written && !(is_written = write_mark(log, mark, err)) && is_late)
            return false;
        if (!poll_log(target, learnt, err))
            return false;
    }
    const unsigned unplaced = atomic_load(&target->unplaced);
    return !unplaced || esse_fail(err, ESSE_EUNAVAILABLE,
                                  "the place of %u transactions in the binary log is not known: "
                                  "they changed nothing, or their connections were lost",
                                  unplaced);
}

/* GTIDs are times of commits.  A session that reads with locks knows at which of them it looked.
 * MySQL's sessions know no time, but their names have an order in the log. */
static const char *kind_of(const struct esse_target *target)
{
    if (target->tells_seen)
        return "timestamps";
    return target->schema->own || esse_mysql_places_all(target) ? "commit-order" : NULL;
}

const struct esse_certifying esse_mysql_certifying = {
    .source = "the binary log",
    .kind_of = kind_of,
    .begin = begin_log,
    .poll = poll_log,
    .finish = finish_log,
    .end = end_log,
};
