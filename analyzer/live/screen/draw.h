/* Drawing of a view, or of the list of keys, on a canvas of any size. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_DRAW_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_DRAW_H

#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/view.h"

/* The rows of each part, from top to bottom; 0 rows: there is no room for it. */
struct layout {
  int head, head_rows;
  int bars, bars_rows; /* the first one explains the letters */
  int panel, panel_rows;
  int keys, keys_rows;
};
struct layout draw_layout(int rows, size_t bars, bool panel_has_bars);

void draw(struct view *view, struct canvas *canvas);

#endif
