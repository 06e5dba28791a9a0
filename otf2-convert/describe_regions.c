/* Regions: construct and place. */
#include "otf2-convert/describer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

static bool is_loop(enum construct construct)
{
  return construct >= C_LOOP && construct <= C_LOOP_OTHER;
}

/* The construct's facts for analysis. */
static OTF2_StringRef description(struct describer *d, const struct region *region)
{
  const char *facts = construct_facts[region->construct].description;
  if (region->place.inlined && is_loop(region->construct))
    return describer_format(d, "%s; %s: %s", facts, FACT_BOUNDS, VALUE_BOUNDS_INLINE);
  return describer_string(d, facts);
}

/* A construct's name: directives of OpenMP are comments in Java. */
static const char *construct_name(const struct region *region, char *buffer, size_t size)
{
  const char *name = construct_facts[region->construct].name;
  if (region->place.automatic && region->construct == C_PARALLEL)
    return NAME_AUTO_LOOP;
  if (region->place.automatic && is_loop(region->construct))
    return NAME_AUTO_ITERATIONS;
  if (!region->java || strncmp(name, NAME_OMP, sizeof NAME_OMP - 1) != 0)
    return name;
  snprintf(buffer, size, "%s%s", NAME_OMP_JAVA, name + sizeof NAME_OMP - 1);
  return buffer;
}

static OTF2_StringRef function_name(struct describer *d, const struct region *region)
{
  char name[4096];
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  struct code_place code = {.offset = region->offset, .java = region->java};
  if (region->module != MODULE_NONE) {
    const struct code_module *module = &d->definitions->modules.items[region->module];
    code.home = (struct code_home){.path = module->path, .symbols = module->symbols};
  }
  if (code.home.symbols != NULL)
    symbols_code(code.home.symbols, region->offset, functions);
  code.function = functions[0];
  if (region->java && region->place.function[0] != 0)
    code.function.name = region->place.function;
  describer_function(&code, name, sizeof name);
  return describer_string(d, name);
}

OTF2_StringRef describer_region(struct describer *d, const struct region *region)
{
  const struct source_place *place = &region->place;
  char buffer[128];
  const char *name = construct_name(region, buffer, sizeof buffer);
  if (region->construct == C_ON_PROCESSOR && d->location_names != NULL && region->offset != 0)
    return d->location_names[region->offset - 1];
  if (region->construct == C_CALL)
    return function_name(d, region);
  if (region->user)
    return describer_string(d, place->function);
  if (place->line != 0 && place->file[0] != 0)
    return describer_format(d, "%s%s%s:%" PRIu32, name, NAME_AT, base_of(place->file), place->line);
  if (region->java)
    return describer_format(d, "%s%s%s", name, NAME_AT, place->function);
  if (place->function[0] != 0 && place->into == 0)
    return describer_format(d, "%s%s%s", name, NAME_AT, place->function);
  if (place->function[0] != 0)
    return describer_format(d, "%s%s%s+0x%" PRIx64, name, NAME_AT, place->function, place->into);
  if (region->module != MODULE_NONE)
    return describer_format(d, "%s%s%s+0x%" PRIx64, name, NAME_AT,
                            base_of(d->definitions->modules.items[region->module].path), region->offset);
  if (region->unloaded)
    return describer_format(d, "%s%s%s", name, NAME_AT, NAME_UNLOADED);
  if (region->offset != 0)
    return describer_format(d, "%s%s0x%" PRIx64, name, NAME_AT, region->offset);
  return describer_string(d, name);
}

static void write_region(struct describer *d, uint32_t number)
{
  const struct region *region = &d->definitions->regions.items[number];
  const struct source_place *place = &region->place;
  const struct construct_facts *facts = &construct_facts[region->construct];
  OTF2_StringRef name = describer_region(d, region);
  OTF2_StringRef canonical = place->function[0] != 0 ? describer_string(d, place->function) : name;
  OTF2_StringRef file = describer_string(d, place->file);
  OTF2_Paradigm paradigm = construct_is_tool(region->construct) ? OTF2_PARADIGM_MEASUREMENT_SYSTEM
                           : construct_is_java(region->construct) || construct_is_pthread(region->construct)
                               ? OTF2_PARADIGM_PTHREAD
                           : construct_is_user(region->construct) ? OTF2_PARADIGM_USER
                           : region->construct == C_CALL          ? OTF2_PARADIGM_COMPILER
                                                                  : OTF2_PARADIGM_OPENMP;
  OTF2_RegionFlag flags = region->construct == C_USER_PHASE ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE;
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteRegion(d->writer, number, name, canonical, description(d, region),
                                                 facts->role, paradigm, flags, file, place->line, place->line));
}

void describe_regions(struct describer *d)
{
  for (size_t i = 0; i < d->definitions->regions.count && d->error == 0; i++)
    write_region(d, (uint32_t)i);
}
