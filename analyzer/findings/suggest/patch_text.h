/* The text of a unified diff. */
#ifndef HEDDLE_ANALYZER_FINDINGS_SUGGEST_PATCH_TEXT_H
#define HEDDLE_ANALYZER_FINDINGS_SUGGEST_PATCH_TEXT_H

#include "analyzer/findings/suggest/edits.h"

#include <stdio.h>

/* The edits of one file, in order of their lines, which do not overlap. name: relative, without a line feed. */
void patch_text_write(FILE *file, const char *name, const struct code_text *source, const struct edit *edits,
                      size_t count);

#endif
