#include "otf2-convert/describer.h"

#include "otf2-convert/plain_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 32768u

OTF2_StringRef describer_string(struct describer *d, const char *text)
{
  char plain[TEXT_MAX];
  plain_text(text, plain, sizeof plain);
  size_t known = d->strings.items.count;
  uint32_t ref = texts_number(&d->strings, plain);
  if (ref == TEXTS_NONE) {
    d->error = ENOMEM;
    return STRING_EMPTY;
  }
  if (ref == known)
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteString(d->writer, ref, plain));
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
  texts_free(&d->strings);
}
