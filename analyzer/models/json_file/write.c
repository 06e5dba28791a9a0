#include "analyzer/models/json_file/json_file.h"

#include "analyzer/trace/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
