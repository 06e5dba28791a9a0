/* Private to why/: when in the run time was lost. */
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

/* Adds up in a pass of either kind. NULL: no memory. After the pass: windows_end(), which drops the taker, or
 * windows_drop() if the pass failed. */
struct windows_taker;
struct windows_taker *windows_begin(const struct trace *trace, struct pool *pool, struct error *error);
const struct subscriber *windows_subscriber(const struct windows_taker *taker);
void windows_drop(struct windows_taker *taker);
/* Free the result with windows_free(). */
void windows_end(struct windows_taker *taker, struct windows *windows);
void windows_free(struct windows *windows);

/* The shortest stretch of the run with nearly all of the time: windows from *begin to before *end. Returns the part of
 * the time that lies in it, 0 to 1; 0: there is no such time. */
double windows_stretch(const uint64_t ticks[WINDOWS], unsigned *begin, unsigned *end);

#endif
