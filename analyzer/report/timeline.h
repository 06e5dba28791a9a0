/*
 * Timeline of a run, or of the analyzed part: the lanes of all locations, and the number of threads in each state over
 * time. All times but `start` are ticks since the first thread's beginning. Memory grows with locations, regions and
 * blocks; the contents of blocks are in the spool.
 */
#ifndef HEDDLE_ANALYZER_REPORT_TIMELINE_H
#define HEDDLE_ANALYZER_REPORT_TIMELINE_H

#include "analyzer/analyses/waits/waits.h"
#include "analyzer/report/location.h"
#include "analyzer/report/teamwork.h"
#include "base/pool.h"

struct timeline {
  const struct trace *trace;
  uint64_t start;    /* ticks of the trace */
  uint64_t duration; /* below 2^53, which numbers of a page can hold exactly */
  struct detail detail;
  struct codes *codes;
  struct bins *bins;
  struct spool *spool;
  struct level_budget budget;         /* the lanes have the levels from budget.from on */
  struct level_budget threads_budget; /* the same of the lanes at the level of threads */
  struct longest *longest;            /* a region */
  struct location_lanes *locations;   /* one a location of the trace */
  struct teamwork teamwork;           /* set by the caller, like the next one; times are the trace's */
  struct critical_paths paths;
};

/* Extent of a timeline. */
struct timeline_wanted {
  uint64_t first, last; /* ticks of the trace between which threads live; first > last: none does */
  uint64_t limit;       /* bytes of the file that it alone goes into; 0: all levels are kept */
};

/* Reads the part of the trace that is analyzed, and again at the level of threads if that differs. False: an error.
 * Free with report_timeline_free(), also after an error.
 */
bool report_timeline_read(struct trace *trace, struct pool *pool, const struct timeline_wanted *wanted,
                          struct timeline *timeline, struct error *error);
void report_timeline_free(struct timeline *timeline);

#endif
