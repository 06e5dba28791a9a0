#include "common/java/keep_java.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A file and its lines; none are all. */
struct lines {
  size_t file_size; /* of the text */
  uint64_t first, last;
};

static const char *take_number(const char *at, uint64_t *number)
{
  *number = 0;
  for (; *at >= '0' && *at <= '9'; at++)
    if (*number <= UINT32_MAX)
      *number = *number * 10 + (uint64_t)(*at - '0');
  return at;
}

static struct lines lines_of(const char *text)
{
  struct lines all = {strlen(text), 0, UINT64_MAX}, some = all;
  const char *colon = strrchr(text, ':'), *at = colon ? take_number(colon + 1, &some.first) : NULL;
  if (!at || at == colon + 1)
    return all;
  some.last = some.first;
  if (*at == '-')
    at = take_number(at + 1, &some.last);
  some.file_size = (size_t)(colon - text);
  return *at == '\0' ? some : all;
}

static bool ends_with(const char *text, size_t size, const char *end)
{
  size_t length = strlen(end);
  return size > length && memcmp(text + size - length, end, length) == 0;
}

bool keep_java_source(const char *text)
{
  static const char *const sources[] = JAVA_SOURCES;
  struct lines lines = lines_of(text);
  for (size_t i = 0; i < COUNT_OF(sources); i++)
    if (ends_with(text, lines.file_size, sources[i]))
      return true;
  return false;
}

/* True if directories, from the last one on, are the class' packages: one of both may have more in front. */
static bool are_packages(const char *class_name, const char *text, size_t size)
{
  const char *dot = strrchr(class_name, '.');
  size_t left = dot ? (size_t)(dot - class_name) : 0;
  while (left > 0 && size > 0) {
    char of_class = class_name[--left], of_text = text[--size];
    if (of_class != (of_text == '/' ? '.' : of_text))
      return false;
  }
  return (left == 0 || class_name[left - 1] == '.') && (size == 0 || text[size - 1] == '/' || !dot);
}

static bool is_in_file(const struct keep_java *place, const char *text, size_t size)
{
  size_t length = place->file ? strlen(place->file) : 0;
  if (length == 0 || size < length || memcmp(text + size - length, place->file, length) != 0)
    return false;
  size -= length;
  return size == 0 || (text[size - 1] == '/' && are_packages(place->class_name, text, size - 1));
}

/* com.acme.Solver.step, or less of it in front, with the class at least. */
static bool is_method(const struct keep_java *place, const char *text)
{
  size_t size = strlen(text), method = strlen(place->method), length = strlen(place->class_name);
  if (size < method + 2 || memcmp(text + size - method, place->method, method) != 0 || text[size - method - 1] != '.')
    return false;
  size -= method + 1;
  if (size > length || memcmp(place->class_name + length - size, text, size) != 0)
    return false;
  char before = size < length ? place->class_name[length - size - 1] : '.';
  return before == '.' || before == '$';
}

bool keep_java_is(const struct keep_java *place, const char *text)
{
  struct lines lines = lines_of(text);
  return is_method(place, text) ||
         (place->line >= lines.first && place->line <= lines.last && is_in_file(place, text, lines.file_size));
}
