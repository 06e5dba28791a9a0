#include "analyzer/exchange/generate/generate.h"

#include "analyzer/exchange/generate/languages.h"
#include "common/raw/archive_names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
  ATTRIBUTES_MOST = 255,      /* of an event: heddle.h */
  ATTRIBUTES_MOST_JAVA = 127, /* a method has 255 words of parameters, and each takes two */
  NAME_MOST = 255,
  NAME_MOST_FORTRAN = 63
};

static const char *const language_names[] = {"C", "Fortran", "Java", "Python"};

/* Checks a name; `size`: of the whole identifier. */
static bool check_name(const struct spec *spec, enum generate_language language, struct spec_place place,
                       const char *name, size_t size, struct error *error)
{
  size_t most = language == GENERATE_FORTRAN ? NAME_MOST_FORTRAN : NAME_MOST;
  if (size > most)
    return spec_error(spec, place, error, "`%.80s`: %s would get a name of more than %zu characters", name,
                      language_names[language], most);
  return language != GENERATE_FORTRAN || name[0] != '_' ||
         spec_error(spec, place, error, "`%s`: no name begins with `_` in Fortran", name);
}

static bool check_attributes(const struct spec *spec, const struct spec_event *event, enum generate_language language,
                             struct error *error)
{
  uint32_t most = language == GENERATE_JAVA ? ATTRIBUTES_MOST_JAVA : ATTRIBUTES_MOST;
  if (event->attribute_count > most)
    return spec_error(spec, event->place, error, "the event `%s` has more than %u attributes, as many as %s can have",
                      event->name, most, language_names[language]);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next) {
    if (a->type == SPEC_TEXT)
      return spec_error(spec, a->place, error, "the attribute `%s` is a text: programs log integers and reals only",
                        a->name);
    if (!check_name(spec, language, a->place, a->name, strlen(a->name) + 1, error))
      return false;
    for (const struct spec_attribute *b = event->attributes; b != a; b = b->next)
      if (names_clash(language, NAME_PARAMETER, a->name, b->name))
        return spec_error(spec, a->place, error, "the attributes `%s` and `%s` of `%s` have one name in %s", b->name,
                          a->name, event->name, language_names[language]);
  }
  return true;
}

static bool check_event(const struct spec *spec, const struct spec_event *event, enum generate_language language,
                        struct error *error)
{
  bool with_prefix = language == GENERATE_C || language == GENERATE_FORTRAN;
  size_t size = strlen(event->name) + (with_prefix ? strlen(spec->name) : 0) + 1;
  if ((!with_prefix || event->name[0] != '_') && !check_name(spec, language, event->place, event->name, size, error))
    return false;
  FOR_EACH_DECLARED(other, spec)
  {
    if (other == event)
      break;
    if (names_clash(language, NAME_FUNCTION, event->name, other->name))
      return spec_error(spec, event->place, error, "the events `%s` and `%s` have one name in %s", other->name,
                        event->name, language_names[language]);
  }
  return check_attributes(spec, event, language, error);
}

/* NAME[.NAME]... */
static bool is_package(const char *text)
{
  bool begins = true;
  for (; *text; text++) {
    if (*text == '.' ? begins
                     : !(isalpha((unsigned char)*text) || *text == '_' || (!begins && isdigit((unsigned char)*text))))
      return false;
    begins = *text == '.';
  }
  return !begins;
}

bool generate_check(const struct spec *spec, const struct generate_options *options, struct error *error)
{
  enum generate_language language = options->language;
  const struct spec_place begin = {1, 1};
  if (!spec->name)
    return error_set(error,
                     "%s: the specification has no name, which the code needs: write `graze NAME` in front of it, and "
                     "`end NAME.` behind it",
                     spec->file);
  if (strcasecmp(spec->name, "heddle") == 0)
    return error_set(error, "%s: the specification is called `%s`, as Heddle's own module and class: use another name",
                     spec->file, spec->name);
  if (options->package && !is_package(options->package))
    return error_set(error, "--package %s: not the name of a package", options->package);
  if (!check_name(spec, language, begin, spec->name, strlen(spec->name), error))
    return false;
  bool any = false;
  FOR_EACH_DECLARED(event, spec)
  {
    any = true;
    if (!check_event(spec, event, language, error))
      return false;
  }
  return any || error_set(error, "%s: the specification declares no events", spec->file);
}

void generate_write(const struct spec *spec, const struct generate_options *options, FILE *file)
{
  switch (options->language) {
  case GENERATE_C:
    write_c(spec, file);
    break;
  case GENERATE_FORTRAN:
    write_fortran(spec, file);
    break;
  case GENERATE_JAVA:
    write_java(spec, options->package, file);
    break;
  case GENERATE_PYTHON:
    write_python(spec, file);
    break;
  }
}

void spec_for_each_built(const struct trace *trace, const struct spec *spec,
                         void (*see)(void *context, const struct spec_built *built), void *context)
{
  char hash[SPEC_HASH_SIZE];
  size_t begin = strlen(NAME_SPECIFICATION);
  spec_hash_text(spec_hash(spec), hash);
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_PROCESS || strncmp(property->name, NAME_SPECIFICATION, begin) != 0)
      continue;
    struct spec_built built = {.process = property->index, .name = property->name + begin, .hash = property->value};
    built.named = spec->name && strcmp(built.name, spec->name) == 0;
    built.fits = built.named && strncmp(built.hash, hash, strlen(hash)) == 0;
    see(context, &built);
  }
}

static void find_other(void *context, const struct spec_built *built)
{
  struct spec_built *other = context;
  if (built->named && !built->fits && !other->name)
    *other = *built;
}

bool spec_fits(const struct trace *trace, const struct spec *spec, struct error *error)
{
  struct spec_built other = {.name = NULL};
  char hash[SPEC_HASH_SIZE];
  spec_for_each_built(trace, spec, find_other, &other);
  spec_hash_text(spec_hash(spec), hash);
  return !other.name || error_set(error,
                                  "%s: does not fit: process %s was built with another version of the specification %s "
                                  "(hash %s, here %s). Use that version, or run `heddle spec generate` and rebuild",
                                  spec->file, trace->processes[other.process].name, other.name, other.hash, hash);
}
