/* The list of metrics over time: a name, the present value, and a chart, in a line each. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_TIMES_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_TIMES_H

#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/view.h"

void times_headings(const struct view *view, struct canvas *canvas, int row);
void times_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style);

#endif
