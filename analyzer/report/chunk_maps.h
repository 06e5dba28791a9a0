/*
 * Which thread executed which iterations of a loop when: of the longest execution of each loop. Memory is bounded: one
 * execution a loop, and those that are not over.
 */
#ifndef HEDDLE_ANALYZER_REPORT_CHUNK_MAPS_H
#define HEDDLE_ANALYZER_REPORT_CHUNK_MAPS_H

#include "base/vector.h"

#include <stdint.h>

#define CHUNKS_MAX 20000 /* of an execution */

/* Times are ticks of the trace. */
struct chunk {
  uint32_t location;
  uint64_t begin, end; /* equal where the times are not known (derived chunks) */
  int64_t first;
  uint64_t iterations;
};

struct chunk_map {
  uint64_t begin, end; /* from the first thread's entering the loop to the last one's leaving it */
  uint64_t iterations;
  uint64_t left_out; /* chunks beyond CHUNKS_MAX */
  VECTOR(struct chunk) chunks;
};

/* False: no memory. */
bool chunk_map_add(struct chunk_map *map, const struct chunk *chunk);
void chunk_map_free(struct chunk_map *map);

/* Makes `map`, which is over, the loop's if it is longer than `longest`; empties it. */
void chunk_map_keep(struct chunk_map *longest, struct chunk_map *map);

/* The least iteration of all chunks; 0 if there are none. */
int64_t chunk_map_first(const struct chunk_map *map);

#endif
