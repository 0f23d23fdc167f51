#include "exec/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Statements a second of src/exec/ on its store in memory, and shapes compiled a second; CPU time
 * of one core.  usage: bench_exec [ROUNDS] */

enum { ROWS = 100000 };

static double cpu(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run(struct esse_shell *shell, const char *text)
{
    struct esse_sql_result result;
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    if (esse_shell_run(shell, text, strlen(text), &result, &fault))
        return;
    fprintf(stderr, "%s: %s\n", text, fault.text);
    exit(1);
}

struct kind {
    const char *name, *format; /* of two numbers */
    unsigned divide;           /* how many rounds fewer */
};

static void measure(struct esse_shell *shell, const struct kind *kind, unsigned rounds)
{
    char text[256];
    unsigned state = 1;
    const double start = cpu();
    rounds /= kind->divide;
    for (unsigned i = 0; i < rounds; i++) {
        state = state * 1664525u + 1013904223u;
        const unsigned row = (state >> 8) % (ROWS - 100);
        snprintf(text, sizeof text, kind->format, row, row + 20);
        run(shell, text);
    }
    const double seconds = cpu() - start;
    printf("%-44s %10.0f a second\n", kind->name, rounds / seconds);
}

static void fill(struct esse_shell *shell)
{
    char text[128];
    run(shell, "CREATE TABLE t (id int PRIMARY KEY, owner int, balance numeric(12,2), note text)");
    run(shell, "BEGIN");
    for (unsigned i = 0; i < ROWS; i++) {
        snprintf(text, sizeof text, "INSERT INTO t VALUES (%u, %u, 100.25, 'row %u')", i, i / 10,
                 i);
        run(shell, text);
    }
    run(shell, "COMMIT");
}

static void create_routines(struct esse_shell *shell)
{
    run(shell, "CREATE PROCEDURE transfer(a int, b int, amount numeric) LANGUAGE plpgsql AS $$"
               "DECLARE rest numeric; BEGIN SELECT balance INTO rest FROM t WHERE id = a; "
               "IF rest > -1000000 THEN UPDATE t SET balance = balance - amount WHERE id = a; "
               "UPDATE t SET balance = balance + amount WHERE id = b; END IF; END$$");
    run(shell, "CREATE FUNCTION turns(n int) RETURNS int LANGUAGE plpgsql AS $$DECLARE s int := 0; "
               "BEGIN FOR i IN 1..n LOOP IF i % 2 = 0 THEN s := s + i; END IF; END LOOP; "
               "RETURN s; END$$");
}

static void measure_shapes(struct esse_shell *shell, unsigned count)
{
    char text[256];
    const double start = cpu();
    for (unsigned i = 0; i < count; i++) {
        snprintf(text, sizeof text, "SELECT balance AS c%u FROM t WHERE id = 7 AND balance > 3", i);
        run(shell, text);
    }
    printf("%-44s %10.0f a second\n", "a new shape, compiled and run", count / (cpu() - start));
}

int main(int argc, char **argv)
{
    static const struct kind kinds[] = {
        { "SELECT by key", "SELECT balance FROM t WHERE id = %u AND %u > 0", 1 },
        { "UPDATE by key", "UPDATE t SET balance = balance + 1 WHERE id = %u AND %u > 0", 2 },
        { "SELECT of a range of 20 keys, sum",
          "SELECT sum(balance) FROM t WHERE id >= %u AND id < %u", 5 },
        { "SELECT by a column without an index, 10 rows",
          "SELECT count(*) FROM t WHERE owner = %u / 10 AND %u > 0", 5 },
        { "join of 20 rows by key",
          "SELECT count(*) FROM t a JOIN t b ON b.id = a.owner WHERE a.id BETWEEN %u AND %u", 10 },
        { "CALL of a transfer: 3 statements, a branch", "CALL transfer(%u, %u, 1)", 4 },
        { "SELECT of a function: a loop of 100 rounds", "SELECT turns(100) WHERE %u < %u", 100 },
    };
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 400000;
    struct esse_shell *shell = esse_shell_new(ESSE_DIALECT_POSTGRESQL);
    const double start = cpu();
    fill(shell);
    printf("%-44s %10.0f a second\n", "INSERT, in one transaction", ROWS / (cpu() - start));
    create_routines(shell);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        measure(shell, &kinds[i], rounds);
    measure_shapes(shell, rounds / 40);
    esse_shell_free(shell);
    return 0;
}
