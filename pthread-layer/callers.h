/* Whose code a call comes from: waits of OpenMP runtimes, of a JVM and of Heddle are no waits of the program. */
#ifndef HEDDLE_PTHREAD_LAYER_CALLERS_H
#define HEDDLE_PTHREAD_LAYER_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

enum caller {
  CALLER_PROGRAM,
  CALLER_RUNTIME, /* a library whose waits are its own */
  CALLER_CXX      /* libstdc++, libc++: on behalf of who called it */
};

/* Takes no lock and allocates nothing; some ten ns. Any thread, also in signal handlers. */
enum caller callers_kind(uintptr_t code);

/* The module that has the code, as dlsym() takes it; NULL: not known. */
void *callers_library(uintptr_t code);

/*
 * A function of the C++ runtime before which the layer stands (cxx.c) notes who called it, until the call that the
 * runtime then makes of a wrapped function asks for it.
 */
void callers_note(uintptr_t code);

/* Where the program's code is that makes a call with this return address; 0: a runtime makes it. */
uintptr_t callers_code(uintptr_t code);

#endif
