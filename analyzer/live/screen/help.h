/* The list of keys, in place of all else. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_HELP_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_HELP_H

#include "analyzer/live/screen/canvas.h"

void help_draw(struct canvas *canvas);

#endif
