#include "otf2-convert/locks.h"

#include "base/time_heap.h"

static bool apply(struct locks *locks, const struct lock_source *source, const struct lock_note *note)
{
  uint64_t key = (uint64_t)source->process << 48 | (note->what & 0xffffffffffffull);
  enum lock_event event = (enum lock_event)(note->what >> 56);
  if (event == LOCK_DESTROYED) {
    hash_remove(&locks->known, key);
    return true;
  }
  uint64_t *lock = hash_find(&locks->known, key);
  if (event == LOCK_INITIALIZED) {
    if (lock != NULL)
      *lock = (uint64_t)locks->count++ << 32;
    return lock != NULL || hash_add(&locks->known, key, (uint64_t)locks->count++ << 32) != NULL;
  }
  if (lock == NULL && (lock = hash_add(&locks->known, key, (uint64_t)locks->count++ << 32)) == NULL)
    return false;
  *lock = (*lock & 0xffffffff00000000ull) | (uint32_t)(*lock + 1);
  struct acquisition acquisition = {.lock = (uint32_t)(*lock >> 32), .order = (uint32_t)*lock};
  return vector_push(source->result, acquisition);
}

bool locks_merge(struct locks *locks, const struct lock_source *sources, uint32_t source_count)
{
  struct time_heap heap;
  size_t *next = calloc((size_t)source_count + 1, sizeof *next); /* note of each source */
  bool good = time_heap_init(&heap, source_count) && next != NULL;
  for (uint32_t i = 0; good && i < source_count; i++)
    if (sources[i].notes->count > 0)
      time_heap_add(&heap, sources[i].notes->items[0].time, i);
  while (good && heap.count > 0) {
    uint32_t source = heap.entries[0].source;
    const lock_notes *notes = sources[source].notes;
    good = apply(locks, &sources[source], &notes->items[next[source]]);
    if (++next[source] < notes->count)
      time_heap_move_first(&heap, notes->items[next[source]].time);
    else
      time_heap_drop_first(&heap);
  }
  time_heap_free(&heap);
  free(next);
  return good;
}

void locks_free(struct locks *locks)
{
  hash_free(&locks->known);
}
