#include "pthread-layer/callers.h"

#include "base/count_of.h"
#include "common/process/find_object.h"

#include <link.h>
#include <stdatomic.h>
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
  if (*name != 'l') /* the program itself has no name here; this is asked at each wait */
    return CALLER_PROGRAM;
  for (size_t i = 0; i < COUNT_OF(libraries); i++)
    if (strncmp(name, libraries[i].name, strlen(libraries[i].name)) == 0)
      return libraries[i].kind;
  return CALLER_PROGRAM;
}

#ifdef find_object
static struct link_map *map_of(uintptr_t code)
{
  struct dl_find_object found;
  return find_object && find_object((void *)code, &found) == 0 ? found.dlfo_link_map : NULL;
}
#else
static struct link_map *map_of(uintptr_t code)
{
  (void)code;
  return NULL;
}
#endif

/*
 * With glibc before 2.35: by the loader's list of libraries, once for each place. The list's lock is held while
 * libraries are added or removed; no code of a program runs meanwhile, so a waiting thread gets it.
 */
enum { PLACES = 256 };
static _Atomic uint64_t places[PLACES]; /* code << 8 | kind */

struct search {
  uintptr_t code;
  enum caller kind;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
  struct search *search = context;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && search->code - (info->dlpi_addr + part->p_vaddr) < part->p_memsz) {
      search->kind = kind_of(info->dlpi_name);
      return 1;
    }
  }
  return 0;
}

static enum caller kind_by_list(uintptr_t code)
{
  _Atomic uint64_t *place = &places[(code ^ code >> 8) % PLACES];
  uint64_t known = atomic_load_explicit(place, memory_order_relaxed);
  struct search search = {code, CALLER_PROGRAM};
  if (known >> 8 == code)
    return (enum caller)(known & 0xff);
  dl_iterate_phdr(look_into, &search);
  atomic_store_explicit(place, (uint64_t)code << 8 | search.kind, memory_order_relaxed);
  return search.kind;
}

enum caller callers_kind(uintptr_t code)
{
#ifdef find_object
  const struct link_map *map = map_of(code);
  if (find_object)
    return map ? kind_of(map->l_name) : CALLER_PROGRAM;
#endif
  return kind_by_list(code);
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
