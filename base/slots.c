#include "base/slots.h"

#include <stdlib.h>
#include <string.h>

void *slots_find(const struct slots *slots, uint64_t key)
{
  const uint64_t *at = hash_find(&slots->by_key, key);
  return at ? slots->items + *at * slots->size : NULL;
}

/* One more slot at the end. */
static bool add_slot(struct slots *slots)
{
  if (slots->count == slots->room) {
    size_t room = slots->room ? 2 * slots->room : 16;
    unsigned char *more = reallocarray(slots->items, room, slots->size);
    if (!more)
      return false;
    slots->items = more;
    slots->room = room;
  }
  if (!vector_make_room(&slots->unused, slots->count + 1)) /* for all of them: to free one takes no memory */
    return false;
  slots->unused.items[slots->unused.count++] = slots->count++;
  return true;
}

bool slots_put(struct slots *slots, uint64_t key, const void *item)
{
  void *place = slots_find(slots, key);
  if (!place) {
    if (slots->unused.count == 0 && !add_slot(slots))
      return false;
    uint64_t at = slots->unused.items[slots->unused.count - 1];
    if (!hash_add(&slots->by_key, key, at))
      return false;
    slots->unused.count--;
    place = slots->items + at * slots->size;
  }
  memcpy(place, item, slots->size);
  return true;
}

bool slots_take(struct slots *slots, uint64_t key, void *item)
{
  const uint64_t *at = hash_find(&slots->by_key, key);
  if (!at)
    return false;
  memcpy(item, slots->items + *at * slots->size, slots->size);
  slots->unused.items[slots->unused.count++] = *at;
  hash_remove(&slots->by_key, key);
  return true;
}

void slots_free(struct slots *slots)
{
  free(slots->items);
  vector_free(&slots->unused);
  hash_free(&slots->by_key);
  *slots = (struct slots){.size = slots->size};
}
