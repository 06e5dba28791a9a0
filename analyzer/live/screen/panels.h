/* Panels: the lower part of the screen, lists that scroll. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_PANELS_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_PANELS_H

#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/view.h"

/* The names of the panels, headings, and the part of the list in which the chosen item is. */
void panels_draw(struct view *view, struct canvas *canvas, int row, int rows);

/* A thread's name, its states as a bar, and where it is. */
void panels_thread_bar(const struct view *view, struct canvas *canvas, int row, uint32_t location, enum style style);

#endif
