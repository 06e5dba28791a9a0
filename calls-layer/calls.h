/*
 * What the preloaded layer (libheddle-calls.so) asks of the recorder (libheddle.so), which it looks up by name:
 * heddle_calls_1. Both come from one build. All functions keep errno, and allocate nothing but `thread`, which may open
 * the session.
 */
#ifndef HEDDLE_CALLS_LAYER_CALLS_H
#define HEDDLE_CALLS_LAYER_CALLS_H

#include "common/java/java_calls.h"
#include "common/recorder/preloaded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heddle_calls_recorder {
  /* Whether the calling thread is recorded, from now on, and its number. */
  bool (*thread)(uint32_t *number);
  /* Maps room of the file `calls` that nobody else gets, all of it on disk and zero. NULL: there is none. */
  void *(*map)(size_t size);
  /* Records that a function begins (RAW_CALL_ENTER) or ends (RAW_CALL_LEAVE). The ticks of it; 0: something is in the
   * way, `trace` is to do it. Uses no vector register. */
  uint64_t (*trace_quickly)(unsigned kind, uintptr_t function);
  uint64_t (*trace)(unsigned kind, uintptr_t function);
  /* The module that has the code is in the process file from now on, if it can be. */
  void (*code)(uintptr_t code);
  /* One line on stderr. */
  void (*say)(const char *text);
  /* Which return addresses are exchanged from now on. */
  void (*returns)(const struct returns *returns);
  bool counter; /* what clock both have (clock_use) */
};

/* What the recorder calls in the layer: all but `process` for the calling thread. */
struct heddle_calls_layer {
  void (*thread)(void);  /* it ends */
  void (*process)(void); /* the process ends */
  void (*wait)(void);    /* a wait begins; one that begins again began later */
  void (*waited)(void);  /* it ended */
  const struct java_calls *java;
};

/* NULL: this process is not recorded. */
typedef const struct heddle_calls_recorder *heddle_calls_1_t(const struct heddle_calls_layer *layer);

#endif
