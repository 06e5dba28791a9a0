/* The sequence of an OTF2 archive: a record whenever a component changes. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_FROM_TRACE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_FROM_TRACE_H

#include "analyzer/models/sequences/stream.h"
#include "analyzer/models/sequences/trace_options.h"
#include "analyzer/trace/pass/pass.h"

/*
 * The pool reads the archive once, while the stream is read. But if the components are not known beforehand (COUNTS,
 * locks, counters), or the stream is to be read again, the archive is read first, and the records are stored in a
 * temporary file. Other streams that are read again read the archive again.
 *
 * Trace and pool outlive the stream. The program's parameters are the OMP_* settings of the run that the archive has.
 * NULL: an error.
 */
struct pes_stream *pes_from_trace(const struct trace *trace, struct pool *pool, const struct pes_trace_options *options,
                                  struct error *error);

#endif
