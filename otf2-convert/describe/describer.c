#include "otf2-convert/describe/describer.h"

#include "otf2-convert/text_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

OTF2_StringRef describer_string(struct describer *d, const char *text)
{
  char plain[DEFINITIONS_TEXT_MAX];
  escape_control(text, plain, sizeof plain);
  size_t known = d->strings.items.count;
  uint32_t ref = string_table_number(&d->strings, plain);
  if (ref == STRING_TABLE_NONE) {
    d->error = ENOMEM;
    return STRING_EMPTY;
  }
  if (ref == known)
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteString(d->writer, ref, plain));
  return ref;
}

OTF2_StringRef describer_format(struct describer *d, const char *format, ...)
{
  char text[DEFINITIONS_TEXT_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return describer_string(d, text);
}

void describer_attribute(struct describer *d, OTF2_AttributeRef ref, OTF2_StringRef name, const char *description,
                         OTF2_Type type)
{
  OTF2_StringRef text = describer_string(d, description);
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteAttribute(d->writer, ref, name, text, type));
}

void describer_begin(struct describer *d)
{
  for (size_t i = 0; i < d->definitions->strings.items.count; i++)
    describer_string(d, d->definitions->strings.items.items[i]);
}

void describer_end(struct describer *d)
{
  string_table_free(&d->strings);
}

static const char *describer_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

void describer_function(const struct code_place *code, char *name, size_t size)
{
  const struct code_function *function = &code->function;
  if (code->java && function->name != NULL)
    snprintf(name, size, "%s", function->name);
  else if (code->home.path == NULL)
    snprintf(name, size, "%s", NAME_CODE_UNKNOWN);
  else if (function->name == NULL || function->name[0] == 0)
    snprintf(name, size, "[%s+0x%" PRIx64 "]", describer_base_of(code->home.path), code->offset - 1);
  else if (function->construct != 0)
    snprintf(name, size, "%s (omp%s%s:%" PRIu32 ")", function->name, NAME_AT, describer_base_of(function->file),
             function->construct);
  else
    snprintf(name, size, "%s", function->name);
}

const char *describer_construct(struct describer *d, const struct code_home *home, const struct code_function *function)
{
  const struct region *region =
      definitions_outlined(d->definitions, home->module, function->begin, function->file, function->construct);
  OTF2_StringRef name = region != NULL ? describer_region(d, region) : STRING_TABLE_NONE;
  return name != STRING_TABLE_NONE ? d->strings.items.items[name] : NULL;
}

void describer_clock(struct describer *d)
{
  const struct converted *converted = d->converted;
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteClockProperties(d->writer, PROCESS_TICKS_A_SECOND, converted->first_time,
                                                          converted->last_time - converted->first_time,
                                                          plan_realtime(d->plan, converted->first_time)));
}
