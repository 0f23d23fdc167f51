#include "collect/record/heir.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 256 << 10 };

struct esse_heir {
    pid_t pid;
    int life[2]; /* a pipe whose writing end this process holds as long as it lives */
    void (*inherit)(void *context);
    void *context;
};

/*
 * What the heir does.  As long as the other process lives the two have one thread's variables in
 * common, errno among them, and whatever a sanitizer keeps there: so nothing but system calls that
 * do not fail.  All signals are blocked, so the read is not interrupted.
 */
static int wait_for_death(void *argument)
{
    struct esse_heir *heir = argument;
    char nothing;
    syscall(SYS_close, heir->life[1]);
    syscall(SYS_setsid);
    syscall(SYS_read, heir->life[0], &nothing, 1);
    heir->inherit(heir->context);
    syscall(SYS_exit_group, 0);
    return 0;
}

struct esse_heir *esse_heir_start(struct esse_arena *arena, void (*inherit)(void *context),
                                  void *context)
{
    struct esse_heir *heir = esse_arena_alloc(arena, 1, sizeof *heir);
    char *stack = esse_arena_alloc(arena, STACK, 1);
    char *top = (char *)((uintptr_t)(stack + STACK) & ~(uintptr_t)15);
    sigset_t all, before;
#ifdef __SANITIZE_THREAD__
    return NULL; /* ThreadSanitizer takes it for a fork, and what that changes for this process's */
#endif
    *heir = (struct esse_heir){ .inherit = inherit, .context = context };
    if (pipe2(heir->life, O_CLOEXEC) != 0)
        return NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    heir->pid = clone(wait_for_death, top, CLONE_VM | SIGCHLD, heir);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(heir->life[0]);
    if (heir->pid > 0)
        return heir;
    close(heir->life[1]);
    return NULL;
}

void esse_heir_dismiss(struct esse_heir *heir)
{
    if (!heir)
        return;
    kill(heir->pid, SIGKILL);
    waitpid(heir->pid, NULL, 0);
    close(heir->life[1]);
}
