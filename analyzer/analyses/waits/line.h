/*
 * Where a path was: on which thread from when to when. Beyond LINE_MOST stretches neighbors that are short for the
 * whole line become one, of the thread that has the longest of them: so memory is bounded.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_LINE_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_LINE_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

#define LINE_MOST 2000

struct path_stretch {
  uint32_t location;
  uint64_t begin, end; /* ticks; between two stretches the path is on no thread */
};

struct path_line {
  VECTOR(struct path_stretch) stretches;
};

/* Adds a stretch behind the others. False: no memory. */
bool line_add(struct path_line *line, struct path_stretch stretch);
/* Adds those of another line, which come later. False: no memory. */
bool line_append(struct path_line *line, const struct path_line *later);
/* At most LINE_MOST stretches. */
void line_shorten(struct path_line *line);
void line_free(struct path_line *line);

#endif
