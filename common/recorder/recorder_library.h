/*
 * How a preloaded library finds libheddle.so, which has the recorder: the one that is loaded already, or else the one
 * beside itself, which is loaded then. A process that loads it under several names has one of it.
 */
#ifndef HEDDLE_COMMON_RECORDER_RECORDER_LIBRARY_H
#define HEDDLE_COMMON_RECORDER_RECORDER_LIBRARY_H

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

/* self: anything of the caller's library. NULL: there is none. May allocate. */
static inline void *recorder_library(const void *self)
{
  static const char name[] = "libheddle.so";
  char path[PATH_MAX];
  Dl_info info;
  void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (library || !dladdr(self, &info) || strlen(info.dli_fname) + sizeof name > sizeof path)
    return library;
  const char *slash = strrchr(info.dli_fname, '/');
  size_t directory = slash ? (size_t)(slash + 1 - info.dli_fname) : 0;
  memcpy(path, info.dli_fname, directory);
  memcpy(path + directory, name, sizeof name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

#endif
