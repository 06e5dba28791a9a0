/*
 * The next of many sources in the order of time, and of their numbers where times are the same: a binary heap.
 */
#ifndef HEDDLE_OTF2_CONVERT_HEAP_H
#define HEDDLE_OTF2_CONVERT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_entry {
  uint64_t time;
  uint32_t source;
};

struct heap {
  struct heap_entry *entries; /* the first is the next */
  size_t count;
};

/* An empty heap with room for so many sources; false when memory is short. */
bool heap_begin(struct heap *heap, size_t room);
/* Adds a source that is not in the heap. */
void heap_add(struct heap *heap, uint64_t time, uint32_t source);
/* The first source goes on at a later time, or has no more. */
void heap_step_first(struct heap *heap, uint64_t time);
void heap_drop_first(struct heap *heap);
void heap_free(struct heap *heap);

#endif
