# An account must not be overdrawn.  Who withdraws looks at the balance first, and then writes what is
# left: two who do so at the same time take the same money.
#
#   esse explore examples/explore/bank.sql

setup
    CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
    CREATE TABLE paid (receipt INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
    INSERT INTO accounts VALUES (1, 100);

param receipt  unique
param amount   uniform 1 100

transaction withdraw
    INSERT INTO paid SELECT :receipt, :amount FROM accounts WHERE id = 1 AND balance >= :amount;
    UPDATE accounts SET balance = balance - :amount WHERE id = 1 AND balance >= :amount;

session till
    withdraw(amount 80)
session web
    withdraw(amount 80)

invariant no_more_than_there_was
    SELECT coalesce(sum(amount), 0) <= 100 FROM paid;
