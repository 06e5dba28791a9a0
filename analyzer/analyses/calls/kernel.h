/*
 * Time in the kernel. Samples are taken of the program's code alone, so the kernel's time is a thread's time on a
 * processor minus samples x period: an estimate. It needs to know when threads had a processor (HEDDLE::SWITCHES).
 * Samples that were lost count to the kernel. Threads that Java's agent samples have no estimate: it samples them in
 * the kernel, too.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_KERNEL_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_KERNEL_H

#include "analyzer/analyses/calls/calls.h"

/* Of a thread in a construct, where the kernel's time is longer than what chance explains. */
struct calls_kernel_time {
  uint32_t location, construct;
  double ticks;
  double deviation; /* ticks: the standard deviation */
};

struct calls_kernel {
  bool known; /* else the archive does not say when threads had a processor, or the trigger has no period of time */
  struct calls_kernel_time *list; /* by location and construct */
  size_t count;
};

/* False: no memory. calls_kernel_free() in any case. */
bool calls_kernel_find(const struct trace *trace, const struct samples *samples, const struct calls *calls,
                       uint32_t trigger, struct calls_kernel *kernel);
void calls_kernel_free(struct calls_kernel *kernel);

#endif
