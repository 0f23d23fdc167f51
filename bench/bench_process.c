/* Runs a command for at most so many seconds and says what it cost: one JSON object on standard
 * error, after whatever the command said there.  A small process that forks, because the kernel's
 * figure of a child's peak memory starts at that of the process it was forked from. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_process SECONDS COMMAND...\n");
        return 64;
    }
    const double started = now();
    const pid_t child = fork();
    if (child == 0) {
        alarm((unsigned)atoi(argv[1])); /* it outlives exec, and ends the command */
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("bench_process");
        return 71;
    }
    fprintf(
        stderr,
        "{\"seconds\":%.6f,\"processor\":%.6f,\"peak_kilobytes\":%ld,\"exit\":%d,\"signal\":%d}\n",
        now() - started, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss,
        WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return 0;
}
