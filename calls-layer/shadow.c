#include "calls-layer/shadow.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#define ADDRESS_BITS (SHADOW_BLOCK_BITS + SHADOW_INNER_BITS + SHADOW_ROOT_BITS)

shadow_inner *_Atomic shadow_root[1 << SHADOW_ROOT_BITS];

static void *make(size_t size)
{
  int kept = errno;
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = kept;
  return map == MAP_FAILED ? NULL : map;
}

/* What is at a place that threads fill once: who comes second takes what the first one made. */
static void *filled(void *_Atomic *place, size_t size)
{
  void *there = atomic_load_explicit(place, memory_order_acquire);
  if (there)
    return there;
  void *made = make(size);
  if (made && !atomic_compare_exchange_strong(place, &there, made)) {
    munmap(made, size);
    return there;
  }
  return made;
}

char *shadow_block(uintptr_t at)
{
  if (at >> ADDRESS_BITS != 0 || at % sizeof(uintptr_t) != 0)
    return NULL;
  shadow_inner *inner =
      filled((void *_Atomic *)&shadow_root[at >> (SHADOW_BLOCK_BITS + SHADOW_INNER_BITS)], sizeof(shadow_inner));
  if (!inner)
    return NULL;
  uintptr_t number = at >> SHADOW_BLOCK_BITS & ((1u << SHADOW_INNER_BITS) - 1);
  return filled((void *_Atomic *)&(*inner)[number], 1u << SHADOW_BLOCK_BITS);
}
