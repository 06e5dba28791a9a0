/* All intervals, in memory: 32 bytes each. */
#ifndef HEDDLE_ANALYZER_INTERVALS_TAKEN_H
#define HEDDLE_ANALYZER_INTERVALS_TAKEN_H

#include "analyzer/intervals/match.h"
#include "base/vector.h"

struct interval_taken {
  uint64_t begin, end; /* ticks */
  uint32_t from, to;   /* locations */
  uint32_t kind;       /* interval of the specification */
  uint16_t lane;       /* for the owner of the list */
  bool slow;           /* likewise */
};

struct intervals_taken {
  VECTOR(struct interval_taken) list; /* in the order of being found */
};

/* A sink for struct intervals_options. */
static inline bool intervals_take(void *into, const struct spec_interval *interval, const struct match_point *start,
                                  const struct match_point *end)
{
  struct intervals_taken *taken = (struct intervals_taken *)into;
  struct interval_taken one = {
      .begin = start->time, .end = end->time, .from = start->thread, .to = end->thread, .kind = interval->index};
  return vector_push(&taken->list, one);
}

#endif
