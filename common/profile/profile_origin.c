#include "common/profile/profile_origin.h"

#include "common/process/reserved.h"
#include "common/raw/raw_trace.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

/* The id is zero while the rest changes. */
struct slot {
  _Atomic uint64_t id, code, begin;
};

static struct slot *slots;

bool profile_origins_begin(void)
{
  if (slots)
    return true;
  if (address_space_for(PROFILE_ORIGINS * sizeof *slots, ADDRESS_SPACE_OTHERS) < PROFILE_ORIGINS * sizeof *slots)
    return false;
  void *map = mmap(NULL, PROFILE_ORIGINS * sizeof *slots, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return false;
  madvise(map, PROFILE_ORIGINS * sizeof *slots, MADV_WIPEONFORK);
  slots = map;
  return true;
}

/* Ids of a thread follow each other, and so do their slots. */
static struct slot *slot_of(uint64_t id)
{
  return &slots[(id + (id >> RAW_ID_BLOCK_SHIFT) * 0x9e3b) % PROFILE_ORIGINS];
}

void profile_origin_note(uint64_t id, struct profile_origin origin)
{
  if (!slots || id <= RAW_ID_IMPLICIT)
    return;
  struct slot *slot = slot_of(id);
  atomic_store_explicit(&slot->id, 0, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&slot->code, origin.code, memory_order_relaxed);
  atomic_store_explicit(&slot->begin, origin.begin, memory_order_relaxed);
  atomic_store_explicit(&slot->id, id, memory_order_release);
}

bool profile_origin_find(uint64_t id, struct profile_origin *origin)
{
  if (!slots || id <= RAW_ID_IMPLICIT)
    return false;
  struct slot *slot = slot_of(id);
  if (atomic_load_explicit(&slot->id, memory_order_acquire) != id)
    return false;
  *origin = (struct profile_origin){atomic_load_explicit(&slot->code, memory_order_relaxed),
                                    atomic_load_explicit(&slot->begin, memory_order_relaxed)};
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&slot->id, memory_order_relaxed) == id;
}
