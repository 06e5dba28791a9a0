/*
 * Counters (HEDDLE_COUNTERS): what the processor and the kernel counted for a thread, such as instructions and page
 * faults. The thread reads them itself at borders of constructs (cpu_time_reading.h): what lies between two readings
 * belongs to what the thread did meanwhile. A reading costs a system call or two, so readings are bounded. A thread may
 * read once in COUNTERS_APART times its price, and has the right to COUNTERS_AHEAD readings in advance. So constructs
 * that are long enough have a reading at each of their borders, and of short ones several share a stretch between two
 * readings.
 *
 * The calls are the thread's own, while it is busy or not attached yet. They allocate nothing but at a thread's begin,
 * and keep errno. They are no points of cancellation.
 */
#ifndef HEDDLE_COMMON_RECORDER_COUNTERS_H
#define HEDDLE_COMMON_RECORDER_COUNTERS_H

#include "common/raw/raw_trace.h"

#include <stdbool.h>
#include <stdint.h>

#define COUNTERS_APART 50u
#define COUNTERS_AHEAD 32u

struct recorder;

/* Once a process, before it records: which counters its threads read. False: the text is no list of counters. */
bool counters_choose(const char *text);
/* That list; NULL: none was chosen. */
const char *counters_chosen(void);

/* Words of a reading's record; 0: no counters were chosen. */
unsigned counters_words(void);

/* A thread begins to record: opens what is to be counted, and puts the first reading, of zeros. Sets counters_due. The
 * thread is not counted if it may not, which is counted and said once. */
void counters_begin_thread(struct recorder *self, uint64_t now);

/* Reads, and puts a record into the window, which has room for counters_words() words. Sets counters_due. */
void counters_put(struct recorder *self, uint64_t now);

/* The thread records no more: closes what it opened. */
void counters_end_thread(struct recorder *self);

/* In a child of fork: closes what the parent's threads had opened. */
void counters_leave(void);

/* Threads of this process that were not counted, or not to their end; *error: an errno value, why. */
uint64_t counters_lost(int *error);

/* Ticks that a reading takes, as measured when the first thread began; 0: none did. */
uint64_t counters_price(void);

/*
 * List of the counters that a process reads, as numbers: the recorder knows no names of events. HEDDLE_COUNTERS has
 * them, and `heddle record --counters` or `heddle counters --setting` make it from names:
 *
 *   - NAME=p:TYPE:CONFIG:EXCLUDED: a perf event. TYPE and CONFIG are perf_event_open's, in hexadecimal digits;
 * EXCLUDED: 1 the program's own code is not counted, 2 the kernel is not, 0 both are
 *   - NAME=u:FIELD: a field of getrusage(RUSAGE_THREAD), enum counter_usage
 *   - NAME=c:0: the thread's processor time, in ns
 *   - NAME=t:NUMBER: heddle_test_counter(NUMBER), a function of the program's; for tests
 *
 * with commas between them. Each has an equals sign in front of the letter; a name has neither that nor a comma.
 */

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

/*
 * The counters of one thread: perf events, which are open at descriptors far above the usual descriptors of programs,
 * and sources that need none. Before each reading of a descriptor it is verified: the program may have closed it and
 * opened something else under its number.
 *
 * The calls are the thread's own; a child of fork also calls counter_events_close, for its parent's threads. No
 * allocation, no lock; no points of cancellation.
 */

/* In a share: the counter counted all the time; else it had a counter of the processor for so many of SHARES parts. */
#define COUNTER_WHOLE  0u
#define COUNTER_SHARES 1024u

/* Events that the processor counts together: one reading has them all. */
struct counter_group {
  uint64_t id;               /* the kernel's, of the first one */
  uint64_t enabled, running; /* ns at the last reading in which it was running */
  uint8_t member[COUNTERS_MOST];
  unsigned count;
};

struct counter_events {
  unsigned count, groups;
  struct counter_group group[COUNTERS_MOST];
  int fd[COUNTERS_MOST];         /* by counter; -1: none */
  uint64_t id[COUNTERS_MOST];    /* the kernel's */
  uint64_t last[COUNTERS_MOST];  /* as last read */
  uint64_t value[COUNTERS_MOST]; /* since the first reading; scaled where a counter did not count all the time */
  uint64_t share[COUNTERS_MOST]; /* of the last reading */
};

/* What would have been counted in all of the `enabled` ns, and the share of them that was counted. 0 < running <=
 * enabled.
 */
static inline uint64_t counter_scaled(uint64_t counted, uint64_t enabled, uint64_t running)
{
  unsigned __int128 scaled = (unsigned __int128)counted * enabled / running;
  return scaled < UINT64_MAX ? (uint64_t)scaled : UINT64_MAX;
}

static inline uint64_t counter_share(uint64_t enabled, uint64_t running)
{
  uint64_t share = (uint64_t)((unsigned __int128)running * COUNTER_SHARES / enabled);
  return share > 0 ? share : 1;
}

/* Opens what needs a descriptor for the calling thread. 0, or an errno value: then nothing is open. */
int counter_events_open(struct counter_events *events, const struct counter_list *counters);

/* Takes what is counted so far for zero. False: as below. */
bool counter_events_start(struct counter_events *events, const struct counter_list *counters);

/* Reads all of them into `value` and `share`. False: the program has closed a descriptor. */
bool counter_events_read(struct counter_events *events, const struct counter_list *counters);

void counter_events_close(struct counter_events *events);

#endif
