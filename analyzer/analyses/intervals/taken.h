/* All intervals, in memory: 32 bytes each, so they are bounded. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_TAKEN_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_TAKEN_H

#include "analyzer/analyses/intervals/match.h"
#include "base/vector.h"

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

#endif
