/* Time that was lost, by tenth of the run. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_WINDOWS_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_WINDOWS_H

#include "analyzer/trace/pass/pass.h"

enum { WINDOWS = 10 }; /* equal parts of the analyzed part of the run */

struct windows_run {
  uint64_t begin, length; /* ticks */
};

/* Ticks of all threads. */
struct windows {
  struct windows_run of;
  uint64_t (*lost)[WINDOWS];   /* by region: in other states than RUN and UNMEASURED */
  uint64_t alone[WINDOWS];     /* RUN outside of regions */
  uint64_t collected[WINDOWS]; /* GC */
};

/* Adds up in a pass of either kind; its result is a struct windows. */
extern const struct analysis windows_analysis;

/*
 * The same by tenth of a longer run, which begins earlier, in ticks. What lies in a window is taken to be spread
 * evenly. `before`: ticks before the windows, of one thread.
 */
void windows_of_run(const struct windows_run *windows, const struct windows_run *run, uint64_t before,
                    uint64_t ticks[WINDOWS]);

/* The shortest stretch of the run with nearly all of the time: windows from *begin to before *end. Returns the part of
 * the time that lies in it, 0 to 1; 0: there is no such time. */
double windows_stretch(const uint64_t ticks[WINDOWS], unsigned *begin, unsigned *end);

#endif
