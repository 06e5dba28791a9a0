/*
 * Instances that are not recorded: constructs that the budget (`heddle record --budget`) omitted, and omitted instances
 * of sampled places. At a sampled place a recorded instance stands for several, by its weight.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_UNRECORDED_UNRECORDED_H
#define HEDDLE_ANALYZER_ANALYSES_UNRECORDED_UNRECORDED_H

#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

/* Instances of one construct. */
struct unrecorded_construct {
  uint64_t instances; /* of teams: each counts once, for all its threads */
  uint64_t joined;    /* how often other threads than the first took part */
  wide_total time;    /* ticks of all threads in them; threads that joined a region: up to its last barrier */
  uint64_t chunks;    /* and sections */
  /* Sums of archives with weights, on all threads: */
  uint64_t executions; /* by weight, with those after the last recorded one of a thread; without skipped ones */
  uint64_t recorded;
};

struct unrecorded {
  struct unrecorded_construct *constructs; /* one a region; NULL: nothing was skipped, and no weights */
  uint32_t regions;                        /* of the trace */
};

/* Adds up in a pass of either kind; its result is a struct unrecorded. Merges the results of any locations. */
extern const struct analysis unrecorded_analysis;

/* True if some of a construct's executions were omitted because there were too many. */
static inline bool unrecorded_is_thinned(const struct unrecorded_construct *construct)
{
  return construct->executions > construct->recorded;
}

#endif
