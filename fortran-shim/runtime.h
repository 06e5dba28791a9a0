/*
 * Functions of the program's own libgomp, which the wrappers call.
 *
 * If a program or its plug-in is linked with libomp, calls of GOMP_ functions are passed to libomp without a report:
 * libomp has OMPT itself.
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

/*
 * Functions that the runtime does not have, and all while there is no runtime: WRAPPED ones are the functions of
 * serial.h, CALLED ones are NULL.
 */
extern struct gomp_runtime gomp;

enum runtime_found {
  RUNTIME_NONE,  /* there is none; a plug-in may load one later */
  RUNTIME_OTHER, /* not libgomp, so the shim does nothing */
  RUNTIME_LIBGOMP
};

/* Finds the runtime and fills gomp. Not thread-safe. */
enum runtime_found runtime_find(void);

/* True if libraries were loaded since the last search, so that there may be a runtime now. Not thread-safe. */
bool runtime_is_news(void);

/* A child of fork begins. */
void runtime_in_child(void);

/*
 * Finds functions in a libgomp that a plug-in has loaded. libomp lacks GOMP_error, GOMP_warning and GOMP_scope_start,
 * so without the shim a plug-in's calls reach its libgomp. The wrapper of such a function calls this if gomp has
 * serial.h's.
 */
void runtime_find_missing(void);

/* True if the libgomp that was found starts tools itself, as OpenMP specifies: it has the name of their function. */
bool runtime_starts_tools(void);

/* Returns the path of the libgomp that was found; "" before. */
const char *runtime_path(void);

#pragma GCC visibility pop

#endif
