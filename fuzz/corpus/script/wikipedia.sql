# A page and its newest revision are two rows.  Who reads the page gets the number of its revision, and
# then its text: both must be of the same edit.
#
#   esse explore examples/explore/wikipedia.sql

setup
    CREATE TABLE pages (id INTEGER PRIMARY KEY, latest INTEGER NOT NULL, title TEXT NOT NULL);
    CREATE TABLE revisions (page INTEGER, number INTEGER, text TEXT NOT NULL, PRIMARY KEY (page, number));
    CREATE TABLE seen (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, again INTEGER NOT NULL,
                       text TEXT);
    INSERT INTO pages VALUES (1, 1, 'Esse');
    INSERT INTO revisions VALUES (1, 1, 'to be');

procedure edit(new_text TEXT)
    DECLARE
        number INTEGER;
    BEGIN
        SELECT latest INTO number FROM pages WHERE id = 1;
        INSERT INTO revisions VALUES (1, number + 1, new_text);
        UPDATE pages SET latest = number + 1 WHERE id = 1;
    END

transaction get_page
    INSERT INTO seen SELECT 1, latest, 0, NULL FROM pages WHERE id = 1;
    UPDATE seen SET again = p.latest, text = r.text
        FROM pages p LEFT JOIN revisions r ON r.page = p.id AND r.number = p.latest
        WHERE p.id = 1;

session writer
    edit(new_text 'rather than to seem')
session reader
    get_page()

invariant a_revision_has_its_text
    SELECT count(*) = 0 FROM seen WHERE text IS NULL;
invariant a_page_does_not_change_while_it_is_read
    SELECT count(*) = 0 FROM seen WHERE first <> again;
