#include "common/renewal.h"

#include "common/clock.h"
#include "common/counters.h"
#include "common/live.h"
#include "common/profile_beside.h"
#include "common/recorder.h"
#include "common/recording.h"

#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

#define LONGEST_NS 2000000000u

static bool any_records(void)
{
  unsigned used = slots_used();
  for (unsigned i = 0; i < used; i++)
    if (atomic_load(&slots_at(i)->busy) != 0)
      return true;
  return recording_is_entered() || live_has_thread();
}

/* Those that come now find the recording stopped. The first rest shows us what others have stored before it. */
static bool wait_for_all(void)
{
  const struct timespec rest = {.tv_nsec = 1000000};
  uint64_t begin = clock_monotonic_ns();
  do
    nanosleep(&rest, NULL);
  while (any_records() && clock_monotonic_ns() - begin < LONGEST_NS);
  return !any_records();
}

static bool is_of_profile(const struct recorder *slot)
{
  return (slot->thread & RAW_PROFILE_OF) != 0;
}

/* A thread that comes now asks for a window, and gets none. */
static void take_window(struct recorder *slot)
{
  if (!slot->window)
    return;
  slot->old_window = slot->window;
  __atomic_store_n(&slot->window, NULL, __ATOMIC_RELEASE);
}

static void let_go(struct recorder *slot)
{
  if (!slot->old_window)
    return;
  munmap(slot->old_window, slot->old_window->window_size);
  slot->old_window = NULL;
  recorder_forget(slot);
  slot->counters = NULL;
  profile_beside_renew(slot);
  if (is_of_profile(slot) || atomic_exchange(&slot->deserted, false))
    atomic_store(&slot->taken, 0);
  else if (atomic_load(&slot->taken))
    atomic_store(&slot->renewed, true);
}

bool renewal_begin(void)
{
  if (!wait_for_all())
    return false;
  unsigned used = slots_used();
  for (unsigned i = 0; i < used; i++)
    take_window(slots_at(i));
  if (!wait_for_all()) /* those that saw a window after the first wait */
    return false;
  counters_leave();
  for (unsigned i = 0; i < used; i++)
    let_go(slots_at(i));
  recording_forget_parent();
  return true;
}
