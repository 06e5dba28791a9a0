/*
 * Contents of the slow intervals of a kind, beside the others: time in each state and construct, and samples
 * (trace/samples.h) in each function. The figures are means for one interval. So a reader sees what is different.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVAL_CONTENTS_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVAL_CONTENTS_H

#include "analyzer/analyses/intervals/match.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"
#include "base/statistics.h"
#include "base/vector.h"

/* All intervals, in memory: 32 bytes each, so they are bounded. */

#define INTERVALS_TAKEN_MOST (UINT32_C(1) << 25) /* 1 GiB; users of the list need up to three times as much again */

struct interval_taken {
  uint64_t begin, end; /* ticks */
  uint32_t from, to;   /* locations */
  uint32_t kind;       /* interval of the specification */
  bool slow;           /* for the owner of the list */
};

struct intervals_taken {
  VECTOR(struct interval_taken) list; /* in the order of being found */
  bool too_many;
};

/* A sink for struct intervals_options. After it failed: intervals_taken_why(). */
static inline bool intervals_take(void *into, const struct spec_interval *interval, const struct match_point *start,
                                  const struct match_point *end)
{
  struct intervals_taken *taken = (struct intervals_taken *)into;
  taken->too_many = taken->list.count == INTERVALS_TAKEN_MOST;
  struct interval_taken one = {
      .begin = start->time, .end = end->time, .from = start->thread, .to = end->thread, .kind = interval->index};
  return !taken->too_many && vector_push(&taken->list, one);
}

/* The reason goes into `error` if there were too many. */
static inline void intervals_taken_why(const struct intervals_taken *taken, struct error *error)
{
  if (taken->too_many)
    error_set(error,
              "more than %u intervals: this keeps all of them in memory; choose fewer with --from and --to, "
              "--only-threads, or a condition in the specification",
              INTERVALS_TAKEN_MOST);
}

/* Which are slow. */
struct inside_slow {
  uint64_t longest; /* so many of each kind; 0: a part of them */
  double part;      /* 0 to 1, rounded up: of each kind at least one is slow */
};

/* Where the time of an interval is looked at. */
enum inside_thread { INSIDE_SAME, INSIDE_FROM, INSIDE_TO, INSIDE_THREADS };

#define INSIDE_SAMPLES STATES /* not a state: the row has samples of a function, not time of a construct */

/* All intervals of a kind; a time with several open intervals counts for each. */
struct inside_row {
  uint32_t kind;
  enum inside_thread thread;
  uint32_t state;          /* enum state, or INSIDE_SAMPLES */
  uint32_t construct;      /* region, TRACE_NONE: outside of all; or a function of the samples */
  wide_total slow, others; /* ticks, or samples that a timer took */
};

/* Slow ones, or the others, of a kind. */
struct inside_group {
  uint64_t count;
  uint64_t shortest; /* ticks */
  wide_total total;
};

struct inside_kind {
  struct inside_group slow, others;
};

struct inside {
  struct inside_kind *kinds; /* by interval of the specification */
  uint32_t kind_count;
  struct inside_row *rows; /* by kind, time before samples; then the largest difference of the means first */
  size_t row_count;
};

/* How much longer it takes in one slow interval than in one of the others, in ticks, or samples. */
double inside_more(const struct inside *inside, const struct inside_row *row);

/* Reads the states in a pass of its own, and the samples, if they are not NULL; sorts the list, and marks what is slow.
 * False: an error. Free also then. */
bool inside_find(const struct trace *trace, struct pool *pool, struct intervals_taken *taken, uint32_t kinds,
                 struct inside_slow slow, const struct samples *samples, struct inside *inside, struct error *error);
void inside_free(struct inside *inside);

#endif
