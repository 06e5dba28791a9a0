#include "analyzer/analyses/intervals/spec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 8192

struct spec_block {
  struct spec_block *next;
  size_t used, room;
  _Alignas(max_align_t) char bytes[];
};

void *spec_allocate(struct spec *spec, size_t size)
{
  size_t whole = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  struct spec_block *block = spec->blocks;
  if (!block || block->room - block->used < whole) {
    size_t room = whole > BLOCK_SIZE ? whole : BLOCK_SIZE;
    block = calloc(1, sizeof *block + room);
    if (!block)
      return NULL;
    block->room = room;
    block->next = spec->blocks;
    spec->blocks = block;
  }
  void *memory = block->bytes + block->used;
  block->used += whole;
  return memory;
}

bool spec_error(const struct spec *spec, struct spec_place place, struct error *error, const char *format, ...)
{
  char text[sizeof error->message / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return error_set(error, "%s:%u:%u: %s", spec->file, place.line, place.column, text);
}

void spec_free(struct spec *spec)
{
  if (!spec)
    return;
  for (struct spec_block *block = spec->blocks, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  free(spec);
}

const char *spec_type_name(enum spec_type type)
{
  static const char *const names[] = {"an integer", "a real number", "a text", "a time", "true or false", "a value"};
  return names[type];
}
