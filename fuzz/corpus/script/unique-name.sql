# Names must be unique.  Without a constraint, who registers looks first: two who look at the same time
# both find the name free.  The rows that they insert are different ones, so that snapshot isolation
# sees no conflict.
#
#   esse explore examples/explore/unique-name.sql

setup
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

param id  uniform 1 9

transaction sign_up
    INSERT INTO users SELECT :id, 'ada' WHERE NOT EXISTS (SELECT * FROM users WHERE name = 'ada');

session first
    sign_up(id 1)
session second
    sign_up(id 2)

invariant names_are_unique
    SELECT count(*) = count(DISTINCT name) FROM users;
