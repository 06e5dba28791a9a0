/* Puts a view onto a canvas of any size. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_DRAW_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_DRAW_H

#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/view.h"

/* Which rows show what; 0 rows: there is no room for it. The parts follow each other from top to bottom. */
struct layout {
  int head, head_rows;
  int bars, bars_rows; /* the first one explains the letters */
  int panel, panel_rows;
  int keys, keys_rows;
};
struct layout draw_layout(int rows, size_t bars, bool panel_has_bars);

void draw(struct view *view, struct canvas *canvas);

#endif
