/* Time that was lost, by tenth of the run. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_WINDOWS_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_WINDOWS_H

#include "analyzer/trace/pass/pass.h"

enum { WINDOWS = 10 }; /* equal parts of the analyzed part of the run */

/* Ticks of all threads. */
struct windows {
  uint64_t (*lost)[WINDOWS];   /* by region: in other states than RUN and UNMEASURED */
  uint64_t alone[WINDOWS];     /* RUN outside of regions */
  uint64_t collected[WINDOWS]; /* GC */
};

/* Adds up in a pass of either kind; its result is a struct windows. */
extern const struct analysis windows_analysis;

/* The shortest stretch of the run with nearly all of the time: windows from *begin to before *end. Returns the part of
 * the time that lies in it, 0 to 1; 0: there is no such time. */
double windows_stretch(const uint64_t ticks[WINDOWS], unsigned *begin, unsigned *end);

#endif
