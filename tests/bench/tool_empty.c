/* An OMPT tool whose callbacks do nothing: what the runtime's own OMPT path costs. */
#define EVENT(number, a, b)                                                                                            \
  do {                                                                                                                 \
    (void)(a);                                                                                                         \
    (void)(b);                                                                                                         \
  } while (0)
#define EVENTS_SO_FAR 0
#include "tests/bench/callbacks.h"
