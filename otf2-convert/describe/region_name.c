#include "otf2-convert/describe/region_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *region_name_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

static bool is_loop(enum construct construct)
{
  return construct >= C_LOOP && construct <= C_LOOP_OTHER;
}

void region_description(const struct region *region, char *text, size_t size)
{
  const char *facts = construct_facts[region->construct].description;
  if (region->place.inlined && is_loop(region->construct))
    snprintf(text, size, "%s; %s: %s", facts, FACT_BOUNDS, VALUE_BOUNDS_INLINE);
  else
    snprintf(text, size, "%s", facts);
}

/* Java's OpenMP has no tasks: these are of pools. NULL: another construct. */
static const char *pool_name(enum construct construct)
{
  return construct == C_TASK            ? NAME_POOL_TASK
         : construct == C_TASKWAIT      ? NAME_POOL_JOIN
         : construct == C_TASKWAIT_WAIT ? NAME_POOL_JOIN_WAIT
                                        : NULL;
}

/* A construct's name: directives of OpenMP are comments in Java. */
static const char *construct_name(const struct region *region, char *buffer, size_t size)
{
  const char *name = construct_facts[region->construct].name;
  if (region->place.automatic && region->construct == C_PARALLEL)
    return NAME_AUTO_LOOP;
  if (region->place.automatic && is_loop(region->construct))
    return NAME_AUTO_ITERATIONS;
  if (region->java && pool_name(region->construct))
    return pool_name(region->construct);
  if (!region->java || strncmp(name, NAME_OMP, sizeof NAME_OMP - 1) != 0)
    return name;
  snprintf(buffer, size, "%s%s", NAME_OMP_JAVA, name + sizeof NAME_OMP - 1);
  return buffer;
}

void region_name(const struct definitions *definitions, const struct region *region, char *name, size_t size)
{
  const struct source_place *place = &region->place;
  char buffer[128];
  const char *construct = construct_name(region, buffer, sizeof buffer);
  if (region->user)
    snprintf(name, size, "%s", place->function);
  else if (place->line != 0 && place->file[0] != 0)
    snprintf(name, size, "%s%s%s:%" PRIu32, construct, NAME_AT, region_name_base_of(place->file), place->line);
  else if (region->java || (place->function[0] != 0 && place->into == 0))
    snprintf(name, size, "%s%s%s", construct, NAME_AT, place->function);
  else if (place->function[0] != 0)
    snprintf(name, size, "%s%s%s+0x%" PRIx64, construct, NAME_AT, place->function, place->into);
  else if (region->module != MODULE_NONE)
    snprintf(name, size, "%s%s%s+0x%" PRIx64, construct, NAME_AT,
             region_name_base_of(definitions->modules.items.items[region->module].path), region->offset);
  else if (region->unloaded)
    snprintf(name, size, "%s%s%s", construct, NAME_AT, NAME_UNLOADED);
  else if (region->offset != 0)
    snprintf(name, size, "%s%s0x%" PRIx64, construct, NAME_AT, region->offset);
  else
    snprintf(name, size, "%s", construct);
}
