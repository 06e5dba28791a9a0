/* Critical sections and locks: what the budget omits is omitted from the request to the release. */
#include "ompt-tool/callbacks.h"

#include "common/budget/keep.h"
#include "common/recorder/stack_record.h"
#include "ompt-tool/omissions.h"

/* Records of an acquisition: acquire, acquired, released. */
#define MUTEX_RECORDS 3u

/* All that the interface knows, and no monitor of raw_trace.h. */
#define MUTEX_KINDS (RAW_MUTEX_MONITOR - 1u)

CALLBACK_REST void record_acquire_slowly(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  recorder_emit3(RAW_MUTEX_ACQUIRE, kind, wait, code_of(code));
}

CALLBACK_PART void record_acquire(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (code_needs_no_lookup(code))
    recorder_emit3(RAW_MUTEX_ACQUIRE, kind & MUTEX_KINDS, wait, (uintptr_t)code);
  else
    record_acquire_slowly(kind, wait, code);
}

/* Callbacks with stacks of waits are ways of their own: those without pay for a comparison alone. */
CALLBACK_REST void acquired_with_stack(ompt_mutex_t kind, ompt_wait_id_t wait)
{
  uint64_t before = wait_stacks_before();
  recorder_emit(RAW_MUTEX_ACQUIRED, kind, wait);
  wait_stacks_after(before);
}

CALLBACK_PART void record_acquired(ompt_mutex_t kind, ompt_wait_id_t wait)
{
  if (__builtin_expect(wait_stacks_are_wanted(), 0))
    acquired_with_stack(kind, wait);
  else
    recorder_emit(RAW_MUTEX_ACQUIRED, kind, wait);
}

#define INNER 1u /* added to a nested lock's id; ids are addresses of words */

static bool is_nested(ompt_mutex_t kind)
{
  return kind == ompt_mutex_nest_lock || kind == ompt_mutex_test_nest_lock;
}

static bool push_lock(struct omission *omission, uint64_t wait)
{
  if (omission->wait_count == OMIT_WAITS)
    return false;
  omission->waits_omitted[omission->wait_count++] = wait;
  return true;
}

/* True if it was there; the newest goes. */
static bool pop_lock(struct omission *omission, uint64_t wait)
{
  for (uint32_t i = omission->wait_count; i-- > 0;) {
    if (omission->waits_omitted[i] != wait)
      continue;
    for (omission->wait_count--; i < omission->wait_count; i++)
      omission->waits_omitted[i] = omission->waits_omitted[i + 1];
    return true;
  }
  return false;
}

extension_unreported_mutexes *runtime_unreported_mutexes;

/* Those before the next one that is recorded, the runtime need not report. */
static void lend_locks(struct omission *omission, struct budget_row *row, const void *code)
{
  if (!runtime_unreported_mutexes || row->until < BUDGET_LOAN)
    return;
  if (!omission->unreported)
    omission->unreported = runtime_unreported_mutexes();
  budget_lend(row, &omission->unreported[extension_unreported_at(code)]);
}

/* The row of an acquisition; NULL: there is none, and it is recorded. */
static struct budget_row *row_of_lock(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct budget_row *row = budget_row((uintptr_t)code & RAW_VALUE_MASK, BUDGET_MUTEXES, kind, MUTEX_RECORDS);
  bool libgomp = runtime_unreported_mutexes != NULL;
  if (row && kind == ompt_mutex_critical && !row->kept && keep_has_section(wait, !libgomp) && !budget_keep(row))
    return NULL;
  return row;
}

/* The weight of an acquisition that begins now; 0: it is omitted. */
static uint32_t weigh_lock(struct omission *omission, ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct budget_row *row = row_of_lock(kind, wait, code);
  if (!row)
    return construct_top(&omission->stack)->mute == OMIT_NOTHING;
  budget_take_back(row);
  uint32_t weight = 0;
  if (construct_top(&omission->stack)->mute == OMIT_NOTHING)
    weight = budget_take(row);
  else
    budget_omit(row);
  if (weight == 0 && construct_top(&omission->stack)->mute == OMIT_NOTHING && omission->wait_count == OMIT_WAITS)
    weight = budget_force(row);
  lend_locks(omission, row, code);
  return weight;
}

CALLBACK_REST void take_acquire(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  struct omission *omission = omission_now();
  uint32_t weight = omission ? weigh_lock(omission, kind, wait, code) : 1;
  if (omission)
    omission->acquires = weight == 0;
  if (weight == 0)
    return;
  if (omission && omission->wait_count > 0 && !is_nested(kind))
    pop_lock(omission, wait); /* another thread has released it */
  omitted_emit_weight(RAW_MUTEX_ACQUIRE, weight);
  record_acquire(kind, wait, code);
}

/* In a storm almost all are omitted. This way is short, here and in the two callbacks that follow. */
void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  if (!omission_is_used) {
    record_acquire(kind, wait, code);
    return;
  }
  struct omission *omission = omission_of_thread;
  if (__builtin_expect(omission && omission->wait_count < OMIT_WAITS && !runtime_unreported_mutexes, 1)) {
    const struct construct *top = construct_top(&omission->stack);
    struct budget_row *row = budget_row_known((uintptr_t)code & RAW_VALUE_MASK, BUDGET_MUTEXES, kind);
    if (!top->over && top->mute == OMIT_NOTHING && row && row->until > 1) {
      row->until--;
      omission->acquires = true;
      return;
    }
  }
  take_acquire(kind, wait, code);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  struct omission *omission = omission_of_thread;
  if (!omission || !omission->acquires) {
    record_acquired(kind, wait);
    return;
  }
  omission->acquires = false;
  push_lock(omission, wait);
}

CALLBACK_REST void take_release(ompt_mutex_t kind, ompt_wait_id_t wait)
{
  struct omission *omission = omission_now();
  if (omission && omission->wait_count > 0 && pop_lock(omission, wait))
    return;
  if (omission)
    omission_note_up_to_now(omission);
  recorder_emit(RAW_MUTEX_RELEASED, kind, wait);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  struct omission *omission = omission_of_thread;
  if (!omission_is_used)
    recorder_emit(RAW_MUTEX_RELEASED, kind, wait);
  else if (__builtin_expect(
               omission && omission->wait_count > 0 && omission->waits_omitted[omission->wait_count - 1] == wait, 1))
    omission->wait_count--;
  else
    take_release(kind, wait);
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  bool begins = endpoint == ompt_scope_begin;
  (void)code;
  struct omission *omission = omission_now();
  if (omission && begins && omission->acquires) {
    omission->acquires = false;
    push_lock(omission, wait | INNER);
    return;
  }
  if (omission && !begins && pop_lock(omission, wait | INNER))
    return;
  if (omission)
    omission_note_up_to_now(omission);
  recorder_emit(begins ? RAW_NEST_BEGIN : RAW_NEST_END, 0, wait);
}

void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  if (omitted_now() == OMIT_NOTHING)
    recorder_emit3(RAW_LOCK_INIT, kind, wait, code_of(code));
}

void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  if (omitted_now() == OMIT_NOTHING)
    recorder_emit(RAW_LOCK_DESTROY, kind, wait);
}
