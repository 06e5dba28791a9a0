/* Results of waits.h, and listeners to what is found. Users include waits.h, which includes this. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_RESULTS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_RESULTS_H

#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/trace/states/machine.h"
#include "base/statistics.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where a path was: on which thread from when to when. Beyond LINE_MOST stretches, neighbors that are short for the
 * whole line are joined and get the thread of the longest one. Memory is therefore bounded.
 */

#define LINE_MOST 2000

struct path_stretch {
  uint32_t location;
  uint64_t begin, end; /* ticks; between two stretches the path is on no thread */
};

struct path_line {
  VECTOR(struct path_stretch) stretches;
};

/* Adds a stretch behind the others. False: no memory. */
bool line_add(struct path_line *line, struct path_stretch stretch);
/* Adds the stretches of another line, which come later. False: no memory. */
bool line_append(struct path_line *line, const struct path_line *later);
/* At most LINE_MOST stretches. */
void line_shorten(struct path_line *line);
void line_free(struct path_line *line);

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
  uint64_t omitted; /* executions at the place that are not recorded; `times` has only recorded ones */
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
  wide_total ticks, lifetimes; /* time of all threads, measured */
  wide_total not_measured;
  uint64_t beyond_limit; /* causes beyond the limit, counted as unknown */
};

/* One process' path, from its first event to its last. */
struct critical_path {
  uint32_t process; /* TRACE_NONE: of threads that are in none */
  uint32_t last;    /* the location whose end is the path's */
  uint64_t ticks;   /* its length, which is the length of the process' run; the sum of its parts */
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

/* Listeners: who hears what is found when it is found. */

/* A wait, or a part of it, that has ended. All times are ticks. */
struct waits_woken {
  uint32_t location;    /* that waited */
  uint64_t since, time; /* after the last task that it executed meanwhile */
  enum wake_how how;
  uint32_t from;      /* BY_THREAD, AMBIGUOUS, INTERRUPTED: who ended it; else TRACE_NONE */
  uint64_t from_time; /* ... and when */
};

/*
 * A listener gets each result when it is found, in order of time over all threads. It gets the begin of each thread,
 * its activity, then its waits that ended at that time. Activities do not overlap and have
 * no gap; their `off` is 0. Called by one thread at a time. False: no memory.
 */
struct waits_listener {
  void *context;
  bool (*begins)(void *context, uint32_t location, uint64_t time);
  bool (*did)(void *context, uint32_t location, const struct state_interval *interval);
  bool (*woken)(void *context, const struct waits_woken *woken);
  bool (*stops)(void *context, uint32_t location, uint64_t time);
};

#endif
