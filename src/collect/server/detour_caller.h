#ifndef ESSE_COLLECT_SERVER_DETOUR_CALLER_H
#define ESSE_COLLECT_SERVER_DETOUR_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

/* The process at the other end of a connection on loopback, as Linux shows it in /proc. */

/* The number of the socket that has the one port as its own and is connected to the other; 0 if
 * there is none. */
unsigned long esse_detour_socket(unsigned own, unsigned other);

/* Whether a process has it open. */
bool esse_detour_holds(pid_t pid, unsigned long socket_number);

#endif
