#include "analyzer/command/print/json_writer.h"

#include "analyzer/command/print/escape.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static void begin_value(struct json_writer *json, const char *name)
{
  if (json->something[json->depth])
    fputc(',', json->file);
  json->something[json->depth] = true;
  if (name)
    fprintf(json->file, "\"%s\":", name);
}

static void open_value(struct json_writer *json, const char *name, bool array)
{
  begin_value(json, name);
  if (json->depth == JSON_WRITER_DEPTH) {
    json->failed = true;
    return;
  }
  json->depth++;
  json->something[json->depth] = false;
  json->array[json->depth] = array;
  fputc(array ? '[' : '{', json->file);
}

void json_put_object(struct json_writer *json, const char *name)
{
  open_value(json, name, false);
}

void json_put_array(struct json_writer *json, const char *name)
{
  open_value(json, name, true);
}

void json_put_end(struct json_writer *json)
{
  fputc(json->array[json->depth] ? ']' : '}', json->file);
  json->depth--;
}

void json_put_text(struct json_writer *json, const char *name, const char *text)
{
  begin_value(json, name);
  json_t *string = text ? json_string(text) : json_null();
  if (!string) {
    char *escaped = escape_text(text);
    string = escaped ? json_string(escaped) : NULL;
    free(escaped);
  }
  if (!string || json_dumpf(string, json->file, JSON_ENCODE_ANY) != 0)
    json->failed = true;
  json_decref(string);
}

void json_put_count(struct json_writer *json, const char *name, uint64_t count)
{
  begin_value(json, name);
  fprintf(json->file, "%" PRIu64, count);
}

void json_put_signed(struct json_writer *json, const char *name, int64_t number)
{
  begin_value(json, name);
  fprintf(json->file, "%" PRId64, number);
}

void json_put_real(struct json_writer *json, const char *name, double number)
{
  begin_value(json, name);
  if (isfinite(number))
    fprintf(json->file, "%.15g", number);
  else
    fputs("null", json->file);
}

void json_put_raw(struct json_writer *json, const char *name, const char *value)
{
  begin_value(json, name);
  fputs(value ? value : "null", json->file);
}
