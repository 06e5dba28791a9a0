#include "analyzer/command/print/backend.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/units.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The length of a text that needs no quotes and no escaping (most texts); else 0. */
static size_t plain_length(const char *text)
{
  size_t length = 0;
  for (; text[length]; length++)
    if (text[length] < ' ' || text[length] > '~' || text[length] == '\\' || text[length] == '"' || text[length] == ',')
      return 0;
  return text[0] == ' ' ? 0 : length;
}

static void put_field(struct print *print, const char *text)
{
  size_t length = plain_length(text);
  if (length > 0) {
    fwrite_unlocked(text, 1, length, print->file);
    return;
  }
  char *escaped = escape_text(text);
  if (!escaped) {
    print->failed = true;
    return;
  }
  bool quoted = strpbrk(escaped, "\",") || escaped[0] == ' ';
  if (quoted)
    fputc('"', print->file);
  for (const char *at = escaped; *at;) {
    size_t plain = strcspn(at, "\"");
    fwrite(at, 1, plain, print->file);
    at += plain;
    if (*at == '"') {
      fputs("\"\"", print->file);
      at++;
    }
  }
  if (quoted)
    fputc('"', print->file);
  free(escaped);
}

static void put_number(FILE *file, uint64_t number)
{
  char text[DIGITS_MOST], *end = text + sizeof text, *begin = digits_before(end, number, 1);
  fwrite_unlocked(begin, 1, (size_t)(end - begin), file);
}

/* A column of its own, empty if the unit of time is unknown; to the nearest nanosecond. */
static void put_exact_seconds(struct print *print, uint64_t ticks)
{
  enum { NANOSECONDS = 1000000000 };
  char text[1 + 2 * DIGITS_MOST], *end = text + sizeof text, *begin = end;
  uint64_t a_second = print->ticks_per_second;
  if (a_second > 0) {
    uint64_t seconds = ticks / a_second;
    uint64_t rest = (uint64_t)(((unsigned __int128)(ticks % a_second) * NANOSECONDS + a_second / 2) / a_second);
    begin = digits_before(end, rest % NANOSECONDS, 9);
    *--begin = '.';
    begin = digits_before(begin, seconds + rest / NANOSECONDS, 1);
  }
  *--begin = ',';
  fwrite_unlocked(begin, 1, (size_t)(end - begin), print->file);
}

static void put_seconds(struct print *print, double ticks)
{
  fputc(',', print->file);
  if (print->ticks_per_second > 0)
    fprintf(print->file, "%.9f", ticks / (double)print->ticks_per_second);
}

static void csv_put_cell(struct print *print, enum print_type type, const struct print_cell *cell)
{
  FILE *file = print->file;
  switch (type) {
  case PRINT_STRING:
  case PRINT_VALUE:
    if (cell->there)
      put_field(print, cell->text);
    break;
  case PRINT_COUNT:
  case PRINT_NUMBER:
    if (cell->there)
      put_number(file, cell->count);
    break;
  case PRINT_DURATION:
  case PRINT_SHARE:
    if (cell->there) {
      put_number(file, cell->count);
      put_exact_seconds(print, cell->count);
    } else {
      fputc(',', file);
    }
    if (type == PRINT_SHARE && cell->there)
      fprintf(file, ",%.4f", print_percentage(cell->count, cell->of));
    else if (type == PRINT_SHARE)
      fputc(',', file);
    break;
  case PRINT_MEAN:
    if (cell->there) {
      fprintf(file, "%.10g", cell->real);
      put_seconds(print, cell->real);
    } else {
      fputc(',', file);
    }
    break;
  case PRINT_PROBABILITY:
  case PRINT_REAL:
    if (cell->there)
      fprintf(file, "%.10g", cell->real);
    break;
  default:
    if (cell->there)
      fprintf(file, "%.6g", cell->real);
  }
}

static bool has_half_width(const struct print *print, enum print_type type)
{
  return print->estimates && (type == PRINT_COUNT || type == PRINT_DURATION || type == PRINT_SHARE ||
                              type == PRINT_PERCENT || type == PRINT_RATIO);
}

/* True if the half-width is a time, in ticks and in seconds. */
static bool is_of_time(enum print_type type)
{
  return type == PRINT_DURATION || type == PRINT_SHARE;
}

/* Its columns, empty if the figure is exact. */
static void csv_put_half_width(struct print *print, enum print_type type, const struct print_cell *cell)
{
  fputc(',', print->file);
  if (cell->estimate)
    fprintf(print->file, "%.10g", cell->half_width);
  if (!is_of_time(type))
    return;
  if (cell->estimate)
    put_seconds(print, cell->half_width);
  else
    fputc(',', print->file);
}

static void csv_begin(struct print *print)
{
  (void)print;
}

static void csv_fact(struct print *print, const char *key, const char *title, enum print_type type,
                     struct print_cell value)
{
  (void)title;
  if (!print->csv_facts)
    return;
  if (!print->in_facts)
    fputs("fact,value\n", print->file);
  fprintf(print->file, "%s,", key);
  bool is_time = type == PRINT_DURATION || type == PRINT_SHARE || type == PRINT_MEAN;
  double ticks = type == PRINT_MEAN ? value.real : (double)value.count;
  if (!is_time)
    csv_put_cell(print, type, &value);
  else if (value.there && print->ticks_per_second > 0)
    fprintf(print->file, "%.9f", ticks / (double)print->ticks_per_second);
  else if (value.there)
    fprintf(print->file, "%.10g", ticks);
  if (value.estimate && print->ticks_per_second > 0 && is_time)
    fprintf(print->file, "\n%s_half_width,%.9f", key, value.half_width / (double)print->ticks_per_second);
  else if (value.estimate)
    fprintf(print->file, "\n%s_half_width,%.10g", key, value.half_width);
  fputc('\n', print->file);
}

static void csv_facts_end(struct print *print)
{
  print->wrote_csv = print->csv_facts;
}

static void csv_table(struct print *print, const char *key, const char *title)
{
  (void)key;
  (void)title;
  if (print->wrote_csv)
    fputc('\n', print->file);
  for (size_t i = 0; i < print->column_count; i++) {
    const struct print_column *column = &print->columns[i];
    const char *comma = i == 0 ? "" : ",";
    if (column->type == PRINT_DURATION || column->type == PRINT_MEAN)
      fprintf(print->file, "%s%s_ticks,%s_s", comma, column->key, column->key);
    else if (column->type == PRINT_SHARE)
      fprintf(print->file, "%s%s_ticks,%s_s,%s_percent", comma, column->key, column->key, column->key);
    else {
      fputs(comma, print->file);
      put_field(print, column->key); /* a matrix has names from outside as keys */
    }
    if (has_half_width(print, column->type) && !is_of_time(column->type))
      fprintf(print->file, ",%s_half_width", column->key);
    else if (has_half_width(print, column->type))
      fprintf(print->file, ",%s_half_width_ticks,%s_half_width_s", column->key, column->key);
  }
  fputc('\n', print->file);
}

static void csv_row(struct print *print, const struct print_cell *cells)
{
  for (size_t i = 0; i < print->column_count; i++) {
    if (i > 0)
      fputc_unlocked(',', print->file);
    csv_put_cell(print, print->columns[i].type, &cells[i]);
    if (has_half_width(print, print->columns[i].type))
      csv_put_half_width(print, print->columns[i].type, &cells[i]);
  }
  fputc('\n', print->file);
}

static void csv_table_end(struct print *print)
{
  print->wrote_csv = true;
}

static void csv_sentence(struct print *print, const char *key, const char *text)
{
  (void)print;
  (void)key;
  (void)text;
}

static void csv_end(struct print *print)
{
  (void)print;
}

const struct print_backend print_csv_backend = {csv_begin,     csv_fact,     csv_facts_end, csv_table, csv_row,
                                                csv_table_end, csv_sentence, NULL,          csv_end};
