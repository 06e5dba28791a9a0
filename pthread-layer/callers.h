/* Callers of wrapped functions: the program, or a library whose waits are its own, as an OpenMP runtime or a JVM. */
#ifndef HEDDLE_PTHREAD_LAYER_CALLERS_H
#define HEDDLE_PTHREAD_LAYER_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

enum caller {
  CALLER_PROGRAM,
  CALLER_RUNTIME, /* a library whose waits are its own */
  CALLER_CXX      /* libstdc++, libc++: the wait is its caller's */
};

/*
 * Returns the kind of the code's module. No allocation; about 10 ns. Any thread, also in signal handlers. Takes no lock
 * that is held while code of a program runs.
 */
enum caller callers_kind(uintptr_t code);

/* Returns the code's module, as a handle for dlsym(); NULL: unknown. */
void *callers_library(uintptr_t code);

/*
 * Notes the caller of a wrapped function of the C++ runtime (threads.c), for the runtime's following call of a wrapped
 * function of libc.
 */
void callers_note(uintptr_t code);

/* Returns the program's code that makes the call with this return address; 0: a runtime makes it. */
uintptr_t callers_code(uintptr_t code);

#endif
