# Two doctors are on call; each may leave as long as another one stays.  Who leaves looks and changes
# in one statement, and yet two who do so at the same time both leave: snapshot isolation allows it.
#
#   esse explore examples/explore/on-call.sql

setup
    CREATE TABLE doctors (id INTEGER PRIMARY KEY, on_call BOOLEAN NOT NULL);
    INSERT INTO doctors VALUES (1, true), (2, true);

param doctor  uniform 1 2

transaction leave
    UPDATE doctors SET on_call = false
        WHERE id = :doctor AND (SELECT count(*) FROM doctors WHERE on_call) >= 2;

session alice
    leave(doctor 1)
session bob
    leave(doctor 2)

invariant somebody_is_on_call
    SELECT count(*) >= 1 FROM doctors WHERE on_call;
