/*
 * Intervals as an OTF2 archive of their own, for viewers that have none. They overlap, and go from thread to thread,
 * but regions of a location must nest. So each kind has locations of its own for each thread where intervals begin, as
 * many as are open at a time. Times are those of the trace.
 */
#ifndef HEDDLE_ANALYZER_IMPORT_INTERVALS_ARCHIVE_H
#define HEDDLE_ANALYZER_IMPORT_INTERVALS_ARCHIVE_H

#include "analyzer/intervals/spec.h"
#include "analyzer/intervals/taken.h"
#include "analyzer/trace/definitions.h"

#define INTERVALS_ARCHIVE_LANES 256 /* intervals of a kind and a thread that may be open at a time */

/* Writes into a directory, which is made if it is not there and must have no archive. False: an error, and none is
 * left.
 */
bool intervals_archive_write(struct intervals_taken *taken, const struct trace *trace, const struct spec *spec,
                             const char *directory, struct error *error);

#endif
