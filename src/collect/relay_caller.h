#ifndef ESSE_COLLECT_RELAY_CALLER_H
#define ESSE_COLLECT_RELAY_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

/* Who is at the other end of a connection on loopback, as Linux tells in /proc. */

/* The number of the socket that has this port as its own; 0 if there is none. */
unsigned long esse_relay_socket(unsigned port);

/* Whether a process has it open. */
bool esse_relay_holds(pid_t pid, unsigned long socket_number);

#endif
