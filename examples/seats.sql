# Seats of a theatre.  A seat is known by the night and its name: a key of two columns, in brackets of
# its own.  Who books looks first how many seats are free, and the last one must be kept for the
# director; two who look at the same time both book.
#
#   esse run --workload sql:examples/seats.sql
#   esse run --spawn mariadb -w sql:examples/seats.sql

table seats ((night, seat), guest, stamp)

setup
    DROP TABLE IF EXISTS seats;
    CREATE TABLE seats (night INTEGER, seat VARCHAR(20), guest INTEGER, stamp BIGINT,
                        PRIMARY KEY (night, seat));
    INSERT INTO seats VALUES (1, 'A1', 0, 0), (1, 'A2', 0, 0), (1, 'B1', 0, 0),
                             (2, 'A1', 0, 0), (2, 'A2', 0, 0), (2, 'B1', 0, 0);
teardown
    DROP TABLE seats;

param night   uniform 1 2
param seat    choice 'A1', 'A2', 'B1'
param extra   choice 'C1', 'C2', 'it''s a box, up'
param guest   uniform 1 50
param stamp   unique

transaction book weight 4
    SELECT count(*) FROM seats WHERE night = :night AND guest = 0;
    UPDATE seats SET guest = :guest, stamp = :stamp WHERE night = :night AND seat = :seat;

transaction return weight 4
    SELECT * FROM seats WHERE seat = :seat AND night = :night;
    UPDATE seats SET guest = 0, stamp = :stamp WHERE seat = :seat AND night = :night;

transaction move weight 2
    SELECT seat, guest FROM seats WHERE night = :night AND guest > 25;
    UPDATE seats SET guest = guest - 25, stamp = :stamp WHERE night = :night AND guest > 25;

transaction chairs
    DELETE FROM seats WHERE night = :night AND seat = :extra;
    INSERT INTO seats (stamp, night, seat, guest) VALUES (:stamp, :night, :extra, 0);
    DELETE FROM seats WHERE night = :night AND guest = 0 AND seat >= 'D';

transaction look weight 2 read only
    SELECT * FROM seats;
    SELECT count(*), sum(guest) FROM seats WHERE night = :night;
