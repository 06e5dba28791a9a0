/* A file that is either complete or absent: it is written beside its place and renamed. "-" is standard output. */
#ifndef HEDDLE_ANALYZER_TRACE_OUTPUT_H
#define HEDDLE_ANALYZER_TRACE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

struct output {
  FILE *file;
  const char *path; /* the caller's; it outlives the output */
  char *part;       /* the file to rename at the end; NULL: none, as for standard output and devices */
};

/* False: an error. */
bool output_open(struct output *output, const char *path, struct error *error);

/* Ends the file; `good` false: removes it. False: it was removed, or there was an error. */
bool output_close(struct output *output, bool good, struct error *error);

#endif
