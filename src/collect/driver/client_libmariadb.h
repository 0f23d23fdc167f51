#ifndef ESSE_COLLECT_DRIVER_CLIENT_LIBMARIADB_H
#define ESSE_COLLECT_DRIVER_CLIENT_LIBMARIADB_H

#include "collect/driver/client_library.h"

#include <mariadb/mysql.h>

#include <mariadb/mariadb_rpl.h> /* needs the former */

/* What is called of MariaDB's client library, after esse_client_load(&esse_client_libmariadb). */
/* clang-format off */
#define ESSE_LIBMARIADB(X) \
    X(mariadb_rpl_close) X(mariadb_rpl_init_ex) \
    X(mariadb_rpl_open) X(mariadb_rpl_optionsv) X(mysql_affected_rows) X(mysql_close) \
    X(mysql_errno) X(mysql_error) X(mysql_fetch_field_direct) X(mysql_fetch_lengths) \
    X(mysql_fetch_row) X(mysql_free_result) X(mysql_get_socket) X(mysql_init) \
    X(mysql_net_read_packet) X(mysql_num_fields) X(mysql_options) X(mysql_query) X(mysql_real_connect) \
    X(mysql_real_connect_cont) X(mysql_real_connect_start) X(mysql_real_query_cont) \
    X(mysql_real_query_start) X(mysql_store_result) X(mysql_store_result_cont) \
    X(mysql_store_result_start)
/* clang-format on */

extern struct esse_libmariadb {
#define X(name) __typeof__(&(name)) name;
    ESSE_LIBMARIADB(X)
#undef X
} esse_libmariadb;

#define mariadb_rpl_close        esse_libmariadb.mariadb_rpl_close
#define mariadb_rpl_init_ex      esse_libmariadb.mariadb_rpl_init_ex
#define mariadb_rpl_open         esse_libmariadb.mariadb_rpl_open
#define mariadb_rpl_optionsv     esse_libmariadb.mariadb_rpl_optionsv
#define mysql_affected_rows      esse_libmariadb.mysql_affected_rows
#define mysql_close              esse_libmariadb.mysql_close
#define mysql_errno              esse_libmariadb.mysql_errno
#define mysql_error              esse_libmariadb.mysql_error
#define mysql_fetch_field_direct esse_libmariadb.mysql_fetch_field_direct
#define mysql_fetch_lengths      esse_libmariadb.mysql_fetch_lengths
#define mysql_fetch_row          esse_libmariadb.mysql_fetch_row
#define mysql_free_result        esse_libmariadb.mysql_free_result
#define mysql_get_socket         esse_libmariadb.mysql_get_socket
#define mysql_init               esse_libmariadb.mysql_init
#define mysql_net_read_packet    esse_libmariadb.mysql_net_read_packet
#define mysql_num_fields         esse_libmariadb.mysql_num_fields
#define mysql_options            esse_libmariadb.mysql_options
#define mysql_query              esse_libmariadb.mysql_query
#define mysql_real_connect       esse_libmariadb.mysql_real_connect
#define mysql_real_connect_cont  esse_libmariadb.mysql_real_connect_cont
#define mysql_real_connect_start esse_libmariadb.mysql_real_connect_start
#define mysql_real_query_cont    esse_libmariadb.mysql_real_query_cont
#define mysql_real_query_start   esse_libmariadb.mysql_real_query_start
#define mysql_store_result       esse_libmariadb.mysql_store_result
#define mysql_store_result_cont  esse_libmariadb.mysql_store_result_cont
#define mysql_store_result_start esse_libmariadb.mysql_store_result_start

#endif
