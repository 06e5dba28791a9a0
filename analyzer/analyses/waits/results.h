/* Private to wakers/, whose users include wakers.h: the results. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_RESULTS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_RESULTS_H

#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/analyses/waits/line.h"
#include "base/statistics.h"

#include <stddef.h>
#include <stdint.h>

enum wake_how {
  WAKE_BY_THREAD,
  WAKE_AMBIGUOUS, /* two signals were in flight; `from` and `also` are candidates */
  WAKE_INTERRUPTED,
  WAKE_TIMED_OUT,
  WAKE_ITSELF,  /* the thread was the last one to arrive, or did the last task itself */
  WAKE_BY_IO,   /* input or output: a device, or another process */
  WAKE_UNKNOWN, /* the trace does not say */
  WAKE_CUT,     /* the wait had not ended when the run, or the recording of the thread, ended */
  WAKE_HOWS
};

/* Waits at a source line, for objects of a class. All times are ticks. */
struct waits_place {
  uint32_t region;
  const char *class_name; /* of Java's objects; "": none */
  uint64_t object;        /* its number; 0: several, or none */
  uint64_t times;
  wide_total ticks; /* without tasks that the thread executed meanwhile */
  uint64_t longest;
  uint64_t left_out; /* executions at the place that are not recorded; `times` has only recorded ones */
};

/* What ended waits of a place. */
struct waits_cause {
  size_t place;
  enum wake_how how;
  uint32_t from, from_region; /* BY_THREAD, AMBIGUOUS, INTERRUPTED: location, what it did; TRACE_NONE: unknown */
  uint32_t also, also_region; /* AMBIGUOUS: another candidate */
  uint64_t times;
  wide_total ticks;
  wide_total woken;          /* from what the waker did until the thread went on, ... */
  uint64_t woken_times;      /* ... of so many of the waits: of monitors it is not known when they were released */
  wide_total meanwhile;      /* that the waker itself waited during these waits */
  uint32_t meanwhile_region; /* for what, mostly; TRACE_NONE: for nothing */
};

struct waits {
  struct waits_place *places; /* by time, the longest first */
  size_t place_count;
  struct waits_cause *causes; /* by place, then by time */
  size_t cause_count;
  struct callers callers;      /* the group is the place */
  struct callers pinned;       /* likewise: waits that kept a carrier; the region is what pinned, callers are none */
  wide_total ticks, lifetimes; /* of all threads, measured */
  wide_total unmeasured;
  uint64_t uncounted; /* causes beyond the limit, counted as unknown */
};

/* One process' path, from its first event to its last. */
struct critical_path {
  uint32_t process; /* TRACE_NONE: of threads that are in none */
  uint32_t last;    /* the location whose end is the path's */
  uint64_t ticks;   /* its length, which is that of the process' run; the sum of its parts */
  uint64_t hops;    /* how often a thread continued another one's path, of all threads */
  uint64_t lost;    /* ... could not, because too much happened in between */
  struct path_line line;
};

struct critical_part {
  size_t path;
  uint32_t location, construct; /* construct: TRACE_NONE: none */
  unsigned state; /* enum state; STATES: before the thread's first event; STATES + 1: after its last one */
  uint64_t ticks;
};

struct critical_paths {
  struct critical_path *list; /* the longest first */
  size_t count;
  struct critical_part *parts; /* by path, then by time */
  size_t part_count;
};

#endif
