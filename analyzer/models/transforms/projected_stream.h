/* A projected sequence, as a stream over its source. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_PROJECTED_STREAM_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_PROJECTED_STREAM_H

#include "analyzer/models/transforms/projection.h"

/* Takes over the projection in any case, and the source unless it returns NULL: an error. */
struct pes_stream *projected_stream_open(struct pes_stream *source, struct projection *projection, struct error *error);

#endif
