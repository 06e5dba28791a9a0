/*
 * Processor time that a hypervisor took from this machine: threads that it stopped look slow. Allocates nothing; any
 * thread may call it. errno is not kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_STEAL_TIME_H
#define HEDDLE_COMMON_PROCESS_STEAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Time of all processors together since the machine's start, in units of the kernel's. */
struct steal_time {
  uint64_t taken, all;
};

/* path: a file such as /proc/stat. False: the file does not have it. */
bool steal_time_read(const char *path, struct steal_time *stolen);

/* Whether this is a machine of a hypervisor, as far as that is known: on others nothing need be read. */
bool steal_time_is_possible(void);

#endif
