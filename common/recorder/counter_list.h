/*
 * Which counters a process reads, as numbers: the recorder knows no names of events. HEDDLE_COUNTERS has them, and
 * `heddle record --counters` or `heddle counters --setting` make it from names:
 *
 *     NAME=p:TYPE:CONFIG:EXCLUDED    a perf event; TYPE and CONFIG of perf_event_open in hexadecimal digits; EXCLUDED:
 * 1 the program's own code is not counted, 2 the kernel is not, 0 both are NAME=u:FIELD                   of
 * getrusage(RUSAGE_THREAD), enum counter_usage NAME=c:0                       the thread's processor time, in ns
 *     NAME=t:NUMBER                  heddle_test_counter(NUMBER), a function of the program's; for tests
 *
 * with commas between them. Each has an equals sign in front of the letter; a name has neither that nor a comma.
 */
#ifndef HEDDLE_COMMON_RECORDER_COUNTER_LIST_H
#define HEDDLE_COMMON_RECORDER_COUNTER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTERS_MOST 8u

enum counter_source { COUNTER_PERF = 'p', COUNTER_USAGE = 'u', COUNTER_CLOCK = 'c', COUNTER_TEST = 't' };

enum counter_usage {
  COUNTER_FAULTS = 0,
  COUNTER_MINOR_FAULTS = 1,
  COUNTER_MAJOR_FAULTS = 2,
  COUNTER_SWITCHES = 3,
  COUNTER_USAGES = 4
};

#define COUNTER_NO_USER   1u
#define COUNTER_NO_KERNEL 2u

struct counter {
  enum counter_source source;
  uint32_t type;     /* PERF */
  uint64_t number;   /* PERF: config; USAGE: enum counter_usage; TEST: any */
  unsigned excluded; /* PERF: COUNTER_NO_... */
};

struct counter_list {
  struct counter list[COUNTERS_MOST];
  unsigned count;
};

/* False: the text is no such list. */
bool counter_list_read(struct counter_list *counters, const char *text);

#endif
