# An author writes, a friend answers, a reader looks at tweets and then at answers: he must not see an
# answer to a tweet that he does not see.
#
#   esse explore examples/explore/twitter.sql

setup
    CREATE TABLE tweets (id INTEGER PRIMARY KEY, author INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE TABLE answers (id INTEGER PRIMARY KEY, tweet INTEGER NOT NULL);
    CREATE TABLE timelines (id INTEGER PRIMARY KEY, answers INTEGER NOT NULL, tweets INTEGER NOT NULL);

transaction publish
    INSERT INTO tweets VALUES (1, 7, 'hello');

transaction answer
    INSERT INTO answers SELECT 1, id FROM tweets WHERE id = 1;

transaction look
    INSERT INTO timelines SELECT 1, 0, count(*) FROM tweets;
    UPDATE timelines SET answers = (SELECT count(*) FROM answers) WHERE id = 1;

session author
    publish()
session friend
    answer()
session reader
    look()

invariant an_answer_has_its_tweet
    SELECT count(*) = 0 FROM timelines WHERE answers > tweets;
