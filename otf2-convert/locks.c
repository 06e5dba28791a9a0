#include "otf2-convert/locks.h"

struct head {
  uint64_t time;
  uint32_t source;
  size_t at;
};

static bool before(const struct head *a, const struct head *b)
{
  return a->time != b->time ? a->time < b->time : a->source < b->source;
}

static void sift(struct head *heap, size_t count, size_t i)
{
  struct head moved = heap[i];
  for (size_t child; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && before(&heap[child + 1], &heap[child]))
      child++;
    if (!before(&heap[child], &moved))
      break;
    heap[i] = heap[child];
  }
  heap[i] = moved;
}

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
  struct head *heap = malloc((source_count + 1) * sizeof *heap);
  size_t count = 0;
  if (heap == NULL)
    return false;
  for (uint32_t i = 0; i < source_count; i++)
    if (sources[i].notes->count > 0)
      heap[count++] = (struct head){.time = sources[i].notes->items[0].time, .source = i};
  for (size_t i = count / 2; i-- > 0;)
    sift(heap, count, i);
  bool good = true;
  while (good && count > 0) {
    struct head *first = &heap[0];
    const lock_notes *notes = sources[first->source].notes;
    good = apply(locks, &sources[first->source], &notes->items[first->at]);
    if (++first->at < notes->count)
      first->time = notes->items[first->at].time;
    else
      *first = heap[--count];
    if (count > 0)
      sift(heap, count, 0);
  }
  free(heap);
  return good;
}

void locks_free(struct locks *locks)
{
  hash_free(&locks->known);
}
