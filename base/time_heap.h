/*
 * The next of many sources (threads, logs) in order of time: a binary heap, the one with the least time first; of equal
 * times the source of the lower number, so that the order depends on the input alone.
 */
#ifndef HEDDLE_BASE_TIME_HEAP_H
#define HEDDLE_BASE_TIME_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct time_entry {
  uint64_t time;
  uint32_t source;
};

struct time_heap {
  struct time_entry *entries; /* entries[0] is the first */
  uint32_t count;
};

/* Empty, with room for so many sources. False: no memory. time_heap_free() in any case. */
bool time_heap_init(struct time_heap *heap, uint32_t sources);
void time_heap_free(struct time_heap *heap);

/* Adds a source that is not in the heap; there is room for it. */
void time_heap_add(struct time_heap *heap, uint64_t time, uint32_t source);

/* The first source goes on at a later time, or has no more; never on an empty heap. */
void time_heap_move_first(struct time_heap *heap, uint64_t time);
void time_heap_drop_first(struct time_heap *heap);

#endif
