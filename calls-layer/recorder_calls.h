/*
 * Interface between the preloaded layer (libheddle-calls.so) and the recorder (libheddle.so). The layer looks
 * heddle_calls_1 up by name. Both come from one build. All functions keep errno, and allocate nothing but `thread`,
 * which may open the session.
 */
#ifndef HEDDLE_CALLS_LAYER_RECORDER_CALLS_H
#define HEDDLE_CALLS_LAYER_RECORDER_CALLS_H

#include "common/java/java_calls.h"
#include "common/recorder/preloaded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heddle_calls_recorder {
  /* Begins to record the calling thread, and returns its number. False: it is not recorded. */
  bool (*thread)(uint32_t *number);
  /* Maps unused room of the file `calls`, which is on disk and zero. NULL: there is none. */
  void *(*map)(size_t size);
  /* Records that a function begins (RAW_CALL_ENTER) or ends (RAW_CALL_LEAVE). Returns its ticks; 0: not recorded,
   * call `trace`. Uses no vector register. */
  uint64_t (*trace_quickly)(unsigned kind, uintptr_t function);
  uint64_t (*trace)(unsigned kind, uintptr_t function);
  /* Writes the code's module to the process file, if possible. */
  void (*code)(uintptr_t code);
  /* Prints a line on stderr. */
  void (*say)(const char *text);
  /* Sets the return addresses that the layer exchanges. */
  void (*returns)(const struct returns *returns);
  bool counter; /* the clock of both (clock_use) */
};

/* Functions of the layer that the recorder calls; all but `process` are for the calling thread. */
struct heddle_calls_layer {
  void (*thread)(void);  /* the thread ends */
  void (*process)(void); /* the process ends */
  void (*wait)(void);    /* a wait begins; one that begins again began later */
  void (*waited)(void);  /* it ended */
  const struct java_calls *java;
};

/* NULL: this process is not recorded. */
typedef const struct heddle_calls_recorder *heddle_calls_1_t(const struct heddle_calls_layer *layer);

#endif
