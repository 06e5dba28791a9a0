#include "common/profile/profile.h"

#include "common/profile/profile_table.h"
#include "common/recorder/recording.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

__thread struct profile *profile_self;

uint64_t *profile_make_record(struct recorder *recorder, uint64_t head, unsigned words, uint64_t now, bool last)
{
  uint64_t *record = recorder->cursor, begun = recorder->window->anchor_ticks;
  if (record + words + (last ? 0 : raw_words_of_kind[RAW_PROFILE_ROW]) > recorder->last)
    return NULL;
  memset(record + 1, 0, (words - 1) * sizeof *record); /* the head is zero, and others may be reading it */
  record[1] = now > begun ? now : begun;
  recorder_put(recorder, words, head);
  return record;
}

static uint64_t *make_record(void *context, uint64_t head, unsigned words, uint64_t now, bool last)
{
  return profile_make_record(((struct profile *)context)->recorder, head, words, now, last);
}

static struct profile *make_profile(void)
{
  int kept = errno;
  struct profile *profile = mmap(NULL, sizeof *profile, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (profile != MAP_FAILED)
    madvise(profile, sizeof *profile, MADV_WIPEONFORK);
  errno = kept;
  return profile == MAP_FAILED ? NULL : (profile_self = profile);
}

struct profile *profile_renew(struct recorder *recorder)
{
  struct profile *profile = profile_self ? profile_self : make_profile();
  if (!profile)
    return NULL;
  profile->recorder = recorder;
  if (profile->anchor != recorder->window->anchor_ticks) {
    profile->table.make = make_record;
    profile->table.context = profile;
    if (!profile_table_begin(&profile->table, clock_ticks()))
      return NULL;
    profile->anchor = recorder->window->anchor_ticks;
  }
  profile->attention = false;
  if (profile->ended != 0)
    profile_close(&profile->table, profile->ended, true);
  profile->ended = 0;
  if (profile->missed) {
    profile->missed = false;
    profile->locks.count = 0;
    profile_table_resume(&profile->table, clock_ticks());
  }
  return profile;
}

void profile_miss(void)
{
  if (profile_self && recording_state() != RECORDING_OPEN)
    profile_self->missed = profile_self->attention = true;
}

void profile_thread_begin(unsigned type)
{
  uint64_t now;
  recorder_thread_begin(type);
  struct profile *profile = profile_enter(&now);
  if (profile)
    profile_leave(profile);
}

void profile_thread_end(void)
{
  uint64_t now;
  struct profile *profile = profile_self ? profile_enter(&now) : NULL;
  if (profile) {
    profile_table_book(&profile->table, now);
    profile_leave(profile);
  }
  recorder_thread_end();
  profile = profile_self;
  profile_self = NULL;
  int kept = errno;
  if (profile)
    munmap(profile, sizeof *profile);
  errno = kept;
}

void profile_user_enter(uint64_t name)
{
  uint64_t now;
  struct profile *profile = name != 0 ? profile_enter(&now) : NULL;
  if (!profile)
    return;
  profile_open(&profile->table, RAW_ROW_USER, 0, name, now);
  profile_leave(profile);
}

void profile_user_leave(uint64_t name)
{
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_leave_user(&profile->table, name, now);
  profile_leave(profile);
}

void profile_user_event(uint64_t name)
{
  struct profile *profile = profile_enter_untimed();
  if (!profile)
    return;
  profile_take_event(&profile->table, name, 1, profile->table.last);
  profile_leave(profile);
}

void profile_user_value(uint64_t name, const uint64_t element[RAW_EXTRA])
{
  struct profile *profile = profile_enter_untimed();
  if (!profile)
    return;
  profile_take_value(&profile->table, name, element, profile->table.last);
  profile_leave(profile);
}

void profile_measure(bool on)
{
  uint64_t now;
  if (on)
    recording_resume();
  struct profile *profile = profile_enter(&now);
  if (profile) {
    profile_table_book(&profile->table, now);
    profile_leave(profile);
  }
  if (!on)
    recording_pause();
}
