/* Where code is at all, constructs or not. */
#include "otf2-convert/timeline/definitions.h"

#include <string.h>

static bool is_library(const struct module *module, const char *name)
{
  const char *base = strrchr(module->path, '/');
  base = base == NULL ? module->path : base + 1;
  return strncmp(base, name, strlen(name)) == 0 && strstr(base, ".so") != NULL;
}

static bool is_tool(const struct module *module)
{
  return is_library(module, "libheddle-");
}

bool code_is_runtime(const struct module *module)
{
  return is_library(module, "libomp") || is_library(module, "libiomp") || is_library(module, "libgomp") ||
         is_tool(module);
}

static bool is_outlined(enum construct construct)
{
  return construct == C_PARALLEL || construct == C_TEAMS || construct == C_TASK || construct == C_TASK_UNTIED ||
         construct == C_TASKLOOP;
}

const struct region *definitions_outlined(const struct definitions *definitions, uint32_t module, uint64_t begin,
                                          const char *file, uint32_t line)
{
  for (size_t i = 0; i < definitions->regions.count; i++) {
    const struct region *region = &definitions->regions.items[i];
    const struct source_place *place = &region->place;
    if (is_outlined(region->construct) && ((line != 0 && place->line == line && strcmp(place->file, file) == 0) ||
                                           (region->module == module && region->offset == begin + 1)))
      return region;
  }
  return NULL;
}

struct code_home definitions_home(struct definitions *definitions, uint32_t process, uint32_t index)
{
  const struct module_list *modules = &definitions->plan->processes.items[process].info.modules;
  struct code_home home = {.path = NULL, .module = MODULE_NONE};
  if (index >= modules->modules.count)
    return home;
  const struct module *module = &modules->modules.items[index];
  pthread_mutex_lock(&definitions->lock);
  uint32_t number = definitions_module(definitions, module);
  home = (struct code_home){
      .path = module->path, .base = module->base, .runtime = code_is_runtime(module), .tool = is_tool(module)};
  if (number != MODULE_NONE) {
    home.module = number;
    home.symbols = definitions->modules.items.items[number].symbols;
  }
  pthread_mutex_unlock(&definitions->lock);
  return home;
}

/* A method's begin. */
static struct code_place code_in_java(const struct definitions *definitions, uint32_t process, uint64_t code)
{
  const struct java_place *place =
      java_place(&definitions->plan->processes.items[process].info.java, code & ~RAW_CODE_PLACE);
  struct code_place at = {.home = {.module = MODULE_NONE}, .function = {.file = ""}, .file = "", .java = true};
  if (place == NULL)
    return at;
  at.function = (struct code_function){.name = place->method, .file = place->file, .line = place->line};
  at.file = place->file;
  at.line = place->line;
  return at;
}

struct code_place definitions_code(struct definitions *definitions, uint32_t process, uint64_t code)
{
  if ((code & RAW_CODE_PLACE) != 0)
    return code_in_java(definitions, process, code);
  const struct module_list *modules = &definitions->plan->processes.items[process].info.modules;
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  uint64_t address = code;
  uint32_t index = code != 0 ? module_map_find(&modules->map, code, &address) : MODULE_MAP_NONE;
  struct code_place place = {.home = definitions_home(definitions, process, index)};
  unsigned count = 1;
  place.offset = address - place.home.base;
  pthread_mutex_lock(&definitions->lock);
  if (place.home.symbols != NULL)
    count = symbols_code(place.home.symbols, place.offset, functions);
  pthread_mutex_unlock(&definitions->lock);
  place.function = functions[0];
  place.file = functions[count - 1].file;
  place.line = functions[count - 1].line;
  return place;
}
