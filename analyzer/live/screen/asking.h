/* Prompts: the user types a pair of metric and focus to show over time, or a focus for the whole screen. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_ASKING_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_ASKING_H

#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/view.h"

/* Applies a key to the typed text, or calls view_key(). */
enum wish asking_key(struct view *view, int key);

/* The list of metrics, while one is to be chosen, in so many rows. */
void asking_draw_metrics(const struct view *view, struct canvas *canvas, int row, int rows);
/* The line that is typed. */
void asking_draw_line(const struct view *view, struct canvas *canvas, int row);

#endif
