/* Serial execution of what gcc 17 calls for constructs that earlier versions compile inline. */
#include "fortran-shim/serial.h"

/* result: the first word. Thread 0 of 1, or team 0 of 1, has the numbers 1 and 0. */
#define SERIAL(name, result)                                                                                           \
  struct gomp_words serial_##name(GOMP_WORDS)                                                                          \
  {                                                                                                                    \
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;                                                              \
    return (struct gomp_words){.first = (result)};                                                                     \
  }

SERIAL(GOMP_loop_static_worksharing, 1)
SERIAL(GOMP_loop_static_worksharing_start, 1)
SERIAL(GOMP_loop_static_worksharing_dispatch, 0)
SERIAL(GOMP_loop_static_worksharing_end, 0)
SERIAL(GOMP_distribute_static_worksharing, 1)
SERIAL(GOMP_distribute_static_worksharing_start, 1)
SERIAL(GOMP_distribute_static_worksharing_dispatch, 0)
SERIAL(GOMP_distribute_static_worksharing_end, 0)
SERIAL(GOMP_has_masked_thread_num_with_end, (uint32_t)a == 0)
SERIAL(GOMP_masked_end, 0)
SERIAL(GOMP_single_start_with_end, true)
SERIAL(GOMP_single_end, 0)
SERIAL(GOMP_scope_end, 0)
SERIAL(GOMP_barrier_ext, 0)
SERIAL(GOMP_barrier_cancel_ext, false)

struct gomp_words serial_GOMP_scope_start_with_end(GOMP_WORDS)
{
  (void)b, (void)c, (void)d, (void)e, (void)f;
  serial_GOMP_scope_start((uintptr_t *)a); /* NULL is no reduction */
  return (struct gomp_words){0};
}

struct gomp_words serial_GOMP_reduction_start(GOMP_WORDS)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
  serial_GOMP_atomic_start();
  return (struct gomp_words){0};
}

struct gomp_words serial_GOMP_reduction_end(GOMP_WORDS)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
  serial_GOMP_atomic_end();
  return (struct gomp_words){0};
}
