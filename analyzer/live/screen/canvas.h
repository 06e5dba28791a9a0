/*
 * What is to be shown, as cells of a grid, without a terminal. Text is UTF-8 and takes the columns that the locale
 * (LC_CTYPE) says; what does not fit is cut. Whatever lies outside of the grid is left out.
 */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_CANVAS_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_CANVAS_H

#include "analyzer/trace/states/state.h"

#include <wchar.h>

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
  bool colour;  /* styles of states can be told apart */
  struct cell *cells;
};

/* Changes the size, and makes it empty. False: no memory; the canvas is as before. */
bool canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_clear(struct canvas *canvas);
void canvas_free(struct canvas *canvas);

/* How many columns a text takes. */
int canvas_width(const struct canvas *canvas, const char *text);

/* Puts text into at most `width` columns. Returns how many it took. */
int canvas_put(struct canvas *canvas, int row, int column, int width, const char *text, enum style style);
/* The same, at the right end of these columns. */
void canvas_put_right(struct canvas *canvas, int row, int column, int width, const char *text, enum style style);
/* A name from outside: escaped. If it has a source line at its end (@lu.c:42), this is what is not cut. */
int canvas_put_name(struct canvas *canvas, int row, int column, int width, const char *name, enum style style);

void canvas_letter(struct canvas *canvas, int row, int column, wchar_t letter, enum style style);
/* Gives cells another style. */
void canvas_style(struct canvas *canvas, int row, int column, int width, enum style style);

/* A bar of so many columns whose parts are in proportion to the ticks; a part begins with its state's letter, and has
 * more of them where colours cannot be told apart. */
void canvas_bar(struct canvas *canvas, int row, int column, int width, const wide_total ticks[STATES]);

/* A letter for a share, 0 to 1, of a row's height; a space for 0. */
wchar_t canvas_block(const struct canvas *canvas, double share);

#endif
