/*
 * Stack traces that the program takes of itself: without the trampoline, which unwinders see between a function and its
 * caller. All else is the next library's.
 */
#include "calls-layer/entries.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#define STANDS_BEFORE __attribute__((visibility("default"), noinline))

typedef int backtrace_t(void **buffer, int size);
typedef _Unwind_Reason_Code unwind_backtrace_t(_Unwind_Trace_Fn function, void *argument);
typedef _Unwind_Ptr unwind_get_ip_t(struct _Unwind_Context *context);

backtrace_t backtrace;

static backtrace_t *next_backtrace;
static void *_Atomic next_unwind_backtrace, *_Atomic next_get_ip;

__attribute__((constructor(101))) static void find(void)
{
  next_backtrace = (backtrace_t *)dlsym(RTLD_NEXT, "backtrace");
}

/* A function of libgcc_s, which the program may have loaded where only its libraries find it. */
static void *unwinder(const char *name, void *_Atomic *kept)
{
  void *function = atomic_load(kept), *library;
  if (function)
    return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function && (library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD))) {
    function = dlsym(library, name);
    dlclose(library);
  }
  atomic_store(kept, function);
  return function;
}

/* Takes out what is ours: the first frame, and trampolines. Of n addresses; how many there are then, at most `most`. */
static int sift(void **to, int most, void *const *from, int n)
{
  int kept = 0;
  for (int i = 1; i < n && kept < most; i++)
    if (from[i] != (const void *)entries_trampoline)
      to[kept++] = from[i];
  return kept;
}

STANDS_BEFORE int backtrace(void **buffer, int size)
{
  if (!next_backtrace || size <= 0)
    return 0;
  int most = size < 1 << 20 ? 2 * size + 2 : size;
  size_t bytes = (size_t)most * sizeof *buffer;
  void **all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return sift(buffer, size, buffer, next_backtrace(buffer, size));
  int n = sift(buffer, size, all, next_backtrace(all, most));
  munmap(all, bytes);
  return n;
}

struct filtered {
  _Unwind_Trace_Fn function;
  void *argument;
  unwind_get_ip_t *get_ip;
  bool after_first;
};

static _Unwind_Reason_Code filter(struct _Unwind_Context *context, void *argument)
{
  struct filtered *filtered = argument;
  bool is_ours = !filtered->after_first || filtered->get_ip(context) == (_Unwind_Ptr)entries_trampoline;
  filtered->after_first = true;
  return is_ours ? _URC_NO_REASON : filtered->function(context, filtered->argument);
}

STANDS_BEFORE _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn function, void *argument)
{
  unwind_backtrace_t *next = (unwind_backtrace_t *)unwinder("_Unwind_Backtrace", &next_unwind_backtrace);
  struct filtered filtered = {function, argument, (unwind_get_ip_t *)unwinder("_Unwind_GetIP", &next_get_ip), false};
  if (!next || !filtered.get_ip)
    return _URC_END_OF_STACK;
  _Unwind_Reason_Code result = next(filter, &filtered);
  __asm__ volatile(""); /* else this frame would not be the first */
  return result;
}
