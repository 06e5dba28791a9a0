/*
 * Growing array of any type: VECTOR(struct note) notes = {0}. vector_push(&notes, note) is false if memory is short;
 * then nothing has changed. Macros evaluate their arguments more than once.
 */
#ifndef HEDDLE_BASE_VECTOR_H
#define HEDDLE_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR(type)                                                                                                   \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    size_t count, room;                                                                                                \
  }

/* Sets the room to `wanted` items, which is at least the count. For short arrays. False: as vector_push(). */
#define vector_set_room(v, wanted)                                                                                     \
  __extension__({                                                                                                      \
    size_t set_ = (wanted);                                                                                            \
    void *more_ = reallocarray((v)->items, set_, sizeof *(v)->items);                                                  \
    if (more_ != NULL) {                                                                                               \
      (v)->items = more_;                                                                                              \
      (v)->room = set_;                                                                                                \
    }                                                                                                                  \
    more_ != NULL;                                                                                                     \
  })

/* Makes room for `least` items in all; the room at least doubles each time. False: as vector_push(). */
#define vector_make_room(v, least)                                                                                     \
  __extension__({                                                                                                      \
    size_t least_ = (least), room_ = (v)->room;                                                                        \
    size_t double_ = room_ == 0 ? 16 : 2 * room_;                                                                      \
    room_ >= least_ || vector_set_room(v, double_ < least_ ? least_ : double_);                                        \
  })

#define vector_push(v, item)                                                                                           \
  (((v)->count < (v)->room || vector_make_room(v, (v)->count + 1)) && ((v)->items[(v)->count++] = (item), true))

/* Sets the count to `wanted` items; new ones are zero. False: as vector_push(). */
#define vector_resize(v, wanted)                                                                                       \
  __extension__({                                                                                                      \
    size_t wanted_ = (wanted);                                                                                         \
    bool resized_ = vector_make_room(v, wanted_);                                                                      \
    if (resized_ && wanted_ > (v)->count)                                                                              \
      memset((v)->items + (v)->count, 0, (wanted_ - (v)->count) * sizeof *(v)->items);                                 \
    if (resized_)                                                                                                      \
      (v)->count = wanted_;                                                                                            \
    resized_;                                                                                                          \
  })

#define vector_free(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->room = 0)

/*
 * Makes room for one more item in an array that is a pointer and a count. Its room is the next power of two of the
 * count. Nothing else may change the room. False: as vector_push().
 */
#define array_make_room(items, count)                                                                                  \
  __extension__({                                                                                                      \
    size_t count_ = (count);                                                                                           \
    bool enough_ = count_ > 0 && (count_ & (count_ - 1)) != 0;                                                         \
    if (!enough_) {                                                                                                    \
      void *more_ = reallocarray(items, count_ == 0 ? 1 : 2 * count_, sizeof *(items));                                \
      enough_ = more_ != NULL;                                                                                         \
      if (enough_)                                                                                                     \
        (items) = more_;                                                                                               \
    }                                                                                                                  \
    enough_;                                                                                                           \
  })

#endif
