/*
 * Instances that are not recorded: constructs that the budget (`heddle record --budget`) omitted, and omitted instances
 * of sampled places. At a sampled place a recorded instance stands for several, by its weight.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_OMITTED_OMITTED_H
#define HEDDLE_ANALYZER_ANALYSES_OMITTED_OMITTED_H

#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

/* Instances of one construct. */
struct omitted_construct {
  uint64_t instances; /* of teams: each counts once, for all its threads */
  uint64_t joined;    /* how often other threads than the first took part */
  wide_total time;    /* ticks of all threads in them; threads that joined a region: up to its last barrier */
  uint64_t chunks;    /* and sections */
  /* Sums of archives with weights, on all threads: */
  uint64_t executions; /* by weight, with those after the last recorded one of a thread; without omitted ones */
  uint64_t recorded;
};

struct omitted {
  struct omitted_construct *constructs; /* one a region; NULL: nothing was omitted, and no weights */
  uint32_t regions;                     /* of the trace */
};

/* Adds up in a pass of either kind; its result is a struct omitted. Merges the results of any locations. */
extern const struct analysis omitted_analysis;

/* True if some of a construct's executions were omitted because there were too many. */
static inline bool omitted_in_part(const struct omitted_construct *construct)
{
  return construct->executions > construct->recorded;
}

#endif
