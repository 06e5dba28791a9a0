/*
 * Frame of a transform: a stream that takes the records of its source one by one and puts records of its own. A
 * transform is a struct that begins with a stage, and a class.
 */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_STAGE_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_STAGE_H

#include "analyzer/models/sequences/pes.h"

struct stage;
struct stage_class {
  /* Takes records of stage->in from in_at on while stage_has_room(), and puts the results. */
  bool (*take)(struct stage *stage, struct error *error);
  /*
   * The source has ended, and its end is in stage->stream.end: puts the remaining records and may change the end. Sets
   * stage->over to false to be called again with new room.
   */
  bool (*finish)(struct stage *stage, struct error *error);
  bool (*restart)(struct stage *stage, struct error *error);
  void (*destroy)(struct stage *stage); /* frees the transform, not its source */
};

struct stage {
  struct pes_stream stream;
  const struct stage_class *class;
  struct pes_stream *source;
  size_t most; /* records put for one that is taken, and by finish(); at most PES_BATCH */
  struct pes_record *out;
  size_t out_count, in_at, in_count;
  bool source_over, over;
  struct pes_record in[PES_BATCH];
};

/* Initializes a stage with the program and states of its source, which has been rewound. */
void stage_init(struct stage *stage, const struct stage_class *class, struct pes_stream *source, size_t most);

static inline bool stage_has_room(const struct stage *stage)
{
  return stage->out_count + stage->most <= PES_BATCH;
}

static inline void stage_put(struct stage *stage, uint64_t entry, uint32_t state)
{
  stage->out[stage->out_count++] = (struct pes_record){entry, state};
}

/* The extent of a sequence. */
struct stage_measure {
  uint64_t count, begin, duration; /* begin: for an empty sequence, its end */
};

/* Reads a whole stream and rewinds it; then its table has all states. `measure` may be NULL. False: an error. */
bool stage_read_through(struct pes_stream *source, struct stage_measure *measure, struct error *error);

/* Kind of transform. A new one is a file, a declaration here, and a line in transforms.c. */

struct transform_type {
  const char *keyword;
  bool is_projection; /* its argument may end in --no-merge */
  /* True if the argument is well-formed; open() checks what depends on the sequence. */
  bool (*check)(const char *argument, struct error *error);
  /* Opens a stream over the source, which it takes over unless it returns NULL: an error. */
  struct pes_stream *(*open)(struct pes_stream *source, const char *argument, struct error *error);
};

extern const struct transform_type transform_clip_time, transform_clip_ends, transform_clip_range, transform_clip_phase,
    transform_filter_time, transform_filter_count, transform_aggregate, transform_project, transform_drop,
    transform_merge_values, transform_merge_components, transform_plugin;

#endif
