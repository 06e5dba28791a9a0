/*
 * Private to wakers/: steps of one tick. Within it, what ends waits comes before the ends of waits, whatever the
 * numbers of their locations are; converters end a wait at the very time of the last arrival.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_TICK_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_TICK_H

#include "analyzer/analyses/waits/matcher.h"

struct tick {
  VECTOR(struct tick_step {
    struct waker_step step;
    uint32_t location;
  })
  steps;
};

/* Hands the steps of earlier ticks on to the matcher. False: no memory. */
bool tick_take(struct tick *tick, struct matcher *matcher, uint32_t location, const struct waker_step *step);
/* Hands all steps on. */
bool tick_finish(struct tick *tick, struct matcher *matcher);
void tick_free(struct tick *tick);

#endif
