/* Whether a loop has no iterations, for serial*.c. */
#ifndef HEDDLE_FORTRAN_SHIM_SERIAL_RANGE_H
#define HEDDLE_FORTRAN_SHIM_SERIAL_RANGE_H

#include "fortran-shim/gomp_abi.h"

static inline bool range_is_empty(long start, long end, long step)
{
  return step > 0 ? start >= end : start <= end;
}

static inline bool range_is_empty_ull(bool up, gomp_ull start, gomp_ull end)
{
  return up ? start >= end : start <= end;
}

#endif
