#include "otf2-convert/describe_strings.h"

#include "otf2-convert/plain_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 32768u

static uint64_t hash_of(const char *text)
{
  uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */
  for (; *text != 0; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
  return hash;
}

OTF2_StringRef describer_string(struct describer *d, const char *text)
{
  char plain[TEXT_MAX];
  plain_text(text, plain, sizeof plain);
  uint64_t key = hash_of(plain), *known;
  for (; (known = hash_find(&d->strings, key)) != NULL; key++)
    if (strcmp(d->texts.items[*known], plain) == 0)
      return (OTF2_StringRef)*known;
  char *copy = strdup(plain);
  if (copy == NULL || hash_add(&d->strings, key, d->texts.count) == NULL || !vector_push(&d->texts, copy)) {
    free(copy);
    d->error = ENOMEM;
    return STRING_EMPTY;
  }
  OTF2_StringRef ref = (OTF2_StringRef)(d->texts.count - 1);
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteString(d->writer, ref, copy));
  return ref;
}

OTF2_StringRef describer_format(struct describer *d, const char *format, ...)
{
  char text[TEXT_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return describer_string(d, text);
}

void describer_begin(struct describer *d)
{
  static const char *const fixed[STRING_FIXED_COUNT] = {
      [STRING_EMPTY] = "",    [STRING_KILLED] = "killed",      [STRING_CANCELLED] = "cancelled",
      [STRING_LOST] = "lost", [STRING_PARALLEL] = "parallel",  [STRING_SECTIONS] = "sections",
      [STRING_LOOP] = "loop", [STRING_TASKGROUP] = "taskgroup"};
  for (unsigned i = 0; i < STRING_FIXED_COUNT; i++)
    describer_string(d, fixed[i]);
}

void describer_end(struct describer *d)
{
  for (size_t i = 0; i < d->texts.count; i++)
    free(d->texts.items[i]);
  vector_free(&d->texts);
  hash_free(&d->strings);
}
