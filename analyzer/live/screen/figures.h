/* Figures of the screen's tables, from the difference of two readings. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_FIGURES_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_FIGURES_H

#include "analyzer/live/readings/reading.h"

/* A construct, or time in no construct: then region is TRACE_NONE. Times are sums over all threads. */
struct construct_figures {
  uint32_t region;
  enum profile_kind kind;
  uint64_t executions, longest;
  wide_total self;
  wide_total waiting; /* at its barrier, at its ends, or for its lock */
  wide_total win;     /* the mean of the threads' waits */
};

struct lock_figures {
  uint32_t region;
  uint64_t acquired, contended, longest;
  wide_total waiting, held;
};

struct figures {
  struct live_reading between;
  struct states_sums sums; /* of it */
  uint64_t stretch;        /* ticks from the one reading to the other */
  uint32_t only;           /* the lists below are of this thread; TRACE_NONE: of all */
  wide_total time;         /* of these threads */
  struct construct_figures *constructs;
  struct lock_figures *locks;
  uint32_t *threads; /* locations; the first is TRACE_NONE: all threads */
  size_t construct_count, lock_count, thread_count;
};

/* Takes the reading, also if it fails. False: out of memory; the figures are empty then. */
bool figures_make(struct figures *figures, struct live_reading *between, uint64_t stretch, uint32_t only);
/* Makes the lists of constructs and locks again, for one thread or all. False: out of memory; they are empty then. */
bool figures_of(struct figures *figures, uint32_t only);
void figures_free(struct figures *figures);

/* The ticks by state of a thread, or of all. */
void figures_states(const struct figures *figures, uint32_t location, wide_total ticks[STATES]);

/* Threads that live. */
uint32_t figures_alive(const struct figures *figures);

/* Columns; a table is first sorted by its first one. */
enum construct_column {
  CONSTRUCT_WIN,
  CONSTRUCT_SELF,
  CONSTRUCT_WAITING,
  CONSTRUCT_RATE,
  CONSTRUCT_LONGEST,
  CONSTRUCT_COLUMNS
};
enum lock_column { LOCK_WAITING, LOCK_HOLDING, LOCK_ACQUIRED, LOCK_CONTENDED, LOCK_LONGEST, LOCK_COLUMNS };
enum thread_column { THREAD_NAME, THREAD_RUN, THREAD_WAITING, THREAD_IDLE, THREAD_COLUMNS };

/* The largest first; threads by name (thread 2 before thread 10). */
void figures_sort_constructs(struct figures *figures, enum construct_column column);
void figures_sort_locks(struct figures *figures, enum lock_column column);
void figures_sort_threads(struct figures *figures, enum thread_column column);

/* A thread's ticks in a column; beside its name: all. */
wide_total figures_thread(const struct figures *figures, uint32_t location, enum thread_column column);

#endif
