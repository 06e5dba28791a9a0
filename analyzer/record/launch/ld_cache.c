#include "analyzer/record/launch/ld_cache.h"

#include "analyzer/record/launch/elf_image.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format of glibc's dl-cache.h since 2.2: the header, then the entries; offsets of strings are from the header. */
static const char ld_cache_magic[] = "glibc-ld.so.cache1.1";
enum { HEADER_SIZE = 48, ENTRY_SIZE = 24, CACHE_MAX = 64 << 20 };

struct entry {
  int32_t flags;
  uint32_t name, path;
};

static uint32_t entry_count(const struct ld_cache *cache)
{
  uint32_t count;
  memcpy(&count, cache->bytes + cache->start + sizeof ld_cache_magic - 1, sizeof count);
  size_t room = (cache->size - cache->start - HEADER_SIZE) / ENTRY_SIZE;
  return count < room ? count : (uint32_t)room;
}

struct ld_cache ld_cache_read(const char *file)
{
  struct ld_cache cache = {NULL, 0, 0};
  struct stat status;
  int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return cache;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= CACHE_MAX)
    cache.bytes = malloc((size_t)status.st_size + 1);
  if (cache.bytes && elf_read_at(fd, cache.bytes, (size_t)status.st_size, 0)) {
    cache.size = (size_t)status.st_size;
    cache.bytes[cache.size] = '\0'; /* so that every string has an end */
    char *start = memmem(cache.bytes, cache.size, ld_cache_magic, sizeof ld_cache_magic - 1);
    cache.start = start ? (size_t)(start - cache.bytes) : cache.size;
  }
  close(fd);
  if (cache.size - cache.start < HEADER_SIZE)
    ld_cache_free(&cache);
  return cache;
}

void ld_cache_free(struct ld_cache *cache)
{
  free(cache->bytes);
  *cache = (struct ld_cache){NULL, 0, 0};
}

const char *ld_cache_find(const struct ld_cache *cache, const char *name, size_t *at)
{
  if (!cache->bytes)
    return NULL;
  const char *table = cache->bytes + cache->start;
  size_t size = cache->size - cache->start, count = entry_count(cache);
  while (*at < count) {
    struct entry entry;
    memcpy(&entry, table + HEADER_SIZE + (*at)++ * ENTRY_SIZE, sizeof entry);
    if (entry.name < size && entry.path < size && strcmp(table + entry.name, name) == 0)
      return table + entry.path;
  }
  return NULL;
}
