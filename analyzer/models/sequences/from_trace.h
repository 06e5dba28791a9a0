/*
 * Sequences of an OTF2 archive: a record whenever a component changes. A collector makes sequences during the pass of
 * another analysis; their records are in temporary files until the pass ends.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_FROM_TRACE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_FROM_TRACE_H

#include "analyzer/models/sequences/stream.h"
#include "analyzer/models/sequences/trace_options.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"

struct pes_collector;

/*
 * Makes a collector for `count` sequences of the same component, at most PES_SEQUENCES_MOST. A sequence with more than
 * `states_most` states (0: no limit) is dropped during the pass. The trace outlives the collector; options are copied.
 * NULL: an error.
 */
struct pes_collector *pes_collector_create(const struct trace *trace, const struct pes_trace_options *options,
                                           unsigned count, uint32_t states_most, struct error *error);
const struct subscriber *pes_collector_subscriber(const struct pes_collector *collector);

/*
 * Fills in a stream for each of the options after the pass; NULL for a dropped one. Frees the collector. False: an
 * error.
 */
bool pes_collector_finish(struct pes_collector *collector, struct pes_stream **streams, struct error *error);

/* After a failed pass: fills in the error if a sequence caused the failure. */
void pes_collector_explain(const struct pes_collector *collector, struct error *error);
/* Frees the collector after a failed pass, and explains. NULL is allowed; `error` NULL: it is not wanted. */
void pes_collector_cancel(struct pes_collector *collector, struct error *error);

/*
 * Returns the sequence of an archive, with the OMP_* settings of the run as parameters. Trace and pool outlive the
 * stream. The pool reads the archive once, while the stream is read. The archive is read first, into a temporary file,
 * if components are not known beforehand (COUNTS, locks, counters) or the stream is read again. NULL: an error.
 */
struct pes_stream *pes_from_trace(const struct trace *trace, struct pool *pool, const struct pes_trace_options *options,
                                  struct error *error);

/* Interval of a location. Intervals may overlap. */

struct pes_interval {
  uint64_t begin, end; /* ticks */
  uint32_t location;
};

/*
 * Returns the sequence of the number of open intervals. It has a component for each location that has intervals, named
 * as the location; with `total`, one component of this name. The trace gives names, parameters and its time. NULL: an
 * error.
 */
struct pes_stream *pes_from_intervals(const struct trace *trace, const struct pes_interval *list, size_t count,
                                      const char *total, struct error *error);

#endif
