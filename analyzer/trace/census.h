/* How many events of which kind an archive has, and how often each region is entered. */
#ifndef HEDDLE_ANALYZER_TRACE_CENSUS_H
#define HEDDLE_ANALYZER_TRACE_CENSUS_H

#include "analyzer/trace/pool.h"
#include "analyzer/trace/stream.h"

struct census {
  uint64_t kinds[TRACE_KINDS];
  uint64_t *enters;     /* a region */
  uint64_t first, last; /* times of the first and of the last event; first > last when there are none */
  uint32_t threads;     /* locations that have events */
  uint64_t events;      /* all */
};

/* Reads all events. False: an error. Free with census_free(), also after an error. */
bool census_take(const struct trace *trace, struct pool *pool, struct census *census, struct trace_error *error);
void census_free(struct census *census);

#endif
