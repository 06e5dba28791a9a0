/*
 * Where the dynamic loader finds a library, by the rules of ld.so(8): the paths that the file asking for it has
 * (DT_RPATH, DT_RUNPATH, with $ORIGIN), LD_LIBRARY_PATH, ld.so.cache, the default directories. Subdirectories for
 * processors (glibc-hwcaps) are not looked into: what is there is beside them, too.
 */
#ifndef HEDDLE_ANALYZER_LAUNCH_LIBRARY_SEARCH_H
#define HEDDLE_ANALYZER_LAUNCH_LIBRARY_SEARCH_H

#include "analyzer/launch/elf_image.h"
#include "analyzer/launch/ld_cache.h"

struct library_search {
  const char *library_path; /* LD_LIBRARY_PATH, or NULL */
  struct ld_cache cache;
  unsigned tries; /* files that may still be tried: the bound of all searches together */
};

/* A file that asks for libraries, and who asked for it. */
struct library_asker {
  const char *path; /* absolute */
  const struct elf_image *image;
  const struct library_asker *asker; /* NULL: it is the program */
};

/* A library that was found: open, and read. */
struct library_file {
  char *path; /* absolute, to be freed */
  int fd;     /* to be closed */
  struct elf_image image;
};

/* False: it is nowhere, or the tries are used up. */
bool library_find(struct library_search *search, const char *name, const struct library_asker *asker,
                  struct library_file *file);

/* Opens a regular file for reading, without waiting for anything; -1: it can't be. */
int library_open(const char *path);

#endif
