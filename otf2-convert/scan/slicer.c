#include "otf2-convert/scan/slicer.h"

/* Steps to the location's next chunk; false when there is none. */
static bool slicer_step(struct slicer *slicer, uint32_t source, uint64_t *time)
{
  const struct location *location = &slicer->locations[source];
  struct raw_chunk chunk;
  if (!raw_log_next(location->log, &slicer->sources[source].place, &chunk))
    return false;
  *time = process_time(location->process, chunk.anchor_ticks);
  slicer->sources[source].bytes = chunk.used;
  return true;
}

bool slicer_begin(struct slicer *slicer, struct location *locations, uint32_t count)
{
  *slicer = (struct slicer){.locations = locations};
  slicer->sources = calloc((size_t)count + 1, sizeof *slicer->sources);
  if (slicer->sources == NULL || !time_heap_init(&slicer->heap, count))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t time;
    if (slicer_step(slicer, i, &time))
      time_heap_add(&slicer->heap, time, i);
  }
  return true;
}

uint64_t slicer_next(struct slicer *slicer, uint64_t bytes)
{
  uint64_t taken = 0;
  struct time_heap *heap = &slicer->heap;
  while (heap->count > 0 && (taken < bytes || heap->entries[0].time <= slicer->last)) {
    uint32_t source = heap->entries[0].source;
    uint64_t time;
    taken += slicer->sources[source].bytes;
    if (slicer_step(slicer, source, &time))
      time_heap_move_first(heap, time);
    else
      time_heap_drop_first(heap);
  }
  slicer->done += taken;
  return slicer->last = heap->count > 0 ? heap->entries[0].time : UINT64_MAX;
}

void slicer_end(struct slicer *slicer)
{
  free(slicer->sources);
  time_heap_free(&slicer->heap);
}
