/*
 * The timeline of a run, or of that part of it that is looked at: the lanes of all its locations, and how many threads
 * were in which state when. All times but `start` are ticks since the first moment of it at which a thread lives.
 * Memory grows with locations, regions and blocks; the blocks themselves are in the spool.
 */
#ifndef HEDDLE_ANALYZER_REPORT_TIMELINE_H
#define HEDDLE_ANALYZER_REPORT_TIMELINE_H

#include "analyzer/report/location.h"
#include "analyzer/report/teamwork.h"
#include "base/pool.h"

struct timeline {
  const struct trace *trace;
  uint64_t start;    /* ticks of the trace */
  uint64_t duration; /* to the last moment; below 2^53, so that a page can count in it */
  struct detail detail;
  struct codes *codes;
  struct bins *bins;
  struct spool *spool;
  struct longest *longest;          /* a region */
  struct location_lanes *locations; /* one a location of the trace */
  struct teamwork teamwork;         /* the caller's, to be put here; times are the trace's */
};

/*
 * Reads what is looked at of the trace; threads live between these two ticks (first > last: none does). False: an
 * error. Free with timeline_free(), also after an error.
 */
bool timeline_read(const struct trace *trace, struct pool *pool, uint64_t first, uint64_t last,
                   struct timeline *timeline, struct error *error);
void timeline_free(struct timeline *timeline);

#endif
