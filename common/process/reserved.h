/*
 * Memory for large tables of which programs mostly use little. What is reserved can be read, as zeros, and does not
 * count for limits of a process' data (ulimit -d): only what is made writable does. Any thread; no allocation; keeps
 * errno.
 */
#ifndef HEDDLE_COMMON_PROCESS_RESERVED_H
#define HEDDLE_COMMON_PROCESS_RESERVED_H

#include <stdbool.h>
#include <stddef.h>

/* Reserves so much, for ever. NULL: there is no memory, or it would be much of what the limit leaves the program. */
void *reserved_make(size_t size);

/* Before n bytes in it are written. False: there is no memory. */
bool reserved_use(void *at, size_t n);

#endif
