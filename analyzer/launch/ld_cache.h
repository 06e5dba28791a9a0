/* /etc/ld.so.cache, which says where libraries are that no path names: glibc's file, read with every offset checked. */
#ifndef HEDDLE_ANALYZER_LAUNCH_LD_CACHE_H
#define HEDDLE_ANALYZER_LAUNCH_LD_CACHE_H

#include <stddef.h>

struct ld_cache {
  char *bytes; /* NULL: there is none, or not one that can be read */
  size_t size;
  size_t start; /* of the table; older files have another one before it */
};

struct ld_cache ld_cache_read(const char *file);
void ld_cache_free(struct ld_cache *cache);

/* The next path of a library by its name, from entry *at on (0 for the first), or NULL. There may be several: for other
 * processors, and for what some processors can. It points into the cache. */
const char *ld_cache_find(const struct ld_cache *cache, const char *name, size_t *at);

#endif
