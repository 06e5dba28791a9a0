#include "common/profile/profile_updates.h"

#include "common/recorder/clock.h"
#include "common/recorder/cpu_time_reading.h"
#include "common/recorder/interruption.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/own_record.h"
#include "common/recorder/recording.h"

#include <errno.h>

/*
 * Between folds that are due for their age alone any wait may begin. Where not all is measured, waits may not be
 * recorded, and so any record may be the last one for long.
 */
static void set_next(struct recorder *self, bool waits, uint64_t now)
{
  if (needs_mask(self->needs) != LIVE_NEED_ALL) {
    self->profile_update = self->profile_update_due = now + cpu_reading_ticks_of_ms(1) * FOLD_PARTIAL_US / 1000;
    return;
  }
  self->profile_update = now + cpu_reading_ticks_of_ms(FOLD_MS);
  self->profile_update_due = now + (waits ? cpu_reading_ticks_of_ms(FOLD_WAITING_MS) : 0);
}

void profile_updates_begin(struct recorder *self, uint64_t now)
{
  if (recording_config()->skip)
    set_next(self, false, now);
  else
    self->profile_update = self->profile_update_due = UINT64_MAX;
}

bool profile_update(struct recorder *self, uint64_t head, uint64_t now)
{
  bool waits = profile_update_waits(head);
  if (now < (waits ? self->profile_update_due : self->profile_update))
    return false;
  int kept = errno;
  uint64_t begin = clock_ticks();
  interruption_hold();
  self->newest = self->acquiring = NULL; /* what is folded no longer changes */
  recording_config()->fold(self, false);
  live_poll();
  interruption_release();
  uint64_t end = clock_ticks();
  self->stalled += end - begin;
  own_record_stall(self, begin, end); /* else it is the program's, and a wait where the record begins one */
  set_next(self, waits, now);
  cpu_reading_set_next(self);
  errno = kept;
  return true;
}
