#ifndef ESSE_COLLECT_DRIVER_DRIVERS_H
#define ESSE_COLLECT_DRIVER_DRIVERS_H

/* The rows of the table of drivers: one file each. */
struct esse_driver;
extern const struct esse_driver esse_driver_sqlite, esse_driver_memory, esse_driver_postgresql,
    esse_driver_cockroachdb, esse_driver_yugabytedb, esse_driver_h2, esse_driver_mysql,
    esse_driver_galera, esse_driver_tidb, esse_driver_etcd, esse_driver_redis;

#endif
