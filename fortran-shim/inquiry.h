/* What a tool may ask the provider: the entry points of OMPT. */
#ifndef HEDDLE_FORTRAN_SHIM_INQUIRY_H
#define HEDDLE_FORTRAN_SHIM_INQUIRY_H

#include <omp-tools.h>

/* For the lookup function that a tool's initialize gets; NULL: it is none of these. */
__attribute__((visibility("hidden"))) ompt_interface_fn_t inquiry_lookup(const char *name);

#endif
