/* The terminal, by ncurses. One of it. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_TERMINAL_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_TERMINAL_H

#include "analyzer/live/screen/canvas.h"

/* Takes the terminal, and says what it can in the canvas. False: it cannot be taken. */
bool terminal_open(struct canvas *canvas);
/* Gives it back as it was. */
void terminal_close(void);

/* Gives the canvas the terminal's size. False: no memory. */
bool terminal_fit(struct canvas *canvas);
void terminal_show(const struct canvas *canvas);

/* The next key: an enum key or a letter (keys.h); 0: none was pressed. */
int terminal_key(void);

#endif
