/* Reads one history and says what it cost: one JSON object on standard output.  bench/run calls it
 * once a measurement, so that the peak memory is that of one reading. */
#include "base/arena.h"
#include "base/budget.h"
#include "history/history.h"

#include <stdio.h>

/* Not what getrusage says: that figure starts at the peak of the process that started this one, and
 * beside a large one a small history looked like nothing. */
static long peak_kilobytes(void)
{
    char line[128];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return kilobytes;
}

int main(int argc, char **argv)
{
    const char *level = argc == 3 ? argv[2] : NULL;
    if (argc != 2 && !level) {
        fprintf(stderr, "usage: bench_load HISTORY [LEVEL]\n");
        return 64;
    }
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history;
    const struct esse_result *result = NULL;
    struct esse_error err = { 0 };
    long before = peak_kilobytes();
    double started = esse_clock_seconds();
    if (!esse_history_load(arena, argv[1], NULL, &history, &err)) {
        fprintf(stderr, "%s: %s\n", argv[1], err.text);
        return 65;
    }
    double loaded = esse_clock_seconds();
    if (level && !esse_check(arena, history, &options, &result, &err)) {
        fprintf(stderr, "%s: %s\n", argv[1], err.text);
        return 70;
    }
    double checked = esse_clock_seconds();
    printf("{\"load\":%.6f,\"check\":%.6f,\"transactions\":%u,\"operations\":%u,"
           "\"peak_bytes\":%lld,\"verdict\":%d}\n",
           loaded - started, checked - loaded, history->txns, history->ops,
           (long long)(peak_kilobytes() - before) * 1024,
           result ? (int)result->verdicts[0].outcome : 2);
    esse_arena_free(arena);
    return 0;
}
