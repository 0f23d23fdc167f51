#include "collect/server/spawn_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool esse_account_find(const char *user, struct esse_account *account, struct esse_error *err)
{
    *account = (struct esse_account){ 0 };
    if (geteuid() != 0)
        return true;
    struct passwd *found = getpwnam(user);
    if (!found)
        return esse_fail(err, ESSE_EUNAVAILABLE,
                         "the server must not run as root, and there is no user '%s'", user);
    *account = (struct esse_account){ true, found->pw_uid, found->pw_gid };
    return true;
}

bool esse_spawn_directory(struct esse_arena *arena, const char *name,
                          const struct esse_account *account, const char **path,
                          struct esse_error *err)
{
    const char *base = getenv("TMPDIR");
    char *directory =
        esse_arena_format(arena, "%s/esse-%s-XXXXXX", base && *base ? base : "/tmp", name);
    if (!mkdtemp(directory))
        return esse_fail(err, ESSE_EUNAVAILABLE, "cannot make a temporary directory: %s",
                         strerror(errno));
    if (account->is_changed && chown(directory, account->user, account->group) != 0) {
        rmdir(directory);
        return esse_fail(err, ESSE_EUNAVAILABLE, "cannot give a directory away: %s",
                         strerror(errno));
    }
    *path = directory;
    return true;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void esse_spawn_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* In the child: nothing but what may be called after a fork. */
static void become(const struct esse_account *account, int log, int death, char *const *arguments)
{
    if (account->is_changed &&
        (setgroups(0, NULL) != 0 || setgid(account->group) != 0 || setuid(account->user) != 0))
        _exit(126);
    prctl(PR_SET_PDEATHSIG, death); /* after setuid, which would clear it */
    setpgid(0, 0);                  /* a Ctrl-C is for esse, which then stops the server */
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(arguments[0], arguments);
    _exit(127);
}

pid_t esse_spawn_program(const struct esse_account *account, const char *log, int death,
                         const char *const *arguments)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    pid_t pid = fd < 0 ? -1 : fork();
    if (pid == 0)
        become(account, fd, death, (char *const *)arguments);
    if (pid > 0)
        setpgid(pid, pid); /* whichever process comes first */
    if (fd >= 0)
        close(fd);
    return pid;
}

bool esse_spawn_wait(const struct esse_account *account, const char *log,
                     const char *const *arguments)
{
    int status = -1;
    pid_t pid = esse_spawn_program(account, log, SIGKILL, arguments);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Children that left the group are in the list; PostgreSQL's do. */
void esse_spawn_signal(pid_t pid, int number)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "r");
    kill(-pid, number); /* its group */
    for (int child; file && fscanf(file, "%d", &child) == 1;)
        kill(child, number);
    if (file)
        fclose(file);
}

const char *esse_spawn_find(struct esse_arena *arena, const char *program)
{
    const char *path = getenv("PATH");
    const char *at = esse_arena_format(arena, "%s:/usr/sbin:/usr/local/sbin:/usr/libexec",
                                       path ? path : "/usr/bin");
    for (size_t length; *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        const char *found = esse_arena_format(arena, "%.*s/%s", (int)length, at, program);
        if (length && access(found, X_OK) == 0)
            return found;
    }
    return NULL;
}

static bool is_free(unsigned port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Below those that the kernel gives to connecting sockets, the server's own connections among them:
 * one of those could take it before the server does. */
unsigned esse_spawn_port(void)
{
    enum { LOWEST = 20000, COUNT = 12000, ATTEMPTS = 1000 };
    static bool given[COUNT]; /* and perhaps not in use yet */
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        uint32_t number = 0;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            break;
        number %= COUNT;
        if (given[number] || !is_free(LOWEST + number))
            continue;
        given[number] = true;
        return LOWEST + number;
    }
    return 0;
}

/* ---- what a server said ---- */

static bool tells_error(const char *line)
{
    static const char *const words[] = { "ERROR", "FATAL", "PANIC", "error", "fatal" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return true;
    return false;
}

const char *esse_spawn_last_words(struct esse_arena *arena, const char *log)
{
    char line[1000], words[1000] = "";
    bool is_error = false;
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        const bool tells = tells_error(line);
        if (!*line || (is_error && !tells))
            continue;
        is_error |= tells;
        memcpy(words, line, sizeof words);
    }
    if (file)
        fclose(file);
    return esse_arena_format(arena, "%s", words);
}
