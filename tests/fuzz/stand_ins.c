/*
 * Stands in for parts of the converter that have nothing to do with an input: debug information is not read (files that
 * an input names are none of its own), and messages are not printed.
 */
#include "otf2-convert/say.h"
#include "otf2-convert/symbols.h"

#include <stdio.h>
#include <stdlib.h>

void say_error(const char *format, ...)
{
  (void)format;
}

void say_note(const char *format, ...)
{
  (void)format;
}

void say_quiet(bool quiet)
{
  (void)quiet;
}

bool say_is_quiet(void)
{
  return true;
}

struct symbols {
  bool has_lines;
};

/* A module without symbols, with functions alone, or with lines, as its path ends. */
struct symbols *symbols_open(const char *path, const char *build_id)
{
  (void)build_id;
  size_t kind = 0;
  while (*path != 0)
    kind = (unsigned char)*path++ % 3;
  struct symbols *symbols = kind == 0 ? NULL : calloc(1, sizeof *symbols);
  if (symbols != NULL)
    symbols->has_lines = kind == 2;
  return symbols;
}

void symbols_close(struct symbols *symbols)
{
  free(symbols);
}

/* Sixteen functions of 16 bytes, two lines each: so that places are met again, and copies are one region. */
struct source_place symbols_find(struct symbols *symbols, uint64_t offset)
{
  static const char *const names[] = {"f", "g", "h", "\x1b\xff"};
  struct source_place place = {.function = names[offset >> 4 & 3], .file = "", .into = offset & 15};
  if (symbols->has_lines) {
    place.file = "/src/\xc3.c";
    place.line = (uint32_t)(offset >> 3 & 31);
  }
  return place;
}

/* The same address has a variable for OpenMP's locks as for those of POSIX threads. */
const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into)
{
  *into = offset & 15;
  return symbols->has_lines && (offset >> 3 & 1) != 0 ? ".gomp_critical_user_\x1b" : NULL;
}

/* Every other address has a variable. */
bool symbols_variable(struct symbols *symbols, uint64_t address, char *name, size_t size)
{
  snprintf(name, size, "v\x1b%u", (unsigned)(address >> 4 & 3));
  return symbols->has_lines && (address >> 3 & 1) != 0;
}
