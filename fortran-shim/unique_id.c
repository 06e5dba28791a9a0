#include "fortran-shim/unique_id.h"

#include <stdatomic.h>

uint64_t unique_id(void)
{
  /* A block of numbers a thread, so that threads that make many tasks don't share a counter. */
  enum { BLOCK = 1024 };
  static atomic_uint_fast64_t blocks = 1;
  static __thread uint64_t next __attribute__((tls_model("initial-exec")));
  if (next % BLOCK == 0)
    next = atomic_fetch_add(&blocks, 1) * BLOCK;
  return next++;
}
