#include "common/recorder/recording_restart.h"

#include "common/profile/live_profile.h"
#include "common/recorder/clock.h"
#include "common/recorder/counters.h"
#include "common/recorder/live.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

static void rest(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/*
 * Waits until each thread was outside of an emit at some time: threads that enter again find the recording stopped. The
 * first rests show us what others have stored before them.
 */
static bool wait_for_all(uint64_t until)
{
  unsigned used = recorder_slots_used();
  for (int i = 0; i < 5; i++)
    rest();
  for (unsigned i = 0; i < used; i++)
    while (atomic_load(&recorder_slots_at(i)->busy) != 0) {
      if (clock_monotonic_ns() >= until)
        return false;
      rest();
    }
  while (recording_is_entered() || live_has_thread()) {
    if (clock_monotonic_ns() >= until)
      return false;
    rest();
  }
  return true;
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
  live_profile_restart(slot);
  unsigned stays = SLOT_STAYS;
  if (is_of_profile(slot) ||
      (atomic_load(&slot->taken) && !atomic_compare_exchange_strong(&slot->later, &stays, SLOT_RENEWED)))
    recorder_slots_give_back(slot);
}

bool recording_restart(uint64_t longest_ns)
{
  uint64_t until = clock_monotonic_ns() + longest_ns;
  if (!wait_for_all(until))
    return false;
  unsigned used = recorder_slots_used();
  for (unsigned i = 0; i < used; i++)
    take_window(recorder_slots_at(i));
  if (!wait_for_all(until)) /* for threads that saw a window after the first wait */
    return false;
  counters_leave();
  for (unsigned i = 0; i < used; i++)
    let_go(recorder_slots_at(i));
  recording_forget_parent();
  return true;
}
