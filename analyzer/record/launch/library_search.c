#include "analyzer/record/launch/library_search.h"

#include "analyzer/record/launch/elf_image.h"
#include "base/count_of.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
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

/* Debian's, then other distributions'. */
static const char *const default_directories[] = {
#if defined __x86_64__
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#elif defined __aarch64__
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib"};

int library_open(const char *path)
{
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Ignores files of another kind than the program's, as ld.so does. */
static bool try_file(struct library_search *search, const char *path, struct library_file *file)
{
  if (search->tries == 0)
    return false;
  search->tries--;
  int fd = library_open(path);
  if (fd < 0)
    return false;
  elf_image_read(fd, &file->image);
  char absolute[PATH_MAX];
  file->path = file->image.kind == ELF_NATIVE && realpath(path, absolute) ? strdup(path) : NULL;
  if (file->path && path[0] != '/') {
    free(file->path);
    file->path = strdup(absolute);
  }
  if (file->path) {
    file->fd = fd;
    return true;
  }
  elf_image_free(&file->image);
  close(fd);
  return false;
}

/* The length of "$ORIGIN" or "${ORIGIN}" at the beginning of a text, or 0. */
static size_t origin_length(const char *text)
{
  return strncmp(text, "${ORIGIN}", 9) == 0 ? 9 : strncmp(text, "$ORIGIN", 7) == 0 ? 7 : 0;
}

/* Appends `length` bytes to a path of PATH_MAX. False: no room. */
static bool append(char *path, size_t *at, const char *text, size_t length)
{
  if (length >= PATH_MAX - *at)
    return false;
  memcpy(path + *at, text, length);
  *at += length;
  path[*at] = '\0';
  return true;
}

/* Replaces $ORIGIN by the directory of `asker`. False: too long, or it has another variable, such as $LIB. */
static bool expand(const char *text, size_t length, const char *asker, char *path, size_t *at)
{
  const char *slash = strrchr(asker, '/');
  for (const char *end = text + length; text < end;) {
    size_t origin = origin_length(text);
    bool good = origin ? append(path, at, asker, slash ? (size_t)(slash - asker) : 0)
                       : *text != '$' && append(path, at, text, 1);
    if (!good)
      return false;
    text += origin ? origin : 1;
  }
  return true;
}

/* Tries each directory of a list as in LD_LIBRARY_PATH; an empty one is the working directory. */
static bool try_list(struct library_search *search, const char *list, const char *separators, const char *name,
                     const struct library_asker *asker, struct library_file *file)
{
  for (const char *entry = list; entry && search->tries > 0;) {
    size_t length = strcspn(entry, separators), at = 0;
    char path[PATH_MAX];
    bool good = length == 0 ? append(path, &at, ".", 1) : expand(entry, length, asker->path, path, &at);
    if (good && append(path, &at, "/", 1) && append(path, &at, name, strlen(name)) && try_file(search, path, file))
      return true;
    entry = entry[length] ? entry + length + 1 : NULL;
  }
  return false;
}

/* DT_RPATH is inherited from file to file; a file's DT_RUNPATH replaces its DT_RPATH. */
static bool try_rpaths(struct library_search *search, const char *name, const struct library_asker *asker,
                       struct library_file *file)
{
  if (asker->image->runpath)
    return false;
  for (const struct library_asker *a = asker; a; a = a->asker)
    if (!a->image->runpath && try_list(search, a->image->rpath, ":", name, a, file))
      return true;
  return false;
}

static bool try_system(struct library_search *search, const char *name, struct library_file *file)
{
  size_t at = 0;
  for (const char *path; (path = ld_cache_find(&search->cache, name, &at));)
    if (try_file(search, path, file))
      return true;
  for (size_t i = 0; i < COUNT_OF(default_directories); i++) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", default_directories[i], name);
    if (length > 0 && (size_t)length < sizeof path && try_file(search, path, file))
      return true;
  }
  return false;
}

bool library_find(struct library_search *search, const char *name, const struct library_asker *asker,
                  struct library_file *file)
{
  if (strchr(name, '/')) {
    char path[PATH_MAX] = "";
    size_t at = 0;
    return expand(name, strlen(name), asker->path, path, &at) && try_file(search, path, file);
  }
  return *name &&
         (try_rpaths(search, name, asker, file) || try_list(search, search->library_path, ":;", name, asker, file) ||
          try_list(search, asker->image->runpath, ":", name, asker, file) ||
          (!asker->image->no_default_directories && try_system(search, name, file)));
}
