#include "analyzer/analyses/intervals/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST         (1 << 20) /* bytes of a specification */
#define READER_DEPTH_MOST 1000      /* of a condition: functions that walk it call themselves */
#define STRING_(x)        #x
#define STRING_OF(x)      STRING_(x)

void reader_fail(struct spec_reader *reader, struct spec_place place, const char *format, ...)
{
  if (reader->failed)
    return;
  char text[sizeof reader->error->message / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  reader->failed = !spec_error(reader->spec, place, reader->error, "%s", text);
}

void *reader_allocate(struct spec_reader *reader, size_t size)
{
  void *memory = spec_allocate(reader->spec, size);
  if (!memory)
    reader_fail(reader, reader->at, "out of memory");
  return memory;
}

const char *reader_text(struct spec_reader *reader, size_t begin, size_t end)
{
  char *text = reader_allocate(reader, end - begin + 1);
  if (text)
    memcpy(text, reader->text + begin, end - begin);
  return text;
}

const char *reader_word(struct spec_reader *reader, const struct spec_span *span)
{
  return reader_text(reader, span->begin, span->end);
}

struct spec_expr *reader_literal(struct spec_reader *reader, enum spec_op op, struct spec_place place)
{
  struct spec_expr *expr = reader_new(reader, struct spec_expr);
  if (expr)
    *expr = (struct spec_expr){.op = op, .place = place, .depth = 1};
  return expr;
}

struct spec_expr *reader_operator(struct spec_reader *reader, enum spec_op op, struct spec_place place,
                                  struct spec_expr *left, struct spec_expr *right)
{
  struct spec_expr *expr = reader_literal(reader, op, place);
  if (!expr)
    return NULL;
  expr->left = left;
  expr->right = right;
  expr->depth = 1 + (right && right->depth > left->depth ? right->depth : left->depth);
  if (expr->depth <= READER_DEPTH_MOST)
    return expr;
  reader_fail(reader, place,
              "the condition is too large: more than " STRING_OF(READER_DEPTH_MOST) " operators in a row");
  return NULL;
}

static struct spec *create(const char *file)
{
  struct spec *spec = calloc(1, sizeof *spec);
  if (!spec)
    return NULL;
  spec->events_end = &spec->events;
  spec->intervals_end = &spec->intervals;
  spec->assertions_end = &spec->assertions;
  spec->constants_end = &spec->constants;
  char *name = spec_allocate(spec, strlen(file) + 1);
  if (name)
    spec->file = strcpy(name, file);
  else
    spec_free(spec);
  return name ? spec : NULL;
}

struct spec *spec_parse(const char *file, const char *text, size_t size, struct error *error)
{
  if (size > SIZE_MOST) {
    error_set(error, "%s: larger than %d bytes, which no specification is", file, SIZE_MOST);
    return NULL;
  }
  struct spec *spec = create(file);
  char *scanned = malloc(size + 1 + READER_MARKS), *kept = malloc(size + 1 + READER_MARKS);
  bool good = spec && scanned && kept;
  if (good) {
    memcpy(scanned, text, size);
    memcpy(scanned + size, "\n\0", 1 + READER_MARKS);
    memcpy(kept, scanned, size + 1 + READER_MARKS);
    struct spec_reader reader = {.spec = spec, .text = kept, .error = error, .at = {1, 1}};
    good = reader_scan(&reader, scanned, size + 1);
    if (!good && !reader.failed)
      error_set(error, "%s: out of memory", file);
  } else {
    error_set(error, "%s: out of memory", file);
  }
  free(scanned);
  free(kept);
  if (good)
    return spec;
  spec_free(spec);
  return NULL;
}

struct spec *spec_read(const char *path, struct error *error)
{
  struct spec *spec = NULL;
  FILE *file = fopen(path, "re");
  char *text = malloc(SIZE_MOST + 2);
  size_t size = file && text ? fread(text, 1, SIZE_MOST + 1, file) : 0;
  if (!file || ferror(file))
    error_set(error, "%s: cannot read the specification: %s", path, strerror(errno));
  else if (!text)
    error_set(error, "%s: out of memory", path);
  else
    spec = spec_parse(path, text, size, error);
  if (file)
    fclose(file);
  free(text);
  return spec;
}
