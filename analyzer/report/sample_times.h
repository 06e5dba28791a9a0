/*
 * When each thread's samples were taken, for the timeline. Of a thread with many, each second, fourth, ... one is kept:
 * all threads together have about SAMPLE_TIMES_MOST, however long the run was.
 */
#ifndef HEDDLE_ANALYZER_REPORT_SAMPLE_TIMES_H
#define HEDDLE_ANALYZER_REPORT_SAMPLE_TIMES_H

#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"
#include "base/vector.h"

#define SAMPLE_TIMES_MOST  200000
#define SAMPLE_TIMES_LEAST 32 /* that a thread keeps, however many threads there are */

struct sample_times_lane {
  VECTOR(struct samples_event) list; /* in order of time; the first of each `every` samples */
  uint64_t every;                    /* a power of 2 */
};

struct sample_times {
  struct sample_times_lane *lanes; /* by location */
  uint32_t lane_count;
};

/* Keeps them in a pass of either kind. Options: the struct samples, which are needed and outlive the analysis; result:
 * struct sample_times. */
extern const struct analysis sample_times_analysis;

/* Adds the next sample of a thread that keeps at most `most`, at least 2. False: no memory. */
bool sample_times_add(struct sample_times_lane *lane, const struct samples_event *event, uint64_t number, size_t most);

#endif
