/* Functions with hooks that call each other at random, and count their own calls by path. */
#ifndef HEDDLE_TESTS_CALLS_LAYER_FUNCTIONS_H
#define HEDDLE_TESTS_CALLS_LAYER_FUNCTIONS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FUNCTIONS = 4, DEEPEST = 7, PATHS = 390625 }; /* (FUNCTIONS + 1) to the power of DEEPEST + 1 */

/* Path 0 is the thread's; function f below a path is path * (FUNCTIONS + 1) + f + 1. */
struct own_count {
  uint32_t *calls; /* by path */
  size_t path;
  unsigned depth;
  uint64_t random;
  uint32_t wanted; /* calls that are still to be made */
  bool jumps;      /* now and then functions are left by longjmp */
  uint32_t jumped;
  jmp_buf top;
};

typedef void counted_function(struct own_count *own);
extern counted_function *const counted_functions[FUNCTIONS];

__attribute__((no_instrument_function)) static inline size_t path_below(size_t path, unsigned function)
{
  return path * (FUNCTIONS + 1) + function + 1;
}

/* Makes all calls that are wanted. */
void call_at_random(struct own_count *own);

#endif
