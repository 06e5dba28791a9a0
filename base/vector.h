/*
 * A growing array of any type: VECTOR(struct note) notes = {0}; vector_push(&notes, note) is false when memory is
 * short, and then nothing has changed.
 */
#ifndef HEDDLE_BASE_VECTOR_H
#define HEDDLE_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define VECTOR(type)                                                                                                   \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    size_t count, room;                                                                                                \
  }

#define vector_reserve(v)                                                                                              \
  __extension__({                                                                                                      \
    size_t wanted_ = (v)->room == 0 ? 16 : 2 * (v)->room;                                                              \
    void *more_ = reallocarray((v)->items, wanted_, sizeof *(v)->items);                                               \
    if (more_ != NULL) {                                                                                               \
      (v)->items = more_;                                                                                              \
      (v)->room = wanted_;                                                                                             \
    }                                                                                                                  \
    more_ != NULL;                                                                                                     \
  })

#define vector_push(v, item)                                                                                           \
  (((v)->count < (v)->room || vector_reserve(v)) && ((v)->items[(v)->count++] = (item), true))

#define vector_free(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->room = 0)

#endif
