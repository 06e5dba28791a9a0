/* Sequence of stretches of time that may overlap, such as intervals: the number of open ones, by thread or in total. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STRETCHES_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STRETCHES_H

#include "analyzer/models/sequences/stream.h"
#include "analyzer/trace/definitions.h"

struct pes_stretch {
  uint64_t begin, end; /* ticks */
  uint32_t location;
};

/*
 * Returns a sequence with a component for each location that has stretches, named as the location; with `total`, one
 * component of this name. The trace gives names, parameters and its time. NULL: an error.
 */
struct pes_stream *pes_from_stretches(const struct trace *trace, const struct pes_stretch *list, size_t count,
                                      const char *total, struct error *error);

#endif
