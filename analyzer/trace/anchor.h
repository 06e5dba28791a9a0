/* Private to trace/: an archive's anchor file, the .otf2 file that names the archive. */
#ifndef HEDDLE_ANALYZER_TRACE_ANCHOR_H
#define HEDDLE_ANALYZER_TRACE_ANCHOR_H

#include "base/error.h"

#include <stdint.h>

/* The anchor file of a user's path: the file itself, or the one in that directory. The caller frees it. NULL: an error.
 */
char *anchor_find(const char *path, struct error *error);

/*
 * The OTF2 library trusts the number of properties in an anchor file: a damaged one costs it gigabytes and minutes.
 * False: the number is impossible. The library finds all other damage.
 */
bool anchor_check(const char *anchor, struct error *error);

/* Bytes of the file that has the archive's global definitions; UINT64_MAX: unknown. There are not more definitions in
 * it, nor is there more text, but in some damaged ones the OTF2 library goes round in circles. */
uint64_t anchor_definition_bytes(const char *anchor);

#endif
