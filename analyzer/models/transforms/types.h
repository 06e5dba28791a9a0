/* All transforms. A new one is a file, and a line in types.c. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_TYPES_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_TYPES_H

#include "analyzer/models/sequences/pes.h"

struct transform_type {
  const char *keyword;
  bool is_projection; /* its argument may end in --no-merge */
  /* Is the argument well-formed? open() checks what depends on the sequence. */
  bool (*check)(const char *argument, struct error *error);
  /* A stream over the source, which it takes over unless it returns NULL: an error. */
  struct pes_stream *(*open)(struct pes_stream *source, const char *argument, struct error *error);
};

extern const struct transform_type transform_clip_time, transform_clip_ends, transform_clip_range, transform_clip_phase,
    transform_filter_time, transform_filter_count, transform_aggregate, transform_project, transform_drop,
    transform_merge_values, transform_merge_components, transform_plugin;

extern const struct transform_type *const transform_types[]; /* NULL behind the last */

#endif
