/* Memory on cache lines of its own: threads that write what stands on one line slow each other down. */
#ifndef HEDDLE_BASE_APART_H
#define HEDDLE_BASE_APART_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64 /* bytes */

/* As calloc(); no other memory is on the same lines. free() frees it. */
static inline void *apart_calloc(size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - CACHE_LINE)
    return NULL;
  bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  void *memory = aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE);
  return memory ? memset(memory, 0, bytes) : NULL;
}

#endif
