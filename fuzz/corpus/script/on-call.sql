# Two doctors are on call; each may leave as long as another one stays.  Who leaves looks whether there
# is another.  Two who look at the same time both leave: snapshot isolation allows it, as each of them
# changes a row that the other one has only read.
#
#   esse explore examples/explore/on-call.sql

setup
    CREATE TABLE doctors (id INTEGER PRIMARY KEY, on_call BOOLEAN NOT NULL);
    INSERT INTO doctors VALUES (1, true), (2, true);

procedure leave(me INTEGER)
    DECLARE
        others INTEGER;
    BEGIN
        SELECT count(*) INTO others FROM doctors WHERE on_call AND id <> me;
        IF others >= 1 THEN
            UPDATE doctors SET on_call = false WHERE id = me;
        END IF;
    END

session alice
    leave(me 1)
session bob
    leave(me 2)

invariant somebody_is_on_call
    SELECT count(*) >= 1 FROM doctors WHERE on_call;
