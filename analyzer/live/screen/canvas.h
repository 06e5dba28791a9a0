/*
 * Grid of cells that a terminal shows, and the keys that it reports; no terminal is needed. Text is UTF-8 and takes the
 * columns that the locale (LC_CTYPE) says; text that does not fit is cut. Cells outside of the grid are ignored.
 */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_CANVAS_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_CANVAS_H

#include "analyzer/trace/states/state.h"

#include <wchar.h>

/* Keys that are no letters. */
enum key {
  PRESSED_ENTER = '\n',
  PRESSED_TAB = '\t',
  PRESSED_ESCAPE = 27,
  PRESSED_FIRST = 0x110000, /* beyond all letters */
  PRESSED_UP = PRESSED_FIRST,
  PRESSED_DOWN,
  PRESSED_LEFT,
  PRESSED_RIGHT,
  PRESSED_PAGE_UP,
  PRESSED_PAGE_DOWN,
  PRESSED_HOME,
  PRESSED_END,
  PRESSED_BACKSPACE,
  PRESSED_BACK_TAB,
  PRESSED_RESIZE /* not pressed: the terminal has another size */
};

enum style {
  STYLE_TEXT,
  STYLE_SOFT,
  STYLE_STRONG,
  STYLE_HEADING,
  STYLE_SORTED, /* the heading of the column that sorts */
  STYLE_CHOSEN, /* the row that keys act on */
  STYLE_KEYS,   /* names of keys */
  STYLE_WARNING,
  STYLE_CHART,
  STYLE_STATE, /* style_of(): the colours of states */
  STYLES = STYLE_STATE + STATES
};

static inline enum style style_of(enum state state)
{
  return (enum style)((unsigned)STYLE_STATE + (unsigned)state);
}

struct cell {
  wchar_t letter; /* 0: the cell before takes two columns */
  uint8_t style;
};

struct canvas {
  int rows, columns;
  bool unicode; /* the terminal shows other letters than ASCII */
  bool colour;  /* the terminal has colours for states */
  struct cell *cells;
};

/* Changes the size, and empties it. False: out of memory; the canvas is unchanged. */
bool canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_clear(struct canvas *canvas);
void canvas_free(struct canvas *canvas);

/* The number of columns of a text. */
int canvas_width(const struct canvas *canvas, const char *text);

/* Puts text into at most `width` columns. Returns the number of columns used. */
int canvas_put(struct canvas *canvas, int row, int column, int width, const char *text, enum style style);
/* The same, at the right end of these columns. */
void canvas_put_right(struct canvas *canvas, int row, int column, int width, const char *text, enum style style);
/* A name from outside: escaped. A source line at its end (@lu.c:42) is not cut. */
int canvas_put_name(struct canvas *canvas, int row, int column, int width, const char *name, enum style style);

void canvas_letter(struct canvas *canvas, int row, int column, wchar_t letter, enum style style);
/* Gives cells another style. */
void canvas_style(struct canvas *canvas, int row, int column, int width, enum style style);

/* A bar of so many columns whose parts are in proportion to the ticks. A part begins with its state's letter, and
 * repeats it if the terminal has no colours. */
void canvas_bar(struct canvas *canvas, int row, int column, int width, const wide_total ticks[STATES]);

/* A letter for a share, 0 to 1, of a row's height; a space for 0. */
wchar_t canvas_block(const struct canvas *canvas, double share);

#endif
