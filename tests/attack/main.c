#include "attack.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* attack: random histories against brute force, until time or verdicts run out.
 * Exit status 0 nothing found, 1 something is wrong (reported, shrunk, written as JSON Lines). */

static struct {
    uint64_t seed;
    double seconds;
    uint64_t verdicts;
    int feature; /* -1: all, one after the other */
    const char *folder;
    int most_failures;
    bool table;
    uint64_t write; /* so many histories into the folder, and judge none */
} options = { 1, 10, UINT64_MAX, -1, NULL, 20, false, 0 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- what kills the process is reported too ---- */

static char current[HISTORY_TEXT];
static size_t current_size;

static void die(int signal_number)
{
    static const char text[] = "attack: killed by a signal on this history:\n";
    ssize_t unused = write(STDOUT_FILENO, text, sizeof text - 1);
    unused = write(STDOUT_FILENO, current, current_size);
    (void)unused;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(void)
{
    static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], die);
}

/* ---- failures ---- */

static void describe(FILE *out, const struct history *history, const struct failure *failure)
{
    static const char *const kinds[] = { "wrong holds", "wrong violated", "broken", "inconsistent",
                                         "changed" };
    char text[HISTORY_TEXT];
    struct truth truth = truth_of(history, 0);
    write_history(history, text);
    fprintf(out, "%s: Esse %s\n", kinds[failure->kind], failure->what);
    if (failure->question.engine)
        fprintf(out, "with --engine %s\n", failure->question.engine);
    if (failure->question.assume)
        fprintf(out, "with assumptions %u (1 wfr-keys, 2 sequential-keys, 4 linearizable-keys)\n",
                failure->question.assume);
    if (failure->question.order_by)
        fprintf(out, "with --order-by order\n");
    fprintf(out, "%strue to hold:", text);
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (truth.defined & truth.holds & bit(i))
            fprintf(out, " %s", level_names[i]);
    fprintf(out, "\ntrue to be violated:");
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (truth.defined & ~truth.holds & bit(i))
            fprintf(out, " %s", level_names[i]);
    fprintf(out, "\n");
}

static struct failure known[64];
static int known_count;

static bool is_known(const struct failure *failure)
{
    for (int i = 0; i < known_count; i++)
        if (known[i].kind == failure->kind && known[i].level == failure->level &&
            known[i].question.engine == failure->question.engine &&
            !known[i].question.assume == !failure->question.assume &&
            known[i].question.order_by == failure->question.order_by &&
            known[i].change == failure->change)
            return true;
    return false;
}

static void write_failure(const struct history *history, const struct failure *failure,
                          uint64_t seed)
{
    char path[512];
    snprintf(path, sizeof path, "%s/attack-%llu.txt", options.folder, (unsigned long long)seed);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(74);
    }
    describe(file, history, failure);
    fclose(file);
}

static void report(struct history *history, enum feature feature, struct dice dice,
                   struct failure *failure, uint64_t seed)
{
    if (is_known(failure))
        return;
    known[known_count++] = *failure;
    shrink_history(history, feature, dice, failure);
    printf("seed %llu, %s\n", (unsigned long long)seed, feature_names[feature]);
    describe(stdout, history, failure);
    printf("\n");
    if (options.folder)
        write_failure(history, failure, seed);
}

/* ---- what was covered ---- */

static void print_table(const struct tally *tally)
{
    printf("%-36s %10s %10s %10s\n", "level", "holds", "violated", "unknown");
    for (int i = 0; i < LEVEL_COUNT; i++) {
        uint64_t sums[3] = { 0 };
        for (int f = 0; f < FEATURE_COUNT; f++)
            for (int a = 0; a < 3; a++)
                sums[a] += tally->answers[f][i][a];
        printf("%-36s %10llu %10llu %10llu\n", level_names[i], (unsigned long long)sums[0],
               (unsigned long long)sums[1], (unsigned long long)sums[2]);
    }
}

static void print_summary(const struct tally *tally)
{
    printf("%-18s %10s %10s %10s %9s\n", "feature", "holds", "violated", "unknown", "share");
    for (int f = 0; f < FEATURE_COUNT; f++) {
        uint64_t sums[3] = { 0 };
        for (int i = 0; i < LEVEL_COUNT; i++)
            for (int a = 0; a < 3; a++)
                sums[a] += tally->answers[f][i][a];
        uint64_t all = sums[0] + sums[1] + sums[2];
        if (all)
            printf("%-18s %10llu %10llu %10llu %8.2f%%\n", feature_names[f],
                   (unsigned long long)sums[0], (unsigned long long)sums[1],
                   (unsigned long long)sums[2], 100.0 * (double)sums[2] / (double)all);
    }
    printf("%llu histories, %llu verdicts, %llu refused as input, %d kinds of failure; engines "
           "asked by name had no answer %llu times\n",
           (unsigned long long)tally->histories, (unsigned long long)tally->verdicts,
           (unsigned long long)tally->refused, known_count, (unsigned long long)tally->unanswered);
}

/* ---- the run ---- */

static void usage(void)
{
    fprintf(stderr, "usage: attack [--seed N] [--seconds CPU] [--verdicts N] [--feature F] "
                    "[--failures N] [--folder DIR] [--table] [--gaps] [--twice] [--truth FILE] "
                    "[--write N]\n");
    exit(64);
}

static void read_options(int count, char **words)
{
    static const struct option names[] = {
        { "seed", 1, NULL, 's' },
        { "seconds", 1, NULL, 't' },
        { "verdicts", 1, NULL, 'v' },
        { "feature", 1, NULL, 'f' },
        { "folder", 1, NULL, 'o' },
        { "failures", 1, NULL, 'n' },
        { "table", 0, NULL, 'T' },
        { "truth", 1, NULL, 'R' },
        { "gaps", 0, NULL, 'g' },
        { "twice", 0, NULL, 'd' },
        { "refused", 0, NULL, 'r' },
        { "write", 1, NULL, 'w' },
        { 0 },
    };
    int c;
    while ((c = getopt_long(count, words, "", names, NULL)) != -1) {
        if (c == 's')
            options.seed = strtoull(optarg, NULL, 10);
        else if (c == 't')
            options.seconds = strtod(optarg, NULL);
        else if (c == 'v')
            options.verdicts = strtoull(optarg, NULL, 10);
        else if (c == 'o')
            options.folder = optarg;
        else if (c == 'n')
            options.most_failures = atoi(optarg);
        else if (c == 'T')
            options.table = true;
        else if (c == 'g')
            leniency.gaps = true;
        else if (c == 'd')
            leniency.twice = true;
        else if (c == 'r')
            leniency.show_refused = true;
        else if (c == 'w')
            options.write = strtoull(optarg, NULL, 10);
        else if (c == 'R')
            exit(print_truths(optarg));
        else if (c == 'f') {
            for (options.feature = FEATURE_COUNT - 1;
                 options.feature >= 0 && strcmp(feature_names[options.feature], optarg) != 0;)
                options.feature--;
            if (options.feature < 0)
                usage();
        } else
            usage();
    }
    if (options.most_failures > 64)
        options.most_failures = 64;
}

static enum feature feature_of(uint64_t seed)
{
    return (enum feature)(options.feature >= 0 ? options.feature : (int)(seed % FEATURE_COUNT));
}

static void make_history(uint64_t seed, struct dice *dice, struct history *history)
{
    *dice = (struct dice){ seed * 0x2545f4914f6cdd1du };
    random_history(dice, feature_of(seed), history);
}

/* For other programs to look at: tools/compare-builds. */
static int write_histories(void)
{
    for (uint64_t i = 0; i < options.write; i++) {
        char path[512], text[HISTORY_TEXT];
        struct history history;
        struct dice dice;
        make_history(options.seed + i, &dice, &history);
        snprintf(path, sizeof path, "%s/%08llu.jsonl", options.folder ? options.folder : ".",
                 (unsigned long long)(options.seed + i));
        FILE *file = fopen(path, "w");
        const size_t size = write_history(&history, text);
        if (!file || fwrite(text, 1, size, file) != size || fclose(file)) {
            perror(path);
            return 74;
        }
    }
    return 0;
}

int main(int count, char **words)
{
    static struct tally tally;
    read_options(count, words);
    if (options.write)
        return write_histories();
    setvbuf(stdout, NULL, _IOLBF, 0);
    catch_signals();
    for (uint64_t seed = options.seed;
         cpu_seconds() < options.seconds && tally.verdicts < options.verdicts &&
         known_count < options.most_failures;
         seed++) {
        const enum feature feature = feature_of(seed);
        struct dice dice;
        struct history history;
        struct failure failure = { 0 };
        make_history(seed, &dice, &history);
        current_size = write_history(&history, current);
        if (judge(&history, feature, dice, &tally, &failure))
            report(&history, feature, dice, &failure, seed);
    }
    if (options.table)
        print_table(&tally);
    print_summary(&tally);
    return known_count ? 1 : 0;
}
