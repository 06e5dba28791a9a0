/*
 * Whether the layer records, and what it knows of the calling thread.
 *
 * A process of one thread waits for nobody but other processes. So the layer does nothing until the program makes a
 * thread, or a call would wait: then it loads the recorder. Functions that are called before main, in handlers of
 * signals, in allocators and at the end of threads come through here: nothing allocates or locks but layer_begin.
 */
#ifndef HEDDLE_PTHREAD_LAYER_LAYER_H
#define HEDDLE_PTHREAD_LAYER_LAYER_H

#include "common/raw/raw_trace.h"
#include "common/recorder/preloaded.h"
#include "pthread-layer/calls.h"
#include "pthread-layer/next.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LAYER_WRAPPER  __attribute__((visibility("default")))
#define LAYER_SLOWLY   __attribute__((noinline))
#define LAYER_CALLER() returns_real(layer_returns, (uintptr_t)__builtin_return_address(0))

enum layer_state {
  LAYER_NEW,       /* the functions behind us are not known yet */
  LAYER_IDLE,      /* there was no thread but one so far */
  LAYER_BEGINNING, /* the recorder is being loaded */
  LAYER_RECORDS,
  LAYER_OFF /* for ever */
};
extern _Atomic int layer_state;

/* HEDDLE_PTHREAD=all: acquisitions that wait for nobody are recorded one by one, and so are their releases. */
extern bool layer_all;

/* The recorder. Only where layer_records(). */
extern const struct heddle_pthread_calls *layer_calls;

/* Return addresses that are not the caller's; NULL: there are none. */
extern const struct returns *layer_returns;

/* Whether calls are looked at. Nearly no time. */
static inline bool layer_records(void)
{
  return __builtin_expect(atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_RECORDS, 1);
}

/* The kind of what a try came to, where it is counted. */
static inline unsigned layer_tried(unsigned kind, bool got)
{
  return !got ? kind | RAW_PTHREAD_FAILED : layer_all ? kind | RAW_PTHREAD_TRIED : kind;
}

/* Loads the recorder, unless that was done. Whether the layer records. Allocates; errno is kept. */
bool layer_begin(void);

/* A call that is not looked at needs the functions behind us. */
static inline void layer_need_next(void)
{
  if (__builtin_expect(atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_NEW, 0))
    next_find();
}

/* Before a call that waits always, or that would wait: whether the layer records. */
static inline bool layer_records_waits(void)
{
  layer_need_next();
  return layer_records() || layer_begin();
}

#endif
