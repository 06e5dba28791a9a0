/* /etc/ld.so.cache: the paths of libraries outside all search paths. glibc's file, read with all offsets checked. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_LD_CACHE_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_LD_CACHE_H

#include <stddef.h>

struct ld_cache {
  char *bytes; /* NULL: there is no file, or no valid one */
  size_t size;
  size_t start; /* of the table; older files have another table before it */
};

struct ld_cache ld_cache_read(const char *file);
void ld_cache_free(struct ld_cache *cache);

/* The next path of a library by its name, from entry *at on (first: 0); NULL: no more. A name can have several paths:
 * for other processors, and for features of processors. The path is in the cache's memory. */
const char *ld_cache_find(const struct ld_cache *cache, const char *name, size_t *at);

#endif
