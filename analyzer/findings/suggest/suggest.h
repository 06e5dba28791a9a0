/* Patches for findings with one obvious edit of the source: for `patch -p1` in the working directory. */
#ifndef HEDDLE_ANALYZER_FINDINGS_SUGGEST_SUGGEST_H
#define HEDDLE_ANALYZER_FINDINGS_SUGGEST_SUGGEST_H

#include "analyzer/findings/findings.h"

/*
 * Writes patches to `to`: a directory, which has a file for each, or a file, which has all. Prints a line for each. A
 * source outside of the working directory has none. False: an error.
 */
bool suggest_write(const struct analysis_results *of, const struct findings *findings, const char *to,
                   struct error *error);

#endif
