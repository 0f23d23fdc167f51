# Doctors on call.  Each shift wants one of them at least, so who leaves looks first whether there is
# another; two who look at the same time both leave.  That is write skew: snapshot isolation allows it,
# serializability does not.
#
#   esse run --workload sql:examples/on-call.sql
#   esse run --spawn postgresql --isolation repeatable-read --level serializable -w sql:examples/on-call.sql
#   esse run --spawn mariadb --isolation repeatable-read -w sql:examples/on-call.sql

table doctors (id, shift, on_call, stamp)

setup
    DROP TABLE IF EXISTS doctors;
    CREATE TABLE doctors (id INTEGER PRIMARY KEY, shift INTEGER, on_call INTEGER, stamp BIGINT);
    INSERT INTO doctors VALUES (1, 1, 1, 0), (2, 1, 1, 0), (3, 1, 1, 0),
                               (4, 2, 1, 0), (5, 2, 1, 0), (6, 2, 1, 0);
teardown
    DROP TABLE doctors;

param shift   uniform 1 2
param doctor  uniform 1 6
param extra   uniform 100 120
# A fresh number at every use: no two rows are ever alike, so that a read names its writer.
param stamp   unique

transaction leave weight 4
    SELECT count(*) FROM doctors WHERE shift = :shift AND on_call = 1;
    UPDATE doctors SET on_call = 0, stamp = :stamp WHERE id = :doctor;

transaction return weight 4
    SELECT * FROM doctors WHERE id = :doctor;
    UPDATE doctors SET on_call = 1, stamp = :stamp WHERE id = :doctor;

transaction swap weight 2
    SELECT id, on_call FROM doctors WHERE shift = :shift AND on_call = 1;
    UPDATE doctors SET on_call = 1 - on_call, stamp = :stamp
        WHERE shift = :shift AND id < 100;

transaction help
    DELETE FROM doctors WHERE id = :extra;
    INSERT INTO doctors (id, shift, on_call, stamp) VALUES (:extra, :shift, 1, :stamp);
    DELETE FROM doctors WHERE shift = :shift AND id >= 110;

transaction look weight 2 read only
    SELECT * FROM doctors;
    SELECT sum(on_call), max(id) FROM doctors WHERE shift = :shift;
