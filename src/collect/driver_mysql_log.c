#include "collect/driver_mysql.h"
#include "collect/learnt_rows.h"
#include "collect/recorder.h"
#include "collect/recover_binlog.h"

#include <poll.h>
#include <stdio.h>
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
 * After a crash the stream starts again behind the last transaction that came whole.
 */
static const double wait_seconds = 30;
static const unsigned silence_seconds = 1; /* in the middle of an event, and the stream is lost */
static const int64_t slice_ns = 15 * 1000 * 1000; /* of one poll */

struct esse_mysql_log {
    struct esse_target *target;
    struct esse_learnt_rows *rows;
    struct esse_change_sink filter; /* notes which transaction came last */
    MYSQL *main, *stream;
    MARIADB_RPL *replica;
    struct esse_binlog *binlog;
    char gtid[64], coming[64];
};

/* ---- which transaction came last ---- */

static struct esse_mysql_log *log_of(struct esse_change_sink *sink)
{
    return (struct esse_mysql_log *)((char *)sink - offsetof(struct esse_mysql_log, filter));
}

static bool filter_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                         struct esse_error *err)
{
    struct esse_mysql_log *log = log_of(sink);
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    char room[8];
    const struct esse_span text = esse_value_text(sink->values, txn->id, room);
    snprintf(log->coming, sizeof log->coming, "%.*s", (int)text.length, text.at);
    return to->begin(to, txn, err);
}

static bool filter_change(struct esse_change_sink *sink, const struct esse_change *change,
                          struct esse_error *err)
{
    struct esse_change_sink *to = esse_learnt_rows_sink(log_of(sink)->rows);
    return to->change(to, change, err);
}

static bool filter_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    struct esse_mysql_log *log = log_of(sink);
    struct esse_change_sink *to = esse_learnt_rows_sink(log->rows);
    memcpy(log->gtid, log->coming, sizeof log->gtid);
    return to->commit(to, err);
}

/* Of the user's own tables only who changed them counts: they may have columns of any type. */
static bool filter_wants(struct esse_change_sink *sink, struct esse_span table)
{
    struct esse_mysql_log *log = log_of(sink);
    return !log->target->schema->own || (table.length == 9 && !memcmp(table.at, "esse_mark", 9));
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
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_FILENAME, "", (size_t)0);
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_START, 4UL);
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_SERVER_ID, (unsigned)(0x40000000 + getpid()));
    mariadb_rpl_optionsv(log->replica, MARIADB_RPL_FLAGS, 0U);
    log->binlog = esse_binlog_new(log->target->arena, &log->filter);
    if (!mariadb_rpl_open(log->replica))
        return true;
    char text[ESSE_SAID];
    esse_url_tell(log->target->url, mysql_error(log->stream), text);
    return esse_fail(err, ESSE_EUNAVAILABLE, "the binary log cannot be read: %s", text);
}

static void end_log(struct esse_target *target)
{
    struct esse_mysql_log *log = target->log;
    struct esse_error ignored;
    if (!log)
        return;
    close_stream(log);
    if (log->main && !esse_mysql_run(target, log->main, "SELECT 1", &ignored)) {
        mysql_close(log->main);
        log->main = esse_mysql_connect(target, 0, &ignored);
    }
    if (log->main) {
        esse_mysql_run(target, log->main, "DROP TABLE IF EXISTS esse_mark", &ignored);
        mysql_close(log->main);
    }
    target->log = NULL;
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
        return esse_fail(err, ESSE_EUNAVAILABLE, "the server writes no binary log");
    const char *format = esse_mysql_ask(target, log->main, "SELECT @@binlog_format", err);
    if (!format)
        return false;
    if (strcmp(format, "ROW") != 0)
        return esse_fail(err, ESSE_EUNAVAILABLE, "the server's binlog_format is %.40s, not ROW",
                         format);
    if (!esse_mysql_cluster_logs(target, log->main, err))
        return false;
    if (!esse_mysql_run(target, log->main,
                        "CREATE OR REPLACE TABLE esse_mark(k BIGINT PRIMARY KEY, v BIGINT) "
                        "ENGINE=InnoDB",
                        err) ||
        !esse_mysql_run(target, log->main, "INSERT INTO esse_mark VALUES (1, 0)", err))
        return false;
    const char *gtid = esse_mysql_ask(target, log->main, "SELECT @@gtid_binlog_pos", err);
    if (!gtid)
        return false;
    snprintf(log->gtid, sizeof log->gtid, "%s", gtid);
    return open_stream(log, err);
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

/* 'is_idle' if it says that there is none. */
static bool take_event(struct esse_mysql_log *log, const MARIADB_RPL_EVENT *event, bool *is_idle,
                       struct esse_error *err)
{
    *is_idle = event->event_type == HEARTBEAT_LOG_EVENT;
    const size_t skipped = event->raw_data_ofs;
    if (*is_idle || event->raw_data_size <= skipped)
        return true;
    return esse_binlog_event(log->binlog, event->raw_data + skipped, event->raw_data_size - skipped,
                             event->next_event_pos, err);
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
    const int64_t began = esse_book_clock();
    bool is_idle = false;
    esse_learnt_rows_to(log->rows, learnt);
    while (!is_idle && esse_book_clock() - began < slice_ns) {
        struct esse_error ignored;
        if (!log->replica && !open_stream(log, &ignored)) {
            close_stream(log); /* it may be coming back: at the next poll again */
            return true;
        }
        if (!has_news(log))
            return true;
        /* One that is handed in to be used again the library frees when reading fails. */
        MARIADB_RPL_EVENT *event = mariadb_rpl_fetch(log->replica, NULL);
        if (!event) {
            close_stream(log);
            return true;
        }
        const bool ok = take_event(log, event, &is_idle, err);
        mariadb_free_rpl_event(event);
        if (!ok)
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
    const int64_t began = esse_book_clock(), mark = began;
    bool is_written = false;
    while (esse_learnt_rows_mark(log->rows) != mark) {
        const bool is_late = (double)(esse_book_clock() - began) * 1e-9 > wait_seconds;
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

/* GTIDs are times of commits.  Who reads with locks can tell at which of them it looked. */
static const char *kind_of(const struct esse_target *target)
{
    return target->tells_seen ? "timestamps" : target->schema->own ? "commit-order" : NULL;
}

const struct esse_certifying esse_mysql_certifying = {
    .source = "the binary log",
    .kind_of = kind_of,
    .begin = begin_log,
    .poll = poll_log,
    .finish = finish_log,
    .end = end_log,
};
