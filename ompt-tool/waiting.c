#include "ompt-tool/waiting.h"

#include "common/recorder/waits.h"
#include "ompt-tool/callbacks.h"

static __typeof__(on_sync_region_wait) *sync_region_wait;
static __typeof__(on_mutex_acquire) *mutex_acquire;
static __typeof__(on_mutex_acquired) *mutex_acquired;
static __typeof__(on_task_schedule) *task_schedule;

/* Bit 0: the calling thread waits. Bit n: it did when it began the n-th last of the tasks that it is in. */
static __thread uint64_t waiting __attribute__((tls_model("initial-exec")));

static void set_waiting(bool waits)
{
  if (waits)
    waits_begin();
  else if (waiting & 1)
    waits_end();
  waiting = (waiting & ~1ull) | waits;
}

static void waiting_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                     ompt_data_t *task, const void *code)
{
  if (endpoint != ompt_scope_begin)
    set_waiting(false);
  sync_region_wait(kind, endpoint, parallel, task, code);
  if (endpoint == ompt_scope_begin)
    set_waiting(true);
}

/* A test of a lock waits for nobody, and tells only if it got the lock. */
static void waiting_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
                                  const void *code)
{
  mutex_acquire(kind, hint, impl, wait, code);
  if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock)
    set_waiting(true);
}

static void waiting_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  set_waiting(false);
  mutex_acquired(kind, wait, code);
}

/* Undeferred tasks and their creators take turns likewise. */
static void waiting_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  bool begins = status == ompt_task_switch;
  bool ends = status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
  if (begins) {
    uint64_t before = waiting;
    set_waiting(false);
    waiting = before << 1;
  }
  task_schedule(prior, status, next);
  if (ends) {
    set_waiting(false); /* which the task left open */
    waiting >>= 1;
    set_waiting(waiting & 1);
  }
}

ompt_callback_t waiting_callback(ompt_callbacks_t event, ompt_callback_t records)
{
  switch (event) {
  case ompt_callback_sync_region_wait:
    sync_region_wait = (__typeof__(sync_region_wait))records;
    return (ompt_callback_t)waiting_sync_region_wait;
  case ompt_callback_mutex_acquire:
    mutex_acquire = (__typeof__(mutex_acquire))records;
    return (ompt_callback_t)waiting_mutex_acquire;
  case ompt_callback_mutex_acquired:
    mutex_acquired = (__typeof__(mutex_acquired))records;
    return (ompt_callback_t)waiting_mutex_acquired;
  case ompt_callback_task_schedule:
    task_schedule = (__typeof__(task_schedule))records;
    return (ompt_callback_t)waiting_task_schedule;
  default:
    return records;
  }
}
