/* Timeline of a bundle, as JSON. Private to report/. */
#ifndef HEDDLE_ANALYZER_REPORT_TIMELINE_JSON_H
#define HEDDLE_ANALYZER_REPORT_TIMELINE_JSON_H

#include "analyzer/command/print/json_writer.h"
#include "analyzer/report/timeline.h"

#include <stdbool.h>

/* The part of the lanes that a bundle has. */
struct bundle_shape {
  bool view;      /* none: the page asks the server for them */
  unsigned from;  /* the finest level */
  unsigned lanes; /* number of lanes of a location, at most */
  bool threads;   /* with the lanes at the level of threads */
};

void timeline_put(struct json_writer *json, const struct timeline *timeline, const struct bundle_shape *shape);

/* Whether states of threads differ from the programming model's. */
bool timeline_has_threads(const struct timeline *timeline);

/* A list of blocks. `offset`: of the first one; UINT64_MAX: each block has its own, in the spool. */
void timeline_put_blocks(struct json_writer *json, const char *name, const struct block_list *blocks, uint64_t offset);

/* The bytes of all blocks that the shape has. */
uint64_t timeline_blob_size(const struct timeline *timeline, const struct bundle_shape *shape);

/* Calls `take` for each list of blocks that the shape has, in the order of their offsets. False if any call was. */
bool timeline_each_level(const struct timeline *timeline, const struct bundle_shape *shape,
                         bool (*take)(void *context, const struct block_list *blocks), void *context);

#endif
