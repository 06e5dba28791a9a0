/* Explicit tasks: one may be suspended for others, and go on in another thread. */
#include "common/budget/mix.h"
#include "ompt-tool/profiled.h"

#include "common/profile/profile_metrics.h"

/*
 * A task's data word: PROFILED_TASK, the number of its place, and a serial number that no other task has: that of the
 * thread that creates it, and of its tasks. Of threads with the same number modulo 2^15 one has ended long ago.
 */
#define PLACE_BITS  12u
#define PLACE_SHIFT 51u
#define THREAD_BITS 15u
#define SERIAL_BITS 36u

_Static_assert(PLACE_SHIFT + PLACE_BITS == 63 && THREAD_BITS + SERIAL_BITS == PLACE_SHIFT, "a word has 64 bits");

/* The places of all tasks of the process, by number; those without room have number 0, the enclosing construct's. */
static _Atomic uint64_t places[1u << PLACE_BITS];

static bool is_explicit(const ompt_data_t *task)
{
  return task && (task->value & PROFILED_TASK) != 0;
}

static uint64_t place_number(uint64_t code)
{
  enum { LAST = (1u << PLACE_BITS) - 1, TRIES = 64 };
  uint64_t at = (mix_upper(code) >> 40) % LAST;
  for (unsigned i = 0; code != 0 && i < TRIES; i++, at = (at + 1) % LAST) {
    uint64_t known = atomic_load_explicit(&places[at + 1], memory_order_relaxed);
    if (known == code ||
        (known == 0 && (atomic_compare_exchange_strong(&places[at + 1], &known, code) || known == code)))
      return at + 1;
  }
  return 0;
}

static uint64_t code_of_task(const ompt_data_t *task)
{
  return atomic_load_explicit(&places[task->value >> PLACE_SHIFT & ((1u << PLACE_BITS) - 1)], memory_order_relaxed);
}

void profiled_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                          int dependences, const void *code)
{
  (void)creator;
  (void)frame;
  (void)dependences;
  if ((unsigned)flags & (ompt_task_initial | ompt_task_implicit)) {
    task->value = RAW_ID_IMPLICIT;
    return;
  }
  static __thread uint64_t serial __attribute__((tls_model("initial-exec")));
  const struct recorder *recorder = recorder_self;
  uint64_t thread = (uintptr_t)recorder > (uintptr_t)RECORDER_NONE ? recorder->thread : 0;
  uint64_t name = thread << SERIAL_BITS | (++serial & ((1ull << SERIAL_BITS) - 1));
  uint64_t place = profiled_code_of_construct(code);
  task->value = PROFILED_TASK | place_number(place) << PLACE_SHIFT | (name & ((1ull << PLACE_SHIFT) - 1));
  struct profile *profile = profile_enter_untimed();
  if (!profile)
    return;
  profile_make_tasks(&profile->table, place, 1, profile->table.last);
  profile_leave(profile);
}

static bool ends(ompt_task_status_t status)
{
  return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
}

void profiled_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  uint64_t now;
  if (!ends(status) && status != ompt_task_yield && status != ompt_task_switch)
    return; /* it may be about a task that the thread does not execute */
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  uint64_t from = is_explicit(prior) ? prior->value : 0, to = is_explicit(next) ? next->value : 0;
  profile_switch_task(&profile->table, from, ends(status), to, to != 0 ? code_of_task(next) : 0, now);
  profile_leave(profile);
}
