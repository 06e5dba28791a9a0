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
  struct level_budget budget;       /* the lanes' levels from budget.from on are there */
  struct longest *longest;          /* a region */
  struct location_lanes *locations; /* one a location of the trace */
  struct teamwork teamwork;         /* the caller's, to be put here; times are the trace's */
};

/* What a timeline is read for. */
struct timeline_wanted {
  uint64_t first, last; /* ticks of the trace between which threads live; first > last: none does */
  uint64_t limit;       /* bytes of the file that it alone goes into; 0: all levels are kept */
};

/* Reads what is looked at of the trace. False: an error. Free with timeline_free(), also after an error. */
bool timeline_read(const struct trace *trace, struct pool *pool, const struct timeline_wanted *wanted,
                   struct timeline *timeline, struct error *error);
void timeline_free(struct timeline *timeline);

#endif
