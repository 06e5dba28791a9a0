/*
 * Search for libraries by the rules of ld.so(8). It searches the paths of the file that needs the library (DT_RPATH,
 * DT_RUNPATH, with $ORIGIN), LD_LIBRARY_PATH, ld.so.cache, and the default directories. Subdirectories for processors
 * (glibc-hwcaps) are not searched: their libraries are also beside them.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_LIBRARY_SEARCH_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_LIBRARY_SEARCH_H

#include "analyzer/record/launch/elf_image.h"

#include <stddef.h>

/* /etc/ld.so.cache: the paths of libraries outside all search paths. glibc's file, read with all offsets checked. */
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

struct library_search {
  const char *library_path; /* LD_LIBRARY_PATH, or NULL */
  struct ld_cache cache;
  unsigned tries; /* files that may still be tried, by all searches together */
};

/* A file that needs libraries, and the file that needs this file. */
struct library_asker {
  const char *path; /* absolute */
  const struct elf_image *image;
  const struct library_asker *asker; /* NULL: the file is the program */
};

/* A library, found, open and read. */
struct library_file {
  char *path; /* absolute; the caller frees it */
  int fd;     /* the caller closes it */
  struct elf_image image;
};

/* Finds a library. False: there is none, or no tries are left. */
bool library_find(struct library_search *search, const char *name, const struct library_asker *asker,
                  struct library_file *file);

/* Opens a regular file for reading, without blocking. -1: an error. */
int library_open(const char *path);

#endif
