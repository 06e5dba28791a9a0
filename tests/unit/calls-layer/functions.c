#include "tests/unit/calls-layer/functions.h"

#define PLAIN __attribute__((no_instrument_function))

PLAIN static uint64_t draw(struct own_count *own)
{
  own->random = own->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return own->random >> 33;
}

PLAIN static void step(struct own_count *own, unsigned function)
{
  size_t before = own->path;
  own->path = path_below(before, function);
  own->calls[own->path]++;
  own->depth++;
  own->wanted--;
  if (own->jumps && draw(own) % 64 == 0) {
    own->jumped++;
    longjmp(own->top, 1);
  }
  while (own->depth < DEEPEST && own->wanted > 0 && draw(own) % 3 != 0)
    counted_functions[draw(own) % FUNCTIONS](own);
  own->depth--;
  own->path = before;
}

#define FUNCTION(number)                                                                                               \
  __attribute__((noinline)) static void f_##number(struct own_count *own)                                              \
  {                                                                                                                    \
    step(own, number);                                                                                                 \
  }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)

counted_function *const counted_functions[FUNCTIONS] = {f_0, f_1, f_2, f_3};

PLAIN void call_at_random(struct own_count *own)
{
  setjmp(own->top);
  own->path = own->depth = 0;
  while (own->wanted > 0)
    counted_functions[draw(own) % FUNCTIONS](own);
}
