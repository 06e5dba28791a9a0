/*
 * Serial execution: serial_NAME for each NAME that is WRAPPED in symbols.def, for processes without an OpenMP runtime.
 * A program that tests for OpenMP by a weak symbol finds it in this library, so the symbol must work: one thread
 * executes everything. Locks and critical sections exclude the program's own threads from each other.
 */
#ifndef HEDDLE_FORTRAN_SHIM_SERIAL_H
#define HEDDLE_FORTRAN_SHIM_SERIAL_H

#include "fortran-shim/gomp_abi.h"

/* True if a loop has no iterations. */
static inline bool range_is_empty(long start, long end, long step)
{
  return step > 0 ? start >= end : start <= end;
}

static inline bool range_is_empty_ull(bool up, gomp_ull start, gomp_ull end)
{
  return up ? start >= end : start <= end;
}

#pragma GCC visibility push(hidden)

#define WRAPPED(name) extern __typeof__(name) serial_##name;
#define CALLED(name, type)
#define PASSED(name, why)
#include "fortran-shim/symbols.def"
#undef WRAPPED
#undef CALLED
#undef PASSED

#pragma GCC visibility pop

#endif
