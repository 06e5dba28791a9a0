/*
 * Contracts between libheddle.so and the libraries that are preloaded beside it (calls-layer/, pthread-layer/): waits,
 * exchanged return addresses, and how a library finds the recorder.
 */
#ifndef HEDDLE_COMMON_RECORDER_PRELOADED_H
#define HEDDLE_COMMON_RECORDER_PRELOADED_H

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Watcher of threads' waits: exact call graphs distinguish the time in which a function runs and in which it waits.
 * Both calls are for the calling thread; no lock, no allocation. */
struct waits_watcher {
  void (*begin)(void); /* a wait begins; one that has begun already begins anew */
  void (*end)(void);   /* it ends; nothing if there is none */
};

/* NULL: nobody. It is set once, before there are threads. */
extern const struct waits_watcher *_Atomic waits_watcher __attribute__((visibility("hidden")));

static inline bool waits_are_watched(void)
{
  return atomic_load_explicit(&waits_watcher, memory_order_relaxed) != NULL;
}

static inline void waits_begin(void)
{
  const struct waits_watcher *watcher = atomic_load_explicit(&waits_watcher, memory_order_acquire);
  if (__builtin_expect(watcher != NULL, 0))
    watcher->begin();
}

static inline void waits_end(void)
{
  const struct waits_watcher *watcher = atomic_load_explicit(&waits_watcher, memory_order_acquire);
  if (__builtin_expect(watcher != NULL, 0))
    watcher->end();
}

/*
 * Return addresses that are not the caller's: libheddle-calls.so exchanges the addresses of functions whose return it
 * is to learn of. A function that ends with a jump to another one leaves the exchanged address to that.
 */
struct returns {
  uintptr_t exchanged; /* what stands there instead */
  /* The real one, for who was just called with the exchanged one; 0: unknown. No lock; any thread; keeps errno. */
  uintptr_t (*real)(void);
};

/* heddle_returns_1 of libheddle-calls.so. */
typedef const struct returns *heddle_returns_1_t(void);

static inline __attribute__((always_inline)) uintptr_t returns_real(const struct returns *returns, uintptr_t code)
{
  return __builtin_expect(returns && code == returns->exchanged, 0) ? returns->real() : code;
}

/* heddle_processors_1 of libheddle-pthread.so: how many processors the process could use at its begin; 0: unknown. */
typedef unsigned heddle_processors_1_t(void);

/*
 * How a preloaded library finds libheddle.so, which has the recorder: the loaded one, or else the library beside
 * itself, which is loaded then. A process that loads it under several names has one of it.
 */

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
  size_t parent = slash ? (size_t)(slash + 1 - info.dli_fname) : 0;
  memcpy(path, info.dli_fname, parent);
  memcpy(path + parent, name, sizeof name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

#endif
