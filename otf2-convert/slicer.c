#include "otf2-convert/slicer.h"

static bool step(struct slicer_head *head)
{
  struct raw_chunk chunk;
  bool bad = false;
  if (!raw_log_next(head->location->log, &head->place, &chunk, &bad))
    return false;
  head->time = process_time(head->location->process, chunk.anchor_ticks);
  head->bytes = chunk.used;
  return true;
}

static void sift(struct slicer *slicer, size_t i)
{
  struct slicer_head *heap = slicer->heap, moved = heap[i];
  for (size_t child; (child = 2 * i + 1) < slicer->count; i = child) {
    if (child + 1 < slicer->count && heap[child + 1].time < heap[child].time)
      child++;
    if (heap[child].time >= moved.time)
      break;
    heap[i] = heap[child];
  }
  heap[i] = moved;
}

bool slicer_begin(struct slicer *slicer, struct location *locations, uint32_t count)
{
  *slicer = (struct slicer){.heap = calloc((size_t)count + 1, sizeof *slicer->heap)};
  if (slicer->heap == NULL)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    struct slicer_head head = {.location = &locations[i]};
    if (step(&head))
      slicer->heap[slicer->count++] = head;
  }
  for (size_t i = slicer->count / 2; i-- > 0;)
    sift(slicer, i);
  return true;
}

uint64_t slicer_next(struct slicer *slicer, uint64_t bytes)
{
  uint64_t taken = 0;
  while (slicer->count > 0 && (taken < bytes || slicer->heap[0].time <= slicer->last)) {
    struct slicer_head *first = &slicer->heap[0];
    taken += first->bytes;
    if (!step(first))
      *first = slicer->heap[--slicer->count];
    if (slicer->count > 0)
      sift(slicer, 0);
  }
  slicer->done += taken;
  return slicer->last = slicer->count > 0 ? slicer->heap[0].time : UINT64_MAX;
}

void slicer_end(struct slicer *slicer)
{
  free(slicer->heap);
}
