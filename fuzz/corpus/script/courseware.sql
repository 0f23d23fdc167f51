# A course has two places and may be closed.  Who enrols looks whether it is open and how many are in;
# who closes it changes another row.  The table of the enrolled has a row for each student, so that two
# who enrol are no conflict: there are more than places, and some after the close.
#
#   esse explore examples/explore/courseware.sql

setup
    CREATE TABLE courses (id INTEGER PRIMARY KEY, is_open BOOLEAN NOT NULL, places INTEGER NOT NULL,
                          counted INTEGER);
    CREATE TABLE enrolled (course INTEGER REFERENCES courses (id), student INTEGER,
                           PRIMARY KEY (course, student));
    INSERT INTO courses VALUES (1, true, 1, NULL);

procedure enrol(who INTEGER)
    DECLARE
        the_course RECORD;
        taken INTEGER;
    BEGIN
        SELECT * INTO the_course FROM courses WHERE id = 1;
        SELECT count(*) INTO taken FROM enrolled WHERE course = 1;
        IF the_course.is_open AND taken < the_course.places THEN
            INSERT INTO enrolled VALUES (1, who);
        END IF;
    END

procedure close_course()
    DECLARE
        taken INTEGER;
    BEGIN
        SELECT count(*) INTO taken FROM enrolled WHERE course = 1;
        UPDATE courses SET is_open = false, counted = taken WHERE id = 1;
    END

session ann
    enrol(who 1)
session ben
    enrol(who 2)
session office
    close_course()

invariant no_more_than_places
    SELECT count(*) <= 1 FROM enrolled WHERE course = 1;
invariant closed_means_final
    SELECT is_open OR counted = (SELECT count(*) FROM enrolled WHERE course = 1)
        FROM courses WHERE id = 1;
