/*
 * Readings of metrics by thread, in order of time, for a page: counters, and values that other tools measured. Where
 * they are many, one of each 2, 4, ... is kept. What adds up loses only times by that: the last reading always stays.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_COUNTERS_METRIC_READINGS_H
#define HEDDLE_ANALYZER_ANALYSES_COUNTERS_METRIC_READINGS_H

#include "analyzer/trace/pass/pass.h"
#include "base/vector.h"

#define READINGS_LEAST 64 /* in a list, however many lists there are */

/* Readings of one class of metrics by one location. */
struct metric_readings_list {
  uint32_t location, class;
  uint64_t every; /* a power of 2 */
  uint64_t taken;
  VECTOR(uint64_t) times; /* ticks */
  VECTOR(double) values;  /* one a metric of the class for each time */
};

struct metric_readings {
  VECTOR(struct metric_readings_list) lists; /* by location */
};

/* Options: a size_t, about how many values are kept in all. Result: struct metric_readings. */
extern const struct analysis metric_readings_analysis;

#endif
