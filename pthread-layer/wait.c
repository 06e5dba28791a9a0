#include "pthread-layer/wait.h"

void wait_begins(struct wait *wait, unsigned kind, const void *object, uintptr_t code, uint64_t fourth)
{
  uintptr_t address = (uintptr_t)object;
  uint32_t weight = code != 0 ? layer_calls->weigh(kind, code) : 0;
  *wait = (struct wait){address, weight != 0 ? kind : 0};
  if (weight == 0)
    return;
  thread_self_tell(address);
  if (kind != RAW_PTHREAD_JOIN)
    objects_tell(kind == RAW_PTHREAD_READ ? RAW_PTHREAD_WRITE : kind, object);
  /* Before the record: who wakes us from now on finds the count. */
  atomic_fetch_add(waiting_count(address), 1);
  layer_calls->wait(kind, code, address, fourth, weight);
}

static void stop_counting(uintptr_t object)
{
  _Atomic uint32_t *count = waiting_count(object);
  uint32_t n = atomic_load(count);
  while (n != 0 && !atomic_compare_exchange_weak(count, &n, n - 1)) /* 0: a child of fork */
    ;
}

void wait_ends(struct wait *wait, unsigned how)
{
  if (wait->kind == 0)
    return;
  stop_counting(wait->object);
  layer_calls->waited(wait->kind | how, wait->object);
}

void wait_ends_with_lock(struct wait *wait, unsigned how)
{
  wait_ends(wait, how);
  if (wait->kind != 0 && (how & (RAW_PTHREAD_TIMED_OUT | RAW_PTHREAD_FAILED)) == 0)
    thread_self_hold(wait->kind, wait->object);
}

void wait_cancelled(void *wait)
{
  wait_ends(wait, RAW_PTHREAD_FAILED);
}

void wait_release(unsigned how, const void *object, uintptr_t code)
{
  uintptr_t address = (uintptr_t)object;
  if (thread_self_holds != 0)
    thread_self_release(address);
  if (!waiting_for(address))
    return;
  uintptr_t program = callers_code(code);
  if (program != 0)
    layer_calls->wake(how, program, address);
}
