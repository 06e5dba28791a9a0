#include "pthread-layer/layer.h"

#include "common/process/launchers.h"
#include "pthread-layer/callers.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct next next;

/*
 * While this thread looks functions up, an allocator that the loader calls may lock: libc has these locks under other
 * names, too.
 */
extern int __pthread_mutex_lock(pthread_mutex_t *) __attribute__((weak));
extern int __pthread_mutex_trylock(pthread_mutex_t *) __attribute__((weak));
extern int __pthread_mutex_unlock(pthread_mutex_t *) __attribute__((weak));
extern int __pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *) __attribute__((weak));
extern int __pthread_mutex_destroy(pthread_mutex_t *) __attribute__((weak));

static void find(const char *name, void *function)
{
  void *found = dlsym(RTLD_NEXT, name);
  if (found)
    __atomic_store_n((void **)function, found, __ATOMIC_RELEASE);
}

void next_find(void)
{
  static atomic_bool done;
  static __thread bool finding __attribute__((tls_model("initial-exec")));
  if (finding || atomic_load_explicit(&done, memory_order_acquire))
    return;
  finding = true;
  if (!next.pthread_mutex_lock)
    next.pthread_mutex_lock = __pthread_mutex_lock;
  if (!next.pthread_mutex_trylock)
    next.pthread_mutex_trylock = __pthread_mutex_trylock;
  if (!next.pthread_mutex_unlock)
    next.pthread_mutex_unlock = __pthread_mutex_unlock;
  if (!next.pthread_mutex_init)
    next.pthread_mutex_init = __pthread_mutex_init;
  if (!next.pthread_mutex_destroy)
    next.pthread_mutex_destroy = __pthread_mutex_destroy;
#define X(result, name, parameters) find(#name, &next.name);
  NEXT_FUNCTIONS(X)
#undef X
  finding = false;
  atomic_store_explicit(&done, true, memory_order_release);
}

void *next_of(const char *name, const void *caller)
{
  void *found = dlsym(RTLD_NEXT, name);
  void *library = found ? NULL : callers_library((uintptr_t)caller);
  return library ? dlsym(library, name) : found;
}

_Atomic int layer_state;
bool layer_all;
const struct heddle_pthread_calls *layer_calls;
const struct returns *layer_returns;

/* True if this is the JDK's launcher: a JVM waits all the time, and the agent records Java's waits. */
static bool is_jvm(void)
{
  bool launches = dlsym(RTLD_DEFAULT, "JLI_Launch") != NULL;
  dlerror(); /* what was not found is not the program's business */
  return launches;
}

static bool is_off(void)
{
  const char *setting = getenv("HEDDLE_PTHREAD"), *all = getenv("HEDDLE");
  if ((setting && strcmp(setting, "0") == 0) || (all && strcmp(all, "off") == 0))
    return true;
  layer_all = setting && strcmp(setting, "all") == 0;
  if (process_is_launcher(program_invocation_short_name)) /* its threads wait for ranks all the time */
    return true;
  return !(setting && strcmp(setting, "1") == 0) && is_jvm();
}

__attribute__((constructor(101))) static void load(void)
{
  next_find();
  atomic_store(&layer_state, is_off() ? LAYER_OFF : LAYER_IDLE);
}
