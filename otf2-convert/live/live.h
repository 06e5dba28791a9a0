/*
 * Serves looks at a process that records to `heddle live`, which asks for each by a line on standard input: a reading
 * as lines (live_lines.h) on standard output. Symbols of the program are read once.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_H

#include "base/error.h"

#include <stdbool.h>

/* directory: of the process, in raw/. Returns when the input ends, or once the process no longer records and has been
 * read a last time. False: an error. */
bool live_serve(const char *directory, struct error *error);

#endif
