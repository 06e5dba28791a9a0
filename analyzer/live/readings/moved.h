/*
 * Samples that went from one function to another between two readings: outlined code is told by its own name until the
 * name of its construct is known, and code in no module by none. They are no news of the other function.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_MOVED_H
#define HEDDLE_ANALYZER_LIVE_READINGS_MOVED_H

#include "analyzer/live/profile/profile.h"

#include <stdbool.h>

/* Takes what a thread's functions have lost since `before` from those of `now` that gained, new ones first. After that,
 * what a function gained is what came. Metrics of both are sorted alike. False: no memory. */
bool live_moved_samples(struct profiled *now, const struct profiled *before);

#endif
