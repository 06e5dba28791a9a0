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

/*
 * As long as there is no runtime, and where it does not have a function: what is wrapped is serial.h's, what is only
 * called is NULL.
 */
extern struct gomp_runtime gomp;

enum runtime_found {
  RUNTIME_NONE,  /* nothing serves the program; a plug-in may bring it later */
  RUNTIME_OTHER, /* not libgomp, so there is nothing to provide */
  RUNTIME_LIBGOMP
};

/* Fills gomp. Not thread-safe. */
enum runtime_found runtime_find(void);

/* Whether there may be a runtime that was not there the last time: something was loaded since. Not thread-safe. */
bool runtime_is_news(void);

/* A fork's child begins. */
void runtime_in_child(void);

/*
 * Of GOMP_ functions libomp lacks GOMP_error, GOMP_warning and GOMP_scope_start. A plug-in's calls of these went to the
 * libgomp that it brought, so they must still: the wrapper of such a function calls this where it is serial.h's.
 */
void runtime_find_missing(void);

/* The path of the libgomp that was found; "" before. */
const char *runtime_path(void);

#pragma GCC visibility pop

#endif
