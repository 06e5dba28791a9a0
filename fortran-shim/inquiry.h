/* What a tool may ask the provider: the entry points of OMPT. */
#ifndef HEDDLE_FORTRAN_SHIM_INQUIRY_H
#define HEDDLE_FORTRAN_SHIM_INQUIRY_H

#include <omp-tools.h>

/* The lookup function that a tool's initialize gets. */
__attribute__((visibility("hidden"))) ompt_interface_fn_t inquiry_lookup(const char *name);

/* A number that no one else in the process gets. Any thread. */
__attribute__((visibility("hidden"))) uint64_t inquiry_unique_id(void);

#endif
