/* Critical sections and locks: what is left out is left out from the request to the release. */
#include "ompt-tool/limited.h"

#include "common/budget/keep.h"
#include "ompt-tool/skip.h"

#define RECORDS 3u /* acquire, acquired, released */

#define INNER 1u /* added to a nested lock's id; ids are addresses of words */

static bool is_nested(ompt_mutex_t kind)
{
  return kind == ompt_mutex_nest_lock || kind == ompt_mutex_test_nest_lock;
}

static bool push(struct skip *skip, uint64_t wait)
{
  if (skip->wait_count == SKIP_WAITS)
    return false;
  skip->waits_left_out[skip->wait_count++] = wait;
  return true;
}

/* Whether it was there; the newest goes. */
static bool pop(struct skip *skip, uint64_t wait)
{
  for (uint32_t i = skip->wait_count; i-- > 0;) {
    if (skip->waits_left_out[i] != wait)
      continue;
    for (skip->wait_count--; i < skip->wait_count; i++)
      skip->waits_left_out[i] = skip->waits_left_out[i + 1];
    return true;
  }
  return false;
}

extension_unreported_mutexes *limited_unreported_mutexes;

/* Those before the next one that is recorded, the runtime need not report. */
static void lend(struct skip *skip, struct budget_row *row, const void *code)
{
  if (!limited_unreported_mutexes || row->until < BUDGET_LOAN)
    return;
  if (!skip->unreported)
    skip->unreported = limited_unreported_mutexes();
  budget_lend(row, &skip->unreported[extension_unreported_at(code)]);
}

/* The row of an acquisition; NULL: there is none, and it is recorded. */
static struct budget_row *row_of(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct budget_row *row = budget_row((uintptr_t)code & RAW_VALUE_MASK, BUDGET_MUTEXES, kind, RECORDS);
  bool libgomp = limited_unreported_mutexes != NULL;
  if (row && kind == ompt_mutex_critical && !row->kept && keep_has_section(wait, !libgomp) && !budget_keep(row))
    return NULL;
  return row;
}

/* The weight of an acquisition that begins now; 0: it is left out. */
static uint32_t weigh(struct skip *skip, ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct budget_row *row = row_of(kind, wait, code);
  if (!row)
    return skip_top(skip)->mute == SKIP_NOTHING;
  budget_take_back(row);
  uint32_t weight = 0;
  if (skip_top(skip)->mute == SKIP_NOTHING)
    weight = budget_take(row);
  else
    budget_leave_out(row);
  if (weight == 0 && skip_top(skip)->mute == SKIP_NOTHING && skip->wait_count == SKIP_WAITS)
    weight = budget_take_anyway(row);
  lend(skip, row, code);
  return weight;
}

static __attribute__((noinline)) void acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
                                              const void *code)
{
  struct skip *skip = skip_now();
  uint32_t weight = skip ? weigh(skip, kind, wait, code) : 1;
  if (skip)
    skip->acquires = weight == 0;
  if (weight == 0)
    return;
  if (skip && skip->wait_count > 0 && !is_nested(kind))
    pop(skip, wait); /* another thread has released it */
  left_out_emit_weight(RAW_MUTEX_ACQUIRE, weight);
  on_mutex_acquire(kind, hint, impl, wait, code);
}

/* In a storm almost all are left out: that way is short, here and in the two callbacks that follow. */
void limited_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  struct skip *skip = skip_of_thread;
  if (__builtin_expect(skip && skip->wait_count < SKIP_WAITS && !limited_unreported_mutexes, 1)) {
    const struct skip_frame *top = skip_top(skip);
    struct budget_row *row = budget_row_known((uintptr_t)code & RAW_VALUE_MASK, BUDGET_MUTEXES, kind);
    if (!top->over && top->mute == SKIP_NOTHING && row && row->until > 1) {
      row->until--;
      skip->acquires = true;
      return;
    }
  }
  acquire(kind, hint, impl, wait, code);
}

void limited_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct skip *skip = skip_of_thread;
  if (!skip || !skip->acquires) {
    on_mutex_acquired(kind, wait, code);
    return;
  }
  skip->acquires = false;
  push(skip, wait);
}

static __attribute__((noinline)) void release(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct skip *skip = skip_now();
  if (skip && skip->wait_count > 0 && pop(skip, wait))
    return;
  if (skip)
    skip_note_up_to_now(skip);
  on_mutex_released(kind, wait, code);
}

void limited_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct skip *skip = skip_of_thread;
  if (__builtin_expect(skip && skip->wait_count > 0 && skip->waits_left_out[skip->wait_count - 1] == wait, 1))
    skip->wait_count--;
  else
    release(kind, wait, code);
}

void limited_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  struct skip *skip = skip_now();
  if (skip && endpoint == ompt_scope_begin && skip->acquires) {
    skip->acquires = false;
    push(skip, wait | INNER);
    return;
  }
  if (skip && endpoint == ompt_scope_end && pop(skip, wait | INNER))
    return;
  if (skip)
    skip_note_up_to_now(skip);
  on_nest_lock(endpoint, wait, code);
}

void limited_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_lock_init(kind, hint, impl, wait, code);
}

void limited_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_lock_destroy(kind, wait, code);
}
