#include "pthread-layer/callers.h"

#include "base/count_of.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

static __thread uintptr_t noted __attribute__((tls_model("initial-exec")));

/* Beginnings of file names. Functions of libstdc++ may jump on: then threads.c calls. */
static const struct {
  const char *name;
  enum caller kind;
} libraries[] = {
    {"libheddle-pthread", CALLER_CXX},  {"libomp", CALLER_RUNTIME},
    {"libiomp", CALLER_RUNTIME},        {"libgomp", CALLER_RUNTIME},
    {"libheddle", CALLER_RUNTIME},      {"libarcher.", CALLER_RUNTIME},
    {"libc.", CALLER_RUNTIME},          {"ld-linux", CALLER_RUNTIME},
    {"libpthread", CALLER_RUNTIME},     {"librt.", CALLER_RUNTIME},
    {"libresolv.", CALLER_RUNTIME},     {"libjvm.", CALLER_RUNTIME},
    {"libjli.", CALLER_RUNTIME},        {"libjava.", CALLER_RUNTIME},
    {"libnet.", CALLER_RUNTIME},        {"libnio.", CALLER_RUNTIME},
    {"libinstrument.", CALLER_RUNTIME}, {"libjdwp.", CALLER_RUNTIME},
    {"libstdc++.", CALLER_CXX},         {"libc++.", CALLER_CXX},
};

static enum caller kind_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < COUNT_OF(libraries); i++)
    if (strncmp(name, libraries[i].name, strlen(libraries[i].name)) == 0)
      return libraries[i].kind;
  return CALLER_PROGRAM;
}

#if __GLIBC_PREREQ(2, 35)
/* Older glibc needs the loader's lock for this, which a waiting thread must not ask for. */
extern __typeof(_dl_find_object) _dl_find_object __attribute__((weak));

static struct link_map *map_of(uintptr_t code)
{
  struct dl_find_object found;
  return _dl_find_object && _dl_find_object((void *)code, &found) == 0 ? found.dlfo_link_map : NULL;
}
#else
static struct link_map *map_of(uintptr_t code)
{
  (void)code;
  return NULL;
}
#endif

enum caller callers_kind(uintptr_t code)
{
  const struct link_map *map = map_of(code);
  return map ? kind_of(map->l_name) : CALLER_PROGRAM;
}

void *callers_library(uintptr_t code)
{
  return map_of(code);
}

void callers_note(uintptr_t code)
{
  noted = code;
}

uintptr_t callers_code(uintptr_t code)
{
  enum caller kind = callers_kind(code);
  uintptr_t outer = noted;
  if (kind == CALLER_PROGRAM)
    return code;
  noted = 0;
  if (kind == CALLER_RUNTIME)
    return 0;
  return outer != 0 && callers_kind(outer) != CALLER_RUNTIME ? outer : code;
}
