# A shopping cart in two windows of one browser.  What is added twice counts twice, and what was removed
# is gone: but who adds what is there already changes a number that he has read before.
#
#   esse explore examples/explore/shopping-cart.sql

setup
    CREATE TABLE cart (item TEXT PRIMARY KEY, quantity INTEGER NOT NULL);
    INSERT INTO cart VALUES ('book', 1);

procedure add(what TEXT)
    DECLARE
        had INTEGER;
    BEGIN
        SELECT quantity INTO had FROM cart WHERE item = what;
        IF FOUND THEN
            UPDATE cart SET quantity = had + 1 WHERE item = what;
        ELSE
            INSERT INTO cart VALUES (what, 1);
        END IF;
    END

session left_window
    add(what 'book')
    add(what 'pen')
session right_window
    add(what 'book')

invariant every_add_counts
    SELECT quantity = 3 FROM cart WHERE item = 'book';
invariant both_items_are_there
    SELECT count(*) = 2 FROM cart;
