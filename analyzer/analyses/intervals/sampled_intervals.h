/*
 * Sample of intervals for a picture. If a kind has too many intervals, only the longest of each 2, 4, 8, ...
 * consecutive ones is kept; it represents the group. So memory is bounded, the longest of all is there, and the sums
 * are exact.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_SAMPLED_INTERVALS_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_SAMPLED_INTERVALS_H

#include "analyzer/analyses/intervals/endpoint_attributes.h"
#include "analyzer/analyses/intervals/match.h"
#include "base/vector.h"

#define INTERVALS_KEPT_LEAST 64 /* intervals of a kind, however many kinds there are */

struct kept_interval {
  uint64_t begin, end; /* ticks */
  uint32_t from, to;   /* locations */
  uint64_t weight;     /* of all intervals that it stands for */
  uint64_t total;      /* their ticks; UINT64_MAX: that many or more */
  size_t values;       /* index in the kind's list where its columns begin */
};

struct kept_kind {
  const struct spec_interval *interval;
  uint64_t every; /* a power of 2: each stands for so many, the last one for so many or less */
  uint64_t taken;
  struct end_columns columns;
  VECTOR(struct spec_value) values;
  VECTOR(struct kept_interval) list; /* in the order of being found; after intervals_kept_sort() of begins */
};

struct intervals_kept {
  struct kept_kind *kinds; /* by interval of the specification */
  uint32_t count;
  size_t most; /* of a kind; even */
};

/* About `most` intervals in all. False: out of memory. Free with intervals_kept_free(), also then. */
bool intervals_kept_begin(struct intervals_kept *kept, const struct spec *spec, size_t most);
/* A sink for struct intervals_options. */
bool intervals_kept_put(void *kept, const struct spec_interval *interval, const struct match_point *start,
                        const struct match_point *end);
void intervals_kept_sort(struct intervals_kept *kept);
void intervals_kept_free(struct intervals_kept *kept);

#endif
