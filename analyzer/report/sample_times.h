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

/*
 * Fills in `times` in a pass of either kind. The trace, `samples` and `times` outlive it. NULL: an error. After the
 * pass: sample_times_end(), also if it failed. Free the times with sample_times_free(), also then.
 */
struct sample_times_taker;
struct sample_times_taker *sample_times_begin(const struct trace *trace, const struct samples *samples,
                                              struct sample_times *times, struct error *error);
const struct subscriber *sample_times_subscriber(const struct sample_times_taker *taker);
void sample_times_end(struct sample_times_taker *taker); /* NULL is allowed */
void sample_times_free(struct sample_times *times);

/* Adds the next sample of a thread that keeps at most `most`, at least 2. False: no memory. */
bool sample_times_add(struct sample_times_lane *lane, const struct samples_event *event, uint64_t number, size_t most);

#endif
