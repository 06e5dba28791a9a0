#include "analyzer/exchange/generate/fits.h"

#include "base/hash.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The hash must stay the same when messages and enums change. */
static const char *type_word(enum spec_type type)
{
  return type == SPEC_INTEGER ? "int;" : type == SPEC_REAL ? "real;" : "text;";
}

uint64_t spec_hash(const struct spec *spec)
{
  uint64_t hash = hash_text(0, spec->name ? spec->name : "");
  for (const struct spec_event *event = spec->events; event; event = event->next) {
    if (!event->declared)
      continue;
    hash = hash_text(hash_mix(hash), event->name);
    for (const struct spec_attribute *attribute = event->attributes; attribute; attribute = attribute->next)
      hash = hash_text(hash_text(hash, type_word(attribute->type)), attribute->name);
  }
  return hash;
}

void spec_hash_text(uint64_t hash, char text[SPEC_HASH_SIZE])
{
  snprintf(text, SPEC_HASH_SIZE, "%016" PRIx64, hash);
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
  return !other.name ||
         error_set(error,
                   "%s: does not fit: process %s was built with another version of the specification %s (hash %s, "
                   "here %s); use that version, or `heddle spec generate` and build again",
                   spec->file, trace->processes[other.process].name, other.name, other.hash, hash);
}
