/* Numbers for what a process makes. */
#ifndef HEDDLE_FORTRAN_SHIM_UNIQUE_ID_H
#define HEDDLE_FORTRAN_SHIM_UNIQUE_ID_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A number that no one else in the process gets. Any thread. */
uint64_t unique_id(void);

#pragma GCC visibility pop

#endif
