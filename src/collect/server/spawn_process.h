#ifndef ESSE_COLLECT_SERVER_SPAWN_PROCESS_H
#define ESSE_COLLECT_SERVER_SPAWN_PROCESS_H

#include "collect/server/spawn.h"

/* Processes and directories of private servers; the inside of spawn.c, and what spawn.h has for
 * spawn_*.c. */

/* ESSE_EUNAVAILABLE if we are root and there is no such user. */
bool esse_account_find(const char *user, struct esse_account *account, struct esse_error *err);

/* A temporary directory of the account's. */
bool esse_spawn_directory(struct esse_arena *arena, const char *name,
                          const struct esse_account *account, const char **path,
                          struct esse_error *err);
void esse_spawn_remove(const char *path);

/* Starts a program whose output goes to the file 'log'; it dies with us by 'death'.  -1 if it
 * cannot be started. */
pid_t esse_spawn_program(const struct esse_account *account, const char *log, int death,
                         const char *const *arguments);

/* The last line of a log that speaks of an error, or else the last one; "" if there is none. */
const char *esse_spawn_last_words(struct esse_arena *arena, const char *log);

/* A signal to a process and to those that it started. */
void esse_spawn_signal(pid_t pid, int number);

#endif
