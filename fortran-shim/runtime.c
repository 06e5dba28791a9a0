#include "fortran-shim/runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

struct gomp_runtime gomp;

static char path[PATH_MAX];

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

/* dlsym and casts: a data pointer becomes a function pointer, which POSIX allows and ISO C does not. */
static void find_missing(void *library)
{
#define WRAPPED(name)                                                                                                  \
  if (!gomp.name)                                                                                                      \
    *(void **)&gomp.name = dlsym(library, #name);
#define CALLED(name, type) WRAPPED(name)
#define PASSED(name, why)
#include "fortran-shim/symbols.def"
#undef WRAPPED
#undef CALLED
#undef PASSED
}

void runtime_find_missing(void)
{
  static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&finding);
  void *library = open_plug_ins_libgomp();
  if (library)
    find_missing(library);
  pthread_mutex_unlock(&finding);
}

bool runtime_find(void)
{
  void *library = RTLD_NEXT;
  void *known = dlsym(RTLD_NEXT, "GOMP_parallel");
  if (!known) {
    library = open_plug_ins_libgomp();
    known = library ? dlsym(library, "GOMP_parallel") : NULL;
  }
  if (library)
    find_missing(library);
  Dl_info info;
  if (!known || !dladdr(known, &info) || !info.dli_fname || !is_libgomp(info.dli_fname))
    return false;
  size_t length = strlen(info.dli_fname);
  if (length < sizeof path)
    memcpy(path, info.dli_fname, length + 1);
  return true;
}
