/*
 * Lanes of one location from its events: the states, and the open regions at each depth. The time in each state is
 * added to the run's bins.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LOCATION_H
#define HEDDLE_ANALYZER_REPORT_LOCATION_H

#include "analyzer/report/lanes.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/state.h"
#include "base/vector.h"

#include <stdint.h>

#define BINS_COUNT 2048

/*
 * Time of all threads in each state, for each part of the run. Bin i of BINS_COUNT has the ticks from
 * floor(i * duration / count) to floor((i + 1) * duration / count). The bins add up exactly to the states' totals.
 */
struct bins {
  uint64_t duration; /* ticks */
  uint64_t ticks[STATES][BINS_COUNT];
};

/* The first tick of a bin; for bin BINS_COUNT, the end of the run. */
static inline uint64_t bins_begin(const struct bins *bins, unsigned bin)
{
  return (uint64_t)((unsigned __int128)bins->duration * bin / BINS_COUNT);
}

/* Adds the time from begin to end (ticks since the run's start, within it) to a state. */
void bins_add(struct bins *bins, enum state state, uint64_t begin, uint64_t end);

/* Adds the other's ticks. */
void bins_merge(struct bins *bins, const struct bins *other);

/* Time and number of segments of a code at one location. */
struct code_sum {
  uint32_t code;
  uint64_t ticks, count; /* count 0: not shown */
};

#define LANE_DEPTHS 6                 /* nested regions with a lane; deeper ones are not shown */
#define LANES_MAX   (1 + LANE_DEPTHS) /* the states, then the regions from the outermost on */

/* Times are ticks since the run's start. */
struct location_lanes {
  uint64_t begin, end; /* both 0: no events */
  unsigned count;      /* lanes; 0 when there are no events */
  bool deeper;         /* more regions were nested than there are lanes */
  struct lane lanes[LANES_MAX];
  struct lane threads;   /* the states at the level of threads, if the second reading found any that differ */
  struct code_sum *sums; /* of the states' lane */
  uint32_t sum_count;
  /* Visits of regions that took no time, which no lane can show. Their code is code * INSTANT_BINS + bin of the run,
   * for codes up to INSTANT_CODES. */
  struct code_sum *instants;
  uint32_t instant_count;
};

#define INSTANT_BINS  512  /* of equal length */
#define INSTANT_CODES 4096 /* 50 MB a worker */

void location_lanes_free(struct location_lanes *lanes);

/* Parts that all locations share. */
struct location_job {
  const struct trace *trace;
  const struct detail *detail;
  struct codes *codes;
  struct spool *spool;
  struct level_budget *budget;
  struct level_budget *threads_budget; /* of the lanes at the level of threads */
  uint64_t start;                      /* begin of the run, ticks of the trace */
};

/* The longest visit of a region. */
struct longest {
  uint64_t begin, end; /* both 0: never entered */
  uint32_t location;
};

/* True if `a` is longer than `b`, or as long and its location has the lower number. */
static inline bool longest_is_more(const struct longest *a, const struct longest *b)
{
  uint64_t left = a->end - a->begin, right = b->end - b->begin;
  return left != right ? left > right : left > 0 && a->location < b->location;
}

/* Makes lanes of one location after the other, for one thread. */
struct location_worker;

/* The arguments outlive the worker; no other worker uses its bins and longest (one a region). NULL: out of memory. */
struct location_worker *location_worker_create(const struct location_job *job, struct bins *bins,
                                               struct longest *longest);
void location_worker_destroy(struct location_worker *worker);

/* A location begins; it and the error outlive it. If the trace is at the level of threads, the location was read
 * before, and this reading adds that lane. */
void location_worker_begin(struct location_worker *worker, const struct pass_location *location, struct error *error);
/* The calls of a subscriber (pass/subscriber.h) that asks for borders. The caller frees the lanes. */
bool location_worker_event(struct location_worker *worker, const struct trace_event *event);
void location_worker_interval(struct location_worker *worker, const struct state_interval *interval);
bool location_worker_end(struct location_worker *worker, struct location_lanes *lanes);
/* The same for a reading at the level of threads, which gets intervals alone. */
bool location_worker_end_threads(struct location_worker *worker, struct location_lanes *lanes);

#endif
