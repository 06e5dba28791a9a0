/* What a thread's executions of a construct add that are not recorded. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_STATES_THINNED_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_STATES_THINNED_H

#include "analyzer/analyses/unrecorded/estimates/estimate.h"

struct states_thinned {
  uint32_t region, location;
  struct estimate ticks; /* exclusive, as in struct states_construct, in all states */
};

#endif
