/*
 * Which location is next, when many are read in order of time: a binary heap of locations, the one with the least
 * time first; of equal times the location of the lower number, so that the order depends on the trace alone.
 */
#ifndef HEDDLE_ANALYZER_TRACE_TIME_HEAP_H
#define HEDDLE_ANALYZER_TRACE_TIME_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct time_entry {
  uint64_t time;
  uint32_t location;
};

struct time_heap {
  struct time_entry *entries; /* entries[0] is the first */
  uint32_t count;
};

/* Room for so many locations. False: no memory. time_heap_free() in any case. */
bool time_heap_init(struct time_heap *heap, uint32_t locations);
void time_heap_free(struct time_heap *heap);

/* Adds a location; there is room for it. */
void time_heap_add(struct time_heap *heap, uint64_t time, uint32_t location);

/* Puts all in order again, after many of their times were written. */
void time_heap_order(struct time_heap *heap);

/* The first one's time is another now; never on an empty heap. */
void time_heap_move_first(struct time_heap *heap, uint64_t time);
void time_heap_drop_first(struct time_heap *heap);

#endif
