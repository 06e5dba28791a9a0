/*
 * Counters (HEDDLE_COUNTERS): what the processor and the kernel counted for a thread, such as instructions and page
 * faults. The thread reads them itself at borders of constructs (cpu_time_reading.h): what lies between two readings
 * belongs to what the thread did meanwhile. A reading costs a system call or two, so it is bounded: a thread may read
 * once in COUNTERS_APART times its price, and has the right to COUNTERS_AHEAD readings in advance. So constructs that
 * are long enough have a reading at each of their borders, and of short ones several share a stretch between two
 * readings.
 *
 * The calls are the thread's own, while it is busy or not attached yet. They allocate nothing but at a thread's begin,
 * and keep errno. They are no points of cancellation.
 */
#ifndef HEDDLE_COMMON_RECORDER_COUNTERS_H
#define HEDDLE_COMMON_RECORDER_COUNTERS_H

#include "common/raw/raw_trace.h"
#include "common/recorder/counter_list.h"

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

#endif
