/*
 * The calling thread's profile (profile_table.h) in its recorder's window: where HEDDLE_PROFILE is set, the tools feed
 * it in place of emitting records. A program that is killed leaves all of it.
 *
 * As with the recorder (recorder.h): any thread at any time, no lock, errno is kept. What a signal handler does to the
 * profile that it interrupts is counted, not recorded.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_H
#define HEDDLE_COMMON_PROFILE_PROFILE_H

#include "common/profile/profile_team.h"
#include "common/recorder/recorder.h"

struct profile {
  struct recorder *recorder; /* while it is entered */
  uint64_t anchor;           /* of the chunk that has the rows; 0: none has */
  bool attention;            /* one of the next two */
  bool missed;               /* recording was switched off meanwhile */
  uint64_t ended;            /* ticks at which the innermost construct ended, if its end is reported later; 0: no */
  struct profile_locks locks;
  struct profile_table table;
};

/* NULL: none yet. All zero in a child of fork. */
extern __thread struct profile *profile_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A record in the recorder's window, for a table's rows (profile_table.h). Behind every row but the last there is room
 * for one more. NULL: there is no room. */
uint64_t *profile_make_record(struct recorder *recorder, uint64_t head, unsigned words, uint64_t now, bool last);

/* Slow path of profile_enter: makes the profile, or its rows. NULL: no memory. */
struct profile *profile_renew(struct recorder *recorder);
/* Recording is off, or this interrupts another call. */
void profile_miss(void);

/*
 * Marks the innermost construct, which is not nested too deep, as possibly ended. The thread's next call decides. It
 * closes the construct, unless it takes the time before it enters; then the construct is the caller's to close. Within
 * profile_enter and profile_leave.
 */
static inline void profile_end_later(struct profile *profile, uint64_t now)
{
  profile->ended = now;
  profile->attention = true;
}

static inline uint64_t profile_take_end(void)
{
  uint64_t ended = profile_self ? profile_self->ended : 0;
  if (ended != 0)
    profile_self->ended = 0;
  return ended;
}

/* Begins the profile of a thread that the runtime reports (type: ompt_thread_t or 0), and ends it. */
void profile_thread_begin(unsigned type);
void profile_thread_end(void);

/* The program enters and leaves a region of its own, by the number of its name (raw_trace.h). A leave without a region
 * of that name in the innermost construct is ignored. */
void profile_user_enter(uint64_t name);
void profile_user_leave(uint64_t name);
/* An event of the program's, by the number of its name, and each of its values: element: as in RAW_USER_EVENT. */
void profile_user_event(uint64_t name);
void profile_user_value(uint64_t name, const uint64_t element[RAW_EXTRA]);
/* The program switches measurement on or off. */
void profile_measure(bool on);

/* The calling thread's profile; NULL: nothing is to be done. Then profile_leave. For what needs no time. */
static inline __attribute__((always_inline)) struct profile *profile_enter_untimed(void)
{
  struct recorder *recorder = recorder_enter();
  if (__builtin_expect(!recorder, 0)) {
    profile_miss();
    return NULL;
  }
  struct profile *profile = profile_self;
  if (__builtin_expect(!profile || profile->attention || profile->anchor != recorder->window->anchor_ticks, 0) &&
      !(profile = profile_renew(recorder))) {
    recorder_leave(recorder);
    return NULL;
  }
  profile->recorder = recorder;
  return profile;
}

/* The same, and the time. */
static inline __attribute__((always_inline)) struct profile *profile_enter(uint64_t *now)
{
  struct profile *profile = profile_enter_untimed();
  if (profile)
    *now = clock_ticks();
  return profile;
}

static inline void profile_leave(struct profile *profile)
{
  recorder_leave(profile->recorder);
}

#endif
