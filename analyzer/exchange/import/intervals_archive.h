/*
 * Archive of intervals, for viewers that have none. Intervals overlap and go from thread to thread, but regions of a
 * location must nest. So each kind has its own locations for each thread where intervals begin, as many as are open at
 * a time. Times are the trace's times. An interval is written when it is found: memory grows with locations and
 * distinct texts.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_INTERVALS_ARCHIVE_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_INTERVALS_ARCHIVE_H

#include "analyzer/analyses/intervals/match.h"
#include "analyzer/trace/definitions.h"

#define INTERVALS_ARCHIVE_LANES 256 /* intervals of a kind and a thread that may be open at a time */

struct intervals_archive;

/*
 * Opens an archive in a directory, which is made if it does not exist and must have no archive. The regions have the
 * attributes of both ends (ends.h); ends_want() comes before. Trace and specification outlive it. NULL: an error.
 */
struct intervals_archive *intervals_archive_open(const struct trace *trace, const struct spec *spec,
                                                 const char *directory, struct error *error);

/* Writes an interval; a sink for struct intervals_options. False: intervals_archive_close() has the reason. */
bool intervals_archive_put(void *archive, const struct spec_interval *interval, const struct match_point *start,
                           const struct match_point *end);

/*
 * Completes the archive; removes it if `good` is false, on failure, or if there are no intervals. Frees the handle.
 * False: it was removed; `error` has the reason of this or an earlier failure of the archive, if there was one.
 */
bool intervals_archive_close(struct intervals_archive *archive, bool good, struct error *error);

#endif
