/*
 * One location's events become its lanes: the states, and below them the regions that are open at each depth. Along the
 * way the time in each state is added to the run's bins.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LOCATION_H
#define HEDDLE_ANALYZER_REPORT_LOCATION_H

#include "analyzer/pass/pass.h"
#include "analyzer/report/bins.h"
#include "analyzer/report/code_sums.h"
#include "analyzer/report/codes.h"
#include "analyzer/report/lanes.h"

#define LANE_DEPTHS 6                 /* of nested regions that have a lane; deeper ones are not shown */
#define LANES_MAX   (1 + LANE_DEPTHS) /* the states, then the regions from the outermost on */

/* Times are ticks since the run's start. */
struct location_lanes {
  uint64_t begin, end; /* both 0: no events */
  unsigned count;      /* lanes; 0 when there are no events */
  bool deeper;         /* more regions were nested than there are lanes */
  struct lane lanes[LANES_MAX];
  struct code_sum *sums; /* of the states' lane */
  uint32_t sum_count;
  /* How often regions were left when they were entered, which no lane can show: code * INSTANT_BINS + the bin of the
   * run that it was in. Of codes up to INSTANT_CODES. */
  struct code_sum *instants;
  uint32_t instant_count;
};

#define INSTANT_BINS  512  /* of equal length */
#define INSTANT_CODES 4096 /* 50 MB a worker */

void location_lanes_free(struct location_lanes *lanes);

/* What all locations have in common. */
struct location_job {
  const struct trace *trace;
  const struct detail *detail;
  struct codes *codes;
  struct spool *spool;
  struct level_budget *budget;
  uint64_t start; /* of the run, ticks of the trace */
};

/* The longest time that a region was open at a stretch: where to look for it. */
struct longest {
  uint64_t begin, end; /* both 0: never entered */
  uint32_t location;
};

/* Whether `a` is longer than `b`, of equal ones the one of the lower number. */
static inline bool longest_is_more(const struct longest *a, const struct longest *b)
{
  uint64_t left = a->end - a->begin, right = b->end - b->begin;
  return left != right ? left > right : left > 0 && a->location < b->location;
}

/* What a thread makes lanes with, one location after the other. */
struct location_worker;

/* The job, and the bins and the longest (one a region), which are this worker's alone, outlive it. NULL: no memory. */
struct location_worker *location_worker_create(const struct location_job *job, struct bins *bins,
                                               struct longest *longest);
void location_worker_destroy(struct location_worker *worker);

/* A location begins; it and the error outlive it. */
void location_worker_begin(struct location_worker *worker, const struct pass_location *location, struct error *error);
/* The calls of a subscriber (pass/subscriber.h) that asks for borders. The caller frees the lanes. */
bool location_worker_event(struct location_worker *worker, const struct trace_event *event);
void location_worker_interval(struct location_worker *worker, const struct state_interval *interval);
bool location_worker_end(struct location_worker *worker, struct location_lanes *lanes);

#endif
