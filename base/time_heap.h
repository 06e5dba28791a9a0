/*
 * Binary heap that merges sources (threads, logs) in order of time. At equal times the source with the lower number is
 * first, so the order depends on the input alone.
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

/* Makes an empty heap with room for `sources` sources. False: out of memory. Call time_heap_free() in any case. */
bool time_heap_init(struct time_heap *heap, uint32_t sources);
void time_heap_free(struct time_heap *heap);

/* Adds a source that is not in the heap yet. */
void time_heap_add(struct time_heap *heap, uint64_t time, uint32_t source);

/* Moves the first source to a later time, or removes it. The heap must not be empty. */
void time_heap_move_first(struct time_heap *heap, uint64_t time);
void time_heap_drop_first(struct time_heap *heap);

#endif
