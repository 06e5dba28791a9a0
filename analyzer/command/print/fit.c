#include "analyzer/command/print/fit.h"

#include "analyzer/command/print/escape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  NARROWEST = 40, /* a terminal that is narrower breaks lines itself */
  TEXT_GOOD = 32, /* characters of a column of texts */
  TEXT_LEAST = 16,
  CONTINUED = 2, /* blanks before the second line of a text */
  GAP = 2
};

#define BOLD  "\033[1m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

void print_find_terminal(struct print *print)
{
  struct winsize size;
  int fd = fileno(print->file);
  const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
  if (fd < 0 || !isatty(fd))
    return;
  print->styled = term && strcmp(term, "dumb") != 0 && (!plain || !*plain);
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    print->width = size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

void print_blanks(const struct print *print, size_t count)
{
  if (count > 0)
    fprintf(print->file, "%*s", (int)count, "");
}

static void put_styled(const struct print *print, const char *style, const char *text, size_t bytes)
{
  bool styled = print->styled && style && bytes > 0;
  fprintf(print->file, "%s%.*s%s", styled ? style : "", (int)bytes, text, styled ? PLAIN : "");
}

void print_heading(const struct print *print, const char *title)
{
  put_styled(print, BOLD, title, strlen(title));
  fputc('\n', print->file);
}

/* A text in lines of at most `width` characters. */
struct folding {
  const char *rest;
  size_t width, indent; /* indent: blanks before the next line */
};

static bool may_end_line(char c)
{
  return c == '.' || c == '/' || c == ':' || c == ',' || c == ')';
}

/* The bytes of the next line, which ends at a blank, or else behind a mark, or else anywhere. */
static size_t line_bytes(const struct folding *folding)
{
  size_t room = folding->width > folding->indent ? folding->width - folding->indent : 1, used = 0;
  const char *at = folding->rest, *blank = NULL, *mark = NULL;
  char last = ' ';
  at += strspn(at, " ");
  used = (size_t)(at - folding->rest);
  for (; *at && used < room; used++) {
    char c = *at++;
    while (((unsigned char)*at & 0xc0) == 0x80)
      at++;
    if (c == ' ' && !isdigit((unsigned char)last)) /* 33.4 % stay together */
      blank = at - 1;
    else if (may_end_line(c))
      mark = at;
    last = c;
  }
  const char *end = !*at || *at == ' ' ? at : blank ? blank : mark ? mark : at;
  return (size_t)(end - folding->rest);
}

/* Returns where the next line begins, with its bytes; NULL: there is none. */
static const char *next_line(struct folding *folding, size_t *bytes, size_t *indent, size_t next_indent)
{
  const char *line = folding->rest;
  if (!line)
    return NULL;
  *bytes = line_bytes(folding);
  *indent = folding->indent;
  const char *rest = line + *bytes;
  rest += strspn(rest, " ");
  folding->rest = *rest ? rest : NULL;
  folding->indent = next_indent;
  return line;
}

void print_lines(const struct print *print, const char *text, size_t indent)
{
  struct folding folding = {.rest = text, .width = SIZE_MAX};
  if (print->width >= indent + TEXT_LEAST)
    folding.width = print->width - indent;
  size_t bytes, none;
  const char *line;
  for (bool first = true; (line = next_line(&folding, &bytes, &none, 0)); first = false) {
    print_blanks(print, first ? 0 : indent);
    fprintf(print->file, "%.*s\n", (int)bytes, line);
  }
}

/* Lines of a cell: the second and further ones are further right, as far as there is room. */
static size_t cell_indent(const char *text, size_t width)
{
  size_t indent = strspn(text, " ") + CONTINUED;
  return indent + TEXT_LEAST / 2 <= width ? indent : 0;
}

static size_t cell_lines(const char *text, size_t width)
{
  struct folding folding = {.rest = text, .width = width};
  size_t count = 0, bytes, indent;
  while (next_line(&folding, &bytes, &indent, cell_indent(text, width)))
    count++;
  return count;
}

/* What a table looks like. */
struct layout {
  const struct print *print;
  size_t *widths; /* 0: the column is not shown */
  bool *shown;
  bool fold_titles, percents; /* percents: shares have no times */
  size_t last;                /* column that is shown */
};

static size_t row_count(const struct print *print)
{
  return print->column_count > 0 ? print->cells.count / print->column_count : 0;
}

/* The text of a cell; row 0 has the titles. */
static const char *cell_text(const struct layout *layout, size_t row, size_t column)
{
  const struct print *print = layout->print;
  if (row == 0)
    return print->columns[column].title;
  const char *text = print->cells.items[(row - 1) * print->column_count + column];
  size_t length = strlen(text);
  bool cut = layout->percents && print->columns[column].type == PRINT_SHARE && length > PERCENT_WIDTH;
  if (cut)
    text += length - PERCENT_WIDTH;
  return cut ? text + strspn(text, " ") : text;
}

static size_t longest_word(const char *text)
{
  size_t most = 0;
  for (const char *at = text; *at;) {
    size_t bytes = strcspn(at, " ");
    char *word = strndup(at, bytes);
    size_t width = word ? escape_width(word) : bytes;
    free(word);
    if (width > most)
      most = width;
    at += bytes;
    at += strspn(at, " ");
  }
  return most;
}

static size_t natural_width(const struct layout *layout, size_t column)
{
  const char *title = layout->print->columns[column].title;
  size_t width = layout->fold_titles ? longest_word(title) : escape_width(title);
  size_t share = layout->percents ? PERCENT_WIDTH : SHARE_WIDTH;
  if (layout->print->columns[column].type == PRINT_SHARE && width < share)
    width = share;
  for (size_t row = 1; row <= row_count(layout->print); row++) {
    size_t used = escape_width(cell_text(layout, row, column));
    if (used > width)
      width = used;
  }
  return width;
}

static size_t total_width(const struct layout *layout)
{
  size_t total = 0;
  for (size_t i = 0; i < layout->print->column_count; i++)
    if (layout->shown[i])
      total += layout->widths[i] + (total > 0 ? GAP : 0);
  return total;
}

/* The widest column of texts that is wider than `least`; SIZE_MAX: none. */
static size_t widest_text(const struct layout *layout, size_t least)
{
  size_t widest = SIZE_MAX;
  for (size_t i = 0; i < layout->print->column_count; i++)
    if (layout->shown[i] && layout->print->columns[i].type == PRINT_STRING && layout->widths[i] > least &&
        (widest == SIZE_MAX || layout->widths[i] > layout->widths[widest]))
      widest = i;
  return widest;
}

/* Finds the widths; texts may be folded down to `least` characters. True: the table fits. */
static bool fits(struct layout *layout, size_t least)
{
  const struct print *print = layout->print;
  for (size_t i = 0; i < print->column_count; i++) {
    layout->widths[i] = layout->shown[i] ? natural_width(layout, i) : 0;
    if (layout->shown[i])
      layout->last = i;
  }
  size_t total = total_width(layout), widest;
  for (; print->width > 0 && total > print->width && (widest = widest_text(layout, least)) != SIZE_MAX; total--)
    layout->widths[widest]--;
  return print->width == 0 || total <= print->width;
}

/* Omits the last column but the first one, shares last. False: there is none. */
static bool drop_last(struct layout *layout)
{
  for (int shares = 0; shares <= 1; shares++)
    for (size_t i = layout->print->column_count; i-- > 1;)
      if (layout->shown[i] && (shares || layout->print->columns[i].type != PRINT_SHARE)) {
        layout->shown[i] = false;
        return true;
      }
  return false;
}

static void fit(struct layout *layout)
{
  const struct print *print = layout->print;
  if (fits(layout, SIZE_MAX) || fits(layout, TEXT_GOOD))
    return;
  layout->fold_titles = true;
  if (fits(layout, TEXT_GOOD))
    return;
  for (size_t i = print->column_count; i-- > 1;) {
    if (!layout->shown[i] || !(print->columns[i].omit & PRINT_OMIT_FIRST))
      continue;
    layout->shown[i] = false;
    if (fits(layout, TEXT_GOOD))
      return;
  }
  layout->percents = true;
  if (fits(layout, TEXT_GOOD))
    return;
  while (!fits(layout, TEXT_LEAST) && drop_last(layout))
    ;
}

static const char *cell_style(const char *text, size_t row)
{
  return row == 0 ? BOLD : strcmp(text, "0") == 0 || strcmp(text, "-") == 0 ? FAINT : NULL;
}

/* One line of a cell: titles stand at the bottom, others at the top. */
struct piece {
  const char *text; /* NULL: it has no such line */
  size_t bytes, indent, used;
};

static struct piece piece_of(const struct layout *layout, size_t row, size_t column, size_t line, size_t lines)
{
  const char *text = cell_text(layout, row, column);
  size_t width = layout->widths[column], number = line;
  struct folding folding = {.rest = text, .width = width};
  struct piece piece = {.text = NULL};
  if (row == 0) {
    size_t above = lines - cell_lines(text, width);
    if (line < above)
      return piece;
    number -= above;
  }
  for (size_t i = 0; i <= number; i++)
    piece.text = next_line(&folding, &piece.bytes, &piece.indent, row == 0 ? 0 : cell_indent(text, width));
  char *copy = piece.text ? strndup(piece.text, piece.bytes) : NULL;
  piece.used = copy ? escape_width(copy) + piece.indent : 0;
  free(copy);
  return piece;
}

/* Blanks come only before what is printed. */
static void put_line(const struct layout *layout, size_t row, size_t line, size_t lines)
{
  const struct print *print = layout->print;
  size_t blanks = 0;
  for (size_t i = 0; i <= layout->last; i++) {
    if (!layout->shown[i])
      continue;
    struct piece piece = piece_of(layout, row, i, line, lines);
    size_t width = layout->widths[i], room = piece.used < width ? width - piece.used : 0;
    bool left = print->columns[i].type == PRINT_STRING;
    if (piece.used > 0) {
      print_blanks(print, blanks + (left ? piece.indent : room));
      put_styled(print, cell_style(cell_text(layout, row, i), row), piece.text, piece.bytes);
      blanks = (left ? room : 0) + GAP;
    } else {
      blanks += width + GAP;
    }
  }
  fputc('\n', print->file);
}

static void put_row(const struct layout *layout, size_t row)
{
  size_t lines = 1;
  for (size_t i = 0; i <= layout->last; i++) {
    size_t own = layout->shown[i] ? cell_lines(cell_text(layout, row, i), layout->widths[i]) : 0;
    if (own > lines)
      lines = own;
  }
  for (size_t line = 0; line < lines; line++)
    put_line(layout, row, line, lines);
}

/* Names the columns that the terminal has no room for. */
static void put_omitted(const struct layout *layout, const bool *wanted)
{
  const struct print *print = layout->print;
  char *text = NULL;
  size_t size, count = 0;
  FILE *file = open_memstream(&text, &size);
  for (size_t i = 0; file && i < print->column_count; i++)
    if (wanted[i] && !layout->shown[i])
      fprintf(file, "%s%s", count++ > 0 ? ", " : "No room for: ", print->columns[i].title);
  if (file && fclose(file) == 0 && count > 0)
    print_lines(print, text, 0);
  free(text);
}

bool print_fitted(const struct print *print)
{
  size_t count = print->column_count;
  struct layout layout = {.print = print, .widths = calloc(count + 1, sizeof *layout.widths)};
  layout.shown = calloc(count + 1, sizeof *layout.shown);
  bool *wanted = calloc(count + 1, sizeof *wanted), good = layout.widths && layout.shown && wanted;
  for (size_t i = 0; good && i < count; i++)
    layout.shown[i] = wanted[i] = !((print->columns[i].omit & PRINT_OMIT_ZERO) && print->all_zero[i]);
  if (good) {
    fit(&layout);
    for (size_t row = 0; row <= row_count(print); row++)
      put_row(&layout, row);
    put_omitted(&layout, wanted);
  }
  free(layout.widths);
  free(layout.shown);
  free(wanted);
  return good;
}
