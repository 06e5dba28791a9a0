/*
 * Sums of samples by calling context. They say which code the threads ran. Each sample of samples.otf2
 * (trace/samples.h) has its thread, and the state and construct of the thread at that time. Sums by calling context,
 * thread, construct, state and trigger: memory depends on how many of these differ, never on samples or events.
 *
 *   calls.h    the sums, from a pass of either kind; lost samples; an estimate of the time in the kernel
 *   figures.h  the contexts as a tree, and what is selected of the sums: self, inclusive, callers, callees
 *   blame.h    the waiting of other threads that code causes meanwhile
 *   compare.h  two runs, and functions that call each other in a circle
 *   exact.h    exact calls in place of samples
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"
#include "base/hash.h"
#include "base/statistics.h"
#include "base/vector.h"

/* Sums by keys of five numbers. The order of additions does not change the result. */

enum { KEY_NUMBERS = 5, KEY_VALUES = 2 };

struct key_sum {
  uint32_t key[KEY_NUMBERS];
  wide_total values[KEY_VALUES];
};

struct key_sums {
  VECTOR(struct key_sum) items;
  struct hash by_key;
};

/* False: no memory. */
bool key_sums_add(struct key_sums *sums, const struct key_sum *more);
bool key_sums_merge(struct key_sums *into, const struct key_sums *from);
/* By key. No further additions after that. */
void key_sums_sort(struct key_sums *sums);
void key_sums_free(struct key_sums *sums);

#define CALLS_OUTSIDE STATES /* not a state: before the thread's first event, or after its last one */

struct calls_cell {
  uint32_t context;   /* index in samples->contexts */
  uint32_t location;  /* of the trace */
  uint32_t construct; /* region; TRACE_NONE: none, or outside */
  uint32_t state;     /* enum state, or CALLS_OUTSIDE */
  uint32_t trigger;   /* index in samples->triggers */
  uint64_t samples;
};

/* How long a thread was in a construct and state. */
struct calls_time {
  uint32_t location, construct, state;
  uint64_t ticks;
  uint64_t processor; /* of these: on a processor, as far as the trace says so */
};

/* Samples and times of threads in the analyzed part of the trace (trace/restriction.h). */
struct calls {
  struct calls_cell *cells; /* by context, location, construct, state, trigger; each at least 1 sample */
  size_t cell_count;
  struct calls_time *times; /* by location, construct, state */
  size_t time_count;
};

/* Adds up in a pass of either kind. Options: the struct samples, which are needed and outlive the analysis; result:
 * struct calls. Merges the results of any locations. */
extern const struct analysis calls_analysis;

/* The number of samples of a trigger; of TRACE_NONE: of all. */
uint64_t calls_samples(const struct calls *calls, uint32_t trigger);

/* Samples that were taken, or due, and are not in samples.otf2, by reason, as the archive says. */

struct calls_lost {
  const char *key;    /* for programs: "threads_not_recorded" */
  const char *reason; /* for people: "of threads that were not recorded" */
  uint64_t count;     /* 0: none was lost so */
};

enum { CALLS_REASONS = 3 };

/* Fills in all reasons; returns the number of lost samples. */
uint64_t calls_lost_find(const struct trace *trace, struct calls_lost lost[CALLS_REASONS]);

/* The number of samples in samples.otf2, of all threads and triggers, as the archive says. */
uint64_t calls_taken(const struct trace *trace);

/*
 * Time in the kernel. Samples are taken of the program's code alone, so the kernel's time is a thread's time on a
 * processor minus samples x period: an estimate. It needs to know when threads had a processor (HEDDLE::SWITCHES).
 * Samples that were lost count to the kernel. Threads that Java's agent samples have no estimate: it samples them in
 * the kernel, too.
 */

/* A thread in a construct where the kernel's time is longer than chance explains. */
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
