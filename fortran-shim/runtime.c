#include "fortran-shim/runtime.h"

#include "common/process/fork_lock.h"
#include "fortran-shim/serial.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#define WRAPPED(name) .name = serial_##name,
#define CALLED(name, type)
#define PASSED(name, why)
struct gomp_runtime gomp = {
#include "fortran-shim/symbols.def"
};
#undef WRAPPED
#undef CALLED
#undef PASSED

static char path[PATH_MAX];
static const char *image; /* where the libgomp that was found is in memory; NULL: none */
static struct fork_lock finding;
static bool is_child;                /* of a fork */
static unsigned long long looked_at; /* what was loaded when a runtime was looked for; 0: not yet */

const char *runtime_path(void)
{
  return path;
}

/* "libgomp.so.1", and "libgomp-a34b3233.so.1" as Python's packages have it; not our own libheddle-gomp.so. */
static bool is_libgomp(const char *file)
{
  const char *slash = strrchr(file, '/');
  return strncmp(slash ? slash + 1 : file, "libgomp", strlen("libgomp")) == 0;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *found)
{
  (void)size;
  if (!info->dlpi_name || !is_libgomp(info->dlpi_name))
    return 0;
  *(const char **)found = info->dlpi_name;
  return 1;
}

/* A libgomp that came with a plug-in (dlopen) is in no scope that dlsym searches by itself. */
static void *open_plug_ins_libgomp(void)
{
  const char *file = NULL;
  dl_iterate_phdr(look_at_object, &file);
  return file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *count)
{
  (void)size;
  *(unsigned long long *)count = info->dlpi_adds;
  return 1;
}

/*
 * A number that changes when something is loaded; never 0. A fork's child must not wait for the linker's lock, because
 * its holder may be a thread that the child lacks. But it is alone with the linker's list.
 */
static unsigned long long what_is_loaded(void)
{
  unsigned long long number = 0;
  if (!is_child)
    dl_iterate_phdr(count_objects, &number);
  for (const struct link_map *object = is_child ? _r_debug.r_map : NULL; object; object = object->l_next)
    number += (uintptr_t)object->l_ld;
  return number ? number : 1;
}

bool runtime_is_news(void)
{
  unsigned long long loaded = what_is_loaded();
  bool news = loaded != looked_at;
  looked_at = loaded;
  return news;
}

void runtime_in_child(void)
{
  is_child = true;
  if (looked_at != 0)
    looked_at = what_is_loaded();
  fork_lock_give_back(&finding);
}

/* dlsym and casts: a data pointer becomes a function pointer, which POSIX allows and ISO C does not. */
static void find_missing(void *library)
{
  void *function;
#define WRAPPED(name)                                                                                                  \
  if (gomp.name == serial_##name && (function = dlsym(library, #name)))                                                \
    *(void **)&gomp.name = function;
#define CALLED(name, type)                                                                                             \
  if (!gomp.name)                                                                                                      \
    *(void **)&gomp.name = dlsym(library, #name);
#define PASSED(name, why)
#include "fortran-shim/symbols.def"
#undef WRAPPED
#undef CALLED
#undef PASSED
}

void runtime_find_missing(void)
{
  if (!fork_lock_take(&finding))
    return;
  void *library = open_plug_ins_libgomp();
  if (library)
    find_missing(library);
  fork_lock_give_back(&finding);
}

enum runtime_found runtime_find(void)
{
  void *library = RTLD_NEXT;
  void *known = dlsym(RTLD_NEXT, "GOMP_parallel");
  if (!known) {
    library = open_plug_ins_libgomp();
    known = library ? dlsym(library, "GOMP_parallel") : NULL;
  }
  if (!known)
    return RUNTIME_NONE;
  find_missing(library);
  Dl_info info;
  if (!dladdr(known, &info) || !info.dli_fname || !is_libgomp(info.dli_fname))
    return RUNTIME_OTHER;
  image = info.dli_fbase;
  size_t length = strlen(info.dli_fname);
  if (length < sizeof path)
    memcpy(path, info.dli_fname, length + 1);
  return RUNTIME_LIBGOMP;
}

/* The name is in the table of symbols, or among the texts that the library looks up by dlsym. */
bool runtime_starts_tools(void)
{
  static const char name[] = "\0ompt_start_tool"; /* with the zero behind it */
  const ElfW(Ehdr) *header = (const void *)image;
  if (!header)
    return false;
  const ElfW(Phdr) *segment = (const void *)(image + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; i++, segment++)
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && !(segment->p_flags & PF_W) &&
        memmem(image + segment->p_vaddr, segment->p_filesz, name, sizeof name))
      return true;
  return false;
}
