#include "pthread-layer/wait.h"

void wait_begins(struct wait *wait, unsigned kind, const void *object, uintptr_t code, uint64_t fourth)
{
  uintptr_t address = (uintptr_t)object;
  uint32_t weight = code != 0 ? layer_calls->weigh(kind, code) : 0;
  *wait = (struct wait){address, weight != 0 ? kind : 0};
  if (weight == 0)
    return;
  thread_self_record_counts(address);
  if (kind != RAW_PTHREAD_JOIN && kind != RAW_PTHREAD_ATOMIC) /* whose lives nobody knows */
    objects_record(kind, object);
  /* Before the record: who wakes us from now on finds the count. */
  waiting_begin(address);
  layer_calls->wait(kind, code, address, fourth, weight);
}

void wait_ends(struct wait *wait, unsigned how)
{
  if (wait->kind == 0)
    return;
  waiting_end(wait->object);
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
  if (!waiting_for(address) || (how == RAW_PTHREAD_UNLOCK && !waiting_is_first(address, (uintptr_t)&thread_self_holds)))
    return;
  uintptr_t program = callers_code(code);
  if (program != 0)
    layer_calls->wake(how, program, address);
}
