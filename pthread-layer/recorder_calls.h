/*
 * Interface between the preloaded layer (libheddle-pthread.so) and the recorder (libheddle.so). The layer looks
 * heddle_pthread_1 up by name. Both come from one build. All functions are for the calling thread, take no lock,
 * allocate nothing and keep errno. But `weigh`, `ready`, `create` and `start` may open the session.
 */
#ifndef HEDDLE_PTHREAD_LAYER_RECORDER_CALLS_H
#define HEDDLE_PTHREAD_LAYER_RECORDER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds are enum raw_pthread's, codes are return addresses in the program (0: none), objects are addresses. */
struct heddle_pthread_calls {
  /* Returns how many waits of this kind and place the wait that begins now stands for; 0: it is omitted. */
  uint32_t (*weigh)(unsigned kind, uintptr_t code);
  /* Records that wait. fourth: word 3 of RAW_PTHREAD_WAIT. */
  void (*wait)(unsigned kind, uintptr_t code, uintptr_t object, uint64_t fourth, uint32_t weight);
  void (*waited)(unsigned kind_and_how, uintptr_t object);
  void (*wake)(unsigned how, uintptr_t code, uintptr_t object);
  void (*released)(unsigned kind, uintptr_t object);
  void (*object)(unsigned kind, uintptr_t code, uintptr_t object, uint64_t number);
  void (*gone)(unsigned kind, uintptr_t object);
  void (*count)(unsigned kind, uintptr_t code, uintptr_t object, uint64_t count);
  /* True if the calling thread records from now on. */
  bool (*ready)(void);
  /* Records one acquisition; its release follows. */
  void (*acquired)(unsigned kind_and_how, uintptr_t code, uintptr_t object);
  void (*create)(uintptr_t code, uint64_t number);
  void (*start)(uintptr_t function, uint64_t number);
  /* The calling thread has another name. */
  void (*renamed)(void);
  /* True if the calling thread records already: counts alone do not make it begin. */
  bool (*records)(void);
  /* Returns the number of the session. A child of fork has another one, whose trace has none of the earlier records. */
  uint32_t (*session)(void);
};

/* Functions of the layer that the recorder calls. */
struct heddle_pthread_endings {
  void (*thread)(void);  /* the calling thread ends, and still records */
  void (*process)(void); /* likewise */
};

/* NULL: this process is not recorded, or not event by event. */
typedef const struct heddle_pthread_calls *heddle_pthread_1_t(const struct heddle_pthread_endings *endings);

#endif
