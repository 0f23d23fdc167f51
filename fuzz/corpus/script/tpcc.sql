# TPC-C's order entry and payment, as the literature has them: a district numbers its orders, and its
# income is part of the warehouse's.
#
#   esse explore examples/explore/tpcc.sql

setup
    CREATE TABLE warehouse (id INTEGER PRIMARY KEY, ytd INTEGER NOT NULL);
    CREATE TABLE district (id INTEGER PRIMARY KEY, ytd INTEGER NOT NULL, next_order INTEGER NOT NULL);
    CREATE TABLE orders (entry INTEGER PRIMARY KEY, district INTEGER NOT NULL, number INTEGER NOT NULL);
    CREATE TABLE history (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
    INSERT INTO warehouse VALUES (1, 0);
    INSERT INTO district VALUES (1, 0, 1);

param receipt  unique

procedure new_order(entry_key INTEGER)
    DECLARE
        n INTEGER;
    BEGIN
        SELECT next_order INTO n FROM district WHERE id = 1;
        UPDATE district SET next_order = n + 1 WHERE id = 1;
        INSERT INTO orders VALUES (entry_key, 1, n);
    END

transaction payment
    UPDATE warehouse SET ytd = ytd + 10 WHERE id = 1;
    UPDATE district SET ytd = ytd + 10 WHERE id = 1;
    INSERT INTO history VALUES (:receipt, 10);

session ann
    new_order(entry_key 1)
session ben
    new_order(entry_key 2)
session till
    payment()
session desk
    payment()

invariant order_numbers_differ
    SELECT count(*) = count(DISTINCT number) FROM orders;
invariant payments_count
    SELECT w.ytd = (SELECT sum(amount) FROM history) FROM warehouse w WHERE w.id = 1;
invariant a_warehouse_has_what_its_districts_have
    SELECT w.ytd = (SELECT sum(ytd) FROM district) FROM warehouse w WHERE w.id = 1;
