/*
 * What a blocked system call is about: the file, pipe or socket behind its descriptor, as /proc tells, or the address
 * of a futex.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_BLOCKED_ON_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_BLOCKED_ON_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCKED_ON_SIZE 512u

/*
 * `argument`: the call's first one. The text is a path, "pipe", "socket", "TCP 127.0.0.1:5432" (the other end),
 * "UNIX socket /run/x", "futex 0x7f0012345678". False: nothing is known; `text` is undefined then.
 */
bool blocked_on(uint32_t process, uint32_t call, uint64_t argument, char text[BLOCKED_ON_SIZE]);

#endif
