/*
 * A file that is either complete or not there. It is written beside its place and renamed; "-" is
 * standard output.
 */
#ifndef HEDDLE_ANALYZER_TRACE_OUTPUT_H
#define HEDDLE_ANALYZER_TRACE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

struct output {
  FILE *file;
  const char *path; /* as the caller gave it; it outlives the output */
  char *part;       /* what is written to until the end; NULL: it is written in place */
};

/* False: an error. */
bool output_open(struct output *output, const char *path, struct error *error);

/* Ends it. `good` false: what was written is removed. False: it was, or something could not be written (error). */
bool output_close(struct output *output, bool good, struct error *error);

#endif
