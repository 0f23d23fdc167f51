# A theatre must not sell more tickets than it has seats, and a seat once.  Who books a seat looks
# whether it is free: the seat is a row that both write, so that snapshot isolation lets one of them
# give up.  Who only counts tickets is not helped by that.
#
#   esse explore examples/explore/seats.sql

setup
    CREATE TABLE seats (id INTEGER PRIMARY KEY, holder TEXT);
    CREATE TABLE standing (id INTEGER PRIMARY KEY, holder TEXT NOT NULL);
    CREATE TABLE tickets (id INTEGER PRIMARY KEY, seat INTEGER NOT NULL REFERENCES seats (id));
    INSERT INTO seats VALUES (1, NULL), (2, NULL);

param seat    uniform 1 2
param guest   choice 'ann', 'bob'
param number  unique

transaction book
    INSERT INTO tickets SELECT :number, id FROM seats WHERE id = :seat AND holder IS NULL;
    UPDATE seats SET holder = :guest WHERE id = :seat AND holder IS NULL;

transaction stand
    INSERT INTO standing SELECT :number, :guest WHERE (SELECT count(*) FROM standing) < 1;

session box_office
    book(seat 1, guest 'ann')
    stand(guest 'ann')
session web
    book(seat 1, guest 'bob')
    stand(guest 'bob')

invariant a_seat_is_sold_once
    SELECT count(*) = count(DISTINCT seat) FROM tickets;
invariant one_person_may_stand
    SELECT count(*) <= 1 FROM standing;
