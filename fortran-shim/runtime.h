/*
 * The runtime's own functions: the libgomp that the program would call if this library were not there.
 *
 * A program that is linked with libomp, or a plug-in in it, calls libomp's GOMP_ functions; these go there unseen,
 * since libomp has OMPT itself.
 */
#ifndef HEDDLE_FORTRAN_SHIM_RUNTIME_H
#define HEDDLE_FORTRAN_SHIM_RUNTIME_H

#include "fortran-shim/gomp_abi.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_runtime {
#define WRAPPED(name)      __typeof__(name) *name;
#define CALLED(name, type) __typeof__(type) *name;
#define PASSED(name, why)
#include "fortran-shim/symbols.def"
#undef WRAPPED
#undef CALLED
#undef PASSED
};

/* A function that this runtime does not have is NULL here; no program that runs on it can have called it. */
extern struct gomp_runtime gomp;

/* Fills gomp. False: what serves the program is not libgomp, so there is nothing to provide. Not thread-safe. */
bool runtime_find(void);

/*
 * Of GOMP_ functions libomp lacks GOMP_error, GOMP_warning and GOMP_scope_start. A plug-in's calls of these went to the
 * libgomp that it brought, so they must still: the wrapper of such a function calls this where it is NULL.
 */
void runtime_find_missing(void);

/* The path of the libgomp that was found; "" before. */
const char *runtime_path(void);

#pragma GCC visibility pop

#endif
