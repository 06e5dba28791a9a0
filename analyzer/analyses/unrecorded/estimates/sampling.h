/*
 * The recorded instances of one place on one thread, in order, and what the others in between add to estimates. A
 * sample belongs to a domain, such as the lock that it acquired: each domain has a total of its own.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_UNRECORDED_ESTIMATES_SAMPLING_H
#define HEDDLE_ANALYZER_ANALYSES_UNRECORDED_ESTIMATES_SAMPLING_H

#include "analyzer/analyses/unrecorded/estimates/estimate.h"

#include <stdint.h>

struct sample {
  uint64_t value;
  uint32_t domain;
};

/* {0} at the begin. */
struct sampling {
  bool any;
  bool only_first; /* so far, and with a weight of 1: it is recorded always, and may be slow as nothing is warm */
  bool mixed;      /* it has samples of several domains */
  uint64_t head;   /* instances before the first sample */
  struct sample first, last; /* samples */
  uint64_t pairs;            /* of neighbours in one domain */
  double spread;             /* the sum of the squares of their differences, halved */
};

/* What domains get. The same domain may have two parts. */
struct sampling_step {
  struct sampling_part {
    uint32_t domain;
    struct estimate more;
  } parts[2];
  unsigned count; /* 0 where all instances are recorded */
};

/* The next sample. `weight`: the instances since the sample before, with this one; at least 1. */
void sampling_take(struct sampling *sampling, uint64_t weight, struct sample sample, struct sampling_step *step);

/* After the last sample came so many instances. Without any sample nothing is known of them. */
void sampling_end(const struct sampling *sampling, uint64_t instances, struct sampling_step *step);

#endif
