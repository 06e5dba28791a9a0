#include "analyzer/imbalance/piece.h"

#include <stdlib.h>
#include <string.h>

/* Room for so many more at the end: by moving down what is there if that is cheap, else by more memory. */
static bool make_room(struct piece_queue *queue, size_t more)
{
  if (queue->head + queue->count + more <= queue->capacity)
    return true;
  if (queue->head >= queue->count && queue->count + more <= queue->capacity) {
    memcpy(queue->items, queue->items + queue->head, queue->count * sizeof *queue->items);
    queue->head = 0;
    return true;
  }
  size_t capacity = queue->capacity ? queue->capacity : 256;
  while (capacity < queue->head + queue->count + more)
    capacity *= 2;
  struct piece *items = reallocarray(queue->items, capacity, sizeof *items);
  if (!items)
    return false;
  queue->items = items;
  queue->capacity = capacity;
  return true;
}

struct piece *piece_queue_add(struct piece_queue *queue)
{
  if (!make_room(queue, 1))
    return NULL;
  return &queue->items[queue->head + queue->count++];
}

bool piece_queue_move(struct piece_queue *queue, struct piece_queue *from)
{
  if (queue->count == 0) {
    struct piece_queue empty = *queue;
    *queue = *from;
    *from = empty;
    return true;
  }
  if (!make_room(queue, from->count))
    return false;
  memcpy(queue->items + queue->head + queue->count, from->items + from->head, from->count * sizeof *from->items);
  queue->count += from->count;
  from->head = from->count = 0;
  return true;
}

void piece_queue_free(struct piece_queue *queue)
{
  free(queue->items);
  *queue = (struct piece_queue){0};
}
