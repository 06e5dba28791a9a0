#include "analyzer/command/print/backend.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/print.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DUMP (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

/* Valid UTF-8 as it is (the library escapes control characters), other text escaped. */
static json_t *json_of_text(const char *text)
{
  json_t *string = json_string(text);
  if (!string) {
    char *escaped = escape_text(text);
    string = escaped ? json_string(escaped) : NULL;
    free(escaped);
  }
  return string;
}

static json_t *json_of_count(uint64_t count)
{
  return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

static json_t *json_of_seconds(const struct print *print, double ticks)
{
  return print->ticks_per_second ? json_real(ticks / (double)print->ticks_per_second) : json_null();
}

static json_t *json_of_ticks(const struct print *print, const struct print_cell *cell, bool share)
{
  json_t *object = json_object();
  json_object_set_new(object, "ticks", json_of_count(cell->count));
  json_object_set_new(object, "seconds", json_of_seconds(print, (double)cell->count));
  if (share)
    json_object_set_new(object, "percent", json_real(print_percentage(cell->count, cell->of)));
  return object;
}

static json_t *json_of_mean(const struct print *print, const struct print_cell *cell)
{
  json_t *object = json_object();
  json_object_set_new(object, "ticks", json_real(cell->real));
  json_object_set_new(object, "seconds", json_of_seconds(print, cell->real));
  return object;
}

/* True if the text is a number of JSON. */
static bool is_number(const char *text)
{
  json_t *number = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
  bool is = number && json_is_number(number);
  json_decref(number);
  return is;
}

static json_t *json_of_cell(const struct print *print, enum print_type type, const struct print_cell *cell)
{
  if (!cell->there)
    return json_null();
  switch (type) {
  case PRINT_STRING:
    return json_of_text(cell->text);
  case PRINT_COUNT:
  case PRINT_NUMBER:
    return json_of_count(cell->count);
  case PRINT_DURATION:
  case PRINT_SHARE:
    return json_of_ticks(print, cell, type == PRINT_SHARE);
  case PRINT_MEAN:
    return json_of_mean(print, cell);
  default:
    return json_real(cell->real);
  }
}

static void put_value(struct print *print, json_t *value)
{
  if (!value || json_dumpf(value, print->file, DUMP) != 0)
    print->failed |= !value;
  json_decref(value);
}

/* A count or a duration. NULL: no memory. */
static json_t *json_of_half_width(const struct print *print, enum print_type type, double half_width)
{
  if (!isfinite(half_width))
    return json_null();
  return type == PRINT_COUNT || type == PRINT_PERCENT || type == PRINT_RATIO
             ? json_real(half_width)
             : json_pack("{s:f, s:o}", "ticks", half_width, "seconds", json_of_seconds(print, half_width));
}

/* Begins a member of the document. Keys are ours and need no escaping. */
static void put_key(const struct print *print, const char *key)
{
  fprintf(print->file, "%s\"%s\": ", print->something ? ",\n " : " ", key);
}

static void json_begin(struct print *print)
{
  fprintf(print->file, "{\n \"schema\": %d", PRINT_JSON_SCHEMA);
  print->something = true;
}

static void json_fact(struct print *print, const char *key, const char *title, enum print_type type,
                      struct print_cell value)
{
  (void)title;
  put_key(print, key);
  put_value(print, json_of_cell(print, type, &value));
  if (value.estimate) {
    fprintf(print->file, ",\n \"%s_half_width\": ", key);
    put_value(print, json_of_half_width(print, type, value.half_width));
  }
}

static void json_facts_end(struct print *print)
{
  (void)print;
}

static void json_table(struct print *print, const char *key, const char *title)
{
  (void)title;
  put_key(print, key);
  fputc('[', print->file);
}

/* Begins the next member of a row. */
static void put_member(struct print *print, const char *key, bool first)
{
  if (!first)
    fputc(',', print->file);
  put_value(print, json_of_text(key));
  fputc(':', print->file);
}

static void json_put_half_width(struct print *print, size_t at, const struct print_cell *cell)
{
  char *key;
  if (asprintf(&key, "%s_half_width", print->columns[at].key) < 0) {
    print->failed = true;
    return;
  }
  put_member(print, key, false);
  put_value(print, json_of_half_width(print, print->columns[at].type, cell->half_width));
  free(key);
}

/* A VALUE has all its digits, which the library's numbers have not. */
static void json_put_cell(struct print *print, enum print_type type, const struct print_cell *cell)
{
  if (type != PRINT_VALUE)
    put_value(print, json_of_cell(print, type, cell));
  else
    fputs(cell->there && is_number(cell->text) ? cell->text : "null", print->file);
}

static void json_members(struct print *print, const struct print_cell *cells)
{
  for (size_t i = 0; i < print->column_count; i++) {
    put_member(print, print->columns[i].key, i == 0);
    json_put_cell(print, print->columns[i].type, &cells[i]);
    if (cells[i].estimate)
      json_put_half_width(print, i, &cells[i]);
  }
}

static void json_row(struct print *print, const struct print_cell *cells)
{
  fputs(print->table_has_row ? ",\n  {" : "\n  {", print->file);
  json_members(print, cells);
  fputc('}', print->file);
}

static void json_object_member(struct print *print, const char *key, const struct print_cell *cells)
{
  put_key(print, key);
  fputc('{', print->file);
  json_members(print, cells);
  fputc('}', print->file);
}

static void json_table_end(struct print *print)
{
  fputs(print->table_has_row ? "\n ]" : "]", print->file);
}

static void json_sentence(struct print *print, const char *key, const char *text)
{
  put_key(print, key);
  put_value(print, json_of_text(text));
}

static void json_end(struct print *print)
{
  fputs("\n}\n", print->file);
}

const struct print_backend print_json_backend = {json_begin,    json_fact,          json_facts_end,
                                                 json_table,    json_row,           json_table_end,
                                                 json_sentence, json_object_member, json_end};
