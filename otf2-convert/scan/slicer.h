/*
 * Cuts the run's time into slices with about the same number of raw bytes, by the times in the chunks' headers. So the
 * passes over a slice need bounded memory.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_SLICER_H
#define HEDDLE_OTF2_CONVERT_SCAN_SLICER_H

#include "base/time_heap.h"
#include "otf2-convert/scan/location.h"

struct slicer_source {
  uint64_t bytes;         /* of the location's next chunk */
  struct raw_place place; /* behind it */
};

struct slicer {
  struct location *locations;
  struct slicer_source *sources; /* by location */
  struct time_heap heap;         /* of the locations' next chunks */
  uint64_t last;
  uint64_t done; /* bytes of all slices so far */
};

/* False when memory is short; slicer_end in any case. */
bool slicer_begin(struct slicer *slicer, struct location *locations, uint32_t count);
/* The end of the next slice (archive time, exclusive); UINT64_MAX for the last one. */
uint64_t slicer_next(struct slicer *slicer, uint64_t bytes);
void slicer_end(struct slicer *slicer);

#endif
