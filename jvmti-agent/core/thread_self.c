#include "jvmti-agent/core/thread_self.h"

#include <pthread.h>

/* The JVM keeps 100 KiB for itself; compiled and interpreted code of one method differ by less than the rest. */
#define ZONE_BYTES (192u << 10)
/* Two calls from one frame are nearer to each other, however often its code is exchanged meanwhile. */
#define ONE_FRAME (16u << 10)

static void find_zone(struct stack_end *end, uintptr_t here)
{
  pthread_attr_t attributes;
  void *stack;
  size_t size;
  end->zone = 1;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &stack, &size) == 0 && here - (uintptr_t)stack < size)
    end->zone = (uintptr_t)stack + (size < ZONE_BYTES ? size : ZONE_BYTES);
  pthread_attr_destroy(&attributes);
}

bool stack_end_look(struct stack_end *end, uintptr_t here)
{
  if (end->zone == 0)
    find_zone(end, here);
  end->beyond = ~end->zone;
  return here < end->zone;
}

enum stack_end_report stack_end_acquired(struct stack_end *end, uintptr_t here)
{
  bool near = stack_end_is_near(end, here);
  if (here < end->silent)
    return STACK_END_NOTHING;
  end->silent = 0;
  if (near) {
    end->silent = end->holds > 0 && end->first - ONE_FRAME > end->zone ? end->first - ONE_FRAME : end->zone;
    end->holds = 0;
    return STACK_END_RELEASE_ALL;
  }
  if (end->holds++ == 0)
    end->first = here;
  return STACK_END_REPORT;
}

bool stack_end_released(struct stack_end *end, uintptr_t here)
{
  if (end->holds > 0)
    end->holds--;
  return here >= end->silent;
}

__thread struct thread_self thread_self;
