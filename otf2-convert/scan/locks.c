#include "otf2-convert/scan/locks.h"

#include "base/time_heap.h"
#include "common/raw/raw_trace.h"

static uint64_t locks_key_of(uint32_t process, uint64_t word)
{
  return (uint64_t)process << 48 | (word & 0xffffffffffffull);
}

/* Origins are in the order of numbers. False: no memory. */
static bool push_origin(struct locks *locks, struct lock_origin origin)
{
  return locks->origins.count >= LOCK_ORIGINS || vector_push(&locks->origins, origin);
}

#define KIND_OF(note)    ((uint8_t)((note)->what >> 48))
#define ADDRESS_OF(note) ((note)->what & RAW_VALUE_MASK)

/* Unknown kinds (0) are any. */
static bool is_other_kind(const struct lock_object *object, uint8_t kind)
{
  return object->kind != 0 && kind != 0 && object->kind != kind;
}

/* The object whose life a note is about, perhaps a new one. NULL: no memory. */
static struct lock_object *object_of(struct locks *locks, const struct lock_source *source,
                                     const struct lock_note *note)
{
  uint64_t key = locks_key_of(source->process, note->what);
  uint64_t *at = hash_find(&locks->alive, key);
  struct lock_object *known = at == NULL ? NULL : &locks->objects.items[*at];
  bool begins = (enum lock_event)(note->what >> 56) == OBJECT_BEGUN;
  /* Two threads may report one begin; a thread may use an object before the report of another one. */
  bool again = known != NULL && begins && known->begun && (known->code != note->code || known->nth != note->nth);
  if (known != NULL && !again && !is_other_kind(known, KIND_OF(note)))
    return known;
  if (!push_origin(locks, (struct lock_origin){.process = source->process})) /* its name is not made from that */
    return NULL;
  struct lock_object new = {.process = source->process, .number = locks->count++, .address = ADDRESS_OF(note)};
  if (at != NULL)
    *at = locks->objects.count;
  else if (hash_add(&locks->alive, key, locks->objects.count) == NULL)
    return NULL;
  return vector_push(&locks->objects, new) ? &locks->objects.items[locks->objects.count - 1] : NULL;
}

static bool apply_object(struct locks *locks, const struct lock_source *source, const struct lock_note *note)
{
  enum lock_event event = (enum lock_event)(note->what >> 56);
  if (event == OBJECT_GONE) {
    hash_remove(&locks->alive, locks_key_of(source->process, note->what));
    return true;
  }
  struct lock_object *object = object_of(locks, source, note);
  if (object == NULL)
    return false;
  if (object->kind == 0)
    object->kind = KIND_OF(note);
  if (event == OBJECT_BEGUN) {
    object->begun = true;
    object->code = note->code;
    object->nth = note->nth;
    return true;
  }
  if (object->user == 0)
    object->user = note->code;
  if (event == OBJECT_ACQUIRED)
    object->order++;
  return vector_push(source->result, ((struct acquisition){.lock = object->number, .order = object->order}));
}

/* A lock that is not known yet, where `slot` may have another one's value. NULL: no memory. */
static uint64_t *locks_add_lock(struct locks *locks, uint64_t *slot, uint32_t process, const struct lock_note *note)
{
  struct lock_origin origin = {.process = process, .wait_id = note->what & RAW_VALUE_MASK, .code = note->code};
  uint64_t value = (uint64_t)locks->count++ << 32;
  if (!push_origin(locks, origin))
    return NULL;
  if (slot == NULL)
    return hash_add(&locks->known, locks_key_of(process, note->what), value);
  *slot = value;
  return slot;
}

static bool locks_apply(struct locks *locks, const struct lock_source *source, const struct lock_note *note)
{
  uint64_t key = locks_key_of(source->process, note->what);
  enum lock_event event = (enum lock_event)(note->what >> 56);
  if (event >= OBJECT_BEGUN)
    return apply_object(locks, source, note);
  if (event == LOCK_DESTROYED) {
    hash_remove(&locks->known, key);
    return true;
  }
  uint64_t *lock = hash_find(&locks->known, key);
  if ((event == LOCK_INITIALIZED || lock == NULL) &&
      (lock = locks_add_lock(locks, lock, source->process, note)) == NULL)
    return false;
  if (event == LOCK_INITIALIZED)
    return true;
  *lock = (*lock & 0xffffffff00000000ull) | (uint32_t)(*lock + 1);
  struct acquisition acquisition = {.lock = (uint32_t)(*lock >> 32), .order = (uint32_t)*lock};
  return vector_push(source->result, acquisition);
}

uint32_t lock_table_number(const struct locks *locks, uint32_t process, uint64_t wait_id)
{
  const uint64_t *lock = hash_find(&locks->known, locks_key_of(process, wait_id));
  return lock != NULL ? (uint32_t)(*lock >> 32) : LOCK_NONE;
}

bool lock_table_merge(struct locks *locks, const struct lock_source *sources, uint32_t source_count)
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
    good = locks_apply(locks, &sources[source], &notes->items[next[source]]);
    if (++next[source] < notes->count)
      time_heap_move_first(&heap, notes->items[next[source]].time);
    else
      time_heap_drop_first(&heap);
  }
  time_heap_free(&heap);
  free(next);
  return good;
}

void lock_table_free(struct locks *locks)
{
  hash_free(&locks->known);
  hash_free(&locks->alive);
  vector_free(&locks->objects);
  vector_free(&locks->origins);
}
