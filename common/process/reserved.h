/*
 * Address space for large tables that mostly stay empty. Any thread; no allocation; errno is kept.
 *
 * Reserved memory reads as zeros. Only the parts that are made writable count for limits of data (ulimit -d). A limit
 * of the address space (ulimit -v) counts all of it, so all tables together reserve at most a tenth of that limit.
 */
#ifndef HEDDLE_COMMON_PROCESS_RESERVED_H
#define HEDDLE_COMMON_PROCESS_RESERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* Reserves memory, for ever. NULL: no memory, or the limit is too low. */
void *reserved_make(size_t size);

/* Makes n bytes of it writable. False: out of memory. */
bool reserved_use(void *at, size_t n);

/* Shares of the limit: 1/20, 1/40, 1/40, together a tenth. */
enum { ADDRESS_SPACE_SLOTS = 20, ADDRESS_SPACE_WAITS = 40, ADDRESS_SPACE_OTHERS = 40 };

/* Returns the bytes that a table may reserve: `wanted`, or its share of the limit if that is less. */
static inline size_t address_space_for(size_t wanted, unsigned part)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / part >= wanted)
    return wanted;
  return (size_t)(limit.rlim_cur / part);
}

#endif
