#include "base/time_heap.h"

#include <assert.h>
#include <stdlib.h>

static bool is_before(const struct time_entry *a, const struct time_entry *b)
{
  return a->time != b->time ? a->time < b->time : a->source < b->source;
}

static void sift_down(struct time_heap *heap, uint32_t at)
{
  struct time_entry *entries = heap->entries, moving = entries[at];
  for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && is_before(&entries[child + 1], &entries[child]))
      child++;
    if (is_before(&moving, &entries[child]))
      break;
    entries[at] = entries[child];
  }
  entries[at] = moving;
}

bool time_heap_init(struct time_heap *heap, uint32_t sources)
{
  heap->count = 0;
  heap->entries = calloc((size_t)sources + 1, sizeof *heap->entries);
  return heap->entries != NULL;
}

void time_heap_free(struct time_heap *heap)
{
  free(heap->entries);
  *heap = (struct time_heap){0};
}

void time_heap_add(struct time_heap *heap, uint64_t time, uint32_t source)
{
  struct time_entry *entries = heap->entries, added = {time, source};
  uint32_t at = heap->count++;
  for (; at > 0 && is_before(&added, &entries[(at - 1) / 2]); at = (at - 1) / 2)
    entries[at] = entries[(at - 1) / 2];
  entries[at] = added;
}

void time_heap_move_first(struct time_heap *heap, uint64_t time)
{
  assert(heap->count > 0);
  heap->entries[0].time = time;
  sift_down(heap, 0);
}

void time_heap_drop_first(struct time_heap *heap)
{
  assert(heap->count > 0);
  heap->entries[0] = heap->entries[--heap->count];
  if (heap->count > 0)
    sift_down(heap, 0);
}
