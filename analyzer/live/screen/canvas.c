#include "analyzer/live/screen/canvas.h"

#include "analyzer/command/print/escape.h"

#include <stdlib.h>
#include <string.h>

enum {
  SIDE_MOST = 4096, /* rows or columns; no terminal has more */
  NAME_BEGIN = 5    /* columns that are kept of what stands before a source line */
};

bool canvas_resize(struct canvas *canvas, int rows, int columns)
{
  rows = rows < 1 ? 1 : rows < SIDE_MOST ? rows : SIDE_MOST;
  columns = columns < 1 ? 1 : columns < SIDE_MOST ? columns : SIDE_MOST;
  struct cell *cells = reallocarray(canvas->cells, (size_t)rows * (size_t)columns, sizeof *cells);
  if (!cells)
    return false;
  canvas->cells = cells;
  canvas->rows = rows;
  canvas->columns = columns;
  canvas_clear(canvas);
  return true;
}

void canvas_clear(struct canvas *canvas)
{
  for (size_t i = 0; i < (size_t)canvas->rows * (size_t)canvas->columns; i++)
    canvas->cells[i] = (struct cell){.letter = L' ', .style = STYLE_TEXT};
}

void canvas_free(struct canvas *canvas)
{
  free(canvas->cells);
  canvas->cells = NULL;
}

/* The letter at *text, which moves behind it, and its columns. What the terminal cannot show is a question mark. */
static wchar_t next(const struct canvas *canvas, const char **text, int *columns)
{
  const unsigned char *at = (const unsigned char *)*text;
  int more = at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
  uint32_t code = more == 0 ? at[0] : at[0] & (0x3fu >> more);
  for (int i = 1; i <= more && at[i]; i++, (*text)++)
    code = code << 6 | (at[i] & 0x3fu);
  (*text)++;
  *columns = 1;
  if (code < 0x80)
    return (wchar_t)(code >= 0x20 && code != 0x7f ? code : '?');
  int wide = canvas->unicode ? wcwidth((wchar_t)code) : -1;
  if (wide < 0)
    return L'?';
  *columns = wide;
  return (wchar_t)code;
}

int canvas_width(const struct canvas *canvas, const char *text)
{
  int width = 0, columns;
  while (*text) {
    next(canvas, &text, &columns);
    width += columns;
  }
  return width;
}

void canvas_letter(struct canvas *canvas, int row, int column, wchar_t letter, enum style style)
{
  if (row >= 0 && row < canvas->rows && column >= 0 && column < canvas->columns)
    canvas->cells[row * canvas->columns + column] = (struct cell){.letter = letter, .style = (uint8_t)style};
}

int canvas_put(struct canvas *canvas, int row, int column, int width, const char *text, enum style style)
{
  int used = 0, columns;
  width = width < canvas->columns - column ? width : canvas->columns - column;
  bool cut = canvas_width(canvas, text) > width;
  while (*text) {
    wchar_t letter = next(canvas, &text, &columns);
    if (used + columns > width - cut)
      break;
    if (columns == 0) /* belongs to the letter before; a cell has one */
      continue;
    canvas_letter(canvas, row, column + used, letter, style);
    if (columns == 2)
      canvas_letter(canvas, row, column + used + 1, 0, style);
    used += columns;
  }
  if (cut && width > 0)
    canvas_letter(canvas, row, column + used++, canvas->unicode ? L'…' : L'~', style);
  return used;
}

void canvas_put_right(struct canvas *canvas, int row, int column, int width, const char *text, enum style style)
{
  int wide = canvas_width(canvas, text);
  canvas_put(canvas, row, column + (wide < width ? width - wide : 0), wide < width ? wide : width, text, style);
}

int canvas_put_name(struct canvas *canvas, int row, int column, int width, const char *name, enum style style)
{
  char *escaped = escape_text(name);
  const char *text = escaped ? escaped : "?", *place = strrchr(text, '@');
  int needs = canvas_width(canvas, text), end = place ? canvas_width(canvas, place) : 0, used = 0;
  if (needs > width && end > 0 && end + NAME_BEGIN <= width) {
    canvas_put(canvas, row, column, width - end, text, style);
    used = width - end;
    text = place;
  }
  used += canvas_put(canvas, row, column + used, width - used, text, style);
  free(escaped);
  return used;
}

void canvas_style(struct canvas *canvas, int row, int column, int width, enum style style)
{
  for (int i = column < 0 ? 0 : column; row >= 0 && row < canvas->rows && i < column + width && i < canvas->columns;
       i++)
    canvas->cells[row * canvas->columns + i].style = (uint8_t)style;
}

void canvas_bar(struct canvas *canvas, int row, int column, int width, const wide_total ticks[STATES])
{
  /* RUN is first, IDLE is last. */
  double sum = 0, so_far = 0;
  int done = 0;
  for (unsigned i = 0; i < STATES; i++)
    sum += (double)ticks[i];
  for (unsigned i = 0; i < STATES && sum > 0; i++) {
    enum state state = i + 1 < STATES ? (enum state)(i + 1) : STATE_IDLE;
    so_far += (double)ticks[state];
    int end = (int)((double)width * so_far / sum + 0.5);
    wchar_t letter = (wchar_t)state_letter(state);
    for (int at = done; at < end; at++)
      canvas_letter(canvas, row, column + at, at == done || !canvas->colour ? letter : L' ', style_of(state));
    done = end;
  }
}

wchar_t canvas_block(const struct canvas *canvas, double share)
{
  static const wchar_t blocks[] = L" ▁▂▃▄▅▆▇█", plain[] = L" .:-=+*#@";
  int eighths = share <= 0 ? 0 : (int)(share * 8 + 0.5);
  eighths = share > 0 && eighths < 1 ? 1 : eighths < 8 ? eighths : 8;
  return (canvas->unicode ? blocks : plain)[eighths];
}
