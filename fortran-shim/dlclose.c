/*
 * dlclose, with a report before and after: the recorder must list a library before it is unloaded. dlclose does not
 * depend on its caller, so it can be called from here. dlopen does (its search path), so it is not wrapped.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

/* Set by the recorder (common/process/modules.c). closed: 0 before, 1 after. */
__attribute__((visibility("default"))) void (*_Atomic heddle_at_dlclose)(int closed);

typedef int close_function(void *library);

static close_function *find_real(void)
{
  static _Atomic(close_function *) found;
  close_function *real = atomic_load(&found);
  if (!real) {
    *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    atomic_store(&found, real);
  }
  return real;
}

__attribute__((visibility("default"))) int dlclose(void *library)
{
  close_function *real = find_real();
  void (*report)(int) = atomic_load(&heddle_at_dlclose);
  if (!real)
    return -1;
  if (report)
    report(0);
  int result = real(library);
  if (report)
    report(1);
  return result;
}
