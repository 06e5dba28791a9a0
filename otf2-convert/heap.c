#include "otf2-convert/heap.h"

#include <stdlib.h>

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
  return a->time != b->time ? a->time < b->time : a->source < b->source;
}

bool heap_begin(struct heap *heap, size_t room)
{
  *heap = (struct heap){.entries = calloc(room + 1, sizeof *heap->entries)};
  return heap->entries != NULL;
}

void heap_add(struct heap *heap, uint64_t time, uint32_t source)
{
  struct heap_entry new = {.time = time, .source = source};
  size_t i = heap->count++;
  for (; i > 0 && before(&new, &heap->entries[(i - 1) / 2]); i = (i - 1) / 2)
    heap->entries[i] = heap->entries[(i - 1) / 2];
  heap->entries[i] = new;
}

/* Puts the first entry where it belongs. */
static void sift_first(struct heap *heap)
{
  struct heap_entry *entries = heap->entries, moved = entries[0];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < heap->count; i = child) {
    if (child + 1 < heap->count && before(&entries[child + 1], &entries[child]))
      child++;
    if (!before(&entries[child], &moved))
      break;
    entries[i] = entries[child];
  }
  entries[i] = moved;
}

void heap_step_first(struct heap *heap, uint64_t time)
{
  heap->entries[0].time = time;
  sift_first(heap);
}

void heap_drop_first(struct heap *heap)
{
  heap->entries[0] = heap->entries[--heap->count];
  if (heap->count > 0)
    sift_first(heap);
}

void heap_free(struct heap *heap)
{
  free(heap->entries);
  *heap = (struct heap){0};
}
