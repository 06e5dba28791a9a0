/* Regions: construct and place. */
#include "otf2-convert/describe/describer.h"
#include "otf2-convert/describe/region_name.h"

static OTF2_StringRef describe_regions_function_name(struct describer *d, const struct region *region)
{
  char name[4096];
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  struct code_place code = {.offset = region->offset, .java = region->java};
  if (region->module != MODULE_NONE) {
    const struct code_module *module = &d->definitions->modules.items.items[region->module];
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
  char name[DEFINITIONS_TEXT_MAX];
  if (region->construct == C_ON_PROCESSOR && d->location_names != NULL && region->offset != 0)
    return d->location_names[region->offset - 1];
  if (region->construct == C_CALL)
    return describe_regions_function_name(d, region);
  region_name(d->definitions, region, name, sizeof name);
  return describer_string(d, name);
}

static void describe_regions_write_region(struct describer *d, uint32_t number)
{
  const struct region *region = &d->definitions->regions.items[number];
  const struct source_place *place = &region->place;
  const struct construct_facts *facts = &construct_facts[region->construct];
  char facts_text[REGION_DESCRIPTION_SIZE];
  region_description(region, facts_text, sizeof facts_text);
  OTF2_StringRef name = describer_region(d, region);
  OTF2_StringRef canonical = place->function[0] != 0 ? describer_string(d, place->function) : name;
  OTF2_StringRef file = describer_string(d, place->file);
  OTF2_RegionFlag flags = region->construct == C_USER_PHASE ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE;
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteRegion(
                                d->writer, number, name, canonical, describer_string(d, facts_text), facts->role,
                                construct_paradigm(region->construct), flags, file, place->line, place->line));
}

void describe_regions(struct describer *d)
{
  for (size_t i = 0; i < d->definitions->regions.count && d->error == 0; i++)
    describe_regions_write_region(d, (uint32_t)i);
}
