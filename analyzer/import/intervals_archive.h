/*
 * Intervals as an OTF2 archive of their own, for viewers that have none. They overlap, and go from thread to thread,
 * but regions of a location must nest. So each kind has locations of its own for each thread where intervals begin, as
 * many as are open at a time. Times are those of the trace. Memory grows with the intervals, 32 bytes each.
 */
#ifndef HEDDLE_ANALYZER_IMPORT_INTERVALS_ARCHIVE_H
#define HEDDLE_ANALYZER_IMPORT_INTERVALS_ARCHIVE_H

#include "analyzer/intervals/intervals.h"
#include "analyzer/trace/definitions.h"
#include "base/vector.h"

#define INTERVALS_ARCHIVE_LANES 256 /* intervals of a kind and a thread that may be open at a time */

struct interval_taken {
  uint64_t begin, end; /* ticks */
  uint32_t from, to;   /* locations */
  uint32_t kind, lane;
};

struct intervals_archive {
  VECTOR(struct interval_taken) list;
};

/* A sink for struct intervals_options. */
bool intervals_archive_put(void *archive, const struct spec_interval *interval, const struct match_point *start,
                           const struct match_point *end);

/* Writes into a directory, which is made if it is not there and must have no archive. False: an error, and none is
 * left.
 */
bool intervals_archive_write(struct intervals_archive *archive, const struct trace *trace, const struct spec *spec,
                             const char *directory, struct error *error);
void intervals_archive_free(struct intervals_archive *archive);

#endif
