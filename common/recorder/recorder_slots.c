#include "common/recorder/recorder_slots.h"

#include "common/process/reserved.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST     65536u
#define MULTIPLE 64u /* of a slot's size */

_Static_assert(sizeof(struct recorder) % MULTIPLE == 0, "slots fill whole pages");

static struct {
  struct recorder *list; /* `most` of them; the first `usable` can be used */
  unsigned most;
  unsigned at_once; /* that become usable together: whole pages */
  atomic_uint usable, used;
  atomic_bool *ours; /* before them: zero in a child */
} slots;

/* One page to recognize a child, then the slots. */
static bool reserve(void)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), at_once = page / MULTIPLE * sizeof(struct recorder);
  size_t room = address_space_for(MOST * sizeof(struct recorder), ADDRESS_SPACE_SLOTS) / at_once * at_once;
  size_t size = page + room;
  if (room == 0)
    return false;
  char *map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return false;
  if (mprotect(map, page, PROT_READ | PROT_WRITE) != 0) {
    munmap(map, size);
    return false;
  }
  madvise(map, size, MADV_WIPEONFORK);
  slots.ours = (atomic_bool *)map;
  slots.list = (struct recorder *)(map + page);
  slots.most = (unsigned)(room / sizeof(struct recorder));
  slots.at_once = (unsigned)(page / MULTIPLE);
  return true;
}

bool recorder_slots_reserve(void)
{
  if (!slots.list && !reserve())
    return false;
  atomic_store(slots.ours, true);
  return true;
}

bool recorder_slots_are_ours(void)
{
  return slots.ours && atomic_load(slots.ours);
}

void recorder_slots_leave(void)
{
  if (!slots.list)
    return;
  if (recorder_slots_are_ours()) /* the kernel has not wiped them */
    memset(slots.list, 0, atomic_load(&slots.used) * sizeof *slots.list);
  atomic_store(slots.ours, false);
  atomic_store(&slots.used, 0);
}

/*
 * Makes more slots usable. Memory that is only reserved does not count for limits of a process' memory (ulimit -d),
 * which the program may need in full.
 */
static bool make_usable(unsigned from)
{
  unsigned to = from + slots.at_once;
  if (from >= slots.most ||
      mprotect(&slots.list[from], slots.at_once * sizeof *slots.list, PROT_READ | PROT_WRITE) != 0)
    return false;
  while (from < to && !atomic_compare_exchange_weak(&slots.usable, &from, to))
    ;
  return true;
}

/* The thread that changes `taken` from 0 to 1 has the slot; `used` only says how far slots are in use. */
struct recorder *recorder_slots_take(void)
{
  for (unsigned i = 0; i < atomic_load(&slots.usable) || make_usable(i); i++) {
    struct recorder *slot = &slots.list[i];
    unsigned is_free = 0;
    if (atomic_load_explicit(&slot->taken, memory_order_relaxed) ||
        !atomic_compare_exchange_strong(&slot->taken, &is_free, 1))
      continue;
    slot->slot = i;
    atomic_store(&slot->later, SLOT_STAYS);
    unsigned used = atomic_load(&slots.used);
    while (used <= i && !atomic_compare_exchange_weak(&slots.used, &used, i + 1))
      ;
    return slot;
  }
  return NULL;
}

void recorder_slots_give_back(struct recorder *slot)
{
  atomic_store(&slot->later, SLOT_STAYS);
  atomic_store(&slot->taken, 0);
}

unsigned recorder_slots_used(void)
{
  return atomic_load(&slots.used);
}

struct recorder *recorder_slots_at(unsigned number)
{
  return &slots.list[number];
}
