/* Private to wakers/: a wait that ended, and what ended it. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_WAKE_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_WAKE_H

#include "analyzer/analyses/waits/lane.h"
#include "analyzer/analyses/waits/results.h"

struct waker {
  uint64_t time;
  uint32_t location; /* TRACE_NONE: unknown */
  uint32_t region;
};

struct wake {
  uint8_t how; /* enum wake_how */
  struct waker by, also;
};

#endif
