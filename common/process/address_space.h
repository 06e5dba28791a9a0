/*
 * How much of the address space large tables may reserve. A limit on it (ulimit -v) counts what is only reserved, too,
 * and the program needs it: all tables together have a tenth at most. Any thread; no allocation; keeps errno.
 */
#ifndef HEDDLE_COMMON_PROCESS_ADDRESS_SPACE_H
#define HEDDLE_COMMON_PROCESS_ADDRESS_SPACE_H

#include <stddef.h>
#include <sys/resource.h>

/* Parts of the limit. Together they are a tenth. */
enum { ADDRESS_SPACE_SLOTS = 20, ADDRESS_SPACE_WAITS = 40, ADDRESS_SPACE_OTHERS = 40 };

/* Bytes of `wanted`, or the part of the limit if that is less. */
static inline size_t address_space_for(size_t wanted, unsigned part)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / part >= wanted)
    return wanted;
  return (size_t)(limit.rlim_cur / part);
}

#endif
