/*
 * The items of a lane that wait: first in, first out. {.size = sizeof(item), .time_at = offsetof(item, time)} is an
 * empty queue; the time is an uint64_t. (base/vector.h does not fit: a pass knows the size of items at run time alone.)
 */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_ITEM_QUEUE_H
#define HEDDLE_ANALYZER_TRACE_PASS_ITEM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct item_queue {
  char *items;
  size_t size; /* of one */
  size_t time_at;
  size_t first, end, room;
};

/* Room for one more, behind the others, to be filled; valid until the next call. NULL: no memory. */
static inline void *item_queue_add(struct item_queue *queue)
{
  if (queue->first == queue->end)
    queue->first = queue->end = 0;
  if (queue->end == queue->room && queue->first > queue->room / 2) {
    queue->end -= queue->first;
    memmove(queue->items, queue->items + queue->first * queue->size, queue->end * queue->size);
    queue->first = 0;
  }
  if (queue->end == queue->room) {
    size_t room = queue->room ? 2 * queue->room : 16;
    char *items = reallocarray(queue->items, room, queue->size);
    if (!items)
      return NULL;
    queue->items = items;
    queue->room = room;
  }
  return queue->items + queue->size * queue->end++;
}

static inline size_t item_queue_count(const struct item_queue *queue)
{
  return queue->end - queue->first;
}

/* NULL: there is none. */
static inline void *item_queue_first(const struct item_queue *queue)
{
  return queue->first < queue->end ? queue->items + queue->size * queue->first : NULL;
}

/* The time of the first one. False: there is none. */
static inline bool item_queue_time(const struct item_queue *queue, uint64_t *time)
{
  const char *item = item_queue_first(queue);
  if (item)
    memcpy(time, item + queue->time_at, sizeof *time);
  return item;
}

#define ITEM_QUEUE_SMALL 16 /* items; room that is not worth giving back */

/* Few items of many are left, perhaps for long: they move, so that all of the room can be used for another lane. */
static inline void item_queue_shrink(struct item_queue *queue)
{
  size_t count = queue->end - queue->first, room = queue->room / 8;
  char *items = reallocarray(NULL, room, queue->size);
  if (!items)
    return;
  memcpy(items, queue->items + queue->first * queue->size, count * queue->size);
  free(queue->items);
  queue->items = items;
  queue->first = 0;
  queue->end = count;
  queue->room = room;
}

static inline void item_queue_drop_first(struct item_queue *queue)
{
  queue->first++;
  if (queue->room > ITEM_QUEUE_SMALL && queue->end - queue->first == queue->room / 16)
    item_queue_shrink(queue);
}

static inline void item_queue_free(struct item_queue *queue)
{
  free(queue->items);
  queue->items = NULL;
  queue->first = queue->end = queue->room = 0;
}

#endif
