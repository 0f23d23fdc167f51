#include "collect/record/crash_handler.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 256 << 10 };

struct esse_crash_handler {
    pid_t pid;
    int life[2]; /* a pipe whose writing end this process holds as long as it lives */
    void (*on_crash)(void *context);
    void *context;
};

/*
 * What the crash handler does.  As long as the other process lives the two have one thread's
 * variables in common, errno among them, and whatever a sanitizer keeps there: so nothing but
 * system calls that do not fail.  All signals are blocked, so the read is not interrupted.
 */
static int wait_for_death(void *argument)
{
    struct esse_crash_handler *crash_handler = argument;
    char nothing;
    syscall(SYS_close, crash_handler->life[1]);
    syscall(SYS_setsid);
    syscall(SYS_read, crash_handler->life[0], &nothing, 1);
    crash_handler->on_crash(crash_handler->context);
    syscall(SYS_exit_group, 0);
    return 0;
}

struct esse_crash_handler *esse_crash_handler_start(struct esse_arena *arena,
                                                    void (*on_crash)(void *context), void *context)
{
    struct esse_crash_handler *crash_handler = esse_arena_alloc(arena, 1, sizeof *crash_handler);
    char *stack = esse_arena_alloc(arena, STACK, 1);
    char *top = (char *)((uintptr_t)(stack + STACK) & ~(uintptr_t)15);
    sigset_t all, before;
#ifdef __SANITIZE_THREAD__
    return NULL; /* ThreadSanitizer takes it for a fork, and what that changes for this process's */
#endif
    *crash_handler = (struct esse_crash_handler){ .on_crash = on_crash, .context = context };
    if (pipe2(crash_handler->life, O_CLOEXEC) != 0)
        return NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    crash_handler->pid = clone(wait_for_death, top, CLONE_VM | SIGCHLD, crash_handler);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(crash_handler->life[0]);
    if (crash_handler->pid > 0)
        return crash_handler;
    close(crash_handler->life[1]);
    return NULL;
}

void esse_crash_handler_dismiss(struct esse_crash_handler *crash_handler)
{
    if (!crash_handler)
        return;
    kill(crash_handler->pid, SIGKILL);
    waitpid(crash_handler->pid, NULL, 0);
    close(crash_handler->life[1]);
}
