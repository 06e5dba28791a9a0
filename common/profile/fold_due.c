#include "common/profile/fold_due.h"

#include "common/recorder/clock.h"
#include "common/recorder/interruption.h"
#include "common/recorder/live.h"
#include "common/recorder/needs.h"
#include "common/recorder/own_record.h"
#include "common/recorder/reading.h"
#include "common/recorder/recording.h"

#include <errno.h>

/*
 * Between folds that are due for their age alone any wait may begin. Where not all is measured, waits may be unseen,
 * and so any record may be the last one for long.
 */
static void set_next(struct recorder *self, bool waits, uint64_t now)
{
  if (needs_mask(self->needs) != LIVE_NEED_ALL) {
    self->fold_due = self->fold_due_waiting = now + reading_ticks_of_ms(1) * FOLD_PARTIAL_US / 1000;
    return;
  }
  self->fold_due = now + reading_ticks_of_ms(FOLD_MS);
  self->fold_due_waiting = now + (waits ? reading_ticks_of_ms(FOLD_WAITING_MS) : 0);
}

void fold_due_begin(struct recorder *self, uint64_t now)
{
  if (recording_config()->skip)
    set_next(self, false, now);
  else
    self->fold_due = self->fold_due_waiting = UINT64_MAX;
}

bool fold_due(struct recorder *self, uint64_t head, uint64_t now)
{
  bool waits = fold_due_waits(head);
  if (now < (waits ? self->fold_due_waiting : self->fold_due))
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
  reading_set_next(self);
  errno = kept;
  return true;
}
