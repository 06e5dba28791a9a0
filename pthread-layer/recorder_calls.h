/*
 * What the preloaded layer (libheddle-pthread.so) asks of the recorder (libheddle.so), which it looks up by name:
 * heddle_pthread_1. Both come from one build. All functions are for the calling thread, take no lock, allocate nothing
 * and keep errno, but for `weigh`, `ready`, `create` and `start`, which may open the session.
 */
#ifndef HEDDLE_PTHREAD_LAYER_RECORDER_CALLS_H
#define HEDDLE_PTHREAD_LAYER_RECORDER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds are those of enum raw_pthread, codes are return addresses in the program (0: none), objects are addresses. */
struct heddle_pthread_calls {
  /* How many waits of this kind and place the one that begins now stands for; 0: it is left out. */
  uint32_t (*weigh)(unsigned kind, uintptr_t code);
  /* That wait. fourth: word 3 of RAW_PTHREAD_WAIT. */
  void (*wait)(unsigned kind, uintptr_t code, uintptr_t object, uint64_t fourth, uint32_t weight);
  void (*waited)(unsigned kind_and_how, uintptr_t object);
  void (*wake)(unsigned how, uintptr_t code, uintptr_t object);
  void (*released)(unsigned kind, uintptr_t object);
  void (*object)(unsigned kind, uintptr_t code, uintptr_t object, uint64_t number);
  void (*gone)(unsigned kind, uintptr_t object);
  void (*count)(unsigned kind, uintptr_t code, uintptr_t object, uint64_t count);
  /* Whether the calling thread records from now on; `records` does not begin to. */
  bool (*ready)(void);
  /* One acquisition; its release follows. */
  void (*acquired)(unsigned kind_and_how, uintptr_t code, uintptr_t object);
  void (*create)(uintptr_t code, uint64_t number);
  void (*start)(uintptr_t function, uint64_t number);
  /* Whether the calling thread records already: counts alone are no reason to begin. */
  bool (*records)(void);
  /* A number of the session that changes in a child; what was told in another one is not in this one's trace. */
  uint32_t (*session)(void);
};

/* What the recorder calls in the layer. */
struct heddle_pthread_endings {
  void (*thread)(void);  /* the calling thread ends, and still records */
  void (*process)(void); /* likewise */
};

/* NULL: this process is not recorded, or not event by event. */
typedef const struct heddle_pthread_calls *heddle_pthread_1_t(const struct heddle_pthread_endings *endings);

#endif
