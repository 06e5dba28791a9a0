/* Private to trace/: an archive's anchor file, the .otf2 file that stands for all of it. */
#ifndef HEDDLE_ANALYZER_TRACE_ANCHOR_H
#define HEDDLE_ANALYZER_TRACE_ANCHOR_H

#include "base/error.h"

/* The anchor file that a user's path means: the file itself, or the one in that directory. The caller frees it.
 * NULL: there is none (error is filled). */
char *anchor_find(const char *path, struct error *error);

/*
 * The OTF2 library believes the number of properties in an anchor file: a damaged one costs it gigabytes and minutes.
 * False: the number cannot be true. What else may be wrong with the file, the library finds.
 */
bool anchor_check(const char *anchor, struct error *error);

#endif
