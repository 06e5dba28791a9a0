#include "analyzer/models/json_file/json_file.h"

#include "analyzer/trace/output.h"
#include "base/vector.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 256 << 20, READ_AT_ONCE = 65536 };

bool json_file_damaged(const struct json_file *file, const char *format, ...)
{
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return error_set(file->error, "%s: damaged %s: %s", file->path, file->kind, what);
}

bool json_file_no_memory(const struct json_file *file)
{
  return error_set(file->error, "%s: out of memory", file->path);
}

bool json_file_number(const struct json_file *file, const json_t *value, const char *what, uint64_t max,
                      uint64_t *result)
{
  if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > max)
    return json_file_damaged(file, "%s is missing, not a whole number, or out of range", what);
  *result = (uint64_t)json_integer_value(value);
  return true;
}

static int nibble(char digit)
{
  static const char digits[] = "0123456789abcdef";
  const char *at = digit ? strchr(digits, digit) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* `bytes` is zeroed and has room for half as many. A byte 0 is an error: it would end the text. */
static bool from_hex(const char *hex, char *bytes)
{
  for (size_t i = 0; hex[i]; i += 2) {
    int high = nibble(hex[i]), low = nibble(hex[i + 1]);
    if (high < 0 || low < 0 || (high == 0 && low == 0))
      return false;
    bytes[i / 2] = (char)(high << 4 | low);
  }
  return true;
}

char *json_file_text(const struct json_file *file, const json_t *value)
{
  const char *string = json_string_value(value), *hex = json_string_value(json_object_get(value, "hex"));
  if (!string && !hex) {
    json_file_damaged(file, "a text is missing");
    return NULL;
  }
  char *result = string ? strdup(string) : calloc(strlen(hex) / 2 + 1, 1);
  if (!result)
    json_file_no_memory(file);
  if (!result || string || from_hex(hex, result))
    return result;
  json_file_damaged(file, "a hexadecimal text has other characters");
  free(result);
  return NULL;
}

json_t *json_file_document(const struct json_file *file, const char *bytes, size_t size, int newest)
{
  json_error_t where;
  json_t *document = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &where);
  if (!document) {
    error_set(file->error, "%s: line %d: not JSON: %s", file->path, where.line, where.text);
    return NULL;
  }
  static const char ours[] = "heddle ";
  const char *format = json_string_value(json_object_get(document, "format"));
  uint64_t found;
  bool good =
      format && strncmp(format, ours, sizeof ours - 1) == 0 && strcmp(format + sizeof ours - 1, file->kind) == 0;
  if (!good && file->made_by)
    error_set(file->error, "%s: not a %s; `%s` makes one", file->path, file->kind, file->made_by);
  else if (!good)
    error_set(file->error, "%s: not a %s; `heddle %s -o FILE` makes one", file->path, file->kind, file->kind);
  good = good && json_file_number(file, json_object_get(document, "version"), "version", INT64_MAX, &found);
  if (good && (found < 1 || found > (uint64_t)newest))
    good = error_set(file->error, "%s: version %llu, but this program reads version %s%d", file->path,
                     (unsigned long long)found, newest > 1 ? "1 to " : "", newest);
  if (good)
    return document;
  json_decref(document);
  return NULL;
}

static char *slurp(const struct json_file *file, FILE *stream, size_t *size)
{
  VECTOR(char) bytes = {0};
  for (size_t got = 1; got > 0; bytes.count += got) {
    if (bytes.count > SIZE_LIMIT || !vector_make_room(&bytes, bytes.count + READ_AT_ONCE)) {
      error_set(file->error, "%s: too large for a %s, or out of memory", file->path, file->kind);
      vector_free(&bytes);
      return NULL;
    }
    got = fread(bytes.items + bytes.count, 1, READ_AT_ONCE, stream);
  }
  *size = bytes.count;
  if (!ferror(stream))
    return bytes.items;
  error_set(file->error, "%s: cannot read: %s", file->path, strerror(errno));
  vector_free(&bytes);
  return NULL;
}

char *json_file_bytes(const struct json_file *file, size_t *size)
{
  bool own = strcmp(file->path, "-") != 0;
  FILE *stream = own ? fopen(file->path, "re") : stdin;
  if (!stream) {
    error_set(file->error, "%s: cannot read: %s", file->path, strerror(errno));
    return NULL;
  }
  char *bytes = slurp(file, stream, size);
  if (own)
    fclose(stream);
  return bytes;
}

enum { DIGITS = 17 }; /* so that a number is read as it was */

json_t *json_file_from_number(uint64_t number)
{
  return json_integer((json_int_t)number);
}

json_t *json_file_from_text(const char *bytes)
{
  json_t *string = json_string(bytes);
  if (string)
    return string;
  size_t length = strlen(bytes);
  char *hex = malloc(2 * length + 1);
  for (size_t i = 0; hex && i < length; i++)
    snprintf(hex + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
  json_t *object = hex ? json_pack("{s:s}", "hex", hex) : NULL;
  free(hex);
  return object;
}

bool json_file_write(const json_t *document, const char *path, struct error *error)
{
  struct output output;
  if (!output_open(&output, path, error))
    return false;
  errno = 0;
  bool complete = json_dumpf(document, output.file, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) == 0 &&
                  fputc('\n', output.file) != EOF;
  if (!complete)
    error_set(error, "%s: cannot write: %s", path, strerror(errno ? errno : EIO));
  return output_close(&output, complete, error);
}
