#include "analyzer/command/print/backend.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/fit.h"
#include "analyzer/command/print/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FACT_WIDTH     20
#define FLOWING_WIDTH  12
#define FLOWING_STRING 24

/* A count or a time, which may be an estimate; the caller frees it. */
static char *format_estimate(const struct print *print, enum print_type type, const struct print_cell *cell)
{
  char number[UNITS_SIZE], margin[UNITS_SIZE], percent[UNITS_SIZE], *result = NULL;
  if (type == PRINT_COUNT)
    units_count(cell->count, number);
  else
    units_duration(cell->count, print->ticks_per_second, number);
  *margin = 0;
  if (cell->estimate && cell->count > 0)
    units_margin(cell->half_width, (double)cell->count, margin);
  bool share = type == PRINT_SHARE;
  if (share)
    units_percent(print_percentage(cell->count, cell->of), percent);
  int length = share
                   ? asprintf(&result, "%s%s%s %*s", cell->estimate ? "~" : "", number, margin, PERCENT_WIDTH, percent)
                   : asprintf(&result, "%s%s%s", cell->estimate ? "~" : "", number, margin);
  return length < 0 ? NULL : result;
}

/* A percentage or a ratio, which may be an estimate; the caller frees it. */
static char *format_real(enum print_type type, const struct print_cell *cell)
{
  char number[UNITS_SIZE], margin[UNITS_SIZE] = "", *result;
  if (type == PRINT_PERCENT)
    units_percent(cell->real, number);
  else
    snprintf(number, sizeof number, "%.3f", cell->real);
  if (cell->estimate && cell->real > 0)
    units_margin(cell->half_width, cell->real, margin);
  return asprintf(&result, "%s%s%s", cell->estimate ? "~" : "", number, margin) < 0 ? NULL : result;
}

char *print_format_cell(struct print *print, enum print_type type, const struct print_cell *cell)
{
  char text[UNITS_SIZE];
  char *result = NULL;
  if (!cell->there)
    result = strdup("-");
  else if (type == PRINT_STRING || type == PRINT_VALUE)
    result = escape_text(cell->text);
  else if (type == PRINT_PERCENT || type == PRINT_RATIO)
    result = format_real(type, cell);
  else if (type == PRINT_PROBABILITY)
    result = strdup(units_probability(cell->real, text));
  else if (type == PRINT_MEAN)
    result = strdup(units_mean(cell->real, print->ticks_per_second, text));
  else if (type == PRINT_REAL) {
    snprintf(text, sizeof text, "%.6g", cell->real);
    result = strdup(text);
  } else if (type == PRINT_NUMBER) {
    snprintf(text, sizeof text, "%" PRIu64, cell->count);
    result = strdup(text);
  } else {
    result = format_estimate(print, type, cell);
  }
  if (!result)
    print->failed = true;
  return result;
}

/* Texts are left-aligned, numbers right-aligned; the last text of a line has no padding. */
static void text_put_cell(const struct print *print, const char *text, bool left, size_t width, bool last)
{
  size_t used = escape_width(text);
  if (!left)
    print_blanks(print, used < width ? width - used : 0);
  fputs(text, print->file);
  if (left && !last)
    print_blanks(print, used < width ? width - used : 0);
}

static void text_begin(struct print *print)
{
  print_find_terminal(print);
}

static void text_fact(struct print *print, const char *key, const char *title, enum print_type type,
                      struct print_cell value)
{
  (void)key;
  char *text = print_format_cell(print, type, &value);
  if (text) {
    fprintf(print->file, "%-*s  ", FACT_WIDTH, title);
    print_lines(print, text, FACT_WIDTH + 2);
  }
  free(text);
}

static void text_facts_end(struct print *print)
{
  (void)print;
}

static size_t flowing_width(const struct print_column *column)
{
  return column->type == PRINT_STRING ? FLOWING_STRING : FLOWING_WIDTH;
}

static void text_table(struct print *print, const char *key, const char *title)
{
  (void)key;
  if (print->something)
    fputc('\n', print->file);
  if (title)
    print_heading(print, title);
  if (print->flowing) {
    for (size_t i = 0; i < print->column_count; i++) {
      const struct print_column *column = &print->columns[i];
      bool last = i + 1 == print->column_count;
      text_put_cell(print, column->title, column->type == PRINT_STRING, flowing_width(column), last);
      fputs(last ? "\n" : "  ", print->file);
    }
    return;
  }
  print->all_zero = malloc(print->column_count * sizeof *print->all_zero);
  for (size_t i = 0; print->all_zero && i < print->column_count; i++)
    print->all_zero[i] = true;
  print->failed |= !print->all_zero;
}

static void flow_row(struct print *print, const struct print_cell *cells)
{
  for (size_t i = 0; i < print->column_count; i++) {
    const struct print_column *column = &print->columns[i];
    bool last = i + 1 == print->column_count;
    char *text = print_format_cell(print, column->type, &cells[i]);
    text_put_cell(print, text ? text : "", column->type == PRINT_STRING, flowing_width(column), last);
    fputs(last ? "\n" : "  ", print->file);
    free(text);
  }
}

static void text_row(struct print *print, const struct print_cell *cells)
{
  if (print->flowing) {
    flow_row(print, cells);
    return;
  }
  if (print->failed)
    return;
  for (size_t i = 0; i < print->column_count; i++) {
    char *text = print_format_cell(print, print->columns[i].type, &cells[i]);
    if (!text || !vector_push(&print->cells, text)) {
      free(text);
      print->failed = true;
      return;
    }
    print->all_zero[i] &= !cells[i].there || (!cells[i].text && cells[i].count == 0 && cells[i].real == 0);
  }
}

static void text_table_end(struct print *print)
{
  if (print->flowing)
    return;
  if (!print->failed && !print_fitted(print))
    print->failed = true;
  for (size_t i = 0; i < print->cells.count; i++)
    free(print->cells.items[i]);
  vector_free(&print->cells);
  free(print->all_zero);
  print->all_zero = NULL;
}

static void text_sentence(struct print *print, const char *key, const char *text)
{
  (void)key;
  char *escaped = escape_text(text);
  if (escaped) {
    fputs(print->something ? "\n" : "", print->file);
    print_lines(print, escaped, 0);
  } else {
    print->failed = true;
  }
  free(escaped);
}

static void text_end(struct print *print)
{
  (void)print;
}

const struct print_backend print_text_backend = {text_begin,     text_fact,     text_facts_end, text_table, text_row,
                                                 text_table_end, text_sentence, NULL,           text_end};
