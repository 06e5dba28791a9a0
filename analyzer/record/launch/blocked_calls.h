/*
 * Blocked system calls of the program's threads that have no processor for long: the call, and its file, pipe, socket
 * or futex. They are read from /proc while they last.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_BLOCKED_CALLS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_BLOCKED_CALLS_H

#include "base/hash.h"
#include "common/raw/kernel_log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names a socket: "TCP 127.0.0.1:5432", the peer of a connected socket, or the address at which it listens; "UDP ..."
 * likewise. Otherwise it is "UNIX socket /path", if it has a path, else "socket". inode: as in the link /proc/PID/fd/N.
 */
void socket_name(uint32_t process, uint64_t inode, char *text, size_t size);

/* The same from one line of net/tcp, tcp6, udp or udp6 (protocol: "TCP", "UDP") or of net/unix ("UNIX"). Returns 0 if
 * the line is of another socket. */
int socket_name_of_line(const char *line, const char *protocol, uint64_t inode, char *text, size_t size);

#define BLOCKED_ON_SIZE 512u

/*
 * Names what a blocked call waits for: the file, pipe or socket behind its descriptor, or the address of a futex.
 * `argument`: the call's first one. The text is a path, "pipe", "socket", "TCP 127.0.0.1:5432" (the other end),
 * "UNIX socket /run/x", "futex 0x7f0012345678". False: nothing is known; `text` is undefined then.
 */
bool blocked_on(uint32_t process, uint32_t call, uint64_t argument, char text[BLOCKED_ON_SIZE]);

/* Threads that wait in the kernel and whose call was not read yet: process << 32 | thread -> begin of the wait. */
struct blocked_calls {
  struct hash waiting;
};

/* The thread leaves its processor, or gets one. If memory runs out, its call is not read. */
void blocked_calls_out(struct blocked_calls *calls, uint64_t who, uint64_t time);
void blocked_calls_in(struct blocked_calls *calls, uint64_t who);

/* Gets a thread that is in a system call. `on`: the file, socket or address that the call waits for; NULL: unknown. */
typedef void blocked_calls_taker(void *context, uint64_t who, uint32_t call, const char *on);
/* Reads the calls of the threads that have waited since `before` or longer, once a wait. */
void blocked_calls_ask(struct blocked_calls *calls, uint64_t before, blocked_calls_taker *taker, void *context);

/* Looks at a thread in a system call: copies at most *size bytes of its stack, and sets `sp` and `ip` alone. *futex:
 * the call is for one. False: it is in none, or went on meanwhile, or may not be looked at. */
bool blocked_calls_look(uint64_t who, struct kernel_registers *registers, void *stack, size_t *size, bool *futex);

void blocked_calls_free(struct blocked_calls *calls);

#endif
